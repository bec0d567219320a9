//! Messages whose text is only in the file: what is known of them, and how they are dropped and loaded.

use super::{Body, KEPT_BYTES, LONG, LoadState, MessageAway};
use crate::domain::{AttachedFile, Entry, Prompt};
use crate::engine::context::{shortened, tokens};
use crate::engine::transcript::{Item, ReplyBody, ReplyItem, Transcript, task};

impl ReplyBody {
    fn bytes(&self) -> usize {
        let calls = self.tool_calls.iter().map(|call| call.name.len() + call.arguments.len());
        let kept = self.kept.iter().map(|kept| kept.json.len());
        self.text.len() + self.reasoning.len() + calls.chain(kept).sum::<usize>()
    }
}

impl ReplyItem {
    /// Its size in bytes, approximately.
    pub(crate) fn bytes(&self) -> usize {
        let here = || self.body.as_ref().map_or(0, |body| body.bytes());
        self.paged_out.map_or_else(here, |out| out.bytes as usize)
    }

    /// The size of its text in tokens, approximately.
    pub(crate) fn tokens(&self) -> u64 {
        self.paged_out.map_or_else(|| tokens(self.text()), |out| out.tokens.into())
    }

    /// Drops its text if the file has it; of a long text a shortened form stays.
    fn page_out(&mut self) {
        if self.paged_out.is_some() || self.entry.is_none() {
            return;
        }
        let is_long = self.bytes() >= LONG;
        self.paged_out = Some(MessageAway::new(self.bytes(), self.tokens()));
        let short =
            is_long.then(|| ReplyBody { text: shortened(self.text(), KEPT_BYTES), ..ReplyBody::default() });
        self.body = short.map(Box::new);
    }
}

/// The size of a prompt with its files in bytes.
pub(super) fn bytes_of_prompt(text: &str, files: &[AttachedFile]) -> usize {
    text.len() + files.iter().map(|file| file.path.len() + file.text.len()).sum::<usize>()
}

/// Access to messages that are not in memory.
impl Transcript {
    /// The entry number of a message that is only in the file, and what is known of it.
    pub(crate) fn message_away(&self, item: usize) -> Option<(u64, MessageAway)> {
        let (entry, out) = match self.items.get(item)? {
            Item::Reply(reply) => (reply.entry?, reply.paged_out?),
            Item::Prompt { .. } => {
                self.long_prompts.get(&item).and_then(|long| Some((long.entry, long.out?)))?
            }
            _ => return None,
        };
        Some((entry.into(), out))
    }

    /// The messages from this index on that are not in memory.
    pub(crate) fn paged_out(&self, from: usize) -> impl Iterator<Item = usize> {
        (from..self.items.len()).filter(|item| self.message_away(*item).is_some())
    }

    /// The messages of the next request that are not in memory.
    pub(in crate::engine) fn told_away(&self) -> impl Iterator<Item = usize> {
        let behind = self.paged_out(self.summary().map_or(0, |summary| summary.upto));
        self.task_behind_summary().filter(|item| self.message_away(*item).is_some()).into_iter().chain(behind)
    }

    /// The prompt that is sent along with the summary that replaces it, because its turn was not over.
    pub(in crate::engine) fn task_behind_summary(&self) -> Option<usize> {
        task(self.items.get(..self.summary()?.upto)?)
    }

    /// About how many tokens of the next request are not in memory; `None`: all of it is.
    pub(in crate::engine) fn tokens_away(&self) -> Option<u64> {
        let mut away = self.told_away().peekable();
        away.peek()?;
        let here = |item| match self.items.get(item) {
            Some(Item::Prompt { text, .. }) => tokens(text),
            Some(Item::Reply(reply)) => tokens(reply.text()),
            _ => 0,
        };
        Some(away.map(|item| self.tokens_of(item).saturating_sub(here(item))).sum())
    }

    /// All texts that are not in memory, with their entry numbers; in the order of the file, messages first.
    pub(crate) fn all_paged_out(&self) -> Vec<(Body, u64)> {
        let entry = |item| Some((Body::Message(item), self.message_away(item)?.0));
        let messages = self.paged_out(0).filter_map(entry);
        messages.chain(self.outputs_away().map(|(run, entry)| (Body::Output(run), entry))).collect()
    }

    /// The size of a message in tokens, approximately, without results.
    pub(in crate::engine) fn tokens_of(&self, item: usize) -> u64 {
        if let Some((_, out)) = self.message_away(item) {
            return out.tokens.into();
        }
        match self.items.get(item) {
            Some(Item::Prompt { text, files, .. }) => tokens_of_prompt(text, files),
            Some(Item::Reply(reply)) => reply.tokens(),
            _ => 0,
        }
    }

    /// The size of a message in bytes, approximately.
    pub(crate) fn bytes_of(&self, item: usize) -> usize {
        if let Some((_, out)) = self.message_away(item) {
            return out.bytes as usize;
        }
        match self.items.get(item) {
            Some(Item::Prompt { text, files, .. }) => bytes_of_prompt(text, files),
            Some(Item::Reply(reply)) => reply.bytes(),
            _ => 0,
        }
    }

    /// Sets the load state of a message.
    pub(in crate::engine) fn note_load(&mut self, item: usize, load: LoadState) {
        let out = match self.items.get_mut(item) {
            Some(Item::Reply(reply)) => reply.paged_out.as_mut(),
            _ => self.long_prompts.get_mut(&item).and_then(|long| long.out.as_mut()),
        };
        if let Some(out) = out {
            out.load = load;
        }
    }

    /// Drops the text of a message, if the file has it.
    pub(in crate::engine) fn page_out(&mut self, item: usize) {
        match self.items.get_mut(item) {
            Some(Item::Reply(reply)) => reply.page_out(),
            Some(Item::Prompt { text, files, .. }) => {
                let Some(long) = self.long_prompts.get_mut(&item).filter(|long| long.out.is_none()) else {
                    return;
                };
                long.out =
                    Some(MessageAway::new(bytes_of_prompt(text, files), tokens_of_prompt(text, files)));
                *text = shortened(text, KEPT_BYTES).into();
                // The shortened form still mentions that these files were given.
                files.iter_mut().for_each(|file| file.text = String::new());
            }
            _ => {}
        }
    }

    /// Stores a loaded text. Returns its size in bytes; `None`: the entry is not the right one.
    pub(crate) fn page_in(&mut self, body: Body, entry: Entry) -> Option<usize> {
        match (body, entry) {
            (Body::Message(item), Entry::Reply { step, text, reasoning, tool_calls, kept, .. }) => {
                let Item::Reply(reply) = self.items.get_mut(item)? else { return None };
                if step != reply.step {
                    return None;
                }
                reply.body = Some(Box::new(ReplyBody { text, reasoning, tool_calls, kept }));
                reply.paged_out = None;
                Some(reply.bytes())
            }
            (Body::Message(item), Entry::Prompt(Prompt { text: whole, files: given })) => {
                let Item::Prompt { text, files, .. } = self.items.get_mut(item)? else { return None };
                let long = self.long_prompts.get_mut(&item)?;
                if long.out.is_some() && shortened(&whole, KEPT_BYTES) != **text {
                    return None;
                }
                (*text, *files, long.out) = (whole.into(), given.into(), None);
                Some(bytes_of_prompt(text, files))
            }
            (Body::Message(_), _) => None,
            (Body::Output(run), entry) => self.run_mut(run)?.page_in(entry),
        }
    }
}

fn tokens_of_prompt(text: &str, files: &[AttachedFile]) -> u64 {
    tokens(text) + files.iter().map(|file| tokens(&file.text)).sum::<u64>()
}

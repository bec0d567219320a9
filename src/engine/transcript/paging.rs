//! Long replies and outputs that are far back in a large session: they stand in its file, and come into memory when they are
//! looked at.
//!
//! A transcript that is read through [`PagedTranscript`] keeps the newest ones. Of other replies it keeps their length, what
//! they cost in tokens, a short form for summaries, and which entry of the file they are; of other outputs a form that is
//! short and that a model is told as it would be told the whole ([`runs`]). Which of them are looked at is the engine's
//! business (`engine/loading.rs`).

mod runs;
#[cfg(test)]
mod tests;

use super::{Item, ReplyItem, Transcript};
use crate::domain::{Entry, RunId, Timestamp};
use crate::engine::context::{shortened, tokens};
use runs::Outputs;
pub(crate) use runs::{OutputAway, RunPaging};
use std::collections::VecDeque;

/// The newest long replies of so many bytes together stay: about four million tokens, more than models take.
const NEWEST: usize = 16 << 20;

/// What is kept of the text of a reply that does not stay.
const KEPT: usize = 512;

/// Something of a conversation whose text may be in its file alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Body {
    /// The reply that is this item.
    Reply(usize),
    /// The output of this run.
    Output(RunId),
}

/// What is known of a reply whose text is not in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PagedOut {
    /// Bytes of its text and reasoning.
    pub bytes: usize,
    /// About how many tokens its text has.
    pub(crate) tokens: u64,
    pub(crate) load: LoadState,
}

/// Whether a reply or an output that is not in memory comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LoadState {
    /// Nobody has asked for it.
    Away,
    /// It was asked for.
    Loading,
    /// It can't be read again.
    Lost,
}

impl ReplyItem {
    /// Bytes of its text and reasoning.
    pub(crate) fn bytes(&self) -> usize {
        self.paged_out.map_or(self.text.len() + self.reasoning.len(), |out| out.bytes)
    }

    /// About how many tokens its text has.
    pub(crate) fn tokens(&self) -> u64 {
        self.paged_out.map_or_else(|| tokens(&self.text), |out| out.tokens)
    }

    /// Keeps a short form in place of its text, where the file has it.
    pub(in crate::engine) fn page_out(&mut self) {
        if self.paged_out.is_some() || self.entry.is_none() {
            return;
        }
        self.paged_out = Some(PagedOut { bytes: self.bytes(), tokens: self.tokens(), load: LoadState::Away });
        self.text = shortened(&self.text, KEPT);
        self.reasoning = String::new();
    }
}

impl Transcript {
    /// The replies from this item on that are not in memory: the place of each among the items, and which entry of the file
    /// it is.
    pub(crate) fn paged_out(&self, from: usize) -> impl Iterator<Item = (usize, u64)> {
        self.items.iter().enumerate().skip(from).filter_map(|(at, item)| match item {
            Item::Reply(reply) => reply.paged_out.and(reply.entry).map(|entry| (at, entry)),
            _ => None,
        })
    }

    /// Whether a reply that would be told to the model is not in memory.
    pub(in crate::engine) fn is_told_in_part(&self) -> bool {
        self.paged_out(self.summary().map_or(0, |summary| summary.upto)).next().is_some()
    }

    /// All that is not in memory, and which entry of the file each is.
    pub(crate) fn all_paged_out(&self) -> Vec<(Body, u64)> {
        let replies = self.paged_out(0).map(|(item, entry)| (Body::Reply(item), entry));
        replies.chain(self.outputs_away().map(|(run, entry)| (Body::Output(run), entry))).collect()
    }

    /// Takes a text in again. Gives its bytes; `None`: that entry is not the one.
    pub(crate) fn page_in(&mut self, body: Body, entry: Entry) -> Option<usize> {
        match (body, entry) {
            (Body::Reply(item), Entry::Reply { step, text, reasoning, .. }) => {
                let Item::Reply(reply) = self.items.get_mut(item)? else { return None };
                if step != reply.step {
                    return None;
                }
                (reply.text, reply.reasoning, reply.paged_out) = (text, reasoning, None);
                Some(reply.bytes())
            }
            (Body::Reply(_), _) => None,
            (Body::Output(run), entry) => self.run_mut(run)?.page_in(entry),
        }
    }
}

/// A transcript that is put together while its file is read, and keeps the newest of the long replies and outputs.
#[derive(Debug, Default)]
pub(crate) struct PagedTranscript {
    transcript: Transcript,
    /// Entries so far.
    entries: u64,
    /// The places of long replies that stay so far, the oldest first, and their bytes together.
    newest: VecDeque<usize>,
    bytes: usize,
    outputs: Outputs,
}

impl PagedTranscript {
    /// The last of what was put in is a long reply, which the file has as this entry.
    fn reply(&mut self, entry: u64) {
        let place = self.transcript.items.len().saturating_sub(1);
        let Some(Item::Reply(reply)) = self.transcript.items.last_mut() else { return };
        reply.entry = Some(entry);
        self.newest.push_back(place);
        self.bytes += reply.bytes();
        while self.bytes > NEWEST && self.newest.len() > 1 {
            let Some(Item::Reply(oldest)) =
                self.newest.pop_front().and_then(|place| self.transcript.items.get_mut(place))
            else {
                return;
            };
            self.bytes = self.bytes.saturating_sub(oldest.bytes());
            oldest.page_out();
        }
    }
}

impl Extend<(Timestamp, Entry)> for PagedTranscript {
    fn extend<I: IntoIterator<Item = (Timestamp, Entry)>>(&mut self, entries: I) {
        for (at, entry) in entries {
            let long = entry.is_long().then_some(&entry);
            let (is_reply, ended) = match long {
                Some(Entry::Ran { run, block, .. }) => (false, Some((*block, *run))),
                Some(_) => (true, None),
                None => (false, None),
            };
            if matches!(entry, Entry::Prompt(_)) {
                self.outputs.turn_begins(&mut self.transcript);
            }
            self.transcript.apply(entry, at);
            if is_reply {
                self.reply(self.entries);
            }
            if let Some(run) = ended {
                self.outputs.ended(&mut self.transcript, run, self.entries);
            }
            self.entries += 1;
        }
    }
}

impl From<PagedTranscript> for Transcript {
    fn from(paged: PagedTranscript) -> Self {
        paged.transcript
    }
}

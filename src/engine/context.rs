//! Composes the messages for the model from the transcript, within the budget of its context.
//!
//! Prompts are the person's words, replies are the model's exactly as it wrote them. Results of blocks are sent as user
//! messages, never as if the model had said them; in the dialect of tools each call has its own answer (`calls`).
//! Nothing is sent about blocks that were skipped or wait. `budget` decides what is left out to make room, `share`
//! measures the length of the whole.

mod attachments;
mod budget;
mod calls;
mod count;
mod images;
mod outside_text;
mod pending;
mod readable;
mod results;
mod share;

pub(crate) use budget::{Composer, Composition};
pub(super) use count::tokens;
pub(super) use outside_text::{short_form, text as shortened, told_bytes};
pub(crate) use share::ContextShare;
pub(super) use share::{Meter, OFFER, estimate, kept_free};

use super::replying::FAILED;
use super::transcript::{Item, ReplyItem, SettledEvent, Transcript, task};
use super::{Settings, dialect, prompt};
use crate::domain::{Departure, Dialect, ImageRef, Message, MessageImage, RecipeFact, Role, TurnEnd};
use budget::ResultLimits;
use pending::PendingEvents;
use results::Results;

/// The messages of the next request, oldest first, with nothing left out, in this dialect.
pub(crate) fn messages(transcript: &Transcript, settings: &Settings, dialect: Dialect) -> Vec<Message> {
    Composer::new(transcript, settings, dialect).whole().messages
}

/// The messages with these limits on results, and how many results were shortened for them.
fn compose(composer: &Composer<'_>, limits: ResultLimits) -> (Vec<Message>, usize) {
    let mut list = MessageList::new(*composer, limits);
    list.push_system_prompt();
    let summed_up = list.push_summary();
    for (at, item) in composer.transcript.items.iter().enumerate().skip(summed_up) {
        list.push_results_before(at);
        list.push_item(at, item);
    }
    list.push_results_before(usize::MAX);
    (list.messages, list.shortened)
}

/// Whether no request with this prompt was ever sent before its turn ended: the person could still change it, and what
/// they sent instead comes after it.
fn never_sent(items: &[Item], at: usize) -> bool {
    let behind = items.get(at + 1..).unwrap_or_default();
    let end = behind.iter().find(|item| {
        matches!(item, Item::Prompt { .. } | Item::Reply(_) | Item::TurnEnd { .. } | Item::Recipe { .. })
    });
    let unsent = |end: &TurnEnd| matches!(end, TurnEnd::Failed(f) if f.departure == Departure::Never);
    matches!(end, Some(Item::TurnEnd { end, .. }) if unsent(end))
}

/// The index of the next thing that the person or the model says after `at`. Blocks settled before it answer the calls
/// of the reply at `at`.
fn next_word(items: &[Item], at: usize) -> usize {
    let behind = items.get(at + 1..).unwrap_or_default();
    let next = behind.iter().position(|item| {
        let said = matches!(item.fact(), Some(RecipeFact::Said { .. }));
        said || matches!(item, Item::Prompt { .. } | Item::Reply(_))
    });
    next.map_or(usize::MAX, |next| at + 1 + next)
}

const SUMMARY_HEAD: &str = "[The conversation until here is left out; this summary of it, written by a model, stands in its \
    place.]";
const TASK_HEAD: &str = "[What is being worked on, in the person's words:]";
const IMAGES_HEAD: &str = "[Images that the blocks made.]";

/// Whether a reply is left out of requests: it broke off because the provider failed, so the model is asked again as if
/// it had never begun. Not if one of its blocks was settled.
pub(super) fn left_out(reply: &ReplyItem, transcript: &Transcript) -> bool {
    !reply.finish.reason.complete()
        && reply.finish.word.as_deref() == Some(FAILED)
        && !transcript.settled.iter().any(|settled| reply.blocks.contains(&settled.block))
}

/// A conversation while it is composed. Consecutive texts of the same role are joined into one message.
struct MessageList<'a> {
    composer: Composer<'a>,
    limits: ResultLimits,
    results: Results<'a>,
    pending: PendingEvents<'a>,
    /// The images of results that are sent.
    chosen_images: Vec<ImageRef>,
    messages: Vec<Message>,
    /// How many results are shorter than usual.
    shortened: usize,
}

impl<'a> MessageList<'a> {
    fn new(composer: Composer<'a>, limits: ResultLimits) -> Self {
        Self {
            composer,
            limits,
            results: Results::new(composer.transcript, composer.settings.output_to_model),
            pending: PendingEvents::new(&composer.transcript.settled),
            chosen_images: composer.chosen_images(),
            messages: Vec::new(),
            shortened: 0,
        }
    }

    fn push_system_prompt(&mut self) {
        let Composer { transcript, settings, dialect, instructions, .. } = self.composer;
        let is_small = transcript.model.as_ref().is_some_and(|name| dialect::is_small(&name.model));
        let system = prompt::in_dialect(&settings.system_prompt, dialect, is_small, &settings.terminals);
        self.push_text(Role::System, &system);
        self.push_text(Role::System, instructions);
    }

    /// Adds the summary, if there is one, instead of the items that it replaces; returns how many these are. Their
    /// effects on the kernel still count, and a turn that began before the summary's end keeps its prompt.
    fn push_summary(&mut self) -> usize {
        let transcript = self.composer.transcript;
        let Some(summary) = transcript.summary() else { return 0 };
        let replaced = transcript.items.get(..summary.upto).unwrap_or_default();
        let mut pending = self.pending.take_first(summary.settled);
        for (at, item) in replaced.iter().enumerate() {
            self.results.skip_group(&pending.before(at));
            if matches!(item, Item::Resumed { .. } | Item::KernelRestarted { .. }) {
                self.results.kernels_gone(restarted);
            }
        }
        self.results.skip_group(&pending.before(usize::MAX));
        self.push_text(Role::User, SUMMARY_HEAD);
        self.push_text(Role::User, &summary.text);
        if let Some(Item::Prompt { text, files, .. }) = task(replaced).and_then(|at| replaced.get(at)) {
            self.push_text(Role::User, TASK_HEAD);
            self.push_text(Role::User, &attachments::message(text, files));
        }
        summary.upto
    }

    /// Adds the item with this index.
    fn push_item(&mut self, at: usize, item: &Item) {
        let Composer { transcript, dialect, .. } = self.composer;
        match item {
            Item::Prompt { .. } if never_sent(&transcript.items, at) => {}
            Item::Prompt { text, files, .. } => {
                self.push_text(Role::User, &attachments::message(text, files));
            }
            Item::Reply(reply) if left_out(reply, transcript) => {}
            Item::Reply(reply) if dialect == Dialect::Tools && !reply.tool_calls().is_empty() => {
                self.push_calls(at, reply);
            }
            Item::Reply(reply) => {
                self.push_reply(reply, &calls::as_text(reply, transcript, dialect));
                self.push_text(Role::User, &calls::refused(reply));
            }
            Item::Resumed { .. } => {
                let note = self.results.kernels_gone(resumed);
                self.push_text(Role::User, &note);
            }
            Item::KernelRestarted { .. } => {
                let note = self.results.kernels_gone(restarted);
                self.push_text(Role::User, &note);
            }
            Item::Recipe { fact, .. } => {
                if let RecipeFact::Said { text, .. } = fact.as_ref() {
                    self.push_text(Role::User, text);
                }
            }
            Item::TurnEnd { .. } | Item::Model { .. } | Item::Own { .. } | Item::Summary(_) => {}
        }
    }

    /// Adds a reply with calls, the answer to each call, and then the images of all answers.
    fn push_calls(&mut self, at: usize, reply: &ReplyItem) {
        let transcript = self.composer.transcript;
        self.messages.push(calls::reply(reply));
        let until = next_word(&transcript.items, at);
        let mut images = Vec::new();
        for call in reply.tool_calls() {
            let block = calls::block_of(reply, transcript, call);
            // All that was settled about its block by then answers the call.
            let group = block.map(|block| self.pending.of(block.id, until)).unwrap_or_default();
            let text = self.render(&group);
            self.messages.push(calls::answer(reply, call, text));
            images.extend(self.images_of(&group));
        }
        self.push_images(images);
    }

    /// Adds a reply of the model, with the opaque items that its provider wants back.
    fn push_reply(&mut self, reply: &ReplyItem, text: &str) {
        // Opaque items that belong to calls make no sense without the calls.
        let kept = if reply.tool_calls().is_empty() { reply.opaque_items().to_vec() } else { Vec::new() };
        if kept.is_empty() {
            self.push_text(Role::Assistant, text);
        } else {
            self.messages.push(Message { kept, ..Message::new(Role::Assistant, text) });
        }
    }

    /// Adds the results that came before the item with this index.
    fn push_results_before(&mut self, at: usize) {
        let group = self.pending.before(at);
        let text = self.render(&group);
        self.push_text(Role::User, &results::with_heading(text));
        self.push_images(self.images_of(&group));
    }

    /// The text of consecutive results, within the limit for them.
    fn render(&mut self, group: &[&SettledEvent]) -> String {
        let limit = self.limits.of_group(self.composer.transcript, group);
        let (text, shortened) = self.results.capped(group, limit);
        self.shortened += shortened;
        text
    }

    /// The images of these results that are sent.
    fn images_of(&self, group: &[&'a SettledEvent]) -> Vec<ImageRef> {
        let images = images::of(self.composer.transcript, group);
        images.filter(|image| self.chosen_images.contains(image)).cloned().collect()
    }

    fn push_text(&mut self, role: Role, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.messages.last_mut() {
            Some(last) if last.role == role && last.kept.is_empty() && last.tool_calls.is_empty() => {
                last.text.push_str("\n\n");
                last.text.push_str(text);
            }
            _ => self.messages.push(Message::new(role, text)),
        }
    }

    /// Adds images to the last message of the person, or in a message of their own.
    fn push_images(&mut self, images: Vec<ImageRef>) {
        if images.is_empty() {
            return;
        }
        if self.messages.last().is_none_or(|last| last.role != Role::User) {
            self.push_text(Role::User, IMAGES_HEAD);
        }
        if let Some(last) = self.messages.last_mut() {
            last.images.extend(images.into_iter().map(|image| MessageImage { image, data: None }));
        }
    }
}

/// The message where a session was opened again, with the kernels that it had.
fn resumed(kernels: &str) -> String {
    format!(
        "[The session was opened again: {kernels} and the shell are new. Variables, functions, imports and the working \
         folder of earlier blocks are gone.]"
    )
}

/// The message where the person restarted these kernels.
fn restarted(kernels: &str) -> String {
    format!("[The person restarted {kernels}: variables, functions and imports of earlier blocks are gone.]")
}

#[cfg(test)]
mod tests;

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
use super::transcript::{Item, ReplyItem, SettledEvent, SummaryItem, Transcript, task};
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
fn compose(composer: &Composer<'_>, cuts: ResultLimits) -> (Vec<Message>, usize) {
    let Composer { transcript, settings, .. } = composer;
    let mut told = MessageList::default();
    let is_small = transcript.model.as_ref().is_some_and(|name| dialect::is_small(&name.model));
    let system = prompt::in_dialect(&settings.system_prompt, composer.dialect, is_small, &settings.terminals);
    told.push_text(Role::System, &system);
    told.push_text(Role::System, composer.instructions);
    let mut results = Results::new(transcript, settings.output_to_model);
    let mut pending = PendingEvents::new(&transcript.settled);
    let images = composer.chosen_images();
    let mut shortened = 0;
    let summed_up = transcript.summary().map_or(0, |summary| {
        told.push_summary(transcript, summary, &mut results, &mut pending);
        summary.upto
    });
    for (at, item) in transcript.items.iter().enumerate().skip(summed_up) {
        let group = pending.before(at);
        shortened += told.results(&mut results, &group, cuts.cap(transcript, &group), &images, transcript);
        match item {
            Item::Prompt { .. } if never_sent(&transcript.items, at) => {}
            Item::Prompt { text, files, .. } => {
                told.push_text(Role::User, &attachments::message(text, files));
            }
            Item::Reply(reply) if left_out(reply, transcript) => {}
            Item::Reply(reply) if composer.dialect == Dialect::Tools && !reply.tool_calls().is_empty() => {
                told.messages.push(calls::reply(reply));
                let until = next_word(&transcript.items, at);
                for call in reply.tool_calls() {
                    let block = calls::block_of(reply, transcript, call);
                    // All that was settled about its block by then answers the call.
                    let group = block.map(|block| pending.of(block.id, until)).unwrap_or_default();
                    let (text, cut) = results.capped(&group, cuts.cap(transcript, &group));
                    shortened += cut;
                    told.answer(calls::answer(reply, call, text), images::of(transcript, &group), &images);
                }
                let deferred = std::mem::take(&mut told.deferred);
                told.images(deferred.iter());
            }
            Item::Reply(reply) => {
                told.reply(reply, &calls::as_text(reply, transcript, composer.dialect));
                told.push_text(Role::User, &calls::refused(reply));
            }
            Item::Resumed { .. } => told.push_text(Role::User, &results.kernels_gone(resumed)),
            Item::KernelRestarted { .. } => told.push_text(Role::User, &results.kernels_gone(restarted)),
            Item::Recipe { fact, .. } => {
                if let RecipeFact::Said { text, .. } = fact.as_ref() {
                    told.push_text(Role::User, text);
                }
            }
            Item::TurnEnd { .. } | Item::Model { .. } | Item::Own { .. } | Item::Summary(_) => {}
        }
    }
    let group = pending.before(usize::MAX);
    shortened += told.results(&mut results, &group, cuts.cap(transcript, &group), &images, transcript);
    (told.messages, shortened)
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

/// The messages so far; consecutive texts of the same role are joined into one message.
#[derive(Default)]
struct MessageList {
    messages: Vec<Message>,
    /// Images of answers to calls: they are sent after all answers of a reply.
    deferred: Vec<ImageRef>,
}

impl MessageList {
    /// Adds a reply of the model, with the opaque items that its provider wants back.
    fn reply(&mut self, reply: &ReplyItem, text: &str) {
        // Opaque items that belong to calls make no sense without the calls.
        let kept = if reply.tool_calls().is_empty() { reply.opaque_items().to_vec() } else { Vec::new() };
        if kept.is_empty() {
            self.push_text(Role::Assistant, text);
        } else {
            self.messages.push(Message { kept, ..Message::new(Role::Assistant, text) });
        }
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

    /// Adds the summary instead of the items that it replaces. Their effects on the kernel still count, and a turn that
    /// began before the summary's end keeps its prompt.
    fn push_summary(
        &mut self,
        transcript: &Transcript,
        summary: &SummaryItem,
        results: &mut Results<'_>,
        pending: &mut PendingEvents<'_>,
    ) {
        let left_out = transcript.items.get(..summary.upto).unwrap_or_default();
        let mut gone = pending.take_first(summary.settled);
        for (at, item) in left_out.iter().enumerate() {
            results.skip_group(&gone.before(at));
            if matches!(item, Item::Resumed { .. } | Item::KernelRestarted { .. }) {
                results.kernels_gone(restarted);
            }
        }
        results.skip_group(&gone.before(usize::MAX));
        self.push_text(Role::User, SUMMARY_HEAD);
        self.push_text(Role::User, &summary.text);
        if let Some(Item::Prompt { text, files, .. }) = task(left_out).and_then(|at| left_out.get(at)) {
            self.push_text(Role::User, TASK_HEAD);
            self.push_text(Role::User, &attachments::message(text, files));
        }
    }

    /// Adds the results of consecutive settled blocks, shortened to `cap`; returns how many were shortened.
    fn results(
        &mut self,
        results: &mut Results<'_>,
        group: &[&SettledEvent],
        cap: Option<usize>,
        images: &[ImageRef],
        transcript: &Transcript,
    ) -> usize {
        let (text, shortened) = results.capped(group, cap);
        self.push_text(Role::User, &results::with_heading(text));
        self.images(images::of(transcript, group).filter(|image| images.contains(image)));
        shortened
    }

    /// Adds the answer to a call; its images are sent later.
    fn answer<'i>(
        &mut self,
        answer: Message,
        images: impl Iterator<Item = &'i ImageRef>,
        chosen: &[ImageRef],
    ) {
        self.messages.push(answer);
        self.deferred.extend(images.filter(|image| chosen.contains(image)).cloned());
    }

    fn images<'i>(&mut self, images: impl Iterator<Item = &'i ImageRef>) {
        let images: Vec<_> = images.map(|image| MessageImage { image: image.clone(), data: None }).collect();
        if images.is_empty() {
            return;
        }
        if self.messages.last().is_none_or(|last| last.role != Role::User) {
            self.push_text(Role::User, IMAGES_HEAD);
        }
        if let Some(last) = self.messages.last_mut() {
            last.images.extend(images);
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

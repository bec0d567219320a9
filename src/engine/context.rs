//! What the model is told: the transcript as messages, within the budget of its context.
//!
//! Prompts are the person's, replies are the model's exactly as it wrote them, and what came of blocks is told in the
//! person's place, never as if the model had said it. Nothing is told of blocks that were skipped or wait. What is
//! left out to make room stands in `budget`, how long all of it is in `share`.

mod bounded;
mod budget;
mod images;
mod results;
mod share;

pub(super) use bounded::{fenced, text as shortened};
pub use budget::{Composed, Composer};
pub use share::ContextShare;
pub(super) use share::{Meter, OFFER, estimate, kept_free, tokens};

use super::replying::FAILED;
use super::transcript::{Item, ReplyItem, Settled, SummaryItem, Transcript};
use super::{Settings, prompt};
use crate::domain::{Dialect, ImageRef, Message, MessageImage, Role};
use budget::Cuts;
use results::Results;

/// The messages of the next request, oldest first, with nothing left out.
pub fn messages(transcript: &Transcript, settings: &Settings, dialect: Dialect) -> Vec<Message> {
    Composer::new(transcript, settings, dialect).whole().messages
}

/// The messages with these cuts, and how many results are told shorter for them.
fn compose(composer: &Composer<'_>, cuts: Cuts) -> (Vec<Message>, usize) {
    let Composer { transcript, settings, .. } = composer;
    let mut told = Told::default();
    told.say(Role::System, &prompt::in_dialect(&settings.system_prompt, composer.dialect));
    told.say(Role::System, composer.instructions);
    let mut results = Results::new(transcript, settings.output_to_model);
    let mut settled = transcript.settled.as_slice();
    let images = composer.chosen_images();
    let mut shortened = 0;
    let summed_up = transcript.summary().map_or(0, |summary| {
        told.begin(transcript, summary, &mut results, &mut settled);
        summary.upto
    });
    for (at, item) in transcript.items.iter().enumerate().skip(summed_up) {
        let group = before(&mut settled, at);
        shortened += told.results(&mut results, group, cuts.cap(transcript, group), &images, transcript);
        match item {
            Item::Prompt { text, .. } => told.say(Role::User, text),
            Item::Reply(reply) if left_out(reply, transcript) => {}
            Item::Reply(reply) => told.say(Role::Assistant, &reply.text),
            Item::Resumed { .. } => told.say(Role::User, results.kernel_gone(RESUMED)),
            Item::KernelRestarted { .. } => told.say(Role::User, results.kernel_gone(RESTARTED)),
            Item::TurnEnd { .. } | Item::Model { .. } | Item::Own { .. } | Item::Summary(_) => {}
        }
    }
    shortened += told.results(&mut results, settled, cuts.cap(transcript, settled), &images, transcript);
    (told.0, shortened)
}

const RESUMED: &str = "[The session was opened again: the Python kernel and the shell are new. Variables, functions, \
    imports and the working folder of earlier blocks are gone.]";
const RESTARTED: &str = "[The person restarted the Python kernel: variables, functions and imports of earlier blocks \
    are gone.]";
const SUMMARY: &str = "[The conversation until here is left out; this summary of it, written by a model, stands in its \
    place.]";
const TASK: &str = "[What is being worked on, in the person's words:]";
const IMAGES: &str = "[Images that the blocks made.]";

/// Cuts off what was settled when only so many items stood.
fn before<'a>(settled: &mut &'a [Settled], items: usize) -> &'a [Settled] {
    let count = settled.iter().take_while(|s| s.after <= items).count();
    let (now, later) = settled.split_at_checked(count).unwrap_or((settled, &[]));
    *settled = later;
    now
}

/// A reply that broke off because the provider failed stays visible, but the model is asked anew as if it had not
/// begun; unless something came of its blocks.
pub(super) fn left_out(reply: &ReplyItem, transcript: &Transcript) -> bool {
    !reply.finish.reason.complete()
        && reply.finish.word.as_deref() == Some(FAILED)
        && !transcript.settled.iter().any(|settled| reply.blocks.contains(&settled.block))
}

/// Messages so far; what the same side says in a row is one message.
#[derive(Default)]
struct Told(Vec<Message>);

impl Told {
    fn say(&mut self, role: Role, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.0.last_mut() {
            Some(last) if last.role == role => {
                last.text.push_str("\n\n");
                last.text.push_str(text);
            }
            _ => self.0.push(Message::new(role, text)),
        }
    }

    /// The summary in place of what it stands for. What the model believes of the kernel is known nevertheless, and a
    /// turn that began before its end keeps its prompt.
    fn begin(
        &mut self,
        transcript: &Transcript,
        summary: &SummaryItem,
        results: &mut Results<'_>,
        settled: &mut &[Settled],
    ) {
        let left_out = transcript.items.get(..summary.upto).unwrap_or_default();
        let (gone, rest) = settled.split_at_checked(summary.settled).unwrap_or((settled, &[]));
        *settled = rest;
        let mut gone = gone;
        for (at, item) in left_out.iter().enumerate() {
            results.tell(before(&mut gone, at));
            if matches!(item, Item::Resumed { .. } | Item::KernelRestarted { .. }) {
                results.kernel_gone("");
            }
        }
        results.tell(gone);
        self.say(Role::User, SUMMARY);
        self.say(Role::User, &summary.text);
        let last = left_out.iter().rev().find(|i| matches!(i, Item::Prompt { .. } | Item::TurnEnd { .. }));
        if let Some(Item::Prompt { text, .. }) = last {
            self.say(Role::User, TASK);
            self.say(Role::User, text);
        }
    }

    /// What was settled in a row, told with this cap; returns how many results are shorter for it.
    fn results(
        &mut self,
        results: &mut Results<'_>,
        group: &[Settled],
        cap: Option<usize>,
        images: &[ImageRef],
        transcript: &Transcript,
    ) -> usize {
        let mut shortened = 0;
        if cap.is_some() {
            let (mut whole, mut cut) = (results.clone(), results.clone());
            cut.limit(cap);
            let differ = |one| whole.tell(std::slice::from_ref(one)) != cut.tell(std::slice::from_ref(one));
            shortened = group.iter().map(differ).filter(|differ| *differ).count();
        }
        results.limit(cap);
        let text = results.tell(group);
        results.limit(None);
        self.say(Role::User, &text);
        self.images(images::of(transcript, group).filter(|image| images.contains(image)));
        shortened
    }

    fn images<'i>(&mut self, images: impl Iterator<Item = &'i ImageRef>) {
        let images: Vec<_> = images.map(|image| MessageImage { image: image.clone(), data: None }).collect();
        if images.is_empty() {
            return;
        }
        if self.0.last().is_none_or(|last| last.role != Role::User) {
            self.say(Role::User, IMAGES);
        }
        if let Some(last) = self.0.last_mut() {
            last.images.extend(images);
        }
    }
}

#[cfg(test)]
mod tests;

//! What the model is told: the transcript as messages.
//!
//! Prompts are the person's, replies are the model's exactly as it wrote them, and what came of blocks is told in the
//! person's place, never as if the model had said it. Nothing is told of blocks that were skipped or wait.

mod bounded;
mod results;

use super::replying::FAILED;
use super::transcript::{Item, ReplyItem, Settled, Transcript};
use super::{Settings, prompt};
use crate::domain::{Dialect, Message, Role};
use results::Results;

/// The messages of the next request, oldest first.
pub fn messages(transcript: &Transcript, settings: &Settings, dialect: Dialect) -> Vec<Message> {
    let mut told = Told::default();
    told.say(Role::System, &prompt::in_dialect(&settings.system_prompt, dialect));
    let mut results = Results::new(transcript, settings.output_to_model);
    let mut settled = transcript.settled.as_slice();
    for (at, item) in transcript.items.iter().enumerate() {
        told.say(Role::User, &results.tell(before(&mut settled, at)));
        match item {
            Item::Prompt { text, .. } => told.say(Role::User, text),
            Item::Reply(reply) if left_out(reply, transcript) => {}
            Item::Reply(reply) => told.say(Role::Assistant, &reply.text),
            Item::Resumed { .. } => told.say(Role::User, results.kernel_gone(RESUMED)),
            Item::KernelRestarted { .. } => told.say(Role::User, results.kernel_gone(RESTARTED)),
            Item::TurnEnd { .. } | Item::Model { .. } | Item::Own { .. } => {}
        }
    }
    told.say(Role::User, &results.tell(settled));
    told.0
}

const RESUMED: &str = "[The session was opened again: the Python kernel and the shell are new. Variables, functions, \
    imports and the working folder of earlier blocks are gone.]";
const RESTARTED: &str = "[The person restarted the Python kernel: variables, functions and imports of earlier blocks \
    are gone.]";

/// Cuts off what was settled when only so many items stood.
fn before<'a>(settled: &mut &'a [Settled], items: usize) -> &'a [Settled] {
    let count = settled.iter().take_while(|s| s.after <= items).count();
    let (now, later) = settled.split_at_checked(count).unwrap_or((settled, &[]));
    *settled = later;
    now
}

/// A reply that broke off because the provider failed stays visible, but the model is asked anew as if it had not
/// begun; unless something came of its blocks.
fn left_out(reply: &ReplyItem, transcript: &Transcript) -> bool {
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
}

#[cfg(test)]
mod tests;

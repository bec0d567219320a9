//! What the model is told: the transcript as messages.
//!
//! Prompts are the person's, replies are the model's exactly as it wrote them, and what came of blocks is told in the
//! person's place, never as if the model had said it; in the dialect of tools each call has its own answer (`calls`).
//! Nothing is told of blocks that were skipped or wait.

mod bounded;
mod calls;
mod results;

use super::replying::FAILED;
use super::transcript::{Item, ReplyItem, Settled, Transcript};
use super::{Settings, prompt};
use crate::domain::{BlockId, Dialect, Message, Role};
use results::Results;

/// The messages of the next request, oldest first, as this dialect wants them.
pub fn messages(transcript: &Transcript, settings: &Settings, dialect: Dialect) -> Vec<Message> {
    let mut told = Told::default();
    told.say(Role::System, &prompt::in_dialect(&settings.system_prompt, dialect));
    let mut results = Results::new(transcript, settings.output_to_model);
    let mut pending = Pending::new(&transcript.settled);
    for (at, item) in transcript.items.iter().enumerate() {
        told.say(Role::User, &results.tell(pending.before(at)));
        match item {
            Item::Prompt { text, .. } => told.say(Role::User, text),
            Item::Reply(reply) if left_out(reply, transcript) => {}
            Item::Reply(reply) if dialect == Dialect::Tools && !reply.tool_calls.is_empty() => {
                let until = next_word(&transcript.items, at);
                told.0.push(calls::reply(reply));
                told.0.extend(calls::answers(reply, transcript, &mut results, &mut pending, until));
            }
            Item::Reply(reply) => {
                told.reply(reply, &calls::as_text(reply, transcript, dialect));
                told.say(Role::User, &calls::refused(reply));
            }
            Item::Resumed { .. } => told.say(Role::User, results.kernel_gone(RESUMED)),
            Item::KernelRestarted { .. } => told.say(Role::User, results.kernel_gone(RESTARTED)),
            Item::TurnEnd { .. } | Item::Model { .. } => {}
        }
    }
    told.say(Role::User, &results.tell(pending.before(usize::MAX)));
    told.0
}

/// How many items stand before the next word of the person or the model behind `at`: what is settled by then answers
/// the calls of that reply.
fn next_word(items: &[Item], at: usize) -> usize {
    let behind = items.get(at + 1..).unwrap_or_default();
    let next = behind.iter().position(|item| matches!(item, Item::Prompt { .. } | Item::Reply(_)));
    next.map_or(usize::MAX, |next| at + 1 + next)
}

const RESUMED: &str = "[The session was opened again: the Python kernel and the shell are new. Variables, functions, \
    imports and the working folder of earlier blocks are gone.]";
const RESTARTED: &str = "[The person restarted the Python kernel: variables, functions and imports of earlier blocks \
    are gone.]";

/// What was settled and is not told yet.
struct Pending<'a>(Vec<&'a Settled>);

impl<'a> Pending<'a> {
    fn new(settled: &'a [Settled]) -> Self {
        // The oldest is at the end, where it is taken from.
        Self(settled.iter().rev().collect())
    }

    /// Takes what was settled when only so many items stood.
    fn before(&mut self, items: usize) -> Vec<&'a Settled> {
        let count = self.0.iter().rev().take_while(|s| s.after <= items).count();
        let mut taken = self.0.split_off(self.0.len() - count);
        taken.reverse();
        taken
    }

    /// Takes what was settled of one block when only so many items stood.
    fn of(&mut self, block: BlockId, items: usize) -> Vec<&'a Settled> {
        let mut taken = Vec::new();
        // Only the newest few are looked at: what was settled before was told before.
        let within = self.0.iter().rev().take_while(|s| s.after <= items).count();
        let from = self.0.len() - within;
        let tail = self.0.split_off(from);
        for settled in tail {
            if settled.block == block { taken.push(settled) } else { self.0.push(settled) }
        }
        taken.reverse();
        taken
    }
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
    /// What the model said, with what its provider wants back.
    fn reply(&mut self, reply: &ReplyItem, text: &str) {
        // What was kept beside calls makes no sense without them.
        let kept = if reply.tool_calls.is_empty() { reply.kept.clone() } else { Vec::new() };
        if kept.is_empty() {
            self.say(Role::Assistant, text);
        } else {
            self.0.push(Message { kept, ..Message::new(Role::Assistant, text) });
        }
    }

    fn say(&mut self, role: Role, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.0.last_mut() {
            Some(last) if last.role == role && last.kept.is_empty() && last.tool_calls.is_empty() => {
                last.text.push_str("\n\n");
                last.text.push_str(text);
            }
            _ => self.0.push(Message::new(role, text)),
        }
    }
}

#[cfg(test)]
mod tests;

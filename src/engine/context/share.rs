//! How long a conversation is, in tokens, and how much of the model's context that takes.
//!
//! Only providers can count tokens. Between their counts, and where they tell none, the length is estimated; the last
//! count corrects the estimate.

use super::count::tokens;
use crate::domain::{Message, ModelInfo, ModelName, Usage};
use crate::engine::transcript::{Item, Transcript};
use std::collections::BTreeMap;
use std::ops::Range;

/// How much of the model's context the next request takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct ContextShare {
    /// Tokens of the conversation as it would be sent now.
    pub(crate) used: u64,
    /// Tokens that a conversation may have, its reply included. `None`: not known, and
    /// [`MAX_TOKENS_OF_UNKNOWN`](crate::engine::MAX_TOKENS_OF_UNKNOWN) are assumed.
    pub(crate) of: Option<u64>,
    /// Whether `used` is an estimate in whole or in part; else it is as the provider counted.
    pub(crate) estimated: bool,
    /// Whether `used` is what prompts and replies alone come to, because that is too much already.
    pub(crate) at_least: bool,
    /// How many results are told shorter than usual, because the conversation is long.
    pub(crate) shortened: usize,
    /// How many items of the conversation a summary stands for.
    pub(crate) summarised_upto: usize,
}

impl ContextShare {
    /// What stands in front of `used`: `at least `, `about `, or nothing.
    pub(crate) fn about(&self) -> &'static str {
        match (self.at_least, self.estimated) {
            (true, _) => "at least ",
            (false, true) => "about ",
            (false, false) => "",
        }
    }

    /// The share in whole percent; `None` where the size of the context is not known. May be above 100.
    pub(crate) fn percent(&self) -> Option<u64> {
        self.of.filter(|of| *of > 0).map(|of| self.used.saturating_mul(100) / of)
    }
}

/// The share from which on a summary is offered, in percent.
pub(in crate::engine) const OFFER: u64 = 80;
/// Tokens that are kept free for the reply, where the context is large enough.
const REPLY_TOKENS: u64 = 4_096;

/// Tokens of a context that are kept free for the reply.
pub(in crate::engine) fn kept_free(of: u64, model: Option<&ModelInfo>) -> u64 {
    let longest = model.and_then(|model| model.output).unwrap_or(REPLY_TOKENS);
    longest.min(REPLY_TOKENS).min(of / 8)
}

/// About how many tokens a conversation has.
pub(in crate::engine) fn estimate(messages: &[Message]) -> u64 {
    messages.iter().map(of_message).sum()
}

fn of_message(message: &Message) -> u64 {
    let calls = message.tool_calls.iter().map(|call| tokens(&call.name) + tokens(&call.arguments) + 8);
    let images = message.images.iter().map(|image| {
        let pixels = u64::from(image.image.width).saturating_mul(u64::from(image.image.height));
        (pixels / 750).clamp(85, 1_600)
    });
    // Each message costs some tokens around its text.
    4 + tokens(&message.text)
        + calls.chain(images).sum::<u64>()
        + message.kept.iter().map(|kept| tokens(&kept.json)).sum::<u64>()
}

/// What prompts and replies of a conversation say at the least, in tokens, counted once for each.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct ToldCount {
    /// From which item on it was counted, up to which one, and what that came to.
    from: usize,
    upto: usize,
    tokens: u64,
    /// And the prompts to which they are answers.
    prompts: u64,
}

impl ToldCount {
    /// What it came to when it was counted last, where that is too much for `room`: the replies alone are, or all of it by
    /// far. What is near to it is put together, so that it is known how long it is.
    pub(in crate::engine) fn excess(&self, room: u64) -> Option<u64> {
        let all = self.tokens.saturating_add(self.prompts);
        (self.tokens > room || all > room.saturating_mul(2)).then_some(all)
    }

    /// Counts what came since. Replies that broke off may be left out when all is told: they do not count. Nor do prompts
    /// until something was said to them.
    pub(in crate::engine) fn count(&mut self, transcript: &Transcript) -> u64 {
        let from = transcript.summary().map_or(0, |summary| summary.upto);
        if from != self.from || transcript.items.len() < self.upto {
            *self = Self { from, upto: from, ..Self::default() };
        }
        for at in self.upto..transcript.items.len() {
            let Some(Item::Reply(reply)) = transcript.items.get(at) else { continue };
            self.tokens += if reply.finish.reason.complete() { reply.tokens() } else { 0 };
            self.prompts += answered(transcript, from..at).map_or(0, |prompt| transcript.tokens_of(prompt));
        }
        self.upto = transcript.items.len();
        self.tokens
    }
}

/// The prompt to which what stands behind these items is the first answer.
fn answered(transcript: &Transcript, items: Range<usize>) -> Option<usize> {
    let said = |at: &usize| {
        let item = transcript.items.get(*at);
        matches!(
            item,
            Some(Item::Prompt { .. } | Item::Reply(_) | Item::TurnEnd { .. } | Item::Recipe { .. })
        )
    };
    let last = items.rev().find(said)?;
    matches!(transcript.items.get(last), Some(Item::Prompt { .. })).then_some(last)
}

/// What is known about counting: what providers told, and what was told to the person.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct Meter {
    /// The newest count: of a conversation with this estimate, this many tokens.
    counted: Option<(u64, u64)>,
    /// Whether a summary has been offered since the share was below the mark.
    pub(in crate::engine) offered: bool,
    /// How many items and settlements there were when the length was found last: nothing else is told.
    pub(in crate::engine) composed: Option<(usize, usize)>,
    /// The version of the transcript of which the cost was added up last.
    pub(in crate::engine) added: Option<u64>,
    /// What prompts and replies say at the least.
    pub(in crate::engine) told: ToldCount,
    /// What was told of models.
    pub(in crate::engine) infos: BTreeMap<ModelName, ModelInfo>,
    /// The model whose unknown price was told of.
    pub(in crate::engine) priceless: Option<ModelName>,
}

impl Meter {
    /// A provider counted a conversation, its newest reply included, which is estimated at so many tokens.
    pub(in crate::engine) fn count(&mut self, estimate: u64, usage: &Usage, reply_is_told: bool) {
        let Some(input) = usage.input else { return };
        // Reasoning is not sent back.
        let reply = usage.output.unwrap_or(0).saturating_sub(usage.reasoning.unwrap_or(0));
        let counted = if reply_is_told { input.saturating_add(reply) } else { input };
        // Some servers tell only what they had not read before: such a count says nothing about the length.
        let credible = counted >= estimate / 3 && counted <= estimate.saturating_mul(6);
        if usage.output.is_some() && credible && estimate > 0 {
            self.counted = Some((estimate, counted));
        }
    }

    /// What was found out has to be found out again.
    pub(in crate::engine) fn mark_stale(&mut self) {
        (self.composed, self.added) = (None, None);
    }

    /// Another model counts otherwise.
    pub(in crate::engine) fn forget(&mut self) {
        self.counted = None;
    }

    /// Tokens of a conversation with this estimate, and whether that is an estimate still.
    pub(in crate::engine) fn used_tokens(&self, estimate: u64) -> (u64, bool) {
        match self.counted {
            Some((base, counted)) => (scale(estimate, counted, base), base != estimate),
            None => (estimate, true),
        }
    }

    /// Up to which estimate a conversation has this many tokens.
    pub(in crate::engine) fn estimate_for(&self, tokens: u64) -> u64 {
        match self.counted {
            Some((base, counted)) => scale(tokens, base, counted),
            None => tokens,
        }
    }
}

/// `value * up / down`, without overflow.
fn scale(value: u64, up: u64, down: u64) -> u64 {
    let scaled = u128::from(value) * u128::from(up) / u128::from(down.max(1));
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{FinishReason, Role};
    use crate::engine::Command;
    use crate::engine::dialogue::Dialogue;

    #[test]
    fn a_count_corrects_the_estimate() {
        let mut meter = Meter::default();
        assert_eq!(meter.used_tokens(1_000), (1_000, true));
        let usage = Usage { input: Some(1_100), output: Some(150), reasoning: Some(50), ..Usage::default() };
        meter.count(1_000, &usage, true);
        assert_eq!(meter.used_tokens(1_000), (1_200, false), "as it was counted");
        assert_eq!(meter.used_tokens(2_000), (2_400, true));
        assert_eq!(meter.estimate_for(2_400), 2_000);
        meter.count(1_000, &Usage { input: Some(1_100), output: Some(9), ..Usage::default() }, false);
        assert_eq!(meter.used_tokens(1_000), (1_100, false), "a reply that is not told again does not count");
    }

    #[test]
    fn a_count_that_can_not_be_is_not_believed() {
        for usage in [
            Usage { input: Some(12), output: Some(5), ..Usage::default() },
            Usage { input: Some(u64::MAX), output: Some(u64::MAX), ..Usage::default() },
            Usage { input: None, output: Some(900), ..Usage::default() },
        ] {
            let mut meter = Meter::default();
            meter.count(1_000, &usage, true);
            assert_eq!(meter.used_tokens(1_000), (1_000, true), "{usage:?}");
        }
    }

    #[test]
    fn letters_outside_of_ascii_cost_more() {
        assert_eq!((tokens("abcdefgh"), tokens("日本語"), tokens("")), (2, 3, 0));
        assert_eq!(estimate(&[Message::new(Role::User, "abcdefgh")]), 6);
    }

    #[test]
    fn room_for_a_reply_is_kept_in_small_contexts_too() {
        assert_eq!((kept_free(200_000, None), kept_free(4_096, None), kept_free(0, None)), (4_096, 512, 0));
    }

    #[test]
    fn what_a_summary_stands_for_counts_no_more() {
        let mut d = Dialogue::new();
        d.user("first");
        d.reply(&"word ".repeat(60_000));
        d.user("second");
        d.reply(&"word ".repeat(60_000));
        let mut told = ToldCount::default();
        let before = told.count(&d.state().transcript);
        assert_eq!(before, told.count(&d.state().transcript), "each reply is counted once");
        d.command(Command::Compact);
        d.delta("A summary.");
        d.finish(FinishReason::Stop);
        let after = told.count(&d.state().transcript);
        assert!(after < before, "{after} of {before}");
        assert_eq!(after, ToldCount::default().count(&d.state().transcript));
    }
}

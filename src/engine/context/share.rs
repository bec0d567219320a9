//! Measures how many tokens a conversation has, and how much of the model's context that takes.
//!
//! Only providers can count tokens. Between their counts, and where they report none, the length is estimated; the last
//! count corrects the estimate.

use super::count::tokens;
use crate::domain::{Message, ModelInfo, ModelName, Usage};
use crate::engine::transcript::{Item, Transcript};
use std::collections::BTreeMap;
use std::ops::Range;

/// How much of the model's context the next request takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct ContextShare {
    /// The tokens of the conversation as it would be sent now.
    pub(crate) used: u64,
    /// How many tokens a conversation may have, its reply included. `None`: not known, and
    /// [`MAX_TOKENS_OF_UNKNOWN`](crate::engine::MAX_TOKENS_OF_UNKNOWN) are assumed.
    pub(crate) of: Option<u64>,
    /// Whether `used` is at least partly an estimate; otherwise the provider counted it.
    pub(crate) estimated: bool,
    /// Whether `used` is only the length of prompts and replies, because these alone are too long.
    pub(crate) at_least: bool,
    /// How many results are shortened because the conversation is long.
    pub(crate) shortened: usize,
    /// How many items of the conversation a summary replaces.
    pub(crate) summarised_upto: usize,
}

impl ContextShare {
    /// The words before `used`: `at least `, `about `, or none.
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

/// The share, in percent, from which on a summary is offered.
pub(in crate::engine) const OFFER: u64 = 80;
/// The tokens kept free for the reply, if the context is large enough.
const REPLY_TOKENS: u64 = 4_096;

/// How many tokens of a context are kept free for the reply.
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
    // Each message costs a few tokens besides its text.
    4 + tokens(&message.text)
        + calls.chain(images).sum::<u64>()
        + message.kept.iter().map(|kept| tokens(&kept.json)).sum::<u64>()
}

/// The least number of tokens that prompts and replies of a conversation need; each is counted once.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct MinimumLength {
    /// The index of the first item that was counted.
    from: usize,
    /// The index of the first item that was not counted yet.
    upto: usize,
    /// The tokens of the replies between.
    replies: u64,
    /// The tokens of the prompts that these replies answer.
    prompts: u64,
}

impl MinimumLength {
    /// The count, if it is too much for `room`: the replies alone exceed it, or everything exceeds it by far. A
    /// conversation nearer to the limit is composed, which gives its real length.
    pub(in crate::engine) fn excess(&self, room: u64) -> Option<u64> {
        let all = self.replies.saturating_add(self.prompts);
        (self.replies > room || all > room.saturating_mul(2)).then_some(all)
    }

    /// Counts the items added since the last call. Replies that broke off don't count, as they may be left out of
    /// requests; prompts don't count until something answered them.
    pub(in crate::engine) fn count(&mut self, transcript: &Transcript) -> u64 {
        let from = transcript.summary().map_or(0, |summary| summary.upto);
        if from != self.from || transcript.items.len() < self.upto {
            *self = Self { from, upto: from, ..Self::default() };
        }
        for at in self.upto..transcript.items.len() {
            let Some(Item::Reply(reply)) = transcript.items.get(at) else { continue };
            self.replies += if reply.finish.reason.complete() { reply.tokens() } else { 0 };
            self.prompts += answered(transcript, from..at).map_or(0, |prompt| transcript.tokens_of(prompt));
        }
        self.upto = transcript.items.len();
        self.replies
    }
}

/// The prompt that is first answered after these items.
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

/// What is known about token counts, and which notices the person has seen.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct Meter {
    /// The newest count of a provider: the estimate of that conversation, and its tokens.
    counted: Option<(u64, u64)>,
    /// Whether a summary has been offered since the share was last below the mark.
    pub(in crate::engine) offered: bool,
    /// The number of items and settled blocks when the length was last measured: nothing else changes it.
    pub(in crate::engine) measured_size: Option<(usize, usize)>,
    /// The version of the transcript when the cost was last summed up.
    pub(in crate::engine) costed_version: Option<u64>,
    /// The least length of prompts and replies.
    pub(in crate::engine) minimum: MinimumLength,
    /// What providers reported of models.
    pub(in crate::engine) infos: BTreeMap<ModelName, ModelInfo>,
    /// The model about which its provider is being asked.
    pub(in crate::engine) asked: Option<ModelName>,
    /// The model for which the person was warned that its price is unknown.
    pub(in crate::engine) warned_price_of: Option<ModelName>,
}

impl Meter {
    /// Takes a provider's count of a conversation, its newest reply included; `estimate` is our own estimate of it.
    pub(in crate::engine) fn count(&mut self, estimate: u64, usage: &Usage, reply_is_told: bool) {
        let Some(input) = usage.input else { return };
        // Reasoning is not sent back.
        let reply = usage.output.unwrap_or(0).saturating_sub(usage.reasoning.unwrap_or(0));
        let counted = if reply_is_told { input.saturating_add(reply) } else { input };
        // Some servers report only tokens that were not cached: such a count says nothing about the length.
        let credible = counted >= estimate / 3 && counted <= estimate.saturating_mul(6);
        if usage.output.is_some() && credible && estimate > 0 {
            self.counted = Some((estimate, counted));
        }
    }

    /// Forces length and cost to be computed again.
    pub(in crate::engine) fn mark_stale(&mut self) {
        (self.measured_size, self.costed_version) = (None, None);
    }

    /// Forgets the count: another model counts differently.
    pub(in crate::engine) fn forget(&mut self) {
        self.counted = None;
    }

    /// The tokens of a conversation with this estimate, and whether they are still an estimate.
    pub(in crate::engine) fn used_tokens(&self, estimate: u64) -> (u64, bool) {
        match self.counted {
            Some((base, counted)) => (scale(estimate, counted, base), base != estimate),
            None => (estimate, true),
        }
    }

    /// The largest estimate of a conversation that has at most this many tokens.
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
        let mut d = Dialogue::after_prompt("first");
        d.reply(&"word ".repeat(60_000));
        d.user("second");
        d.reply(&"word ".repeat(60_000));
        let mut told = MinimumLength::default();
        let before = told.count(&d.state().transcript);
        assert_eq!(before, told.count(&d.state().transcript), "each reply is counted once");
        d.command(Command::Compact);
        d.delta("A summary.");
        d.finish(FinishReason::Stop);
        let after = told.count(&d.state().transcript);
        assert!(after < before, "{after} of {before}");
        assert_eq!(after, MinimumLength::default().count(&d.state().transcript));
    }
}

//! The iteration log: every turn of a session, step by step, with its blocks, decisions, outcomes, times and tokens.
//!
//! It is derived from the transcript, so it is the same after a resume. It decides nothing and has no wording of its
//! own: `/steps` and `run --json` format it.

use super::BlockState;
use super::transcript::{BlockItem, BlockStatus, Item, ReplyItem, RunItem, Transcript};
use crate::domain::word::words;
use crate::domain::{BlockId, Grantor, RecipeEnd, RecipeFact, RoundOutcome, StepId, Timestamp, TurnEnd};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TurnLog<'a> {
    /// The number of the turn in the session, from 1.
    pub(crate) number: u32,
    /// When the prompt was sent.
    pub(crate) at: Timestamp,
    /// The person's prompt.
    pub(crate) prompt: &'a str,
    /// Whether a part of the prompt is only in the session file.
    pub(crate) is_part: bool,
    /// The name of its recipe.
    pub(crate) recipe: Option<&'a str>,
    /// Its steps, in their order.
    pub(crate) steps: Vec<ModelStep<'a>>,
    pub(crate) recipe_end: Option<RecipeEnd>,
    /// How it ended; `None`: it goes on.
    pub(crate) end: Option<&'a TurnEnd>,
}

/// One step: a reply and what became of its blocks; or sayso's own blocks that came before any reply.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ModelStep<'a> {
    /// The number of the step in its turn, from 1.
    pub(crate) number: u32,
    /// The round of the recipe that it belongs to.
    pub(crate) round: Option<Round<'a>>,
    /// The reply; `None` where only sayso proposed something.
    pub(crate) reply: Option<&'a ReplyItem>,
    /// When it began: when the model was asked, as nearly as that is known; without a reply, when its first block was
    /// proposed.
    pub(crate) began: Timestamp,
    /// What its reply cost, in billionths of a US dollar; `None`: not known.
    pub(crate) cost: Option<u64>,
    /// Its blocks, in their order, including those that a recipe proposed after it.
    pub(crate) blocks: Vec<StepBlock<'a>>,
    /// How the recipe judged its round.
    pub(crate) judged: Option<&'a RoundOutcome>,
}

/// A round of a step of a recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Round<'a> {
    pub(crate) step: &'a str,
    /// Its title, for the person.
    pub(crate) title: &'a str,
    /// The number of the round, from 1.
    pub(crate) round: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StepBlock<'a> {
    /// The block with everything that was decided and done about it.
    pub(crate) item: &'a BlockItem,
}

/// What was decided about a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum LastDecision<'a> {
    Open,
    /// It was approved; who granted it.
    Approved(Grantor),
    /// The person rejected it with these words.
    Rejected(&'a str),
    /// The recipe did not offer it; the reason.
    Declined(&'a str),
    /// The person skipped it.
    Skipped,
}

words!(LastDecision<'_>);

impl<'a> StepBlock<'a> {
    pub(crate) fn id(self) -> BlockId {
        self.item.block.id
    }

    /// What the block is for, if sayso proposed it.
    pub(crate) fn note(self) -> Option<&'a str> {
        self.item.block.origin.note.as_deref().filter(|_| self.item.block.is_own())
    }

    /// The last decision about the block.
    pub(crate) fn decided(self) -> LastDecision<'a> {
        match &self.item.status {
            BlockStatus::Open => LastDecision::Open,
            BlockStatus::Approved => match self.item.runs.last() {
                Some(run) => LastDecision::Approved(run.by),
                None => LastDecision::Open,
            },
            BlockStatus::Rejected(reason) => LastDecision::Rejected(reason),
            BlockStatus::Declined(why) => LastDecision::Declined(why),
            BlockStatus::Skipped => LastDecision::Skipped,
        }
    }

    /// Its runs, each with how it ended and how long it took, in milliseconds (`None`: it goes on, or is lost).
    pub(crate) fn runs(
        self,
    ) -> impl DoubleEndedIterator<Item = (&'a RunItem, BlockState, Option<u64>)> + use<'a> {
        self.item.runs.iter().map(|run| {
            let took = run.ended.as_ref().map(|(_, report)| report.receipt.wall_us / 1000);
            (run, BlockState::of_run(run), took)
        })
    }

    /// The time of the last thing that happened to it, no later than `before`.
    fn last_moment(self, before: Timestamp) -> Option<Timestamp> {
        let runs = self.item.runs.iter();
        let ends =
            runs.flat_map(|run| [Some(run.approved_at), run.ended.as_ref().map(|(at, _)| *at)]).flatten();
        ends.chain(self.item.settled_at).filter(|at| *at <= before).max()
    }
}

impl ModelStep<'_> {
    /// Milliseconds from the request to the end of the reply, including retries and the waits before them.
    pub(crate) fn reply_ms(&self) -> Option<u64> {
        self.reply.map(|reply| reply.at.since(self.began))
    }

    /// Milliseconds that all runs of its blocks took together.
    pub(crate) fn run_ms(&self) -> u64 {
        self.blocks.iter().flat_map(|block| block.runs()).filter_map(|(_, _, took)| took).sum()
    }
}

/// The sums over a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct TurnTotals {
    /// Tokens of requests, as far as reported.
    pub(crate) input: u64,
    /// Tokens of replies, as far as reported.
    pub(crate) output: u64,
    /// Billionths of a US dollar, as far as known.
    pub(crate) cost: u64,
    /// Replies whose cost is not known.
    pub(crate) unknown: u32,
    pub(crate) runs: u32,
    /// Milliseconds that the runs took.
    pub(crate) run_ms: u64,
}

impl TurnLog<'_> {
    /// The sums over all its steps.
    pub(crate) fn sum(&self) -> TurnTotals {
        let mut sum = TurnTotals::default();
        for step in &self.steps {
            if let Some(reply) = step.reply {
                sum.input = sum.input.saturating_add(reply.usage.input.unwrap_or(0));
                sum.output = sum.output.saturating_add(reply.usage.output.unwrap_or(0));
                match step.cost {
                    Some(cost) => sum.cost = sum.cost.saturating_add(cost),
                    None => sum.unknown = sum.unknown.saturating_add(1),
                }
            }
            let runs = step.blocks.iter().map(|block| block.item.runs.len()).sum::<usize>();
            sum.runs = sum.runs.saturating_add(u32::try_from(runs).unwrap_or(u32::MAX));
            sum.run_ms = sum.run_ms.saturating_add(step.run_ms());
        }
        sum
    }
}

/// Every turn of a session with its steps, the oldest first. `costs`: the cost of each step's reply, if known
/// ([`super::cost::Cost::of_steps`]).
pub(crate) fn turns<'a>(transcript: &'a Transcript, costs: &BTreeMap<StepId, u64>) -> Vec<TurnLog<'a>> {
    let mut log =
        LogBuilder { transcript, costs, turns: Vec::new(), round: None, fresh: false, last: Timestamp(0) };
    for (place, item) in transcript.items.iter().enumerate() {
        log.take(place, item);
    }
    log.turns
}

/// The log while it is being built.
struct LogBuilder<'a, 'c> {
    transcript: &'a Transcript,
    costs: &'c BTreeMap<StepId, u64>,
    turns: Vec<TurnLog<'a>>,
    /// The current round of the recipe.
    round: Option<Round<'a>>,
    /// Whether the round has begun and has no step yet.
    fresh: bool,
    /// The time of the last event after which a request may have been sent.
    last: Timestamp,
}

impl<'a> LogBuilder<'a, '_> {
    fn take(&mut self, place: usize, item: &'a Item) {
        match item {
            Item::Prompt { at, text, .. } => {
                let number = u32::try_from(self.turns.len()).unwrap_or(u32::MAX).saturating_add(1);
                self.turns.push(TurnLog {
                    number,
                    at: *at,
                    prompt: text,
                    is_part: self.transcript.message_away(place).is_some(),
                    recipe: None,
                    steps: Vec::new(),
                    recipe_end: None,
                    end: None,
                });
                (self.round, self.fresh, self.last) = (None, false, *at);
            }
            Item::Reply(reply) => self.reply(reply),
            Item::Own { at, block } => self.own(*at, *block),
            Item::Recipe { at, fact } => self.recipe(*at, fact),
            Item::TurnEnd { end, .. } => {
                if let Some(turn) = self.turns.last_mut() {
                    turn.end = Some(end);
                }
                (self.round, self.fresh) = (None, false);
            }
            Item::Resumed { at } | Item::KernelRestarted { at } | Item::Model { at, .. } => {
                self.last = self.last.max(*at);
            }
            Item::Summary(summary) => self.last = self.last.max(summary.at),
        }
    }

    fn recipe(&mut self, at: Timestamp, fact: &'a RecipeFact) {
        self.last = self.last.max(at);
        let Some(turn) = self.turns.last_mut() else { return };
        match fact {
            RecipeFact::Began(start) => turn.recipe = Some(&start.name),
            RecipeFact::Said { step, title, round, .. } => {
                self.round = Some(Round { step, title, round: *round });
                self.fresh = true;
            }
            RecipeFact::Judged(outcome) => {
                if let Some(step) = turn.steps.last_mut() {
                    step.judged = Some(outcome);
                }
            }
            RecipeFact::Answered { .. } => {}
            RecipeFact::Ended { end, .. } => {
                turn.recipe_end = Some(*end);
                (self.round, self.fresh) = (None, false);
            }
        }
    }

    fn reply(&mut self, reply: &'a ReplyItem) {
        let last = self.last;
        let began = self.turns.last().and_then(|turn| turn.steps.last()).map_or(last, |step| {
            let settled = step.blocks.iter().filter_map(|block| block.last_moment(reply.at)).max();
            settled.map_or(last, |at| at.max(last))
        });
        let items = reply.blocks.iter().filter_map(|id| self.transcript.blocks.get(id));
        let blocks = items.map(|item| StepBlock { item }).collect();
        let cost = self.costs.get(&reply.step).copied();
        self.push_step(Some(reply), began.min(reply.at), cost, blocks);
        self.last = reply.at;
    }

    /// Adds a block of sayso's own to the step before it, unless it is the first of a round.
    fn own(&mut self, at: Timestamp, block: BlockId) {
        let Some(item) = self.transcript.blocks.get(&block) else { return };
        let block = StepBlock { item };
        match self.turns.last_mut().filter(|_| !self.fresh).and_then(|turn| turn.steps.last_mut()) {
            Some(step) => step.blocks.push(block),
            None => self.push_step(None, at, None, vec![block]),
        }
        self.last = self.last.max(at);
    }

    fn push_step(
        &mut self,
        reply: Option<&'a ReplyItem>,
        began: Timestamp,
        cost: Option<u64>,
        blocks: Vec<StepBlock<'a>>,
    ) {
        self.fresh = false;
        // Steps before the first prompt belong to no turn: functions loaded at the start.
        let Some(turn) = self.turns.last_mut() else { return };
        let number = u32::try_from(turn.steps.len()).unwrap_or(u32::MAX).saturating_add(1);
        turn.steps.push(ModelStep { number, round: self.round, reply, began, cost, blocks, judged: None });
    }
}

#[cfg(test)]
mod tests;

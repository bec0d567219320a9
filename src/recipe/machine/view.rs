//! What a check sees of its round: replies, blocks and what became of them, answers, files.

use super::super::definition::{Definition, Step};
use super::path::{Path, Round};
use super::written;
use crate::domain::{Answers, BlockKind, RecipeFact, RunReport};
use crate::engine::Course;
use crate::engine::transcript::{BlockItem, Item, ReplyItem, RunItem, Standing};

/// One round, seen from its check.
#[derive(Clone, Debug)]
pub(crate) struct View<'a> {
    pub(crate) course: Course<'a>,
    pub(crate) definition: &'a Definition,
    pub(crate) step: &'a Step,
    /// Which round of the step, from 1.
    pub(crate) round: u32,
    /// The place of the item with which the round began; `None`: nothing can have come of it yet.
    pub(super) from: Option<usize>,
    /// The place of the item with which the next one began.
    until: Option<usize>,
    /// The rounds until now: step, first place, first place of the next.
    spans: Vec<(usize, usize, usize)>,
}

/// What became of the newest block of the recipe's own in a round.
#[derive(Clone, Debug)]
pub(crate) enum OwnRun<'a> {
    /// It was not proposed yet.
    None,
    /// It was proposed and did not run: skipped, or rejected with these words.
    Refused(&'a str),
    /// It ran and ended.
    Ran(&'a BlockItem, &'a RunReport),
}

impl<'a> View<'a> {
    pub(super) fn new(path: &Path<'a>, round: &Round, until: Option<usize>) -> Self {
        let next = |at: usize| path.rounds.get(at + 1).and_then(|next| next.from).unwrap_or(usize::MAX);
        let spans = path.rounds.iter().enumerate();
        let spans = spans.filter_map(|(at, round)| Some((round.step, round.from?, next(at)))).collect();
        let (course, definition, step) = (path.course, path.definition, path.step_of(round));
        Self { course, definition, step, round: round.round, from: round.from, until, spans }
    }

    /// The items of this round.
    fn items(&self) -> impl DoubleEndedIterator<Item = (usize, &'a Item)> + use<'a> {
        let (from, until) = (self.from.unwrap_or(usize::MAX), self.until.unwrap_or(usize::MAX));
        let items: Vec<_> = self.course.items().filter(|(at, _)| *at > from && *at < until).collect();
        items.into_iter()
    }

    /// The replies of this round, oldest first, with those that broke off.
    pub(crate) fn replies(&self) -> impl DoubleEndedIterator<Item = &'a ReplyItem> + use<'a> {
        self.items().filter_map(|(_, item)| match item {
            Item::Reply(reply) => Some(reply.as_ref()),
            _ => None,
        })
    }

    /// The newest reply, where it counts: one that broke off counts when a block of it was taken up again.
    pub(crate) fn reply(&self) -> Option<&'a ReplyItem> {
        let reply = self.replies().next_back()?;
        let taken = |item: &BlockItem| item.standing != Standing::Skipped;
        let taken_up = self.blocks_of(reply).any(taken);
        // A reply that met its length limit said something; one without any word was cut before it came.
        let cut = reply.finish.reason == crate::domain::FinishReason::Incomplete;
        (!cut || taken_up).then_some(reply)
    }

    /// The blocks of a reply.
    pub(crate) fn blocks_of(&self, reply: &'a ReplyItem) -> impl DoubleEndedIterator<Item = &'a BlockItem> + use<'a> {
        let course = self.course;
        reply.blocks.iter().filter_map(move |id| course.block(*id))
    }

    /// The blocks of the newest reply.
    pub(crate) fn newest(&self) -> Vec<&'a BlockItem> {
        self.reply().map(|reply| self.blocks_of(reply).collect()).unwrap_or_default()
    }

    /// All blocks of the model in this round, oldest first.
    pub(crate) fn blocks(&self) -> Vec<&'a BlockItem> {
        self.replies().flat_map(|reply| self.blocks_of(reply)).collect()
    }

    /// Whether the person skipped all blocks of the newest reply.
    pub(super) fn all_skipped(&self) -> bool {
        let newest = self.newest();
        !newest.is_empty() && newest.iter().all(|item| item.standing == Standing::Skipped) && self.own().is_empty()
    }

    /// The recipe's own blocks of this round, oldest first.
    pub(crate) fn own(&self) -> Vec<&'a BlockItem> {
        let of_recipe = |item: &&BlockItem| matches!(item.block.kind, BlockKind::Code { .. } | BlockKind::Call { .. });
        let items = self.items().filter_map(|(_, item)| match item {
            Item::Own { block, .. } => self.course.block(*block),
            _ => None,
        });
        items.filter(of_recipe).collect()
    }

    /// What became of the newest of them.
    pub(crate) fn own_run(&self) -> OwnRun<'a> {
        let Some(item) = self.own().last().copied() else { return OwnRun::None };
        match (&item.standing, ended(item)) {
            (Standing::Rejected(why), _) => OwnRun::Refused(why),
            (Standing::Approved, Some((_, report))) => OwnRun::Ran(item, report),
            _ => OwnRun::Refused(""),
        }
    }

    /// The newest answers to the form with this name, and where they stand.
    pub(crate) fn answers(&self, name: &str) -> Option<(usize, &'a Answers)> {
        self.items().rev().find_map(|(at, item)| match item {
            Item::Recipe { fact: RecipeFact::Answered { form, answers }, .. } if form == name => Some((at, answers)),
            _ => None,
        })
    }

    /// The files that blocks of the model wrote in this round.
    pub(crate) fn written(&self) -> Vec<String> {
        let Some(from) = self.from else { return Vec::new() };
        written::between(&self.course, [(from, self.until.unwrap_or(usize::MAX))])
    }

    /// The files that blocks of the model wrote in all rounds of the step with this name.
    pub(crate) fn written_in(&self, step: &str) -> Vec<String> {
        let step = self.definition.step(step);
        let spans = self.spans.iter().filter(|(of, ..)| Some(*of) == step);
        written::between(&self.course, spans.map(|(_, from, until)| (*from, *until)))
    }

    /// The files that blocks of the model wrote since the recipe began.
    pub(crate) fn all_written(&self) -> Vec<String> {
        written::between(&self.course, [(self.course.from.saturating_sub(1), usize::MAX)])
    }

    /// The value of an option of the step.
    pub(crate) fn option(&self, name: &str) -> &'a str {
        self.step.option(name)
    }
}

/// The newest run of a block that has ended.
pub(crate) fn ended(item: &BlockItem) -> Option<(&RunItem, &RunReport)> {
    let run = item.runs.last()?;
    run.ended.as_ref().map(|(_, report)| (run, report.as_ref()))
}

//! What a check sees of its round: replies, blocks and their runs, answers, files.

use super::{value_of, written};
use crate::domain::{Answers, BlockKind, KernelFate, Outcome, RecipeFact, RunReport};
use crate::engine::WorkflowContext;
use crate::engine::transcript::{BlockItem, BlockStatus, Item, ReplyItem, RunItem, Settlement};

/// One round, as its check sees it.
#[derive(Clone, Debug)]
pub(crate) struct View<'a> {
    pub(crate) context: WorkflowContext<'a>,
    pub(crate) step: &'a str,
    /// The steps whose files this step may not change.
    pub(crate) protects: &'a [String],
    /// The options of the step's check.
    pub(super) options: &'a [(String, String)],
    /// The number of the round within its step, from 1.
    pub(crate) round: u32,
    /// The index of the item with which the round began; `None`: nothing can have come of it yet.
    pub(super) from: Option<usize>,
    /// The index of the item with which the next round began.
    pub(super) until: Option<usize>,
    /// Whether the model was told something when the round began; if not, the check is alone.
    pub(crate) was_prompted: bool,
    /// The rounds so far.
    pub(super) spans: Vec<Span<'a>>,
}

/// The part of the session that a round takes up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span<'a> {
    pub(super) step: &'a str,
    /// The index of its first item.
    pub(super) from: usize,
    /// The index of the next round's first item.
    pub(super) until: usize,
}

/// What became of the recipe's newest own block in a round.
#[derive(Clone, Debug)]
pub(crate) enum OwnRun<'a> {
    /// None was proposed yet.
    None,
    /// It was proposed and did not run to its end: skipped, rejected with these words, interrupted or lost.
    Refused(&'a str),
    Ran(&'a BlockItem, &'a RunReport),
}

impl<'a> View<'a> {
    /// The items of this round.
    fn items(&self) -> impl DoubleEndedIterator<Item = (usize, &'a Item)> + use<'a> {
        let (from, until) = (self.from.unwrap_or(usize::MAX), self.until.unwrap_or(usize::MAX));
        let items: Vec<_> = self.context.items().filter(|(at, _)| *at > from && *at < until).collect();
        items.into_iter()
    }

    /// The replies of this round, oldest first, including those that broke off.
    pub(crate) fn replies(&self) -> impl DoubleEndedIterator<Item = &'a ReplyItem> + use<'a> {
        self.items().filter_map(|(_, item)| item.reply())
    }

    /// The newest reply. One that broke off counts only if the person took up one of its blocks.
    pub(crate) fn reply(&self) -> Option<&'a ReplyItem> {
        let reply = self.replies().next_back()?;
        let taken = |item: &BlockItem| item.status != BlockStatus::Skipped;
        let taken_up = self.blocks_of(reply).any(taken);
        // A reply that hit its length limit still counts; one that is `Incomplete` was cut off by a failure.
        let cut = reply.finish.reason == crate::domain::FinishReason::Incomplete;
        (!cut || taken_up).then_some(reply)
    }

    pub(crate) fn blocks_of(
        &self,
        reply: &'a ReplyItem,
    ) -> impl DoubleEndedIterator<Item = &'a BlockItem> + use<'a> {
        let context = self.context;
        reply.blocks.iter().filter_map(move |id| context.block(*id))
    }

    pub(crate) fn newest(&self) -> Vec<&'a BlockItem> {
        self.reply().map(|reply| self.blocks_of(reply).collect()).unwrap_or_default()
    }

    /// Whether the person skipped all blocks of the newest reply.
    pub(super) fn all_skipped(&self) -> bool {
        let newest = self.newest();
        !newest.is_empty()
            && newest.iter().all(|item| item.status == BlockStatus::Skipped)
            && self.own_blocks().is_empty()
    }

    /// The recipe's own blocks of this round, oldest first, without loads and installs.
    pub(crate) fn own_blocks(&self) -> Vec<&'a BlockItem> {
        let of_recipe = |item: &&BlockItem| {
            !matches!(item.block.kind, BlockKind::Load { .. } | BlockKind::Install { .. })
        };
        let items = self.items().filter_map(|(_, item)| match item {
            Item::Own { block, .. } => self.context.block(*block),
            _ => None,
        });
        items.filter(of_recipe).collect()
    }

    /// The runs that ended in any round of this step, oldest first: of the recipe's own blocks and the model's.
    pub(crate) fn runs_in(&self, step: &str) -> Vec<(&'a BlockItem, &'a RunItem)> {
        let spans = self.spans.iter().filter(|span| span.step == step);
        let runs = spans.flat_map(|span| written::runs(self.context, span.from, span.until));
        runs.map(|(_, item, run)| (item, run)).collect()
    }

    /// Whether the kernel was restarted or lost, or the session reopened, since this run.
    pub(crate) fn kernel_is_new_since(&self, run: &RunItem) -> bool {
        let mut settled = self.context.transcript.settled.iter();
        let after = settled.find_map(|settled| match settled.what {
            Settlement::Ran(known) if known == run.run => Some(settled.after),
            _ => None,
        });
        let behind = self.context.transcript.items.iter().skip(after.unwrap_or_default());
        let lost = |run: &RunItem| {
            run.ended.as_ref().is_some_and(|(_, report)| matches!(report.kernel, KernelFate::Lost(_)))
        };
        let mut later = written::runs(self.context, after.unwrap_or_default(), usize::MAX);
        behind.into_iter().any(|item| matches!(item, Item::Resumed { .. } | Item::KernelRestarted { .. }))
            || later.any(|(_, _, later)| later.run >= run.run && lost(later))
    }

    /// The texts written to this file since the recipe began, oldest first, each with the number of items before it.
    pub(crate) fn writes_of(&self, file: &str) -> Vec<(usize, String)> {
        let from = self.context.from.saturating_sub(1);
        let runs = written::runs(self.context, from, usize::MAX);
        let of_file = |item: &BlockItem, run: &RunItem| {
            let path = item.block.kind.writes().find(|path| written::same(&self.shown_path(path), file))?;
            item.block.text_for(item.block.version(run.revision)?, path).map(str::to_owned)
        };
        runs.filter(|(_, _, run)| ended_ok(run))
            .filter_map(|(after, item, run)| Some((after, of_file(item, run)?)))
            .collect()
    }

    /// The index of the step's newest such verdict.
    pub(crate) fn judged_last(&self, step: &str, verdict: &str) -> Option<usize> {
        self.context.items().rev().find_map(|(at, item)| match item.fact()? {
            RecipeFact::Judged(known) if known.step == step && known.verdict == verdict => Some(at),
            _ => None,
        })
    }

    pub(crate) fn folder(&self) -> String {
        let header = self.context.transcript.header.as_ref();
        header.map(|header| header.cwd.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// A path in the form used for comparing and showing: relative to the working folder if it lies below it.
    pub(crate) fn shown_path(&self, path: &str) -> String {
        written::shown_path(&self.context, path)
    }

    /// What became of the newest of the recipe's own blocks.
    pub(crate) fn own_run(&self) -> OwnRun<'a> {
        let Some(item) = self.own_blocks().last().copied() else { return OwnRun::None };
        match (&item.status, ended_run(item)) {
            (BlockStatus::Rejected(why), _) => OwnRun::Refused(why),
            (BlockStatus::Approved, Some((_, report))) if report.outcome == Outcome::Interrupted => {
                OwnRun::Refused("it was interrupted")
            }
            (BlockStatus::Approved, Some((_, report))) => OwnRun::Ran(item, report),
            (BlockStatus::Approved, None) if item.runs.last().is_some_and(|run| run.lost) => {
                OwnRun::Refused("the session was closed while it ran")
            }
            _ => OwnRun::Refused(""),
        }
    }

    /// The newest install block of the recipe's own in this round.
    pub(crate) fn install(&self) -> Option<&'a BlockItem> {
        self.items().rev().find_map(|(_, item)| {
            let Item::Own { block, .. } = item else { return None };
            let is_own = |item: &&BlockItem| item.block.kind == BlockKind::Install { wanted_by: None };
            self.context.block(*block).filter(is_own)
        })
    }

    /// The newest answers to this form, and their index.
    pub(crate) fn answers(&self, name: &str) -> Option<(usize, &'a Answers)> {
        self.items().rev().find_map(|(at, item)| match item.fact()? {
            RecipeFact::Answered { form, answers } if form == name => Some((at, answers)),
            _ => None,
        })
    }

    /// The files that the model's blocks wrote in this round.
    pub(crate) fn written(&self) -> Vec<String> {
        let Some(from) = self.from else { return Vec::new() };
        written::written_between(&self.context, [(from, self.until.unwrap_or(usize::MAX))])
    }

    /// The files that the model's blocks wrote in all rounds of this step.
    pub(crate) fn written_in(&self, step: &str) -> Vec<String> {
        let spans = self.spans.iter().filter(|span| span.step == step);
        written::written_between(&self.context, spans.map(|span| (span.from, span.until)))
    }

    /// The files that the model's blocks wrote since the recipe began.
    pub(crate) fn all_written(&self) -> Vec<String> {
        written::written_between(&self.context, [(self.context.from.saturating_sub(1), usize::MAX)])
    }

    /// The value of an option of the step; empty if not set.
    pub(crate) fn option(&self, name: &str) -> &'a str {
        value_of(self.options, name).unwrap_or_default()
    }

    /// The file that the input named by this option names, as `shown_path` gives it.
    pub(crate) fn file_of(&self, option: &str) -> String {
        self.shown_path(self.context.input(self.option(option)).trim())
    }

    /// What the person chose in the newest answer to this form.
    pub(crate) fn choice(&self, form: &str) -> Option<&'a str> {
        self.answers(form).and_then(|(_, answers)| answers.first()).map(|(_, choice)| choice.as_str())
    }
}

/// Whether a run ended well.
pub(crate) fn ended_ok(run: &RunItem) -> bool {
    run.ended.as_ref().is_some_and(|(_, report)| report.outcome == Outcome::Ok)
}

/// The last run of a block, if it has ended.
pub(crate) fn ended_run(item: &BlockItem) -> Option<(&RunItem, &RunReport)> {
    let run = item.runs.last()?;
    run.ended.as_ref().map(|(_, report)| (run, report.as_ref()))
}

//! Rebuilds a kernel: proposes again the blocks that made an earlier one, one decision after the other, in their order.
//!
//! A plan names runs that ended well in the previous kernel (`plan`). It only sets an order and decides nothing: each
//! block waits with its whole text, its findings and its terms for a decision like every block. Blocks that touched
//! nothing but the kernel are merged into one block of sayso's own (`merged_block`). What a block does is compared with its
//! earlier run (`compare`); within a merged block before its next part runs. The first block that did something else,
//! or ended otherwise, ends the plan. A run whose approval was for other bytes than the session file now has is named
//! and left out: anybody who can write files could have changed the session file.

mod compare;
mod merged_block;
mod plan;
mod side_effects;
mod step;
#[cfg(test)]
mod tests;

pub(crate) use plan::RebuildPlan;
pub(crate) use step::{RebuildStep, StepState};

use super::run_comparison::Difference;
use super::transcript::Body;
use super::{Engine, Phase, notices};
use crate::domain::{BlockId, BlockKind, Entry, KernelFate, Language, Notice, Outcome, RunId};
use merged_block::PartReports;
use std::collections::VecDeque;

/// A plan that the person goes through.
#[derive(Debug, Default)]
pub(super) struct RebuildQueue {
    /// The runs still to be repeated; each item is one decision.
    todo: VecDeque<Vec<RunId>>,
    /// The decision in progress.
    decision: Option<Box<RebuildDecision>>,
    /// How many runs were repeated.
    done: usize,
    /// The generation of the kernel that they ran in.
    kernel: Option<u32>,
    /// The first thing that could not be compared, in words.
    gap: Option<String>,
}

/// One decision of a plan.
#[derive(Debug)]
struct RebuildDecision {
    /// The block that waits or runs.
    block: BlockId,
    /// The runs that it repeats.
    runs: Vec<RunId>,
    /// Whether the block has been approved and runs.
    running: bool,
    /// What the parts of a merged block reported so far.
    parts: PartReports,
    /// The block and difference because of which the run is ended.
    differs: Option<(BlockId, Difference)>,
}

impl RebuildQueue {
    /// How many runs are still to be repeated.
    fn count_left(&self) -> usize {
        self.todo.iter().map(Vec::len).sum()
    }

    /// Whether the block in progress will be compared with this text.
    pub(super) fn compares(&self, body: Body) -> bool {
        let Body::Output(run) = body else { return false };
        self.decision.as_ref().is_some_and(|decision| decision.runs.contains(&run))
    }
}

impl Engine {
    /// The person starts a plan with these runs.
    pub(super) fn rebuild(&mut self, runs: &[RunId]) {
        if self.state.phase != Phase::Idle {
            return self.notify(notices::rebuild::no_rebuild());
        }
        let todo = RebuildPlan::of(&self.state).decisions(runs);
        if todo.is_empty() {
            return self.notify(notices::rebuild::nothing_to_rebuild());
        }
        self.rebuild = RebuildQueue { todo: todo.into(), ..RebuildQueue::default() };
        self.next_of_rebuild();
    }

    /// Proposes the next block of the plan; returns whether there was one.
    fn next_of_rebuild(&mut self) -> bool {
        while let Some(runs) = self.rebuild.todo.pop_front() {
            let Some(block) = self.propose_step(&runs) else { continue };
            // Their outputs are needed for the comparison once the block has run.
            self.ask_for(&runs.iter().copied().map(Body::Output).collect::<Vec<_>>());
            let parts = PartReports::default();
            let decision = RebuildDecision { block, runs, running: false, parts, differs: None };
            self.rebuild.decision = Some(Box::new(decision));
            self.order_inspection(block);
            self.advance();
            return true;
        }
        false
    }

    /// Proposes the block that repeats these runs.
    fn propose_step(&mut self, runs: &[RunId]) -> Option<BlockId> {
        if let [run] = runs {
            let block = self.state.transcript.run(*run)?.0.block.id;
            self.record(Entry::Reopened(block));
            return Some(block);
        }
        let text = merged_block::text(&self.state.transcript, runs)?;
        let kind = BlockKind::Code { language: Some(Language::python()) };
        let note = merged_block::source_note(&self.state.transcript, runs);
        Some(self.propose_own(kind, Language::python(), text.into(), note))
    }

    /// A block was granted: if it is the plan's, its run begins.
    pub(super) fn rebuild_started(&mut self, block: BlockId) {
        if let Some(decision) = self.rebuild.decision.as_mut().filter(|decision| decision.block == block) {
            decision.running = true;
        }
    }

    /// A run has ended: the plan goes on, or ends here. Returns whether its next block was proposed.
    pub(super) fn rebuild_ran(&mut self, run: RunId, block: BlockId, outcome: &Outcome) -> bool {
        let Some(decision) =
            self.rebuild.decision.take_if(|decision| decision.running && decision.block == block)
        else {
            return false;
        };
        match self.why_rebuild_ends(run, block, outcome, &decision) {
            Some(why) => self.end_rebuild(why),
            None => self.next_or_end(),
        }
    }

    /// Notes what a run of the plan brought; returns why the plan ends with it, if so.
    fn why_rebuild_ends(
        &mut self,
        run: RunId,
        block: BlockId,
        outcome: &Outcome,
        decision: &RebuildDecision,
    ) -> Option<Notice> {
        let left = self.rebuild.count_left();
        let (ended, not_run) = decision.runs.split_at(decision.parts.count().min(decision.runs.len()));
        let ran = self.state.transcript.run(run).map(|(_, run)| run);
        let generation = ran.and_then(|run| run.terms.kernel).map(|kernel| kernel.generation);
        let report = ran.and_then(|run| run.ended.as_ref()).map(|(_, report)| report);
        let is_lost = report.is_some_and(|report| matches!(report.kernel, KernelFate::Lost(_)));
        if let Some((of, difference)) = &decision.differs {
            let blocks = self.blocks_of(not_run);
            self.state.live.not_run.extend(blocks.into_iter().map(|block| (run, block)));
            return Some(notices::rebuild::rebuild_differs(*of, difference, left + not_run.len()));
        }
        if *outcome != Outcome::Ok || is_lost {
            let (broke, behind) = self.broken_block(run, decision).unwrap_or((block, 0));
            if !is_lost {
                let blocks = self.blocks_of(ended);
                self.state.live.ran_within.extend(blocks);
            }
            return Some(notices::rebuild::rebuild_broke(broke, left + behind));
        }
        if self.rebuild.kernel.is_some_and(|before| Some(before) != generation) {
            return Some(notices::rebuild::rebuild_elsewhere(block, left));
        }
        self.rebuild.kernel = generation;
        self.rebuild.done += decision.runs.len();
        let runs = decision.runs.iter().filter_map(|run| self.state.transcript.run(*run));
        if runs.into_iter().any(|(_, run)| run.unloaded_output().is_some()) {
            return Some(notices::rebuild::rebuild_unread(block, left));
        }
        let mut gaps = Vec::new();
        let differs = self.differs(run, decision, &mut gaps);
        self.rebuild.gap = self.rebuild.gap.take().or_else(|| gaps.into_iter().next());
        let (of, difference) = differs?;
        Some(notices::rebuild::rebuild_differs(of.unwrap_or(block), &difference, left))
    }

    /// The blocks of these runs.
    fn blocks_of(&self, runs: &[RunId]) -> Vec<BlockId> {
        let runs = runs.iter().filter_map(|run| self.state.transcript.run(*run));
        runs.map(|(item, _)| item.block.id).collect()
    }

    /// Proposes the plan's next block, or reports the end of the plan; returns whether there was a block.
    fn next_or_end(&mut self) -> bool {
        if self.next_of_rebuild() {
            return true;
        }
        let RebuildQueue { done, gap, .. } = std::mem::take(&mut self.rebuild);
        self.notify(notices::rebuild::rebuilt(done, gap.as_deref()));
        false
    }

    /// Ends the plan early and says why: no block was proposed.
    fn end_rebuild(&mut self, why: Notice) -> bool {
        self.drop_rebuild();
        self.notify(why);
        false
    }

    /// Drops the plan, since the kernel that it was building is gone.
    pub(super) fn drop_rebuild(&mut self) {
        self.rebuild = RebuildQueue::default();
    }

    /// A block was rejected or skipped. If it was the plan's, proposes the next one; returns whether there was one.
    pub(super) fn rebuild_skipped(&mut self, block: BlockId) -> bool {
        if self.rebuild.decision.take_if(|decision| !decision.running && decision.block == block).is_none() {
            return false;
        }
        self.next_or_end()
    }
}

//! Rebuilding a kernel: the blocks that made an earlier one come back, one decision after the other, in their order.
//!
//! A plan names runs that ended well in the kernel that was there before (`plan`). It is an order of things to look at and
//! no decision: each block waits with its whole text, its findings and its terms, and is decided about like every block.
//! Blocks that touched nothing but the kernel come together, as one block of sayso's own that consists of their texts
//! (`merged`). What a block did is compared with its earlier run (`compare`), of those that came together before the next of
//! them runs; the first that did something else, or ended otherwise, ends the plan. A run whose approval was for other bytes than
//! those that stand there is named and left out: a session file can be written by anybody who can write files.

mod compare;
mod merged;
mod plan;
mod step;
#[cfg(test)]
mod tests;
mod touched;

pub(crate) use plan::RebuildPlan;
pub(crate) use step::{RebuildStep, StepState};

use super::difference::Difference;
use super::transcript::Body;
use super::{Engine, Phase, notices};
use crate::domain::{BlockId, BlockKind, Entry, KernelFate, Language, Outcome, RunId};
use merged::ToldParts;
use std::collections::VecDeque;

/// A plan that the person goes through.
#[derive(Debug, Default)]
pub(super) struct RebuildQueue {
    /// The runs that are still to be repeated: those of one decision together.
    todo: VecDeque<Vec<RunId>>,
    /// What is being repeated.
    turn: Option<Box<RebuildTurn>>,
    /// How many blocks ran again.
    done: usize,
    /// The generation of the kernel that they ran in.
    kernel: Option<u32>,
    /// The first of what could not be compared, in words.
    gap: Option<String>,
}

/// One decision of a plan.
#[derive(Debug)]
struct RebuildTurn {
    /// The block that waits or runs.
    block: BlockId,
    /// The runs that it repeats.
    runs: Vec<RunId>,
    /// Whether it runs.
    running: bool,
    /// What those told so far that came together.
    told: ToldParts,
    /// Where its run was told to end.
    differs: Option<(BlockId, Difference)>,
}

impl RebuildQueue {
    /// How many blocks were not run again.
    fn count_left(&self) -> usize {
        self.todo.iter().map(Vec::len).sum()
    }

    /// Whether its block will be compared with this.
    pub(super) fn compares(&self, body: Body) -> bool {
        let Body::Output(run) = body else { return false };
        self.turn.as_ref().is_some_and(|turn| turn.runs.contains(&run))
    }
}

impl Engine {
    /// The person wants to go through these runs of the plan.
    pub(super) fn rebuild(&mut self, runs: &[RunId]) {
        if self.state.phase != Phase::Idle {
            return self.notify(notices::no_rebuild());
        }
        let todo = RebuildPlan::of(&self.state).decisions(runs);
        if todo.is_empty() {
            return self.notify(notices::nothing_to_rebuild());
        }
        self.plan = RebuildQueue { todo: todo.into(), ..RebuildQueue::default() };
        self.next_of_plan();
    }

    /// Brings the next blocks of the plan back; true when there were some.
    fn next_of_plan(&mut self) -> bool {
        while let Some(runs) = self.plan.todo.pop_front() {
            let Some(block) = self.propose_step(&runs) else { continue };
            // What they printed is compared with once the block has run.
            self.ask_for(&runs.iter().copied().map(Body::Output).collect::<Vec<_>>());
            let told = ToldParts::default();
            let turn = RebuildTurn { block, runs, running: false, told, differs: None };
            self.plan.turn = Some(Box::new(turn));
            self.order_inspection(block);
            self.advance();
            return true;
        }
        false
    }

    /// The block that repeats these runs.
    fn propose_step(&mut self, runs: &[RunId]) -> Option<BlockId> {
        if let [run] = runs {
            let block = self.state.transcript.run(*run)?.0.block.id;
            self.record(Entry::PutBack(block));
            return Some(block);
        }
        let text = merged::text(&self.state.transcript, runs)?;
        let kind = BlockKind::Code { language: Some(Language::python()) };
        let note = merged::source_note(&self.state.transcript, runs);
        Some(self.propose_own(kind, Language::python(), text.into(), note))
    }

    /// A block was granted: perhaps it is the plan's.
    pub(super) fn plan_runs(&mut self, block: BlockId) {
        if let Some(turn) = self.plan.turn.as_mut().filter(|turn| turn.block == block) {
            turn.running = true;
        }
    }

    /// A run has ended: the plan goes on, or ends here. Tells whether its next block is being looked at.
    pub(super) fn plan_ran(&mut self, run: RunId, block: BlockId, outcome: &Outcome) -> bool {
        let Some(turn) = self.plan.turn.take_if(|turn| turn.running && turn.block == block) else {
            return false;
        };
        let left = self.plan.count_left();
        let ran = self.state.transcript.run(run).map(|(_, run)| run);
        let generation = ran.and_then(|run| run.terms.kernel).map(|kernel| kernel.generation);
        let report = ran.and_then(|run| run.ended.as_ref()).map(|(_, report)| report);
        let is_lost = report.is_some_and(|report| matches!(report.kernel, KernelFate::Lost(_)));
        if let Some((of, difference)) = turn.differs {
            self.plan = RebuildQueue::default();
            let behind = turn.runs.get(turn.told.count()..).unwrap_or_default();
            let blocks = behind.iter().filter_map(|run| self.state.transcript.run(*run));
            let not_run = blocks.map(|(item, _)| (run, item.block.id));
            self.state.live.not_run.extend(not_run);
            self.notify(notices::rebuild_differs(of, &difference, left + behind.len()));
            return false;
        }
        if *outcome != Outcome::Ok || is_lost {
            self.plan = RebuildQueue::default();
            let (broke, behind) = self.broken_block(run, &turn).unwrap_or((block, 0));
            if !is_lost {
                let ended = turn.runs.iter().take(turn.told.count());
                let ended = ended.filter_map(|run| self.state.transcript.run(*run));
                let ended: Vec<BlockId> = ended.map(|(item, _)| item.block.id).collect();
                self.state.live.ran_within.extend(ended);
            }
            self.notify(notices::rebuild_broke(broke, left + behind));
            return false;
        }
        if self.plan.kernel.is_some_and(|before| Some(before) != generation) {
            self.plan = RebuildQueue::default();
            self.notify(notices::rebuild_elsewhere(block, left));
            return false;
        }
        self.plan.kernel = generation;
        self.plan.done += turn.runs.len();
        let runs = turn.runs.iter().filter_map(|run| self.state.transcript.run(*run));
        if runs.into_iter().any(|(_, run)| run.unloaded_output().is_some()) {
            self.plan = RebuildQueue::default();
            self.notify(notices::rebuild_unread(block, left));
            return false;
        }
        let mut gaps = Vec::new();
        let differs = self.differs(run, &turn, &mut gaps);
        self.plan.gap = self.plan.gap.take().or_else(|| gaps.into_iter().next());
        if let Some((of, difference)) = differs {
            self.plan = RebuildQueue::default();
            self.notify(notices::rebuild_differs(of.unwrap_or(block), &difference, left));
            return false;
        }
        self.next_or_end()
    }

    /// The plan's next block comes back, or its end is told; tells whether one came.
    fn next_or_end(&mut self) -> bool {
        if self.next_of_plan() {
            return true;
        }
        let RebuildQueue { done, gap, .. } = std::mem::take(&mut self.plan);
        self.notify(notices::rebuilt(done, gap.as_deref()));
        false
    }

    /// What the plan has built so far is gone: so is the plan.
    pub(super) fn drop_plan(&mut self) {
        self.plan = RebuildQueue::default();
    }

    /// A block was rejected or skipped. Where it was the plan's turn, its next block comes back; tells whether one did.
    pub(super) fn plan_left(&mut self, block: BlockId) -> bool {
        if self.plan.turn.take_if(|turn| !turn.running && turn.block == block).is_none() {
            return false;
        }
        self.next_or_end()
    }
}

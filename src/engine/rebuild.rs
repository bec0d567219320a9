//! Rebuilding a kernel: the blocks that made an earlier one come back, one decision after the other, in their order.
//!
//! A plan names runs that ended well in the kernel that was there before (`plan`). It is an order of things to look at and
//! no decision: each block waits with its whole text, its findings and its terms, and is decided about like every block.
//! Blocks that touched nothing but the kernel come together, as one block of sayso's own that consists of their texts
//! (`merged`). A run that ends otherwise than it did before ends the plan. A run whose approval was for other bytes than
//! those that stand there is named and left out: a session file can be written by anybody who can write files.

mod merged;
mod plan;
mod step;
#[cfg(test)]
mod tests;
mod touched;

pub(crate) use plan::RebuildPlan;
pub(crate) use step::{RebuildStep, StepState};

use super::difference::{Comparer, Difference};
use super::transcript::Body;
use super::{Engine, Phase, notices};
use crate::domain::{
    BlockId, BlockKind, Entry, KernelFate, Language, Outcome, RunId, RunReport, Stream, Timestamp,
};
use crate::text::alike::{BothRuns, RunFacts};
use std::collections::VecDeque;

/// A plan that the person goes through.
#[derive(Debug, Default)]
pub(super) struct RebuildQueue {
    /// The runs that are still to be repeated: those of one decision together.
    todo: VecDeque<Vec<RunId>>,
    /// The block whose turn it is, and the runs that it repeats.
    turn: Option<(BlockId, Vec<RunId>)>,
    /// Whether that block runs.
    running: bool,
    /// How many blocks ran again.
    done: usize,
    /// The generation of the kernel that they ran in.
    kernel: Option<u32>,
    /// The first of what could not be compared, in words.
    gap: Option<String>,
}

impl RebuildQueue {
    /// How many blocks were not run again.
    fn left(&self) -> usize {
        self.todo.iter().map(Vec::len).sum()
    }

    /// Whether its block will be compared with this.
    pub(super) fn compares(&self, body: Body) -> bool {
        let Body::Output(run) = body else { return false };
        self.turn.as_ref().is_some_and(|(_, runs)| runs.contains(&run))
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
            self.plan.turn = Some((block, runs));
            self.plan.running = false;
            self.look(block);
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
        let note = merged::note(&self.state.transcript, runs);
        Some(self.propose_own(kind, Language::python(), text.into(), note))
    }

    /// A block was granted: perhaps it is the plan's.
    pub(super) fn plan_runs(&mut self, block: BlockId) {
        self.plan.running |= self.plan.turn.as_ref().is_some_and(|(of, _)| *of == block);
    }

    /// A run has ended: the plan goes on, or ends here. Tells whether its next block is being looked at.
    pub(super) fn plan_ran(&mut self, run: RunId, block: BlockId, outcome: &Outcome) -> bool {
        let running = std::mem::take(&mut self.plan.running);
        let Some((_, repeated)) = self.plan.turn.take_if(|(of, _)| running && *of == block) else {
            return false;
        };
        let left = self.plan.left();
        let ran = self.state.transcript.run(run).map(|(_, run)| run);
        let generation = ran.and_then(|run| run.terms.kernel).map(|kernel| kernel.generation);
        let report = ran.and_then(|run| run.ended.as_ref()).map(|(_, report)| report);
        let is_lost = report.is_some_and(|report| matches!(report.kernel, KernelFate::Lost(_)));
        if *outcome != Outcome::Ok || is_lost {
            self.plan = RebuildQueue::default();
            let broke = self.apart(run, &repeated).and_then(|parts| parts.last().map(|(block, _)| *block));
            self.notify(notices::rebuild_broke(broke.unwrap_or(block), left));
            return false;
        }
        if self.plan.kernel.is_some_and(|before| Some(before) != generation) {
            self.plan = RebuildQueue::default();
            self.notify(notices::rebuild_elsewhere(block, left));
            return false;
        }
        self.plan.kernel = generation;
        self.plan.done += repeated.len();
        let runs = repeated.iter().filter_map(|run| self.state.transcript.run(*run));
        if runs.into_iter().any(|(_, run)| run.away().is_some()) {
            self.plan = RebuildQueue::default();
            self.notify(notices::rebuild_unread(block, left));
            return false;
        }
        let mut gaps = Vec::new();
        let differs = self.differs(run, &repeated, &mut gaps);
        self.plan.gap = self.plan.gap.take().or_else(|| gaps.into_iter().next());
        if let Some((of, difference)) = differs {
            self.plan = RebuildQueue::default();
            let of = of.unwrap_or(block);
            // Those that came in one text with it had run by the time that it was compared.
            let together = repeated.iter().filter_map(|run| self.state.transcript.run(*run));
            let behind: Vec<BlockId> =
                together.map(|(item, _)| item.block.id).skip_while(|block| *block != of).skip(1).collect();
            self.notify(notices::rebuild_differs(of, &difference, &behind, left));
            return false;
        }
        self.next_or_end()
    }

    /// What a run told of each block that it repeats; `None`: it repeats one, or their ends were not told.
    fn apart(&self, now: RunId, then: &[RunId]) -> Option<Vec<(BlockId, RunReport)>> {
        let transcript = &self.state.transcript;
        let blocks = then.iter().map(|run| Some(transcript.run(*run)?.0.block.id));
        let blocks: Vec<BlockId> = blocks.collect::<Option<_>>()?;
        let run = transcript.run(now)?.1;
        let (_, report) = run.ended.as_ref()?;
        if run.terms.executor.tells_ends() && blocks.len() > 1 {
            merged::apart(&blocks, report)
        } else {
            None
        }
    }

    /// The first thing that a run did otherwise than those that it repeats, and the block of theirs that did it, where that
    /// is known; `gaps` gets what could not be compared.
    fn differs(
        &self,
        run: RunId,
        then: &[RunId],
        gaps: &mut Vec<String>,
    ) -> Option<(Option<BlockId>, Difference)> {
        let parts = self.apart(run, then);
        let transcript = &self.state.transcript;
        let (_, now) = transcript.run(run)?;
        let folder = transcript.header.as_ref().map(|header| header.cwd.to_string_lossy().into_owned());
        let facts = |began: Timestamp, ended: Timestamp, processor_ms: i64| RunFacts {
            folders: folder.iter().cloned().collect(),
            time: (began.0, ended.0),
            processor_ms,
        };
        let runs: Vec<_> = then.iter().filter_map(|run| transcript.run(*run)).map(|(_, run)| run).collect();
        let ended = runs.iter().filter_map(|run| run.ended.as_ref());
        let last = ended.clone().map(|(at, _)| *at).max()?;
        let reports: Vec<&RunReport> = ended.map(|(_, report)| report.as_ref()).collect();
        let processors = reports.iter().map(|report| report.receipt.processor_ms()).sum();
        let then = facts(runs.first()?.approved_at, last, processors);
        let (at, report) = now.ended.as_ref()?;
        let runs = BothRuns {
            then,
            now: facts(now.approved_at, *at, report.receipt.processor_ms()),
            has_sets: true,
        };
        let comparer = Comparer { runs, ..Comparer::default() };
        let mut first = |then: &RunReport, now: &RunReport| {
            let found = comparer.compare(then, now);
            gaps.extend(found.gaps);
            found.differences.into_iter().next()
        };
        if let [then] = reports.as_slice() {
            return Some((None, first(then, report)?));
        }
        for ((block, now), then) in parts.iter().flatten().zip(&reports) {
            if let Some(difference) = first(&merged::told(then), now) {
                return Some((Some(*block), difference));
            }
        }
        let together = merged::report(&reports);
        // Of what is too long the ends of blocks stand where something else stood.
        let is_cut = report.output.dropped(Stream::Stdout) > 0;
        let difference = match parts {
            None if !is_cut => first(&together, report),
            _ => first(&merged::rest(&together), &merged::rest(report)),
        };
        if parts.is_none() && is_cut {
            gaps.push("they printed too much for it".into());
        }
        Some((None, difference?))
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
        let running = self.plan.running;
        if self.plan.turn.take_if(|(of, _)| !running && *of == block).is_none() {
            return false;
        }
        self.next_or_end()
    }
}

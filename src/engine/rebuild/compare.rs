//! Compares blocks that run again with their earlier runs.
//!
//! The blocks of a merged text are compared one by one: after each of them the kernel waits for the result.

use super::{RebuildDecision, merged_block};
use crate::domain::{BlockId, OutputBuffer, RunId, RunReport, Stream, Timestamp};
use crate::engine::run_comparison::{Comparer, Difference};
use crate::engine::{Effect, Engine, notices};
use crate::text::alike::{BothRuns, RunFacts};

impl Engine {
    /// A part of a merged text has ended and waits. It always gets an answer, so that nothing waits forever; a part
    /// that could not be compared goes on.
    pub(in crate::engine) fn part_ended(&mut self, run: RunId, part: u32, printed: &OutputBuffer) {
        let differs = self.part_differs(run, part, printed);
        let ends = differs.as_ref().map(|(of, difference)| notices::rebuild::run_ends_at(*of, difference));
        if let Some(decision) = &mut self.rebuild.decision {
            decision.differs = decision.differs.take().or(differs);
        }
        self.effects.push(Effect::AfterPart { run, part, ends });
    }

    /// The difference between the part that has just ended and the earlier run of its block.
    fn part_differs(
        &mut self,
        id: RunId,
        part: u32,
        printed: &OutputBuffer,
    ) -> Option<(BlockId, Difference)> {
        let run = self.state.live.run.as_ref()?;
        let decision = self
            .rebuild
            .decision
            .as_mut()
            .filter(|decision| decision.running && decision.block == run.block)?;
        let (count, last) = (decision.parts.count(), decision.runs.len().checked_sub(1)?);
        if count >= last || usize::try_from(part) != Ok(count + 1) {
            return None;
        }
        let (item, then) = self.state.transcript.run(*decision.runs.get(count)?)?;
        let (block, is_away) = (item.block.id, then.unloaded_output().is_some());
        let then = merged_block::own_part(&then.ended.as_ref()?.1);
        let now = decision.parts.end(block, printed)?.clone();
        let (runs, cpu_ms) = (decision.runs.clone(), i64::try_from(run.cpu_ms).unwrap_or(i64::MAX));
        let mut comparer = self.comparer(id, &runs, self.now, cpu_ms)?;
        // The processor time is reported only now and then.
        let known = &mut comparer.runs;
        known.now.processor_ms = known.now.processor_ms.max(known.then.processor_ms);
        let difference = comparer.compare(&then, &now).differences.into_iter().next();
        Some((block, difference.filter(|_| !is_away)?))
    }

    /// The block in whose part a failed run of a merged text ended, and how many blocks come after it; `None`: not
    /// known.
    pub(super) fn broken_block(&self, run: RunId, decision: &RebuildDecision) -> Option<(BlockId, usize)> {
        let (_, ran) = self.state.transcript.run(run)?;
        let (_, report) = ran.ended.as_ref()?;
        let is_told = decision.runs.len() > 1
            && ran.terms.executor.reports_part_ends()
            && report.output.dropped(Stream::Stdout) == 0;
        // Text that is not valid Python never starts, so no part of it has ended.
        let is_read =
            decision.parts.count() > 0 || !report.error.as_ref().is_some_and(merged_block::is_no_python);
        let (open, behind) =
            decision.runs.get(decision.parts.count()..).filter(|_| is_told && is_read)?.split_first()?;
        Some((self.state.transcript.run(*open)?.0.block.id, behind.len()))
    }

    /// The first difference between a run and those that it repeats, and the block that differs, if known; `gaps` gets
    /// what could not be compared.
    pub(super) fn differs(
        &self,
        run: RunId,
        decision: &RebuildDecision,
        gaps: &mut Vec<String>,
    ) -> Option<(Option<BlockId>, Difference)> {
        let transcript = &self.state.transcript;
        let (at, report) = transcript.run(run)?.1.ended.as_ref()?;
        let comparer = self.comparer(run, &decision.runs, *at, report.receipt.processor_ms())?;
        let mut first = |then: &RunReport, now: &RunReport| {
            let found = comparer.compare(then, now);
            gaps.extend(found.gaps);
            found.differences.into_iter().next()
        };
        let runs = decision.runs.iter().filter_map(|run| transcript.run(*run));
        let runs: Vec<(BlockId, &RunReport)> =
            runs.filter_map(|(item, run)| Some((item.block.id, run.ended.as_ref()?.1.as_ref()))).collect();
        if let [(_, then)] = runs.as_slice() {
            return Some((None, first(then, report)?));
        }
        // In a truncated output the marks of the blocks' ends may be missing.
        let is_cut = report.output.dropped(Stream::Stdout) > 0;
        let parts = decision.parts.with_last(report);
        let is_told = !is_cut && parts.len() == runs.len();
        for ((block, then), now) in runs.iter().zip(&parts).filter(|_| is_told) {
            if let Some(difference) = first(&merged_block::own_part(then), now) {
                return Some((Some(*block), difference));
            }
        }
        let together = merged_block::report(&runs.iter().map(|(_, report)| *report).collect::<Vec<_>>());
        let difference = if is_told || is_cut {
            first(&merged_block::shared_part(&together), &merged_block::shared_part(report))
        } else {
            first(&together, report)
        };
        if is_cut {
            gaps.push("they printed too much for it".into());
        }
        Some((None, difference?))
    }

    /// The comparer of a run with those that it repeats; `at` is when the run ended, `cpu_ms` the processor time it
    /// used.
    fn comparer(&self, run: RunId, then: &[RunId], at: Timestamp, cpu_ms: i64) -> Option<Comparer> {
        let transcript = &self.state.transcript;
        let folder = transcript.header.as_ref().map(|header| header.cwd.to_string_lossy().into_owned());
        let facts = |began: Timestamp, ended: Timestamp, processor_ms: i64| RunFacts {
            folders: folder.iter().cloned().collect(),
            time: (began.0, ended.0),
            processor_ms,
        };
        let (_, now) = transcript.run(run)?;
        let runs: Vec<_> = then.iter().filter_map(|run| transcript.run(*run)).map(|(_, run)| run).collect();
        let ended = runs.iter().filter_map(|run| run.ended.as_ref());
        let last = ended.clone().map(|(at, _)| *at).max()?;
        let processors = ended.map(|(_, report)| report.receipt.processor_ms()).sum();
        let runs = BothRuns {
            then: facts(runs.first()?.approved_at, last, processors),
            now: facts(now.approved_at, at, cpu_ms),
            has_sets: true,
        };
        Some(Comparer { runs, ..Comparer::default() })
    }
}

//! Reports each run of a replay as it is compared, as text or as one JSON object per line, and the overall result.

use super::contents;
use super::junit;
use super::result::{ReportedRun, RunResult};
use crate::cli::SessionReplayArgs;
use crate::commands::Console;
use crate::domain::visible::visible_line;
use crate::domain::{BlockKind, Entry, Language, Outcome, RunReport, Timestamp};
use crate::driver::{Clock, Notification};
use crate::engine::State;
use crate::engine::recorded_runs::{RecordedRun, RecordedStep};
use crate::engine::run_comparison::{Comparer, RunComparison};
use crate::headless::{Ending, TurnObserver, json};
use crate::report::reason;
use crate::report::{Failure, FailureClass};
use crate::text::alike::{BothRuns, RunFacts};
use crate::text::number::counted;
use serde_json::json;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Compares runs with those that the session recorded, and reports differences.
pub(super) struct ReplayReporter<'a, 'c> {
    console: &'a mut Console<'c>,
    args: &'a SessionReplayArgs,
    comparer: Comparer,
    /// The original working folder, and that of the replay.
    folders: (PathBuf, PathBuf),
    /// The steps of the current period that are still to come.
    expected: VecDeque<&'a RecordedStep>,
    /// When the current run was approved.
    approved: Timestamp,
    told: Vec<ReportedRun>,
}

impl TurnObserver for ReplayReporter<'_, '_> {
    fn notify(&mut self, told: &Notification, _: &State) -> io::Result<()> {
        let Notification::Recorded(entry) = told else { return Ok(()) };
        match &**entry {
            Entry::Approved { .. } => self.approved = Clock::System.now(),
            Entry::Ran { report, .. } => return self.compare_run(report),
            Entry::Declined { why, .. } => return self.add_declined(why),
            _ => {}
        }
        Ok(())
    }

    fn finish(&mut self, _: &Ending, _: &State, _: &str) -> io::Result<()> {
        self.console.out.flush()?;
        self.console.err.flush()
    }

    fn wants_more(&self) -> bool {
        self.is_wanted()
    }
}

impl<'a, 'c> ReplayReporter<'a, 'c> {
    pub(super) fn new(
        console: &'a mut Console<'c>,
        args: &'a SessionReplayArgs,
        comparer: Comparer,
        (then, now): (&Path, &Path),
    ) -> Self {
        let folders = (then.to_owned(), now.to_owned());
        let (expected, approved, told) = (VecDeque::new(), Timestamp(0), Vec::new());
        Self { console, args, comparer, folders, expected, approved, told }
    }

    pub(super) fn err(&mut self) -> &mut dyn Write {
        &mut *self.console.err
    }

    /// Sets the steps of the next period.
    pub(super) fn expect(&mut self, steps: &'a [RecordedStep]) -> io::Result<()> {
        self.expected = steps.iter().collect();
        self.report_left_out()
    }

    /// Ends the period: drops its remaining steps.
    pub(super) fn end_period(&mut self) {
        self.expected.clear();
    }

    /// Whether to go on with the next run: nothing differed and no run was impossible, or `--all` was given.
    pub(super) fn is_wanted(&self) -> bool {
        let is_bad =
            |run: &ReportedRun| matches!(run.result, RunResult::Differs(_) | RunResult::Impossible(_));
        self.args.all || !self.told.iter().any(is_bad)
    }

    /// Reports the steps before the next one that is repeated.
    fn report_left_out(&mut self) -> io::Result<()> {
        while self.is_wanted()
            && let Some(next) = self.expected.front().copied()
            && let Err(why) = next.repeats
        {
            self.expected.pop_front();
            let result = if why.is_harmless() { RunResult::LeftOut } else { RunResult::Impossible };
            self.add(ReportedRun::of(next, result(why.to_string())))?;
        }
        Ok(())
    }

    fn compare_run(&mut self, report: &RunReport) -> io::Result<()> {
        let Some((next, then)) = self.next() else { return Ok(()) };
        let (result, gaps) = match &report.outcome {
            Outcome::Refused(why) | Outcome::NotStarted(why) => {
                (RunResult::Impossible(why.clone()), Vec::new())
            }
            _ => {
                let RunComparison { differences, gaps } = self.compare(then, report);
                let result =
                    if differences.is_empty() { RunResult::Same } else { RunResult::Differs(differences) };
                (result, gaps)
            }
        };
        self.add(ReportedRun { wall_us: report.receipt.wall_us, gaps, ..ReportedRun::of(next, result) })?;
        self.report_left_out()
    }

    fn add_declined(&mut self, why: &str) -> io::Result<()> {
        let Some((next, _)) = self.next() else { return Ok(()) };
        self.add(ReportedRun::of(next, RunResult::Impossible(why.to_owned())))?;
        self.report_left_out()
    }

    /// The current step, and what the session recorded of its run.
    fn next(&mut self) -> Option<(&'a RecordedStep, &'a RecordedRun)> {
        let next = self.expected.pop_front()?;
        Some((next, next.repeats.as_deref().ok()?))
    }

    fn compare(&mut self, then: &RecordedRun, now: &RunReport) -> RunComparison {
        let folders = |folder: &Path| {
            let real = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
            let mut names = vec![folder.to_string_lossy().into_owned(), real.to_string_lossy().into_owned()];
            names.dedup();
            names
        };
        let (began, ended) = then.time;
        self.comparer.runs = BothRuns {
            then: RunFacts {
                folders: folders(&self.folders.0),
                time: (began.0, ended.0),
                processor_ms: then.report.receipt.processor_ms(),
            },
            now: RunFacts {
                folders: folders(&self.folders.1),
                time: (self.approved.0, Clock::System.now().0),
                processor_ms: now.receipt.processor_ms(),
            },
            has_sets: then.bytes.language == Language::python(),
        };
        if matches!(then.bytes.kind, BlockKind::Install { .. }) {
            // The location of packages and the output of an installer differ every time.
            return self.comparer.compare_outcome(&then.report, now);
        }
        let both = (&*then.report, now);
        let folders = (&*self.folders.0, &*self.folders.1);
        self.comparer.known =
            contents::known_contents(both, folders, &self.comparer.runs, self.comparer.exact);
        self.comparer.compare(&then.report, now)
    }

    fn add(&mut self, run: ReportedRun) -> io::Result<()> {
        if self.args.json {
            json::write_line(self.console.out, &run.to_json())?;
        } else {
            run.write_to(self.console.out)?;
        }
        self.console.out.flush()?;
        self.told.push(run);
        Ok(())
    }

    /// Reports the overall result, which decides the exit code.
    ///
    /// # Errors
    /// If a run differs or could not be repeated, or a report can't be written.
    pub(super) fn finish(self, id: &str, label: &str) -> Result<(), Failure> {
        let Self { console, args, told, .. } = self;
        if let Some(path) = &args.junit {
            std::fs::write(path, junit::report(label, &told)).map_err(|error| {
                let path = visible_line(&path.to_string_lossy());
                Failure::new(FailureClass::Work, format!("{path} can't be written: {}", reason(&error)))
            })?;
        }
        let first = |wanted: fn(&RunResult) -> bool| told.iter().find(|run| wanted(&run.result));
        let differs = first(|result| matches!(result, RunResult::Differs(_)));
        let same = told.iter().filter(|run| matches!(run.result, RunResult::Same)).count();
        // Where nothing was repeated, nothing is the same, either.
        let left_out = || first(|result| matches!(result, RunResult::LeftOut(_))).filter(|_| same == 0);
        let impossible = first(|result| matches!(result, RunResult::Impossible(_))).or_else(left_out);
        let all = told.len();
        if args.json {
            let result = if differs.is_some() {
                "different"
            } else if impossible.is_some() {
                "impossible"
            } else {
                "same"
            };
            let first = differs.or(impossible).map(|run| run.block.0);
            let last = json!({
                "event": "replay_end", "session": id, "result": result, "first": first, "same": same, "runs": all,
            });
            json::write_line(console.out, &last)?;
        }
        if let Some(run) = differs.or(impossible) {
            if args.json {
                return Err(Failure::already_reported(run.class()));
            }
            let how = if differs.is_some() {
                "does something else than in the session"
            } else {
                "can't be repeated here"
            };
            return Err(Failure::new(run.class(), format!("block {} {how}", run.block)));
        }
        if !args.json {
            let has_gaps = told.iter().any(|run| !run.gaps.is_empty());
            let but = if has_gaps { ", as far as it was compared: see the notes" } else { "" };
            writeln!(console.out, "{same} of {} did the same{but}", counted(all, "run"))?;
        }
        Ok(())
    }
}

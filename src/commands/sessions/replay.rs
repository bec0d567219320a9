//! `sayso sessions replay`: repeats the runs of a session in a fresh folder and reports the first block with another
//! result. No model is asked; naming the session approves its code, as naming a file does for `sayso exec`.

mod announcement;
mod contents;
mod copied_files;
mod junit;
mod reporter;
mod result;

use super::{Console, find, read};
use crate::cli::{ModelArgs, SessionReplayArgs};
use crate::commands::block_on;
use crate::config::ExecutorChoice;
use crate::domain::sentences::replay;
use crate::domain::visible::visible_line;
use crate::domain::{ExecutorKind, Language, Limits, Policy, SandboxLevel};
use crate::engine::RecordedBlock;
use crate::engine::recorded_runs::{AllowedThen, RecordedPeriod, RecordedRuns, RecordedStep};
use crate::engine::run_comparison::Comparer;
use crate::headless::{self, Ending, HeadlessOptions, TurnInput};
use crate::report::{Failure, FailureClass};
use crate::session::factory::SessionFactory;
use crate::session::replaying::{FreshFolder, ReplayOptions};
use crate::session::setup;
use crate::store::LoadedSession;
use crate::store::index::Summary;
use crate::text::system_error::words;
use crate::workspace::copy::ChosenFiles;
use copied_files::chosen_files;
use reporter::ReplayReporter;
use std::path::Path;

pub(super) fn run(
    args: &SessionReplayArgs,
    outer: &ModelArgs,
    factory: &SessionFactory,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let summary = find(&factory.loaded.sessions(), &args.session)?;
    let loaded = own_session(&summary, factory, console)?;
    let recorded = RecordedRuns::of(&loaded.entries, args.install);
    if recorded.steps().next().is_none() {
        return Err(Failure::new(
            FailureClass::Usage,
            "nothing ran in this session: there is nothing to repeat",
        ));
    }
    let copied = chosen_files(args, &summary, &recorded, factory)?;
    let folder = FreshFolder::make().map_err(|error| failure("no folder for it can be made", &error))?;
    if let Some((files, from)) = &copied {
        files.copy(from, folder.path()).map_err(|error| failure("not all files could be copied", &error))?;
    }
    let plan =
        Replay { args, summary: &summary, recorded: &recorded, copied: copied.map(|(files, _)| files) };
    let done = block_on(plan.run(outer, factory, folder.path(), console));
    // The runs are over: the folder is removed whatever their result.
    drop(folder);
    done?
}

fn failure(what: &str, error: &impl std::fmt::Display) -> Failure {
    Failure::new(FailureClass::Work, format!("{what}: {}", words(error)))
}

/// Reads a session and refuses a foreign one: nothing runs that somebody else may have written.
fn own_session(
    summary: &Summary,
    factory: &SessionFactory,
    console: &mut Console<'_>,
) -> Result<LoadedSession, Failure> {
    let loaded = read(summary, factory, console)?;
    match &loaded.foreign {
        Some(why) => Err(Failure::new(FailureClass::Session, replay::foreign(&why.to_string()))
            .hint(replay::adopt(&summary.id))),
        None => Ok(loaded),
    }
}

/// Whether the run used another kind of executor than the one chosen today.
fn is_elsewhere(step: &RecordedStep, today: &ExecutorChoice) -> bool {
    match step.ran_on() {
        Some(ExecutorKind::Kernel | ExecutorKind::Subprocess) => *today != ExecutorChoice::Local,
        Some(ExecutorKind::Container) => !matches!(today, ExecutorChoice::Container(_)),
        Some(ExecutorKind::Jupyter) => !matches!(today, ExecutorChoice::Jupyter(_)),
        _ => false,
    }
}

/// What is repeated, with which options and files.
struct Replay<'a> {
    args: &'a SessionReplayArgs,
    summary: &'a Summary,
    recorded: &'a RecordedRuns,
    copied: Option<ChosenFiles>,
}

impl<'a> Replay<'a> {
    async fn run(
        &self,
        outer: &ModelArgs,
        factory: &SessionFactory,
        work: &Path,
        console: &'a mut Console<'_>,
    ) -> Result<(), Failure> {
        let allowed = self.recorded.allowed();
        let factory = self.factory(outer, factory, &allowed, work).await?;
        let comparer = Comparer { exact: self.args.exact, masker: factory.masker(), ..Comparer::default() };
        let folders = (self.summary.cwd.as_path(), work);
        let mut reporter = ReplayReporter::new(console, self.args, comparer, folders);
        let mut is_told = false;
        for period in &self.recorded.periods {
            let ended = self.repeat_period(period, &factory, &allowed, (&mut reporter, &mut is_told)).await?;
            match ended {
                Some(Ending::Interrupted) => {
                    return Err(Failure::already_reported(FailureClass::Interrupted));
                }
                Some(ending @ Ending::Unsaved(_)) => {
                    return Err(Failure::new(FailureClass::Work, ending.message()));
                }
                _ => {}
            }
            if !reporter.is_wanted() {
                break;
            }
        }
        reporter.finish(&self.summary.id, &visible_line(self.summary.label()))
    }

    /// Repeats the runs of one period in which the session was open, with new kernels and shells.
    async fn repeat_period(
        &self,
        period: &'a RecordedPeriod,
        factory: &SessionFactory,
        allowed: &AllowedThen,
        (reporter, is_told): (&mut ReplayReporter<'a, '_>, &mut bool),
    ) -> Result<Option<Ending>, Failure> {
        if period.runs().next().is_none() {
            reporter.expect(&period.steps)?;
            reporter.end_period();
            return Ok(None);
        }
        let (opened, scratch) = factory.begin_unkept(Policy::Ask);
        let report = match opened.driver.sandbox().await {
            Ok(report) => report,
            Err(why) => {
                let _ = opened.driver.close().await;
                return Err(setup::no_sandbox(why));
            }
        };
        if report.level == SandboxLevel::Off && self.args.sandbox != Some(SandboxLevel::Off) {
            let _ = opened.driver.close().await;
            return Err(Failure::new(FailureClass::Work, replay::UNCONFINED).hint(replay::UNCONFINED_HINT));
        }
        if !std::mem::replace(is_told, true) {
            self.print_place(&report, allowed, reporter.err())?;
        }
        reporter.expect(&period.steps)?;
        if !reporter.is_wanted() {
            let _ = opened.driver.close().await;
            return Ok(None);
        }
        let blocks = period.runs().map(|run| self.within_limits(&run.bytes, factory.limits())).collect();
        let options = HeadlessOptions { begin: TurnInput::Recorded(blocks), json: false, session: None };
        let ended = Box::pin(headless::run_with_observer(opened.driver, &options, reporter)).await?;
        drop(scratch);
        reporter.end_period();
        Ok(Some(ended.ending))
    }

    /// The factory for the runs, with today's executor and the fresh folder. Fails if that executor is of another
    /// kind than the original one, unless the person named it.
    async fn factory(
        &self,
        outer: &ModelArgs,
        factory: &SessionFactory,
        allowed: &AllowedThen,
        work: &Path,
    ) -> Result<SessionFactory, Failure> {
        let config = &factory.loaded.config;
        let now = config.executor.clone();
        let elsewhere = self.recorded.steps().find(|step| is_elsewhere(step, &now));
        if let (None, Some(step)) = (&outer.executor, elsewhere) {
            let place = replay::place(step.ran_on());
            let why = format!("block {} ran {place}, and the executor of today is another one", step.block);
            return Err(Failure::new(FailureClass::Usage, why).hint(
                "--executor names the one that is to run them: local, container:IMAGE, jupyter:KERNEL.",
            ));
        }
        // Use the Python of the session's folder: the fresh folder has no environment of its own.
        let mut there = factory.clone();
        there.place = there.place.with_cwd(self.summary.cwd.clone());
        let python = there.local_executor().interpreter(&Language::python()).await;
        let options = ReplayOptions {
            network: self.args.allow_network,
            unconfined: self.args.sandbox == Some(SandboxLevel::Off),
            worked: self.summary.cwd.clone(),
        };
        let python = python.map(|(python, _)| python.path);
        Ok(factory.replaying(work, allowed, &options, now, python))
    }

    /// The limits: at most the original ones and those configured today; `--timeout` replaces the time.
    fn within_limits(&self, block: &RecordedBlock, today: Limits) -> RecordedBlock {
        let mut limits = block.limits.at_most(&today);
        if let Some(time) = self.args.timeout {
            limits.wall_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        }
        RecordedBlock { limits, ..block.clone() }
    }
}

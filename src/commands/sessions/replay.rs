//! `sayso sessions replay`: repeats the runs of a session in a fresh folder and reports the first block with another
//! result. No model is asked; naming the session approves its code, as naming a file does for `sayso exec`.

mod contents;
mod junit;
mod reporter;
mod result;

use super::{Console, find, read};
use crate::cli::{ModelArgs, SessionReplayArgs};
use crate::commands::block_on;
use crate::config::ExecutorChoice;
use crate::domain::sentences::replay;
use crate::domain::visible::visible_line;
use crate::domain::{ExecutorKind, Language, Limits, Policy, SandboxLevel, SandboxReport};
use crate::engine::RecordedBlock;
use crate::engine::recorded_runs::{AllowedThen, RecordedPeriod, RecordedRuns, RecordedStep};
use crate::engine::run_comparison::Comparer;
use crate::headless::{self, Ending, HeadlessOptions, TurnInput};
use crate::report::{Failure, FailureClass};
use crate::review;
use crate::session::factory::SessionFactory;
use crate::session::replaying::{FreshFolder, ReplayOptions};
use crate::session::setup;
use crate::store::LoadedSession;
use crate::store::index::Summary;
use crate::text::names::{and_more, first_names};
use crate::text::number::{counted, size};
use crate::workspace::copy::{ChosenFiles, CopyError, WhyNotCopied};
use crate::workspace::held_path::Folder;
use crate::workspace::undo::{UndoConfig, UndoStore};
use reporter::ReplayReporter;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The most files named in a list; the others are counted.
const MAX_NAMES_SHOWN: usize = 8;
/// The largest file whose content from before the session is restored.
const MAX_EARLIER_BYTES: u64 = 64 << 20;

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

fn failure(what: &str, error: &dyn std::fmt::Display) -> Failure {
    Failure::new(FailureClass::Work, format!("{what}: {error}"))
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

/// A file that is not copied, with the reason; `None` for files that the runs make again.
fn describe_left_out(path: &str, why: WhyNotCopied) -> Option<String> {
    let why = match why {
        WhyNotCopied::Made => return None,
        WhyNotCopied::Hidden => "hidden",
        WhyNotCopied::Secret => "may hold keys",
        WhyNotCopied::Link => "a link",
        WhyNotCopied::Unread => "a folder that can't be read",
    };
    Some(format!("{} ({why})", visible_line(path)))
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

/// The files to copy, and the folder in which the session worked.
fn chosen_files(
    args: &SessionReplayArgs,
    summary: &Summary,
    recorded: &RecordedRuns,
    factory: &SessionFactory,
) -> Result<Option<(ChosenFiles, Folder)>, Failure> {
    if !args.copy && args.with.is_empty() {
        return Ok(None);
    }
    let usage = |error: &dyn std::fmt::Display| Failure::new(FailureClass::Usage, error.to_string());
    let folder = Folder::find(&summary.cwd).map_err(|error| usage(&error))?;
    let mut files = ChosenFiles::default();
    if args.copy {
        let scope = factory.scope();
        let why_not = |path: &str| {
            let is_hidden = path.split('/').any(|part| part.starts_with('.'));
            let whole = folder.path().join(path);
            match () {
                () if recorded.made.contains(path) => Some(WhyNotCopied::Made),
                () if review::is_secret(&whole.to_string_lossy(), &scope) => Some(WhyNotCopied::Secret),
                () if is_hidden => Some(WhyNotCopied::Hidden),
                () => None,
            }
        };
        files.add_all(&folder, Path::new(""), &why_not).map_err(|error| usage(&error))?;
    }
    let mut wants: BTreeSet<&str> = BTreeSet::new();
    for wanted in &args.with {
        let below: PathBuf = wanted.strip_prefix(folder.path()).unwrap_or(wanted).components().collect();
        let changed = recorded.earlier.keys().find(|path| Path::new(path) == below);
        match files.add(&folder, wanted) {
            // A run deleted the file; its earlier content may still be stored.
            Err(CopyError::Missing(..)) if changed.is_some() => {}
            added => added.map_err(|error| usage(&error))?,
        }
        wants.extend(changed.map(String::as_str));
    }
    let is_hidden = |path: &str| path.split('/').any(|part| part.starts_with('.'));
    let config = UndoConfig { working: summary.cwd.clone(), ..factory.undo_config() };
    let mut copies = UndoStore::new(config);
    for (path, record) in &recorded.earlier {
        let is_wanted = wants.contains(path.as_str());
        if !is_wanted && !files.has(path) && (!args.copy || is_hidden(path)) {
            continue;
        }
        match copies.before(*record, &folder.path().join(path), MAX_EARLIER_BYTES) {
            Some((content, mode)) => files.add_earlier(path, content, mode).map_err(|error| usage(&error))?,
            None if is_wanted && !files.has(path) => {
                return Err(usage(&CopyError::Missing(path.into(), folder.path().to_owned())));
            }
            None => {}
        }
    }
    Ok(Some((files, folder)))
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
        for sitting in &self.recorded.sittings {
            let ended =
                self.repeat_period(sitting, &factory, &allowed, (&mut reporter, &mut is_told)).await?;
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
        sitting: &'a RecordedPeriod,
        factory: &SessionFactory,
        allowed: &AllowedThen,
        (reporter, is_told): (&mut ReplayReporter<'a, '_>, &mut bool),
    ) -> Result<Option<Ending>, Failure> {
        if sitting.runs().next().is_none() {
            reporter.expect(&sitting.steps)?;
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
        reporter.expect(&sitting.steps)?;
        if !reporter.is_wanted() {
            let _ = opened.driver.close().await;
            return Ok(None);
        }
        let blocks = sitting.runs().map(|run| self.within_limits(&run.bytes, factory.limits())).collect();
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
        let wish = ReplayOptions {
            network: self.args.allow_network,
            unconfined: self.args.sandbox == Some(SandboxLevel::Off),
            worked: self.summary.cwd.clone(),
        };
        let python = python.map(|(python, _)| python.path);
        Ok(factory.replaying(work, allowed, &wish, (now, python)))
    }

    /// The limits: at most the original ones and those configured today; `--timeout` replaces the time.
    fn within_limits(&self, block: &RecordedBlock, today: Limits) -> RecordedBlock {
        let mut limits = block.limits.at_most(&today);
        if let Some(time) = self.args.timeout {
            limits.wall_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        }
        RecordedBlock { limits, ..block.clone() }
    }

    /// Prints where the runs take place, what confines them, and which files they have.
    fn print_place(
        &self,
        report: &SandboxReport,
        allowed: &AllowedThen,
        err: &mut dyn std::io::Write,
    ) -> std::io::Result<()> {
        let runs = self.recorded.steps().filter(|step| step.repeats.is_ok()).count();
        let label = visible_line(self.summary.label());
        writeln!(err, "{label}: {} again, in {}", counted(runs, "run"), replay::folder(report))?;
        let wanted = self.args.allow_network;
        writeln!(err, "  {}", replay::network(report, wanted, allowed.network))?;
        if self.args.install && self.recorded.installs() {
            writeln!(err, "  {}", replay::FETCHED)?;
        }
        if let Some(files) = &self.copied {
            let count = counted(files.count(), "file");
            writeln!(err, "  {count} of {} copied ({})", self.summary.cwd.display(), size(files.bytes()))?;
            let mut left: Vec<_> = files.left_out().collect();
            // Of a folder that can't be read, more is missing than of the others.
            left.sort_by_key(|(_, why)| *why != WhyNotCopied::Unread);
            let left: Vec<String> =
                left.into_iter().filter_map(|(path, why)| describe_left_out(path, why)).collect();
            if !left.is_empty() {
                writeln!(err, "  {}: {}", replay::LEFT_OUT, first_names(&left, MAX_NAMES_SHOWN))?;
            }
        }
        let behind = self.left_behind();
        if !behind.is_empty() {
            let names: Vec<String> = behind.iter().map(|path| visible_line(path)).collect();
            writeln!(
                err,
                "  {}: {} (--with, --copy)",
                replay::NOT_COPIED,
                first_names(&names, MAX_NAMES_SHOWN)
            )?;
        }
        let is_earlier = |path: &&String| self.copied.as_ref().is_some_and(|files| files.is_earlier(path));
        let changed = self.recorded.changed.iter().filter(|path| self.has(path));
        let (then, now): (Vec<&String>, Vec<&String>) = changed.partition(is_earlier);
        for (paths, told) in [(then, replay::as_then as fn(&str) -> String), (now, replay::as_now)] {
            if let Some(first) = paths.first() {
                let more = and_more(paths.len() - 1);
                writeln!(err, "  {}{more}", told(&visible_line(first)))?;
            }
        }
        for block in &self.recorded.taken_back {
            writeln!(err, "  {}", replay::taken_back(*block))?;
        }
        Ok(())
    }

    fn has(&self, path: &str) -> bool {
        self.copied.as_ref().is_some_and(|files| files.has(path))
    }

    /// Files of the working folder that blocks name or changed, that no run made, and that were not copied.
    fn left_behind(&self) -> BTreeSet<String> {
        let reads = self.recorded.steps().filter(|step| step.repeats.is_ok()).flat_map(|step| &step.reads);
        let below = reads.filter_map(|path| {
            let path = Path::new(path);
            let below: PathBuf = path.strip_prefix(&self.summary.cwd).unwrap_or(path).components().collect();
            below.is_relative().then(|| below.to_string_lossy().into_owned())
        });
        let is_behind = |path: &String| {
            !self.recorded.made.contains(path)
                && !self.has(path)
                && (self.recorded.changed.contains(path)
                    || self.summary.cwd.join(path).symlink_metadata().is_ok_and(|found| !found.is_dir()))
        };
        below.chain(self.recorded.changed.iter().cloned()).filter(is_behind).collect()
    }
}

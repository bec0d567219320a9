//! `sayso exec`: runs files in their order, in one session of one executor. Naming a file is its approval; its review is
//! told all the same.
//!
//! All files are read before the first one runs: what was named is what runs.

mod told;

use super::{Console, check, input, setup};
use crate::app::house::House;
use crate::cli::{ExecArgs, Sandbox};
use crate::config::ExecutorChoice;
use crate::domain::sentences::sandbox;
use crate::domain::visible::visible_line;
use crate::domain::{
    BlockId, Language, Limits, Outcome, Review, Revision, RunEvent, RunId, RunReport, RunRequest,
    SandboxLevel, SandboxReport, Severity, Terms,
};
use crate::driver::Clock;
use crate::driver::review_with_links;
use crate::engine::approval;
use crate::exec::Executor;
use crate::report::{Failure, Kind};
use crate::review::Scope;
use crate::workspace::instructions;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

/// How long a program may take to end after an interrupt, until it is killed.
const PATIENCE: Duration = Duration::from_secs(2);

/// A file that was named.
struct Named {
    path: PathBuf,
    language: Language,
    source: Arc<str>,
}

/// What became of a file.
struct Ran {
    review: Review,
    terms: Option<Terms>,
    report: RunReport,
}

pub(super) async fn run(args: ExecArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let model = crate::cli::ModelArgs {
        cwd: args.cwd.clone(),
        executor: args.executor.clone(),
        confine: args.confine.clone(),
        ..Default::default()
    };
    // Files are named from where the person stands, whatever the folder is in which they start.
    let files = read(&args)?;
    let house = setup::house(&model, &setup::More::default())?;
    setup::tell(&house.loaded.notices, console.err)?;
    let languages = house.loaded.config.languages();
    let mut named = Vec::new();
    for (path, source) in files {
        let language = input::language(&path, args.language.as_deref(), &languages)?;
        named.push(Named { path, language, source });
    }
    let blobs = house.loaded.sessions().join("blobs").join(format!("exec-{}", uuid::Uuid::now_v7()));
    let executor = house.executor(blobs);
    let report = match executor.sandbox().await {
        Ok(report) => report,
        Err(why) => {
            executor.close().await;
            return Err(setup::no_sandbox(why));
        }
    };
    match house.loaded.config.executor {
        ExecutorChoice::Jupyter(_) => writeln!(console.err, "{}", sandbox::JUPYTER_WARNING)?,
        _ => warn(&report, args.confine.sandbox, console)?,
    }
    // What these files change in instructions of the project is not told to a model before the person has seen it.
    let search = house.instructions();
    instructions::run_begins(&search);
    let done = match fetch_missing(&args, &executor, &named, console).await {
        Ok(()) => all(&args, &house, &executor, &named, console).await,
        Err(failure) => Err(failure),
    };
    executor.close().await;
    instructions::runs_are_over(&search);
    match done? {
        Some(kind) => Err(Failure::told(kind)),
        None => Ok(()),
    }
}

/// Fetches the images that are missing, when that was asked for.
async fn fetch_missing(
    args: &ExecArgs,
    executor: &Executor,
    named: &[Named],
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    if !args.pull {
        return Ok(());
    }
    let mut interrupt = Interrupt::listen()?;
    for file in named {
        let Some(missing) = executor.missing(&file.language).await else { continue };
        writeln!(console.err, "fetching {}", visible_line(&missing.name))?;
        let (progress, mut lines) = mpsc::channel(64);
        let mut fetched = std::pin::pin!(executor.fetch(missing, progress));
        let fetched = loop {
            tokio::select! {
                Some(line) = lines.recv() => writeln!(console.err, "  {}", visible_line(&line))?,
                _ = interrupt.next() => return Err(Failure::told(Kind::Interrupted)),
                fetched = &mut fetched => break fetched,
            }
        };
        fetched
            .map_err(|why| Failure::new(Kind::Work, why).hint("Is the engine online? Is the name right?"))?;
    }
    Ok(())
}

/// Tells what is not enforced, unless the person said so.
fn warn(report: &SandboxReport, said: Option<Sandbox>, console: &mut Console<'_>) -> std::io::Result<()> {
    if report.level == SandboxLevel::Off && said != Some(Sandbox::Off) {
        writeln!(console.err, "{}", sandbox::OFF_WARNING)?;
        for layer in report.layers.iter().filter(|layer| !layer.active) {
            let why = layer.why.as_deref().unwrap_or("not here");
            writeln!(console.err, "  {}: {}", visible_line(&layer.name), visible_line(why))?;
        }
    }
    Ok(())
}

fn read(args: &ExecArgs) -> Result<Vec<(PathBuf, Arc<str>)>, Failure> {
    let text = |path: &PathBuf| input::read(path).map(|text| (path.clone(), Arc::from(text)));
    args.files.iter().map(text).collect()
}

/// Runs all files. Returns what kind of failure the whole is: an interrupt, else the first that did not end well.
async fn all(
    args: &ExecArgs,
    house: &House,
    executor: &Executor,
    named: &[Named],
    console: &mut Console<'_>,
) -> Result<Option<Kind>, Failure> {
    let mut limits = house.limits();
    if let Some(time) = args.timeout {
        limits.wall_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    }
    let job = Job { executor, limits, scope: house.scope(), json: args.json };
    let mut interrupt = Interrupt::listen()?;
    let mut failed = None;
    for (number, file) in (1u32..).zip(named) {
        let ran = job.one(number, file, &mut interrupt, console).await?;
        if args.json {
            told::json(file, &ran, console.out)?;
        } else {
            told::text(file, &ran, console)?;
        }
        if interrupt.happened() {
            return Ok(Some(Kind::Interrupted));
        }
        failed = failed.or(match ran.report.outcome {
            Outcome::Ok => None,
            Outcome::TimedOut => Some(Kind::TimedOut),
            _ => Some(Kind::Work),
        });
    }
    Ok(failed)
}

/// What holds for all files.
struct Job<'a> {
    executor: &'a Executor,
    limits: Limits,
    scope: Scope,
    json: bool,
}

impl Job<'_> {
    /// Reviews, approves and runs one file.
    async fn one(
        &self,
        number: u32,
        file: &Named,
        interrupt: &mut Interrupt,
        console: &mut Console<'_>,
    ) -> Result<Ran, Failure> {
        let terms = self.executor.terms(&file.language, Some(self.limits)).await;
        let review = self.review(file, terms.as_ref().ok()).await;
        for finding in review.findings.iter().filter(|f| f.severity >= Severity::Medium) {
            writeln!(console.err, "{}", check::finding_line(&file.path, finding))?;
        }
        let terms = match terms {
            Ok(terms) => terms,
            Err(why) => return Ok(Ran { review, terms: None, report: not_started(why) }),
        };
        let (run, block) = (RunId(number), (BlockId(number), Revision(1)));
        let now = Clock::System.now();
        let report = match approval::named(run, block, &file.source, &review, terms.clone(), now) {
            Ok(granted) => match RunRequest::new(granted, file.source.clone()) {
                Ok(request) => self.follow(request, interrupt, console).await?,
                Err(mismatch) => not_started(mismatch.to_string()),
            },
            Err(_) => forbidden(&review),
        };
        Ok(Ran { review, terms: Some(terms), report })
    }

    async fn review(&self, file: &Named, terms: Option<&Terms>) -> Review {
        // An earlier file may have changed the folder, and so what a relative path means.
        let cwd = terms.map_or(&self.scope.cwd, |terms| &terms.cwd).clone();
        let scope = Scope { cwd, ..self.scope.clone() };
        let (source, language) = (file.source.clone(), file.language.clone());
        let known = scope.clone();
        let work = tokio::task::spawn_blocking(move || review_with_links(&source, Some(&language), &scope).0);
        work.await.unwrap_or_else(|_| crate::review::unchecked("the checks broke off", &known))
    }

    /// Starts the run and follows it to its end.
    async fn follow(
        &self,
        request: RunRequest,
        interrupt: &mut Interrupt,
        console: &mut Console<'_>,
    ) -> Result<RunReport, Failure> {
        let run = request.approval().run();
        let (sender, mut events) = mpsc::channel(256);
        let mut live = told::Live::default();
        self.executor.start(request, sender);
        loop {
            tokio::select! {
                event = events.recv() => match event {
                    Some((_, RunEvent::Output(chunk))) if !self.json => live.print(&chunk, console)?,
                    Some((_, RunEvent::Ended(report))) => {
                        live.finish(console)?;
                        return Ok(*report);
                    }
                    Some(_) => {}
                    None => return Ok(not_started("the executor told no end".into())),
                },
                stop = interrupt.next() => match stop {
                    Stop::Interrupt => self.executor.interrupt(run),
                    Stop::Kill => self.executor.kill(run),
                },
            }
        }
    }
}

/// The report of a file that has something forbidden: the gate let nothing start.
fn forbidden(review: &Review) -> RunReport {
    let named = review.findings.iter().find(|finding| finding.forbidden);
    let why = named.map_or_else(String::new, |f| format!("line {}: {}", f.place.line, f.message));
    RunReport::bare(Outcome::Refused(why))
}

fn not_started(why: String) -> RunReport {
    RunReport::bare(Outcome::NotStarted(why))
}

/// The signals that stop the files.
struct Interrupt {
    by_key: Signal,
    by_system: Signal,
    count: u32,
    kill_at: Option<Instant>,
}

/// What to do about a run.
enum Stop {
    Interrupt,
    Kill,
}

impl Interrupt {
    fn listen() -> std::io::Result<Self> {
        let (by_key, by_system) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        Ok(Self { by_key, by_system, count: 0, kill_at: None })
    }

    /// Waits for the next signal, or until a program took too long to end after one.
    async fn next(&mut self) -> Stop {
        let kill_at = self.kill_at;
        let impatient = async {
            match kill_at {
                Some(at) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            Some(()) = self.by_key.recv() => {}
            Some(()) = self.by_system.recv() => {}
            () = impatient => {
                self.kill_at = None;
                return Stop::Kill;
            }
        }
        self.count += 1;
        if self.count > 1 {
            return Stop::Kill;
        }
        self.kill_at = Some(Instant::now() + PATIENCE);
        Stop::Interrupt
    }

    fn happened(&self) -> bool {
        self.count > 0
    }
}

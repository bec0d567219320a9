//! `sayso exec`: runs files in their order, in one session. Naming a file approves it; its review is shown all the
//! same.
//!
//! All files are read before the first one runs, so that exactly the named text runs. Engine and driver carry out the
//! runs as in every session; `reporter` shows them, on the `streams`.

mod reporter;
mod streams;

use super::{Console, check, input};
use crate::cli::ExecArgs;
use crate::config::ExecutorChoice;
use crate::domain::sentences::{sandbox, saving};
use crate::domain::visible::visible_line;
use crate::domain::{Limits, Policy, SandboxLevel, SandboxReport};
use crate::engine::NamedFile;
use crate::headless::{self, Ending, HeadlessOptions, TurnInput};
use crate::report::{self, Failure, FailureClass};
use crate::session::setup;
use reporter::{FileReporter, Retention};
use std::path::PathBuf;
use std::sync::Arc;

pub(super) async fn run(args: ExecArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let model = crate::cli::ModelArgs {
        cwd: args.cwd.clone(),
        executor: args.executor.clone(),
        confine: args.confine.clone(),
        ..Default::default()
    };
    // Paths on the command line are relative to the person's folder, not to the one in which the files run.
    let texts = read(&args)?;
    let factory = super::factory(&model, console)?;
    let named = |(path, source): (PathBuf, Arc<str>)| {
        let named = (path.as_path(), check::shebang_program(&source));
        let language = input::language(named, args.language.as_deref(), &factory.languages.all)?;
        Ok(NamedFile { path: path.to_string_lossy().into_owned(), language, source })
    };
    let files = texts.into_iter().map(named).collect::<Result<Vec<_>, Failure>>()?;
    let (opened, scratch) = if args.no_session {
        let (opened, scratch) = factory.begin_unkept(Policy::Ask);
        (opened, Some(scratch))
    } else {
        (factory.begin(None, Policy::Ask), None)
    };
    report::print_notices(&opened.notices, console.err)?;
    let report = match opened.driver.sandbox().await {
        Ok(report) => report,
        Err(why) => {
            let _ = opened.driver.close().await;
            return Err(setup::no_sandbox(why));
        }
    };
    match factory.loaded.config.executor {
        ExecutorChoice::Jupyter(_) => writeln!(console.err, "{}", sandbox::JUPYTER_WARNING)?,
        _ => warn(&report, args.confine.sandbox, console)?,
    }
    let kept = match &scratch {
        Some(_) => Retention::Nothing,
        None => {
            Retention::Session(opened.driver.session_path().file_stem().map(|id| id.to_string_lossy().into()))
        }
    };
    let limits = args.timeout.map(|time| Limits {
        wall_ms: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
        ..factory.limits()
    });
    let begin = TurnInput::Files { files, limits, fetch: args.pull };
    let options = HeadlessOptions { begin, json: args.json, session: None };
    let mut reporter = FileReporter::new(console, args.json, kept);
    let ended = match Box::pin(headless::run_with_observer(opened.driver, &options, &mut reporter)).await {
        Ok(ended) => ended,
        Err(why) => {
            // This error is told as well; standard error may have no reader either.
            let _ = reporter.end_error_line();
            return Err(why.into());
        }
    };
    drop(scratch);
    result(ended.ending, reporter.failure_class())
}

/// The result of the command. `failed`: of which class the first failure of a file was.
fn result(ending: Ending, failed: Option<FailureClass>) -> Result<(), Failure> {
    match (ending, failed) {
        (Ending::Interrupted, _) => Err(Failure::already_reported(FailureClass::Interrupted)),
        (ending @ Ending::Unsaved(_), _) => {
            Err(Failure::new(FailureClass::Session, ending.message()).hint(saving::WITHOUT_SESSION))
        }
        (_, Some(kind)) => Err(Failure::already_reported(kind)),
        (_, None) => Ok(()),
    }
}

/// Warns that there is no sandbox, unless the person turned it off.
fn warn(
    report: &SandboxReport,
    said: Option<SandboxLevel>,
    console: &mut Console<'_>,
) -> std::io::Result<()> {
    if report.level == SandboxLevel::Off && said != Some(SandboxLevel::Off) {
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

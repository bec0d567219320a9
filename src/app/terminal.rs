//! Runs the terminal front end from start to end: one session after another in the same terminal.

mod last_line;
mod switch;

use super::choice::{choose, is_untried, typed_address};
use super::folder;
use super::front_end::{self, FrontEnd, FrontEndKind};
use super::opening;
use super::start::{FirstInput, FirstSession, StartingPoint, first_input, place_of, source, start_of};
use crate::cli::{Cli, ModelArgs, ResumeArgs};
use crate::domain::{Notice, Policy};
use crate::provider::Provider;
use crate::report::{Failure, FailureClass};
use crate::session::factory::SessionFactory;
use crate::session::opening::OpenSession;
use crate::session::setup::{self, SessionOptions};
use crate::session::{borders, log, terminal_options};
use crate::store::StoreError;
use crate::tui::setup::SessionPick;
use crate::tui::{Choice, Exit, Options, keymap};
use last_line::close;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use switch::{branch, session_stays, switch_to};

/// Runs the terminal front end until the person quits.
///
/// # Errors
/// Why it could not start; the terminal is then as it was before.
pub(super) fn run(
    cli: &Cli,
    resume: Option<ResumeArgs>,
    prompt: Option<String>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    keymap::prewarm();
    let kind = front_end::kind(cli.plain || resume.as_ref().is_some_and(|args| args.plain))?;
    let (model, pick) = match &resume {
        Some(args) => (args.model.clone().or(&cli.model), true),
        None => (cli.model.clone(), false),
    };
    let factory = factory(&model, cli)?;
    factory.languages.prewarm();
    let env = factory.place.env();
    log::start(factory.loaded.paths.log(), env("SAYSO_LOG"), factory.masker());
    let (start, place) = match resume {
        Some(args) => (start_of(&factory, &args)?, place_of(&args)?),
        None => (cli.session.clone().map_or(FirstSession::New, FirstSession::File), None),
    };
    let (factory, model) = match &start {
        FirstSession::File(path) if model.cwd.is_none() => in_its_folder(factory, model, path, cli, out)?,
        _ => (factory, model),
    };
    let mut source = source(&factory, &model, pick)?;
    source.factory.begin_versions();
    source.factory.run_terminals = kind == FrontEndKind::Panes;
    let mut first = first_input(cli, prompt, source.begins.clone().filter(|_| !pick), &source.factory)?;
    first.place = place;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime =
        runtime.map_err(|e| Failure::new(FailureClass::Work, format!("the system gives no threads: {e}")))?;
    let last = runtime.block_on(sessions(source, start, first, kind));
    // A task that does not end must not keep the program from exiting.
    runtime.shutdown_background();
    if let Some(line) = last? {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn factory(model: &ModelArgs, cli: &Cli) -> Result<SessionFactory, Failure> {
    setup::factory(model, &SessionOptions { theme: cli.theme.clone(), ..SessionOptions::default() })
}

/// Asks where to continue a session of another folder. If there, loads the configuration of that folder.
fn in_its_folder(
    factory: SessionFactory,
    model: ModelArgs,
    path: &Path,
    cli: &Cli,
    out: &mut dyn Write,
) -> Result<(SessionFactory, ModelArgs), Failure> {
    let folder = folder::of(&factory, path);
    match folder::ask(&folder, &factory.place.cwd, &mut io::stdin().lock(), out)? {
        None => Ok((factory, model)),
        Some(was) => {
            let model = ModelArgs { cwd: Some(was), ..model };
            Ok((self::factory(&model, cli)?, model))
        }
    }
}

/// Runs one session after another; returns the line that says how to continue the last one.
async fn sessions(
    source: StartingPoint,
    start: FirstSession,
    first: FirstInput,
    kind: FrontEndKind,
) -> Result<Option<String>, Failure> {
    let StartingPoint { mut factory, mut provider, notices, .. } = source;
    let mut options = first_options(&factory, provider.as_ref(), first)?;
    options.setup.pick_session = matches!(start, FirstSession::Pick).then_some(SessionPick::Newest);
    tell_first(&mut options, notices, kind);
    let (mut opened, taken) = match &start {
        FirstSession::File(path) => open(&factory, path, provider.clone(), (kind, &options)).await?,
        FirstSession::New | FirstSession::Pick => (factory.begin(provider.clone(), Policy::Ask), None),
    };
    // The session of another folder that the person was warned of. Opening it again confirms it.
    let mut warned: Option<PathBuf> = None;
    let mut front_end =
        taken.map_or_else(|| FrontEnd::open(kind, &options), Ok).map_err(terminal_options::failure)?;
    loop {
        options.notices.append(&mut opened.notices);
        options.setup.damage = std::mem::take(&mut opened.damage);
        options.setup.foreign = opened.foreign.take();
        options.setup.try_provider &= opened.driver.has_provider();
        let exit = match front_end.run(&mut opened.driver, &options).await {
            Ok(exit) => exit,
            Err(error) => {
                // As at any other end, the run is ended and its end recorded.
                let told = Box::pin(close(&factory, front_end, opened)).await;
                let failure = terminal_options::failure(error);
                return Err(match told {
                    Some(told) => failure.hint(told),
                    None => failure,
                });
            }
        };
        after_session(&factory, (&front_end, &exit), &mut options);
        let next = match exit {
            Exit::Quit | Exit::Hangup => {
                return Ok(Box::pin(close(&factory, front_end, opened)).await);
            }
            Exit::UseProvider(choice) => {
                let source = (&mut factory, &mut provider);
                match use_choice(choice, source, &mut opened, &mut options).await {
                    Some(begun) => Ok(begun),
                    None => continue,
                }
            }
            Exit::Branch(point) => {
                let made = branch(&factory, &mut opened, point).await;
                let (path, notice) =
                    made.map_or_else(|notice| (None, notice), |(path, told)| (Some(path), told));
                options.notices.push(notice);
                let Some(path) = path else { continue };
                Box::pin(opening::over(&mut front_end, &factory, path, provider.clone(), &options)).await
            }
            Exit::NewSession => Ok(factory.begin(provider.clone(), Policy::Ask)),
            Exit::OpenSession(path, place) => {
                options.setup.place = place;
                if session_stays(&factory, &opened, &path, (&mut warned, &mut options)) {
                    continue;
                }
                Box::pin(opening::over(&mut front_end, &factory, path, provider.clone(), &options)).await
            }
        };
        Box::pin(switch_to(next, &mut opened, &mut options)).await;
        options.setup.cwd.clone_from(&factory.place.cwd);
        options.setup.opening = terminal_options::opening(provider.as_ref());
    }
}

/// Switches to the chosen source of replies. Returns a new session if that source can't answer in the open one.
async fn use_choice(
    choice: Choice,
    (factory, provider): (&mut SessionFactory, &mut Option<Provider>),
    opened: &mut OpenSession,
    options: &mut Options,
) -> Option<OpenSession> {
    match choose(factory, choice, opened.driver.state()).await {
        Ok((chosen, None)) => {
            options.setup.address = None;
            opened.driver.use_provider(chosen.clone());
            *provider = Some(chosen);
            options.setup.opening = terminal_options::opening(provider.as_ref());
            None
        }
        Ok((chosen, Some(elsewhere))) => {
            (*provider, *factory) = (Some(chosen), elsewhere);
            Some(factory.begin(provider.clone(), Policy::Ask))
        }
        Err(why) => {
            options.setup.try_provider = false;
            options.notices.push(Notice::error(why.to_string()));
            None
        }
    }
}

/// The options of the terminal, including the input of the first session.
fn first_options(
    factory: &SessionFactory,
    provider: Option<&Provider>,
    first: FirstInput,
) -> Result<Options, Failure> {
    // Blocks of a file need no model.
    let mut options = terminal_options::options(factory, provider.is_none() && first.file.is_none())?;
    options.setup.opening = terminal_options::opening(provider);
    (options.first_prompt, options.first_file, options.first_recipe) =
        (first.prompt, first.file, first.recipe);
    options.setup.place = first.place;
    options.setup.cwd.clone_from(&factory.place.cwd);
    Ok(options)
}

/// Adds the notices of the start to the first screen. Only panes have a theme, so only they warn about one.
fn tell_first(options: &mut Options, mut notices: Vec<Notice>, kind: FrontEndKind) {
    if kind == FrontEndKind::Panes {
        notices.extend(terminal_options::theme_warning(options));
    }
    options.notices.extend(notices);
}

/// Cleans up after a session was left: drops the input it started with, and saves moved borders for later sessions
/// and starts.
fn after_session(factory: &SessionFactory, (front_end, exit): (&FrontEnd, &Exit), options: &mut Options) {
    options.setup.try_provider = matches!(exit, Exit::UseProvider(choice) if is_untried(choice));
    options.setup.address = match exit {
        Exit::UseProvider(choice) => typed_address(factory, choice),
        _ => None,
    };
    if let Some(moved) = front_end.borders().filter(|borders| *borders != options.setup.borders) {
        options.setup.borders = moved;
        borders::save(&factory.loaded.paths.borders(), moved);
    }
    (options.first_prompt, options.first_file, options.first_recipe) = (None, None, None);
    (options.setup.pick_session, options.setup.place) = (None, None);
    options.notices.clear();
}

/// Opens the session in this file, or starts a new one there if the file does not exist. Also returns the front end
/// if it had to take the terminal for that.
async fn open(
    factory: &SessionFactory,
    path: &Path,
    provider: Option<Provider>,
    front_end: (FrontEndKind, &Options),
) -> Result<(OpenSession, Option<FrontEnd>), Failure> {
    if !path.exists() {
        return Ok((factory.begin_at(path, provider, Policy::Ask), None));
    }
    let (opened, taken) = opening::at_start(factory, path.to_owned(), provider, front_end).await;
    let error = match opened {
        Ok(opened) => return Ok((opened, taken)),
        Err(error) => error,
    };
    if let Some(front_end) = taken {
        front_end.close();
    }
    let hint = match &error {
        StoreError::Stopped => return Err(Failure::already_reported(FailureClass::Interrupted)),
        StoreError::Locked { .. } => "Close it there, or begin a new session.",
        StoreError::Newer { .. } => "Nothing was changed in it.",
        _ => "sayso sessions list shows all sessions.",
    };
    Err(Failure::new(FailureClass::Session, error.to_string()).hint(hint))
}

//! `sayso run`: one turn without a terminal.

use super::{Console, input, setup};
use crate::app::house::House;
use crate::cli::{self, Approve, RunArgs, Sandbox};
use crate::domain::{Policy, SandboxLevel};
use crate::engine::state::Question;
use crate::headless::{self, Ending, Options};
use crate::report::{Failure, Kind};
use std::path::Path;

pub(super) async fn run(args: RunArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let prompt = prompt(&args)?;
    let policy = policy(&args);
    let more = setup::More { max_steps: args.max_steps, ..setup::More::default() };
    let house = setup::house(&args.model, &more)?;
    setup::tell(&house.loaded.notices, console.err)?;
    let (provider, house) = match &args.model.demo {
        Some(story) => setup::demo(&house, story, args.model.cwd.is_none())?,
        None => {
            let (provider, notices) = setup::provider(&house).await?;
            setup::tell(&notices, console.err)?;
            (provider, house)
        }
    };
    may_approve(&args, &house).await?;
    let opened = house.begin(Some(provider), policy);
    setup::tell(&opened.notices, console.err)?;
    let id = opened.driver.session_path().file_stem().map(|id| id.to_string_lossy().into_owned());
    let waiting_hint = match id {
        Some(id) => format!("Decide in the terminal: sayso resume {id}"),
        None => "Decide in the terminal: sayso resume --last".to_owned(),
    };
    let options = Options { prompt, json: args.json, waiting_hint };
    let ending = headless::run(opened.driver, &options, console.out, console.err).await?;
    failure(&ending, &options)
}

/// What is asked: the argument, or standard input for `-`.
fn prompt(args: &RunArgs) -> Result<String, Failure> {
    let written = cli::prompt(&args.words, &args.rest);
    let written = written.map_err(|error| Failure::new(Kind::Usage, error.to_string()).hint(error.hint()))?;
    let prompt = match written {
        Some(dash) if dash == "-" && args.rest.is_empty() => input::read(Path::new("-"))?,
        Some(prompt) => prompt,
        None => String::new(),
    };
    if prompt.trim().is_empty() {
        return Err(Failure::new(Kind::Usage, "nothing was asked").hint(
            "sayso run \"how many lines has README.md?\", or sayso run - with the prompt on standard input.",
        ));
    }
    Ok(prompt)
}

/// What may run without being asked about.
fn policy(args: &RunArgs) -> Policy {
    match args.approve {
        Approve::Never => Policy::Ask,
        Approve::Clean => Policy::Clean,
        Approve::All => Policy::All,
    }
}

/// Whether blocks may be approved by themselves here: in a sandbox that holds, or where none is what the person said.
async fn may_approve(args: &RunArgs, house: &House) -> Result<(), Failure> {
    if args.approve == Approve::Never || args.model.confine.sandbox == Some(Sandbox::Off) {
        return Ok(());
    }
    let report = setup::sandbox(house).await?;
    if report.level != SandboxLevel::Off {
        return Ok(());
    }
    let what = "blocks are not approved without a sandbox: they could do anything that your account can";
    let why = report.why_off();
    let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
    Err(Failure::new(Kind::Usage, format!("{what}{why}"))
        .hint("To run them all the same, say so: --sandbox off"))
}

/// The exit code of an ending, and what is told of it on standard error.
fn failure(ending: &Ending, options: &Options) -> Result<(), Failure> {
    let kind = match ending {
        Ending::Done => return Ok(()),
        Ending::Asked(Question::Budget { .. } | Question::Form(_)) => Kind::Decision,
        Ending::BlockFailed(_) | Ending::Asked(_) => Kind::Work,
        Ending::TimedOut => Kind::TimedOut,
        Ending::CutShort(_) | Ending::Provider(_) => Kind::Provider,
        Ending::Unsaved(_) => Kind::Session,
        Ending::Waiting(..) => Kind::Decision,
        Ending::Interrupted => Kind::Interrupted,
    };
    let failure = Failure::new(kind, ending.message());
    Err(match ending {
        Ending::Waiting(..) => failure.hint(&options.waiting_hint),
        Ending::Provider(provider) if !provider.hint.is_empty() => failure.hint(&provider.hint),
        Ending::CutShort(_) => failure.hint("What came of it is kept in the session."),
        Ending::Asked(Question::Budget { .. }) => {
            failure.hint("[budget] session in the configuration allows more.")
        }
        Ending::Asked(_) => failure.hint("--max-steps N allows more."),
        _ => failure,
    })
}

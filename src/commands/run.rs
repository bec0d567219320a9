//! `sayso run`: one turn without a terminal.

use super::{Console, begin, input};
use crate::cli::{self, RunArgs};
use crate::domain::sentences::sandbox;
use crate::domain::{Policy, SandboxLevel};
use crate::engine::state::Question;
use crate::headless::{self, Ending, HeadlessOptions, TurnInput, TurnResult};
use crate::report::{self, Failure, FailureClass};
use crate::session::factory::SessionFactory;
use crate::session::setup;
use std::path::Path;

pub(super) async fn run(args: RunArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let prompt = prompt(&args)?;
    if prompt.is_none() && args.recipe.recipe.is_none() && args.model.demo.is_none() {
        return Err(nothing_asked());
    }
    let more = setup::SessionOptions { max_steps: args.max_steps, ..setup::SessionOptions::default() };
    let factory = super::factory_with(&args.model, &more, console)?;
    let (provider, factory, begins) = match &args.model.demo {
        Some(story) => {
            let demo = setup::demo(&factory, story, args.model.cwd.is_none())?;
            (demo.provider, demo.factory, demo.begins)
        }
        None => {
            let (provider, notices) = setup::provider(&factory).await?;
            report::print_notices(&notices, console.err)?;
            (provider, factory, None)
        }
    };
    let begin = match begin(&args, prompt, begins, &factory)? {
        // A prompt that a script assembled may name files that the person does not know of.
        TurnInput::Prompt(text) if !args.files => TurnInput::Text(text),
        begin => begin,
    };
    may_approve(&args, &factory).await?;
    let opened = factory.begin(Some(provider), args.approve);
    report::print_notices(&opened.notices, console.err)?;
    let id = opened.driver.session_path().file_stem().map(|id| id.to_string_lossy().into_owned());
    let options = HeadlessOptions { begin, json: args.json, session: id };
    let ended = headless::run(opened.driver, &options, console.out, console.err).await?;
    failure(&ended, &options, &factory)
}

/// The input of the turn: a recipe, or the prompt.
fn begin(
    args: &RunArgs,
    prompt: Option<String>,
    story: Option<setup::ChosenRecipe>,
    factory: &SessionFactory,
) -> Result<TurnInput, Failure> {
    match begin::chosen_recipe(&args.recipe, story, prompt, || factory.recipes())? {
        (Some(chosen), _) => {
            begin::check_answers(&chosen, &factory.recipes())?;
            Ok(TurnInput::Recipe { name: chosen.name, given: chosen.given })
        }
        (None, Some(prompt)) => Ok(TurnInput::Prompt(prompt)),
        (None, None) => Err(nothing_asked()),
    }
}

fn nothing_asked() -> Failure {
    Failure::new(FailureClass::Usage, "nothing was asked").hint(
        "sayso run \"how many lines has README.md?\", or sayso run - with the prompt on standard input.",
    )
}

/// The prompt: the argument, or standard input for `-`.
fn prompt(args: &RunArgs) -> Result<Option<String>, Failure> {
    let written = cli::prompt(&args.words, &args.rest);
    let written =
        written.map_err(|error| Failure::new(FailureClass::Usage, error.to_string()).hint(error.hint()))?;
    let prompt = match written {
        Some(dash) if dash == "-" && args.rest.is_empty() => input::read(Path::new("-"))?,
        Some(prompt) => prompt,
        None => return Ok(None),
    };
    if prompt.trim().is_empty() { Err(nothing_asked()) } else { Ok(Some(prompt)) }
}

/// Checks whether blocks may be approved automatically: in a working sandbox, or without one if the person turned it
/// off.
async fn may_approve(args: &RunArgs, factory: &SessionFactory) -> Result<(), Failure> {
    if args.approve == Policy::Ask || args.model.confine.sandbox == Some(SandboxLevel::Off) {
        return Ok(());
    }
    let report = setup::sandbox(factory).await?;
    if report.level != SandboxLevel::Off {
        return Ok(());
    }
    Err(Failure::new(FailureClass::Usage, sandbox::none_approved(&report.why_off())).hint(sandbox::SAY_SO))
}

/// Turns an ending into a failure with exit code, message and hint.
fn failure(ended: &TurnResult, options: &HeadlessOptions, factory: &SessionFactory) -> Result<(), Failure> {
    let TurnResult { ending, hint } = ended;
    if let (Ending::Refused(misfits), TurnInput::Recipe { name, .. }) = (ending, &options.begin) {
        let recipes = factory.recipes();
        let recipe = recipes.iter().find(|recipe| recipe.card().name == *name);
        let form = recipe.map(|recipe| recipe.card().inputs.clone()).unwrap_or_default();
        return Err(begin::answers_failure(name, misfits, &form));
    }
    let kind = match ending {
        Ending::Done => return Ok(()),
        Ending::Asked(Question::Budget { .. } | Question::Form(_)) => FailureClass::Decision,
        Ending::BlockFailed(_) | Ending::Asked(_) | Ending::Recipe(..) => FailureClass::Work,
        Ending::Refused(_) | Ending::NotAttached(_) => FailureClass::Usage,
        Ending::TimedOut => FailureClass::TimedOut,
        Ending::IncompleteReply(..) | Ending::EmptyReply | Ending::Provider(_) => FailureClass::Provider,
        Ending::Unsaved(_) => FailureClass::Session,
        Ending::Waiting(..) => FailureClass::Decision,
        Ending::Interrupted => FailureClass::Interrupted,
    };
    let failure = Failure::new(kind, ending.message());
    Err(if hint.is_empty() { failure } else { failure.hint(hint) })
}

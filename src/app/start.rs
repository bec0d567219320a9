//! What the terminal starts with: the session, the first input, and the source of replies.

use crate::cli::{Cli, ModelArgs, ResumeArgs};
use crate::commands::begin;
use crate::domain::Notice;
use crate::engine::OpenedFile;
use crate::provider::Provider;
use crate::report::{Failure, FailureClass};
use crate::session::factory::SessionFactory;
use crate::session::setup;
use crate::store::index;
use crate::store::search::LocationError;
use crate::tui::FirstRecipe;
use crate::tui::setup::FoundLocation;
use std::path::PathBuf;

pub(super) enum FirstSession {
    New,
    /// A new session, with the list of earlier ones shown over it.
    Pick,
    File(PathBuf),
}

/// The input that a session starts with.
pub(super) struct FirstInput {
    pub(super) prompt: Option<String>,
    pub(super) file: Option<OpenedFile>,
    pub(super) recipe: Option<FirstRecipe>,
    /// The place in the session to show first.
    pub(super) place: Option<FoundLocation>,
}

/// The first input from the command line or the story.
pub(super) fn first_input(
    cli: &Cli,
    prompt: Option<String>,
    story: Option<setup::ChosenRecipe>,
    factory: &SessionFactory,
) -> Result<FirstInput, Failure> {
    // A story's recipe is shown before it starts; a recipe the person named on the command line starts at once.
    let shown = story.is_some();
    let file = cli.from.as_deref().map(|path| begin::open_file(path, &factory.languages.all)).transpose()?;
    let (recipe, prompt) = begin::chosen_recipe(&cli.recipe, story, prompt, || factory.recipes())?;
    let recipe = recipe.map(|chosen| FirstRecipe { name: chosen.name, answers: chosen.given, shown });
    Ok(FirstInput { prompt, file, recipe, place: None })
}

/// The session that the arguments of `sayso resume` name.
pub(super) fn start_of(factory: &SessionFactory, args: &ResumeArgs) -> Result<FirstSession, Failure> {
    let failed = |what: String| {
        Failure::new(FailureClass::Session, what).hint("sayso sessions list shows all of them.")
    };
    if args.last {
        let last = index::last(&factory.loaded.sessions(), None);
        return last
            .map(|s| FirstSession::File(s.path))
            .ok_or_else(|| failed("there is no session yet".into()));
    }
    match &args.session {
        Some(wanted) => {
            factory.find_session(wanted).map(FirstSession::File).map_err(|error| failed(error.to_string()))
        }
        None => Ok(FirstSession::Pick),
    }
}

/// The place in the session that `--at` names.
pub(super) fn place_of(args: &ResumeArgs) -> Result<Option<FoundLocation>, Failure> {
    let Some(at) = &args.at else { return Ok(None) };
    if args.session.is_none() && !args.last {
        return Err(Failure::new(FailureClass::Usage, "--at is a place of a session: name it, or --last"));
    }
    let place = at
        .parse()
        .map_err(|why: LocationError| Failure::new(FailureClass::Usage, format!("{at:?}: {why}")))?;
    Ok(Some(FoundLocation { place, words: args.find.clone().unwrap_or_default() }))
}

/// The source of replies that was asked for, else one for which a key was found, if any. Contacts no server, so that
/// the first frame is not delayed.
pub(super) fn source(
    factory: &SessionFactory,
    model: &ModelArgs,
    resumed: bool,
) -> Result<StartingPoint, Failure> {
    let none = StartingPoint { provider: None, factory: factory.clone(), notices: Vec::new(), begins: None };
    if let Some(story) = &model.demo {
        let demo = setup::demo(factory, story, model.cwd.is_none() && !resumed)?;
        return Ok(StartingPoint {
            provider: Some(demo.provider),
            factory: demo.factory,
            begins: demo.begins,
            ..none
        });
    }
    if let Some(provider) = setup::chosen(factory)? {
        return Ok(StartingPoint { provider: Some(provider), ..none });
    }
    // A resumed session names its own model.
    let found = if resumed { Ok(None) } else { setup::by_key(factory) };
    Ok(match found {
        Ok(Some((provider, notice))) => {
            StartingPoint { provider: Some(provider), notices: vec![notice], ..none }
        }
        Ok(None) => none,
        // The terminal asks for a source of replies, and the person has to know why.
        Err(error) => StartingPoint { notices: vec![Notice::warn(error.to_string())], ..none },
    })
}

pub(super) struct StartingPoint {
    pub(super) provider: Option<Provider>,
    /// The factory for the folder that the session works in.
    pub(super) factory: SessionFactory,
    /// What to tell the person about this start.
    pub(super) notices: Vec<Notice>,
    /// The recipe that the story starts with.
    pub(super) begins: Option<setup::ChosenRecipe>,
}

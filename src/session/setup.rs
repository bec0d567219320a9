//! Makes the factory from the command line, and finds the source of replies that was asked for.

use super::factory::SessionFactory;
use super::process_context::ProcessContext;
use super::source;
use crate::cli::ModelArgs;
use crate::config::{self, ConfigError, Flags, Paths};
use crate::domain::sentences::sandbox::CORRECT_FOLDER;
use crate::domain::{Answers, ModelName, Notice, SCRIPTED, SandboxReport};
use crate::driver::catalogue::{self, Catalogue};
use crate::exec::ExecutorError;
use crate::launch::private_folder;
use crate::provider::script::Script;
use crate::provider::{ConnectError, Provider, ProviderSetup};
use crate::report::{Failure, FailureClass, reason};
use crate::store;
use crate::text::system_error::words;
use crate::workspace::folder;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Command line options, besides those of the model, that override configuration values.
#[derive(Clone, Debug, Default)]
pub(crate) struct SessionOptions {
    pub(crate) theme: Option<String>,
    pub(crate) max_steps: Option<u32>,
    /// `--timeout SECONDS`, which the configuration rounds up to whole seconds. A caller that needs fractions handles
    /// them itself.
    pub(crate) timeout: Option<Duration>,
}

/// Makes the factory of this process.
pub(crate) fn factory(model: &ModelArgs, more: &SessionOptions) -> Result<SessionFactory, Failure> {
    let place = ProcessContext::find(model.cwd.as_deref())
        .map_err(|error| no_folder(model.cwd.as_deref(), &error))?;
    let env = place.env();
    let confine = &model.confine;
    let flags = Flags {
        model: model.model.clone(),
        base_url: model.base_url.clone(),
        theme: more.theme.clone(),
        max_steps: more.max_steps,
        executor: model.executor.as_ref().map(ToString::to_string),
        timeout: more.timeout.map(|time| time.as_secs_f64().ceil() as u64),
        sandbox: confine.sandbox,
        allow_read: confine.allow_read.clone(),
        allow_write: confine.allow_write.clone(),
        allow_network: confine.allow_network,
        memory: confine.memory.map(|mib| mib << 20),
        processes: confine.processes,
    };
    let paths = Paths::find(&env).map_err(|error| broken(&error))?;
    let loaded = config::load(&paths, &place.cwd, &env, &flags).map_err(|error| broken(&error))?;
    // Removes what a killed sayso left behind.
    private_folder::sweep();
    store::sweep(&loaded.sessions());
    Ok(SessionFactory::new(loaded, place))
}

fn no_folder(wanted: Option<&Path>, error: &io::Error) -> Failure {
    match wanted {
        Some(folder) => {
            let what = format!("can't work in {}: {}", folder.display(), reason(error));
            Failure::new(FailureClass::Usage, what).hint("Name a folder that is there with --cwd.")
        }
        None => {
            let what = format!("the working folder can't be used: {}", reason(error));
            Failure::new(FailureClass::Usage, what)
                .hint("Go to a folder that is there, or name one with --cwd.")
        }
    }
}

/// Reports a configuration that can't be used, with a hint.
pub(crate) fn broken(error: &ConfigError) -> Failure {
    let hint = match error {
        ConfigError::Invalid(_) => "Correct that line; sayso config check reads all files again.",
        ConfigError::Value { .. } => "Correct the value, or leave it out.",
        ConfigError::Io { .. } => "Make the file readable, or move it away.",
        ConfigError::Credentials { .. } => "Nothing was read from it.",
        ConfigError::NoHome => "Nothing was read or written.",
        ConfigError::Flaw(_) => "Please report this with your configuration.",
    };
    Failure::new(FailureClass::Config, error.to_string()).hint(hint)
}

/// What the sandbox enforces on this machine, found by testing it.
pub(crate) async fn sandbox(factory: &SessionFactory) -> Result<SandboxReport, Failure> {
    let executor = factory.executor(factory.loaded.sessions().join("blobs"));
    let report = executor.sandbox().await;
    executor.close().await;
    report.map_err(no_sandbox)
}

/// Reports that the requested sandbox can't be set up. In a session that is repeated, earlier runs may have ended by
/// then.
pub(crate) fn no_sandbox(why: ExecutorError) -> Failure {
    let hint = if why.is_about_named_folder() {
        CORRECT_FOLDER
    } else {
        "sayso doctor tells what is missing and how to get it; no run begins before that."
    };
    Failure::new(FailureClass::Usage, why.to_string()).hint(hint)
}

pub(crate) struct Demo {
    pub(crate) provider: Provider,
    /// The factory for the folder that the demo works in.
    pub(crate) factory: SessionFactory,
    pub(crate) begins: Option<ChosenRecipe>,
}

/// A recipe that a session starts with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChosenRecipe {
    pub(crate) name: String,
    /// Answers that were given beforehand: to its inputs, and to what it may ask later.
    pub(crate) given: Answers,
}

/// Prepares a demo: its source of replies, and its folder. The folder is a fresh one if `own_folder`; otherwise the
/// story's missing files are added to the working folder.
pub(crate) fn demo(factory: &SessionFactory, wanted: &str, own_folder: bool) -> Result<Demo, Failure> {
    let text = source::story_text(wanted).map_err(|error| {
        let hint = format!("{} Or name a file. A prompt goes behind --.", source::stories());
        Failure::new(FailureClass::Usage, format!("no story {wanted:?}: {}", reason(&error))).hint(hint)
    })?;
    let story = Script::parse(&text, wanted)
        .map_err(|error| Failure::new(FailureClass::Usage, error.to_string()).hint(error.hint))?;
    let failed = |error: &dyn std::fmt::Display| {
        Failure::new(FailureClass::Work, format!("the demo's folder can't be made ready: {}", words(error)))
            .hint("Name another folder with --cwd.")
    };
    let name = match Script::shipped(wanted) {
        Some(_) => wanted.to_owned(),
        None => Path::new(wanted).file_stem().map_or_else(|| "demo".into(), |s| s.to_string_lossy().into()),
    };
    let mut factory = factory.clone();
    if own_folder {
        let made = folder::fresh(&factory.loaded.paths.demo(), &name, story.files());
        factory.place = factory.place.with_cwd(made.map_err(|error| failed(&error))?);
    } else {
        folder::add_missing(&factory.place.cwd, story.files()).map_err(|error| failed(&error))?;
    }
    let begins = story.first_recipe().cloned().map(|(name, given)| ChosenRecipe { name, given });
    let model = ModelName { provider: SCRIPTED.into(), model: name };
    let provider = Provider::new(ProviderSetup::Scripted { name: model, story });
    let provider =
        provider.map_err(|e| Failure::new(FailureClass::Provider, e.to_string()).hint(e.hint()))?;
    Ok(Demo { provider, factory, begins })
}

/// The source of replies that was asked for, else the first one found: by a key, then a server on this computer. Also
/// returns notices about what was found.
pub(crate) async fn provider(factory: &SessionFactory) -> Result<(Provider, Vec<Notice>), Failure> {
    if let Some(provider) = chosen(factory)? {
        return Ok((provider, factory.keys.take_notices()));
    }
    let unusable = match by_key(factory) {
        Ok(Some((provider, notice))) => return Ok((provider, vec![notice])),
        Ok(None) => None,
        Err(error) => Some(error),
    };
    if let Some((provider, address)) = local(factory).await {
        let text = format!("{} answers: its server was found at {address}.", provider.name());
        // A key comes before a server, so the person has to know why the key that was found did not decide.
        let unusable = unusable.map(|error| Notice::warn(error.to_string()));
        return Ok((provider, unusable.into_iter().chain([Notice::info(text)]).collect()));
    }
    Err(match unusable {
        Some(error) => Failure::new(FailureClass::Provider, error.what).hint(error.hint),
        None => Failure::new(FailureClass::Provider, "no model is chosen")
            .hint("Name one with --model PROVIDER/MODEL, or try --demo; sayso doctor tells what is there."),
    })
}

/// A source of replies for which a key was found, and the notice about it; `None` if no key was found.
///
/// # Errors
/// If no key that was found can be used.
pub(crate) fn by_key(factory: &SessionFactory) -> Result<Option<(Provider, Notice)>, ConnectError> {
    let Some((provider, kept)) = factory.provider_by_key()? else { return Ok(None) };
    let told = format!("{} answers: its key was found ({kept}).", provider.name());
    let notice = Notice::info(format!("{told} --model or /model chooses another."))
        .headless(format!("{told} --model chooses another."));
    Ok(Some((provider, notice)))
}

/// The source of replies that was chosen; `None` if none was.
pub(crate) fn chosen(factory: &SessionFactory) -> Result<Option<Provider>, Failure> {
    let chosen = factory
        .chosen_provider()
        .map_err(|error| Failure::new(FailureClass::Provider, error.what).hint(error.hint))?;
    match (&factory.loaded.config.base_url, &chosen) {
        (Some(address), None) => {
            let address = config::without_secrets(address);
            let what = format!("no model is named for {address}");
            let hint =
                format!("sayso models openai --base-url {address} lists them; then --model openai/MODEL");
            Err(Failure::new(FailureClass::Provider, what).hint(hint))
        }
        _ => Ok(chosen),
    }
}

/// The first model of the first server that answers on this computer, and the server's address.
async fn local(factory: &SessionFactory) -> Option<(Provider, String)> {
    let asked = factory.clone();
    let catalogue: Catalogue = Arc::new(move || asked.sources(None));
    let offers = catalogue::local_servers(&catalogue).await;
    let (offer, model) = offers.iter().find_map(|offer| Some((offer, offer.models().first()?)))?;
    Some((factory.provider(&model.name).ok()?, offer.address.clone().unwrap_or_default()))
}

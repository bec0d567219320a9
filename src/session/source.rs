//! Makes the source of replies for a model that the configuration resolved.

use crate::config::{self, ChoiceError, ChosenModel, FormatKind};
use crate::provider::script::Script;
use crate::provider::{ConnectError, Provider, ProviderSetup, Server};
use secrecy::SecretString;
use std::io;

/// Makes a source of replies. Uses no network: the first request connects.
pub(super) fn connect(chosen: ChosenModel, key: Option<SecretString>) -> Result<Provider, ConnectError> {
    let ChosenModel { name, provider } = chosen;
    if provider.kind == FormatKind::Scripted {
        let story = story(&name.model)?;
        return Ok(Provider::new(ProviderSetup::Scripted { name, story })?);
    }
    let base_url = provider.address().map(str::to_owned);
    let base_url = base_url.ok_or_else(|| choice_error(&ChoiceError::NoAddress(name.provider.clone())))?;
    let headers = config::keys::headers(&provider).sent;
    let query = config::keys::query(&provider).sent;
    let said = provider.models.get(&name.model).copied().unwrap_or_default();
    let server = Server {
        key,
        headers,
        timeouts: provider.timeouts,
        query,
        context: said.context.or(provider.context),
        max_output: said.max_output.or(provider.max_output),
        effort: said.effort.or(provider.effort),
        ..Server::new(provider.kind, name, base_url)
    };
    Ok(Provider::new(ProviderSetup::Server(server))?)
}

/// Reports a name that resolves to no model.
pub(super) fn choice_error(error: &ChoiceError) -> ConnectError {
    ConnectError::new(error.to_string(), error.hint())
}

/// A story as a model: a shipped one by its name, or a file.
fn story(wanted: &str) -> Result<Script, ConnectError> {
    let text = story_text(wanted).map_err(|error| {
        let hint = format!("{} Or name a file.", stories());
        ConnectError::new(format!("no story {wanted:?}: {error}"), hint)
    })?;
    Script::parse(&text, wanted).map_err(|error| ConnectError::new(error.to_string(), error.hint))
}

/// The text of a story: of a shipped one by its name, or of a file.
pub(super) fn story_text(wanted: &str) -> io::Result<String> {
    Script::shipped(wanted).map_or_else(|| std::fs::read_to_string(wanted), |text| Ok(text.to_owned()))
}

/// The stories that ship, as a sentence.
pub(super) fn stories() -> String {
    format!("Stories: {}.", Script::offered().join(", "))
}

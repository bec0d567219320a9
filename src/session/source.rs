//! From a model that was chosen in the configuration to a source of replies.

use crate::config::{self, ChoiceError, Chosen, ProviderKind};
use crate::provider::story::Story;
use crate::provider::{Choice, Provider, ProviderError, Server};
use secrecy::SecretString;
use std::io;

/// A source of replies that can't be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}. {hint}")]
pub struct Unusable {
    /// What is wrong, without a full stop.
    pub what: String,
    /// What to do about it.
    pub hint: String,
}

impl Unusable {
    /// What is wrong, and what to do about it.
    pub fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { what: what.into(), hint: hint.into() }
    }
}

impl From<ChoiceError> for Unusable {
    fn from(error: ChoiceError) -> Self {
        Self::new(error.to_string(), error.hint())
    }
}

impl From<ProviderError> for Unusable {
    fn from(error: ProviderError) -> Self {
        Self::new(error.to_string(), error.hint())
    }
}

/// Makes a source of replies. No network: the first request brings it up.
///
/// # Errors
/// When the address, a header or the key can't be used, or a story can't be read.
pub(super) fn connect(chosen: Chosen, key: Option<SecretString>) -> Result<Provider, Unusable> {
    let Chosen { name, provider } = chosen;
    if provider.kind == ProviderKind::Scripted {
        let story = story(&name.model)?;
        return Ok(Provider::new(Choice::Scripted { name, story })?);
    }
    let base_url = provider.address().map(str::to_owned);
    let base_url = base_url.ok_or_else(|| ChoiceError::NoAddress(name.provider.clone()))?;
    let (headers, _) = config::keys::headers(&provider);
    let (query, _) = config::keys::query(&provider);
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
    Ok(Provider::new(Choice::Server(server))?)
}

/// A story as a model: a shipped one by its name, or a file.
fn story(wanted: &str) -> Result<Story, Unusable> {
    let text = story_text(wanted).map_err(|error| {
        let hint = format!("{} Or name a file.", stories());
        Unusable::new(format!("no story {wanted:?}: {error}"), hint)
    })?;
    Story::parse(&text, wanted).map_err(|error| Unusable::new(error.to_string(), error.hint))
}

/// The text of a story: of a shipped one by its name, or of a file.
pub(super) fn story_text(wanted: &str) -> io::Result<String> {
    Story::shipped(wanted).map_or_else(|| std::fs::read_to_string(wanted), |text| Ok(text.to_owned()))
}

/// The stories that ship, as a sentence.
pub(super) fn stories() -> String {
    let names: Vec<&str> = Story::names().iter().map(|(name, _)| *name).collect();
    format!("Stories: {}.", names.join(", "))
}

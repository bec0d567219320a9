//! The source of replies that was chosen on screen.

use crate::domain::{ModelName, ReplyFailure};
use crate::engine::State;
use crate::provider::{ConnectError, Provider};
use crate::report::Failure;
use crate::session::factory::SessionFactory;
use crate::session::setup;
use crate::tui::Choice;
use crate::tui::setup::TypedAddress;

/// Whether nothing of the place was asked yet, so that its address and key may be wrong. Servers that were found answered,
/// stories are data.
pub(super) fn is_untried(choice: &Choice) -> bool {
    matches!(choice, Choice::Cloud { key: Some(_), .. } | Choice::Address { .. })
}

/// The address that was typed, for its field, where it stays until the server there has told a model.
pub(super) fn typed_address(factory: &SessionFactory, choice: &Choice) -> Option<TypedAddress> {
    let Choice::Address { base_url, key } = choice else { return None };
    // One that was pasted at an earlier try is sent there, too.
    let with_key = key.is_some() || factory.has_pasted_key(base_url);
    Some(TypedAddress { text: base_url.clone(), with_key })
}

/// Why what was chosen on screen is no source of replies.
#[derive(Debug, thiserror::Error)]
pub(super) enum SourceError {
    #[error("{}", .0.what)]
    Story(Failure),
    /// Why the configuration names no model there, and what to do.
    #[error("{0}")]
    Model(String),
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error("{} {}", .0.message, .0.hint)]
    Models(ReplyFailure),
    #[error("{0} lists no models. Name one: /model PROVIDER/MODEL")]
    NoModels(String),
}

/// The source of replies that was chosen on screen; with another factory where it works in a folder of its own.
pub(super) async fn choose(
    factory: &SessionFactory,
    choice: Choice,
    state: &State,
) -> Result<(Provider, Option<SessionFactory>), SourceError> {
    match choice {
        Choice::Demo => {
            // What was said already goes on where it is.
            let is_new = !state.transcript.has_begun();
            let demo = setup::demo(factory, crate::cli::DEFAULT_STORY, is_new).map_err(SourceError::Story)?;
            Ok((demo.provider, is_new.then_some(demo.factory)))
        }
        Choice::Cloud { provider, key } => {
            if let Some(key) = key {
                factory.remember_key(&provider, key);
            }
            // A key that is pasted for the provider in use changes nothing about the model.
            let name = match state.transcript.model.as_ref().filter(|model| model.provider == provider) {
                Some(model) => model.clone(),
                None => {
                    let chosen = factory.loaded.config.resolve(&provider);
                    let told = chosen.map_err(|error| format!("{error}. {}", error.hint()));
                    told.map_err(SourceError::Model)?.name
                }
            };
            Ok((factory.provider(&name)?, None))
        }
        Choice::Server { provider, model } => {
            let model = match model {
                Some(model) => model,
                None => first_model(&factory.provider(&any_of(&provider))?).await?,
            };
            Ok((factory.provider(&ModelName { provider, model })?, None))
        }
        Choice::Address { base_url, key } => {
            let (provider, before) = factory.take_address(&base_url);
            if let Some(key) = key {
                factory.keys.remember(&provider, &base_url, key);
            }
            let answered = at_first_model(factory, provider).await;
            if answered.is_err() {
                // The session goes on with the server that it had, by its name.
                factory.put_back(before);
            }
            Ok((answered?, None))
        }
    }
}

/// The source of replies of a provider's first model.
async fn at_first_model(factory: &SessionFactory, provider: String) -> Result<Provider, SourceError> {
    let model = first_model(&factory.provider(&any_of(&provider))?).await?;
    Ok(factory.provider(&ModelName { provider, model })?)
}

/// A name for asking a provider which models it has.
fn any_of(provider: &str) -> ModelName {
    ModelName { provider: provider.to_owned(), model: "any".into() }
}

/// The first model that a server lists.
async fn first_model(provider: &Provider) -> Result<String, SourceError> {
    let models = provider.models().await.map_err(SourceError::Models)?;
    let first = models.into_iter().next().map(|model| model.name.model);
    first.ok_or_else(|| SourceError::NoModels(provider.name().provider.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A port at which nobody can listen without being the system's.
    const SILENT: &str = "http://127.0.0.1:1/v1";

    #[tokio::test]
    async fn a_mistyped_address_leaves_the_server_that_was_typed_before() {
        let home = tempfile::tempdir().unwrap();
        let factory = SessionFactory::for_test(home.path());
        let (name, _) = factory.take_address("http://127.0.0.1:9/v1");
        let before = ModelName { provider: name, model: "m".into() };
        let choice = Choice::Address { base_url: SILENT.into(), key: None };
        assert!(choose(&factory, choice, &State::default()).await.is_err());
        let again = factory.take_address("http://127.0.0.1:10/v1").1.expect("one was typed");
        assert_eq!(again.0, before.provider);
        assert_eq!(again.1.address(), Some("http://127.0.0.1:9/v1"));
    }

    #[tokio::test]
    async fn a_key_that_an_address_still_gets_is_told_at_each_try() {
        let home = tempfile::tempdir().unwrap();
        let factory = SessionFactory::for_test(home.path());
        let at = |base_url: &str, key: Option<&str>| Choice::Address {
            base_url: base_url.into(),
            key: key.map(Into::into),
        };
        let with_key = |choice: &Choice| typed_address(&factory, choice).map(|address| address.with_key);
        let first = at(SILENT, Some("pasted"));
        assert_eq!(with_key(&first), Some(true));
        assert!(choose(&factory, first, &State::default()).await.is_err());
        // Another server never gets it; this one does, whatever was typed in between.
        assert_eq!(with_key(&at("http://127.0.0.1:2/v1", None)), Some(false));
        assert_eq!(with_key(&at("http://127.0.0.1:1/v2", None)), Some(true));
        assert_eq!(with_key(&Choice::Demo), None);
    }
}

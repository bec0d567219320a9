//! Turns the choice that the person made on screen into a source of replies (a provider).

use crate::domain::{ModelName, ReplyFailure};
use crate::engine::State;
use crate::provider::{ConnectError, Provider};
use crate::report::Failure;
use crate::session::factory::SessionFactory;
use crate::session::setup;
use crate::tui::Choice;
use crate::tui::setup::TypedAddress;

/// Whether the provider was not contacted yet, so that its address or key may be wrong. Servers found by discovery
/// have already answered, and stories are read from local data.
pub(super) fn is_untried(choice: &Choice) -> bool {
    matches!(choice, Choice::Cloud { key: Some(_), .. } | Choice::Address { .. })
}

/// The typed address. The address field keeps showing it until the server there has listed a model.
pub(super) fn typed_address(factory: &SessionFactory, choice: &Choice) -> Option<TypedAddress> {
    let Choice::Address { base_url, key } = choice else { return None };
    // A key pasted in an earlier attempt at this address is sent, too.
    let with_key = key.is_some() || factory.has_pasted_key(base_url);
    Some(TypedAddress { text: base_url.clone(), with_key })
}

/// Why the choice made on screen gives no source of replies.
#[derive(Debug, thiserror::Error)]
pub(super) enum SourceError {
    #[error("{}", .0.what)]
    Story(Failure),
    /// The configuration names no model for this provider; the text says why and what to do.
    #[error("{0}")]
    Model(String),
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error("{} {}", .0.message, .0.hint)]
    Models(ReplyFailure),
    #[error("{0} lists no models. Name one: /model PROVIDER/MODEL")]
    NoModels(String),
}

/// Connects the chosen source of replies. Also returns a new factory if that source works in a folder of its own (the
/// demo).
pub(super) async fn choose(
    factory: &SessionFactory,
    choice: Choice,
    state: &State,
) -> Result<(Provider, Option<SessionFactory>), SourceError> {
    match choice {
        Choice::Demo => {
            // A session that has already begun stays in its folder.
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
        Choice::Server { provider, model: Some(model) } => {
            Ok((factory.provider(&ModelName { provider, model })?, None))
        }
        Choice::Server { provider, model: None } => Ok((at_first_model(factory, provider).await?, None)),
        Choice::Address { base_url, key } => {
            let (provider, before) = factory.take_address(&base_url);
            if let Some(key) = key {
                factory.keys.remember(&provider, &base_url, key);
            }
            let answered = at_first_model(factory, provider).await;
            if answered.is_err() {
                // The session keeps using the server it had, under the same name.
                factory.restore_typed(before);
            }
            Ok((answered?, None))
        }
    }
}

/// Connects a provider with the first model that it lists.
async fn at_first_model(factory: &SessionFactory, provider: String) -> Result<Provider, SourceError> {
    // Which models there are is asked under a placeholder for a model's name.
    let any = ModelName { provider: provider.clone(), model: "any".into() };
    let models = factory.provider(&any)?.models().await.map_err(SourceError::Models)?;
    let Some(first) = models.into_iter().next() else { return Err(SourceError::NoModels(provider)) };
    Ok(factory.provider(&ModelName { provider, model: first.name.model })?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing listens on port 1: only a system process could.
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
        // The key is sent to no other server, but still to this one, even after another address was typed.
        assert_eq!(with_key(&at("http://127.0.0.1:2/v1", None)), Some(false));
        assert_eq!(with_key(&at("http://127.0.0.1:1/v2", None)), Some(true));
        assert_eq!(with_key(&Choice::Demo), None);
    }
}

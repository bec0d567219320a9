//! Lists the providers that can be asked for their models, and whether each has a key.

use super::factory::SessionFactory;
use super::source;
use crate::config::{self, ChosenModel, FormatKind, Provider};
use crate::domain::{ModelInfo, ModelName};
use crate::driver::ModelInfoOverride;
use crate::driver::catalogue::{CatalogueAnswer, KeyState, ModelSource, NotAsked, Offer};
use crate::provider::ConnectError;
use crate::provider::script::Script;
use std::sync::Arc;

impl SessionFactory {
    /// The providers that can be asked for their models, or only the one of this name: servers on this computer
    /// first, then those with a key, those without, and stories last. A key command runs only if its provider is
    /// asked for by name.
    pub(crate) fn sources(&self, only: Option<&str>) -> Vec<ModelSource> {
        let model_overrides = self.info_overrides();
        let config = self.config();
        let mut sources: Vec<ModelSource> = config
            .providers
            .iter()
            .filter(|(name, _)| only.is_none_or(|only| only == name.as_str()))
            .map(|(name, provider)| self.source(name, provider, only.is_some(), &model_overrides))
            .collect();
        sources.sort_by_key(|source| match (&source.offer.address, source.offer.local, &source.offer.key) {
            (None, ..) => 3,
            (_, true, _) => 0,
            (_, _, KeyState::Missing(_)) => 2,
            _ => 1,
        });
        sources
    }

    /// The first provider whose address or headers can't be used, and why. Looks for no key and sends nothing.
    pub(crate) fn unusable_provider(&self) -> Option<(String, ConnectError)> {
        let config = self.config();
        let mut servers = config
            .providers
            .iter()
            .filter(|(_, provider)| provider.kind != FormatKind::Scripted && provider.address().is_some());
        servers.find_map(|(name, provider)| {
            let model = ModelName { provider: name.clone(), model: String::new() };
            let chosen = ChosenModel { name: model, provider: provider.clone() };
            source::connect(chosen, None).err().map(|error| (name.clone(), error))
        })
    }

    /// Adds the configuration's values for a model, and its price, to what a provider reports.
    fn info_overrides(&self) -> ModelInfoOverride {
        let (factory, prices) = (self.clone(), self.prices());
        Arc::new(move |reported| {
            let info = factory.with_overrides(reported);
            let price = prices.of(&info.name, Some(&info)).map(|(price, _)| price);
            ModelInfo { price, ..info }
        })
    }

    fn source(
        &self,
        name: &str,
        provider: &Provider,
        by_name: bool,
        model_overrides: &ModelInfoOverride,
    ) -> ModelSource {
        let address = provider.address().map(str::to_owned);
        let local = address.as_deref().is_some_and(config::is_loopback);
        let kept = self.key_location(name, provider);
        let key = match (&kept, &provider.key_env) {
            (Some(place), _) => KeyState::Kept(place.clone()),
            // A server on this computer often needs no key.
            (None, Some(variables)) if !local => KeyState::Missing(variables.all().join(" or ")),
            (None, _) => KeyState::Needless,
        };
        let model =
            ModelName { provider: name.to_owned(), model: provider.model.clone().unwrap_or_default() };
        let runs_program = provider.key_command.is_some() && !by_name;
        let made = if runs_program && !self.keys.has_written(name) {
            Err(NotAsked::RunsProgram)
        } else if provider.kind == FormatKind::Scripted {
            Err(NotAsked::Story)
        } else {
            self.find_key(name, provider)
                .and_then(|key| source::connect(ChosenModel { name: model, provider: provider.clone() }, key))
                .map_err(NotAsked::from)
        };
        let address = address.map(|address| config::without_secrets(&address));
        let (kind, answer) = (provider.kind.as_str(), CatalogueAnswer::Asking);
        ModelSource {
            offer: Offer { name: name.to_owned(), kind, address, local, key, answer },
            provider: made,
            known: known_models(name, provider),
            model_overrides: model_overrides.clone(),
        }
    }
}

fn known_models(name: &str, provider: &Provider) -> Vec<ModelName> {
    let of = |model: &str| ModelName { provider: name.to_owned(), model: model.to_owned() };
    if provider.kind == FormatKind::Scripted {
        return Script::offered().iter().map(|story| of(story)).collect();
    }
    provider.models.keys().map(|model| of(model)).collect()
}

//! Decides which provider an address belongs to that a file, the environment or an option gives. Pure.

use super::layers::{self, Origin, Origins, dotted};
use super::schema::Config;
use toml::Value;

/// Separates addresses given only for this start from the providers' own, and assigns `base_url` to the provider of
/// the model that it was given with, and to no other.
pub(super) fn separate_addresses(config: &mut Config, origins: &Origins, files: &toml::Table) {
    let text = |name: &[&str]| layers::get(files, name).and_then(Value::as_str).map(str::to_owned);
    for (name, provider) in &mut config.providers {
        let setting: [&str; 3] = ["providers", name, "base_url"];
        if matches!(origins.of(&dotted(&setting)), Origin::Environment(_)) {
            provider.address_override = provider.base_url.take();
            provider.base_url = text(&setting);
        }
    }
    let Some(address) = config.base_url.clone() else { return };
    let from_file = matches!(origins.of("base_url"), Origin::File(..));
    let model = if from_file { text(&["model"]) } else { config.model.clone() };
    let owner = config.provider_of(model.as_deref().unwrap_or_default()).to_owned();
    if let Some(provider) = config.providers.get_mut(&owner) {
        if from_file {
            provider.base_url = Some(address);
        } else {
            provider.address_override = Some(address);
        }
    }
}

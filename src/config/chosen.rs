//! What follows from the settings: the model that answers, the languages that can be run, the limits of a run.

use super::schema::{Config, Provider};
use crate::domain::language::LanguageEntry;
use crate::domain::{Language, Languages, Limits, ModelName};

/// The model that was chosen, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Its name.
    pub name: ModelName,
    /// Its provider; the address is the one to use.
    pub provider: Provider,
}

impl Config {
    /// The model that was chosen; `None` where none was.
    pub fn chosen(&self) -> Option<Chosen> {
        self.resolve(self.model.as_deref()?)
    }

    /// The model that `PROVIDER/MODEL` names. A first part that is no provider belongs to the model's name, and the
    /// provider is `openai`: so do `qwen/qwen3-coder` with an address, and `gpt-4.1`.
    pub fn resolve(&self, name: &str) -> Option<Chosen> {
        let (provider_name, model) = name
            .split_once('/')
            .filter(|(provider, _)| self.providers.contains_key(*provider))
            .unwrap_or(("openai", name));
        let mut provider = self.providers.get(provider_name)?.clone();
        if self.base_url.is_some() {
            provider.base_url.clone_from(&self.base_url);
        }
        let name = ModelName { provider: provider_name.to_owned(), model: model.to_owned() };
        Some(Chosen { name, provider })
    }

    /// The languages that can be run: the known ones in their order, then others by name.
    pub fn languages(&self) -> Languages {
        let known = Languages::default();
        let place = |name: &str| known.0.iter().position(|l| l.name.0 == name).unwrap_or(usize::MAX);
        let mut names: Vec<&String> = self.languages.keys().collect();
        names.sort_by_key(|name| (place(name), *name));
        let entry = |name: &String| {
            let choice = self.languages.get(name).filter(|choice| choice.enabled)?;
            Some(LanguageEntry {
                name: Language(name.clone()),
                aliases: choice.aliases.clone(),
                extensions: choice.extensions.clone(),
                command: choice.command.clone(),
                persistent: known.0.iter().any(|l| l.name.0 == *name && l.persistent),
            })
        };
        Languages(names.into_iter().filter_map(entry).collect())
    }

    /// The limits of a run.
    pub fn limits(&self) -> Limits {
        Limits {
            wall_ms: self.limits.wall.saturating_mul(1000),
            kept_bytes: self.limits.output,
            output_file: self.limits.output_file,
            memory_bytes: self.limits.memory,
            processes: self.limits.processes,
            file_bytes: self.limits.file,
            open_files: self.limits.open_files,
        }
    }
}

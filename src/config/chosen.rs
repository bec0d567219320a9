//! Derives from the settings the model that answers, the languages that can be run, and the limits of a run.

use super::executors::ExecutorChoice;
use super::layers::dotted;
use super::providers::{FormatKind, KEY_SEARCH_ORDER, Provider};
use super::schema::{Config, LanguageChoice};
use crate::domain::language::{LanguageEntry, RunMethod};
use crate::domain::{Language, Languages, Limits, ModelName};
use crate::text::near::nearest;
use std::sync::Arc;

/// The chosen model and its provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChosenModel {
    pub(crate) name: ModelName,
    pub(crate) provider: Provider,
}

/// A word that is given to a language in vain, because another language has it already.
pub(super) struct TakenWord {
    /// The setting that gives it.
    pub(super) setting: String,
    pub(super) word: String,
    /// The language that has it.
    pub(super) owner: Language,
}

/// Why a name does not resolve to a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ChoiceError {
    #[error("there is no provider `{given}`{}", suggestion(near.as_ref()))]
    UnknownProvider {
        given: String,
        /// The probable provider, with the model behind it.
        near: Option<String>,
        known: Vec<String>,
    },
    /// The name is that of a provider and names no model.
    #[error("`{0}` is a provider: which of its models is meant is not said")]
    NoModel(String),
    /// The name is empty.
    #[error("the name of a model is empty")]
    Empty,
    #[error("the provider `{0}` has no address")]
    NoAddress(String),
}

fn suggestion(near: Option<&String>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean {near}?"))
}

impl ChoiceError {
    /// What to do about it, one line.
    pub(crate) fn hint(&self) -> String {
        match self {
            ChoiceError::UnknownProvider { known, .. } => format!(
                "Providers: {}. Another server needs --base-url, or a [providers.NAME] of its own.",
                known.join(", ")
            ),
            ChoiceError::NoModel(provider) => {
                format!("sayso models {provider} lists them; then --model {provider}/MODEL")
            }
            ChoiceError::Empty => "A model is named PROVIDER/MODEL, as ollama/qwen3-coder:30b.".into(),
            ChoiceError::NoAddress(provider) => {
                format!("Give it one: base_url under [providers.{provider}], or --base-url URL.")
            }
        }
    }
}

impl Config {
    /// The chosen model; `None` if there is none.
    pub(crate) fn chosen(&self) -> Result<Option<ChosenModel>, ChoiceError> {
        self.model.as_deref().map(|name| self.resolve(name)).transpose()
    }

    /// Resolves a name: `PROVIDER/MODEL`, or a provider alone for its default model. A name without a provider is a
    /// model of OpenAI, or of the server configured in its place; with such a server a first part that is not a
    /// provider belongs to the model's name (`qwen/qwen3-coder`).
    pub(crate) fn resolve(&self, name: &str) -> Result<ChosenModel, ChoiceError> {
        let name = name.trim();
        let owner = self.provider_of(name);
        let provider = self.provider_named(owner)?;
        let model = match name.split_once('/') {
            _ if name.is_empty() => return Err(ChoiceError::Empty),
            Some((first, model)) if first == owner => model.trim(),
            Some((first, model)) if provider.address_override.is_none() && !self.is_moved(owner) => {
                let near = self.nearest_provider(first).map(|near| format!("{near}/{model}"));
                return Err(self.unknown(first, near));
            }
            None if name == owner => {
                provider.model.as_deref().ok_or_else(|| ChoiceError::NoModel(owner.into()))?
            }
            _ => name,
        };
        if model.is_empty() {
            return Err(ChoiceError::NoModel(owner.to_owned()));
        }
        if provider.address().is_none() && provider.kind != FormatKind::Scripted {
            return Err(ChoiceError::NoAddress(owner.to_owned()));
        }
        let name = ModelName { provider: owner.to_owned(), model: model.to_owned() };
        Ok(ChosenModel { name, provider: provider.clone() })
    }

    pub(crate) fn provider_named(&self, name: &str) -> Result<&Provider, ChoiceError> {
        self.providers
            .get(name)
            .ok_or_else(|| self.unknown(name, self.nearest_provider(name).map(str::to_owned)))
    }

    fn unknown(&self, given: &str, near: Option<String>) -> ChoiceError {
        let known = self.providers.keys().cloned().collect();
        ChoiceError::UnknownProvider { given: given.to_owned(), near, known }
    }

    /// The provider to which a model's name belongs.
    pub(crate) fn provider_of<'n>(&self, name: &'n str) -> &'n str {
        let name = name.trim();
        let first = name.split_once('/').map_or(name, |(first, _)| first);
        if self.providers.contains_key(first) { first } else { "openai" }
    }

    /// The default models of the providers whose keys are searched if no model is chosen, in the order of the search.
    pub(crate) fn models_by_key(&self) -> Vec<ChosenModel> {
        KEY_SEARCH_ORDER.iter().filter_map(|name| self.resolve(name).ok()).collect()
    }

    pub(crate) fn provider_at(&self, address: &str) -> Option<&str> {
        let plain = |address: &str| address.trim_end_matches('/').trim_end_matches("/v1").to_owned();
        let wanted = plain(address);
        let at = |provider: &Provider| provider.address().is_some_and(|address| plain(address) == wanted);
        self.providers.iter().find(|(_, provider)| at(provider)).map(|(name, _)| name.as_str())
    }

    /// Whether the person's configuration gives a shipped provider another address.
    fn is_moved(&self, provider: &str) -> bool {
        let now = self.providers.get(provider).and_then(|p| p.own_address());
        super::providers::shipped().get(provider).is_some_and(|p| p.own_address() != now)
    }

    /// The provider whose name is nearest to this word.
    fn nearest_provider(&self, word: &str) -> Option<&str> {
        nearest(word, self.providers.keys().map(String::as_str))
    }

    /// The languages that can be run: the shipped ones in their order, then others by name.
    pub(crate) fn languages(&self) -> Languages {
        let known = Languages::default();
        let place = |name: &str| known.0.iter().position(|l| l.name.0 == name).unwrap_or(usize::MAX);
        let mut names: Vec<&String> = self.languages.keys().collect();
        names.sort_by_key(|name| (place(name), *name));
        let entry = |name: &String| {
            let choice =
                self.languages.get(name).filter(|choice| choice.enabled && !self.is_overridden(name))?;
            Some(language(name, choice, known.0.iter().find(|entry| entry.name.0 == *name)))
        };
        Languages(Arc::new(names.into_iter().filter_map(entry).collect()))
    }

    /// The words that are given to a language in vain. A language with its shipped values asks for nothing else than
    /// what it has: `sh` belongs to bash, also where the whole configuration is written out.
    pub(super) fn taken_words(&self) -> Vec<TakenWord> {
        let (all, shipped) = (self.languages(), Config::default().languages);
        let mut taken = Vec::new();
        for (name, choice) in &self.languages {
            if shipped.get(name) == Some(choice) {
                continue;
            }
            let setting = dotted(&["languages", name.as_str()]);
            let lower = name.to_ascii_lowercase();
            let Some(entry) = all.0.iter().find(|entry| entry.name.0 == lower) else { continue };
            if self.is_overridden(name) {
                taken.push(TakenWord { setting, word: lower, owner: entry.name.clone() });
                continue;
            }
            let named = ("", &lower, all.find(&lower));
            let words = entry.aliases.iter().map(|word| (".aliases", word, all.find(word)));
            let endings = entry.extensions.iter().map(|word| (".extensions", word, all.by_extension(word)));
            for (list, word, owner) in std::iter::once(named).chain(words).chain(endings) {
                if let Some(owner) = owner.filter(|owner| owner.name != entry.name) {
                    let setting = format!("{setting}{list}");
                    taken.push(TakenWord { setting, word: word.clone(), owner: owner.name.clone() });
                }
            }
        }
        taken
    }

    /// Whether a later language has the same name but for the case of its letters, which is ignored where names are
    /// looked up. The last one counts, which is that in lower case if there is one.
    fn is_overridden(&self, name: &str) -> bool {
        self.languages.keys().any(|other| other.as_str() > name && other.eq_ignore_ascii_case(name))
    }

    /// The languages whose blocks get a terminal from the start; only the local executor supports that.
    pub(crate) fn terminals(&self) -> Vec<Language> {
        let choices = self.languages.iter().filter(|_| self.executor == ExecutorChoice::Local);
        choices
            .filter(|(name, choice)| choice.pty && !self.is_overridden(name))
            .map(|(name, _)| Language(name.to_ascii_lowercase()))
            .collect()
    }

    /// The limits of a run.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            wall_ms: self.limits.wall.saturating_mul(1000),
            output_kept_bytes: self.limits.output,
            output_file_bytes: self.limits.output_file,
            memory_bytes: self.limits.memory,
            processes: self.limits.processes,
            file_bytes: self.limits.file,
            open_files: self.limits.open_files,
        }
    }
}

/// A language as configured. A known program keeps its arguments; one that the person chose has no alternatives.
fn language(name: &str, choice: &LanguageChoice, known: Option<&LanguageEntry>) -> LanguageEntry {
    // Words are looked up in lower case, extensions without their dot.
    let bare = |word: &String| word.strip_prefix('.').unwrap_or(word).to_ascii_lowercase();
    let mut entry = LanguageEntry {
        name: Language(name.to_ascii_lowercase()),
        aliases: choice.aliases.iter().map(|alias| alias.to_ascii_lowercase()).collect(),
        extensions: choice.extensions.iter().map(bare).collect(),
        command: choice.command.clone(),
        arguments: choice.arguments.clone(),
        compile: choice.compile.clone(),
        others: Vec::new(),
        persistent: known.is_some_and(|known| known.persistent),
    };
    let Some(known) = known else { return entry };
    let untouched = entry.arguments == known.arguments && entry.compile == known.compile;
    if entry.command == known.command && untouched {
        entry.others.clone_from(&known.others);
    }
    let program = choice.command.rsplit('/').next().unwrap_or_default();
    let is_other = |other: &&RunMethod| other.command == program && known.command != program;
    if let (true, Some(other)) = (untouched, known.others.iter().find(is_other)) {
        entry.arguments.clone_from(&other.arguments);
        entry.compile.clone_from(&other.compile);
    }
    entry
}

//! Holds what all sessions of this process share (configuration, place, rules, recipes, keys) and connects providers
//! from it.

use super::keys::{KeyRing, StoreKeyError};
use super::languages::{KnownLanguages, VersionSearch};
use super::process_context::ProcessContext;
use super::rules;
use super::source::{self, choice_error};
use crate::config::{self, ChosenModel, Config, ExecutorChoice, LoadedConfig};
use crate::domain::{Masker, ModelInfo, ModelName};
use crate::driver::{FunctionFiles, RecipeBook};
use crate::engine::cost::Prices;
use crate::provider::{ConnectError, Provider};
use crate::recipe::RecipeList;
use crate::review::{RuleRegistry, Scope};
use crate::workspace::instructions::InstructionSearch;
use secrecy::SecretString;
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// A server whose address the person typed, with its name.
pub(crate) type TypedServer = (String, config::Provider);

/// What sessions are made from: the configuration, and the folder and environment of this process.
#[derive(Clone)]
pub(crate) struct SessionFactory {
    pub(crate) loaded: Arc<LoadedConfig>,
    /// The folder, home and environment of this process.
    pub(crate) place: ProcessContext,
    /// The rules of the review: the shipped ones, the person's own, and what is forbidden.
    rules: Arc<RuleRegistry>,
    pub(crate) languages: KnownLanguages,
    /// The versions of the languages' programs.
    pub(super) versions: VersionSearch,
    /// The recipes: the shipped ones and the person's own.
    pub(super) recipes: RecipeBook,
    /// Keys that were typed in or written by key commands. They live as long as the process.
    pub(crate) keys: Arc<KeyRing>,
    /// The server whose address the person typed last. Not saved anywhere.
    typed_server: Arc<Mutex<Option<TypedServer>>>,
    /// Whether a run may get a terminal because of its language. True only in panes, where the person can type into
    /// it.
    pub(crate) run_terminals: bool,
}

impl SessionFactory {
    /// A factory with this configuration. The person's rules and recipes that can't be used are left out, and notices
    /// in `loaded` say so.
    pub(crate) fn new(mut loaded: LoadedConfig, place: ProcessContext) -> Self {
        let (book, notices) = rules::book(&loaded);
        loaded.notices.extend(notices);
        let (recipes, notices) = RecipeBook::open(loaded.paths.recipes());
        loaded.notices.extend(notices);
        Self {
            languages: KnownLanguages::new(loaded.config.languages()),
            versions: VersionSearch::default(),
            loaded: Arc::new(loaded),
            place,
            rules: Arc::new(book),
            recipes,
            keys: Arc::default(),
            typed_server: Arc::default(),
            run_terminals: false,
        }
    }

    /// A factory for a home directory without any configuration.
    #[cfg(test)]
    pub(crate) fn for_test(home: &std::path::Path) -> Self {
        let at = |name: &str| home.join(name);
        let paths = config::Paths { config: at("config"), data: at("data"), state: at("state") };
        let loaded = config::load(&paths, home, &|_| None, &config::Flags::default()).unwrap();
        Self::new(loaded, ProcessContext::find(Some(home)).unwrap())
    }

    /// The recipes: the shipped ones, then the person's own.
    pub(crate) fn recipes(&self) -> RecipeList {
        self.recipes.list()
    }

    /// Starts looking for the versions of programs in the background; the first session takes the result.
    pub(crate) fn begin_versions(&self) {
        if self.loaded.config.executor == ExecutorChoice::Local {
            self.versions.begin(&self.place, self.loaded.config.run.python.as_deref());
        }
    }

    /// The configuration, including the server whose address was typed.
    pub(super) fn config(&self) -> Cow<'_, Config> {
        let typed = self.typed_server.lock().unwrap_or_else(PoisonError::into_inner);
        match &*typed {
            None => Cow::Borrowed(&self.loaded.config),
            Some((name, provider)) => {
                let mut config = self.loaded.config.clone();
                config.providers.insert(name.clone(), provider.clone());
                Cow::Owned(config)
            }
        }
    }

    /// The provider at a typed address. An address that the configuration does not know gets a new provider, which
    /// shares nothing with any other one and can be listed, asked and named like them.
    ///
    /// Returns its name, and the server that was typed before, for `restore_typed` in case the new one does not answer.
    pub(crate) fn take_address(&self, base_url: &str) -> (String, Option<TypedServer>) {
        let name = self.name_at(base_url);
        let mut typed = self.typed_server.lock().unwrap_or_else(PoisonError::into_inner);
        if self.loaded.config.providers.contains_key(&name) {
            return (name, typed.clone());
        }
        let provider =
            config::Provider { address_override: Some(base_url.to_owned()), ..config::Provider::default() };
        let before = typed.replace((name.clone(), provider));
        (name, before)
    }

    /// Whether a pasted key would be sent to this typed address.
    pub(crate) fn has_pasted_key(&self, base_url: &str) -> bool {
        self.keys.has_typed(&self.name_at(base_url), base_url)
    }

    /// The name of the provider at a typed address.
    fn name_at(&self, base_url: &str) -> String {
        let known = &self.loaded.config;
        let name = known.provider_at(base_url).map(str::to_owned);
        name.unwrap_or_else(|| free_name(|name| known.providers.contains_key(name)))
    }

    /// Undoes `take_address`: `before` is the typed server again.
    pub(crate) fn restore_typed(&self, before: Option<TypedServer>) {
        *self.typed_server.lock().unwrap_or_else(PoisonError::into_inner) = before;
    }

    /// Remembers a key for a provider, in memory only and only for the address that is in use now.
    pub(crate) fn remember_key(&self, provider: &str, key: SecretString) {
        let config = self.config();
        let address = config.providers.get(provider).and_then(|p| p.address());
        self.keys.remember(provider, address.unwrap_or_default(), key);
    }

    /// Writes the key that was pasted for a provider into the person's key file and returns that file.
    pub(super) fn store_key(&self, provider: &str) -> Result<PathBuf, StoreKeyError> {
        self.keys.store(provider, &self.loaded, &self.place)
    }

    /// Where the key is kept that may be sent to this provider's address, in words. Runs no program.
    pub(crate) fn key_location(&self, name: &str, provider: &config::Provider) -> Option<String> {
        self.keys.location(name, provider, &self.loaded, &self.place)
    }

    /// The key to send to a provider's address. May run the person's key command.
    pub(super) fn find_key(
        &self,
        name: &str,
        provider: &config::Provider,
    ) -> Result<Option<SecretString>, ConnectError> {
        self.keys.find(name, provider, &self.loaded, &self.place)
    }

    /// The source of replies chosen by option, configuration or environment; `None` if none was.
    pub(crate) fn chosen_provider(&self) -> Result<Option<Provider>, ConnectError> {
        self.loaded
            .config
            .chosen()
            .map_err(|error| choice_error(&error))?
            .map(|chosen| self.connect(chosen))
            .transpose()
    }

    /// The source of replies for the model of this name.
    pub(crate) fn provider(&self, name: &ModelName) -> Result<Provider, ConnectError> {
        self.connect(self.config().resolve(&name.to_string()).map_err(|error| choice_error(&error))?)
    }

    /// The source of replies for the default model of the first provider that has a key in the environment or stored,
    /// and where that key is kept, in words; `None` if none has one.
    ///
    /// # Errors
    /// If none of the keys that were found can be used: why not the first.
    pub(crate) fn provider_by_key(&self) -> Result<Option<(Provider, String)>, ConnectError> {
        let mut unusable = Ok(None);
        for chosen in self.loaded.config.models_by_key() {
            let Some(kept) = self.key_location(&chosen.name.provider, &chosen.provider) else { continue };
            match self.connect(chosen) {
                Ok(provider) => return Ok(Some((provider, kept))),
                Err(error) => unusable = unusable.and(Err(error)),
            }
        }
        unusable
    }

    fn connect(&self, chosen: ChosenModel) -> Result<Provider, ConnectError> {
        if self.keys.asks_program(&chosen.name.provider, &chosen.provider, &self.loaded, &self.place)? {
            return Ok(self.connect_later(chosen));
        }
        let key = self.find_key(&chosen.name.provider, &chosen.provider)?;
        source::connect(chosen, key)
    }

    /// A key command may be slow, so it runs only when the first request is about to be sent.
    fn connect_later(&self, chosen: ChosenModel) -> Provider {
        let factory = self.clone();
        let name = chosen.name.clone();
        Provider::later(
            name,
            Arc::new(move || {
                let key = factory.find_key(&chosen.name.provider, &chosen.provider);
                key.and_then(|key| source::connect(chosen.clone(), key))
            }),
        )
    }

    /// The masker for everything that is written: it knows all keys known so far, and learns later ones by itself.
    pub(crate) fn masker(&self) -> Masker {
        let masker = self.keys.masker();
        masker.learn(self.keys.known_keys(&self.loaded, &self.place));
        masker
    }

    /// The file that functions are saved to: the first one configured, else the default one.
    pub(crate) fn functions_file(&self) -> PathBuf {
        let first = self.loaded.config.functions.files.first();
        first.cloned().unwrap_or_else(|| self.loaded.paths.functions())
    }

    /// The files that may receive new functions: those that are configured, else the default one.
    pub(super) fn function_files(&self) -> FunctionFiles {
        let mut files = self.loaded.config.functions.files.clone();
        if files.is_empty() {
            files.push(self.functions_file());
        }
        FunctionFiles { files, home: self.place.home.clone() }
    }

    pub(super) fn prices(&self) -> Prices {
        let (as_of, shipped) = config::shipped_prices();
        Prices { own: config::prices(&self.loaded.config.prices), shipped, as_of }
    }

    /// What the review needs to know about this place.
    pub(crate) fn scope(&self) -> Scope {
        let (cwd, home) = (self.place.cwd.clone(), self.place.home.clone());
        Scope { cwd, home, rules: Arc::clone(&self.rules), masker: self.masker(), ..Scope::default() }
    }

    /// A provider's information about a model, with the configuration's values taking precedence.
    pub(super) fn with_overrides(&self, reported: ModelInfo) -> ModelInfo {
        let images = reported.images.or_else(|| config::takes_images(&reported.name.model));
        let reported = ModelInfo { images, ..reported };
        let config = self.config();
        let Some(provider) = config.providers.get(&reported.name.provider) else { return reported };
        let configured = provider.models.get(&reported.name.model).copied().unwrap_or_default();
        ModelInfo {
            context: configured.context.or(reported.context).or(provider.context),
            output: configured.max_output.or(reported.output).or(provider.max_output),
            tools: reported.tools.or(provider.calls_tools()),
            images: configured.images.or(reported.images),
            ..reported
        }
    }

    /// Where to look for instruction files.
    pub(crate) fn instructions(&self) -> InstructionSearch {
        let own = self.loaded.config.instructions.files.clone();
        // The project's files are searched even if they are switched off, because the person can switch them on.
        InstructionSearch {
            cwd: self.place.cwd.clone(),
            home: self.place.home.clone(),
            project: true,
            own,
            write: self.loaded.config.sandbox.write.clone(),
            known_texts: Some(self.loaded.paths.state.join("instructions.json")),
        }
    }
}

/// A name for a typed server that no configured provider has.
fn free_name(is_taken: impl Fn(&str) -> bool) -> String {
    let more = (2u32..).map(|number| format!("typed-{number}"));
    let names = ["other", "typed"].map(str::to_owned).into_iter().chain(more);
    names.into_iter().find(|name| !is_taken(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::free_name;

    #[test]
    fn a_typed_server_takes_the_name_of_no_configured_one() {
        for (taken, free) in [
            (&[][..], "other"),
            (&["other"], "typed"),
            (&["other", "typed"], "typed-2"),
            (&["other", "typed", "typed-2"], "typed-3"),
        ] {
            assert_eq!(free_name(|name| taken.contains(&name)), free);
        }
    }
}

//! Puts the rooms together: from the configuration to a driver with a new or an old session.
//!
//! Both front doors and the commands start here, so that a session is the same thing everywhere.

use super::place::Place;
use crate::config::{self, Chosen, Loaded};
use crate::domain::{FunctionFile, Header, ModelName, Notice, Policy, SessionId};
use crate::driver::{Clock, Driver, Parts};
use crate::engine::{Engine, Settings, prompt};
use crate::exec::{Executor, Setup};
use crate::provider::{Choice, Provider, Timeouts};
use crate::review::Scope;
use crate::store::{self, Store, StoreError};
use crate::workspace;
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The configuration, and where this process stands.
#[derive(Clone)]
pub struct House {
    /// The configuration.
    pub loaded: Arc<Loaded>,
    /// Where this process stands.
    pub place: Place,
    /// Keys that were typed in; they live as long as the process.
    typed: Arc<Mutex<BTreeMap<String, SecretString>>>,
}

/// A session that is open.
pub struct Opened {
    /// Its driver.
    pub driver: Driver,
    /// What the person should know: damage in the file, a disk that is not durable.
    pub notices: Vec<Notice>,
}

impl House {
    /// A house with this configuration.
    pub fn new(loaded: Loaded, place: Place) -> Self {
        Self { loaded: Arc::new(loaded), place, typed: Arc::default() }
    }

    /// Remembers a key for a provider, in memory only.
    pub fn remember_key(&self, provider: &str, key: SecretString) {
        self.typed.lock().unwrap_or_else(PoisonError::into_inner).insert(provider.to_owned(), key);
    }

    /// The source of replies that was chosen by option, configuration or environment; `None` where none was.
    ///
    /// # Errors
    /// Words for the person: an unknown provider, an address or a key that can't be used.
    pub fn chosen_provider(&self) -> Result<Option<Provider>, String> {
        match (&self.loaded.config.model, self.loaded.config.chosen()) {
            (_, Some(chosen)) => self.connect(chosen).map(Some),
            (Some(name), None) => Err(format!("no provider is configured for `{name}`")),
            (None, None) => Ok(None),
        }
    }

    /// The source of replies for a model by name.
    ///
    /// # Errors
    /// As [`House::chosen_provider`].
    pub fn provider(&self, name: &ModelName) -> Result<Provider, String> {
        let wanted = name.to_string();
        let chosen = self.loaded.config.resolve(&wanted);
        self.connect(chosen.ok_or_else(|| format!("no provider is configured for `{wanted}`"))?)
    }

    /// A source of replies at an address of the person's, with a key or without.
    ///
    /// # Errors
    /// When the address or the key can't be used.
    pub fn provider_at(&self, name: ModelName, base_url: &str) -> Result<Provider, String> {
        let provider =
            config::Provider { base_url: Some(base_url.to_owned()), ..config::Provider::default() };
        self.connect(Chosen { name, provider })
    }

    fn connect(&self, chosen: Chosen) -> Result<Provider, String> {
        let Chosen { name, provider } = chosen;
        let key = self.key(&name.provider, &provider)?;
        let base_url = provider.base_url.clone();
        let base_url = base_url.ok_or_else(|| format!("the provider `{}` has no base_url", name.provider))?;
        let seconds = Duration::from_secs;
        let timeouts = Timeouts {
            connect: seconds(provider.timeouts.connect),
            first: seconds(provider.timeouts.first_token),
            silence: seconds(provider.timeouts.silence),
        };
        let headers = provider.headers.into_iter().collect();
        Provider::new(Choice::OpenAi { name, base_url, key, headers, timeouts })
            .map_err(|error| format!("{error}. {}", error.hint()))
    }

    fn key(&self, name: &str, provider: &config::Provider) -> Result<Option<SecretString>, String> {
        let typed = self.typed.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        if typed.is_some() {
            return Ok(typed);
        }
        config::keys::find(name, provider, &self.place.env(), &self.loaded.paths.credentials())
            .map_err(|error| error.to_string())
    }

    /// All keys that are known, for masking them in what is written.
    fn secrets(&self) -> Vec<SecretString> {
        let mut secrets: Vec<SecretString> =
            self.typed.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        let env = self.place.env();
        for (name, provider) in &self.loaded.config.providers {
            if let Ok(Some(key)) = config::keys::find(name, provider, &env, &self.loaded.paths.credentials())
            {
                secrets.push(key);
            }
        }
        secrets
    }

    /// What the engine has to know beforehand.
    pub fn settings(&self, policy: Policy) -> Settings {
        let config = &self.loaded.config;
        let (dialect, languages) = (config.dialect.chosen(), config.languages());
        let cwd = self.place.cwd.display().to_string();
        let system_prompt = prompt::system(&languages, &cwd, std::env::consts::OS);
        Settings {
            step_limit: config.step_limit,
            repeat_limit: config.repeat_limit,
            dialect,
            languages,
            system_prompt,
            policy,
            limits: config.limits(),
            output_to_model: usize::try_from(config.limits.to_model).unwrap_or(usize::MAX),
            functions: self.functions().0,
        }
    }

    /// The files of the person's own functions, and what is wrong with the others.
    fn functions(&self) -> (Vec<FunctionFile>, Vec<String>) {
        workspace::functions::read_all(&self.loaded.config.functions.files)
    }

    /// What carries out runs, with large outputs in this folder.
    pub fn executor(&self, blobs: PathBuf) -> Executor {
        let config = &self.loaded.config;
        Executor::new(Setup {
            helper: self.place.program.clone(),
            cwd: self.place.cwd.clone(),
            blobs,
            languages: config.languages(),
            environment: config.run.environment.clone(),
            python: config.run.python.clone(),
            limits: config.limits(),
        })
    }

    /// What the review has to know of this place.
    pub fn scope(&self) -> Scope {
        Scope { cwd: self.place.cwd.clone(), home: self.place.home.clone() }
    }

    /// A driver with a new session. Nothing is written before something was asked. Must be called inside a runtime.
    pub fn begin(&self, provider: Option<Provider>, policy: Policy) -> Opened {
        let header = self.header(provider.as_ref());
        let store = Store::create(&self.loaded.sessions(), header.clone());
        self.begin_with(header, store, provider, policy)
    }

    /// The same with the session in this file, which is not there yet.
    pub fn begin_at(&self, path: &Path, provider: Option<Provider>, policy: Policy) -> Opened {
        let header = self.header(provider.as_ref());
        let store = Store::create_at(path, header.clone());
        self.begin_with(header, store, provider, policy)
    }

    fn begin_with(&self, header: Header, store: Store, provider: Option<Provider>, policy: Policy) -> Opened {
        let store = store.with_secrets(self.secrets());
        let mut engine = Engine::new(self.settings(policy));
        let effects = engine.start(header, Clock::System.now());
        self.open_with(engine, effects, store, provider, Vec::new())
    }

    fn header(&self, provider: Option<&Provider>) -> Header {
        Header {
            id: SessionId(uuid::Uuid::now_v7().to_string()),
            name: String::new(),
            created: Clock::System.now(),
            cwd: self.place.cwd.clone(),
            model: provider.map(|p| p.name().clone()),
            program: env!("CARGO_PKG_VERSION").into(),
        }
    }

    /// A driver with a session that is on disk.
    ///
    /// # Errors
    /// When the file can't be opened for going on with it.
    pub fn resume(
        &self,
        path: &Path,
        provider: Option<Provider>,
        policy: Policy,
    ) -> Result<Opened, StoreError> {
        let (store, loaded) = Store::open(path)?;
        let store = store.with_secrets(self.secrets());
        let notices = loaded.damage.iter().map(|damage| Notice::warn(damage.to_string())).collect();
        let now = Clock::System.now();
        let (engine, effects) = Engine::resume(self.settings(policy), &loaded.entries, now);
        let provider = provider.or_else(|| {
            let model = engine.state().transcript.model.clone()?;
            self.provider(&model).ok()
        });
        Ok(self.open_with(engine, effects, store, provider, notices))
    }

    fn open_with(
        &self,
        engine: Engine,
        effects: Vec<crate::engine::Effect>,
        store: Store,
        provider: Option<Provider>,
        notices: Vec<Notice>,
    ) -> Opened {
        let house = self.clone();
        let executor = self.executor(store.blobs());
        let driver = Driver::new(Parts {
            engine,
            effects,
            executor,
            provider,
            connect: Box::new(move |name| house.provider(name)),
            scope: self.scope(),
            sessions: self.loaded.sessions(),
            clock: Clock::System,
            store,
        });
        let mut notices = notices;
        notices.extend(self.functions().1.into_iter().map(Notice::warn));
        Opened { driver, notices }
    }

    /// The session that a word names: an id, the beginning of one, or a name.
    ///
    /// # Errors
    /// When none or several fit, in words.
    pub fn find_session(&self, wanted: &str) -> Result<PathBuf, String> {
        let found = store::index::find(&self.loaded.sessions(), wanted);
        found.map(|summary| summary.path).map_err(|error| error.to_string())
    }
}

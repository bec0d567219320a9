//! Puts the rooms together: from the configuration to a driver with a new or an old session.
//!
//! Both front doors and the commands start here, so that a session is the same thing everywhere.

use super::keys::KeyRing;
use super::place::Place;
use super::source::{self, Unusable};
use super::{recipes, rules};
use crate::config::{self, Chosen, ExecutorChoice, Loaded, Origin};
use crate::domain::sentences::saving;
use crate::domain::{
    FunctionFile, Header, Limits, Masker, ModelInfo, ModelName, Notice, Policy, SandboxLevel, SessionId,
};
use crate::driver::{Clock, Driver, Parts};
use crate::engine::cost::Prices;
use crate::engine::{Engine, JudgeSettings, Settings, prompt};
use crate::exec::{self, Executor, Setup, Wish, Without};
use crate::launch::{Ground, Launcher};
use crate::provider::Provider;
use crate::recipe::{self, Recipe};
use crate::review::{Book, Scope};
use crate::store::{self, Damage, Scratch, Seal, Store, StoreError};
use crate::workspace;
use crate::workspace::instructions::Search;
use secrecy::SecretString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The configuration, and where this process stands.
#[derive(Clone)]
pub struct House {
    /// The configuration.
    pub loaded: Arc<Loaded>,
    /// Where this process stands.
    pub place: Place,
    /// The rules of the review: shipped ones, the person's own, and what is forbidden.
    book: Arc<Book>,
    /// The recipes that there are: shipped ones, and the person's own.
    recipes: Arc<[Recipe]>,
    /// Keys that were typed in or written by programs; they live as long as the process.
    pub keys: Arc<KeyRing>,
}

/// A session that is open.
pub struct Opened {
    /// Its driver.
    pub driver: Driver,
    /// What the person should know: damage in the file, a disk that is not durable.
    pub notices: Vec<Notice>,
    /// All that is wrong with the file, in full.
    pub damage: Vec<String>,
    /// That the session is foreign, and why, where it is.
    pub foreign: Option<String>,
}

/// Damage as notices: what one line has no room for is told by `/status`.
fn damage_notices(damage: &[Damage]) -> Vec<Notice> {
    match damage {
        [] => Vec::new(),
        [one] => vec![Notice::warn(one.to_string())],
        [first, rest @ ..] => {
            let more = rest.len();
            vec![Notice::warn(format!("{first} {more} more of the file: /status tells all."))]
        }
    }
}

impl House {
    /// A house with this configuration.
    /// Own rules and recipes that can't be used are left out, and notices of `loaded` say so.
    pub fn new(mut loaded: Loaded, place: Place) -> Self {
        let (book, notices) = rules::book(&loaded);
        loaded.notices.extend(notices);
        let (recipes, notices) = recipes::all(&loaded);
        loaded.notices.extend(notices);
        Self {
            loaded: Arc::new(loaded),
            place,
            book: Arc::new(book),
            recipes: recipes.into(),
            keys: Arc::default(),
        }
    }

    /// The recipes that there are: those that ship, then the person's own.
    pub fn recipes(&self) -> &[Recipe] {
        &self.recipes
    }

    /// Remembers a key for a provider, in memory only; it is for the address that is in use now.
    pub fn remember_key(&self, provider: &str, key: SecretString) {
        let address = self.loaded.config.providers.get(provider).and_then(|p| p.address());
        self.keys.remember(provider, address.unwrap_or_default(), key);
    }

    /// The source of replies that was chosen by option, configuration or environment; `None` where none was.
    ///
    /// # Errors
    /// An unknown provider, an address or a key that can't be used.
    pub fn chosen_provider(&self) -> Result<Option<Provider>, Unusable> {
        self.loaded.config.chosen()?.map(|chosen| self.connect(chosen)).transpose()
    }

    /// The source of replies for a model by name.
    ///
    /// # Errors
    /// As [`House::chosen_provider`].
    pub fn provider(&self, name: &ModelName) -> Result<Provider, Unusable> {
        self.connect(self.loaded.config.resolve(&name.to_string())?)
    }

    /// The source of replies for a provider's own model, where a key for one is in the environment or was stored: the
    /// first one of those that are looked for, with the words for where its key is kept.
    pub fn provider_by_key(&self) -> Option<(Provider, String)> {
        self.loaded.config.by_key().into_iter().find_map(|chosen| {
            let kept = self.keys.kept(&chosen.name.provider, &chosen.provider, self)?;
            Some((self.connect(chosen).ok()?, kept))
        })
    }

    /// A source of replies at an address of the person's, with a key or without.
    ///
    /// # Errors
    /// When the address or the key can't be used.
    pub fn provider_at(&self, name: ModelName, base_url: &str) -> Result<Provider, Unusable> {
        let known = self.loaded.config.providers.get(&name.provider).cloned().unwrap_or_default();
        let provider = crate::config::Provider { elsewhere: Some(base_url.to_owned()), ..known };
        self.connect(Chosen { name, provider })
    }

    fn connect(&self, chosen: Chosen) -> Result<Provider, Unusable> {
        if self.keys.asks_program(&chosen.name.provider, &chosen.provider, self)? {
            return Ok(self.connect_later(chosen));
        }
        let key = self.keys.find(&chosen.name.provider, &chosen.provider, self)?;
        source::connect(chosen, key)
    }

    /// A program that writes a key may take its time: it is run when the first request is about to leave.
    fn connect_later(&self, chosen: Chosen) -> Provider {
        let house = self.clone();
        let name = chosen.name.clone();
        Provider::later(
            name,
            Arc::new(move || {
                let key = house.keys.find(&chosen.name.provider, &chosen.provider, &house);
                let made = key.and_then(|key| source::connect(chosen.clone(), key));
                made.map_err(|error| (error.what, error.hint))
            }),
        )
    }

    /// Who masks what is written: it knows all keys that are known by now, and learns those that come later.
    pub fn masker(&self) -> Masker {
        let masker = self.keys.masker();
        masker.learn(self.keys.known(self));
        masker
    }

    /// What the engine has to know beforehand.
    pub fn settings(&self, policy: Policy) -> Settings {
        let config = &self.loaded.config;
        let (dialect, languages) = (config.dialect.chosen(), config.languages());
        let cwd = self.place.cwd.display().to_string();
        // The model is told of what is there only; what it writes in another language can still be read and saved.
        let system_prompt = prompt::system(&exec::on_path(&languages), &cwd, std::env::consts::OS);
        Settings {
            step_limit: config.step_limit,
            repeat_limit: config.repeat_limit,
            dialect,
            languages,
            system_prompt,
            policy,
            foreign: false,
            unconfined: config.sandbox.level() == SandboxLevel::Off,
            limits: self.limits(),
            output_to_model: usize::try_from(config.limits.to_model).unwrap_or(usize::MAX),
            context_tokens: config.context.tokens,
            images: config.context.images,
            use_instructions: config.instructions.project,
            own_instructions: config.instructions.text.clone().unwrap_or_default(),
            prices: self.prices(),
            session_budget: config.budget.session.map(|dollars| dollars.0),
            judge: self.judge(),
            functions: self.functions().0,
            ways: recipe::ways(),
            masker: self.masker(),
        }
    }

    /// The files of the person's own functions, and what is wrong with the others.
    fn functions(&self) -> (Vec<FunctionFile>, Vec<String>) {
        let usual = self.functions_file();
        let listed = &self.loaded.config.functions.files;
        // The usual file is loaded as soon as it is there; one that is configured has to be there.
        let files = if listed.is_empty() && usual.exists() { std::slice::from_ref(&usual) } else { listed };
        if self.loaded.config.executor == ExecutorChoice::Local || files.is_empty() {
            return workspace::functions::read_all(files);
        }
        (Vec::new(), vec!["functions: files of your own are loaded into the local kernel only".into()])
    }

    /// The file that functions are saved to: the first that is configured, else the usual one.
    pub fn functions_file(&self) -> PathBuf {
        let first = self.loaded.config.functions.files.first();
        first.cloned().unwrap_or_else(|| self.loaded.paths.functions())
    }

    pub(super) fn prices(&self) -> Prices {
        let (as_of, shipped) = config::shipped_prices();
        Prices { own: config::prices(&self.loaded.config.prices), shipped, as_of }
    }

    /// When a second opinion is asked for, and of whom. A name that leads to no model is kept: another model than the
    /// one that was named must not be shown the code, and asking this one says why it can't be asked.
    fn judge(&self) -> JudgeSettings {
        let review = &self.loaded.config.review;
        let named = |name: &String| match self.loaded.config.resolve(name) {
            Ok(chosen) => chosen.name,
            Err(_) => match name.split_once('/') {
                Some((provider, model)) => ModelName { provider: provider.into(), model: model.into() },
                None => ModelName { provider: name.clone(), model: String::new() },
            },
        };
        JudgeSettings { from: review.judge.from(), model: review.judge_model.as_ref().map(named) }
    }

    /// What carries out runs, with large outputs in this folder.
    pub fn executor(&self, blobs: PathBuf) -> Executor {
        let config = &self.loaded.config;
        Executor::of(self.setup(blobs), &config.executor, &config.executors)
    }

    /// What carries out runs on this machine, whatever was chosen.
    pub fn local_executor(&self) -> Executor {
        Executor::new(self.setup(self.loaded.sessions().join("blobs")))
    }

    /// The Python that is set.
    pub fn python(&self) -> Option<PathBuf> {
        self.loaded.config.run.python.clone()
    }

    /// The programs that sayso may start by itself in this place, as they are found now.
    pub fn launcher(&self) -> Launcher {
        let place = &self.place;
        let write = &self.loaded.config.sandbox.write;
        let mut own = self.own_folders();
        own.push(self.loaded.paths.data.clone());
        Launcher::of_process(Ground::new(&place.cwd, place.home.as_deref(), write, &own))
    }

    fn setup(&self, blobs: PathBuf) -> Setup {
        let config = &self.loaded.config;
        Setup {
            helper: self.place.program.clone(),
            cwd: self.place.cwd.clone(),
            blobs,
            languages: config.languages(),
            environment: config.run.environment.clone(),
            python: config.run.python.clone(),
            limits: self.limits(),
            sandbox: self.wish(),
            without: Without::default(),
            home: self.place.home.clone(),
            own: self.own_folders(),
            masker: self.masker(),
        }
    }

    /// The limits of a run. A memory limit that nobody chose leaves a small machine half of what it has.
    pub fn limits(&self) -> Limits {
        let mut limits = self.loaded.config.limits();
        if *self.loaded.origins.of("limits.memory") == Origin::Default {
            let machine = rustix::system::sysinfo();
            let all = (machine.totalram as u64).saturating_mul(u64::from(machine.mem_unit));
            limits.memory_bytes = limits.memory_bytes.min((all / 2).max(1 << 28));
        }
        limits
    }

    /// How runs are to be confined. What the person wrote or named is asked for; what nobody chose is had as far as it
    /// can be.
    fn wish(&self) -> Wish {
        let sandbox = &self.loaded.config.sandbox;
        Wish {
            level: sandbox.level(),
            asked: *self.loaded.origins.of("sandbox.level") != Origin::Default,
            read: sandbox.read.clone(),
            write: sandbox.write.clone(),
            network: sandbox.network,
        }
    }

    /// Folders that no run may write: configuration, sessions, the log. Demos work in a folder of the data's.
    fn own_folders(&self) -> Vec<PathBuf> {
        let paths = &self.loaded.paths;
        let sessions = [self.loaded.sessions(), paths.sessions()];
        let mut own = vec![paths.config.clone(), paths.state.clone()];
        own.extend(sessions);
        own.sort();
        own.dedup();
        own
    }

    /// What the review has to know of this place.
    pub fn scope(&self) -> Scope {
        let (cwd, home) = (self.place.cwd.clone(), self.place.home.clone());
        Scope { cwd, home, book: Arc::clone(&self.book), masker: self.masker(), ..Scope::default() }
    }

    /// What is told of a model, under what the configuration says of it.
    pub(super) fn informed(&self, told: ModelInfo) -> ModelInfo {
        let images = told.images.or_else(|| config::takes_images(&told.name.model));
        let told = ModelInfo { images, ..told };
        let Some(provider) = self.loaded.config.providers.get(&told.name.provider) else { return told };
        let said = provider.models.get(&told.name.model).copied().unwrap_or_default();
        ModelInfo {
            context: said.context.or(told.context).or(provider.context),
            output: said.max_output.or(told.output).or(provider.max_output),
            tools: told.tools.or(provider.calls_tools()),
            images: said.images.or(told.images),
            ..told
        }
    }

    /// Where files of instructions are looked for.
    pub fn instructions(&self) -> Search {
        let own = self.loaded.config.instructions.files.clone();
        // Those of the project are looked for even where they are switched off: they can be switched on.
        Search {
            cwd: self.place.cwd.clone(),
            home: self.place.home.clone(),
            project: true,
            own,
            write: self.loaded.config.sandbox.write.clone(),
            book: Some(self.loaded.paths.state.join("instructions.json")),
        }
    }

    /// A driver with a new session. Nothing is written before something was asked. Must be called inside a runtime.
    pub fn begin(&self, provider: Option<Provider>, policy: Policy) -> Opened {
        let header = self.header(provider.as_ref());
        let store = Store::create(&self.loaded.sessions(), header.clone());
        self.begin_sealed(header, store, provider, policy)
    }

    /// The same with the session in this file, which is not there yet.
    pub fn begin_at(&self, path: &Path, provider: Option<Provider>, policy: Policy) -> Opened {
        let header = self.header(provider.as_ref());
        let store = Store::create_at(path, header.clone());
        self.begin_sealed(header, store, provider, policy)
    }

    /// The same with a session that is kept nowhere. Its large outputs and images are gone with the other value.
    pub fn begin_unkept(&self, policy: Policy) -> (Opened, Scratch) {
        let header = self.header(None);
        let scratch = Scratch::create(&self.loaded.sessions(), &header.id.0);
        // Nothing that is written has to be sealed, and no key is made for it.
        (self.begin_with(header, Store::forgetting(&scratch), None, policy), scratch)
    }

    fn begin_with(&self, header: Header, store: Store, provider: Option<Provider>, policy: Policy) -> Opened {
        let store = store.with_masker(self.masker());
        let mut engine = Engine::new(self.settings(policy));
        let effects = engine.start(header, Clock::System.now());
        self.open_with(engine, effects, store, provider, Vec::new())
    }

    fn begin_sealed(
        &self,
        header: Header,
        store: Store,
        provider: Option<Provider>,
        policy: Policy,
    ) -> Opened {
        let mut notices = Vec::new();
        let store = store.with_seal(self.seal(&mut notices));
        let mut opened = self.begin_with(header, store, provider, policy);
        opened.notices.append(&mut notices);
        opened
    }

    /// What seals sessions here. Without one they can be written all the same; they are foreign when they are opened again.
    fn seal(&self, notices: &mut Vec<Notice>) -> Option<Seal> {
        let made = Seal::make(&self.loaded.paths.state);
        made.map_err(|error| notices.push(Notice::warn(saving::unsealed(&error.to_string())))).ok()
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
        let mut notices = Vec::new();
        let seal = self.seal(&mut notices);
        let (store, loaded, reading) = Store::open_or_read(path, seal.as_ref())?;
        let store = store.with_masker(self.masker());
        let damage: Vec<String> = loaded.damage.iter().map(ToString::to_string).collect();
        notices.extend(damage_notices(&loaded.damage));
        notices.extend(reading.map(|why| Notice::warn(saving::reading_only(&why))));
        let chosen = provider.clone();
        let now = Clock::System.now();
        let settings = Settings { foreign: loaded.foreign.is_some(), ..self.settings(policy) };
        let (engine, effects) = Engine::resume(settings, &loaded.entries, now);
        // Last of all, for it is what the person has to know first.
        let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let foreign = loaded.foreign.map(|why| saving::foreign(&why.to_string(), &id));
        let provider = provider.or_else(|| {
            let model = engine.state().transcript.model.clone()?;
            let made = self.provider(&model).map_err(|error| {
                notices.push(Notice::warn(format!("{model} can't be asked again: {error}")));
            });
            made.ok()
        });
        notices.extend(foreign.is_some().then(|| Notice::warn(saving::FOREIGN)));
        let mut opened = self.open_with(engine, effects, store, provider, notices);
        (opened.damage, opened.foreign) = (damage, foreign);
        if let Some(chosen) = chosen {
            // Who is asked from here on stands in the file: it may be another than before.
            opened.driver.use_provider(chosen);
        }
        Ok(opened)
    }

    fn open_with(
        &self,
        engine: Engine,
        effects: Vec<crate::engine::Effect>,
        store: Store,
        provider: Option<Provider>,
        notices: Vec<Notice>,
    ) -> Opened {
        let (house, asked, knows) = (self.clone(), self.clone(), self.clone());
        let executor = self.executor(store.blobs());
        let driver = Driver::new(Parts {
            engine,
            effects,
            executor,
            provider,
            connect: Arc::new(move |name| house.provider(name).map_err(|error| error.to_string())),
            catalogue: Arc::new(move || asked.sources(None)),
            scope: self.scope(),
            recipes: self.recipes.to_vec(),
            functions: self.functions_file(),
            sessions: self.loaded.sessions(),
            instructions: self.instructions(),
            informed: Arc::new(move |told| knows.informed(told)),
            clock: Clock::System,
            own_recipes: self.loaded.paths.recipes(),
            store,
        });
        let mut notices = notices;
        notices.extend(self.functions().1.into_iter().map(Notice::warn));
        Opened {
            driver,
            damage: Vec::new(),
            foreign: None,
            notices: self.keys.take_notices().into_iter().chain(notices).collect(),
        }
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

//! Opens sessions: a new one, one in a named file, one that is kept nowhere, and one that goes on from its file.

use super::factory::SessionFactory;
use super::place::own_folders;
use crate::domain::sentences::saving;
use crate::domain::{Header, Notice, Policy, SessionId};
use crate::driver::{Clock, Driver, DriverParts, SessionSearch, UndoLimits, UndoPlace};
use crate::engine::transcript::PagedTranscript;
use crate::engine::{Effect, Engine, Settings};
use crate::provider::Provider;
use crate::review;
use crate::store::index::{self, FindError};
use crate::store::search::filters::Reader;
use crate::store::{Reading, Scratch, Seal, Store, StoreError, damage_summary};
use crate::workspace::facts::resolve_links;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) struct OpenSession {
    pub(crate) driver: Driver,
    /// What the person should know: damage in the file, a disk that is not durable.
    pub(crate) notices: Vec<Notice>,
    /// All that is wrong with the file, in full.
    pub(crate) damage: Vec<String>,
    /// That the session is foreign, and why, where it is.
    pub(crate) foreign: Option<String>,
}

/// Damage as notices: what one line has no room for is told by `/status`.
fn damage_notices(damage: &[String]) -> Vec<Notice> {
    match damage {
        [] => Vec::new(),
        [one] => vec![Notice::warn(one.clone())],
        [first, rest @ ..] => {
            let more = rest.len();
            vec![Notice::warn(format!("{first} {more} more of the file: /status tells all."))]
        }
    }
}

impl SessionFactory {
    /// A driver with a new session. Nothing is written before something was asked. Must be called inside a runtime.
    pub(crate) fn begin(&self, provider: Option<Provider>, policy: Policy) -> OpenSession {
        let header = self.header(provider.as_ref());
        let store = Store::create(&self.loaded.sessions(), header.clone());
        self.begin_sealed(header, store, provider, policy)
    }

    /// The same with the session in this file, which is not there yet.
    pub(crate) fn begin_at(&self, path: &Path, provider: Option<Provider>, policy: Policy) -> OpenSession {
        let header = self.header(provider.as_ref());
        let store = Store::create_at(path, header.clone());
        self.begin_sealed(header, store, provider, policy)
    }

    /// The same with a session that is kept nowhere. Its large outputs and images are gone with the other value.
    pub(crate) fn begin_unkept(&self, policy: Policy) -> (OpenSession, Scratch) {
        let header = self.header(None);
        let scratch = Scratch::create(&self.loaded.sessions(), &header.id.0);
        // Nothing that is written has to be sealed, and no key is made for it.
        // Nor is anything remembered: a session that is kept nowhere leaves nothing behind.
        (self.begin_with(header, Store::forgetting(&scratch), (None, None), policy), scratch)
    }

    fn begin_with(
        &self,
        header: Header,
        store: Store,
        (provider, undo): (Option<Provider>, Option<UndoPlace>),
        policy: Policy,
    ) -> OpenSession {
        let store = store.with_masker(self.masker());
        let mut engine = Engine::new(self.settings(policy));
        let effects = engine.start(header, Clock::System.now());
        self.open_with((engine, effects), store, (provider, undo), Vec::new())
    }

    fn begin_sealed(
        &self,
        header: Header,
        store: Store,
        provider: Option<Provider>,
        policy: Policy,
    ) -> OpenSession {
        let mut notices = Vec::new();
        let store = store.with_seal(self.seal(&mut notices));
        let undo = Some(self.undo_place());
        let mut opened = self.begin_with(header, store, (provider, undo), policy);
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
            branch_of: None,
        }
    }

    /// A driver with a session that is on disk; `reading` tells how far its file is read.
    pub(crate) fn resume(
        &self,
        path: &Path,
        provider: Option<Provider>,
        policy: Policy,
        reading: &Reading,
    ) -> Result<OpenSession, StoreError> {
        let mut notices = Vec::new();
        let seal = self.seal(&mut notices);
        let (store, loaded, unwritten) =
            Store::open_or_read::<PagedTranscript>(path, seal.as_ref(), reading)?;
        if !reading.goes_on() {
            return Err(StoreError::Stopped);
        }
        let store = store.with_masker(self.masker());
        let damage = damage_summary(&loaded.damage);
        notices.extend(damage_notices(&damage));
        let reads_only = unwritten.is_some();
        notices.extend(unwritten.map(|why| Notice::warn(saving::reading_only(&why))));
        let chosen = provider.clone();
        let now = Clock::System.now();
        let settings = Settings { foreign: loaded.foreign.is_some(), reads_only, ..self.settings(policy) };
        let (engine, effects) = Engine::resume(settings, loaded.entries.into(), now);
        if !reading.goes_on() {
            return Err(StoreError::Stopped);
        }
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
        let undo = Some(self.undo_place());
        let mut opened = self.open_with((engine, effects), store, (provider, undo), notices);
        (opened.damage, opened.foreign) = (damage, foreign);
        if let Some(chosen) = chosen {
            // Who is asked from here on stands in the file: it may be another than before.
            opened.driver.use_provider(chosen);
        }
        Ok(opened)
    }

    /// Where and how much is remembered before runs.
    pub(crate) fn undo_place(&self) -> UndoPlace {
        let (paths, limits, scope) = (&self.loaded.paths, &self.loaded.config.undo, self.scope());
        let files = usize::try_from(limits.files).unwrap_or(usize::MAX);
        let mut own = own_folders(&self.loaded);
        own.push(paths.undo());
        UndoPlace {
            folder: paths.undo(),
            // As walks meet them: what is remembered follows no link on the way to it.
            own: own.iter().map(|folder| resolve_links(folder)).collect(),
            limits: UndoLimits { total: limits.total, file: limits.file, files },
            is_secret: Arc::new(move |path| review::is_secret(&path.to_string_lossy(), &scope)),
            working: self.place.cwd.clone(),
        }
    }

    fn open_with(
        &self,
        (engine, effects): (Engine, Vec<Effect>),
        store: Store,
        (provider, undo): (Option<Provider>, Option<UndoPlace>),
        notices: Vec<Notice>,
    ) -> OpenSession {
        let (factory, asked, knows, keeps) = (self.clone(), self.clone(), self.clone(), self.clone());
        let (place, languages) = (self.place.clone(), self.languages.all.clone());
        let executor = self.executor(store.blobs());
        let driver = Driver::new(DriverParts {
            engine,
            effects,
            executor,
            provider,
            connect: Arc::new(move |name| factory.provider(name)),
            catalogue: Arc::new(move || asked.sources(None)),
            store_key: Arc::new(move |provider| Ok(keeps.store_key(provider)?)),
            scope: self.scope(),
            recipes: self.recipes.clone(),
            functions: self.function_files(),
            sessions: self.loaded.sessions(),
            read_search: Arc::new(move |text| {
                let (cwd, home, languages) = (&place.cwd, place.home.as_deref(), &languages);
                let (now, zone) = (Clock::System.now(), &super::local_zone());
                SessionSearch::read(text, Reader { now, zone, cwd, home, languages })
            }),
            instructions: self.instructions(),
            informed: Arc::new(move |told| knows.with_overrides(told)),
            undo,
            clock: Clock::System,
            store,
        });
        let mut notices = notices;
        notices.extend(self.functions().1.into_iter().map(Notice::warn));
        OpenSession {
            driver,
            damage: Vec::new(),
            foreign: None,
            notices: self.keys.take_notices().into_iter().chain(notices).collect(),
        }
    }

    /// The session that a word names: an id, the beginning of one, or a name.
    pub(crate) fn find_session(&self, wanted: &str) -> Result<PathBuf, FindError> {
        index::find(&self.loaded.sessions(), wanted).map(|summary| summary.path)
    }
}

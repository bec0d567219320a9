//! Opens sessions: a new one, a new one in a named file, one that is not stored, and one that is resumed from its
//! file.

use super::factory::SessionFactory;
use super::process_context::own_folders;
use crate::domain::sentences::saving;
use crate::domain::{Header, Notice, Policy, SessionId};
use crate::driver::{Clock, Driver, DriverParts, SessionSearch, UndoConfig, UndoLimits};
use crate::engine::transcript::PagedTranscript;
use crate::engine::{Effect, Engine, Settings};
use crate::provider::Provider;
use crate::review;
use crate::store::index::{self, FindError};
use crate::store::search::filters::Reader;
use crate::store::{ReadProgress, Scratch, Seal, Store, StoreError, damage_summary};
use crate::workspace::facts::resolve_links;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) struct OpenSession {
    pub(crate) driver: Driver,
    /// What the person should know: damage of the file, a disk that is not durable.
    pub(crate) notices: Vec<Notice>,
    /// All damage of the file, in full.
    pub(crate) damage: Vec<String>,
    /// Why the session is foreign, if it is.
    pub(crate) foreign: Option<String>,
}

/// What differs between the ways to open a session.
struct SessionParts {
    engine: Engine,
    /// The effects that the engine ordered.
    effects: Vec<Effect>,
    store: Store,
    provider: Option<Provider>,
    /// What is copied before runs; `None`: nothing.
    undo: Option<UndoConfig>,
    notices: Vec<Notice>,
}

/// A notice about the damage of a file. Only the first damage is named; `/status` lists the rest.
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
    /// Opens a new session. Its file is created with the first prompt. Must be called inside a runtime.
    pub(crate) fn begin(&self, provider: Option<Provider>, policy: Policy) -> OpenSession {
        let header = self.header(provider.as_ref());
        let store = Store::create(&self.loaded.sessions(), header.clone());
        self.begin_sealed(header, store, provider, policy)
    }

    /// Opens a new session in this file, which does not exist yet.
    pub(crate) fn begin_at(&self, path: &Path, provider: Option<Provider>, policy: Policy) -> OpenSession {
        let header = self.header(provider.as_ref());
        let store = Store::create_at(path, header.clone());
        self.begin_sealed(header, store, provider, policy)
    }

    /// Opens a session that is not stored. Dropping the returned `Scratch` deletes its large outputs and images.
    pub(crate) fn begin_unkept(&self, policy: Policy) -> (OpenSession, Scratch) {
        let header = self.header(None);
        let scratch = Scratch::create(&self.loaded.sessions(), &header.id.0);
        // Without a file there is nothing to seal, so no sealing key is made; nothing is remembered for undo either.
        (self.begin_with(header, Store::forgetting(&scratch), None, None, policy), scratch)
    }

    fn begin_with(
        &self,
        header: Header,
        store: Store,
        provider: Option<Provider>,
        undo: Option<UndoConfig>,
        policy: Policy,
    ) -> OpenSession {
        let store = store.with_masker(self.masker());
        let (functions, notices) = self.functions();
        let mut engine = Engine::new(self.settings(policy, functions));
        let effects = engine.start(header, Clock::System.now());
        self.open_with(SessionParts { engine, effects, store, provider, undo, notices })
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
        let undo = Some(self.undo_config());
        let mut opened = self.begin_with(header, store, provider, undo, policy);
        opened.notices.append(&mut notices);
        opened
    }

    /// The seal for session files of this installation. Without one sessions can still be written, but are foreign
    /// when they are opened again.
    fn seal(&self, notices: &mut Vec<Notice>) -> Option<Seal> {
        let made = Seal::make(&self.loaded.paths.state);
        made.map_err(|error| notices.push(Notice::warn(saving::unsealed(&error.to_string())))).ok()
    }

    fn header(&self, provider: Option<&Provider>) -> Header {
        let id = SessionId(uuid::Uuid::now_v7().to_string());
        Header {
            model: provider.map(|p| p.name().clone()),
            program: env!("CARGO_PKG_VERSION").into(),
            ..Header::new(id, Clock::System.now(), self.place.cwd.clone())
        }
    }

    /// Resumes the session in this file; `reading` reports the progress and can stop it.
    pub(crate) fn resume(
        &self,
        path: &Path,
        provider: Option<Provider>,
        policy: Policy,
        reading: &ReadProgress,
    ) -> Result<OpenSession, StoreError> {
        let mut notices = Vec::new();
        let seal = self.seal(&mut notices);
        let (store, loaded, unwritten) =
            Store::open_or_read::<PagedTranscript>(path, seal.as_ref(), reading)?;
        if !reading.is_wanted() {
            return Err(StoreError::Stopped);
        }
        let store = store.with_masker(self.masker());
        let damage = damage_summary(&loaded.damage);
        notices.extend(damage_notices(&damage));
        let reads_only = unwritten.is_some();
        notices.extend(unwritten.map(|why| Notice::warn(saving::reading_only(&why))));
        let chosen = provider.clone();
        let now = Clock::System.now();
        let (functions, troubles) = self.functions();
        notices.extend(troubles);
        let settings = self.settings(policy, functions);
        let settings = Settings { foreign: loaded.foreign.is_some(), reads_only, ..settings };
        let (engine, effects) = Engine::resume(settings, loaded.entries.into(), now);
        if !reading.is_wanted() {
            return Err(StoreError::Stopped);
        }
        // Its notice is added after the others about the file, because the person has to see it first.
        let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let foreign = loaded.foreign.map(|why| saving::foreign(&why.to_string(), &id));
        let provider = provider.or_else(|| self.provider_of_session(&engine, &mut notices));
        notices.extend(foreign.is_some().then(|| Notice::warn(saving::FOREIGN)));
        let undo = Some(self.undo_config());
        let mut opened = self.open_with(SessionParts { engine, effects, store, provider, undo, notices });
        (opened.damage, opened.foreign) = (damage, foreign);
        if let Some(chosen) = chosen {
            // This records in the file who is asked from here on, since it may be another model than before.
            opened.driver.use_provider(chosen);
        }
        Ok(opened)
    }

    /// The provider of the model that answered last in the session, or a notice why it can't be asked again.
    fn provider_of_session(&self, engine: &Engine, notices: &mut Vec<Notice>) -> Option<Provider> {
        let model = engine.state().transcript.model.clone()?;
        let made = self.provider(&model).map_err(|error| {
            notices.push(Notice::warn(format!("{model} can't be asked again: {error}")));
        });
        made.ok()
    }

    /// Where files are saved before runs for undo, and how many.
    pub(crate) fn undo_config(&self) -> UndoConfig {
        let (paths, limits, scope) = (&self.loaded.paths, &self.loaded.config.undo, self.scope());
        let files = usize::try_from(limits.files).unwrap_or(usize::MAX);
        let mut own = own_folders(&self.loaded);
        own.push(paths.undo());
        UndoConfig {
            folder: paths.undo(),
            // With links resolved, as walks meet them: a snapshot follows no links on its way.
            own: own.iter().map(|folder| resolve_links(folder)).collect(),
            limits: UndoLimits { total: limits.total, file: limits.file, files },
            is_secret: Arc::new(move |path| review::is_secret(&path.to_string_lossy(), &scope)),
            working: self.place.cwd.clone(),
        }
    }

    fn open_with(&self, parts: SessionParts) -> OpenSession {
        let SessionParts { engine, effects, store, provider, undo, notices } = parts;
        let (for_models, for_lists, for_keys, for_overrides) =
            (self.clone(), self.clone(), self.clone(), self.clone());
        let (place, languages) = (self.place.clone(), self.languages.all.clone());
        let executor = self.executor(store.blobs());
        let driver = Driver::new(DriverParts {
            engine,
            effects,
            executor,
            provider,
            connect: Arc::new(move |name| for_models.provider(name)),
            catalogue: Arc::new(move || for_lists.sources(None)),
            store_key: Arc::new(move |provider| Ok(for_keys.store_key(provider)?)),
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
            model_overrides: Arc::new(move |reported| for_overrides.with_overrides(reported)),
            undo,
            clock: Clock::System,
            store,
        });
        OpenSession {
            driver,
            damage: Vec::new(),
            foreign: None,
            notices: self.keys.take_notices().into_iter().chain(notices).collect(),
        }
    }

    /// Finds the session with this id, beginning of an id, or name.
    pub(crate) fn find_session(&self, wanted: &str) -> Result<PathBuf, FindError> {
        index::find(&self.loaded.sessions(), wanted).map(|summary| summary.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn that_a_session_is_foreign_is_told_behind_all_other_notices() {
        let home = tempfile::tempdir().unwrap();
        let mut factory = SessionFactory::for_test(home.path());
        let mut loaded = (*factory.loaded).clone();
        loaded.config.functions.files = vec![home.path().join("missing.py")];
        factory.loaded = loaded.into();
        let path = home.path().join("session.jsonl");
        let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/sessions/v1-entries.jsonl");
        std::fs::copy(fixture, &path).unwrap();
        let opened = factory.resume(&path, None, Policy::default(), &ReadProgress::default()).unwrap();
        let notices: Vec<&str> = opened.notices.iter().map(|notice| &*notice.text).collect();
        assert_eq!(notices.iter().filter(|text| text.starts_with("functions: ")).count(), 1, "{notices:?}");
        assert_eq!(notices.last(), Some(&saving::FOREIGN), "{notices:?}");
    }
}

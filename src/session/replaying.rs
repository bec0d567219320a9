//! Makes the factory for a replay. It allows at most what was approved then and at most what is configured today, in
//! a folder of its own.

use super::factory::SessionFactory;
use crate::config::ExecutorChoice;
use crate::domain::SandboxLevel;
use crate::engine::recorded_runs::AllowedThen;
use crate::launch::private_folder::PrivateFolder;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A fresh and empty folder to work in; dropping it removes it and all that is in it.
#[derive(Debug)]
pub(crate) struct FreshFolder {
    work: PathBuf,
    _private: PrivateFolder,
}

impl FreshFolder {
    /// Makes a folder that only this account can enter.
    pub(crate) fn make() -> io::Result<Self> {
        let private = PrivateFolder::make()?;
        let work = private.path().join("work");
        std::fs::create_dir(&work)?;
        Ok(Self { work, _private: private })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.work
    }
}

/// What the person allows a replay.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReplayOptions {
    /// Whether the network may be open for runs that had it open.
    pub(crate) network: bool,
    /// Whether to run without a sandbox.
    pub(crate) unconfined: bool,
    /// The folder in which the session worked.
    pub(crate) worked: PathBuf,
}

impl SessionFactory {
    /// A factory for repeating runs in this folder, on this executor, with at most the rights they were `allowed`.
    /// `python` is the interpreter of today's working folder, used if none is configured. Nothing outside the folder
    /// can be written, and no second opinion is requested.
    pub(crate) fn replaying(
        &self,
        folder: &Path,
        allowed: &AllowedThen,
        options: &ReplayOptions,
        executor: ExecutorChoice,
        python: Option<PathBuf>,
    ) -> Self {
        let mut loaded = (*self.loaded).clone();
        let mut place = self.place.with_cwd(folder.to_owned());
        let config = &mut loaded.config;
        // Programs in folders where runs worked are not trusted, even though the replay can't write there.
        place.worked.extend([self.place.cwd.clone(), options.worked.clone()]);
        place.worked.append(&mut config.sandbox.write);
        config.sandbox.network = options.network && allowed.network;
        config.sandbox.level = match (config.sandbox.level, allowed.level) {
            _ if options.unconfined => SandboxLevel::Off,
            (SandboxLevel::Off, Some(then)) => then,
            (_, Some(SandboxLevel::ReadOnly)) => SandboxLevel::ReadOnly,
            (now, _) => now,
        };
        if let Some(then) = &allowed.read {
            let real = |folder: &PathBuf| std::fs::canonicalize(folder).unwrap_or_else(|_| folder.clone());
            config.sandbox.read.retain(|folder| then.contains(&real(folder)));
        }
        config.run.environment.retain(|name| allowed.environment.contains(name));
        config.run.python = config.run.python.take().or(python);
        config.review.opinion = None;
        config.executor = executor;
        let mut factory = self.clone();
        (factory.loaded, factory.place) = (Arc::new(loaded), place);
        factory
    }
}

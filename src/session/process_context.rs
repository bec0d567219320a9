//! The context of this process: its working folder, home, environment and own program.

use crate::config::LoadedConfig;
use crate::exec::HelperFile;
use crate::launch::{Launcher, WritableFolders};
use std::io;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug)]
pub(crate) struct ProcessContext {
    /// The working folder of the session.
    pub(crate) cwd: PathBuf,
    /// The person's home folder.
    pub(crate) home: Option<PathBuf>,
    /// The program itself, which is also the helper of every run.
    pub(crate) program: HelperFile,
    /// Folders besides the working folder in which runs worked before. What lies there is trusted as little.
    pub(crate) worked: Vec<PathBuf>,
}

impl ProcessContext {
    /// Determines the context of this process; `cwd` is the value of `--cwd`.
    pub(crate) fn find(cwd: Option<&Path>) -> io::Result<Self> {
        let here = match cwd {
            Some(folder) => folder.canonicalize()?,
            None => std::env::current_dir()?,
        };
        if !here.is_dir() {
            return Err(io::Error::new(
                io::ErrorKind::NotADirectory,
                format!("{} is not a folder", here.display()),
            ));
        }
        let home = std::env::var_os("HOME").filter(|h| !h.is_empty()).map(PathBuf::from);
        Ok(Self { cwd: here, home, program: HelperFile::running()?, worked: Vec::new() })
    }

    /// The same place with another working folder.
    #[must_use]
    pub(crate) fn with_cwd(&self, cwd: PathBuf) -> Self {
        Self { cwd, ..self.clone() }
    }

    /// Reads an environment variable by name. Values that are not Unicode count as unset.
    #[allow(clippy::unused_self)] // a method, so that callers get the environment from the context like the rest
    pub(crate) fn env(&self) -> impl Fn(&str) -> Option<String> + use<> {
        |name| std::env::var(name).ok()
    }

    /// Finds the programs that sayso may start by itself in this place.
    pub(super) fn launcher(&self, loaded: &LoadedConfig) -> Launcher {
        let mut own = own_folders(loaded);
        own.push(loaded.paths.data.clone());
        let (home, write) = (self.home.as_deref(), &loaded.config.sandbox.write);
        let folders = WritableFolders::new(&self.cwd, home, write, &own);
        Launcher::of_process(folders.with_worked_folders(&self.worked, home))
    }
}

/// Folders that no run may write: the configuration, the sessions, and the state with the log. The data folder is not
/// among them, because demos work in it.
pub(super) fn own_folders(loaded: &LoadedConfig) -> Vec<PathBuf> {
    let paths = &loaded.paths;
    let mut own = vec![paths.config.clone(), paths.state.clone(), loaded.sessions(), paths.sessions()];
    own.sort();
    own.dedup();
    own
}

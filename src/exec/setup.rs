//! What an executor has to know beforehand.

use super::helper_file::HelperFile;
use super::interpreters::environments;
use super::sandbox::{DisabledLayers, SandboxRequest};
use crate::domain::{Languages, Limits, Masker};
use crate::launch::{Launcher, WritableFolders};
use std::path::PathBuf;

/// What an executor has to know beforehand.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The program that answers to `__run`: sayso itself.
    pub helper: HelperFile,
    /// The folder in which the first block of each executor starts.
    pub cwd: PathBuf,
    /// Where large outputs and images are put; made when needed, 0700, its files 0600.
    pub blobs: PathBuf,
    /// The languages that can be run.
    pub languages: Languages,
    /// Names of environment variables that programs get beside the usual ones.
    pub environment: Vec<String>,
    /// The Python to use, where the person chose one.
    pub python: Option<PathBuf>,
    /// The limits of a run that were not chosen otherwise.
    pub limits: Limits,
    /// How runs are to be confined.
    pub sandbox: SandboxRequest,
    /// Layers that are left out, in tests.
    pub without: DisabledLayers,
    /// The person's home folder, which runs do not see.
    pub home: Option<PathBuf>,
    /// Folders of sayso's own: no run may write them.
    pub own: Vec<PathBuf>,
    /// Folders in which runs worked before, beside the working folder: what lies there is believed as little.
    pub worked: Vec<PathBuf>,
    /// Who masks what is written; it learns what only an executor knows and nobody may read.
    pub masker: Masker,
}

impl Setup {
    /// The programs that sayso may start by itself, as they are found now: outside of all that runs may write.
    pub(crate) fn launcher(&self) -> Launcher {
        let mut own = self.own.clone();
        own.push(self.blobs.clone());
        let home = self.home.as_deref();
        let mut write = self.sandbox.write.clone();
        // What lies where the project itself keeps environments is the project's.
        write.extend(environments::chosen_by_project(&self.cwd, home));
        let folders = WritableFolders::new(&self.cwd, home, &write, &own);
        Launcher::of_process(folders.with_worked_folders(&self.worked, home))
    }
}

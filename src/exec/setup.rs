//! What an executor needs to know when it is made.

use super::helper_file::HelperFile;
use super::interpreters::environments;
use super::sandbox::{DisabledLayers, SandboxRequest};
use crate::domain::{Languages, Limits, Masker};
use crate::launch::{Launcher, WritableFolders};
use std::path::PathBuf;

/// What an executor needs to know when it is made.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The program that answers to `__run`: sayso itself.
    pub helper: HelperFile,
    /// The folder in which the first block of each executor starts.
    pub cwd: PathBuf,
    /// The folder for large outputs and images. It is made when needed, with mode 0700 and files of mode 0600.
    pub blobs: PathBuf,
    /// The languages that can be run.
    pub languages: Languages,
    /// Names of environment variables that programs get in addition to the usual ones.
    pub environment: Vec<String>,
    /// The Python that the person chose.
    pub python: Option<PathBuf>,
    /// The limits of runs for which no others were chosen.
    pub limits: Limits,
    /// How runs should be confined.
    pub sandbox: SandboxRequest,
    /// Layers that are left out, in tests.
    pub without: DisabledLayers,
    /// The person's home folder. Runs do not see it.
    pub home: Option<PathBuf>,
    /// sayso's own folders. No run may write to them.
    pub own: Vec<PathBuf>,
    /// Folders in which earlier runs worked. They are trusted as little as the working folder.
    pub worked: Vec<PathBuf>,
    /// Masks what is written. It also learns secrets that only an executor knows.
    pub masker: Masker,
}

impl Setup {
    /// Finds the programs that sayso may start by itself, outside of all folders that runs may write to.
    pub(crate) fn launcher(&self) -> Launcher {
        let mut own = self.own.clone();
        own.push(self.blobs.clone());
        let home = self.home.as_deref();
        let mut write = self.sandbox.write.clone();
        // A place for environments that the project itself sets belongs to the project.
        write.extend(environments::chosen_by_project(&self.cwd, home));
        let folders = WritableFolders::new(&self.cwd, home, &write, &own);
        Launcher::of_process(folders.with_worked_folders(&self.worked, home))
    }
}

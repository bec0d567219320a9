//! Why there is no sandbox. Each text says what to do next.

use crate::domain::SandboxLevel;
use crate::domain::sentences::sandbox::{asked_and_missing, no_private_folder, not_with_folders, untested};
use std::path::PathBuf;

/// Why nothing runs: the requested sandbox can't be set up, and nothing runs on a guess.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SandboxError {
    /// A requested folder does not exist; what the system said.
    #[error("the folder {} that runs may use is not there ({})", .0.display(), .1)]
    NoFolder(PathBuf, String),
    /// A requested folder contains sayso's own files, or is inside of them.
    #[error("the folder {} can't be opened for writing: sayso's own files are in it", .0.display())]
    OwnFolder(PathBuf),
    /// A requested folder belongs to the kernel.
    #[error("the folder {} can't be opened for writing: it is the kernel's", .0.display())]
    KernelFolder(PathBuf),
    /// The requested level can't be set up; what is missing.
    #[error("{}", asked_and_missing(*.0, .1))]
    Missing(SandboxLevel, String),
    /// The private folder of runs can't be made there; what the system said. A run may have filled that place, so this
    /// never makes the sandbox weaker.
    #[error("{}", no_private_folder(&.0.display().to_string(), .1))]
    NoPrivateFolder(PathBuf, String),
    /// The test showed neither that the sandbox works nor that it does not.
    #[error("{}", untested(.0))]
    Untested(String),
    /// The layers work, but not with what is in the person's folders; what the layer said.
    #[error("{}", not_with_folders(.0))]
    Folders(String),
}

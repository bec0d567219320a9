//! Why there is no sandbox, in words that say what to do next.

use crate::domain::SandboxLevel;
use crate::domain::sentences::sandbox::{asked_and_missing, untested};
use std::path::PathBuf;

/// Nothing runs: what was asked for can't be had, and nothing runs on a guess.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SandboxError {
    /// A folder that was asked for, and what the system says.
    #[error("the folder {} that runs may use is not there ({})", .0.display(), .1)]
    NoFolder(PathBuf, String),
    /// A folder that was asked for holds sayso's own files, or lies among them.
    #[error("the folder {} can't be opened for writing: sayso's own files are in it", .0.display())]
    OwnFolder(PathBuf),
    /// The level that was asked for, and what is missing.
    #[error("{}", asked_and_missing(*.0, .1))]
    Missing(SandboxLevel, String),
    /// Neither that it holds nor that it does not was seen.
    #[error("{}", untested(.0))]
    Untested(String),
}

//! Why a program is not started.

use std::path::PathBuf;

/// A program that sayso would start by itself, and does not. Of what the person named, the texts are the rest of a
/// sentence that begins with the name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LaunchError {
    /// A program of the table.
    #[error("{0} is not on the PATH outside of folders that runs may write")]
    NotFound(&'static str),
    /// A line for the shell names this file.
    #[error("names {}, which lies in a folder that runs or the project may have written", .0.display())]
    Names(PathBuf),
    /// A bare name that no trusted folder of the PATH has.
    #[error(
        "can't be started: no such file or directory on the PATH (folders that runs may write are left out)"
    )]
    NotOnPath,
    /// A path that depends on the working folder.
    #[error(
        "can't be started: a relative path means another program in each folder; name it by its whole path"
    )]
    Relative,
    /// A whole path at which nothing is.
    #[error("can't be started: no such file or directory")]
    Missing,
    /// A whole path below which a run could have written.
    #[error("can't be started: it lies in a folder that runs or the project may have written")]
    Writable,
}

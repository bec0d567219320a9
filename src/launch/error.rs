//! Why a program is not started.

use std::path::PathBuf;

/// Why sayso does not start a program. Where the person named the program, the text continues a sentence that begins
/// with its name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LaunchError {
    /// A program of the table is not on the trusted `PATH`.
    #[error("{0} is not on the PATH outside of folders that runs may write")]
    NotFound(&'static str),
    /// A line for the shell names this untrusted file.
    #[error("names {}, which lies in a folder that runs or the project may have written", .0.display())]
    Names(PathBuf),
    /// No trusted folder of the `PATH` has a program of this bare name.
    #[error(
        "can't be started: no such file or directory on the PATH (folders that runs may write are left out)"
    )]
    NotOnPath,
    /// A relative path, which means something else in each folder.
    #[error(
        "can't be started: a relative path means another program in each folder; name it by its whole path"
    )]
    Relative,
    /// Nothing exists at this absolute path.
    #[error("can't be started: no such file or directory")]
    Missing,
    /// A run could have written this file, or a folder or link on the way to it.
    #[error("can't be started: it lies in a folder that runs or the project may have written")]
    Writable,
}

//! What can go wrong with a file of the person.

use std::io;
use std::path::{Path, PathBuf};

/// A file that could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The system refused.
    #[error("{}: {why}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// It is larger than may be read.
    #[error("{}: {bytes} bytes are too many to read here (at most {most})", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The most that is read.
        most: u64,
    },
    /// A name that leads out of the folder that it belongs to.
    #[error("{name:?} leads out of the folder: nothing was written")]
    Escapes {
        /// The name.
        name: String,
    },
    /// Something else stands there than was shown.
    #[error("{} changed since it was shown: nothing was done", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The path has links in a circle, or more than any path needs.
    #[error("{}: too many links", path.display())]
    TooManyLinks {
        /// The path.
        path: PathBuf,
    },
    /// The path goes back up from a folder that is not there.
    #[error("{}: `..` behind a folder that is not there", path.display())]
    BehindNothing {
        /// The path.
        path: PathBuf,
    },
    /// Somebody changes the folders on the way while they are walked.
    #[error("{} changes while it is looked at: where it leads can't be told", path.display())]
    Unsteady {
        /// The path.
        path: PathBuf,
    },
    /// The folder is not where it was shown any more.
    #[error("{} was moved, removed or replaced since it was shown: nothing was done", path.display())]
    Moved {
        /// The folder, as it was shown.
        path: PathBuf,
    },
    /// Every numbered name is taken.
    #[error("{}: this name and all numbered ones are taken; nothing was written", path.display())]
    Taken {
        /// The name.
        path: PathBuf,
    },
}

impl FileError {
    pub(super) fn io(path: &Path, error: &io::Error) -> Self {
        FileError::Io { path: path.to_path_buf(), why: error.to_string() }
    }
}

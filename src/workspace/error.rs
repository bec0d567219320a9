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
    #[error("{} changed since it was shown: nothing was written", path.display())]
    Changed {
        /// The file.
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

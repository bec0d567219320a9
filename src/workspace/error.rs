//! What can go wrong with a file of the person.

use crate::domain::sentences::undo::{DROPPED_COPY, FOLDER_GONE};
use crate::text::number::size;
use std::io;
use std::path::{Path, PathBuf};

/// A file that could not be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// The system refused, and what it says.
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, String),
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
    #[error("{0:?} leads out of the folder: nothing was written")]
    Escapes(String),
    /// Something else stands there than was shown.
    #[error("{} changed since it was shown: nothing was done", .0.display())]
    Changed(PathBuf),
    /// The path has links in a circle, or more than any path needs.
    #[error("{}: too many links", .0.display())]
    TooManyLinks(PathBuf),
    /// The path goes back up from a folder that is not there.
    #[error("{}: `..` behind a folder that is not there", .0.display())]
    BehindNothing(PathBuf),
    /// Somebody changes the folders on the way while they are walked.
    #[error("{} changes while it is looked at: where it leads can't be told", .0.display())]
    Unsteady(PathBuf),
    /// The folder that paths are meant from.
    #[error("the working folder: {0}")]
    Working(Box<FileError>),
    /// Another kind of thing is there than is asked for: the path, what is there, what there is none of.
    #[error("{} is {}, no {}", .0.display(), .1, .2)]
    Kind(PathBuf, &'static str, &'static str),
    /// A file would be written, and the path ends as that of a folder.
    #[error("{} names a folder, no file", .0.display())]
    NamesFolder(PathBuf),
    /// `~` with a name, or without a home folder.
    #[error("{0}: whose home that is is not known; `./{0}` is a file of that name")]
    NoHome(String),
    /// Nobody may write it.
    #[error("{} is read-only", .0.display())]
    ReadOnly(PathBuf),
    /// It is too large to be written over, at this size.
    #[error("{} has {}: too much to be replaced at once", .0.display(), size(*.1))]
    Irreplaceable(PathBuf, u64),
    /// It was too large before the run, or could not be read.
    #[error("no copy of it was made before the run")]
    NoCopy,
    /// There was a copy, which is gone.
    #[error("{DROPPED_COPY}")]
    Dropped,
    /// The working folder is not there.
    #[error("{FOLDER_GONE}")]
    FolderGone,
    /// What would go can't be kept, and why.
    #[error("no copy could be made of what stands there now: {0}")]
    NotKept(String),
    /// A folder that is to be removed has something in it.
    #[error("the folder is not empty")]
    NotEmpty,
    /// It is not as the run left it.
    #[error("it changed since the run ended")]
    ChangedSince,
    /// This line of a text is none.
    #[error("line {0} is not UTF-8")]
    NoText(usize),
    /// The folder is not where it was shown any more.
    #[error("{} was moved, removed or replaced since it was shown: nothing was done", .0.display())]
    Moved(PathBuf),
    /// Of several files some were written, and could not be put back: why it broke off, and which they are.
    #[error("{0}; written before that and not put back: {1}")]
    Torn(Box<FileError>, String),
    /// It is no text, or more of it than is taken apart: the file, and its size.
    #[error("{} is no text that can be edited here ({})", .0, size(*.1))]
    NotEditable(String, u64),
    /// Two names of one file.
    #[error("{0} and {1} are one file")]
    SameFile(String, String),
    /// Every numbered name is taken.
    #[error("{}: this name and all numbered ones are taken; nothing was written", .0.display())]
    Taken(PathBuf),
}

impl FileError {
    pub(super) fn io(path: &Path, error: &io::Error) -> Self {
        FileError::Io(path.to_path_buf(), error.to_string())
    }
}

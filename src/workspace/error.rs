//! The errors of reading and writing the person's files.

use crate::domain::sentences::undo::{DROPPED_COPY, FOLDER_GONE, FOLDER_REPLACED};
use crate::text::number::size;
use crate::text::system_error::words;
use std::io;
use std::path::{Path, PathBuf};

/// A file that could not be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// The system refused; the text is its message.
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, String),
    /// The file is larger than may be read.
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
    /// The file is no longer what was shown.
    #[error("{} changed since it was shown: nothing was done", .0.display())]
    Changed(PathBuf),
    /// The path has links in a circle, or more than any path needs.
    #[error("{}: too many links", .0.display())]
    TooManyLinks(PathBuf),
    /// The path has `..` behind a folder that does not exist.
    #[error("{}: `..` behind a folder that is not there", .0.display())]
    BehindNothing(PathBuf),
    /// Another program changes the folders of the path while they are walked.
    #[error("{} changes while it is looked at: where it leads can't be told", .0.display())]
    Unsteady(PathBuf),
    /// The error concerns the working folder, from which relative paths start.
    #[error("the working folder: {0}")]
    Working(Box<FileError>),
    /// The path is of another kind than was asked for: the path, its kind, and the kind that was asked for.
    #[error("{} is {}, no {}", .0.display(), .1, .2)]
    Kind(PathBuf, &'static str, &'static str),
    /// The file is to be written, but its path ends like that of a folder.
    #[error("{} names a folder, no file", .0.display())]
    NamesFolder(PathBuf),
    /// The path starts with `~` and a name, or with `~` while there is no home folder.
    #[error("{0}: whose home that is is not known; `./{0}` is a file of that name")]
    NoHome(String),
    /// The file has no write permission.
    #[error("{} is read-only", .0.display())]
    ReadOnly(PathBuf),
    /// The file is too large to be replaced, at this size.
    #[error("{} has {}: too much to be replaced at once", .0.display(), size(*.1))]
    Irreplaceable(PathBuf, u64),
    /// The file was too large before the run, or could not be read.
    #[error("no copy of it was made before the run")]
    NoCopy,
    /// There was a copy, but it was deleted.
    #[error("{DROPPED_COPY}")]
    Dropped,
    /// The working folder does not exist any more.
    #[error("{FOLDER_GONE}")]
    FolderGone,
    /// A folder on the way to the file is a link or a file by now.
    #[error("{FOLDER_REPLACED}")]
    FolderReplaced,
    /// The present content could not be saved before replacing it, and why.
    #[error("no copy could be made of what stands there now: {0}")]
    NotKept(String),
    /// A folder that is to be removed is not empty.
    #[error("the folder is not empty")]
    NotEmpty,
    /// The file is no longer as the run left it.
    #[error("it changed since the run ended")]
    ChangedSince,
    /// This line of a text is not UTF-8.
    #[error("line {0} is not UTF-8")]
    NoText(usize),
    /// The folder is no longer where it was when it was shown.
    #[error("{} was moved, removed or replaced since it was shown: nothing was done", .0.display())]
    Moved(PathBuf),
    /// Writing several files failed midway, and some that were written could not be put back: the reason, and those
    /// files.
    #[error("{0}; written before that and not put back: {1}")]
    Torn(Box<FileError>, String),
    /// Writing several files failed midway, and some that were written got only their text and mode back: the reason,
    /// and those files.
    #[error("{0}; written before that, and back only as new files with the old text: {1}")]
    Copied(Box<FileError>, String),
    /// The file is no text: its name, and its size.
    #[error("{} is no text that can be edited here ({})", .0, size(*.1))]
    NotEditable(String, u64),
    /// The file is too large to be edited: its name, its size, and the most that a file may have.
    #[error("{} has {}, at most {} can be edited here: change it by a program", .0, size(*.1), size(*.2))]
    TooLargeToEdit(String, u64, u64),
    /// Two names lead to the same file.
    #[error("{0} and {1} are one file")]
    SameFile(String, String),
    /// The name and all numbered variants of it are taken.
    #[error("{}: this name and all numbered ones are taken; nothing was written", .0.display())]
    Taken(PathBuf),
}

impl FileError {
    pub(super) fn io(path: &Path, error: &io::Error) -> Self {
        let text = match error.kind() {
            io::ErrorKind::NotADirectory => "a part of its path is not a folder".to_owned(),
            _ => words(error),
        };
        FileError::Io(path.to_path_buf(), text)
    }
}

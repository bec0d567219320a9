//! Why an edit comes to nothing, in words for the model and for the person alike.

use super::{MAX_FILES, MAX_HUNKS};
use std::fmt;

/// A text that is no edit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// It is in no form that is read.
    #[error("it has neither SEARCH/REPLACE blocks nor the hunks of a unified diff")]
    NoForm,
    /// No file is named in it, nor in front of it.
    #[error("it names no file")]
    NoPath,
    /// Nothing of it changes anything.
    #[error("it has no hunk")]
    NoHunk,
    /// The number of the hunk, from 1.
    #[error("hunk {0} has no line `=======` between what is searched and what replaces it")]
    NoDivider(usize),
    /// The number of the hunk, from 1.
    #[error("hunk {0} has several lines `=======`: which one divides it can't be told; use longer markers")]
    Dividers(usize),
    /// The number of the hunk, from 1.
    #[error("hunk {0} does not end: its line `>>>>>>> REPLACE` is missing")]
    NotClosed(usize),
    /// The number of the hunk, from 1.
    #[error(
        "hunk {0} does not end before another one opens: its line `>>>>>>> REPLACE` is missing, or its markers have to be longer than those in its text"
    )]
    Another(usize),
    /// The file.
    #[error("it deletes or renames {0}: an edit only changes text")]
    OtherAct(String),
    /// Nothing tells where it ends, or that was not looked for behind too many others.
    #[error(
        "its end was not found, and nothing behind it was offered: write SEARCH/REPLACE blocks, in a fence that begins at the start of its line, and fewer in one reply"
    )]
    NoEnd,
    /// Its texts look like the markers between them, or its path like another one.
    #[error("its texts can't be told apart from the markers around them: write the whole file instead")]
    Unwritable,
    /// More than is looked through.
    #[error("it has more than {MAX_FILES} files or {MAX_HUNKS} hunks: make several edits of it")]
    TooMany,
    /// Most of its blocks have no end of their own, and each would be looked for in all that is behind.
    #[error("its blocks don't end with `>>>>>>> REPLACE`, and it is too long for their ends to be guessed")]
    TooLong,
}

/// Why a hunk does not fit the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HunkFault {
    /// Its lines stand nowhere.
    Missing,
    /// What it would put there stands there already.
    Done,
    /// Its lines stand in several places, at these lines; the first few.
    Several(Vec<usize>),
    /// It has no line to be searched, and the file has text.
    Nowhere,
    /// The file is not there.
    NoFile,
    /// It changes nothing.
    Idle,
    /// Lines that are left out by `...` are not the same ones on both sides.
    Elision,
}

impl fmt::Display for HunkFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HunkFault::Missing => {
                out.write_str("the lines that it searches are not in the file; read it first")
            }
            HunkFault::Done => {
                out.write_str("the lines that it searches are not in the file, those that replace them are")
            }
            HunkFault::Several(lines) => {
                let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
                write!(
                    out,
                    "the lines that it searches are there several times (at lines {}): take more lines around them",
                    lines.join(", ")
                )
            }
            HunkFault::Nowhere => {
                out.write_str("it searches nothing, and the file has text: name lines that stand there")
            }
            HunkFault::NoFile => out.write_str("the file is not there"),
            HunkFault::Idle => out.write_str("it changes nothing"),
            HunkFault::Elision => out
                .write_str("lines that are left out by `...` have to be the same in search and replacement"),
        }
    }
}

/// A hunk that does not fit. It tells nothing of what stands in the file instead: nobody approved that it is read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct UnmatchedHunk {
    /// The file, as it was named.
    pub(crate) path: String,
    /// Which hunk of the file, from 1.
    pub(crate) hunk: usize,
    /// How many hunks it has.
    pub(crate) of: usize,
    /// What is wrong with it.
    pub fault: HunkFault,
}

impl fmt::Display for UnmatchedHunk {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, hunk, of, fault } = self;
        match of {
            0 | 1 => write!(out, "{path}: {fault}"),
            _ => write!(out, "{path}, hunk {hunk} of {of}: {fault}"),
        }
    }
}

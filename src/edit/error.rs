//! Why an edit can't be read or applied, worded for the model and the person alike.

use super::{MAX_FILES, MAX_HUNKS};
use std::fmt;

/// Why a text can't be read as an edit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// It is in none of the known forms.
    #[error("it has neither SEARCH/REPLACE blocks nor the hunks of a unified diff")]
    NoForm,
    /// Neither the edit nor the text before it names a file.
    #[error("it names no file")]
    NoPath,
    /// It changes nothing.
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
    /// What it does besides changing text, and with which file.
    #[error("it {0} {1}: an edit only changes text; leave that out, and do it in a block of code")]
    OtherAct(OtherAct, String),
    /// Besides hunks of other files, it names this file and changes nothing in it.
    #[error("it names {0}, but has no hunk that changes it")]
    NoChange(String),
    /// Its end was not found, or not searched for because the reply had too many edits before it.
    #[error(
        "its end was not found, and nothing behind it was offered: write SEARCH/REPLACE blocks, in a fence that begins at the start of its line, and fewer in one reply"
    )]
    NoEnd,
    /// A fence inside of a fence ended the text that it may be a part of.
    #[error(
        "it may be a part of the fenced text above, which a fence inside of that text ended: a fence around others takes more backticks"
    )]
    Torn,
    /// Its texts look like the markers between them, or its path can't be read back as written.
    #[error("its texts can't be told apart from the markers around them: write the whole file instead")]
    Unwritable,
    /// It has more files or hunks than are read.
    #[error("it has more than {MAX_FILES} files or {MAX_HUNKS} hunks: make several edits of it")]
    TooMany,
    /// Most of its blocks have no end marker, and finding an end for each would take too long.
    #[error("its blocks don't end with `>>>>>>> REPLACE`, and it is too long for their ends to be guessed")]
    TooLong,
}

/// What a diff may do with a file, and an edit can't.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum OtherAct {
    /// It removes the file.
    #[strum(serialize = "deletes")]
    Delete,
    /// It gives the file another name.
    #[strum(serialize = "renames")]
    Rename,
    /// It makes another file with the same text.
    #[strum(serialize = "copies")]
    Copy,
    /// It sets the file's mode: whether it may be run, or whether it is a link.
    #[strum(serialize = "sets the mode of")]
    Mode,
    /// It replaces bytes that are no text.
    #[strum(serialize = "changes bytes that are no text in")]
    Binary,
}

/// Why a hunk does not fit the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HunkFault {
    /// The file does not have its lines.
    #[error("the lines that it searches are not in the file; read it first")]
    Missing,
    /// The file already has what it would put there.
    #[error("the lines that it searches are not in the file, those that replace them are")]
    Done,
    /// It only adds lines, and the file already has them at that place.
    #[error("the lines that it adds are there already")]
    Added,
    /// Its lines match in several places; the first few line numbers.
    #[error("the lines that it searches are there several times {}", places(.0))]
    Several(Vec<usize>),
    /// It has no lines to search for, but the file has text.
    #[error("it searches nothing, and the file has text: name lines that stand there")]
    NoSearch,
    /// The file does not exist.
    #[error("the file is not there")]
    NoFile,
    /// It changes nothing.
    #[error("it changes nothing")]
    NoChange,
    /// The parts that are left out by `...` are not the same on both sides.
    #[error("lines that are left out by `...` have to be the same in search and replacement")]
    Elision,
}

/// Where the lines of a hunk are, and what to write instead so that they are in one place.
fn places(lines: &[usize]) -> String {
    match lines {
        [line] => format!("(at line {line}): take more of that line"),
        _ => {
            let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
            format!("(at lines {}): take more lines around them", lines.join(", "))
        }
    }
}

/// A hunk that does not fit. It does not quote the file: nobody approved that the model reads it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct UnmatchedHunk {
    /// The path as it was written.
    pub(crate) path: String,
    /// The number of the hunk in its file, from 1.
    pub(crate) hunk: usize,
    /// How many hunks the file has.
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

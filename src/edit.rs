//! Reads edits of files as models write them, and computes the text of the file after an edit.
//!
//! Pure functions. [`read`] parses what was written (SEARCH/REPLACE blocks, unified diffs), [`apply`] finds each hunk
//! in the text of a file and returns the new text. A hunk that is found nowhere, or in several places, changes nothing.
//! Which file is meant, and whether it is written, is decided elsewhere.

mod align;
mod apply;
mod bare;
mod command;
mod error;
mod exactness;
mod extent;
mod file_header;
mod find;
mod line_numbers;
mod line_search;
mod lines;
mod markers;
mod unified;

pub use apply::{EditResult, apply};
pub(crate) use bare::{BareEnd, begins as bare_form, end as bare_end};
pub(crate) use command::in_command;
pub(crate) use error::{EditError, HunkFault, OtherAct, UnmatchedHunk};
pub use exactness::Exactness;
pub(crate) use extent::{EditEnd, EditExtent};
pub(crate) use markers::{is_divider, says_search, write};

/// How many files one edit may change.
pub(crate) const MAX_FILES: usize = 20;
/// How many hunks one edit may have.
pub(crate) const MAX_HUNKS: usize = 500;

/// One replacement of lines in a file. Lines are without their line ends.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct EditHunk {
    /// The lines to find in the file; none: the file is new or empty, or `place` says where lines are added.
    pub(crate) search: Vec<String>,
    /// The lines that replace them.
    pub(crate) replace: Vec<String>,
    /// The line at which a diff says that the hunk starts, from 1.
    pub(crate) line: Option<usize>,
    /// Lines of the file, one behind the other, behind which a patch says that the hunk starts.
    pub(crate) behind: Vec<String>,
    /// Whether the file ends with a line end after this hunk, where a diff says so.
    pub(crate) newline: Option<bool>,
    /// What the text around its lines says about its place.
    pub(crate) place: SaidPlace,
}

/// What a diff or a patch says about the place of a hunk besides a line that it starts at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SaidPlace {
    #[default]
    Nothing,
    /// It only adds lines, behind the line that it names (`@@ -2,0 +3 @@`).
    BehindLine,
    /// At the end of the file (`*** End of File`).
    End,
}

impl EditHunk {
    /// A hunk that replaces one text by another.
    pub fn new(search: &str, replace: &str) -> Self {
        let lines = |text: &str| text.lines().map(str::to_owned).collect();
        Self { search: lines(search), replace: lines(replace), ..Self::default() }
    }
}

/// The changes to one file.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct FileEdit {
    /// The path as it was written; empty where only the text around the edit can name it.
    pub path: String,
    /// The hunks, in the order in which they are applied.
    pub hunks: Vec<EditHunk>,
}

/// Whether a text looks like an edit in one of the forms that [`read`] knows.
pub(crate) fn is_edit(text: &str) -> bool {
    markers::begins(text) || unified::begins(text)
}

/// The path that the last filled line of a text names, as models write it before an edit: alone, between backticks, or
/// as a line of a patch (`*** Update File: …`).
pub(crate) fn path_in_front(text: &str) -> Option<String> {
    let line = text.lines().rev().find(|line| !line.trim().is_empty())?.trim();
    if let Some(path) = file_header::PATH_HEADS.iter().find_map(|head| line.strip_prefix(head)) {
        return Some(path.trim().to_owned()).filter(|path| !path.is_empty());
    }
    let looks = |word: &str| {
        let inner = word.get(1..word.len().saturating_sub(1)).unwrap_or_default();
        !word.contains(char::is_whitespace) && (inner.contains('.') || inner.contains('/'))
    };
    let ticked = line.split('`').skip(1).step_by(2).filter(|word| looks(word)).last();
    let bare = line.trim_matches(['#', '*', ' ', ':', '"', '\'']);
    ticked.or(Some(bare).filter(|bare| looks(bare) && !bare.ends_with('.'))).map(str::to_owned)
}

/// Parses an edit and groups its hunks by file, in their order. `path` is the file to change where the text names none.
///
/// # Errors
/// What is wrong with the text.
pub fn read(text: &str, path: &str) -> Result<Vec<FileEdit>, EditError> {
    let found = if markers::begins(text) {
        markers::read(text, path)?
    } else if unified::begins(text) {
        unified::read(text, path)?
    } else {
        return Err(EditError::NoForm);
    };
    let mut files: Vec<FileEdit> = Vec::new();
    if found.is_empty() {
        return Err(EditError::NoHunk);
    }
    for edit in found {
        if edit.path.is_empty() {
            return Err(EditError::NoPath);
        }
        match files.iter_mut().find(|known| known.path == edit.path) {
            Some(known) => known.hunks.extend(edit.hunks),
            None => files.push(edit),
        }
        if files.len() > MAX_FILES {
            return Err(EditError::TooMany);
        }
    }
    Ok(files)
}

/// Adds a hunk as a file edit of its own. It checks the limit while reading, so that a huge text is not read to its
/// end.
fn push_hunk(edits: &mut Vec<FileEdit>, path: &str, hunk: EditHunk) -> Result<(), EditError> {
    if edits.len() >= MAX_HUNKS {
        return Err(EditError::TooMany);
    }
    edits.push(FileEdit { path: path.to_owned(), hunks: vec![hunk] });
    Ok(())
}

#[cfg(test)]
mod malformed_tests;
#[cfg(test)]
mod tests;

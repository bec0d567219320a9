//! Words the messages about undoing what a run changed, and about changes by others than runs.

use crate::domain::{BlockId, FileChange, Notice, UndoKind};
use crate::text::line::one_line;
use crate::text::names::{and_more, first_names};

/// Nothing is undone while a run goes on.
pub(in crate::engine) fn not_while_a_run_goes_on() -> Notice {
    Notice::warn("A run goes on: what it did can be taken back once it has ended.")
}

pub(in crate::engine) fn nothing_to_take_back(block: BlockId) -> Notice {
    Notice::info(format!(
        "There is nothing of block {block} to take back: it changed no name that programs obey by themselves."
    ))
}

/// Nothing is undone in a session that another installation wrote.
pub(in crate::engine) fn foreign_is_not_taken_back() -> Notice {
    Notice::warn("This session is foreign: nothing that it tells of is taken back.")
}

/// Nothing is undone in a session opened for reading only: as it can't be recorded, whoever has the session open would
/// take it for the work of a run.
pub(in crate::engine) fn reading_only_takes_nothing_back() -> Notice {
    Notice::warn(crate::domain::sentences::undo::READING_ONLY)
}

pub(in crate::engine) fn no_record() -> Notice {
    Notice::info("Nothing is known of changes of this run that could be taken back.")
}

const MAX_FILES_SHOWN: usize = 3;

pub(in crate::engine) fn taken_back(block: BlockId, files: &[String], kind: UndoKind) -> Notice {
    let files = one_line(&first_names(files, MAX_FILES_SHOWN));
    Notice::info(match kind {
        UndoKind::Undo => format!("Block {block}: taken back: {files}."),
        UndoKind::Redo => format!("Block {block}: made again: {files}."),
    })
}

/// Some changes could not be undone or redone.
pub(in crate::engine) fn not_taken_back(
    block: BlockId,
    done: &[String],
    kind: UndoKind,
    why: &str,
) -> Notice {
    let (files, why) = (one_line(&first_names(done, MAX_FILES_SHOWN)), one_line(why));
    Notice::warn(match (done.is_empty(), kind) {
        (true, UndoKind::Undo) => format!("Block {block}: nothing was taken back: {why}."),
        (true, UndoKind::Redo) => format!("Block {block}: nothing was made again: {why}."),
        (false, UndoKind::Undo) => format!("Taken back: {files}. Not {why}."),
        (false, UndoKind::Redo) => format!("Made again: {files}. Not {why}."),
    })
}

/// Something other than a run changed files that programs obey by themselves.
pub(in crate::engine) fn changed_meanwhile(changes: &[FileChange]) -> Option<Notice> {
    let first = changes.first()?;
    let more = and_more(changes.len() - 1);
    let path = one_line(&first.path);
    Some(Notice::info(format!(
        "Since the last run {path}{more} was {}, by no block of this session.",
        first.change
    )))
}

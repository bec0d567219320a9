//! Sentences about undoing what a run changed.

use crate::domain::{BlockId, UndoKind, UndoNote, UndoState};

/// Why nothing is kept for undo in a session that is not saved.
pub(crate) const NOT_SAVED: &str = "this session is not saved";

/// A session that is open for reading only: an undo could not be recorded in it.
pub(crate) const READING_ONLY: &str = "This session is open for reading only: nothing can be taken back here, for it could not be written down.";

/// There is no text from before the run to compare with.
pub(crate) const NO_TEXT_BEFORE: &str =
    "What stood there before the run is no text, too large, or was not kept.\n";

/// There is no text from after the run to compare with.
pub(crate) const NO_TEXT_AFTER: &str =
    "What the run left there is no text, too large, or not there any more.\n";

/// A picture has no lines to compare.
pub(crate) const NO_TEXT_OF_PICTURE: &str = "This is a picture by its name: there are no lines to compare.\n";

/// Shown when asking whether to undo: the current content is copied before it is replaced.
pub(crate) const UNDONE_THE_SAME_WAY: &str =
    "What stands there now is kept: this can be undone the same way.";

/// A kept copy differs from the original.
pub(crate) const DAMAGED: &str = "the copy that was kept is damaged";

/// The record of a run was dropped to make room for newer ones.
pub(crate) const DROPPED: &str =
    "the list of its changes is not kept any more: newer ones took its room, or it was removed";

/// The folders of a run could not be scanned in time.
pub(crate) const WALK_TOO_LONG: &str = "looking at the folder took too long";

/// The copy from before a run no longer exists.
pub(crate) const DROPPED_COPY: &str =
    "how it was is not kept any more: newer copies took its room, or it was removed or damaged";

/// The session's working folder is gone. It may have been moved, so sayso does not create it anew.
pub(crate) const FOLDER_GONE: &str =
    "the working folder is gone: move it back, or make it again, and then take this back";

/// A folder in which a change was made is a link or a file by now. Nothing is written through it.
pub(crate) const FOLDER_REPLACED: &str = "a link or a file stands where its folder was";

/// How many changes of a run can't be undone because their copies are no longer kept.
pub(crate) fn dropped(changes: u64) -> String {
    let of = super::count(changes, "change");
    format!(
        "Of {of} no copy is kept any more: newer ones took the room (undo.total), or it was removed or damaged."
    )
}

/// No run of the session has a list of its changes.
pub(crate) const NOTHING_RECORDED: &str = "Of no run of this session there is a list of changes.";

/// Why there is no list of what the last run of a block changed; `note` is what is known of it.
pub(crate) fn nothing_recorded(block: BlockId, note: Option<&UndoNote>) -> String {
    match note {
        Some(note) if !note.cover.is_some() => {
            format!("Nothing of block {block} can be taken back: {}.", note.cover.words())
        }
        Some(_) => format!("Block {block} changed nothing."),
        None => format!("Nothing of block {block} can be taken back: nothing was remembered before it."),
    }
}

/// A run was killed together with sayso: nothing listed its changes.
pub(crate) fn no_end(block: BlockId) -> String {
    format!(
        "The run of block {block} has no end: what it changed is not listed, so sayso can't take it back."
    )
}

/// There is no list, but what the run did to names that programs obey can be undone.
pub(crate) fn only_auto_run(block: BlockId) -> String {
    format!(
        "Block {block} changed names that programs obey by themselves: u in Output, in panes, takes that back."
    )
}

/// What an undo or redo does with files that the run created, changed and deleted; their names follow.
pub(crate) fn does(kind: UndoKind) -> [(&'static str, &'static str); 3] {
    match kind {
        UndoKind::Undo => [("created", "Removes"), ("changed", "Changes back"), ("deleted", "Brings back")],
        UndoKind::Redo => [("created", "Brings back"), ("changed", "Changes again"), ("deleted", "Removes")],
    }
}

/// Why a change can be neither undone nor redone; empty if it can.
pub(crate) fn why_not(standing: UndoState) -> &'static str {
    match standing {
        UndoState::Done
        | UndoState::DeletedSince { .. }
        | UndoState::Unfinished { .. }
        | UndoState::TakenBack => "",
        UndoState::TakenBackForGood => "it was taken back, and what the run left is not kept any more",
        UndoState::ChangedSince => "it changed since the run ended and stays as it is",
        UndoState::FolderGone => FOLDER_GONE,
        UndoState::FolderReplaced => FOLDER_REPLACED,
        UndoState::NoCopy => "there is no copy of how it was before the run",
        UndoState::Dropped => DROPPED_COPY,
    }
}

/// Why an undo or redo leaves a change as it is.
pub(crate) fn why_it_stays(standing: UndoState, kind: UndoKind) -> &'static str {
    match (why_not(standing), kind) {
        ("", UndoKind::Undo) => "how it was before the run is not kept",
        ("", UndoKind::Redo) => "what the run left is not kept",
        (why, _) => why,
    }
}

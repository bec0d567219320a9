//! Taking back what a run changed.

use crate::domain::{BlockId, UndoNote, UndoStanding, UndoWay};

/// Why nothing is remembered where nothing of the session is.
pub(crate) const NOT_SAVED: &str = "this session is not saved";

/// A session that is only read: what is taken back could not be noted in it.
pub(crate) const READING_ONLY: &str = "This session is open for reading only: nothing can be taken back here, for it could not be written down.";

/// There is no text to compare with, of before the run.
pub(crate) const NO_TEXT_BEFORE: &str =
    "What stood there before the run is no text, too large, or was not kept.\n";

/// The same of after it.
pub(crate) const NO_TEXT_AFTER: &str =
    "What the run left there is no text, too large, or not there any more.\n";

/// A picture has no lines to compare.
pub(crate) const NO_TEXT_OF_PICTURE: &str = "This is a picture by its name: there are no lines to compare.\n";

/// Beside the question whether changes are taken one way: what goes is among the copies before it does.
pub(crate) const UNDONE_THE_SAME_WAY: &str =
    "What stands there now is kept: this can be undone the same way.";

/// A copy is not what it was.
pub(crate) const DAMAGED: &str = "the copy that was kept is damaged";

/// The record of a run was dropped for newer ones.
pub(crate) const DROPPED: &str =
    "the list of its changes is not kept any more: newer ones took its room, or it was removed";

/// The folders of a run could not be looked at in time.
pub(crate) const WALK_TOO_LONG: &str = "looking at the folder took too long";

/// The copy of how something was before a run is gone.
pub(crate) const DROPPED_COPY: &str =
    "how it was is not kept any more: newer copies took its room, or it was removed or damaged";

/// The folder that the session works in is not where it was: it may have been moved, and is not made a second time.
pub(crate) const FOLDER_GONE: &str =
    "the working folder is gone: move it back, or make it again, and then take this back";

/// How many changes of a run can't be taken back, because their copies are not kept any more.
pub(crate) fn dropped(changes: u64) -> String {
    let of = super::count(changes, "change");
    format!(
        "Of {of} no copy is kept any more: newer ones took the room (undo.total), or it was removed or damaged."
    )
}

/// No run of the session has a record of its changes.
pub(crate) const NOTHING_RECORDED: &str = "Of no run of this session there is a list of changes.";

/// Why there is no list of what the last run of a block changed; what is known of it for taking it back.
pub(crate) fn nothing_recorded(block: BlockId, note: Option<&UndoNote>) -> String {
    match note {
        Some(note) if !note.cover.is_some() => {
            format!("Nothing of block {block} can be taken back: {}.", note.cover.words())
        }
        Some(_) => format!("Block {block} changed nothing."),
        None => format!("Nothing of block {block} can be taken back: nothing was remembered before it."),
    }
}

/// There is no list, but what a run did to names that programs obey can be taken back.
pub(crate) fn only_obeyed(block: BlockId) -> String {
    format!(
        "Block {block} changed names that programs obey by themselves: u in Output, in panes, takes that back."
    )
}

/// What a way does with what the run created, changed and deleted; the names follow.
pub(crate) fn does(way: UndoWay) -> [(&'static str, &'static str); 3] {
    match way {
        UndoWay::Back => [("created", "Removes"), ("changed", "Changes back"), ("deleted", "Brings back")],
        UndoWay::Again => [("created", "Brings back"), ("changed", "Changes again"), ("deleted", "Removes")],
    }
}

/// Why a change can be taken neither way; empty: it can.
pub(crate) fn why_not(standing: UndoStanding) -> &'static str {
    match standing {
        UndoStanding::Done | UndoStanding::DeletedSince | UndoStanding::TakenBack => "",
        UndoStanding::TakenBackForGood => "it was taken back, and what the run left is not kept any more",
        UndoStanding::ChangedSince => "it changed since the run ended and stays as it is",
        UndoStanding::FolderGone => FOLDER_GONE,
        UndoStanding::NoCopy => "there is no copy of how it was before the run",
        UndoStanding::Dropped => DROPPED_COPY,
    }
}

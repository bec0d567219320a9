//! Says whether a change of a record can be taken back or made again now: by what is at its path, and by which copies
//! exist.

use super::index::Index;
use super::objects::Objects;
use super::opener::Opener;
use super::record::{FileState, PathChange, Record};
use super::snapshot::state_of;
use crate::domain::UndoState;

/// Whether a state can be restored.
pub(super) fn is_kept(objects: &Objects, state: &FileState) -> bool {
    match state {
        FileState::File { sha256, bytes, .. } => objects.has_and_touch(*sha256, *bytes),
        FileState::Unkept { .. } => false,
        FileState::Nothing | FileState::Folder { .. } | FileState::Link { .. } => true,
    }
}

/// Whether a change can be applied from one state to the other, as far as the copies are concerned.
fn can_become(objects: &Objects, from: &FileState, to: &FileState) -> bool {
    !matches!(from, FileState::Unkept { .. }) && is_kept(objects, to)
}

/// The present state of a change of this record.
pub(super) fn standing(
    change: &PathChange,
    record: &Record,
    objects: &Objects,
    index: &mut Index,
    opener: &mut Opener,
) -> UndoState {
    // What the run itself put in place of a folder, or took away for one, gives way when that is taken back or made
    // again.
    if let Some(obstacle) = opener.obstacle(&change.path) {
        let change = record.change_of(obstacle);
        if !change.is_some_and(|change| standing_at(change, objects, index, opener).can_any()) {
            return UndoState::FolderReplaced;
        }
    }
    standing_at(change, objects, index, opener)
}

/// The present state of a change, by what is at its path.
fn standing_at(change: &PathChange, objects: &Objects, index: &mut Index, opener: &mut Opener) -> UndoState {
    let now = state_of(&change.path, opener.node(&change.path).as_ref(), opener, index);
    let PathChange { before, after, .. } = change;
    let can_undo = || can_become(objects, after, before);
    let can_redo = || can_become(objects, before, after);
    if after.is_met_rather_than(before, &now) {
        return if can_undo() { UndoState::Done } else { why_not_back(before, objects) };
    }
    if before.is_met_by(&now) {
        return if can_redo() { UndoState::TakenBack } else { UndoState::TakenBackForGood };
    }
    let is_nothing = now == FileState::Nothing;
    if !is_nothing && !is_halfway(&now, change) {
        return UndoState::ChangedSince;
    }
    match (can_undo(), can_redo()) {
        (false, false) => why_not_back(before, objects),
        (back, again) if is_nothing => UndoState::DeletedSince { back, again },
        (back, again) => UndoState::Unfinished { back, again },
    }
}

/// Why the state before the run can't be restored.
fn why_not_back(before: &FileState, objects: &Objects) -> UndoState {
    match before {
        // It was copied once, and the copy was dropped.
        FileState::File { .. } if !is_kept(objects, before) => UndoState::Dropped,
        _ => UndoState::NoCopy,
    }
}

/// The mode of a folder until its content is restored.
pub(super) const UNFINISHED_FOLDER_MODE: u32 = 0o700;

/// The mode of a folder while what is in it is restored, if its owner may not write it otherwise.
pub(super) fn opened_mode(mode: u32) -> u32 {
    mode | UNFINISHED_FOLDER_MODE
}

/// Whether this is a folder that was created or opened here and did not get its mode yet, because the work was
/// interrupted.
pub(super) fn is_halfway(now: &FileState, change: &PathChange) -> bool {
    let FileState::Folder { access: now } = now else { return false };
    [&change.before, &change.after].into_iter().any(|state| match state {
        FileState::Folder { access } => {
            let opened = opened_mode(access.mode);
            now.mode == UNFINISHED_FOLDER_MODE || opened != access.mode && now.mode == opened
        }
        _ => false,
    })
}

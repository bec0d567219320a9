//! Undoing what a run changed: how much of it can be undone, each change, and its current state. Plain values only;
//! `workspace/undo` keeps the copies and the records of changes.

use super::Sha256;
use super::sentences::count;
use serde::{Deserialize, Serialize};

const MAX_NAMES_SHOWN: usize = 3;

/// How much of what a run may change is copied before it. The same plan makes the copies and this value.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct UndoCover {
    /// Why nothing is copied; empty if something is.
    #[serde(rename = "none", skip_serializing_if = "String::is_empty")]
    pub why_none: String,
    /// Files that are too large, or for which no room is left.
    #[serde(skip_serializing_if = "super::serial::is_zero")]
    pub large: u32,
    /// Files that can't be read.
    #[serde(skip_serializing_if = "super::serial::is_zero")]
    pub unreadable: u32,
    /// Files with secrets, which are not copied.
    #[serde(skip_serializing_if = "super::serial::is_zero")]
    pub secret: u32,
    /// Folders that tools can rebuild, in which nothing is copied, and those that could not be looked into after the
    /// run.
    #[serde(skip_serializing_if = "super::serial::is_zero")]
    pub folders: u32,
    /// The first folders that could not be looked into after the run, files with secrets and other folders, by their
    /// paths below the working folder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

impl UndoCover {
    /// Nothing is copied, for this reason.
    pub fn none(why: impl Into<String>) -> Self {
        Self { why_none: why.into(), ..Self::default() }
    }

    /// Names first what else is not covered: folders that could not be looked into after the run.
    pub(crate) fn leave_out(&mut self, mut folders: Vec<String>) {
        folders.retain(|folder| !self.names.contains(folder));
        self.folders = self.folders.saturating_add(u32::try_from(folders.len()).unwrap_or(u32::MAX));
        drop(self.names.splice(0..0, folders.into_iter().take(MAX_NAMES_SHOWN)));
    }

    /// Whether anything is copied.
    pub(crate) fn is_some(&self) -> bool {
        self.why_none.is_empty()
    }

    /// Whether this covers less than what the person was told before: nothing instead of something, or no longer all.
    pub(crate) fn is_less_than(&self, told: &Self) -> bool {
        let rank = |cover: &Self| match cover {
            cover if !cover.is_some() => 0,
            cover if *cover == Self::default() => 2,
            _ => 1,
        };
        rank(self) < rank(told)
    }

    /// `all`, `without 3 large files, .env, target`, `none: it is switched off`.
    pub(crate) fn words(&self) -> String {
        if !self.is_some() {
            return format!("none: {}", self.why_none);
        }
        let files = [(self.large, "large file"), (self.unreadable, "unreadable file")].into_iter();
        let mut parts: Vec<String> =
            files.filter(|(n, _)| *n > 0).map(|(n, what)| count(n.into(), what)).collect();
        parts.extend(self.names.iter().take(MAX_NAMES_SHOWN).cloned());
        let named = self.names.len().min(MAX_NAMES_SHOWN);
        let more = (self.secret as usize + self.folders as usize).saturating_sub(named);
        parts.extend((more > 0).then(|| format!("{more} more")));
        if parts.is_empty() { "all".into() } else { format!("without {}", parts.join(", ")) }
    }
}

/// What is known of a run for undoing it.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct UndoNote {
    /// What was copied before it, less the folders that could not be looked into after it.
    pub cover: UndoCover,
    /// The record of its changes; `None` if there were none, or nothing was copied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Sha256>,
    /// How many changes it has.
    #[serde(skip_serializing_if = "super::serial::is_zero")]
    pub changes: u32,
}

/// Undo or redo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UndoKind {
    /// Undo: to the state before the run.
    #[default]
    #[serde(rename = "back")]
    Undo,
    /// Redo: to the state after the run.
    #[serde(rename = "again")]
    Redo,
}

impl UndoKind {
    /// Whether it is `Undo`, which files leave out.
    #[allow(clippy::trivially_copy_pass_by_ref)] // serde passes a reference
    pub(crate) fn is_back(&self) -> bool {
        *self == UndoKind::Undo
    }
}

/// The current state of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoState {
    /// The file is as the run left it and can be undone.
    Done,
    /// Nothing is there: somebody else deleted it, or making it again was interrupted after the removal.
    DeletedSince {
        /// Whether the state before the run can be restored.
        back: bool,
        /// Whether what the run left can be restored.
        again: bool,
    },
    /// A folder with the mode that it has while it is restored: the work was interrupted, or somebody chose that mode.
    Unfinished {
        /// Whether the state before the run can be restored.
        back: bool,
        /// Whether what the run left can be restored.
        again: bool,
    },
    /// It was undone and can be redone.
    TakenBack,
    /// It was undone, and what the run left is no longer kept.
    TakenBackForGood,
    /// Somebody else changed the file after the run.
    ChangedSince,
    /// The working folder itself no longer exists.
    FolderGone,
    /// One of the folders in which it was is a link or a file by now, which stays as it is.
    FolderReplaced,
    /// No copy from before was made: the file was too large, held secrets, or could not be read.
    NoCopy,
    /// The copy was dropped for newer ones, or was damaged.
    Dropped,
}

impl UndoState {
    /// Whether it can be applied in this direction.
    pub(crate) fn can(self, kind: UndoKind) -> bool {
        match self {
            UndoState::Done => kind == UndoKind::Undo,
            UndoState::TakenBack => kind == UndoKind::Redo,
            UndoState::DeletedSince { back, again } | UndoState::Unfinished { back, again } => match kind {
                UndoKind::Undo => back,
                UndoKind::Redo => again,
            },
            _ => false,
        }
    }

    /// Whether it can be applied in at least one direction.
    pub(crate) fn can_any(self) -> bool {
        self.can(UndoKind::Undo) || self.can(UndoKind::Redo)
    }

    /// The state in words; empty if the change can simply be undone.
    pub(crate) fn words(self) -> &'static str {
        match self {
            UndoState::Done => "",
            UndoState::DeletedSince { .. } => "deleted since",
            UndoState::Unfinished { .. } => "unfinished",
            UndoState::TakenBack => "taken back",
            UndoState::TakenBackForGood => "taken back for good",
            UndoState::ChangedSince => "changed since",
            UndoState::FolderGone => "folder gone",
            UndoState::FolderReplaced => "folder replaced",
            UndoState::NoCopy => "no copy",
            UndoState::Dropped => "copy dropped",
        }
    }
}

/// One change of a run, as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoChange {
    /// Its number in the record.
    pub number: u32,
    /// Its path, relative to the working folder where it lies below it. That of a folder ends with a slash.
    pub path: String,
    /// What the run did: `created`, `changed` or `deleted`.
    pub change: &'static str,
    /// The size after the run; for a deleted file, before it.
    pub bytes: u64,
    /// Its current state.
    pub standing: UndoState,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_told() {
        let cover = UndoCover::default();
        assert_eq!(cover.words(), "all");
        let names = vec![".env".to_owned(), "target".into(), "a/target".into(), "node_modules".into()];
        let cover = UndoCover { large: 3, secret: 1, folders: 5, names, ..cover };
        assert_eq!(cover.words(), "without 3 large files, .env, target, a/target, 3 more");
        assert_eq!(UndoCover::none("it is off").words(), "none: it is off");
        assert!(UndoCover::none("x").is_less_than(&cover) && cover.is_less_than(&UndoCover::default()));
        assert!(!cover.is_less_than(&UndoCover { large: 1, ..UndoCover::default() }));
    }
}

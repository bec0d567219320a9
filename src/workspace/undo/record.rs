//! Describes what a run changed: every path with its state before and after. The record is stored as an object like
//! the contents, so that a session that names it by its hash gets exactly this record.

use crate::domain::Sha256;
use crate::workspace::access::Access;
use crate::workspace::changes::display_path;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "State", tag = "is", rename_all = "snake_case")]
pub(super) enum FileState {
    Nothing,
    Folder {
        #[serde(flatten)]
        access: Access,
    },
    File {
        sha256: Sha256,
        bytes: u64,
        #[serde(flatten)]
        access: Access,
    },
    Link {
        #[serde(with = "crate::domain::serial::path")]
        to: PathBuf,
    },
    /// Something that is not copied. Two of the same size can't be told apart.
    Unkept {
        bytes: u64,
    },
}

impl FileState {
    pub(super) fn bytes(&self) -> u64 {
        match self {
            FileState::File { bytes, .. } | FileState::Unkept { bytes } => *bytes,
            FileState::Nothing | FileState::Folder { .. } | FileState::Link { .. } => 0,
        }
    }

    /// Whether this state was restored, as far as its rights could be given, if `now` is what is there.
    pub(super) fn is_met_by(&self, now: &FileState) -> bool {
        match (self, now) {
            (FileState::Folder { access }, FileState::Folder { access: now }) => access.is_met_by(*now),
            (
                FileState::File { sha256, bytes, access },
                FileState::File { sha256: content, bytes: size, access: now },
            ) => (sha256, bytes) == (content, size) && access.is_met_by(*now),
            _ => self == now,
        }
    }

    /// Like `is_met_by`, but what is exactly the `other` state of the change does not count as this one.
    pub(super) fn is_met_rather_than(&self, other: &FileState, now: &FileState) -> bool {
        self == now || other != now && self.is_met_by(now)
    }

    pub(super) fn is_folder(&self) -> bool {
        matches!(self, FileState::Folder { .. })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PathChange {
    #[serde(with = "crate::domain::serial::path")]
    pub(super) path: PathBuf,
    pub(super) before: FileState,
    pub(super) after: FileState,
}

impl PathChange {
    /// The path as it is shown: relative to the working folder if it lies in it, and that of a folder with a slash at
    /// its end.
    pub(super) fn display_path(&self, working: &Path) -> String {
        let path = display_path(working, &self.path);
        let shown = if self.after == FileState::Nothing { &self.before } else { &self.after };
        if shown.is_folder() { path + "/" } else { path }
    }
}

/// All that a run changed, in the order of the paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) changes: Vec<PathChange>,
}

impl Record {
    /// The change of exactly this path.
    pub(super) fn change_of(&self, path: &Path) -> Option<&PathChange> {
        let at = self.changes.binary_search_by(|change| change.path.as_path().cmp(path)).ok()?;
        self.changes.get(at)
    }

    /// Whether a change is listed. A folder that was created or deleted is not, if changes inside it are.
    pub(super) fn is_listed(&self, at: usize) -> bool {
        let Some(PathChange { path, before, after }) = self.changes.get(at) else { return false };
        // A folder that stayed one is in the record for its rights, which no other change shows.
        let is_made_or_removed = matches!(
            (before, after),
            (FileState::Nothing, FileState::Folder { .. }) | (FileState::Folder { .. }, FileState::Nothing)
        );
        let has_below = self.changes.get(at + 1).is_some_and(|next| next.path.starts_with(path));
        !(is_made_or_removed && has_below)
    }
}

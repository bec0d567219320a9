//! Taking back what a run changed: how much of it can be, what each change is, and how it stands by now. Values only; the
//! copies and the record of the changes are the business of `workspace/undo`.

use super::Sha256;
use serde::{Deserialize, Serialize};

const MAX_NAMES_SHOWN: usize = 3;

/// How much of what a run may change is remembered before it. The plan that makes the copies makes this value as well.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct UndoCover {
    /// Why nothing is remembered; empty: something is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub none: String,
    /// Files that are too large, or for which there is no room.
    #[serde(skip_serializing_if = "super::serial::is_zero")]
    pub large: u32,
    /// Files that can't be read.
    #[serde(skip_serializing_if = "super::serial::is_zero")]
    pub unreadable: u32,
    /// Files that hold secrets, of which no copy is made.
    #[serde(skip_serializing_if = "super::serial::is_zero")]
    pub secret: u32,
    /// Folders that are made anew by tools, in which nothing is remembered.
    #[serde(skip_serializing_if = "super::serial::is_zero")]
    pub folders: u32,
    /// The first secrets, then the first folders, by their paths below the working folder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

impl UndoCover {
    /// Nothing is remembered, and why.
    pub fn none(why: impl Into<String>) -> Self {
        Self { none: why.into(), ..Self::default() }
    }

    /// Whether anything is remembered.
    pub(crate) fn is_some(&self) -> bool {
        self.none.is_empty()
    }

    /// Whether it is less than was told before: nothing where there was something, or no longer all.
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
            return format!("none: {}", self.none);
        }
        let files = |count: u32, what: &str| match count {
            0 => None,
            1 => Some(format!("1 {what} file")),
            count => Some(format!("{count} {what} files")),
        };
        let mut parts: Vec<String> = [files(self.large, "large"), files(self.unreadable, "unreadable")]
            .into_iter()
            .flatten()
            .collect();
        parts.extend(self.names.iter().take(MAX_NAMES_SHOWN).cloned());
        let named = self.names.len().min(MAX_NAMES_SHOWN);
        let more = (self.secret as usize + self.folders as usize).saturating_sub(named);
        parts.extend((more > 0).then(|| format!("{more} more")));
        if parts.is_empty() { "all".into() } else { format!("without {}", parts.join(", ")) }
    }
}

/// What is known of a run for taking it back.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct UndoNote {
    /// What was remembered before it.
    pub cover: UndoCover,
    /// The record of its changes; `None`: there were none, or nothing was remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Sha256>,
    /// How many changes it has.
    #[serde(skip_serializing_if = "super::serial::is_zero")]
    pub changes: u32,
}

/// Which way a change is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UndoWay {
    /// To how it was before the run.
    #[default]
    Back,
    /// To how the run left it: what was taken back is made again.
    Again,
}

impl UndoWay {
    /// Whether it is the usual one, which goes without saying in files.
    #[allow(clippy::trivially_copy_pass_by_ref)] // serde hands over a reference
    pub(crate) fn is_back(&self) -> bool {
        *self == UndoWay::Back
    }
}

/// How a change stands by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoStanding {
    /// It stands as the run left it and can be taken back.
    Done,
    /// What the run left was removed since, by somebody else: how it was can be put there.
    DeletedSince,
    /// It was taken back and can be made again.
    TakenBack,
    /// It was taken back, and what the run left is not kept any more.
    TakenBackForGood,
    /// Something else stands there than the run left.
    ChangedSince,
    /// The working folder itself is not there any more.
    FolderGone,
    /// There is no copy of how it was before: it was too large, held secrets, or could not be read.
    NoCopy,
    /// There was a copy, which was dropped since: newer ones took its room, or it was damaged.
    Dropped,
}

impl UndoStanding {
    /// Which way it can be taken.
    pub(crate) fn way(self) -> Option<UndoWay> {
        match self {
            UndoStanding::Done | UndoStanding::DeletedSince => Some(UndoWay::Back),
            UndoStanding::TakenBack => Some(UndoWay::Again),
            _ => None,
        }
    }

    /// What is said of it, where there is something to say.
    pub(crate) fn words(self) -> &'static str {
        match self {
            UndoStanding::Done => "",
            UndoStanding::DeletedSince => "deleted since",
            UndoStanding::TakenBack => "taken back",
            UndoStanding::TakenBackForGood => "taken back for good",
            UndoStanding::ChangedSince => "changed since",
            UndoStanding::FolderGone => "folder gone",
            UndoStanding::NoCopy => "no copy",
            UndoStanding::Dropped => "copy dropped",
        }
    }
}

/// One change of a run, as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoChange {
    /// Its number in the record.
    pub number: u32,
    /// Its path, relative to the working folder where it lies below it.
    pub path: String,
    /// `created`, `changed` or `deleted`, by the run.
    pub change: &'static str,
    /// The size after the run; of what was deleted, before it.
    pub bytes: u64,
    /// How it stands by now.
    pub standing: UndoStanding,
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

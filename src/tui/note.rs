//! A note: the newest message to the person in the status line.

use super::guard::RefusalReason;
use crate::domain::{BlockId, Level, Notice};
use std::time::{Duration, Instant};

/// After this long a note of level `Info` gives way to the status of the session.
const NOTE_TIMEOUT: Duration = Duration::from_secs(3);

/// The note for a key that needs a waiting block; no longer true once a block waits.
pub(crate) const NO_BLOCK_WAITS: &str = "No block waits.";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub(crate) level: Level,
    pub text: String,
    /// Whether it is about the waiting block: then it may replace the text that the status line shows while one
    /// waits.
    pub(crate) about_waiting_block: bool,
    /// What follows the text about the key that approves a block.
    pub(crate) approving: Option<ApprovalHint>,
    /// Whether it says that decisions are locked for a time; no longer true once that time is over.
    pub(crate) about_lock: bool,
    /// Whether it says what this size of the window refuses; no longer true at another size.
    pub(crate) about_size: bool,
    /// When the note was set.
    pub(crate) at: Option<Instant>,
}

impl Note {
    fn of(level: Level, text: impl Into<String>) -> Self {
        Self {
            level,
            text: text.into(),
            about_waiting_block: false,
            approving: None,
            about_lock: false,
            about_size: false,
            at: None,
        }
    }

    pub(crate) fn info(text: impl Into<String>) -> Self {
        Self::of(Level::Info, text)
    }

    /// A request was not carried out as asked.
    pub(crate) fn warn(text: impl Into<String>) -> Self {
        Self::of(Level::Warn, text)
    }

    /// Whether an `Info` note has been on screen long enough.
    pub(crate) fn is_stale(&self, now: Instant) -> bool {
        self.level == Level::Info
            && self.at.is_some_and(|at| now.saturating_duration_since(at) >= NOTE_TIMEOUT)
    }

    pub(crate) fn about_waiting_block(text: impl Into<String>) -> Self {
        Self { about_waiting_block: true, ..Self::of(Level::Warn, text) }
    }

    /// The guard refused a decision on the waiting block.
    pub(crate) fn refused(why: RefusalReason) -> Self {
        let about_lock = matches!(why, RefusalReason::Appeared { .. } | RefusalReason::Quiet { .. });
        let about_size = matches!(why, RefusalReason::Small | RefusalReason::Unseen { .. });
        Self { about_lock, about_size, ..Self::about_waiting_block(why.to_string()) }
    }

    /// After the person went to this block with this key: says what the same key does next.
    pub(crate) fn how_to_approve(block: BlockId, key: &str) -> Self {
        let hint = ApprovalHint { block, key: key.to_owned(), is_there: true };
        Self { approving: Some(hint), ..Self::about_waiting_block("") }
    }

    /// A held-back decision was dropped; a key is named that needs no answer of the terminal.
    pub(crate) fn dropped(why: RefusalReason, block: BlockId, key: &str) -> Self {
        let hint = ApprovalHint { block, key: key.to_owned(), is_there: false };
        Self { approving: Some(hint), ..Self::about_waiting_block(why.to_string()) }
    }

    /// The block of which it says only how to approve it. That is true only while all of it is on screen.
    pub(crate) fn explains_only(&self) -> Option<BlockId> {
        self.approving.as_ref().filter(|_| self.text.is_empty()).map(|hint| hint.block)
    }
}

/// A key that approves a block. What it does can change until the note is replaced, so the sentence is made anew
/// whenever it is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ApprovalHint {
    pub(crate) block: BlockId,
    /// The key, as it is shown.
    key: String,
    /// Whether the key was pressed once, and went to the block.
    is_there: bool,
}

impl ApprovalHint {
    /// What the key does, for a block that can be approved now.
    pub(crate) fn sentence(&self, needs_typed: bool) -> String {
        let Self { block, key, is_there } = self;
        let does = if needs_typed { "asks for the word that approves" } else { "approves" };
        if *is_there {
            format!("Block {block}: look at it, then {key} again {does}.")
        } else {
            format!("{key} twice {does}.")
        }
    }
}

impl From<Notice> for Note {
    fn from(notice: Notice) -> Self {
        Self::of(notice.level, notice.text)
    }
}

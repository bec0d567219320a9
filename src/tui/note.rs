//! The newest thing that was said to the person in the status line.

use super::guard::RefusalReason;
use crate::domain::{BlockId, Level, Notice};
use std::time::{Duration, Instant};

/// What is only good to know gives way to what goes on after this long.
const NOTE_TIMEOUT: Duration = Duration::from_secs(3);

/// What is said where a block is looked for; no longer true once one waits.
pub(crate) const NO_BLOCK_WAITS: &str = "No block waits.";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// How urgent it is.
    pub(crate) level: Level,
    pub text: String,
    /// Whether it speaks of the block that waits: then it may stand in place of the wait's own words.
    pub(crate) of_wait: bool,
    /// The block of which it says how the key that goes there approves: true only where all of it is on screen.
    pub(crate) says_how: Option<BlockId>,
    /// Whether it says that decisions are locked for a time: no longer true once that is over.
    pub(crate) of_lock: bool,
    /// When it was said.
    pub(crate) at: Option<Instant>,
}

impl Note {
    fn of(level: Level, text: impl Into<String>) -> Self {
        Self { level, text: text.into(), of_wait: false, says_how: None, of_lock: false, at: None }
    }

    pub(crate) fn info(text: impl Into<String>) -> Self {
        Self::of(Level::Info, text)
    }

    /// Something did not go as asked.
    pub(crate) fn warn(text: impl Into<String>) -> Self {
        Self::of(Level::Warn, text)
    }

    /// Whether it has been on screen long enough for something that is only good to know.
    pub(crate) fn is_stale(&self, now: Instant) -> bool {
        self.level == Level::Info
            && self.at.is_some_and(|at| now.saturating_duration_since(at) >= NOTE_TIMEOUT)
    }

    /// Of the block that waits.
    pub(crate) fn of_wait(text: impl Into<String>) -> Self {
        Self { of_wait: true, ..Self::of(Level::Warn, text) }
    }

    /// A decision of that block was refused.
    pub(crate) fn refused(why: RefusalReason) -> Self {
        let of_lock = matches!(why, RefusalReason::Appeared { .. } | RefusalReason::Quiet { .. });
        Self { of_lock, ..Self::of_wait(why.to_string()) }
    }

    /// The way to this block was gone: how the same key, named here, approves it, or asks for the word that does.
    pub(crate) fn how_to_approve(block: BlockId, key: &str, needs_typed: bool) -> Self {
        let does = if needs_typed { "asks for the word that approves" } else { "approves" };
        let text = format!("Block {block}: look at it, then {key} again {does}.");
        Self { says_how: Some(block), ..Self::of_wait(text) }
    }
}

impl From<Notice> for Note {
    fn from(notice: Notice) -> Self {
        Self::of(notice.level, notice.text)
    }
}

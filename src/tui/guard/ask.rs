//! What the guard is asked and what it answers: plain values.

use super::refusal::Why;
use crate::domain::{BlockId, Revision};
use std::time::Duration;

/// What is up for decision. Another token is another subject: everything starts over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The block.
    pub block: BlockId,
    /// Its version.
    pub revision: Revision,
    /// A hash of the terms on screen: rights, limits, kernel, folder, language.
    pub terms: u64,
}

/// How long things take; all from the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Time without a key before a decision counts (`review.arm_ms`).
    pub quiet: Duration,
    /// Time on screen until a row counts as seen.
    pub seen: Duration,
    /// The same key within this time of itself is a repeat.
    pub repeat: Duration,
    /// Two printable keys within this time are a paste; a decision is held back this long to see whether it is alone.
    pub burst: Duration,
    /// How long the answer to the fence is awaited.
    pub fence: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            quiet: Duration::from_millis(700),
            seen: Duration::from_millis(300),
            repeat: Duration::from_millis(150),
            burst: Duration::from_millis(30),
            fence: Duration::from_secs(2),
        }
    }
}

/// A decision that a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verb {
    /// Approve once.
    Approve,
    /// Approve, and choose a rule for such blocks.
    Always,
    /// Edit in the pane.
    Edit,
    /// Edit in the external editor.
    EditOutside,
    /// Reject with a reason.
    Reject,
    /// Skip.
    Skip,
    /// A safe step that changes what is up for decision: back to the model's text, another language or limit.
    Change,
    /// Drop a hunk of a change, or take it back.
    Hunk,
}

impl Verb {
    /// Whether every row must have been seen and the review must be there.
    pub(super) fn needs_seen(self) -> bool {
        matches!(self, Verb::Approve | Verb::Always)
    }
}

/// What a key would do, as far as the guard cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Decide about the block on screen: only with the focus in Code, in the review state.
    Decision(Verb),
    /// Scroll, or go to the next finding: never locked, does not disturb the quiet.
    Scroll,
    /// Anything else, a letter in Message too.
    Other,
}

/// What becomes of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admit {
    /// It does what it does.
    Pass,
    /// A decision that counts unless another key follows at once: ask [`super::Guard::due`] at [`super::Guard::next_deadline`].
    Held,
    /// Nothing happens but the note.
    Refused(Why),
}

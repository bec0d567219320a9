//! What the guard is asked and what it answers: plain values.

use super::refusal::RefusalReason;
use crate::domain::{BlockId, Revision};
use crate::tui::action::Action;
use std::time::Duration;

/// What is up for decision. Another token is another subject: everything starts over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SubjectId {
    pub(crate) block: BlockId,
    pub(crate) revision: Revision,
    /// A hash of the terms on screen: rights, limits, kernel, folder, language.
    pub(crate) terms: u64,
}

/// How long things take; all from the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Time without a key before a decision counts (`review.arm_ms`).
    pub(crate) quiet: Duration,
    /// Time on screen until a row counts as seen.
    pub(crate) seen: Duration,
    /// The same key within this time of itself is a repeat.
    pub(crate) repeat: Duration,
    /// Two keys within this time are a paste (`review.burst_ms`).
    pub(crate) burst: Duration,
    /// A letter that acts is held back this long; another letter within it makes a word of both (`review.hold_ms`).
    pub(crate) hold: Duration,
    /// The key that goes to the block approves only so long after it went there.
    pub(crate) again: Duration,
    /// The second press of that key is held back this long: a key that is held down comes again within it, at five times
    /// a second still.
    pub(crate) alone: Duration,
    /// How long the answer to the fence is awaited.
    pub(crate) fence: Duration,
    /// How long the terminal's answer behind a letter that was held back is awaited.
    pub(crate) answer: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            quiet: Duration::from_millis(700),
            seen: Duration::from_millis(300),
            repeat: Duration::from_millis(150),
            burst: Duration::from_millis(30),
            hold: Duration::from_millis(400),
            again: Duration::from_millis(300),
            alone: Duration::from_millis(195),
            fence: Duration::from_secs(2),
            answer: Duration::from_secs(5),
        }
    }
}

/// A decision that a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verb {
    Approve,
    /// Approve, and choose a rule for such blocks.
    Always,
    /// Edit in the pane.
    Edit,
    /// Edit in the external editor.
    EditOutside,
    /// Reject with a reason.
    Reject,
    Skip,
    /// A safe step that changes what is up for decision: back to the model's text.
    Change,
    /// Drop a hunk of a change, or take it back.
    Hunk,
    /// Ask a model for a second opinion: the block's text is sent.
    Opinion,
    /// Send packages to the other place.
    Install,
    Limits,
    /// Choose a new kernel for it.
    Fresh,
    /// Choose a terminal for it.
    Terminal,
    Language,
}

impl Verb {
    /// Whether every row must have been seen and the review must be there.
    pub(super) fn needs_seen(self) -> bool {
        matches!(self, Verb::Approve | Verb::Always)
    }

    fn words(self) -> &'static str {
        match self {
            Verb::Approve => "approving",
            Verb::Always => "choosing a rule",
            Verb::Edit | Verb::EditOutside => "opening the editor",
            Verb::Reject => "rejecting",
            Verb::Skip => "skipping",
            Verb::Change => "going back to the model's text",
            Verb::Hunk => "dropping the hunk",
            Verb::Opinion => "asking for a second opinion",
            Verb::Install => "changing where packages go",
            Verb::Limits => "opening the limits",
            Verb::Fresh => "choosing the kernel",
            Verb::Terminal => "choosing a terminal",
            Verb::Language => "choosing the language",
        }
    }
}

/// What a key that acts would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuardedAction {
    /// Decide about the block on screen.
    Decide(Verb),
    /// An action that spends, sends, starts or deletes.
    Do(Action),
    /// A letter of the question or list that has the keys.
    Letter(char),
    /// What was typed is text: it goes to the message. No decision at all.
    Text,
}

impl GuardedAction {
    /// What is said while it is held back.
    pub(crate) fn words(self) -> &'static str {
        match self {
            GuardedAction::Decide(verb) => verb.words(),
            GuardedAction::Do(Action::ProblemRetry) => "trying again",
            GuardedAction::Do(Action::OutputOpen) => "opening it",
            GuardedAction::Do(Action::OutputWrite | Action::ProblemSave) => "saving",
            GuardedAction::Do(Action::ProblemNew) => "beginning a new chat",
            GuardedAction::Do(_) => "on it",
            GuardedAction::Letter(_) => "answering",
            GuardedAction::Text => "typing",
        }
    }
}

/// What a key would do, as far as the guard cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyClass {
    /// A letter in a text field.
    Text,
    /// Decide about the block on screen: only with the focus in Code, in the review state.
    Decision(Verb),
    /// Spend, send, start or delete something in the place of this number, which the guard was told of.
    Act(GuardedAction, u64),
    /// Stop what would start by itself: never locked, whatever stands beside it.
    Stop,
    /// Scroll, or go to the next finding: never locked, does not disturb the quiet.
    Scroll,
    /// A letter that goes to where text is typed: behind other letters it is one of theirs.
    Opener,
    /// A letter that means nothing in a pane: it is the beginning of a text.
    Stray,
    /// A letter that means nothing in a question or a list: alone it does nothing.
    Mute,
    /// Go to this block; where the person is `there` already, approve it.
    Go {
        /// Whether the focus is on the block, in review, with nothing over it.
        there: bool,
        /// The block as it stands.
        token: Option<SubjectId>,
    },
    Other,
}

/// What becomes of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KeyOutcome {
    /// It does what it does.
    Pass,
    /// It counts unless another key follows: ask [`super::Guard::take_due`] at [`super::Guard::next_deadline`].
    Held,
    /// Nothing happens but the note.
    Refused(RefusalReason),
    /// These letters, this one the last, are text: they go to the message. `meant`: one of them could have acted.
    Word {
        text: String,
        /// Whether one of them could have acted.
        meant: bool,
    },
}

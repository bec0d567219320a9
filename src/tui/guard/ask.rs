//! The values that go into the guard and come out of it.

use super::refusal::RefusalReason;
use crate::domain::{BlockId, Revision};
use crate::tui::action::Action;
use std::time::Duration;

/// What is up for decision. A different value is a different subject, for which everything starts over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SubjectId {
    pub(crate) block: BlockId,
    pub(crate) revision: Revision,
    /// A hash of the terms on screen: rights, limits, kernel, folder, language.
    pub(crate) terms: u64,
}

/// The guard's durations; all come from the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Time without a key before a decision counts (`review.arm_ms`).
    pub(crate) quiet: Duration,
    /// Time on screen until a row counts as seen.
    pub(crate) seen: Duration,
    /// The same key within this time of itself is a repeat.
    pub(crate) repeat: Duration,
    /// Two keys within this time are a paste (`review.burst_ms`); in the field of the typed word three, or a letter and
    /// Enter.
    pub(crate) burst: Duration,
    /// A letter that acts is held back this long; a second letter within it makes a word of both (`review.hold_ms`).
    pub(crate) hold: Duration,
    /// The key that goes to the block approves only this long after it went there.
    pub(crate) go_again: Duration,
    /// The second press of that key is held back this long: a held-down key repeats within it, even at only five
    /// repeats a second.
    pub(crate) go_hold: Duration,
    /// How long the guard waits for the terminal's answer after a frame.
    pub(crate) frame_answer: Duration,
    /// How long the guard waits for the terminal's answer after a held letter.
    pub(crate) letter_answer: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            quiet: Duration::from_millis(700),
            seen: Duration::from_millis(300),
            repeat: Duration::from_millis(150),
            burst: Duration::from_millis(30),
            hold: Duration::from_millis(400),
            go_again: Duration::from_millis(300),
            go_hold: Duration::from_millis(195),
            frame_answer: Duration::from_secs(2),
            letter_answer: Duration::from_secs(5),
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
    /// A harmless change of what is up for decision: back to the model's text.
    ModelText,
    /// Drop a hunk of a change, or take it back.
    Hunk,
    /// Ask a model for a second opinion: the block's text is sent.
    Opinion,
    /// Send packages to the other target folder.
    Install,
    Limits,
    /// Choose a new kernel for the block.
    NewKernel,
    /// Choose a terminal for the block.
    Terminal,
    Language,
}

impl Verb {
    /// Whether every row must have been seen and the review must be complete.
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
            Verb::ModelText => "going back to the model's text",
            Verb::Hunk => "dropping the hunk",
            Verb::Opinion => "asking for a second opinion",
            Verb::Install => "changing where packages go",
            Verb::Limits => "opening the limits",
            Verb::NewKernel => "choosing the kernel",
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
    /// The same, where it approves the block on screen.
    Approval(char),
    /// What was typed is text: it is moved to the message. No decision at all.
    Text,
}

impl GuardedAction {
    /// What the status row shows while it is held back.
    pub(crate) fn words(self) -> &'static str {
        match self {
            GuardedAction::Decide(verb) => verb.words(),
            GuardedAction::Do(Action::ProblemRetry) => "trying again",
            GuardedAction::Do(Action::OutputOpen) => "opening it",
            GuardedAction::Do(Action::OutputWrite | Action::ProblemSave) => "saving",
            GuardedAction::Do(Action::ProblemNew) => "beginning a new chat",
            GuardedAction::Do(_) => "on it",
            GuardedAction::Letter(_) | GuardedAction::Approval(_) => "answering",
            GuardedAction::Text => "typing",
        }
    }
}

/// What a key would do, as far as the guard needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyClass {
    /// A letter in a text field.
    Text,
    /// A letter in the field for the word that approves the block on screen: it has to be typed.
    TypedWord,
    /// Take what an overlay holds: the text in its field, the chosen row.
    Accept {
        /// Whether that approves the block on screen.
        approves: bool,
    },
    /// Decide about the block on screen: only with the focus in Code, in the review state.
    Decision(Verb),
    /// Spend, send, start or delete something in the place with this number ([`super::Guard::set_scope`]).
    Act(GuardedAction, u64),
    /// Stop what would start by itself: never locked, whatever was typed just before.
    Stop,
    /// Scroll, or go to the next finding: never locked, does not restart the quiet time.
    Scroll,
    /// A letter that moves the focus to a text field; after other letters it is text like them.
    Opener,
    /// A letter that is bound to nothing in a pane: the beginning of a text.
    Stray,
    /// A letter that is bound to nothing in a question or a list: alone it does nothing.
    Mute,
    /// Go to this block; where the focus is already on it (`there`), approve it.
    Go {
        /// Whether the focus is on the block, in review, with nothing over it.
        there: bool,
        /// The block as it is now.
        subject: Option<SubjectId>,
    },
    Other,
}

/// What happens with a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KeyOutcome {
    /// The key does what it is bound to.
    Pass,
    /// It counts unless another key follows: call [`super::Guard::take_due`] at [`super::Guard::next_deadline`].
    Held,
    /// Nothing happens, only a note says why.
    Refused(RefusalReason),
    /// These letters, this key the last, are text: they are moved to the message.
    Word {
        text: String,
        /// Whether one of them could have acted.
        could_act: bool,
    },
}

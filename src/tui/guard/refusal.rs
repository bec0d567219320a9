//! The reasons why a decision key does not count, and the sentences that say so.

use crate::domain::BlockId;
use std::fmt;
use std::time::Duration;

/// Why decisions are locked, or one was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefusalReason {
    /// No block is up for decision here.
    NoBlock,
    /// The window is below 50x12.
    Small,
    /// The block has only just appeared: the terminal has not answered yet, or the first quiet time is not over.
    Appeared {
        block: BlockId,
        /// What is left of the quiet time, if no key comes; `None` while the terminal has not answered.
        left: Option<Duration>,
    },
    /// The quiet time was restarted and is not over.
    Quiet {
        /// What is left of it, if no key comes.
        left: Duration,
    },
    /// The same key came again too soon: the keyboard repeated it.
    Repeat,
    /// Several keys came at once, or a paste.
    Paste,
    /// What the letter would act on was not on screen yet.
    NotYetShown,
    /// Letters came right before it: together they may be a word.
    Word,
    /// No answer of the terminal proved in time that nothing else was typed.
    NoAnswer,
    /// The program was suspended while the letter was held back.
    StoodStill,
    /// The key that goes to the block was pressed a second time too soon, or another key came between.
    Again,
    /// The review is not complete yet.
    Checking,
    /// Parts have not been on screen long enough.
    Unseen {
        /// Lines of code, and rows of rights and findings.
        lines: usize,
    },
}

impl RefusalReason {
    /// Whether the reason is the block itself: the person has to look at it, or for it.
    pub(crate) fn is_about_block(self) -> bool {
        matches!(
            self,
            RefusalReason::NoBlock
                | RefusalReason::Appeared { .. }
                | RefusalReason::Checking
                | RefusalReason::Unseen { .. }
        )
    }
}

impl fmt::Display for RefusalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RefusalReason::NoBlock => f.write_str("No block waits here."),
            RefusalReason::Small => f.write_str("Window too small: 50x12 needed. Decisions are locked."),
            RefusalReason::Appeared { block, left } => {
                write!(f, "Block {block} just appeared. Keys typed now are ignored.")?;
                left.map_or(Ok(()), |left| write!(f, " {} left.", Seconds(left)))
            }
            RefusalReason::Quiet { left } => write!(f, "Not yet: {} without a key.", Seconds(*left)),
            RefusalReason::Repeat => f.write_str("That looked like a key held down. Nothing was decided."),
            RefusalReason::Paste => f.write_str("That looked like a paste. Nothing was decided."),
            RefusalReason::NotYetShown => f.write_str("That just appeared. Keys typed now are ignored."),
            RefusalReason::Word => f.write_str("Letters in a row are text. Nothing was decided."),
            RefusalReason::NoAnswer => f.write_str("The terminal did not answer. Nothing was decided."),
            RefusalReason::StoodStill => f.write_str("The program stood still. Nothing was decided."),
            RefusalReason::Again => {
                f.write_str("Look at it, then the same key again approves; no other key between.")
            }
            RefusalReason::Checking => f.write_str("Not yet: the checks still run."),
            RefusalReason::Unseen { lines: 1 } => f.write_str("Not yet: 1 line not shown. Space shows it."),
            RefusalReason::Unseen { lines } => {
                write!(f, "Not yet: {lines} lines not shown. Space shows them.")
            }
        }
    }
}

/// Displays a duration in seconds with one digit, rounded up, at least 0.1 s.
pub(crate) struct Seconds(pub(crate) Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = self.0.as_millis().div_ceil(100).max(1);
        write!(f, "{}.{} s", tenths / 10, tenths % 10)
    }
}

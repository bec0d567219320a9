//! A question with letters for answers. Enter and Esc give the safe one; a letter counts only after a quiet moment, so
//! that a key meant for something else answers nothing.

use crate::domain::{BlockId, ImageRef, RunId};
use crate::driver::Held;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What an answer leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing: everything stays as it is.
    Stay,
    /// Interrupt what runs, save, quit.
    QuitAfterInterrupt,
    /// Quit; what runs is ended by force.
    QuitNow,
    /// End the run by force.
    Kill,
    /// A new kernel.
    Restart,
    /// Run these blocks of an earlier kernel again.
    Rebuild(Vec<RunId>),
    /// Skip all blocks that wait.
    SkipAll,
    /// Delete a session.
    Delete(PathBuf),
    /// Put a block back for review.
    PutBack(BlockId),
    /// End the turn.
    EndTurn,
    /// Tell the model files of instructions as they stand now.
    TakeInstructions(Vec<Held>),
    /// Open an image with the desktop's program, outside of the sandbox.
    Open(ImageRef),
}

/// One answer.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Its letter.
    pub letter: char,
    /// What it does, in words.
    pub label: String,
    /// What it leads to.
    pub answer: Answer,
}

/// A question.
#[derive(Debug)]
pub struct Ask {
    /// Its title.
    pub title: String,
    /// What there is to know.
    pub lines: Vec<String>,
    /// The answers; the first is the safe one.
    pub choices: Vec<Choice>,
    /// A last line, under the answers.
    pub foot: String,
    quiet_from: Instant,
}

/// The moment without a key before a letter counts.
const QUIET: Duration = Duration::from_millis(700);

impl Ask {
    /// A question that is asked now. The first choice is the safe answer.
    pub fn new(title: impl Into<String>, lines: Vec<String>, choices: Vec<Choice>, now: Instant) -> Self {
        Self { title: title.into(), lines, choices, foot: String::new(), quiet_from: now }
    }

    /// The same with a last line.
    #[must_use]
    pub fn foot(mut self, text: impl Into<String>) -> Self {
        self.foot = text.into();
        self
    }

    /// The answer of a letter pressed now. The safe answer always counts; every other key begins the quiet anew when
    /// it comes too soon.
    pub fn letter(&mut self, letter: char, now: Instant) -> Option<Answer> {
        let quiet = now.saturating_duration_since(self.quiet_from) >= QUIET;
        self.quiet_from = now;
        let (at, choice) = self.choices.iter().enumerate().find(|(_, c)| c.letter == letter)?;
        (at == 0 || quiet).then(|| choice.answer.clone())
    }
}

impl Choice {
    /// An answer.
    pub fn new(letter: char, label: impl Into<String>, answer: Answer) -> Self {
        Self { letter, label: label.into(), answer }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_counts_only_after_a_quiet_moment_and_the_safe_one_always() {
        let start = Instant::now();
        let choices = vec![Choice::new('w', "wait", Answer::Stay), Choice::new('k', "kill", Answer::Kill)];
        let mut ask = Ask::new("Kill?", Vec::new(), choices, start);
        let after = |ms| start + Duration::from_millis(ms);
        assert_eq!(ask.letter('k', after(100)), None);
        assert_eq!(ask.letter('k', after(750)), None, "held down it never counts");
        assert_eq!(ask.letter('w', after(800)), Some(Answer::Stay));
        assert_eq!(ask.letter('x', after(1600)), None);
        assert_eq!(ask.letter('k', after(2300)), Some(Answer::Kill));
    }
}

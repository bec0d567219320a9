//! A question with letters for answers. Enter and Esc give the safe one; the other letters pass the guard before they
//! come here, so that a key meant for something else answers nothing.

use crate::domain::{BlockId, ImageRef, RunId};
use crate::driver::HeldFile;
use std::path::PathBuf;

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
    TakeInstructions(Vec<HeldFile>),
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
}

impl Ask {
    /// A question. The first choice is the safe answer.
    pub fn new(title: impl Into<String>, lines: Vec<String>, choices: Vec<Choice>) -> Self {
        Self { title: title.into(), lines, choices, foot: String::new() }
    }

    /// The same with a last line.
    #[must_use]
    pub fn foot(mut self, text: impl Into<String>) -> Self {
        self.foot = text.into();
        self
    }

    /// The answer of a letter.
    pub fn letter(&self, letter: char) -> Option<Answer> {
        self.choices.iter().find(|choice| choice.letter == letter).map(|choice| choice.answer.clone())
    }
}

impl Choice {
    /// An answer.
    pub fn new(letter: char, label: impl Into<String>, answer: Answer) -> Self {
        Self { letter, label: label.into(), answer }
    }
}

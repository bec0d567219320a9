//! The newest thing that was said to the person in the status line.

use crate::domain::{Level, Notice};

/// A note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// How urgent it is.
    pub level: Level,
    /// Its text.
    pub text: String,
    /// Whether it speaks of the block that waits: then it may stand in place of the wait's own words.
    pub of_wait: bool,
}

impl Note {
    /// Good to know.
    pub fn info(text: impl Into<String>) -> Self {
        Self { level: Level::Info, text: text.into(), of_wait: false }
    }

    /// Something did not go as asked.
    pub fn warn(text: impl Into<String>) -> Self {
        Self { level: Level::Warn, text: text.into(), of_wait: false }
    }

    /// Of the block that waits.
    pub fn of_wait(text: impl Into<String>) -> Self {
        Self { level: Level::Warn, text: text.into(), of_wait: true }
    }
}

impl From<Notice> for Note {
    fn from(notice: Notice) -> Self {
        Self { level: notice.level, text: notice.text, of_wait: false }
    }
}

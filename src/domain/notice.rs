//! Notices: short messages to the person that are not part of the conversation.

/// How urgent a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// Good to know.
    Info,
    /// Something did not go as asked; work goes on.
    Warn,
    /// Something waits until the person acts.
    Error,
}

/// One line for the status bar (or standard error): what happened, then what to press.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// How urgent it is.
    pub(crate) level: Level,
    /// The text; one line.
    pub text: String,
}

impl Notice {
    /// A notice that is good to know.
    pub fn info(text: impl Into<String>) -> Self {
        Self { level: Level::Info, text: text.into() }
    }

    /// A notice of something that did not go as asked.
    pub fn warn(text: impl Into<String>) -> Self {
        Self { level: Level::Warn, text: text.into() }
    }

    /// A notice of something that waits until the person acts.
    pub(crate) fn error(text: impl Into<String>) -> Self {
        Self { level: Level::Error, text: text.into() }
    }
}

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
    /// The same for a front end in which nothing can be typed, if the text names a command or a pane.
    headless: Option<String>,
}

impl Notice {
    /// A notice that is good to know.
    pub fn info(text: impl Into<String>) -> Self {
        Self::new(Level::Info, text.into())
    }

    /// A notice of something that did not go as asked.
    pub fn warn(text: impl Into<String>) -> Self {
        Self::new(Level::Warn, text.into())
    }

    /// A notice of something that waits until the person acts.
    pub(crate) fn error(text: impl Into<String>) -> Self {
        Self::new(Level::Error, text.into())
    }

    fn new(level: Level, text: String) -> Self {
        Self { level, text, headless: None }
    }

    /// Adds what a front end says instead in which nothing can be typed.
    #[must_use]
    pub(crate) fn headless(self, text: impl Into<String>) -> Self {
        Self { headless: Some(text.into()), ..self }
    }

    /// The text for such a front end.
    pub(crate) fn headless_text(&self) -> &str {
        self.headless.as_deref().unwrap_or(&self.text)
    }
}

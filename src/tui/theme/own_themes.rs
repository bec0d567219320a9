//! The person's own themes. This module reads no file: the caller passes a function that does.

use std::fmt;
use std::sync::Arc;

/// The name of a theme, and its text or why it can't be read.
pub(crate) type OwnTheme = (String, Result<String, String>);

/// Reads the themes that exist now.
type ThemeReading = dyn Fn() -> Vec<OwnTheme> + Send + Sync;

/// The person's own themes, read anew each time one is looked up, so that a theme written just now can be tried. Cheap
/// to clone.
#[derive(Clone)]
pub struct OwnThemes(Arc<ThemeReading>);

impl OwnThemes {
    /// Makes the themes that `read` returns: name, and text or why it can't be read.
    pub fn new(read: impl Fn() -> Vec<OwnTheme> + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    /// All of them as they are now.
    pub(crate) fn all(&self) -> Vec<OwnTheme> {
        (self.0)()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.all().into_iter().map(|(name, _)| name).collect()
    }

    /// The text of the theme of this name, or why it can't be read; `None`: there is none.
    pub(crate) fn text(&self, name: &str) -> Option<Result<String, String>> {
        self.all().into_iter().find_map(|(own, text)| (own == name).then_some(text))
    }
}

/// No themes.
impl Default for OwnThemes {
    fn default() -> Self {
        Self::new(Vec::new)
    }
}

impl fmt::Debug for OwnThemes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnThemes")
    }
}

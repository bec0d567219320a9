//! The person's own themes. This module reads no file: the caller passes a function that does.

use std::fmt;
use std::sync::Arc;

/// Reads the themes that exist now: name and text.
type ThemeReading = dyn Fn() -> Vec<(String, String)> + Send + Sync;

/// The person's own themes, read anew each time one is looked up, so that a theme written just now can be tried. Cheap
/// to clone.
#[derive(Clone)]
pub struct OwnThemes(Arc<ThemeReading>);

impl OwnThemes {
    /// Makes the themes that `read` returns: name and text.
    pub fn new(read: impl Fn() -> Vec<(String, String)> + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    pub(crate) fn names(&self) -> Vec<String> {
        (self.0)().into_iter().map(|(name, _)| name).collect()
    }

    /// The text of the theme of this name.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        (self.0)().into_iter().find_map(|(own, text)| (own == name).then_some(text))
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

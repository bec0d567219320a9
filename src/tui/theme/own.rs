//! The person's own themes. This room reads no file: it is given who reads them.

use std::fmt;
use std::sync::Arc;

/// What reads the themes that are there now: name and text.
type ThemeReading = dyn Fn() -> Vec<(String, String)> + Send + Sync;

/// The person's own themes, as they are when one is looked for: one that was written just now can be tried. Cheap to
/// clone.
#[derive(Clone)]
pub struct OwnThemes(Arc<ThemeReading>);

impl OwnThemes {
    /// Those that this reads: name and text.
    pub fn new(read: impl Fn() -> Vec<(String, String)> + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    /// Their names.
    pub(crate) fn names(&self) -> Vec<String> {
        (self.0)().into_iter().map(|(name, _)| name).collect()
    }

    /// The text of the one of this name.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        (self.0)().into_iter().find_map(|(own, text)| (own == name).then_some(text))
    }
}

/// None.
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

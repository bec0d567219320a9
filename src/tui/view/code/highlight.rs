//! Colours of code lines, as the highlighter on its worker told them last. Lines that changed since are plain until
//! it answers: a colour never sits on a text that it was not made for.

use super::doc::LineStyles;

/// Colours of one text.
#[derive(Debug, Default)]
pub struct Colours {
    lines: Vec<(u64, LineStyles)>,
}

impl Colours {
    /// The colours of a line, if they were made for this text.
    pub fn for_line(&self, line: usize, text: &str) -> Option<LineStyles> {
        self.lines.get(line).filter(|(hash, _)| *hash == fingerprint(text)).map(|(_, styles)| styles.clone())
    }

    /// Takes colours for the lines from `first` on.
    pub fn set<'a>(&mut self, first: usize, lines: impl IntoIterator<Item = (&'a str, LineStyles)>) {
        self.lines.truncate(first);
        self.lines.resize_with(first, Default::default);
        self.lines.extend(lines.into_iter().map(|(text, styles)| (fingerprint(text), styles)));
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.lines.clear();
    }
}

fn fingerprint(text: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

//! How well the lines of a hunk were found, in words for the person and the model.

use std::fmt;

/// How the lines of a hunk were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exactness {
    /// The file has them exactly as they were written.
    Exact,
    /// As parts of lines, exactly as they were written.
    Inside,
    /// Ignoring white space, or numbers before the lines.
    Spaces,
    /// In parts around lines that are left out by `...`.
    Gaps,
    /// By likeness, in percent.
    Alike(u8),
}

impl fmt::Display for Exactness {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exactness::Exact => out.write_str("as written"),
            Exactness::Inside => out.write_str("inside of a line"),
            Exactness::Spaces => out.write_str("white space aside"),
            Exactness::Gaps => out.write_str("around what `...` leaves out"),
            Exactness::Alike(percent) => write!(out, "{percent}% alike"),
        }
    }
}

//! Why a text is no literal.

use super::quoted;

/// What is wrong with a text that should be a literal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LiteralError {
    /// A problem of the whole text.
    #[error("it {0}")]
    Whole(&'static str),
    /// A problem of the part that begins with this text.
    #[error("{} {}", quoted(.0), .1)]
    Part(String, &'static str),
    #[error("it is nested deeper than {0} levels")]
    Deep(usize),
    #[error("it has {} behind its end", quoted(.0))]
    Behind(String),
    #[error("it lacks a comma or {close} before {}", quoted(.before))]
    Comma { close: &'static str, before: String },
    #[error("it has the escape \\{sign} without {count} digits")]
    Digits { sign: char, count: usize },
    #[error("it has the escape \\{0}, which is not known; a backslash is \\\\")]
    UnknownEscape(char),
}

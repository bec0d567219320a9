//! Positions in texts: converts bytes to lines and columns, and defines an error with a position in a file.

use std::path::PathBuf;

/// A position in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The column in characters, from 1.
    pub(crate) column: usize,
}

impl Position {
    /// The position of a byte. A byte inside a character counts as the character, one behind the end as the end.
    pub(crate) fn of(text: &str, byte: usize) -> Self {
        let before = text.get(..text.floor_char_boundary(byte)).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        Self { line: line_of(text, byte), column }
    }
}

/// The line of a byte, from 1.
pub(crate) fn line_of(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|b| *b == b'\n').count() + 1
}

/// The byte of a TOML error; 0 if the error has no position.
pub(crate) fn start_of(error: &toml::de::Error) -> usize {
    error.span().map_or(0, |span| span.start)
}

/// An error in a file, with its position and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{}:{}: {what}", .file.display(), .position.line, .position.column)]
pub struct LocatedError {
    pub(crate) file: PathBuf,
    pub(crate) position: Position,
    pub(crate) what: String,
    /// What to do about it.
    pub(crate) hint: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_lines_and_characters() {
        let text = "a\näöü x\n\nb";
        for (byte, line, column) in [
            (0, 1, 1),
            (1, 1, 2),
            (2, 2, 1),
            (3, 2, 1),
            (4, 2, 2),
            (9, 2, 5),
            (11, 3, 1),
            (12, 4, 1),
            (99, 4, 2),
        ] {
            assert_eq!(Position::of(text, byte), Position { line, column }, "byte {byte}");
        }
        assert_eq!(Position::of("", 0), Position { line: 1, column: 1 });
    }
}

//! A range of a text, in lines and columns.

use serde::{Deserialize, Serialize};

/// A stretch of a block's text. Lines and columns count from 1, columns in characters (Unicode scalar values);
/// the end is exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct TextRange {
    /// The line in which it begins.
    pub line: u32,
    /// The column of its first character.
    pub column: u32,
    /// The line of its last character.
    pub end_line: u32,
    /// The column behind its last character.
    pub end_column: u32,
}

impl TextRange {
    /// The beginning of a line.
    pub(crate) fn at_line(line: u32) -> Self {
        Self { line, column: 1, end_line: line, end_column: 1 }
    }
}

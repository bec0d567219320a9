//! Where something stands in the text of a block.

use serde::{Deserialize, Serialize};

/// A stretch of a block's text. Lines and columns count from 1, columns in characters (Unicode scalar values);
/// the end is exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Place {
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    /// Column behind the last character.
    pub end_column: u32,
}

//! The text engine of the message box, the editor of blocks and every field: all have the same moves, changes
//! and undo.
//!
//! The lines are a vector of strings. An earlier version used a widget of others (`ratatui-textarea`): it
//! counts characters instead of clusters (so the cursor could be inside a family of emoji), undoes letter by
//! letter, and can't keep line ends. The alternatives (`edtui`, `modalkit`) count characters too, copy the
//! whole text at each step, or bring ropes and a second key table. A rope would only save the cost of a new
//! line in a text of 50,000 lines: moving 1 MB of pointers, which costs less than drawing a frame; every other
//! change costs one line in both.
//!
//! Nothing here draws, reads keys or knows what the text is for. `vim` turns keys into the same changes.

pub(crate) mod buffer;
pub(crate) mod cluster;
mod history;
pub(crate) mod search;
pub(crate) mod syntax;
mod text;
pub(crate) mod vim;
mod vocabulary;

pub(crate) use buffer::Pos;
pub(crate) use text::Text;
pub(crate) use vocabulary::{Edit, Motion};

#[cfg(test)]
mod tests;

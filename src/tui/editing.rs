//! The one text engine: Message, the editor of blocks and every field are made of it, with the same moves, changes, undo.
//!
//! The lines are a vector of strings. A widget of others was used before (`ratatui-textarea`): it counts characters and not
//! clusters, so a cursor stood inside of a family of emoji, takes back letter by letter, and can't be given line ends.
//! What is offered besides (`edtui`, `modalkit`) counts characters too, copies the whole text at each step, or brings ropes
//! and a second key table of its own. A rope would save what a new line costs in a text of 50,000 lines: the moving of 1 MB
//! of pointers, less than the drawing of one frame; every other change costs its own line in both.
//!
//! Nothing here draws, reads a key or knows what the text is for. `vim` turns keys into these same changes.

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

//! Paint: text and pictures from anywhere → lines of styled cells that are safe to draw.
//!
//! Everything from outside passes `plain` before it reaches a terminal. These modules lay out; they neither scroll nor
//! know panes. What takes long (highlighting, pictures) is done on workers; nothing here blocks a frame.

pub(crate) mod highlight;
pub(crate) mod hyperlinks;
pub(crate) mod image;
pub(crate) mod markdown;
pub(crate) mod output;
mod pen;
pub(crate) mod plain;
pub(crate) mod screen;
pub(crate) mod wrap;

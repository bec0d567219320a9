//! Paint: turns text and pictures from outside into lines of styled cells that are safe to draw.
//!
//! All outside text passes `glyphs` before it reaches a terminal. These modules do layout; they don't scroll and
//! don't know panes. Slow work (highlighting, pictures) is done on workers; nothing here blocks a frame.

pub(crate) mod canvas;
pub(crate) mod cell_tag;
pub(crate) mod glyphs;
pub(crate) mod highlight;
pub(crate) mod hyperlinks;
pub(crate) mod image;
pub(crate) mod markdown;
pub(crate) mod output;
mod pen;
pub(crate) mod screen;
pub(crate) mod strokes;
pub(crate) mod wrap;

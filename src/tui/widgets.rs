//! The building blocks of panes and overlays: layout, frames, lists of rows, text fields, safe text. Nothing
//! here knows the session's screen.

pub mod draw_context;
pub(crate) mod field;
pub(crate) mod filter;
pub(crate) mod filtered_list;
pub(crate) mod frame;
pub(crate) mod hints;
pub(crate) mod hits;
pub mod layout;
pub(crate) mod passage;
pub(crate) mod safe;
pub(crate) mod sheet;
pub(crate) mod typed_text;
pub(crate) mod virtual_list;
pub mod words;

//! What panes and overlays are made of: the layout, frames, lists of rows, text fields, text made safe to paint. Nothing
//! here knows the session's screen.

pub mod field;
pub mod filter;
pub mod frame;
pub mod hints;
pub mod hits;
pub mod layout;
pub mod look;
pub mod safe;
pub mod sheet;
pub mod virtual_list;
pub mod words;

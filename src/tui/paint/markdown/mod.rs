//! Markdown → lines of a width: what a model writes, readable and safe.
//!
//! Whole texts are laid out by [`lines`]. A text that grows is laid out by [`Stream`]: top-level blocks (and items of
//! top-level lists) that can't change any more are laid out once, only the open end again, so that a token costs the
//! same at any length. Links show their target, HTML is text, every character passes `plain`. No scrolling, no panes.

mod inline;
mod layout;
mod stream;
mod table;
#[cfg(test)]
mod tests;

pub use stream::Stream;

use super::super::theme::Theme;
use layout::Layout;
use pulldown_cmark::{Options, Parser};
use ratatui::text::Line;

/// The extensions of Markdown that models write.
const OPTIONS: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH).union(Options::ENABLE_TASKLISTS);

/// The lines of a whole text.
pub fn lines(text: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut layout = Layout::new(usize::from(width), theme);
    for event in Parser::new_ext(text, OPTIONS) {
        layout.event(event);
    }
    layout.finish()
}

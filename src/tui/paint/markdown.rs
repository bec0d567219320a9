//! Lays out Markdown as rows of a given width. All text passes `wrap`, and so `glyphs`: nothing from outside
//! reaches a terminal raw.
//!
//! [`lines`] lays out a complete text; [`MarkdownStream`] (in `stream`) lays out a growing one.

mod layout;
mod stream;
mod table;

#[cfg(test)]
mod tests;

pub(crate) use stream::MarkdownStream;

use crate::tui::paint::hyperlinks::Hyperlinks;
use crate::tui::paint::strokes::Strokes;
use crate::tui::theme::Theme;
use layout::Layout;
use pulldown_cmark::{Options, Parser};
use ratatui::text::Line;

/// Extensions that are read beyond CommonMark.
const EXTENSIONS: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH).union(Options::ENABLE_TASKLISTS);

/// What a text is drawn with: its colours, and the characters of its rules.
#[derive(Clone, Copy)]
pub(crate) struct MarkdownStyle<'a> {
    pub(crate) theme: &'a Theme,
    pub(crate) strokes: &'static Strokes,
}

/// Lays out a text as rows of at most `width` columns, without an empty row at the start or end. Addresses
/// become links.
pub(crate) fn lines(
    text: &str,
    width: u16,
    style: MarkdownStyle<'_>,
    links: &Hyperlinks,
) -> Vec<Line<'static>> {
    let mut layout = Layout::new(width, style, links);
    Parser::new_ext(text, EXTENSIONS).for_each(|event| layout.event(event));
    layout.finish()
}

//! Markdown → rows of a width. Every text passes `wrap`, and so `plain`: nothing foreign reaches a terminal raw.
//!
//! [`lines`] lays out a text that is whole; [`MarkdownStream`] (in `stream`) lays out one that grows.

mod layout;
mod stream;
mod table;

#[cfg(test)]
mod tests;

pub(crate) use stream::MarkdownStream;

use crate::tui::paint::hyperlinks::Hyperlinks;
use crate::tui::theme::Theme;
use layout::Layout;
use pulldown_cmark::{Options, Parser};
use ratatui::text::Line;

/// What is read beyond CommonMark.
const EXTENSIONS: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH).union(Options::ENABLE_TASKLISTS);

/// The rows of a text, at most `width` columns each; no empty row first or last. Addresses in it are links.
pub(crate) fn lines(text: &str, width: u16, theme: &Theme, links: &Hyperlinks) -> Vec<Line<'static>> {
    let mut layout = Layout::new(width, theme, links);
    layout.events(Parser::new_ext(text, EXTENSIONS));
    layout.finish()
}

//! Finds the boundaries of characters as people see them, and of words. All positions are bytes of a line.
//!
//! A character is an extended grapheme cluster: a family of emoji, a letter with its marks, a flag. Finding the
//! next boundary reads only nearby text, however long the line is, except among flags: these are pairs of
//! letters, so it reads back to the first of them. Code that walks over many clusters uses [`skip`] or
//! [`skip_back`], which read each cluster once.

use crate::tui::paint::glyphs;
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation as _};

/// The end of the cluster that begins here; at the end of the line, that end.
pub(crate) fn next(line: &str, at: usize) -> usize {
    let at = line.floor_char_boundary(at);
    let bytes = line.as_bytes();
    // Two ASCII characters never join, except a carriage return with a following line feed.
    if let (Some(here), Some(there)) = (bytes.get(at), bytes.get(at + 1))
        && here.is_ascii()
        && there.is_ascii()
        && *here != b'\r'
    {
        return at + 1;
    }
    GraphemeCursor::new(at, line.len(), true).next_boundary(line, 0).ok().flatten().unwrap_or(line.len())
}

/// The start of the cluster that ends here; at the start of the line, that start.
pub(crate) fn previous(line: &str, at: usize) -> usize {
    let at = line.floor_char_boundary(at);
    GraphemeCursor::new(at, line.len(), true).prev_boundary(line, 0).ok().flatten().unwrap_or(0)
}

/// Skips clusters while `is_such` holds for their start, and returns the position after them.
pub(crate) fn skip(line: &str, at: usize, is_such: impl Fn(usize) -> bool) -> usize {
    let behind = line.get(at..).unwrap_or_default().grapheme_indices(true);
    behind.map(|(from, _)| at + from).find(|from| !is_such(*from)).unwrap_or(line.len())
}

/// Skips clusters backwards while `is_such` holds for their start, and returns the start of the last one
/// skipped.
pub(crate) fn skip_back(line: &str, at: usize, is_such: impl Fn(usize) -> bool) -> usize {
    let before = line.get(..at).unwrap_or_default().grapheme_indices(true).rev();
    before.map(|(from, _)| from).take_while(|from| is_such(*from)).last().unwrap_or(at)
}

/// Whether a cluster begins or ends here.
pub(crate) fn is_boundary(line: &str, at: usize) -> bool {
    at == 0
        || at == line.len()
        || (line.is_char_boundary(at)
            && GraphemeCursor::new(at, line.len(), true).is_boundary(line, 0).unwrap_or(true))
}

/// This position if it is a boundary, else the next boundary.
pub(crate) fn at_or_after(line: &str, at: usize) -> usize {
    let at = line.floor_char_boundary(at);
    if is_boundary(line, at) { at } else { next(line, at) }
}

/// This position if it is a boundary, else the boundary before it.
pub(crate) fn at_or_before(line: &str, at: usize) -> usize {
    let at = line.floor_char_boundary(at);
    if is_boundary(line, at) { at } else { previous(line, at) }
}

/// What a cluster is, for finding words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClusterKind {
    Space,
    /// A letter, a digit, an underscore.
    Word,
    Sign,
}

/// The kind of the cluster that begins here; the end of a line counts as space.
pub(crate) fn kind(line: &str, at: usize) -> ClusterKind {
    match line.get(at..).and_then(|rest| rest.chars().next()) {
        None => ClusterKind::Space,
        Some(c) if c.is_whitespace() => ClusterKind::Space,
        Some(c) if c.is_alphanumeric() || c == '_' => ClusterKind::Word,
        Some(_) => ClusterKind::Sign,
    }
}

/// The columns of the line's text before this byte, in one long row.
pub(crate) fn column(line: &str, at: usize) -> usize {
    let before = line.get(..line.floor_char_boundary(at)).unwrap_or_default();
    if glyphs::is_plain(before) {
        return before.len();
    }
    glyphs::of(before, glyphs::Strictness::Code, glyphs::TAB).map(|glyph| glyph.width).sum()
}

/// The boundary at this column of one long row, or the one before it.
pub(crate) fn at_column(line: &str, column: usize) -> usize {
    let mut seen = 0;
    for glyph in glyphs::of(line, glyphs::Strictness::Code, glyphs::TAB) {
        if seen + glyph.width > column {
            return at_or_before(line, glyph.start);
        }
        seen += glyph.width;
    }
    line.len()
}

/// The spaces and tabs at the start of a line.
pub(crate) fn indent_of(line: &str) -> &str {
    let end = line.find(|c| !matches!(c, ' ' | '\t')).unwrap_or(line.len());
    line.get(..end).unwrap_or_default()
}

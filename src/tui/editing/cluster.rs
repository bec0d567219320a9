//! Where one character as people see it ends and the next begins, and what a word is. All places are bytes of a line.
//!
//! A character is an extended grapheme cluster: a family of emoji, a letter with its marks, a flag. Looking from one to the
//! next reads what is near it, however long the line is; but among flags, which are pairs of letters, it reads back to the
//! first of them. Whoever walks over many goes with [`skip`] or [`skip_back`], which read each once.

use crate::tui::paint::plain;
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation as _};

/// The nearest place at or before this one where a character of any kind begins: never inside the bytes of one.
pub(crate) fn floor(line: &str, at: usize) -> usize {
    let mut at = at.min(line.len());
    while !line.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The end of the cluster that begins here; the end of the line is its own.
pub(crate) fn next(line: &str, at: usize) -> usize {
    let at = floor(line, at);
    let bytes = line.as_bytes();
    // Two ASCII characters never join, but for a carriage return with what it stands before.
    if let (Some(here), Some(there)) = (bytes.get(at), bytes.get(at + 1))
        && here.is_ascii()
        && there.is_ascii()
        && *here != b'\r'
    {
        return at + 1;
    }
    GraphemeCursor::new(at, line.len(), true).next_boundary(line, 0).ok().flatten().unwrap_or(line.len())
}

/// The beginning of the cluster that ends here; the start of the line is its own.
pub(crate) fn previous(line: &str, at: usize) -> usize {
    let at = floor(line, at);
    GraphemeCursor::new(at, line.len(), true).prev_boundary(line, 0).ok().flatten().unwrap_or(0)
}

/// The first boundary from this one on at which no such cluster begins.
pub(crate) fn skip(line: &str, at: usize, is_such: impl Fn(usize) -> bool) -> usize {
    let behind = line.get(at..).unwrap_or_default().grapheme_indices(true);
    behind.map(|(from, _)| at + from).find(|from| !is_such(*from)).unwrap_or(line.len())
}

/// The first boundary, from this one backwards, before which no such cluster stands.
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

/// The boundary at this place, or the next one behind it.
pub(crate) fn at_or_after(line: &str, at: usize) -> usize {
    let at = floor(line, at);
    if is_boundary(line, at) { at } else { next(line, at) }
}

/// The boundary at this place, or the last one before it.
pub(crate) fn at_or_before(line: &str, at: usize) -> usize {
    let at = floor(line, at);
    if is_boundary(line, at) { at } else { previous(line, at) }
}

/// What a cluster is to words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClusterKind {
    Space,
    /// A letter, a digit, an underscore.
    Word,
    Sign,
}

/// What the cluster that begins here is; the end of a line is space.
pub(crate) fn kind(line: &str, at: usize) -> ClusterKind {
    match line.get(at..).and_then(|rest| rest.chars().next()) {
        None => ClusterKind::Space,
        Some(c) if c.is_whitespace() => ClusterKind::Space,
        Some(c) if c.is_alphanumeric() || c == '_' => ClusterKind::Word,
        Some(_) => ClusterKind::Sign,
    }
}

/// The columns that the beginning of a line takes, in one long row.
pub(crate) fn column(line: &str, at: usize) -> usize {
    let before = line.get(..floor(line, at)).unwrap_or_default();
    if plain::is_plain(before) {
        return before.len();
    }
    plain::glyphs(before, plain::Strictness::Code, plain::TAB).map(|glyph| glyph.width).sum()
}

/// The boundary at this column of one long row, or the last one before it.
pub(crate) fn at_column(line: &str, column: usize) -> usize {
    let mut seen = 0;
    for glyph in plain::glyphs(line, plain::Strictness::Code, plain::TAB) {
        if seen + glyph.width > column {
            return at_or_before(line, glyph.start);
        }
        seen += glyph.width;
    }
    line.len()
}

/// The blanks that a line begins with.
pub(crate) fn indent_of(line: &str) -> &str {
    let end = line.find(|c| !matches!(c, ' ' | '\t')).unwrap_or(line.len());
    line.get(..end).unwrap_or_default()
}

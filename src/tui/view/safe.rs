//! The only way from foreign text to what views draw: every text passes `paint::plain`, then it is cut or wrapped.

use crate::tui::paint::plain;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// A text on one line with nothing in it that could move the cursor, colour cells or reorder letters.
pub fn one_line(text: &str) -> String {
    plain::one_line(text)
}

/// The first `width` columns of a safe text; `...` says that something is missing.
pub fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let dots = ".".repeat(width.min(3));
    let mut room = width.saturating_sub(3);
    let mut kept = String::new();
    for grapheme in text.graphemes(true) {
        let w = grapheme.width();
        if w > room {
            break;
        }
        room -= w;
        kept.push_str(grapheme);
    }
    kept + &dots
}

/// A text in words on rows of at most `width` columns; each row is safe.
pub fn words(text: &str, width: usize, style: Style) -> Vec<Line<'static>> {
    text.split('\n').flat_map(|line| plain::wrap_words(&plain::spans(line, style), width)).collect()
}

/// The same with another beginning on the first row than on those below it.
pub fn hanging(first: Span<'static>, text: &str, width: usize, style: Style) -> Vec<Line<'static>> {
    let indent = first.content.width();
    let mut rows = words(text, width.saturating_sub(indent).max(1), style).into_iter();
    let mut out = Vec::new();
    let mut head = rows.next().unwrap_or_default();
    head.spans.insert(0, first);
    out.push(head);
    for mut row in rows {
        row.spans.insert(0, Span::raw(" ".repeat(indent)));
        out.push(row);
    }
    out
}

/// One line of code on rows of at most `width` columns, nothing cut off. `styles` colours byte ranges of the line.
pub fn code(line: &str, styles: &[(Range<usize>, Style)], base: Style, width: usize) -> Vec<Line<'static>> {
    plain::wrap_cells(&coloured(line, styles, base), width)
}

/// How many rows that would be.
pub fn code_rows(line: &str, width: usize) -> usize {
    let width = width.max(1);
    if line.bytes().all(|b| (0x20..0x7f).contains(&b)) {
        return line.len().div_ceil(width).max(1);
    }
    plain::wrap_cells(&plain::spans(line, Style::default()), width).len().max(1)
}

/// A line in safe spans, coloured by byte ranges; ranges that don't fit the text are passed over.
pub fn coloured(line: &str, styles: &[(Range<usize>, Style)], base: Style) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    let mut at = 0;
    for (range, style) in styles {
        let (Some(before), Some(piece)) = (line.get(at..range.start), line.get(range.clone())) else { continue };
        if !before.is_empty() {
            spans.extend(plain::spans_at(before, base, column(&spans)));
        }
        spans.extend(plain::spans_at(piece, base.patch(*style), column(&spans)));
        at = range.end;
    }
    if let Some(rest) = line.get(at..).filter(|r| !r.is_empty()) {
        spans.extend(plain::spans_at(rest, base, column(&spans)));
    }
    spans
}

fn column(spans: &[Span<'static>]) -> usize {
    spans.iter().map(|s| s.content.width()).sum()
}

//! Wraps one line of styled text into rows of a width. Nothing is cut off; every row knows which bytes it
//! shows.
//!
//! Code breaks anywhere between characters, prose between words. Widths are those of `glyphs`; this module never
//! inspects characters itself.

use super::glyphs::{self, Spans, Strictness};
use ratatui::layout::Alignment;
use ratatui::style::Style;
use ratatui::text::Line;
use std::ops::Range;

/// How a row continues the row above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joint {
    /// It does not: it begins a new line.
    None,
    /// The spaces between the two rows were left out.
    Blank,
    /// Nothing was left out between the two rows.
    Direct,
}

impl Joint {
    /// Reads how a row continues the one above. Rows store this in their `alignment`: it has no effect on rows
    /// drawn cell by cell, and inserting spans before the row does not change it.
    pub(crate) fn of(row: &Line<'_>) -> Self {
        match row.alignment {
            Some(Alignment::Left) => Joint::Blank,
            Some(Alignment::Right) => Joint::Direct,
            _ => Joint::None,
        }
    }

    fn store_in(self, row: &mut Line<'_>) {
        row.alignment = match self {
            Joint::None => None,
            Joint::Blank => Some(Alignment::Left),
            Joint::Direct => Some(Alignment::Right),
        };
    }
}

/// A row that fits its width.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WrappedRow {
    pub(crate) line: Line<'static>,
    /// The bytes of the source line that it shows.
    pub(crate) range: Range<usize>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct WrapOptions {
    /// The width in columns; less than 2 counts as 2 (the widest character).
    pub(crate) width: usize,
    pub(crate) strictness: Strictness,
    /// Break between words rather than anywhere.
    pub(crate) break_at_words: bool,
    /// Columns between tab stops.
    pub(crate) tab: usize,
    pub(crate) mark: Style,
}

impl WrapOptions {
    pub(crate) fn code(width: usize, mark: Style) -> Self {
        Self { width, strictness: Strictness::Code, break_at_words: false, tab: glyphs::TAB, mark }
    }

    pub(crate) fn prose(width: usize, mark: Style) -> Self {
        Self { width, strictness: Strictness::Text, break_at_words: true, tab: glyphs::TAB, mark }
    }
}

/// Wraps one line. `styles` are runs as (end byte, style), in order; text after the last run has the style of
/// the last, or none. An empty line gives one empty row.
pub(crate) fn rows(text: &str, styles: &[(usize, Style)], options: WrapOptions) -> Vec<WrappedRow> {
    let width = options.width.max(2);
    if !options.break_at_words && glyphs::is_plain(text) {
        return ascii_rows(text, styles, width);
    }
    let mut rows = Vec::new();
    let mut builder = Builder::default();
    let mut runs = styles.iter().peekable();
    let mut style = Style::default();
    for glyph in glyphs::of(text, options.strictness, options.tab) {
        while let Some((end, look)) = runs.peek() {
            style = *look;
            if glyph.start < *end {
                break;
            }
            runs.next();
        }
        let look = if glyph.marked { style.patch(options.mark) } else { style };
        let is_space = options.break_at_words && !glyph.marked && glyph.text.bytes().all(|b| b == b' ');
        if builder.broken {
            if is_space {
                builder.end = glyph.end;
                continue;
            }
            rows.push(builder.split(false));
        }
        if builder.columns + glyph.width > width && !builder.cells.is_empty() {
            if is_space {
                // Spaces at the end of a row are dropped, but their bytes are counted to the row.
                builder.end = glyph.end;
                builder.broken = true;
                continue;
            }
            rows.push(builder.split(options.break_at_words));
            while builder.columns + glyph.width > width && !builder.cells.is_empty() {
                rows.push(builder.split(false));
            }
        }
        for piece in pieces(&glyph.text, glyph.width, width) {
            if builder.columns + piece.1 > width && !builder.cells.is_empty() {
                rows.push(builder.split(false));
            }
            builder.push(piece.0, piece.1, look, is_space, (glyph.start, glyph.end));
        }
    }
    if !builder.cells.is_empty() || rows.is_empty() || builder.broken {
        rows.push(builder.split(false));
    }
    rows
}

/// The number of rows of a line, without making them.
pub(crate) fn count(text: &str, options: WrapOptions) -> usize {
    let plain = glyphs::is_plain(text);
    if plain && !options.break_at_words {
        return text.len().div_ceil(options.width.max(2)).max(1);
    }
    if plain && text.len() <= options.width {
        return 1;
    }
    rows(text, &[], options).len()
}

/// Splits a glyph that is wider than a row (a long escape, a tab); only ASCII ever is that wide.
fn pieces(text: &str, columns: usize, width: usize) -> impl Iterator<Item = (&str, usize)> {
    let whole = columns <= width || !text.is_ascii();
    let step = if whole { text.len().max(1) } else { width };
    (0..text.len().max(1)).step_by(step).filter_map(move |at| {
        let part = text.get(at..(at + step).min(text.len()))?;
        Some((part, if whole { columns } else { part.len() }))
    })
}

/// The row being built.
#[derive(Default)]
struct Builder {
    text: String,
    cells: Vec<WrapCell>,
    columns: usize,
    start: usize,
    end: usize,
    /// The row is full and spaces follow: the next word begins a new row.
    broken: bool,
    /// How the row continues the one before.
    joint: Option<Joint>,
}

struct WrapCell {
    /// Where the cell ends in the text of the row.
    upto: usize,
    width: usize,
    style: Style,
    is_space: bool,
    start: usize,
    end: usize,
}

impl Builder {
    fn push(&mut self, text: &str, width: usize, style: Style, is_space: bool, (start, end): (usize, usize)) {
        if self.cells.is_empty() {
            self.start = start;
        }
        self.columns += width;
        self.end = end;
        self.text.push_str(text);
        self.cells.push(WrapCell { upto: self.text.len(), width, style, is_space, start, end });
    }

    /// Cuts off a finished row: up to the last space (`at_word`), or everything.
    fn split(&mut self, at_word: bool) -> WrappedRow {
        let cut =
            if at_word { self.cells.iter().rposition(|cell| cell.is_space).map(|i| i + 1) } else { None };
        // Rather break a word than return a row that contains only the indent.
        let cut = cut.filter(|cut| self.cells.iter().take(*cut).any(|cell| !cell.is_space));
        let mut rest = self.cells.split_off(cut.unwrap_or(self.cells.len()));
        let row = &self.cells;
        let end = if cut.is_some() { row.last().map_or(self.end, |cell| cell.end) } else { self.end };
        let range = self.start..end;
        let taken = row.last().map_or(0, |cell| cell.upto);
        let mut spans = Spans::default();
        let mut from = 0;
        for (i, cell) in row.iter().enumerate() {
            let last_of_style = row.get(i + 1).is_none_or(|next| next.style != cell.style);
            if last_of_style {
                spans.push(self.text.get(from..cell.upto).unwrap_or_default(), cell.style);
                from = cell.upto;
            }
        }
        self.text.drain(..taken);
        for cell in &mut rest {
            cell.upto -= taken;
        }
        self.cells = rest;
        self.start = self.cells.first().map_or(end, |cell| cell.start);
        self.columns = self.cells.iter().map(|cell| cell.width).sum();
        let next = if self.broken { Joint::Blank } else { Joint::Direct };
        self.broken = false;
        let mut line = spans.finish();
        self.joint.replace(next).unwrap_or(Joint::None).store_in(&mut line);
        WrappedRow { line, range }
    }
}

/// Wraps printable ASCII anywhere, without inspecting single characters.
fn ascii_rows(text: &str, styles: &[(usize, Style)], width: usize) -> Vec<WrappedRow> {
    let mut rows = Vec::with_capacity(text.len() / width + 1);
    let mut runs = styles.iter().copied().peekable();
    let (mut at, mut style) = (0, Style::default());
    loop {
        let row_end = (at + width).min(text.len());
        let start = at;
        let mut spans = Spans::default();
        while at < row_end {
            while let Some((end, look)) = runs.peek() {
                style = *look;
                if at < *end {
                    break;
                }
                runs.next();
            }
            let run_end = runs.peek().map_or(row_end, |(end, _)| (*end).min(row_end));
            spans.push(text.get(at..run_end).unwrap_or_default(), style);
            at = run_end;
        }
        let mut line = spans.finish();
        (if start > 0 { Joint::Direct } else { Joint::None }).store_in(&mut line);
        rows.push(WrappedRow { line, range: start..row_end });
        if row_end == text.len() {
            return rows;
        }
    }
}

#[cfg(test)]
mod tests;

//! One row of output. Programs may go back into it and overwrite it, as on a terminal.
//!
//! Columns are counted character by character, as terminals do. Overwriting costs time in proportion to the
//! row; rows can only be overwritten while they are short ([`MAX_EDITABLE_BYTES`]), so the cost is bounded.

use crate::domain::Pen;
use std::ops::Range;
use unicode_width::UnicodeWidthChar as _;

/// The longest row, in bytes; longer text continues in the next row.
pub(super) const MAX_ROW_BYTES: usize = 64 << 10;
/// The most style changes in one row; after that, text continues in the next row.
const MAX_RUNS: usize = 4 << 10;
/// A row of more bytes can't be overwritten: no progress bar is that long.
pub(super) const MAX_EDITABLE_BYTES: usize = 4 << 10;
/// Columns between tab stops.
pub(crate) const TAB: usize = 8;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RowKind {
    #[default]
    Stdout,
    Stderr,
    /// A note of sayso about missing output.
    Note,
}

#[derive(Debug, Default)]
pub(super) struct OutputRow {
    pub(super) kind: RowKind,
    /// Whether the row was too long and continues in the next row of its stream.
    pub(super) goes_on: bool,
    text: String,
    /// The styles in order: the byte where each ends. Empty while the whole row has the default style.
    runs: Vec<(u32, Pen)>,
    pub(super) columns: usize,
}

/// A position to write at: a column and, if known, its byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CellPlace {
    pub(super) column: usize,
    pub(super) byte: Option<usize>,
}

impl OutputRow {
    pub(super) fn new(kind: RowKind) -> Self {
        Self { kind, ..Self::default() }
    }

    pub(super) fn note(text: String) -> Self {
        Self { kind: RowKind::Note, columns: text.len(), text, ..Self::default() }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The styles: the byte where each ends. Text after the last has the default style.
    pub(super) fn runs(&self) -> &[(u32, Pen)] {
        &self.runs
    }

    /// The approximate memory of the row, in bytes.
    pub(super) fn cost(&self) -> usize {
        self.text.capacity() + self.runs.capacity() * size_of::<(u32, Pen)>() + size_of::<Self>()
    }

    /// Frees spare memory: the row will not change any more.
    pub(super) fn settle(&mut self) {
        if self.text.capacity() > self.text.len() * 2 {
            self.text.shrink_to_fit();
        }
        self.runs.shrink_to_fit();
    }

    /// Writes a text at a position, over what is there; returns the position after it and the text that did not
    /// fit.
    pub(super) fn write<'a>(&mut self, at: CellPlace, text: &'a str, pen: Pen) -> (CellPlace, &'a str) {
        let mut at = at;
        if at.column > self.columns {
            let blanks = at.column - self.columns;
            if self.text.len() + blanks > MAX_ROW_BYTES {
                return (at, text);
            }
            self.append(&" ".repeat(blanks), blanks, Pen::default());
        }
        let mut text = text;
        if at.column < self.columns {
            (at, text) = self.overwrite(at, text, pen);
            if at.column < self.columns || text.is_empty() {
                return (at, text);
            }
        }
        let room = MAX_ROW_BYTES.saturating_sub(self.text.len());
        let last = self.runs.last().map_or(Pen::default(), |run| run.1);
        let room = if self.runs.len() >= MAX_RUNS && last != pen { 0 } else { room };
        let fits = if text.len() <= room { text.len() } else { text.floor_char_boundary(room) };
        let (now, rest) = text.split_at(fits);
        self.append(now, columns_of(now), pen);
        (CellPlace { column: self.columns, byte: None }, rest)
    }

    /// Appends a tab at the end of the row.
    pub(super) fn tab(&mut self, pen: Pen) {
        let width = TAB - self.columns % TAB;
        self.append("\t", width, pen);
    }

    /// Whether a tab fits after the last character.
    pub(super) fn has_room(&self) -> bool {
        self.text.len() < MAX_ROW_BYTES && self.runs.len() < MAX_RUNS
    }

    fn append(&mut self, text: &str, columns: usize, pen: Pen) {
        let start = self.text.len();
        self.text.push_str(text);
        self.columns += columns;
        let end = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        match self.runs.last_mut() {
            Some(last) if last.1 == pen => last.0 = end,
            None if pen == Pen::default() => {}
            None if start > 0 => {
                self.runs.push((u32::try_from(start).unwrap_or(u32::MAX), Pen::default()));
                self.runs.push((end, pen));
            }
            _ => {
                if end as usize > start {
                    self.runs.push((end, pen));
                }
            }
        }
    }

    /// Overwrites cells up to the end of the row; a wide cell that is half overwritten becomes blank. Returns the
    /// position after the text and the text that did not fit.
    fn overwrite<'a>(&mut self, at: CellPlace, text: &'a str, pen: Pen) -> (CellPlace, &'a str) {
        let (start, before) = match at.byte {
            Some(byte) => (byte, 0),
            None => self.seek(at.column),
        };
        let mut cells = Cells { text: &self.text, byte: start, column: at.column - before };
        let (mut column, mut fits) = (at.column, 0);
        let mut covered = (start, at.column - before);
        for (i, c) in text.char_indices() {
            let width = c.width().unwrap_or(0);
            if column >= self.columns {
                break;
            }
            while cells.column < column + width && cells.next().is_some() {}
            let now = (cells.byte, cells.column);
            let blank = now.1.saturating_sub(column + width);
            if self.text.len() - (now.0 - start) + before + i + c.len_utf8() + blank > MAX_ROW_BYTES {
                break;
            }
            covered = now;
            column += width;
            fits = i + c.len_utf8();
        }
        let (now, rest) = text.split_at(fits);
        if now.is_empty() {
            return (at, rest);
        }
        let new = format!("{:before$}{now}{:behind$}", "", "", behind = covered.1.saturating_sub(column));
        self.columns = self.columns.max(column);
        self.splice(start..covered.0, &new, pen);
        (CellPlace { column, byte: Some(start + before + now.len()) }, rest)
    }

    /// Erases everything from a column on.
    pub(super) fn erase_from(&mut self, column: usize) {
        if column >= self.columns {
            return;
        }
        let (byte, before) = self.seek(column);
        self.splice(byte..self.text.len(), &" ".repeat(before), Pen::default());
        self.columns = column;
    }

    /// Blanks everything up to a column, including it.
    pub(super) fn erase_to(&mut self, column: usize, pen: Pen) {
        let column = (column + 1).min(self.columns);
        let mut cells = Cells { text: &self.text, byte: 0, column: 0 };
        while cells.column < column && cells.next().is_some() {}
        let (byte, blanks) = (cells.byte, cells.column);
        self.splice(0..byte, &" ".repeat(blanks), pen);
    }

    /// The byte where the cell at a column begins, and how many columns before that column the cell begins.
    fn seek(&self, column: usize) -> (usize, usize) {
        if self.columns == self.text.len() && self.text.is_ascii() && !self.text.contains('\t') {
            return (column.min(self.text.len()), 0);
        }
        let mut cells = Cells { text: &self.text, byte: 0, column: 0 };
        // Combining marks before the first character belong to no cell.
        cells.marks();
        loop {
            let (byte, start) = (cells.byte, cells.column);
            if start >= column || cells.next().is_none() {
                return (byte, 0);
            }
            if cells.column > column {
                return (byte, column - start);
            }
        }
    }

    /// Replaces a range of the text.
    fn splice(&mut self, range: Range<usize>, new: &str, pen: Pen) {
        let had = self.text.len();
        self.text.replace_range(range.clone(), new);
        if self.runs.is_empty() && pen == Pen::default() {
            return;
        }
        let old = std::mem::take(&mut self.runs);
        let push = |runs: &mut Vec<(u32, Pen)>, end: usize, pen: Pen| {
            let end = u32::try_from(end).unwrap_or(u32::MAX);
            match runs.last_mut() {
                Some(last) if last.1 == pen => last.0 = last.0.max(end),
                Some(last) if last.0 >= end => {}
                None if end == 0 => {}
                _ => runs.push((end, pen)),
            }
        };
        let all = || {
            let last = old.last().map_or(0, |run| run.0 as usize);
            old.iter()
                .map(|(end, pen)| (*end as usize, *pen))
                .chain((last < had).then_some((had, Pen::default())))
        };
        let mut runs = Vec::with_capacity(old.len() + 2);
        let mut from = 0;
        for (end, pen) in all() {
            if from < range.start {
                push(&mut runs, end.min(range.start), pen);
            }
            from = end;
        }
        push(&mut runs, range.start + new.len(), pen);
        for (end, pen) in all().filter(|(end, _)| *end > range.end) {
            push(&mut runs, end - range.end + range.start + new.len(), pen);
        }
        self.runs = runs;
    }
}

/// Columns of a text without tabs.
fn columns_of(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(|c| c.width().unwrap_or(0)).sum() }
}

/// Iterates over the cells of a row: each a character with the marks after it.
struct Cells<'a> {
    text: &'a str,
    byte: usize,
    column: usize,
}

impl Cells<'_> {
    fn next(&mut self) -> Option<()> {
        let c = self.text.get(self.byte..)?.chars().next()?;
        self.byte += c.len_utf8();
        self.column += if c == '\t' { TAB - self.column % TAB } else { c.width().unwrap_or(0) };
        self.marks();
        Some(())
    }

    fn marks(&mut self) {
        let rest = self.text.get(self.byte..).unwrap_or_default();
        let marks = rest.chars().take_while(|c| *c != '\t' && c.width().unwrap_or(0) == 0);
        self.byte += marks.map(char::len_utf8).sum::<usize>();
    }
}

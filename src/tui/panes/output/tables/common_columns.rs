//! Finds the columns that lines have in common: screen columns that are blank, or hold a rule, in all of them.

use super::Table;
use crate::tui::paint::glyphs::{self, Strictness};
use crate::tui::paint::output::TAB;
use std::borrow::Cow;
use std::ops::Range;

/// How many screen columns of a line are searched for gaps; the rest belongs to the last column.
const MAX_COLUMNS: usize = 2_000;
/// How many gaps make a table: the first number where lines have different lengths; the second where all have the same
/// length, or where the gaps are ruled with bars.
const MIN_GAPS: (usize, usize) = (3, 2);

/// The screen columns that a line takes.
pub(super) fn columns(text: &str) -> usize {
    if glyphs::is_plain(text) {
        return text.len();
    }
    glyphs::of(text, Strictness::Text, TAB).map(|glyph| glyph.width).sum()
}

/// The content of a screen column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Blank,
    /// A vertical rule of a table.
    Bar,
    Text,
}

fn cells(text: &str) -> Vec<Cell> {
    let mut cells = Vec::new();
    for glyph in glyphs::of(text.trim_end(), Strictness::Text, TAB) {
        let cell = match glyph.text.as_ref() {
            text if text.trim().is_empty() => Cell::Blank,
            "|" | "+" | "│" | "┃" | "║" | "┆" | "┼" | "┬" | "┴" | "╪" | "╞" | "╡" | "├" | "┤" => {
                Cell::Bar
            }
            _ => Cell::Text,
        };
        cells.extend(std::iter::repeat_n(cell, glyph.width));
        if cells.len() > MAX_COLUMNS {
            cells.truncate(MAX_COLUMNS);
            break;
        }
    }
    cells
}

/// Whether a line contains no words: `---  ----`, `├──┼──┤`.
fn is_rule(text: &str) -> bool {
    let is_ruled =
        |c: char| c.is_whitespace() || "-=+|:_".contains(c) || ('\u{2500}'..='\u{257f}').contains(&c);
    !text.trim().is_empty() && text.chars().all(is_ruled)
}

/// What all lines of a possible table have in common.
pub(super) struct CommonColumns {
    cells: Vec<Cell>,
    width: usize,
    same_length: bool,
}

impl CommonColumns {
    pub(super) fn of(text: &str) -> Self {
        Self { cells: cells(text), width: columns(text.trim_end()), same_length: true }
    }

    /// Adds a line if its columns fit; returns whether they do.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let line = cells(text);
        // A single word before a table, or a sum after it, fits any gaps.
        if line.is_empty() || line.len() * 2 < self.cells.len() || self.cells.len() * 2 < line.len() {
            return false;
        }
        let both = |at| {
            let of = |cells: &[Cell]| cells.get(at).copied().unwrap_or(Cell::Blank);
            match (of(&self.cells), of(&line)) {
                (Cell::Text, _) | (_, Cell::Text) => Cell::Text,
                (Cell::Bar, Cell::Bar) => Cell::Bar,
                _ => Cell::Blank,
            }
        };
        let joined: Vec<Cell> = (0..self.cells.len().max(line.len())).map(both).collect();
        if gaps(&joined, false).len() < MIN_GAPS.1 {
            return false;
        }
        let width = columns(text.trim_end());
        self.same_length &= width == self.width;
        self.width = self.width.max(width);
        self.cells = joined;
        true
    }

    pub(super) fn table<'a>(
        &self,
        lines: Range<usize>,
        width: usize,
        text: impl Fn(usize) -> Cow<'a, str>,
    ) -> Option<Table> {
        let bars = self.cells.iter().filter(|cell| **cell == Cell::Bar).count();
        let is_table = match lines.len() {
            0 | 1 => false,
            n => {
                (self.same_length && gaps(&self.cells, false).len() >= MIN_GAPS.1)
                    || (n > 2 && (gaps(&self.cells, true).len() >= MIN_GAPS.0 || bars >= MIN_GAPS.1))
            }
        };
        let (wide, all) = (gaps(&self.cells, true), gaps(&self.cells, false));
        // Where columns are well separated, single blanks are inside of cells, unless all lines have the same length
        // and the columns on both sides have a name in the header.
        let is_named = |start: usize| {
            let place = all.iter().position(|one| *one == start)?;
            let before = place.checked_sub(1).and_then(|before| all.get(before));
            let behind = all.get(place + 1).copied().unwrap_or(self.width);
            let header = cells(&text(lines.start));
            let holds = |columns: Range<usize>| {
                header
                    .get(columns.start..columns.end.min(header.len()))
                    .is_some_and(|c| c.contains(&Cell::Text))
            };
            Some(holds(start..behind) && before.is_none_or(|before| holds(*before..start)))
        };
        let mut starts = match wide.len() >= MIN_GAPS.1 {
            true if self.same_length => {
                let named = |start: &usize| wide.contains(start) || is_named(*start) == Some(true);
                all.iter().copied().filter(named).collect()
            }
            true => wide,
            false => all.clone(),
        };
        let labels = starts.first().copied().filter(|start| start * 2 <= width).unwrap_or(0);
        if labels == 0 {
            starts.insert(0, 0);
        }
        let ruled = |line: usize| line < lines.end && is_rule(&text(line));
        let first = usize::from(ruled(lines.start)) + 1;
        let header = first + usize::from(ruled(lines.start + first));
        is_table.then(|| Table {
            header: header.min(lines.len()),
            lines,
            first_width: labels,
            starts,
            width: self.width,
        })
    }
}

/// Where columns begin after gaps common to all lines; `wide`: only after gaps of at least two blanks or with a bar.
fn gaps(cells: &[Cell], wide: bool) -> Vec<usize> {
    let Some(first) = cells.iter().position(|cell| *cell == Cell::Text) else { return Vec::new() };
    let mut starts = Vec::new();
    let mut gap: Option<usize> = None;
    for (at, cell) in cells.iter().enumerate().skip(first) {
        match (cell, gap) {
            (Cell::Text, Some(start)) => {
                let is_wide = at - start > 1 || cells.get(start) == Some(&Cell::Bar);
                if is_wide || !wide {
                    starts.push(at);
                }
                gap = None;
            }
            (Cell::Text, None) => {}
            (_, gap_start) => gap = gap_start.or(Some(at)),
        }
    }
    starts
}

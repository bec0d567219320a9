//! Finds the columns that lines have in common: screen columns that are blank, or hold a rule, in all of them.

use super::Table;
use crate::tui::paint::glyphs::{self, Strictness};
use crate::tui::paint::output::TAB;
use std::borrow::Cow;
use std::ops::Range;

/// How many screen columns of a line are searched for gaps; the rest belongs to the last column.
const MAX_COLUMNS: usize = 2_000;
/// How many gaps make a table: the first number where lines have different lengths; the second where all have the same
/// length and pad their cells, or where the gaps are ruled with bars.
const MIN_GAPS: (usize, usize) = (3, 2);

/// The screen columns that a line takes.
pub(super) fn columns(text: &str) -> usize {
    glyphs::columns(text, Strictness::Text, TAB)
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

/// Whether a word of a line is a number, a date or a time. Names can hold digits too: `p95`, `1K-blocks`.
fn holds_number(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        let digits = word.chars().filter(char::is_ascii_digit).count();
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        word.starts_with(|c: char| c.is_ascii_digit()) && digits >= letters
    })
}

/// What all lines of a possible table have in common.
pub(super) struct CommonColumns {
    cells: Vec<Cell>,
    /// Which screen columns are blank in at least one line.
    blanks: Vec<bool>,
    width: usize,
    same_length: bool,
}

impl CommonColumns {
    pub(super) fn of(text: &str) -> Self {
        let cells = cells(text);
        let blanks = cells.iter().map(|cell| *cell == Cell::Blank).collect();
        Self { cells, blanks, width: columns(text.trim_end()), same_length: true }
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
        self.blanks.resize(joined.len(), false);
        for (blank, cell) in self.blanks.iter_mut().zip(&line) {
            *blank |= *cell == Cell::Blank;
        }
        self.cells = joined;
        true
    }

    /// Whether a line pads a cell beside the gap before this screen column: beyond what all lines leave blank, more is
    /// blank there.
    fn is_padded(&self, start: usize) -> bool {
        let before = self.cells.iter().take(start).rposition(|cell| *cell == Cell::Text);
        before.into_iter().chain([start]).any(|at| self.blanks.get(at) == Some(&true))
    }

    /// How many of the first lines name the columns. A first line that no rule sets apart and that holds numbers is
    /// data, unless it leaves the place above the labels blank.
    fn header<'a>(&self, lines: &Range<usize>, text: impl Fn(usize) -> Cow<'a, str>) -> usize {
        let ruled = |line: usize| line < lines.end && is_rule(&text(line));
        let first = usize::from(ruled(lines.start)) + 1;
        let header = first + usize::from(ruled(lines.start + first));
        let names = text(lines.start);
        let labels = gaps(&self.cells, false).first().copied().unwrap_or(0);
        let is_blank_above = !cells(&names).iter().take(labels).any(|cell| *cell == Cell::Text);
        if header == 1 && holds_number(&names) && !is_blank_above { 0 } else { header.min(lines.len()) }
    }

    pub(super) fn table<'a>(
        &self,
        lines: Range<usize>,
        width: usize,
        text: impl Fn(usize) -> Cow<'a, str>,
    ) -> Option<Table> {
        let (wide, all) = (gaps(&self.cells, true), gaps(&self.cells, false));
        let bars = self.cells.iter().filter(|cell| **cell == Cell::Bar).count();
        // Lines that a program printed in one form have their single blanks in the same places, but pad nothing.
        let aligned = all.iter().filter(|start| wide.contains(*start) || self.is_padded(**start)).count();
        let is_table = match lines.len() {
            0 | 1 => false,
            n => {
                (self.same_length && aligned >= MIN_GAPS.1)
                    || (n > 2 && (wide.len() >= MIN_GAPS.0 || bars >= MIN_GAPS.1))
            }
        };
        // Where columns are well separated, single blanks are inside of cells, unless all lines have the same length
        // and the columns on both sides have a name in the header.
        let is_named = |start: usize| {
            let place = all.iter().position(|one| *one == start)?;
            let before = place.checked_sub(1).and_then(|before| all.get(before));
            let behind = all.get(place + 1).copied().unwrap_or(self.width);
            let header = cells(&text(lines.start));
            let has_text = |columns: Range<usize>| {
                header
                    .get(columns.start..columns.end.min(header.len()))
                    .is_some_and(|c| c.contains(&Cell::Text))
            };
            Some(has_text(start..behind) && before.is_none_or(|before| has_text(*before..start)))
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
        is_table.then(|| Table {
            header: self.header(&lines, &text),
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

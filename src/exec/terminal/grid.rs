//! The cells of one screen, and its cursor: writes and moves cells, and moves the cursor; `erasure` erases. Pure.
//!
//! Every operation costs at most as much as the screen has cells, and never reaches outside of it, whatever its
//! parameters are.

pub(super) mod erasure;

use crate::domain::{Pen, ScreenCell, ScreenRow};
use std::sync::Arc;
use unicode_width::UnicodeWidthChar as _;

/// How many combining marks a character keeps.
const MAX_MARKS: usize = 6;
/// The largest number of rows and columns.
pub(super) const MAX_SIZE: (u16, u16) = (500, 1000);

/// A screen of cells.
#[derive(Clone, Debug, Default)]
pub(super) struct Grid {
    rows: Vec<ScreenRow>,
    columns: usize,
    /// The position of the cursor.
    row: usize,
    column: usize,
    /// Whether the last column was written, so that the next character starts a new row.
    is_full: bool,
    /// The scroll region: its first and last row.
    region: (usize, usize),
}

impl Grid {
    pub(super) fn new(rows: u16, columns: u16) -> Self {
        let (rows, columns) = bounded(rows, columns);
        let row = blank_row(columns, Pen::default());
        Self { rows: vec![row; rows], columns, row: 0, column: 0, is_full: false, region: (0, rows - 1) }
    }

    pub(super) fn rows(&self) -> &[ScreenRow] {
        &self.rows
    }

    /// Row and column of the cursor.
    pub(super) fn cursor(&self) -> (usize, usize) {
        (self.row, self.column)
    }

    /// Changes the size. Rows below the cursor are removed first, then those at the top. Rows are not rewrapped.
    pub(super) fn resize(&mut self, rows: u16, columns: u16) {
        let (rows, columns) = bounded(rows, columns);
        self.rows.truncate(rows.max(self.row + 1));
        let over = self.rows.len().saturating_sub(rows);
        self.rows.drain(..over);
        self.row -= over.min(self.row);
        if columns != self.columns {
            for row in &mut self.rows {
                let row = Arc::make_mut(row);
                row.resize(columns, ScreenCell::blank(Pen::default()));
                mend(row);
            }
        }
        self.columns = columns;
        self.rows.resize(rows, blank_row(columns, Pen::default()));
        self.column = self.column.min(columns - 1);
        (self.is_full, self.region) = (false, (0, rows - 1));
    }

    /// Writes a character at the cursor. A character without width is added to the previous one.
    pub(super) fn write(&mut self, c: char, pen: Pen, wraps: bool, inserts: bool) {
        let width = c.width().unwrap_or(0).min(2);
        if width == 0 {
            return self.mark(c);
        }
        if width > self.columns {
            return;
        }
        if self.is_full || self.column + width > self.columns {
            if wraps {
                self.column = 0;
                self.line_feed(pen);
            } else {
                self.column = self.columns - width;
            }
            self.is_full = false;
        }
        if inserts {
            self.shift_cells(width, pen, false);
        }
        let (from, to) = (self.column, self.column + width);
        let row = self.own_row();
        // If half of a wide character is overwritten, its other half becomes blank.
        if let Some(cell) = row.get(to).filter(|cell| cell.width == 0) {
            let blank = ScreenCell::blank(cell.pen);
            set(row, to, blank);
        }
        if from > 0 && row.get(from).is_some_and(|cell| cell.width == 0) {
            let blank = ScreenCell::blank(row.get(from - 1).map(|cell| cell.pen).unwrap_or_default());
            set(row, from - 1, blank);
        }
        set(row, from, ScreenCell { character: c, marks: None, width: u8::from(width == 2) + 1, pen });
        if width == 2 {
            set(row, from + 1, ScreenCell { width: 0, ..ScreenCell::blank(pen) });
        }
        self.is_full = to >= self.columns;
        self.column = to.min(self.columns - 1);
    }

    fn mark(&mut self, c: char) {
        let behind = if self.is_full { self.column + 1 } else { self.column };
        let row = self.own_row();
        let is_half = behind.checked_sub(1).and_then(|at| row.get(at)).is_some_and(|cell| cell.width == 0);
        let Some(cell) = behind.checked_sub(1 + usize::from(is_half)).and_then(|at| row.get_mut(at)) else {
            return;
        };
        let marks = cell.marks.take().unwrap_or_default().into_string();
        let is_room = marks.chars().count() < MAX_MARKS;
        cell.marks = Some(if is_room { marks + c.encode_utf8(&mut [0; 4]) } else { marks }.into_boxed_str());
    }

    /// Moves the cursor to a row and a column, at most to the last ones: it is never outside of the screen.
    pub(super) fn go_to(&mut self, row: usize, column: usize) {
        self.row = row.min(self.rows.len() - 1);
        self.column = column.min(self.columns - 1);
        self.is_full = false;
    }

    /// Moves the cursor to a row and column from an escape sequence. With `from_region`, rows are relative to the
    /// scroll region and stay inside it.
    pub(super) fn address(&mut self, row: usize, column: usize, from_region: bool) {
        let (top, bottom) = self.region;
        let row = if from_region { row.saturating_add(top).min(bottom) } else { row };
        self.go_to(row, column);
    }

    /// The position of the cursor, as an escape sequence would give it.
    pub(super) fn addressed(&self, from_region: bool) -> (usize, usize) {
        let above = if from_region { self.region.0 } else { 0 };
        (self.row.saturating_sub(above), self.column)
    }

    /// Moves the cursor down (or up, if negative); it stays within the scroll region if it is inside.
    pub(super) fn go_down(&mut self, by: isize) {
        let (top, bottom) = self.region;
        let last = self.rows.len() - 1;
        let least = if self.row >= top { top } else { 0 };
        let most = if self.row <= bottom { bottom } else { last };
        self.go_to(self.row.saturating_add_signed(by).clamp(least, most), self.column);
    }

    /// Moves the cursor to the right (or left, if negative).
    pub(super) fn go_right(&mut self, by: isize) {
        self.go_to(self.row, self.column.saturating_add_signed(by));
    }

    /// Moves the cursor one row down; scrolls at the end of the scroll region.
    pub(super) fn line_feed(&mut self, pen: Pen) {
        if self.row == self.region.1 {
            self.scroll(1, pen, true);
        } else {
            self.row = (self.row + 1).min(self.rows.len() - 1);
        }
        self.is_full = false;
    }

    /// Moves the cursor one row up; scrolls back at the start of the scroll region.
    pub(super) fn reverse_line_feed(&mut self, pen: Pen) {
        if self.row == self.region.0 {
            self.scroll(1, pen, false);
        } else {
            self.row = self.row.saturating_sub(1);
        }
        self.is_full = false;
    }

    /// Sets the first and the last row of the scroll region. Returns false if they are invalid.
    pub(super) fn set_region(&mut self, top: usize, bottom: usize) -> bool {
        let bottom = bottom.min(self.rows.len() - 1);
        if top < bottom {
            self.region = (top, bottom);
        }
        top < bottom
    }

    /// Moves the rows of the scroll region up or down; blank ones take the free place.
    pub(super) fn scroll(&mut self, by: usize, pen: Pen, up: bool) {
        self.shift(self.region.0, by, pen, up);
    }

    /// Moves the rows of the scroll region from the cursor on: down, behind blank ones, or up, over those that are
    /// deleted.
    pub(super) fn shift_rows(&mut self, by: usize, pen: Pen, up: bool) {
        if (self.region.0..=self.region.1).contains(&self.row) {
            self.shift(self.row, by, pen, up);
            self.is_full = false;
        }
    }

    fn shift(&mut self, from: usize, by: usize, pen: Pen, up: bool) {
        let blank = blank_row(self.columns, pen);
        if let Some(rows) = self.rows.get_mut(from..=self.region.1) {
            shift(rows, by, blank, up);
        }
    }

    /// Moves the rest of the row from the cursor on: to the right, behind blank cells, or to the left, over those that
    /// are deleted.
    pub(super) fn shift_cells(&mut self, by: usize, pen: Pen, left: bool) {
        let at = self.column;
        let row = self.own_row();
        if let Some(cells) = row.get_mut(at..) {
            shift(cells, by, ScreenCell::blank(pen), left);
        }
        mend(row);
        self.is_full = false;
    }

    /// The text on the screen, without blanks at the ends of rows and without blank rows at the end.
    pub(super) fn text(&self) -> String {
        let rows = self.rows.iter().map(|row| {
            let mut text = String::new();
            for cell in row.iter().filter(|cell| cell.width > 0) {
                text.push(cell.character);
                text.extend(cell.marks.iter().map(|marks| &**marks));
            }
            text.truncate(text.trim_end().len());
            text
        });
        let text = rows.collect::<Vec<_>>().join("\n");
        text.trim_end().to_owned()
    }

    fn own_row(&mut self) -> &mut Vec<ScreenCell> {
        let last = self.rows.len().saturating_sub(1);
        // Never out of bounds: a screen has at least one row.
        Arc::make_mut(&mut self.rows[self.row.min(last)])
    }
}

fn bounded(rows: u16, columns: u16) -> (usize, usize) {
    (rows.clamp(1, MAX_SIZE.0).into(), columns.clamp(1, MAX_SIZE.1).into())
}

fn blank_row(columns: usize, pen: Pen) -> ScreenRow {
    Arc::new(vec![ScreenCell::blank(pen); columns])
}

/// Moves rows or cells to the front or to the back of their place, and fills what becomes free.
fn shift<T: Clone>(place: &mut [T], by: usize, blank: T, to_front: bool) {
    let by = by.min(place.len());
    let free = if to_front {
        place.rotate_left(by);
        place.len() - by..place.len()
    } else {
        place.rotate_right(by);
        0..by
    };
    if let Some(free) = place.get_mut(free) {
        free.fill(blank);
    }
}

fn set(row: &mut [ScreenCell], at: usize, cell: ScreenCell) {
    if let Some(place) = row.get_mut(at) {
        *place = cell;
    }
}

/// Blanks the halves of wide characters whose other half is gone.
fn mend(row: &mut [ScreenCell]) {
    let mut before = 1;
    for at in 0..row.len() {
        let next = row.get(at + 1).map_or(1, |cell| cell.width);
        let Some(cell) = row.get_mut(at) else { return };
        let is_broken = match cell.width {
            0 => before != 2,
            2 => next != 0,
            _ => false,
        };
        if is_broken {
            *cell = ScreenCell::blank(cell.pen);
        }
        before = cell.width;
    }
}

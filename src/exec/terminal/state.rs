//! The state of a terminal: both screens, modes, saved cursors, and answers to send. Pure.

use super::grid::Grid;
use super::grid::erasure::EraseRange;
use super::tab_stops::TabStops;
use crate::domain::{MouseReports, Pen, TerminalScreen};
use unicode_width::UnicodeWidthChar as _;

/// How many bytes of answers may wait. A program that asks for more without reading gets no answer.
const MAX_ANSWER_BYTES: usize = 1 << 10;

/// A saved cursor, with its way of writing.
#[derive(Clone, Copy, Debug, Default)]
struct SavedCursor {
    row: usize,
    column: usize,
    pen: Pen,
    draws_lines: [bool; 2],
    set: usize,
    from_region: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct TerminalState {
    pub(super) normal: Grid,
    pub(super) alternate: Grid,
    pub(super) is_alternate: bool,
    pub(super) pen: Pen,
    /// Whether the first and second character sets are the line-drawing set; below, which of them is active.
    pub(super) draws_lines: [bool; 2],
    pub(super) set: usize,
    saved: [SavedCursor; 2],
    pub(super) wraps: bool,
    pub(super) inserts: bool,
    /// Whether rows are relative to the scroll region, and the cursor stays inside it.
    pub(super) from_region: bool,
    pub(super) stops: TabStops,
    pub(super) hides_cursor: bool,
    pub(super) application_cursor: bool,
    pub(super) bracketed_paste: bool,
    pub(super) mouse: MouseReports,
    pub(super) mouse_in_numbers: bool,
    pub(super) last: Option<char>,
    pub(super) answers: Vec<u8>,
    /// Whether the terminal switched between its screens since this was last taken.
    pub(super) switched: bool,
    /// The text of the alternate screen when the program left it.
    pub(super) last_screen: Option<String>,
}

impl TerminalState {
    pub(super) fn new(rows: u16, columns: u16) -> Self {
        let grid = Grid::new(rows, columns);
        Self { normal: grid.clone(), alternate: grid, wraps: true, ..Self::default() }
    }

    pub(super) fn resize(&mut self, rows: u16, columns: u16) {
        self.normal.resize(rows, columns);
        self.alternate.resize(rows, columns);
    }

    pub(super) fn screen(&self) -> TerminalScreen {
        let grid = if self.is_alternate { &self.alternate } else { &self.normal };
        let (row, column) = grid.cursor();
        let at = |place| u16::try_from(place).unwrap_or(u16::MAX);
        TerminalScreen {
            rows: grid.rows().to_vec(),
            cursor: (!self.hides_cursor).then(|| (at(row), at(column))),
            is_alternate: self.is_alternate,
            application_cursor: self.application_cursor,
            bracketed_paste: self.bracketed_paste,
            mouse: self.mouse,
            mouse_in_numbers: self.mouse_in_numbers,
        }
    }

    /// Takes the text of the alternate screen: as it was when the program left it, else as it is now.
    pub(super) fn take_last_screen(&mut self) -> Option<String> {
        let now = self.is_alternate.then(|| self.alternate.text());
        self.last_screen.take().or(now)
    }

    pub(super) fn grid(&mut self) -> &mut Grid {
        if self.is_alternate { &mut self.alternate } else { &mut self.normal }
    }

    pub(super) fn answer(&mut self, answer: &str) {
        if self.answers.len() + answer.len() <= MAX_ANSWER_BYTES {
            self.answers.extend_from_slice(answer.as_bytes());
        }
    }

    pub(super) fn save_cursor(&mut self) {
        let (row, column) = self.grid().cursor();
        let (pen, draws_lines, set, from_region) = (self.pen, self.draws_lines, self.set, self.from_region);
        let saved = SavedCursor { row, column, pen, draws_lines, set, from_region };
        let [normal, alternate] = &mut self.saved;
        *(if self.is_alternate { alternate } else { normal }) = saved;
    }

    pub(super) fn restore_cursor(&mut self) {
        let [normal, alternate] = self.saved;
        let saved = if self.is_alternate { alternate } else { normal };
        (self.pen, self.draws_lines, self.set) = (saved.pen, saved.draws_lines, saved.set);
        self.from_region = saved.from_region;
        self.grid().go_to(saved.row, saved.column);
    }

    pub(super) fn switch(&mut self, to_alternate: bool) {
        if self.is_alternate != to_alternate {
            if self.is_alternate {
                self.last_screen = Some(self.alternate.text());
            }
            (self.is_alternate, self.switched) = (to_alternate, true);
        }
    }

    /// Switches to the alternate screen and clears it. The cursor keeps its position.
    pub(super) fn enter(&mut self) {
        let (row, column) = self.grid().cursor();
        self.switch(true);
        let pen = self.pen;
        self.alternate.erase_on_screen(EraseRange::All, pen);
        self.alternate.go_to(row, column);
    }

    /// Resets the terminal to its initial state.
    pub(super) fn reset(&mut self) {
        self.switch(false);
        let rows = self.normal.rows();
        let (height, width) = (rows.len(), rows.first().map_or(1, |row| row.len()));
        let size = |length| u16::try_from(length).unwrap_or(u16::MAX);
        let fresh = Self::new(size(height), size(width));
        let before = std::mem::replace(self, fresh);
        (self.answers, self.switched, self.last_screen) =
            (before.answers, before.switched, before.last_screen);
    }

    pub(super) fn write(&mut self, c: char) {
        let (pen, wraps, inserts) = (self.pen, self.wraps, self.inserts);
        self.grid().write(c, pen, wraps, inserts);
        if c.width().unwrap_or(0) > 0 {
            self.last = Some(c);
        }
    }
}

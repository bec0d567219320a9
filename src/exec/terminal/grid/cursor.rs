//! Moves the cursor, as escape sequences address it: never outside of the screen.

use super::Grid;

impl Grid {
    /// Moves the cursor to a row and a column, at most to the last ones.
    pub(in crate::exec::terminal) fn go_to(&mut self, row: usize, column: usize) {
        self.row = row.min(self.rows.len() - 1);
        self.column = column.min(self.columns - 1);
        self.is_full = false;
    }

    /// Moves the cursor to a row and column from an escape sequence. With `from_region`, rows are relative to the
    /// scroll region and stay inside it.
    pub(in crate::exec::terminal) fn address(&mut self, row: usize, column: usize, from_region: bool) {
        let (top, bottom) = self.region;
        let row = if from_region { row.saturating_add(top).min(bottom) } else { row };
        self.go_to(row, column);
    }

    /// The position of the cursor, as an escape sequence would give it.
    pub(in crate::exec::terminal) fn addressed(&self, from_region: bool) -> (usize, usize) {
        let above = if from_region { self.region.0 } else { 0 };
        (self.row.saturating_sub(above), self.column)
    }

    /// Moves the cursor down (or up, if negative); it stays within the scroll region if it is inside.
    pub(in crate::exec::terminal) fn go_down(&mut self, by: isize) {
        let (top, bottom) = self.region;
        let last = self.rows.len() - 1;
        let least = if self.row >= top { top } else { 0 };
        let most = if self.row <= bottom { bottom } else { last };
        self.go_to(self.row.saturating_add_signed(by).clamp(least, most), self.column);
    }

    /// Moves the cursor to the right (or left, if negative).
    pub(in crate::exec::terminal) fn go_right(&mut self, by: isize) {
        self.go_to(self.row, self.column.saturating_add_signed(by));
    }
}

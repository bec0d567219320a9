//! Erases cells: some from the cursor on, or a part of the cursor's row or of the screen.

use super::{Grid, blank_row, mend};
use crate::domain::{Pen, ScreenCell};

/// Which part of a row or screen to erase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::exec::terminal) enum EraseRange {
    /// From the cursor to the end.
    After,
    /// From the start to the cursor, inclusive.
    Before,
    All,
}

impl EraseRange {
    /// The part for the parameter of an escape sequence.
    pub(in crate::exec::terminal) fn of(parameter: u16) -> Option<Self> {
        match parameter {
            0 => Some(Self::After),
            1 => Some(Self::Before),
            2 => Some(Self::All),
            _ => None,
        }
    }
}

impl Grid {
    /// Erases this many cells from the cursor on.
    pub(in crate::exec::terminal) fn erase_cells(&mut self, by: usize, pen: Pen) {
        self.erase(self.column, self.column.saturating_add(by), pen);
    }

    /// Erases a part of the cursor's row.
    pub(in crate::exec::terminal) fn erase_in_row(&mut self, part: EraseRange, pen: Pen) {
        match part {
            EraseRange::After => self.erase(self.column, self.columns, pen),
            EraseRange::Before => self.erase(0, self.column + 1, pen),
            EraseRange::All => self.erase(0, self.columns, pen),
        }
    }

    fn erase(&mut self, from: usize, to: usize, pen: Pen) {
        let to = to.min(self.columns);
        let row = self.own_row();
        row.iter_mut().take(to).skip(from).for_each(|cell| *cell = ScreenCell::blank(pen));
        mend(row);
        self.is_full = false;
    }

    pub(in crate::exec::terminal) fn erase_on_screen(&mut self, part: EraseRange, pen: Pen) {
        if part != EraseRange::All {
            self.erase_in_row(part, pen);
        }
        let blank = blank_row(self.columns, pen);
        let (from, to) = match part {
            EraseRange::After => (self.row + 1, self.rows.len()),
            EraseRange::Before => (0, self.row),
            EraseRange::All => (0, self.rows.len()),
        };
        self.rows.iter_mut().take(to).skip(from).for_each(|row| *row = blank.clone());
        self.is_full = false;
    }
}

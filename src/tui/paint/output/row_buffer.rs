//! Stores the rows of an output: the first and the last ones, within limits of rows and memory.
//!
//! Rows are numbered from 0 in the order in which they began, and keep their numbers. Only the last
//! [`WINDOW_ROWS`] rows can be changed; those before them are settled.

use super::row::OutputRow;
use std::collections::VecDeque;

/// How many rows a program can go back to.
const WINDOW_ROWS: u64 = 64;

/// The limits of one end of the output, in rows and bytes of memory; the one reached first counts.
struct RowLimits {
    rows: usize,
    bytes: usize,
}

const HEAD_LIMITS: RowLimits = RowLimits { rows: 2_000, bytes: 1 << 20 };
const TAIL_LIMITS: RowLimits = RowLimits { rows: 8_000, bytes: 4 << 20 };

#[derive(Debug, Default)]
pub(super) struct RowBuffer {
    head: Vec<OutputRow>,
    tail: VecDeque<OutputRow>,
    /// How many rows between head and tail were dropped.
    pub(super) gone: u64,
    /// Rows below this number are settled, and counted in the two sums of bytes.
    pub(super) settled: u64,
    head_bytes: usize,
    tail_bytes: usize,
}

pub(super) enum LineView<'a> {
    Row(&'a OutputRow),
    /// The line that says how many rows are left out.
    LeftOut,
}

impl RowBuffer {
    /// The number of lines, including the one about left-out rows.
    pub(super) fn lines(&self) -> usize {
        self.head.len() + usize::from(self.gone > 0) + self.tail.len()
    }

    /// The number that the next row gets.
    pub(super) fn next(&self) -> u64 {
        (self.head.len() + self.tail.len()) as u64 + self.gone
    }

    /// Returns the content of a line.
    pub(super) fn line_view(&self, line: usize) -> Option<LineView<'_>> {
        let Some(behind) = line.checked_sub(self.head.len()) else {
            return self.head.get(line).map(LineView::Row);
        };
        match (self.gone, behind) {
            (0, at) => self.tail.get(at).map(LineView::Row),
            (_, 0) => Some(LineView::LeftOut),
            (_, at) => self.tail.get(at - 1).map(LineView::Row),
        }
    }

    /// The line of a row. With `moved` (rows were dropped since): the first line that moved.
    pub(super) fn line_of(&self, id: u64, moved: bool) -> u64 {
        let head = self.head.len() as u64;
        if moved || id < head {
            return id.min(head);
        }
        id.saturating_sub(self.gone) + u64::from(self.gone > 0)
    }

    /// The number of the row in a line; the line about left-out rows has the number of the first of them.
    pub(super) fn number(&self, line: usize) -> usize {
        let gone = usize::try_from(self.gone).unwrap_or(usize::MAX);
        match line.checked_sub(self.head.len()) {
            Some(behind) if gone > 0 && behind > 0 => line.saturating_add(gone - 1),
            _ => line,
        }
    }

    /// The line of the row with this number, or the line about left-out rows.
    pub(super) fn line_with(&self, number: usize) -> usize {
        let gone = usize::try_from(self.gone).unwrap_or(usize::MAX);
        match number.checked_sub(self.head.len()) {
            Some(behind) if gone > 0 => number - behind.min(gone - 1),
            _ => number,
        }
    }

    /// Finds a row by its number.
    pub(super) fn row(&self, id: u64) -> Option<&OutputRow> {
        let head = self.head.len() as u64;
        if id < head {
            return self.head.get(usize::try_from(id).ok()?);
        }
        self.tail.get(usize::try_from(id.checked_sub(head + self.gone)?).ok()?)
    }

    pub(super) fn row_mut(&mut self, id: u64) -> Option<&mut OutputRow> {
        let head = self.head.len() as u64;
        if id < head {
            return self.head.get_mut(usize::try_from(id).ok()?);
        }
        self.tail.get_mut(usize::try_from(id.checked_sub(head + self.gone)?).ok()?)
    }

    /// Adds a row and returns its number.
    pub(super) fn add(&mut self, row: OutputRow) -> u64 {
        let id = self.next();
        let starts = self.tail.is_empty() && self.gone == 0;
        if starts && self.head.len() < HEAD_LIMITS.rows && self.head_bytes < HEAD_LIMITS.bytes {
            self.head.push(row);
        } else {
            self.tail.push_back(row);
        }
        while self.settled + WINDOW_ROWS <= id {
            let in_head = self.settled < self.head.len() as u64;
            let cost = self.row_mut(self.settled).map_or(0, |row| {
                row.settle();
                row.cost()
            });
            *(if in_head { &mut self.head_bytes } else { &mut self.tail_bytes }) += cost;
            self.settled += 1;
        }
        while self.tail.len() > TAIL_LIMITS.rows || self.tail_bytes > TAIL_LIMITS.bytes {
            let Some(row) = self.tail.pop_front() else { break };
            self.tail_bytes = self.tail_bytes.saturating_sub(row.cost());
            self.gone += 1;
        }
        id
    }

    /// Removes the last row; the caller guarantees that it is not settled.
    pub(super) fn pop(&mut self) {
        if self.tail.pop_back().is_none() {
            self.head.pop();
        }
    }

    /// The approximate memory of all rows, in bytes.
    #[cfg(test)]
    pub(super) fn cost(&self) -> usize {
        self.head.iter().chain(&self.tail).map(OutputRow::cost).sum()
    }
}

//! The columns at which tabs stop: every eighth, until a program sets others. Pure.

use super::grid::MAX_SIZE;

/// Columns from one stop to the next at the start.
const TAB_WIDTH: usize = 8;

/// Of each column whether tabs stop there.
#[derive(Clone, Debug)]
pub(super) struct TabStops(Vec<bool>);

impl Default for TabStops {
    fn default() -> Self {
        Self((0..usize::from(MAX_SIZE.1)).map(|column| column % TAB_WIDTH == 0).collect())
    }
}

impl TabStops {
    /// They stop at this column from now on.
    pub(super) fn set(&mut self, column: usize) {
        self.0.iter_mut().skip(column).take(1).for_each(|stops| *stops = true);
    }

    /// They don't stop at this column any more.
    pub(super) fn clear(&mut self, column: usize) {
        self.0.iter_mut().skip(column).take(1).for_each(|stops| *stops = false);
    }

    pub(super) fn clear_all(&mut self) {
        self.0.fill(false);
    }

    /// The stop so many further on; where there are fewer, beyond each screen.
    pub(super) fn after(&self, column: usize, count: usize) -> usize {
        let stops = self.0.iter().enumerate().skip(column + 1).filter(|(_, stops)| **stops);
        stops.map(|(at, _)| at).nth(count.saturating_sub(1)).unwrap_or(usize::MAX)
    }

    /// The stop so many further back; where there are fewer, the first column.
    pub(super) fn before(&self, column: usize, count: usize) -> usize {
        let stops = self.0.iter().enumerate().take(column).rev().filter(|(_, stops)| **stops);
        stops.map(|(at, _)| at).nth(count.saturating_sub(1)).unwrap_or(0)
    }
}

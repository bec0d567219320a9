//! The tab stops: every eighth column, until a program sets others. Pure.

use super::grid::MAX_SIZE;

/// The initial distance between tab stops.
const TAB_WIDTH: usize = 8;

/// For each column, whether it has a tab stop.
#[derive(Clone, Debug)]
pub(super) struct TabStops(Vec<bool>);

impl Default for TabStops {
    fn default() -> Self {
        Self((0..usize::from(MAX_SIZE.1)).map(|column| column % TAB_WIDTH == 0).collect())
    }
}

impl TabStops {
    /// Sets a tab stop in this column.
    pub(super) fn set(&mut self, column: usize) {
        self.0.iter_mut().skip(column).take(1).for_each(|stops| *stops = true);
    }

    /// Clears the tab stop in this column.
    pub(super) fn clear(&mut self, column: usize) {
        self.0.iter_mut().skip(column).take(1).for_each(|stops| *stops = false);
    }

    pub(super) fn clear_all(&mut self) {
        self.0.fill(false);
    }

    /// The `count`-th tab stop after this column; if there are fewer, a column beyond any screen.
    pub(super) fn after(&self, column: usize, count: usize) -> usize {
        let stops = self.0.iter().enumerate().skip(column + 1).filter(|(_, stops)| **stops);
        stops.map(|(at, _)| at).nth(count.saturating_sub(1)).unwrap_or(usize::MAX)
    }

    /// The `count`-th tab stop before this column; if there are fewer, the first column.
    pub(super) fn before(&self, column: usize, count: usize) -> usize {
        let stops = self.0.iter().enumerate().take(column).rev().filter(|(_, stops)| **stops);
        stops.map(|(at, _)| at).nth(count.saturating_sub(1)).unwrap_or(0)
    }
}

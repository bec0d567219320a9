//! What a frame put on screen for the mouse: the keys that can be clicked, and the tabs.

use crate::tui::action::Action;
use crate::tui::widgets::layout::Pane;
use std::ops::Range;

/// A place in one row that can be clicked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit<T> {
    pub row: u16,
    pub columns: Range<u16>,
    pub what: T,
}

/// All places of a frame that can be clicked.
#[derive(Clone, Debug, Default)]
pub struct Hits {
    /// Keys of the last row.
    pub buttons: Vec<Hit<Action>>,
    /// Panes whose tabs stand in the first row.
    pub tabs: Vec<Hit<Pane>>,
    /// Prompts that an empty conversation suggests, by their number.
    pub prompts: Vec<Hit<usize>>,
}

/// The place at a column and a row.
pub(crate) fn hit<T: Clone>(all: &[Hit<T>], column: u16, row: u16) -> Option<Hit<T>> {
    all.iter().find(|hit| hit.row == row && hit.columns.contains(&column)).cloned()
}

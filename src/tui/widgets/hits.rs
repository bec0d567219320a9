//! What a frame put on screen for the mouse: the keys that can be clicked, and the tabs.

use crate::tui::action::Action;
use crate::tui::widgets::layout::Pane;
use ratatui::layout::Rect;
use std::ops::Range;

/// A place in one row that can be clicked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClickTarget<T> {
    pub row: u16,
    pub columns: Range<u16>,
    pub(crate) what: T,
}

/// Where the text of a field was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FieldPlace {
    /// Which of the fields it is.
    pub(crate) number: usize,
    /// The cells of its text that are on screen.
    pub(crate) area: Rect,
    /// Rows of it that stand above these.
    pub(crate) above: usize,
    /// Rows that it is shown on at the most.
    pub(crate) rows: usize,
    /// Whether the cursor is in it.
    pub(crate) here: bool,
}

impl FieldPlace {
    /// A text at a row and column of so many columns and rows, all of it shown.
    pub(crate) fn of(number: usize, (row, column): (usize, usize), (width, height): (usize, usize)) -> Self {
        let area = Rect { x: cells(column), y: cells(row), width: cells(width), height: cells(height) };
        Self { number, area, above: 0, rows: usize::from(u16::MAX), here: true }
    }

    /// Where it stands once so many rows are shown, the first of them this one.
    pub(crate) fn scrolled(self, first: usize, height: usize) -> Option<Self> {
        let (top, bottom) = (usize::from(self.area.y), usize::from(self.area.bottom()));
        let (from, to) = (top.max(first), bottom.min(first.saturating_add(height)));
        let area =
            Rect { y: cells(from.checked_sub(first)?), height: cells(to.checked_sub(from)?), ..self.area };
        (area.height > 0).then_some(Self { area, above: self.above + from - top, ..self })
    }
}

/// A number of rows or columns on screen.
fn cells(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

/// All places of a frame that can be clicked.
#[derive(Clone, Debug, Default)]
pub struct Hits {
    /// Keys of the last row.
    pub buttons: Vec<ClickTarget<Action>>,
    /// Panes whose tabs stand in the first row.
    pub(crate) tabs: Vec<ClickTarget<Pane>>,
    /// Fields of what stands over the panes.
    pub(crate) fields: Vec<FieldPlace>,
    /// Prompts that an empty conversation suggests, by their number.
    pub(crate) prompts: Vec<ClickTarget<usize>>,
}

/// The place at a column and a row.
pub(crate) fn hit<T: Clone>(all: &[ClickTarget<T>], column: u16, row: u16) -> Option<ClickTarget<T>> {
    all.iter().find(|hit| hit.row == row && hit.columns.contains(&column)).cloned()
}

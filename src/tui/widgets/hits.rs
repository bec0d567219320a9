//! Where a frame drew what the mouse can click: key hints, tabs, fields, prompts.

use crate::tui::action::Action;
use ratatui::layout::Rect;
use std::ops::Range;

/// A part of one row that can be clicked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClickTarget<T> {
    pub row: u16,
    pub columns: Range<u16>,
    pub(crate) what: T,
}

/// Where the text of a field was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FieldPlace {
    pub(crate) number: usize,
    /// The visible cells of its text.
    pub(crate) area: Rect,
    /// How many rows of its text are scrolled off above these cells.
    pub(crate) above: usize,
    /// On how many rows it is shown at the most.
    pub(crate) rows: usize,
    /// Whether the field has the cursor.
    pub(crate) here: bool,
}

impl FieldPlace {
    /// A text drawn completely, at a row and column, of so many columns and rows.
    pub(crate) fn of(number: usize, (row, column): (usize, usize), (width, height): (usize, usize)) -> Self {
        let area = Rect { x: cells(column), y: cells(row), width: cells(width), height: cells(height) };
        Self { number, area, above: 0, rows: usize::from(u16::MAX), here: true }
    }

    /// Where the field is when only `height` rows are shown, beginning with row `first`; `None` if none of it
    /// is visible.
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

/// Everything in a frame that can be clicked.
#[derive(Clone, Debug, Default)]
pub struct Hits {
    /// Key hints in the last row.
    pub buttons: Vec<ClickTarget<Action>>,
    /// Tabs in the first row, with their digits.
    pub(crate) tabs: Vec<ClickTarget<char>>,
    /// Fields of the overlay.
    pub(crate) fields: Vec<FieldPlace>,
    /// Prompts suggested by an empty conversation, by their number.
    pub(crate) prompts: Vec<ClickTarget<usize>>,
}

pub(crate) fn hit<T: Clone>(all: &[ClickTarget<T>], column: u16, row: u16) -> Option<ClickTarget<T>> {
    all.iter().find(|hit| hit.row == row && hit.columns.contains(&column)).cloned()
}

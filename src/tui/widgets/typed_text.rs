//! Lays out the text of a field: its rows with the cursor and the selection, and the place in the text behind a cell.

use super::field::{Field, Pos};
use super::safe::{byte_at, place_of, typed_rows};
use crate::tui::paint::wrap;
use ratatui::style::Style;
use ratatui::text::Line;
use std::cell::Cell;
use std::ops::Range;

/// A text in a field, with its cursor and selection.
#[derive(Clone, Copy)]
pub(crate) struct TypedText<'a> {
    /// Its lines, or only those around the cursor.
    pub(crate) lines: &'a [String],
    /// The number of the first of these lines.
    pub(crate) first: usize,
    pub(crate) cursor: Pos,
    pub(crate) selected: Option<(Pos, Pos)>,
    /// The first row that was shown, as a line and a row of it.
    pub(crate) top: &'a Cell<(usize, usize)>,
}

/// The visible rows of a text in a field.
pub(crate) struct TypedRows {
    pub(crate) rows: Vec<Line<'static>>,
    /// The row and column of the cursor.
    pub(crate) cursor: (usize, usize),
    /// Whether there is more text above and below.
    pub(crate) above: bool,
    pub(crate) below: bool,
}

impl<'a> TypedText<'a> {
    pub(crate) fn of(field: &'a Field) -> Self {
        let (lines, cursor) = (field.lines(), field.cursor());
        Self { lines, first: 0, cursor, selected: field.selection(), top: &field.top }
    }

    /// Only the lines that can be visible on so many rows.
    fn near(self, height: usize) -> Self {
        let from = self.cursor.line.saturating_sub(height).min(self.lines.len());
        let to = (self.cursor.line + height + 1).min(self.lines.len());
        Self { lines: self.lines.get(from..to).unwrap_or_default(), first: self.first + from, ..self }
    }

    /// How many rows the text takes, counted up to about `most`; a cursor after a full row takes one more.
    pub(crate) fn count(self, width: usize, most: usize) -> usize {
        let options = typed_rows(width);
        let rows: usize = self.lines.iter().take(most).map(|line| wrap::count(line, options)).sum();
        if rows >= most {
            rows
        } else {
            self.layout(width, Style::default(), Style::default()).0.len().max(rows)
        }
    }

    /// How many rows each line takes.
    fn counts(self, width: usize) -> impl Iterator<Item = usize> {
        (self.first..).zip(self.lines).map(move |(number, text)| {
            if number != self.cursor.line {
                return wrap::count(text, typed_rows(width));
            }
            let line = Self { lines: std::slice::from_ref(text), first: number, ..self };
            line.layout(width, Style::default(), Style::default()).0.len()
        })
    }

    /// The first visible row: the same as before, unless the cursor or the end of the text requires another.
    fn first_shown(self, rows: usize, cursor: usize, width: usize, height: usize) -> usize {
        let (line, row) = self.top.get();
        let above = line.checked_sub(self.first);
        let kept = above.map_or(0, |lines| self.counts(width).take(lines).sum::<usize>() + row);
        kept.min(rows.saturating_sub(height)).min(cursor).max((cursor + 1).saturating_sub(height))
    }

    /// The line, and the row of it, at a row of the text.
    fn line_at(self, row: usize, width: usize) -> (usize, usize) {
        let mut left = row;
        for (number, count) in (self.first..).zip(self.counts(width)) {
            if left < count {
                return (number, left);
            }
            left -= count;
        }
        (self.first, 0)
    }

    /// Returns the visible rows; the row of the cursor is always among them.
    pub(crate) fn rows(self, width: usize, height: usize, style: Style, over: Style) -> TypedRows {
        let height = height.max(1);
        let near = self.near(height);
        let (rows, (row, column)) = near.layout(width, style, over);
        let top = near.first_shown(rows.len(), row, width, height);
        self.top.set(near.line_at(top, width));
        let below =
            rows.len() > top + height || near.first + near.lines.len() < self.first + self.lines.len();
        let rows = rows.into_iter().skip(top).take(height).collect();
        TypedRows { rows, cursor: (row - top, column), above: top > 0 || near.first > self.first, below }
    }

    /// Returns all rows, with the row and column of the cursor.
    pub(crate) fn layout(
        self,
        width: usize,
        style: Style,
        over: Style,
    ) -> (Vec<Line<'static>>, (usize, usize)) {
        let options = typed_rows(width);
        let (mut rows, mut place) = (Vec::new(), (0, 0));
        for (number, text) in (self.first..).zip(self.lines) {
            let laid = wrap::rows(text, &self.runs(number, text, style, over), options);
            if number == self.cursor.line {
                let shown: Vec<Range<usize>> = laid.iter().map(|row| row.range.clone()).collect();
                let (row, column) = place_of(text, &shown, self.cursor.byte, options);
                place = (rows.len() + row, column);
            }
            rows.extend(laid.into_iter().map(|row| row.line));
            if place.0 == rows.len() && number == self.cursor.line {
                rows.push(Line::default());
            }
        }
        (rows, place)
    }

    /// The styles of a line: the selected part has its own.
    fn runs(self, number: usize, text: &str, style: Style, over: Style) -> Vec<(usize, Style)> {
        let Some(range) = selected_in(self.selected, number, text.len()) else {
            return vec![(text.len(), style)];
        };
        vec![(range.start, style), (range.end, style.patch(over)), (text.len(), style)]
    }

    /// The text position shown at a row and column of [`TypedText::rows`] with this width and height.
    pub(crate) fn at(self, (row, column): (usize, usize), width: usize, height: usize) -> Pos {
        let height = height.max(1);
        let near = self.near(height);
        let (rows, (cursor, _)) = near.layout(width, Style::default(), Style::default());
        let mut left = row + near.first_shown(rows.len(), cursor, width, height);
        let options = typed_rows(width);
        for ((number, text), count) in (near.first..).zip(near.lines).zip(near.counts(width)) {
            if left < count {
                let row = wrap::rows(text, &[], options).into_iter().nth(left);
                let byte = row.map_or(text.len(), |row| byte_at(text, row.range, column, options));
                return Pos::new(number, byte);
            }
            left -= count;
        }
        let last = near.lines.len().saturating_sub(1);
        Pos::new(near.first + last, near.lines.last().map_or(0, String::len))
    }
}

pub(crate) fn selected_in(selected: Option<(Pos, Pos)>, line: usize, len: usize) -> Option<Range<usize>> {
    let (from, to) = selected?;
    if line < from.line || line > to.line {
        return None;
    }
    let start = if line == from.line { from.byte } else { 0 };
    let end = if line == to.line { to.byte } else { len };
    (start < end).then_some(start..end)
}

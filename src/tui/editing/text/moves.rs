//! Finds the targets of cursor moves.

use super::{KeptColumn, Pos, SelectionShape, Text};
use crate::tui::editing::cluster::{self, ClusterKind};
use crate::tui::editing::{Motion, search};
use crate::tui::paint::wrap;
use std::ops::Range;

impl Text {
    /// Moves the cursor; with `select`, keeps or begins a selection.
    pub(super) fn travel(&mut self, motion: Motion, select: bool) {
        let selecting = select || self.marking;
        // With a selection, one step left or right goes to that end of it.
        if let (Some((from, to)), false) = (self.selection(), selecting) {
            match motion {
                Motion::Left => return self.put_cursor(from),
                Motion::Right => return self.put_cursor(to),
                _ => {}
            }
        }
        if selecting && self.anchor.is_none() {
            self.anchor = Some(self.cursor);
            self.shape = SelectionShape::Between;
        } else if !selecting {
            self.select_from(None, SelectionShape::Between);
        }
        self.history.seal();
        let upright = matches!(motion, Motion::Up | Motion::Down | Motion::PageUp(_) | Motion::PageDown(_));
        let of_row = self.rows.is_some();
        let column = upright.then(|| KeptColumn { of_row, at: self.kept_column(of_row) });
        self.cursor = self.target(motion, self.cursor);
        self.column = column;
    }

    /// The target of a move from a position.
    pub(crate) fn target(&self, motion: Motion, from: Pos) -> Pos {
        let line = self.line(from.line);
        let last = self.last_line();
        match motion {
            Motion::Left if from.byte > 0 => Pos::new(from.line, cluster::previous(line, from.byte)),
            Motion::Left | Motion::WordLeft if from.byte == 0 => self.end_of_line_above(from),
            Motion::Right if from.byte < line.len() => Pos::new(from.line, cluster::next(line, from.byte)),
            Motion::Right | Motion::WordRight if from.byte >= line.len() => self.start_of_line_below(from),
            Motion::WordLeft => Pos::new(from.line, word_left(line, from.byte)),
            Motion::WordRight => Pos::new(from.line, word_right(line, from.byte)),
            Motion::Up => self.rows_away(from, -1),
            Motion::Down => self.rows_away(from, 1),
            Motion::PageUp(rows) => self.rows_away(from, -(isize::try_from(rows).unwrap_or(1))),
            Motion::PageDown(rows) => self.rows_away(from, isize::try_from(rows).unwrap_or(1)),
            Motion::Home => Pos::new(from.line, 0),
            Motion::End => Pos::new(from.line, line.len()),
            Motion::Top => Pos::default(),
            Motion::Bottom => Pos::new(last, self.line(last).len()),
            Motion::Bracket => search::bracket(self.lines(), from, usize::MAX).unwrap_or(from),
            Motion::Left | Motion::Right => from,
        }
    }

    fn end_of_line_above(&self, from: Pos) -> Pos {
        from.line.checked_sub(1).map_or(from, |index| Pos::new(index, self.line(index).len()))
    }

    fn start_of_line_below(&self, from: Pos) -> Pos {
        if from.line < self.last_line() { Pos::new(from.line + 1, 0) } else { from }
    }

    /// The position so many lines below (negative: above), at the remembered column; stops at the first and
    /// last line.
    pub(crate) fn lines_away(&self, from: Pos, by: isize) -> Pos {
        let index = from.line.saturating_add_signed(by).min(self.last_line());
        if index == from.line {
            return from;
        }
        let column = if from == self.cursor {
            self.kept_column(false)
        } else {
            cluster::column(self.line(from.line), from.byte)
        };
        Pos::new(index, cluster::at_column(self.line(index), column))
    }

    /// The remembered column, or that of the cursor.
    fn kept_column(&self, of_row: bool) -> usize {
        match self.column.filter(|kept| kept.of_row == of_row) {
            Some(kept) => kept.at,
            None if of_row => self.row_of(self.cursor).map_or(0, |(_, _, column)| column),
            None => cluster::column(self.line(self.cursor.line), self.cursor.byte),
        }
    }

    /// The bytes of a line that each of its wrapped rows shows.
    fn rows_of(&self, index: usize) -> Option<Vec<Range<usize>>> {
        let rows = wrap::rows(self.line(index), &[], self.rows?);
        Some(rows.into_iter().map(|row| row.range).collect())
    }

    /// The wrapped rows of the line at a position, the row that shows it, and its column. A position after a
    /// full row counts as the start of one more row.
    fn row_of(&self, at: Pos) -> Option<(Vec<Range<usize>>, usize, usize)> {
        let rows = self.rows_of(at.line)?;
        let shows = rows.iter().position(|row| at.byte < row.end).unwrap_or(rows.len().saturating_sub(1));
        let start = rows.get(shows)?.start;
        let column = cluster::column(self.line(at.line).get(start..)?, at.byte.saturating_sub(start));
        let is_full = column >= self.rows?.width.max(2);
        Some(if is_full { (rows, shows + 1, 0) } else { (rows, shows, column) })
    }

    /// The position so many wrapped rows below (negative: above); goes by lines if the text was never shown.
    /// Stops at the first and last row.
    pub(crate) fn rows_away(&self, from: Pos, by: isize) -> Pos {
        let Some((mut rows, mut row, mut column)) = self.row_of(from) else {
            return self.lines_away(from, by);
        };
        if from == self.cursor {
            column = self.kept_column(true);
        }
        let mut line = from.line;
        for step in 0..by.unsigned_abs() {
            let before = (line, row);
            if by < 0 {
                match (row, line) {
                    (1.., _) => row -= 1,
                    (0, 0) => {}
                    _ => {
                        line -= 1;
                        rows = self.rows_of(line).unwrap_or_default();
                        row = rows.len().saturating_sub(1);
                    }
                }
            } else if row + 1 < rows.len() {
                row += 1;
            } else if line < self.last_line() {
                line += 1;
                rows = self.rows_of(line).unwrap_or_default();
                row = 0;
            }
            if before == (line, row) {
                if step == 0 {
                    return from;
                }
                break;
            }
        }
        let Some(range) = rows.get(row) else { return from };
        let text = self.line(line).get(range.clone()).unwrap_or_default();
        let mut byte = cluster::at_column(text, column);
        // The end of a wrapped row would be shown as the start of the next: stay in this row.
        if byte == text.len() && row + 1 < rows.len() {
            byte = cluster::previous(text, byte);
        }
        // A wrapped row may break inside a cluster: go on to its boundary in the direction of the move.
        let found = range.start + byte;
        let near = if by > 0 { cluster::at_or_after } else { cluster::at_or_before };
        Pos::new(line, near(self.line(line), found))
    }

    /// Moves up or down by lines, or by wrapped rows, and remembers the column for the next move.
    pub(crate) fn go(&mut self, by: isize, wrapped: bool) {
        let of_row = wrapped && self.rows.is_some();
        let column = KeptColumn { of_row, at: self.kept_column(of_row) };
        let to = if of_row { self.rows_away(self.cursor, by) } else { self.lines_away(self.cursor, by) };
        self.extend_selection(to);
        self.column = Some(column);
    }

    /// The word at a position, or the run of spaces or signs there.
    pub(crate) fn word_at(&self, at: Pos) -> (Pos, Pos) {
        let line = self.line(at.line);
        // After the end of a line, the last cluster of the line counts.
        let at_byte = if at.byte >= line.len() { cluster::previous(line, line.len()) } else { at.byte };
        let kind = cluster::kind(line, at_byte);
        let from = cluster::skip_back(line, at_byte, |at| cluster::kind(line, at) == kind);
        let to = cluster::skip(line, at_byte, |at| cluster::kind(line, at) == kind);
        (Pos::new(at.line, from), Pos::new(at.line, to))
    }
}

/// The start of the word before a position.
fn word_left(line: &str, from: usize) -> usize {
    let at = cluster::skip_back(line, from, |at| cluster::kind(line, at) == ClusterKind::Space);
    let kind = cluster::kind(line, cluster::previous(line, at));
    cluster::skip_back(line, at, |at| cluster::kind(line, at) == kind)
}

/// The start of the word after a position.
fn word_right(line: &str, from: usize) -> usize {
    let kind = cluster::kind(line, from);
    let at = cluster::skip(line, from, |at| kind != ClusterKind::Space && cluster::kind(line, at) == kind);
    cluster::skip(line, at, |at| cluster::kind(line, at) == ClusterKind::Space)
}

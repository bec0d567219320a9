//! Where moves lead.

use super::{Pos, Shape, Text};
use crate::tui::editing::cluster::{self, Kind};
use crate::tui::editing::{Motion, search};

impl Text {
    /// Moves the cursor; `select` keeps or begins a selection.
    pub(super) fn travel(&mut self, motion: Motion, select: bool) {
        let selecting = select || self.marking;
        // Where something is selected, one step to a side leads to that end of it.
        if let (Some((from, to)), false) = (self.selection(), selecting) {
            match motion {
                Motion::Left => return self.put_cursor(from),
                Motion::Right => return self.put_cursor(to),
                _ => {}
            }
        }
        if selecting && self.anchor.is_none() {
            self.anchor = Some(self.cursor);
            self.shape = Shape::Between;
        } else if !selecting {
            self.select_from(None, Shape::Between);
        }
        self.history.seal();
        let upright = matches!(motion, Motion::Up | Motion::Down | Motion::PageUp(_) | Motion::PageDown(_));
        let column = if upright { Some(self.column_here()) } else { None };
        self.cursor = self.target(motion, self.cursor);
        self.column = column;
    }

    /// Where a move leads from a place.
    pub(crate) fn target(&self, motion: Motion, from: Pos) -> Pos {
        let line = self.row(from.row);
        let last = self.last_row();
        match motion {
            Motion::Left if from.byte > 0 => Pos::new(from.row, cluster::previous(line, from.byte)),
            Motion::Left | Motion::WordLeft if from.byte == 0 => self.end_of_row_above(from),
            Motion::Right if from.byte < line.len() => Pos::new(from.row, cluster::next(line, from.byte)),
            Motion::Right | Motion::WordRight if from.byte >= line.len() => self.start_of_row_below(from),
            Motion::WordLeft => Pos::new(from.row, word_left(line, from.byte)),
            Motion::WordRight => Pos::new(from.row, word_right(line, from.byte)),
            Motion::Up => self.lines_away(from, -1),
            Motion::Down => self.lines_away(from, 1),
            Motion::PageUp(rows) => self.lines_away(from, -(isize::try_from(rows).unwrap_or(1))),
            Motion::PageDown(rows) => self.lines_away(from, isize::try_from(rows).unwrap_or(1)),
            Motion::Home => Pos::new(from.row, 0),
            Motion::End => Pos::new(from.row, line.len()),
            Motion::Top => Pos::default(),
            Motion::Bottom => Pos::new(last, self.row(last).len()),
            Motion::Bracket => search::bracket(self.lines(), from, usize::MAX).unwrap_or(from),
            Motion::Left | Motion::Right => from,
        }
    }

    fn end_of_row_above(&self, from: Pos) -> Pos {
        from.row.checked_sub(1).map_or(from, |row| Pos::new(row, self.row(row).len()))
    }

    fn start_of_row_below(&self, from: Pos) -> Pos {
        if from.row < self.last_row() { Pos::new(from.row + 1, 0) } else { from }
    }

    /// So many lines down, in the column that is kept to; beyond the first and the last line nothing.
    pub(crate) fn lines_away(&self, from: Pos, rows: isize) -> Pos {
        let row = from.row.saturating_add_signed(rows).min(self.last_row());
        if row == from.row {
            return from;
        }
        let column = if from == self.cursor {
            self.column_here()
        } else {
            cluster::column(self.row(from.row), from.byte)
        };
        Pos::new(row, cluster::at_column(self.row(row), column))
    }

    fn column_here(&self) -> usize {
        self.column.unwrap_or_else(|| cluster::column(self.row(self.cursor.row), self.cursor.byte))
    }

    /// Goes up or down as a move does, and keeps the column for the next one.
    pub(crate) fn go_lines(&mut self, rows: isize) {
        let column = self.column_here();
        let to = self.lines_away(self.cursor, rows);
        self.reach(to);
        self.column = Some(column);
    }

    /// The word at a place, or whatever stands there in one piece.
    pub(crate) fn word_at(&self, at: Pos) -> (Pos, Pos) {
        let line = self.row(at.row);
        // Behind the end of a line stands nothing: the last of it is meant.
        let at_byte = if at.byte >= line.len() { cluster::previous(line, line.len()) } else { at.byte };
        let kind = cluster::kind(line, at_byte);
        let (mut from, mut to) = (at_byte, at_byte);
        while from > 0 && cluster::kind(line, cluster::previous(line, from)) == kind {
            from = cluster::previous(line, from);
        }
        while to < line.len() && cluster::kind(line, to) == kind {
            to = cluster::next(line, to);
        }
        (Pos::new(at.row, from), Pos::new(at.row, to))
    }
}

/// The start of the word before a place.
fn word_left(line: &str, from: usize) -> usize {
    let back = |mut at: usize, kind: Kind| {
        while at > 0 && cluster::kind(line, cluster::previous(line, at)) == kind {
            at = cluster::previous(line, at);
        }
        at
    };
    let at = back(from, Kind::Space);
    if at == 0 { 0 } else { back(at, cluster::kind(line, cluster::previous(line, at))) }
}

/// The start of the word behind a place.
fn word_right(line: &str, from: usize) -> usize {
    let on = |mut at: usize, kind: Kind| {
        while at < line.len() && cluster::kind(line, at) == kind {
            at = cluster::next(line, at);
        }
        at
    };
    let kind = cluster::kind(line, from);
    let at = if kind == Kind::Space { from } else { on(from, kind) };
    on(at, Kind::Space)
}

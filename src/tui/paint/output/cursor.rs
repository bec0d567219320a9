//! The cursor of a stream: writes text and carries out line ends and the movements of progress bars, within the
//! stream's own rows.
//!
//! A stream never writes into rows of the other stream, nor into settled rows.

use super::Output;
use super::decode::{EscapeDecoder, OutputToken};
use super::row::{CellPlace, MAX_EDITABLE_BYTES, OutputRow, RowKind, TAB};
use crate::domain::pen::number;
use crate::domain::{Pen, Stream};

/// The last column to which programs may move where there is no text; no terminal is wider.
const MAX_COLUMN: usize = 512;

/// Where a stream writes next.
#[derive(Debug, Default)]
pub(super) struct Cursor {
    pub(super) decoder: EscapeDecoder,
    pub(super) pen: Pen,
    /// The row it is in; `None`: below all rows of the stream.
    pub(super) row: Option<u64>,
    pub(super) place: CellPlace,
    /// Whether it moved since the last write.
    pub(super) moved: bool,
}

impl Cursor {
    /// Moves to the first column below all rows of the stream.
    fn go_below(&mut self) {
        (self.row, self.place) = (None, CellPlace::default());
    }
}

impl Output {
    /// Carries out one token of a stream.
    pub(super) fn obey(&mut self, stream: Stream, token: OutputToken<'_>) {
        match token {
            OutputToken::Text(text) => self.write(stream, text),
            OutputToken::LineFeed => self.line_feed(stream),
            OutputToken::Tab => self.tab(stream),
            OutputToken::Return => self.move_to(stream, 0),
            OutputToken::Back => self.move_by(stream, -1),
            OutputToken::Csi(b'm', parameters) => self.cursor(stream).pen.obey(parameters),
            OutputToken::Csi(b'K', parameters) => self.erase_in_line(stream, parameters),
            OutputToken::Csi(b'J', b"" | b"0") => self.erase_below(stream),
            OutputToken::Csi(end, parameters) => {
                let first = parameters.split(|b| *b == b';').next().and_then(number).unwrap_or(1);
                self.motion(stream, end, first.max(1));
            }
        }
    }

    fn motion(&mut self, stream: Stream, end: u8, by: u16) {
        match end {
            b'A' | b'F' => self.up(stream, by),
            b'B' | b'E' => self.down(stream, by),
            b'C' => self.move_by(stream, isize::try_from(by).unwrap_or(0)),
            b'D' => self.move_by(stream, -isize::try_from(by).unwrap_or(0)),
            b'G' => self.move_to(stream, usize::from(by) - 1),
            _ => {}
        }
        if matches!(end, b'E' | b'F') {
            self.move_to(stream, 0);
        }
    }

    fn write(&mut self, stream: Stream, text: &str) {
        let mut text = text;
        while !text.is_empty() {
            let id = self.writable(stream);
            self.touch(id);
            let cursor = self.cursor(stream);
            let (place, pen) = (cursor.place, cursor.pen);
            let Some(row) = self.kept.row_mut(id) else { return };
            let (place, rest) = row.write(place, text, pen);
            row.goes_on |= !rest.is_empty();
            let cursor = self.cursor(stream);
            cursor.place = place;
            if !rest.is_empty() {
                cursor.go_below();
            }
            text = rest;
        }
    }

    fn tab(&mut self, stream: Stream) {
        let id = self.writable(stream);
        let cursor = self.cursor(stream);
        let (column, pen) = (cursor.place.column, cursor.pen);
        let Some(row) = self.kept.row_mut(id) else { return };
        if column != row.columns {
            let next = (column / TAB + 1) * TAB;
            self.cursor(stream).place = CellPlace { column: next, byte: None };
        } else if row.has_room() {
            row.tab(pen);
            let column = row.columns;
            self.cursor(stream).place = CellPlace { column, byte: None };
            self.touch(id);
        } else {
            row.goes_on = true;
            self.cursor(stream).go_below();
            self.tab(stream);
        }
    }

    /// The row that a stream writes to next; a new one if it has none, or may not write into it any more.
    fn writable(&mut self, stream: Stream) -> u64 {
        let cursor = self.cursor(stream);
        let (column, moved) = (cursor.place.column, std::mem::take(&mut cursor.moved));
        if let Some(id) = self.own_row(stream)
            && let Some(row) = self.kept.row(id)
            && !(moved && row.text().len() > MAX_EDITABLE_BYTES && column < row.columns)
        {
            return id;
        }
        let id = self.kept.add(OutputRow::new(kind_of(stream)));
        let cursor = self.cursor(stream);
        cursor.row = Some(id);
        cursor.place.byte = None;
        id
    }

    /// The row of a stream, if it can still be changed; otherwise the cursor moves below all rows for good.
    fn own_row(&mut self, stream: Stream) -> Option<u64> {
        let settled = self.kept.settled;
        let cursor = self.cursor(stream);
        if cursor.row.is_some_and(|id| id < settled) {
            cursor.go_below();
        }
        cursor.row
    }

    fn line_feed(&mut self, stream: Stream) {
        let below = match self.own_row(stream) {
            Some(id) => self.next_own(stream, id),
            None => {
                let id = self.kept.add(OutputRow::new(kind_of(stream)));
                self.touch(id);
                None
            }
        };
        let cursor = self.cursor(stream);
        (cursor.row, cursor.place, cursor.moved) = (below, CellPlace::default(), below.is_some());
    }

    fn next_own(&self, stream: Stream, id: u64) -> Option<u64> {
        let kind = kind_of(stream);
        (id + 1..self.kept.next()).find(|id| self.kept.row(*id).is_some_and(|row| row.kind == kind))
    }

    fn up(&mut self, stream: Stream, rows: u16) {
        let kind = kind_of(stream);
        let from = self.own_row(stream).unwrap_or_else(|| self.kept.next());
        let own = |id: &u64| self.kept.row(*id).is_some_and(|row| row.kind == kind);
        let above = (self.kept.settled..from).rev().filter(own).take(rows.into()).last();
        if let Some(id) = above {
            self.enter(stream, id);
        }
    }

    fn down(&mut self, stream: Stream, rows: u16) {
        let Some(mut id) = self.own_row(stream) else { return };
        for _ in 0..rows {
            let Some(next) = self.next_own(stream, id) else { break };
            id = next;
        }
        self.enter(stream, id);
    }

    fn enter(&mut self, stream: Stream, id: u64) {
        let cursor = self.cursor(stream);
        cursor.row = Some(id);
        cursor.place.byte = None;
        cursor.moved = true;
    }

    fn move_to(&mut self, stream: Stream, column: usize) {
        let row = self.own_row(stream).and_then(|id| self.kept.row(id));
        let end = row.map_or(0, |row| row.columns).max(MAX_COLUMN);
        let cursor = self.cursor(stream);
        cursor.place = CellPlace { column: column.min(end), byte: None };
        cursor.moved = true;
    }

    fn move_by(&mut self, stream: Stream, columns: isize) {
        let column = self.cursor(stream).place.column.saturating_add_signed(columns);
        self.move_to(stream, column);
    }

    fn erase_in_line(&mut self, stream: Stream, parameters: &[u8]) {
        let Some(id) = self.own_row(stream) else { return };
        let cursor = self.cursor(stream);
        cursor.place.byte = None;
        let (column, pen) = (cursor.place.column, cursor.pen);
        let Some(row) = self.kept.row_mut(id) else { return };
        match parameters {
            b"" | b"0" => row.erase_from(column),
            b"1" if row.text().len() <= MAX_EDITABLE_BYTES => row.erase_to(column, pen),
            b"2" => row.erase_from(0),
            _ => {}
        }
        self.touch(id);
    }

    /// Erases what is after the cursor, and the stream's rows below it.
    fn erase_below(&mut self, stream: Stream) {
        let Some(id) = self.own_row(stream) else { return };
        self.erase_in_line(stream, b"0");
        let kind = kind_of(stream);
        while self.kept.next() > id + 1
            && self.kept.row(self.kept.next() - 1).is_some_and(|row| row.kind == kind)
        {
            self.kept.pop();
            let end = self.kept.next();
            self.touch(end);
        }
        let mut below = self.next_own(stream, id);
        while let Some(id) = below {
            if let Some(row) = self.kept.row_mut(id) {
                row.erase_from(0);
            }
            below = self.next_own(stream, id);
        }
    }
}

fn kind_of(stream: Stream) -> RowKind {
    match stream {
        Stream::Stdout => RowKind::Stdout,
        Stream::Stderr => RowKind::Stderr,
    }
}

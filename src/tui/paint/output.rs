//! What a program printed → lines, while it prints. A progress bar stays one line, colours are kept, nothing else that a
//! terminal would obey gets through.
//!
//! Each stream writes its own rows, in the order in which they began: a line whose middle was interrupted by the other
//! stream stays one line. Programs can go back to their last [`WINDOW`] rows, as on a terminal that shows so many. The
//! first and the last rows are kept, within [`HEAD`] and [`TAIL`]; one line between them says how many are left out.
//! This module neither wraps nor scrolls.

mod decode;
mod pen;
mod row;
#[cfg(test)]
mod tests;

use super::plain::{self, Spans, Strictness};
use crate::domain::visible::visible;
use crate::domain::{Captured, Stream};
use crate::tui::theme::{Slot, Theme};
use decode::{Decoder, Token};
use pen::Pen;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use row::{EDITABLE, Kind, Place, Row, TAB};
use std::collections::VecDeque;

/// Rows that a program can go back to.
const WINDOW: u64 = 64;

/// What is kept of one end of the output: rows and bytes of memory, whichever is reached first.
struct Allowance {
    rows: usize,
    bytes: usize,
}

const HEAD: Allowance = Allowance { rows: 2_000, bytes: 1 << 20 };
const TAIL: Allowance = Allowance { rows: 8_000, bytes: 4 << 20 };

/// The column up to which programs may move where there is no text; no terminal is wider.
const FARTHEST: usize = 512;

/// What became of the lines when output was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The first line that is not what it was; all before it are.
    pub from: usize,
    /// So many lines behind the line that tells what is left out were let go: what was line `n` there is `n - gone`.
    pub gone: usize,
}

/// The lines of what was printed.
#[derive(Debug, Default)]
pub struct Output {
    head: Vec<Row>,
    tail: VecDeque<Row>,
    /// Rows let go between head and tail.
    gone: u64,
    /// Rows below this number don't change any more and are counted in the two sums.
    settled: u64,
    head_bytes: usize,
    tail_bytes: usize,
    stdout: Cursor,
    stderr: Cursor,
    /// The lowest row that was changed by the present push.
    touched: u64,
}

/// Where a stream writes.
#[derive(Debug, Default)]
struct Cursor {
    decoder: Decoder,
    pen: Pen,
    /// Its row; `None`: below all its rows.
    row: Option<u64>,
    place: Place,
    /// Whether it was moved since it wrote last.
    moved: bool,
}

impl Output {
    /// What was kept of a run. What was not kept is told where it is missing.
    pub fn of(captured: &Captured) -> Self {
        let mut output = Self::default();
        let mut gaps = [Stream::Stdout, Stream::Stderr].map(|stream| {
            let dropped = captured.dropped(stream);
            (dropped > 0).then_some((captured.limit() / 4, dropped))
        });
        for piece in captured.pieces() {
            let [out, err] = &mut gaps;
            let gap = if piece.stream == Stream::Stdout { out } else { err };
            let mut bytes = piece.bytes.as_slice();
            if let Some((left, dropped)) = gap {
                let (before, behind) = bytes.split_at(bytes.len().min(*left));
                *left -= before.len();
                bytes = behind;
                output.push(piece.stream, before);
                if behind.is_empty() {
                    continue;
                }
                output.missing(piece.stream, *dropped);
                *gap = None;
            }
            output.push(piece.stream, bytes);
        }
        for (stream, gap) in [Stream::Stdout, Stream::Stderr].into_iter().zip(gaps) {
            if let Some((_, dropped)) = gap {
                output.missing(stream, dropped);
            }
        }
        output
    }

    /// Adds what was printed. A piece may end anywhere.
    pub fn push(&mut self, stream: Stream, bytes: &[u8]) -> Changed {
        self.touched = self.next();
        let gone = self.gone;
        let mut decoder = std::mem::take(&mut self.cursor(stream).decoder);
        decoder.feed(bytes, &mut |token| self.obey(stream, token));
        self.cursor(stream).decoder = decoder;
        self.changed(gone)
    }

    /// No more output comes: a character that was begun is shown as bytes.
    pub fn finish(&mut self) -> Changed {
        self.touched = self.next();
        let gone = self.gone;
        for stream in [Stream::Stdout, Stream::Stderr] {
            self.end(stream);
        }
        self.changed(gone)
    }

    fn end(&mut self, stream: Stream) {
        let mut decoder = std::mem::take(&mut self.cursor(stream).decoder);
        decoder.finish(&mut |token| self.obey(stream, token));
    }

    /// How many lines there are, that about left out lines counted.
    pub fn len(&self) -> usize {
        self.head.len() + usize::from(self.gone > 0) + self.tail.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many lines are left out between the first and the last.
    pub fn left_out(&self) -> u64 {
        self.gone
    }

    /// A line, safe to draw; an empty one behind the last.
    pub fn line(&self, at: usize, theme: &Theme) -> Line<'static> {
        match self.shown(at) {
            Some(Shown::Row(row)) => painted(row, theme),
            Some(Shown::LeftOut) => Line::styled(self.words(), theme.style(Slot::OutputTruncated)),
            None => Line::default(),
        }
    }

    /// A line as text, for searching and copying: without colours, with what would act on a terminal written out.
    pub fn text(&self, at: usize) -> String {
        match self.shown(at) {
            Some(Shown::Row(row)) => visible(row.text()),
            Some(Shown::LeftOut) => self.words(),
            None => String::new(),
        }
    }

    fn words(&self) -> String {
        let s = if self.gone == 1 { "" } else { "s" };
        format!("... {} line{s} left out ...", grouped(self.gone))
    }

    fn shown(&self, at: usize) -> Option<Shown<'_>> {
        let Some(behind) = at.checked_sub(self.head.len()) else { return self.head.get(at).map(Shown::Row) };
        match (self.gone, behind) {
            (0, at) => self.tail.get(at).map(Shown::Row),
            (_, 0) => Some(Shown::LeftOut),
            (_, at) => self.tail.get(at - 1).map(Shown::Row),
        }
    }

    fn changed(&self, gone_before: u64) -> Changed {
        let gone = usize::try_from(self.gone - gone_before).unwrap_or(usize::MAX);
        let head = self.head.len() as u64;
        let from = if gone > 0 || self.touched < head {
            self.touched.min(head)
        } else {
            self.touched.saturating_sub(self.gone) + u64::from(self.gone > 0)
        };
        Changed { from: usize::try_from(from).unwrap_or(usize::MAX), gone }
    }

    fn cursor(&mut self, stream: Stream) -> &mut Cursor {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }

    fn obey(&mut self, stream: Stream, token: Token<'_>) {
        match token {
            Token::Text(text) => self.write(stream, text),
            Token::LineFeed => self.line_feed(stream),
            Token::Tab => self.tab(stream),
            Token::Return => self.move_to(stream, 0),
            Token::Back => self.move_by(stream, -1),
            Token::Csi(b'm', parameters) => self.cursor(stream).pen.obey(parameters),
            Token::Csi(b'K', parameters) => self.erase_in_line(stream, parameters),
            Token::Csi(b'J', b"" | b"0") => self.erase_below(stream),
            Token::Csi(end, parameters) => {
                let first = parameters.split(|b| *b == b';').next().and_then(pen::number).unwrap_or(1);
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
            let Some(row) = self.row_mut(id) else { return };
            let (place, rest) = row.write(place, text, pen);
            row.goes_on |= !rest.is_empty();
            let cursor = self.cursor(stream);
            cursor.place = place;
            if !rest.is_empty() {
                cursor.row = None;
                cursor.place = Place::default();
            }
            text = rest;
        }
    }

    fn tab(&mut self, stream: Stream) {
        let id = self.writable(stream);
        let cursor = self.cursor(stream);
        let (column, pen) = (cursor.place.column, cursor.pen);
        let Some(row) = self.row_mut(id) else { return };
        if column != row.columns() {
            let next = (column / TAB + 1) * TAB;
            self.cursor(stream).place = Place { column: next, byte: None };
        } else if row.has_room() {
            row.tab(pen);
            let column = row.columns();
            self.cursor(stream).place = Place { column, byte: None };
            self.touch(id);
        } else {
            row.goes_on = true;
            let cursor = self.cursor(stream);
            (cursor.row, cursor.place) = (None, Place::default());
            self.tab(stream);
        }
    }

    /// The row that a stream writes to next; a new one where it has none, or may not write into it again.
    fn writable(&mut self, stream: Stream) -> u64 {
        let cursor = self.cursor(stream);
        let (column, moved) = (cursor.place.column, std::mem::take(&mut cursor.moved));
        if let Some(id) = self.own_row(stream)
            && let Some(row) = self.row(id)
            && !(moved && row.text().len() > EDITABLE && column < row.columns())
        {
            return id;
        }
        let id = self.add(Row::new(kind_of(stream)));
        let cursor = self.cursor(stream);
        cursor.row = Some(id);
        cursor.place.byte = None;
        id
    }

    /// The row of a stream, if it can still be changed; else the stream stands below all rows from now on.
    fn own_row(&mut self, stream: Stream) -> Option<u64> {
        let settled = self.settled;
        let cursor = self.cursor(stream);
        if cursor.row.is_some_and(|id| id < settled) {
            cursor.row = None;
            cursor.place = Place::default();
        }
        cursor.row
    }

    fn line_feed(&mut self, stream: Stream) {
        let below = match self.own_row(stream) {
            Some(id) => self.next_own(stream, id),
            None => {
                let id = self.add(Row::new(kind_of(stream)));
                self.touch(id);
                None
            }
        };
        let cursor = self.cursor(stream);
        (cursor.row, cursor.place, cursor.moved) = (below, Place::default(), below.is_some());
    }

    fn next_own(&self, stream: Stream, id: u64) -> Option<u64> {
        let kind = kind_of(stream);
        (id + 1..self.next()).find(|id| self.row(*id).is_some_and(|row| row.kind == kind))
    }

    fn up(&mut self, stream: Stream, rows: u16) {
        let kind = kind_of(stream);
        let from = self.own_row(stream).unwrap_or_else(|| self.next());
        let own = |id: &u64| self.row(*id).is_some_and(|row| row.kind == kind);
        let above = (self.settled..from).rev().filter(own).take(rows.into()).last();
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
        let end = self.columns(stream).max(FARTHEST);
        let cursor = self.cursor(stream);
        cursor.place = Place { column: column.min(end), byte: None };
        cursor.moved = true;
    }

    fn move_by(&mut self, stream: Stream, columns: isize) {
        let column = self.cursor(stream).place.column.saturating_add_signed(columns);
        self.move_to(stream, column);
    }

    fn columns(&mut self, stream: Stream) -> usize {
        let id = self.own_row(stream);
        id.and_then(|id| self.row(id)).map_or(0, Row::columns)
    }

    fn erase_in_line(&mut self, stream: Stream, parameters: &[u8]) {
        let Some(id) = self.own_row(stream) else { return };
        let cursor = self.cursor(stream);
        cursor.place.byte = None;
        let (column, pen) = (cursor.place.column, cursor.pen);
        let Some(row) = self.row_mut(id) else { return };
        match parameters {
            b"" | b"0" => row.erase_from(column),
            b"1" if row.text().len() <= EDITABLE => row.erase_to(column, pen),
            b"2" => row.erase_from(0),
            _ => {}
        }
        self.touch(id);
    }

    /// Takes away what lies behind the cursor and the rows of the stream below it.
    fn erase_below(&mut self, stream: Stream) {
        let Some(id) = self.own_row(stream) else { return };
        self.erase_in_line(stream, b"0");
        let kind = kind_of(stream);
        while self.next() > id + 1 && self.row(self.next() - 1).is_some_and(|row| row.kind == kind) {
            if self.tail.pop_back().is_none() {
                self.head.pop();
            }
            self.touch(self.next());
        }
        let mut below = self.next_own(stream, id);
        while let Some(id) = below {
            if let Some(row) = self.row_mut(id) {
                row.erase_from(0);
            }
            below = self.next_own(stream, id);
        }
    }

    /// Says that bytes of a stream are missing here.
    fn missing(&mut self, stream: Stream, bytes: u64) {
        self.end(stream);
        let name = if stream == Stream::Stdout { "output" } else { "error output" };
        let s = if bytes == 1 { "" } else { "s" };
        self.add(Row::note(format!("... {} byte{s} of {name} not kept ...", grouped(bytes))));
        *self.cursor(stream) = Cursor::default();
    }

    /// The number that the next row gets.
    fn next(&self) -> u64 {
        (self.head.len() + self.tail.len()) as u64 + self.gone
    }

    fn touch(&mut self, id: u64) {
        self.touched = self.touched.min(id);
    }

    fn row(&self, id: u64) -> Option<&Row> {
        let head = self.head.len() as u64;
        if id < head {
            return self.head.get(usize::try_from(id).ok()?);
        }
        self.tail.get(usize::try_from(id.checked_sub(head + self.gone)?).ok()?)
    }

    fn row_mut(&mut self, id: u64) -> Option<&mut Row> {
        let head = self.head.len() as u64;
        if id < head {
            return self.head.get_mut(usize::try_from(id).ok()?);
        }
        self.tail.get_mut(usize::try_from(id.checked_sub(head + self.gone)?).ok()?)
    }

    fn add(&mut self, row: Row) -> u64 {
        let id = self.next();
        let starts = self.tail.is_empty() && self.gone == 0;
        if starts && self.head.len() < HEAD.rows && self.head_bytes < HEAD.bytes {
            self.head.push(row);
        } else {
            self.tail.push_back(row);
        }
        while self.settled + WINDOW <= id {
            let in_head = self.settled < self.head.len() as u64;
            let cost = self.row_mut(self.settled).map_or(0, |row| {
                row.settle();
                row.cost()
            });
            *(if in_head { &mut self.head_bytes } else { &mut self.tail_bytes }) += cost;
            self.settled += 1;
        }
        self.trim();
        id
    }

    fn trim(&mut self) {
        while self.tail.len() > TAIL.rows || self.tail_bytes > TAIL.bytes {
            let Some(row) = self.tail.pop_front() else { return };
            self.tail_bytes = self.tail_bytes.saturating_sub(row.cost());
            self.gone += 1;
        }
    }
}

/// What stands in a line.
enum Shown<'a> {
    Row(&'a Row),
    LeftOut,
}

fn kind_of(stream: Stream) -> Kind {
    match stream {
        Stream::Stdout => Kind::Stdout,
        Stream::Stderr => Kind::Stderr,
    }
}

fn painted(row: &Row, theme: &Theme) -> Line<'static> {
    let base = match row.kind {
        Kind::Stdout => Style::default(),
        Kind::Stderr => theme.style(Slot::OutputStderr),
        Kind::Note => theme.style(Slot::OutputTruncated),
    };
    let (text, mark) = (row.text(), theme.mark());
    let mut line = if row.runs().is_empty() && plain::is_plain(text) {
        Line::from(Span::styled(text.to_owned(), base))
    } else {
        let mut spans = Spans::default();
        let mut runs = row.runs().iter().map(|(end, pen)| (*end as usize, base.patch(pen.style(theme.depth()))));
        let mut run = runs.next();
        for glyph in plain::glyphs(text, Strictness::Text, TAB) {
            while run.is_some_and(|(end, _)| end <= glyph.start) {
                run = runs.next();
            }
            let look = run.map_or(base, |run| run.1);
            spans.push(&glyph.text, if glyph.marked { look.patch(mark) } else { look });
        }
        spans.finish()
    };
    if row.goes_on {
        line.push_span(Span::styled(" (goes on)", theme.style(Slot::OutputTruncated)));
    }
    line
}

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

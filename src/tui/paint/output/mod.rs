//! What a program prints → lines with its colours, as they come: raw bytes of two streams, in their order.
//!
//! Carriage returns and the cursor motions of progress bars work on the last lines; colours become styles; everything
//! else that a terminal would obey is shown as text. Of many lines the first 2,000 and the last 8,000 are kept. Lines are
//! made safe when they are asked for, so the cost of a flood is in what is shown. It neither wraps nor scrolls.

mod escape;
mod ink;
mod row;
#[cfg(test)]
mod tests;

use self::escape::{Escape, Scanner, Token};
use self::ink::Ink;
use self::row::Row;
use super::plain::{self, Spans, Strictness};
use crate::domain::{Captured, Stream};
use crate::tui::theme::{Slot, Theme};
use ratatui::text::Line;
use std::collections::VecDeque;

/// Lines kept from the start.
const HEAD: usize = 2_000;
/// Lines kept from the end.
const TAIL: usize = 8_000;
/// Bytes kept from the start and from the end: lines can be long.
const HEAD_BYTES: usize = 1 << 20;
const TAIL_BYTES: usize = 3 << 20;
/// A line that grows beyond this goes on in the next.
const LINE_BYTES: usize = 16 << 10;
/// So many of the last lines can still be written over.
const REACH: usize = 64;
/// Columns between tab stops, as terminals have them.
const TAB: usize = 8;

/// The lines of one run's output.
#[derive(Debug, Default)]
pub struct Output {
    head: Vec<Row>,
    head_bytes: usize,
    tail: VecDeque<Row>,
    tail_bytes: usize,
    dropped: usize,
    /// The line written to, counted upwards from the last, and the column.
    up: usize,
    column: usize,
    stdout: Scanner,
    stderr: Scanner,
    /// The first line that changed since it was last asked.
    changed: Option<usize>,
    /// The last line ended with a line feed: the next byte begins a new one.
    ended: bool,
}

impl Output {
    /// All that was kept of a run.
    pub fn of(captured: &Captured) -> Self {
        let mut output = Self::default();
        let mut left = [Stream::Stdout, Stream::Stderr].map(|stream| {
            let dropped = captured.dropped(stream);
            (captured.head(stream).len(), (dropped > 0).then_some(dropped))
        });
        for piece in captured.pieces() {
            let (head, dropped) = match piece.stream {
                Stream::Stdout => &mut left[0],
                Stream::Stderr => &mut left[1],
            };
            if *head == 0
                && let Some(bytes) = dropped.take()
            {
                output.note(format!("{} bytes not kept here", grouped(bytes)));
            }
            *head = head.saturating_sub(piece.bytes.len());
            output.push(piece.stream, &piece.bytes);
        }
        output
    }

    /// Takes what was printed next.
    pub fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let mut scanner = std::mem::take(self.scanner(stream));
        let mut rest = bytes;
        while !rest.is_empty() {
            let (token, used) = scanner.next(rest);
            rest = rest.get(used..).unwrap_or_default();
            match token {
                None => {}
                Some(Token::Text(text)) => self.print(&text, scanner.ink(stream)),
                Some(Token::Shown(text)) => self.print(&text, scanner.ink(stream).shown()),
                Some(Token::Control(byte)) => self.control(byte, scanner.ink(stream)),
                Some(Token::Escape(escape)) => self.escape(&escape),
            }
        }
        *self.scanner(stream) = scanner;
    }

    /// How many lines there are to show; one of them stands for those left out.
    pub fn len(&self) -> usize {
        self.head.len() + usize::from(self.dropped > 0) + self.tail.len()
    }

    /// Whether nothing was printed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many lines were left out between the first and the last.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// How many lines are kept from the end, behind those that were left out.
    pub fn kept_at_end(&self) -> usize {
        self.tail.len()
    }

    /// The first line that has changed, or moved to another number, since this was last asked; what was made of it and
    /// of those behind it is stale.
    pub fn take_changed(&mut self) -> Option<usize> {
        self.changed.take()
    }

    /// One line, safe to draw.
    pub fn line(&self, at: usize, theme: &Theme) -> Line<'static> {
        if at == self.head.len() && self.dropped > 0 {
            let text = format!("{} lines not shown here: x shows all output", grouped(self.dropped as u64));
            return Line::styled(text, theme.style(Slot::OutputTruncated));
        }
        let row = match at.checked_sub(self.head.len() + usize::from(self.dropped > 0)) {
            None => self.head.get(at),
            Some(i) => self.tail.get(i),
        };
        let Some(row) = row else { return Line::default() };
        let mut spans = Spans::default();
        let mut inks = row.inks().iter().peekable();
        for glyph in plain::glyphs(row.text(), Strictness::Text, TAB) {
            while inks.peek().is_some_and(|(end, _)| (*end as usize) <= glyph.start) {
                inks.next();
            }
            let ink = inks.peek().map(|(_, ink)| *ink).unwrap_or_default();
            let style = ink.style(theme);
            spans.push(&glyph.text, if glyph.marked { style.patch(theme.mark()) } else { style });
        }
        spans.finish()
    }

    fn scanner(&mut self, stream: Stream) -> &mut Scanner {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }

    /// A line of our own between those of the program.
    fn note(&mut self, text: String) {
        if !self.ended && !self.is_empty() {
            self.line_feed();
        }
        self.print(&text, Ink::note());
        self.line_feed();
    }

    fn print(&mut self, text: &str, ink: Ink) {
        if self.ended || self.is_empty() {
            self.ended = false;
            self.add_row();
        }
        if self.current().is_some_and(|row| row.text().len() + text.len() > LINE_BYTES) {
            self.up = 0;
            self.column = 0;
            self.add_row();
        }
        let mut rest = text;
        while rest.len() > LINE_BYTES {
            let mut cut = LINE_BYTES;
            while !rest.is_char_boundary(cut) {
                cut -= 1;
            }
            let (now, then) = rest.split_at(cut);
            self.write(now, ink);
            self.column = 0;
            self.add_row();
            rest = then;
        }
        self.write(rest, ink);
    }

    fn write(&mut self, text: &str, ink: Ink) {
        let column = self.column;
        if let Some((bytes, columns)) = self.change(|row| row.write(column, text, ink)) {
            self.column = columns;
            self.account(bytes);
        }
    }

    /// The line that is written to changes; its number is kept for who asks.
    fn change<T>(&mut self, act: impl FnOnce(&mut Row) -> T) -> Option<(isize, T)> {
        let last = self.len().checked_sub(1)?;
        let at = last.saturating_sub(self.up);
        self.changed = Some(self.changed.map_or(at, |c| c.min(at)));
        let row = self.current()?;
        let before = row.text().len();
        let result = act(row);
        Some((row.text().len().cast_signed() - before.cast_signed(), result))
    }

    fn current(&mut self) -> Option<&mut Row> {
        let (up, tail) = (self.up, self.tail.len());
        if up < tail {
            return self.tail.get_mut(tail - 1 - up);
        }
        let head = self.head.len();
        self.head.get_mut(head.checked_sub(1 + up - tail)?)
    }

    fn account(&mut self, bytes: isize) {
        let counter = if self.up < self.tail.len() { &mut self.tail_bytes } else { &mut self.head_bytes };
        *counter = counter.saturating_add_signed(bytes);
        while self.tail.len() > TAIL || (self.tail_bytes > TAIL_BYTES && self.tail.len() > REACH) {
            if let Some(row) = self.tail.pop_front() {
                self.tail_bytes = self.tail_bytes.saturating_sub(row.text().len());
                self.dropped += 1;
                let at = self.head.len();
                self.changed = Some(self.changed.map_or(at, |c| c.min(at)));
            }
        }
    }

    fn add_row(&mut self) {
        let head_is_open = self.tail.is_empty() && self.dropped == 0;
        if head_is_open && self.head.len() < HEAD && self.head_bytes < HEAD_BYTES {
            self.head.push(Row::default());
        } else {
            self.tail.push_back(Row::default());
        }
        let at = self.len() - 1;
        self.changed = Some(self.changed.map_or(at, |c| c.min(at)));
        self.account(0);
    }

    fn line_feed(&mut self) {
        self.column = 0;
        if self.up > 0 {
            self.up -= 1;
            self.leave_empty_end();
        } else if self.ended || self.is_empty() {
            self.add_row();
            self.ended = true;
        } else {
            self.ended = true;
        }
    }

    /// Back on the last line, and it is empty: that is where the next line will begin, no line yet.
    fn leave_empty_end(&mut self) {
        if self.up == 0 && self.len() > 1 && self.current().is_some_and(|row| row.text().is_empty()) {
            let gone = self.tail.pop_back().or_else(|| self.head.pop());
            self.ended = gone.is_some();
            let at = self.len();
            self.changed = Some(self.changed.map_or(at, |c| c.min(at)));
        }
    }

    fn control(&mut self, byte: u8, ink: Ink) {
        match byte {
            b'\n' => self.line_feed(),
            b'\r' => self.column = 0,
            0x08 => self.column = self.column.saturating_sub(1),
            b'\t' => {
                let width = TAB - self.column % TAB;
                self.print(&" ".repeat(width), ink);
            }
            // The bell rings nowhere; everything else is shown.
            0x07 => {}
            other => self.print(&plain::escaped(char::from(other)), ink.shown()),
        }
    }

    fn escape(&mut self, escape: &Escape) {
        // Motions start from the line that is written to: one that ended has a new, empty one below it.
        if self.ended && !matches!(escape, Escape::Right(_) | Escape::Left(_) | Escape::Column(_)) {
            self.ended = false;
            self.add_row();
        }
        let last = self.len().saturating_sub(1);
        let reach =
            last.min(REACH).min(if self.dropped > 0 { self.tail.len().saturating_sub(1) } else { last });
        let column = self.column;
        match *escape {
            Escape::Up(n) => self.up = (self.up + n).min(reach),
            Escape::Down(n) => self.up = self.up.saturating_sub(n),
            Escape::NextLine(n) => {
                self.up = self.up.saturating_sub(n);
                self.column = 0;
            }
            Escape::PreviousLine(n) => {
                self.up = (self.up + n).min(reach);
                self.column = 0;
            }
            Escape::Right(n) => self.column = (column + n).min(LINE_BYTES / 16),
            Escape::Left(n) => self.column = column.saturating_sub(n),
            Escape::Column(n) => self.column = n.saturating_sub(1).min(LINE_BYTES / 16),
            Escape::EraseToEnd => self.erase(|row| row.erase_from(column)),
            Escape::EraseToStart => self.erase(|row| row.erase_to(column)),
            Escape::EraseLine => self.erase(Row::clear),
            Escape::EraseBelow => {
                self.erase(|row| row.erase_from(column));
                let up = self.up;
                while self.up > 0 {
                    self.up -= 1;
                    self.erase(Row::clear);
                }
                self.up = up;
            }
            Escape::Nothing => {}
        }
    }

    fn erase(&mut self, act: impl FnOnce(&mut Row)) {
        if let Some((bytes, ())) = self.change(act) {
            self.account(bytes);
        }
    }
}

/// A number with its thousands apart: `12,345`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

//! The scroll position of the pager: lines of the file, and rows of those.

use super::{Pager, paint};
use crate::tui::widgets::words;
use ratatui::layout::Rect;
use std::io;

/// The least number of lines to read for a screen: the window can become larger between two keys.
const MIN_LINES: usize = 512;

impl Pager {
    /// The byte at which the top line begins.
    pub(super) fn top(&self) -> u64 {
        self.lines.first().map_or(0, |line| line.start)
    }

    /// Puts a line at the top, and reads as many lines as a screen can need.
    pub(super) fn go_to(&mut self, start: u64, height: usize) -> io::Result<()> {
        self.lines = self.source.lines(start, (2 * height).max(MIN_LINES) + 64)?;
        self.row = 0;
        Ok(())
    }

    /// Scrolls by rows; at most until the last row of the text is at the bottom of the screen.
    pub(super) fn scroll(&mut self, rows: isize, room: Rect) -> io::Result<()> {
        let (width, height) = (self.width(room), self.height(room));
        self.row = self.first_row(width);
        for _ in 0..rows.min(0).unsigned_abs() {
            if let Some(row) = self.row.checked_sub(1) {
                self.row = row;
            } else if let Some(before) = self.source.line_before(self.top())? {
                let Some(line) = self.source.lines(before, 1)?.pop() else { break };
                self.row = paint::count(&line.text, width) - 1;
                self.lines.insert(0, line);
            } else {
                break;
            }
        }
        if rows > 0 {
            self.read_on(height)?;
            let places = self.places(width, height + rows.unsigned_abs());
            let most = places.len().saturating_sub(height);
            if let Some((line, row)) = places.get(rows.unsigned_abs().min(most)).copied() {
                self.lines.drain(..line);
                self.row = row;
            }
        }
        self.read_on(height)
    }

    /// Reads as many lines as a screen can need; the same row stays at the top.
    fn read_on(&mut self, height: usize) -> io::Result<()> {
        let row = self.row;
        self.go_to(self.top(), height)?;
        self.row = row;
        Ok(())
    }

    /// The row at the top; if its line takes fewer rows in a wider window, the line's last row.
    fn first_row(&self, width: Option<usize>) -> usize {
        let rows = self.lines.first().map_or(1, |line| paint::count(&line.text, width));
        self.row.min(rows.saturating_sub(1))
    }

    /// The rows from the top on, at most this many: the index of the line, and the row in it.
    pub(super) fn places(&self, width: Option<usize>, most: usize) -> Vec<(usize, usize)> {
        let mut places = Vec::new();
        for (number, line) in self.lines.iter().enumerate() {
            let first = if number == 0 { self.first_row(width) } else { 0 };
            places.extend((first..paint::count(&line.text, width)).map(|row| (number, row)));
            if places.len() >= most {
                places.truncate(most);
                break;
            }
        }
        places
    }

    /// Scrolls to the end: the last row is at the bottom of the screen.
    pub(super) fn to_end(&mut self, room: Rect) -> io::Result<()> {
        let len = self.source.len();
        let last = self.source.line_before(len)?.unwrap_or(0);
        self.go_to(last, self.height(room))?;
        self.row = self.lines.first().map_or(1, |line| paint::count(&line.text, self.width(room))) - 1;
        self.scroll(1 - isize::try_from(self.height(room)).unwrap_or(1), room)
    }

    pub(super) fn to_percent(&mut self, percent: u64, room: Rect) -> io::Result<()> {
        let at = self.source.len() / 100 * percent.min(100);
        if percent >= 100 {
            return self.to_end(room);
        }
        let start = self.source.line_start(at)?;
        self.go_to(start, self.height(room))?;
        self.fill(room)
    }

    /// If the end of the text is above the bottom of the screen, scrolls until it is there.
    pub(super) fn fill(&mut self, room: Rect) -> io::Result<()> {
        let height = self.height(room);
        let missing = height - self.places(self.width(room), height).len().min(height);
        self.scroll(-isize::try_from(missing).unwrap_or(0), room)
    }

    /// `34 % of 1.2 GB`
    pub(super) fn place_text(&self, last: Option<u64>) -> String {
        let len = self.source.len();
        let size = words::size(len);
        match last {
            _ if len == 0 => "Nothing in it".into(),
            Some(last) if last >= len => format!("end of {size}"),
            Some(last) => format!("{}% of {size}", u128::from(last) * 100 / u128::from(len.max(1))),
            None => size,
        }
    }
}

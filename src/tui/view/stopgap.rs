//! A plain painter of output and pictures, until the real one is here.

use crate::domain::{Captured, Stream};
use crate::tui::paint::plain::{self, Strictness};
use crate::tui::theme::{Slot, Theme};
use ratatui::style::Style;
use ratatui::text::Line;

/// Lines of what was printed.
#[derive(Debug, Default)]
pub struct Output {
    lines: Vec<(Stream, Vec<u8>)>,
}

impl Output {
    /// What was kept of a run.
    pub fn of(captured: &Captured) -> Self {
        let mut output = Self::default();
        captured.pieces().for_each(|piece| output.push(piece.stream, &piece.bytes));
        output
    }

    /// Adds what was printed.
    pub fn push(&mut self, stream: Stream, bytes: &[u8]) {
        for part in bytes.split_inclusive(|b| *b == b'\n') {
            match self.lines.last_mut().filter(|l| l.0 == stream && !l.1.ends_with(b"\n")) {
                Some(line) => line.1.extend_from_slice(part),
                None => self.lines.push((stream, part.to_vec())),
            }
        }
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// One of them.
    pub fn line(&self, at: usize, theme: &Theme) -> Line<'static> {
        let Some((stream, bytes)) = self.lines.get(at) else { return Line::default() };
        let base = match stream {
            Stream::Stdout => Style::default(),
            Stream::Stderr => theme.style(Slot::OutputStderr),
        };
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        plain::line(&plain::decode(bytes), Strictness::Text, base, theme.mark())
    }
}

/// No pictures yet.
pub fn half_blocks(_bytes: &[u8], _width: u16, _height: u16) -> Result<Vec<Line<'static>>, String> {
    Err("not drawn".into())
}

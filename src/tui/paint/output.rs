//! Turns a program's output into lines while it is printed. A progress bar stays one line, colours are kept,
//! all other terminal sequences are removed.
//!
//! Each stream writes its own rows, in the order in which they began: a line interrupted by the other stream
//! stays one line. Programs can move back to their last rows, as on a terminal of that height. The first and
//! the last rows are kept; one line between them says how many are left out. This module neither wraps nor
//! scrolls.

mod cursor;
mod decode;
mod row;
mod row_buffer;
#[cfg(test)]
mod tests;

use super::glyphs::{self, Spans, Strictness};
use super::pen;
use crate::domain::sentences::saving;
use crate::domain::{OutputBuffer, OutputPart, Stream};
use crate::text::number::counted;
use crate::tui::theme::{Slot, Theme};
use cursor::Cursor;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
pub(crate) use row::TAB;
use row::{OutputRow, RowKind};
use row_buffer::{LineView, RowBuffer};
use std::borrow::Cow;

/// How the lines changed when output was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineChange {
    /// The first changed line; all lines before it are as they were.
    pub(crate) from: usize,
    /// So many lines between the first and the last were dropped: what was line `n` after `from` is line `n -
    /// gone` now.
    pub(crate) dropped: usize,
}

/// The lines of what was printed.
#[derive(Debug, Default)]
pub(crate) struct Output {
    kept: RowBuffer,
    stdout: Cursor,
    stderr: Cursor,
    /// The lowest row that the present push changed.
    touched: u64,
    /// Whether some bytes of the output were never kept.
    is_missing: bool,
}

impl Output {
    /// Builds the lines from what was kept of a run. A note marks where output is missing.
    pub(crate) fn of(captured: &OutputBuffer) -> Self {
        let mut output = Self::default();
        for part in captured.parts() {
            match part {
                OutputPart::Kept(piece) => {
                    output.push(piece.stream, &piece.bytes);
                }
                OutputPart::Missing(stream, bytes) => output.missing(stream, bytes),
            }
        }
        output
    }

    /// Adds output. A piece may end anywhere, even inside a character or sequence.
    pub(crate) fn push(&mut self, stream: Stream, bytes: &[u8]) -> LineChange {
        self.change(|output| {
            let mut decoder = std::mem::take(&mut output.cursor(stream).decoder);
            decoder.feed(bytes, &mut |token| output.obey(stream, token));
            output.cursor(stream).decoder = decoder;
        })
    }

    /// Ends the output: an incomplete character is shown as bytes.
    pub(crate) fn finish(&mut self) -> LineChange {
        self.change(|output| {
            for stream in [Stream::Stdout, Stream::Stderr] {
                output.end(stream);
            }
        })
    }

    fn end(&mut self, stream: Stream) {
        let mut decoder = std::mem::take(&mut self.cursor(stream).decoder);
        decoder.finish(&mut |token| self.obey(stream, token));
    }

    /// The number of lines, including the one about left-out lines.
    pub(crate) fn len(&self) -> usize {
        self.kept.lines()
    }

    /// Adds a line about bytes of a stream that came here but are not in the lines.
    pub(crate) fn note_gap(&mut self, stream: Stream, bytes: u64) -> LineChange {
        self.change(|output| output.missing(stream, bytes))
    }

    /// How many lines were printed. `None` if bytes were never kept: nobody counted the lines in them.
    pub(crate) fn printed_lines(&self) -> Option<usize> {
        (!self.is_missing).then(|| self.len().checked_sub(1).map_or(0, |last| self.number(last) + 1))
    }

    /// Whether lines between the first and the last were dropped, or bytes were never kept.
    pub(crate) fn left_out(&self) -> bool {
        self.kept.gone > 0 || self.is_missing
    }

    /// Whether there are no lines.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text of a line as it was finally printed: without what was overwritten, with tabs.
    pub(crate) fn printed(&self, at: usize) -> Cow<'_, str> {
        match self.kept.line_view(at) {
            Some(LineView::Row(row)) => Cow::Borrowed(row.text()),
            Some(LineView::LeftOut) => Cow::Owned(self.words()),
            None => Cow::Borrowed(""),
        }
    }

    /// The number of a line, which stays the same when other lines are dropped; the line about left-out lines
    /// has the number of the first of them.
    pub(crate) fn number(&self, line: usize) -> usize {
        self.kept.number(line)
    }

    pub(crate) fn line_with(&self, number: usize) -> usize {
        self.kept.line_with(number)
    }

    /// Returns a line, safe to draw; an empty one if there is none.
    pub(crate) fn line(&self, at: usize, theme: &Theme) -> Line<'static> {
        match self.kept.line_view(at) {
            Some(LineView::Row(row)) => paint_row(row, theme),
            Some(LineView::LeftOut) => Line::styled(self.words(), theme.style(Slot::OutputTruncated)),
            None => Line::default(),
        }
    }

    /// Whether a line went to standard error.
    pub(crate) fn is_error(&self, at: usize) -> bool {
        matches!(self.kept.line_view(at), Some(LineView::Row(row)) if row.kind == RowKind::Stderr)
    }

    fn words(&self) -> String {
        if self.is_missing {
            return "... lines left out, nobody counted how many ...".to_owned();
        }
        format!("... {} left out ...", counted(self.kept.gone as usize, "line"))
    }

    /// Makes a change, and tells which lines it changed.
    fn change(&mut self, make: impl FnOnce(&mut Self)) -> LineChange {
        self.touched = self.kept.next();
        let gone_before = self.kept.gone;
        make(self);
        let gone = self.kept.gone - gone_before;
        let from = self.kept.line_of(self.touched, gone > 0);
        // The line about left-out lines takes the place of one of them.
        let gone = gone.saturating_sub(u64::from(gone_before == 0));
        let number = |n| usize::try_from(n).unwrap_or(usize::MAX);
        LineChange { from: number(from), dropped: number(gone) }
    }

    fn cursor(&mut self, stream: Stream) -> &mut Cursor {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }

    /// Adds a note that bytes of a stream are missing here.
    fn missing(&mut self, stream: Stream, bytes: u64) {
        self.end(stream);
        self.is_missing = true;
        self.kept.add(OutputRow::note(saving::bytes_missing(bytes, stream.name())));
        *self.cursor(stream) = Cursor::default();
    }

    fn touch(&mut self, id: u64) {
        self.touched = self.touched.min(id);
    }
}

fn paint_row(row: &OutputRow, theme: &Theme) -> Line<'static> {
    let base = match row.kind {
        RowKind::Stdout => Style::default(),
        RowKind::Stderr => theme.style(Slot::OutputStderr),
        RowKind::Note => theme.style(Slot::OutputTruncated),
    };
    let (text, mark) = (row.text(), theme.mark());
    let mut line = if row.runs().is_empty() && glyphs::is_plain(text) {
        Line::from(Span::styled(text.to_owned(), base))
    } else {
        let mut spans = Spans::default();
        let mut runs =
            row.runs().iter().map(|(end, pen)| (*end as usize, base.patch(pen::style(*pen, theme.depth()))));
        let mut run = runs.next();
        for glyph in glyphs::of(text, Strictness::Text, TAB) {
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

pub(crate) fn column_of(line: &str, byte: usize) -> usize {
    let glyphs = glyphs::of(line, Strictness::Text, TAB);
    glyphs.take_while(|glyph| glyph.end <= byte).map(|glyph| glyph.width).sum()
}

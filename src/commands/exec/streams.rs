//! Standard output and standard error of `sayso exec`: what programs print, and sayso's own words, which begin a line.

use crate::commands::Console;
use crate::domain::Stream;
use crate::domain::visible::Visible;
use crate::engine::printed_text::PrintedText;
use std::io::{self, IsTerminal as _, Write};
use std::time::Instant;

/// Both streams, for one run after the other.
pub(super) struct OutputStreams<'a, 'c> {
    console: &'a mut Console<'c>,
    printed: PrintedText,
    began: Instant,
    /// Whether each stream goes to a terminal.
    pub(super) is_seen: [bool; 2],
    /// Whether the last line that a program printed on each stream has no end yet.
    is_unfinished: [bool; 2],
}

impl<'a, 'c> OutputStreams<'a, 'c> {
    pub(super) fn new(console: &'a mut Console<'c>) -> Self {
        let is_seen = [io::stdout().is_terminal(), io::stderr().is_terminal()];
        let (printed, began) = (PrintedText::default(), Instant::now());
        Self { console, printed, began, is_seen, is_unfinished: [false; 2] }
    }

    /// The text of what a program printed.
    pub(super) fn text(&mut self, stream: Stream, bytes: &[u8]) -> String {
        let now = self.line_time(stream);
        self.printed.push(stream, bytes, now)
    }

    /// Passes on what a program printed.
    pub(super) fn print(&mut self, stream: Stream, bytes: &[u8]) -> io::Result<()> {
        let text = self.text(stream, bytes);
        self.write(stream, &text)?;
        self.sink(stream).flush()
    }

    /// Passes on the rest of what a program printed. On a terminal its last line is ended, as the next prompt would
    /// stand behind it; a file or a pipe gets exactly what was printed.
    pub(super) fn finish(&mut self, stream: Stream) -> io::Result<()> {
        let now = self.line_time(stream);
        let rest = self.printed.finish(stream, now);
        self.write(stream, &rest)?;
        if self.is_seen[stream as usize] { self.end_line(stream) } else { Ok(()) }
    }

    /// Where sayso's own words go, at the beginning of a line.
    pub(super) fn own_line(&mut self, stream: Stream) -> io::Result<&mut dyn Write> {
        self.end_line(stream)?;
        Ok(self.sink(stream))
    }

    /// Ends the line that a program left unfinished.
    pub(super) fn end_line(&mut self, stream: Stream) -> io::Result<()> {
        if std::mem::take(&mut self.is_unfinished[stream as usize]) {
            writeln!(self.sink(stream))?;
        }
        Ok(())
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.console.out.flush()?;
        self.console.err.flush()
    }

    fn write(&mut self, stream: Stream, text: &str) -> io::Result<()> {
        if !text.is_empty() {
            self.is_unfinished[stream as usize] = !text.ends_with('\n');
        }
        write!(self.sink(stream), "{}", Visible(text))
    }

    fn sink(&mut self, stream: Stream) -> &mut dyn Write {
        match stream {
            Stream::Stdout => &mut *self.console.out,
            Stream::Stderr => &mut *self.console.err,
        }
    }

    /// The time with which overwritten lines (progress bars) are shortened, on a terminal only: a file or a pipe gets
    /// everything.
    fn line_time(&self, stream: Stream) -> Option<u64> {
        let is_seen = self.is_seen[stream as usize];
        is_seen.then(|| u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX))
    }
}

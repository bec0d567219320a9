//! Shows on standard error how far a check is: on a terminal in one line that is overwritten and finally removed,
//! elsewhere in a new line now and then. A quick check shows nothing. The total number of files is unknown until the
//! end.

use crate::text::number::{counted, duration};
use std::io::{self, IsTerminal as _, Write};
use std::time::{Duration, Instant};

/// How often progress is shown.
#[derive(Clone, Copy)]
struct Pace {
    /// The time before the first message.
    first: Duration,
    /// The time between two messages.
    pause: Duration,
}

const TERMINAL_PACE: Pace = Pace { first: Duration::from_secs(1), pause: Duration::from_millis(200) };
const LOG_PACE: Pace = Pace { first: Duration::from_secs(30), pause: Duration::from_secs(30) };

pub(super) struct Progress<'a> {
    err: &'a mut dyn Write,
    on_terminal: bool,
    began: Instant,
    due: Instant,
    files: usize,
    /// Characters of the line now on the terminal.
    shown: usize,
}

impl<'a> Progress<'a> {
    /// Starts the clock; shows nothing yet.
    pub(super) fn new(err: &'a mut dyn Write) -> Self {
        Self::on(err, io::stderr().is_terminal())
    }

    fn on(err: &'a mut dyn Write, on_terminal: bool) -> Self {
        let began = Instant::now();
        let due = began + pace(on_terminal).first;
        Self { err, on_terminal, began, due, files: 0, shown: 0 }
    }

    /// Counts a file that was checked.
    pub(super) fn count_file(&mut self) {
        self.files += 1;
        self.update(Instant::now());
    }

    /// Shows the progress if a message is due. Write errors don't stop the check.
    pub(super) fn update(&mut self, now: Instant) {
        if now < self.due {
            return;
        }
        self.due = now + pace(self.on_terminal).pause;
        let elapsed = now.duration_since(self.began).as_millis();
        let time = duration(u64::try_from(elapsed).unwrap_or(u64::MAX));
        let text = format!("Checking: {} in {time}. Ctrl-C stops it.", counted(self.files, "file"));
        if self.on_terminal {
            // A wrapped line could not be overwritten.
            let room = crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns));
            let text: String = text.chars().take(room.saturating_sub(1)).collect();
            let _ = write!(self.err, "\r{text:<width$}", width = self.shown);
            self.shown = text.len();
        } else {
            let _ = writeln!(self.err, "{text}");
        }
        let _ = self.err.flush();
    }

    /// Removes the line, so that other output can take its place.
    pub(super) fn clear(&mut self) {
        if self.shown > 0 {
            let _ = write!(self.err, "\r{:width$}\r", "", width = std::mem::take(&mut self.shown));
            let _ = self.err.flush();
        }
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        self.clear();
    }
}

fn pace(on_terminal: bool) -> Pace {
    if on_terminal { TERMINAL_PACE } else { LOG_PACE }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The output when files are done at these times, in milliseconds.
    fn written(on_terminal: bool, moments: &[u64]) -> String {
        let mut err = Vec::new();
        let mut progress = Progress::on(&mut err, on_terminal);
        for ms in moments {
            progress.files += 1;
            progress.update(progress.began + Duration::from_millis(*ms));
        }
        drop(progress);
        String::from_utf8(err).unwrap()
    }

    #[test]
    fn a_quick_check_says_nothing() {
        assert_eq!(written(true, &[0, 500, 999]), "");
        assert_eq!(written(false, &[0, 500, 29_000]), "");
    }

    #[test]
    fn on_a_terminal_one_line_is_written_over_and_taken_away() {
        let written = written(true, &[1_000, 1_100, 1_200, 1_399, 61_000]);
        let lines: Vec<&str> = written.split('\r').collect();
        assert_eq!(lines[1], "Checking: 1 file in 1.0 s. Ctrl-C stops it.");
        assert_eq!(lines[2], "Checking: 3 files in 1.2 s. Ctrl-C stops it.");
        assert_eq!(lines[3].trim_end(), "Checking: 5 files in 61 s. Ctrl-C stops it.");
        assert_eq!(lines[3].len(), lines[2].len(), "it covers the one before");
        assert!(lines[4].trim().is_empty() && lines[4].len() == 43 && lines[5].is_empty(), "{lines:?}");
        assert!(!written.contains('\n'));
    }

    #[test]
    fn in_a_log_a_line_is_added_now_and_then() {
        let moments: Vec<u64> = (0..=100).map(|n| n * 1_000).collect();
        let written = written(false, &moments);
        assert_eq!(written.lines().count(), 3, "{written}");
        assert!(written.starts_with("Checking: 31 files in 30 s. Ctrl-C stops it.\n"), "{written}");
    }
}

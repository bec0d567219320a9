//! Collapses lines that a program overwrites, like progress bars, for append-only output: prints the final line, and
//! now and then the current one.

/// How often an overwritten line is printed while it changes, in milliseconds.
const REPEAT_INTERVAL_MS: u64 = 10_000;

/// Longer overwritten lines, in bytes, are printed at once: progress bars are shorter.
const MAX_HELD_BYTES: usize = 8 << 10;

/// The state of one stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct LineCollapser {
    /// Whether a part of the current line was printed without its end.
    open: bool,
    /// Whether a carriage return came last.
    returned: bool,
    /// The current content of an overwritten line that is not printed yet.
    held: Option<String>,
    /// When such a line was printed last, or began.
    since: Option<u64>,
}

impl LineCollapser {
    /// Takes a piece of the stream at this time in milliseconds; returns the text to print.
    pub(crate) fn push(&mut self, text: &str, now_ms: u64) -> String {
        let mut told = String::new();
        for piece in text.split_inclusive(['\r', '\n']) {
            let body = piece.trim_end_matches(['\r', '\n']);
            if !body.is_empty() {
                self.write(body, now_ms, &mut told);
            }
            match piece.as_bytes().last() {
                Some(b'\n') => self.end_line(&mut told),
                Some(b'\r') => self.returned = true,
                _ => {}
            }
        }
        told
    }

    /// Ends the stream; returns the remaining text.
    pub(crate) fn finish(&mut self) -> String {
        let mut told = String::new();
        if self.held.is_some() {
            self.end_line(&mut told);
        }
        *self = Self::default();
        told
    }

    fn write(&mut self, body: &str, now_ms: u64, told: &mut String) {
        if !std::mem::take(&mut self.returned) {
            match &mut self.held {
                Some(held) if held.len() < MAX_HELD_BYTES => held.push_str(body),
                held => {
                    if let Some(held) = held.take() {
                        told.push_str(if self.open { "\n" } else { "" });
                        told.push_str(&held);
                    }
                    told.push_str(body);
                    self.open = true;
                }
            }
            return;
        }
        let since = *self.since.get_or_insert(now_ms);
        // Lines that differ only in numbers are the same bar; any other line is printed before it is overwritten.
        let is_other = self.held.as_ref().is_some_and(|held| letters(held).ne(letters(body)));
        if is_other || now_ms.saturating_sub(since) >= REPEAT_INTERVAL_MS && self.held.is_some() {
            self.end_line(told);
            self.since = Some(now_ms);
        }
        self.held = Some(body.to_owned());
    }

    fn end_line(&mut self, told: &mut String) {
        self.returned = false;
        if let Some(held) = self.held.take() {
            if self.open {
                told.push('\n');
            }
            told.push_str(&held);
            self.since = None;
        }
        told.push('\n');
        self.open = false;
    }
}

/// The part of a bar that stays the same while it advances.
fn letters(line: &str) -> impl Iterator<Item = char> {
    line.chars().filter(|c| c.is_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The output for pieces that come this many milliseconds apart, joined by `|`.
    fn told(pieces: &[&str], apart: u64) -> String {
        let mut lines = LineCollapser::default();
        let mut all: Vec<String> = (0..)
            .zip(pieces)
            .map(|(n, piece)| lines.push(piece, n * apart))
            .filter(|t| !t.is_empty())
            .collect();
        all.push(lines.finish());
        all.join("|")
    }

    #[test]
    fn lines_that_are_not_written_over_pass_as_they_come() {
        assert_eq!(told(&["a", "b\nc", "\r\nd\n\n"], 1), "a|b\nc|\nd\n\n|");
        assert_eq!(told(&["a\r", "\nb\r\n"], 1), "a|\nb\n|");
    }

    #[test]
    fn a_bar_is_told_once_as_it_ended() {
        assert_eq!(
            told(&["\r  0%|", " | 0/3", "\r 33%", "\r 66%", "\r100%| 3/3\n", "done\n"], 1),
            "100%| 3/3\n|done\n|"
        );
        assert_eq!(
            told(&["load 1%\r", "load 50%\r", "load 100%"], 1),
            "load 1%|\nload 100%\n",
            "without an end"
        );
        assert_eq!(told(&["load 1%\rload 2%\rload 3%\r\n"], 1), "load 1%\nload 3%\n|");
    }

    #[test]
    fn what_is_no_bar_is_told_before_it_is_written_over() {
        assert_eq!(told(&["x\ry\rz\n"], 1), "x\ny\nz\n|");
        assert_eq!(told(&["\rsecret\r   ok\n"], 1), "secret\n   ok\n|");
    }

    #[test]
    fn a_bar_that_takes_long_is_told_now_and_then() {
        let bar: Vec<String> = (0..=30).map(|n| format!("\r{n} of 30")).collect();
        let pieces: Vec<&str> = bar.iter().map(String::as_str).collect();
        assert_eq!(told(&pieces, 1_000), "9 of 30\n|19 of 30\n|29 of 30\n|30 of 30\n");
    }

    #[test]
    fn what_was_written_over_is_not_kept() {
        let mut lines = LineCollapser::default();
        for n in 0..100_000 {
            assert_eq!(lines.push(&format!("\r{n}"), 0), "");
        }
        assert_eq!(lines.finish(), "99999\n");
        lines.push("a\r", 0);
        let told: usize = (0..100).map(|_| lines.push(&"x".repeat(1_000), 0).len()).sum();
        assert!(told > 90_000, "a line without an end is not kept: {told}");
    }
}

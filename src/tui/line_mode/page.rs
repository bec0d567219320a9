//! Writes standard output as lines that are only appended: whole lines with labels, streams that continue
//! within a line, questions with the answer after them. Outside text is escaped before it is printed.

use crate::domain::visible::visible;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr as _;

/// What the last line belongs to while it is not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpenLine {
    None,
    /// Prose of the model.
    Prose,
    /// Output of a program; `true` for standard error.
    Output(bool),
    /// A question.
    Question,
}

pub(super) struct LinePage {
    out: io::Stdout,
    open: OpenLine,
    prose: StreamedProse,
}

/// Holds back the end of streamed prose: spaces and a word that may be incomplete wait for the next piece, so
/// that rows are never broken within a word.
#[derive(Debug, Default)]
struct StreamedProse {
    held: String,
    /// How many columns of the present line are taken.
    column: usize,
}

impl StreamedProse {
    /// Begins a line of which so many columns are taken.
    fn begin(&mut self, column: usize) {
        *self = Self { held: String::new(), column };
    }

    /// Adds a piece; returns what can be printed now.
    fn push(&mut self, piece: &str, columns: usize) -> String {
        self.held.push_str(piece);
        let words = self.held.trim_end_matches(|c: char| !matches!(c, ' ' | '\n')).trim_end_matches(' ');
        // The terminal breaks a word that is longer than a row anyway.
        let ready = if self.held.len() - words.len() > columns { self.held.len() } else { words.len() };
        let rest = self.held.split_off(ready);
        let ready = std::mem::replace(&mut self.held, rest);
        self.fold(&ready, columns)
    }

    /// Returns the rest: nothing follows.
    fn finish(&mut self, columns: usize) -> String {
        let rest = std::mem::take(&mut self.held);
        self.fold(&rest, columns)
    }

    fn fold(&mut self, text: &str, columns: usize) -> String {
        let (text, column) = folded(text, columns, self.column);
        self.column = column;
        text
    }
}

impl LinePage {
    pub(super) fn new() -> Self {
        Self { out: io::stdout(), open: OpenLine::None, prose: StreamedProse::default() }
    }

    /// Prints one line, broken at words if it is wider than the terminal.
    pub(super) fn line(&mut self, text: &str) -> io::Result<()> {
        self.go_on(OpenLine::None)?;
        writeln!(self.out, "{}", folded(&on_one_line(text), columns(), 0).0)?;
        self.out.flush()
    }

    /// Prints one line of code unbroken: an added break would look like part of the code.
    pub(super) fn code(&mut self, text: &str) -> io::Result<()> {
        self.go_on(OpenLine::None)?;
        writeln!(self.out, "{}", on_one_line(text))?;
        self.out.flush()
    }

    /// Prints lines with a prefix that no other output begins with.
    pub(super) fn lines_behind(&mut self, lead: &str, text: &str) -> io::Result<()> {
        self.go_on(OpenLine::None)?;
        for line in visible(text).lines() {
            writeln!(self.out, "{lead}{line}")?;
        }
        self.out.flush()
    }

    /// Prints a piece of a stream, with `lead` in front of each line of a program, but only the first line of
    /// prose.
    pub(super) fn stream(&mut self, of: OpenLine, lead: &str, text: &str) -> io::Result<()> {
        for piece in visible(text).split_inclusive('\n') {
            if self.open != of {
                self.go_on(of)?;
                write!(self.out, "{lead}")?;
                self.prose.begin(lead.width());
            }
            if of == OpenLine::Prose {
                let text = self.prose.push(piece, columns());
                write!(self.out, "{text}")?;
            } else {
                write!(self.out, "{piece}")?;
            }
            // Prose continues on the next line; a program's lines each get the lead.
            if piece.ends_with('\n') && of != OpenLine::Prose {
                self.open = OpenLine::None;
            }
        }
        self.out.flush()
    }

    /// Prints a question; the answer is typed after it.
    pub(super) fn ask(&mut self, text: &str) -> io::Result<()> {
        self.go_on(OpenLine::None)?;
        write!(self.out, "{} ", folded(&on_one_line(text), columns(), 0).0)?;
        self.open = OpenLine::Question;
        self.out.flush()
    }

    /// Records that the person ended the line.
    pub(super) fn answered(&mut self) {
        if self.open == OpenLine::Question {
            self.open = OpenLine::None;
        }
    }

    /// Whether the last output is a question.
    pub(super) fn asks(&self) -> bool {
        self.open == OpenLine::Question
    }

    /// Whether the last output is prose of the model.
    pub(super) fn is_prose(&self) -> bool {
        self.open == OpenLine::Prose
    }

    /// Ends the open line, unless the next output continues it.
    pub(super) fn go_on(&mut self, next: OpenLine) -> io::Result<()> {
        if self.open != OpenLine::None && self.open != next {
            let rest =
                if self.open == OpenLine::Prose { self.prose.finish(columns()) } else { String::new() };
            writeln!(self.out, "{rest}")?;
        }
        self.open = next;
        Ok(())
    }
}

/// The columns of the terminal; a large number if unknown.
pub(super) fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stdout());
    size.ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0).unwrap_or(usize::MAX)
}

/// Replaces spaces by line breaks where the next word would not fit, counting from column `from`; returns also
/// the column reached. A word longer than a row stays whole: the terminal breaks it.
fn folded(text: &str, columns: usize, from: usize) -> (String, usize) {
    let (mut out, mut column, mut blanks) = (String::with_capacity(text.len()), from, String::new());
    for word in text.split_inclusive([' ', '\n']) {
        let letters = word.trim_end_matches([' ', '\n']);
        if !letters.is_empty() {
            let fits = column + blanks.len() + letters.width() <= columns;
            if !fits && column > 0 && !blanks.is_empty() {
                out.push('\n');
                column = 0;
            } else {
                out.push_str(&blanks);
                column += blanks.len();
            }
            blanks.clear();
            out.push_str(letters);
            column += letters.width();
        }
        for end in word.chars().skip(letters.chars().count()) {
            if end == '\n' {
                out.push_str(&std::mem::take(&mut blanks));
                out.push('\n');
                column = 0;
            } else {
                blanks.push(' ');
            }
        }
    }
    column += blanks.len();
    (out + &blanks, column)
}

/// Escapes a text for one line; line ends become spaces.
fn on_one_line(text: &str) -> String {
    visible(text).replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_words_and_lose_nothing_but_blanks() {
        let (text, column) = folded("revenue by region and month", 16, 0);
        assert_eq!((text.as_str(), column), ("revenue by\nregion and month", 16));
        assert_eq!(folded("unbreakable-as-it-is", 8, 0).0, "unbreakable-as-it-is");
        assert_eq!(folded("  label: x", 80, 0).0, "  label: x", "an indent stays");
    }

    fn streamed(pieces: &[&str], columns: usize) -> String {
        let mut prose = StreamedProse::default();
        prose.begin("Model: ".len());
        let mut said: String = pieces.iter().map(|piece| prose.push(piece, columns)).collect();
        said.push_str(&prose.finish(columns));
        said
    }

    /// Where the pieces of a reply end makes no difference.
    #[test]
    fn rows_break_at_words_wherever_a_piece_ends() {
        let text = "revenue by region and month,  then\n  done in  12 steps ";
        let whole = folded(text, 16, "Model: ".len()).0;
        assert_eq!(whole, "revenue\nby region and\nmonth,  then\n  done in  12\nsteps ");
        for size in 1..9 {
            let letters: Vec<char> = text.chars().collect();
            let pieces: Vec<String> = letters.chunks(size).map(|piece| piece.iter().collect()).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            assert_eq!(streamed(&pieces, 16), whole, "pieces of {size}");
        }
    }

    #[test]
    fn what_is_longer_than_a_row_does_not_wait() {
        let mut prose = StreamedProse::default();
        prose.begin(0);
        assert_eq!(prose.push("北京上海广州深圳", 16), "北京上海广州深圳");
        assert_eq!(prose.push("and", 16), "");
        assert_eq!(prose.finish(16), "and");
    }
}

//! Standard output as lines that are only added: whole lines with their label, streams that go on within one, questions
//! that wait at the end of theirs. Everything from outside is written out before it is printed.

use crate::domain::visible::visible;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr as _;

/// What the last line belongs to, as long as it is not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpenLine {
    None,
    /// Prose of the model.
    Prose,
    /// What a program prints; the errors apart.
    Output(bool),
    /// A question.
    Question,
}

/// The page.
pub(super) struct PlainPage {
    out: io::Stdout,
    open: OpenLine,
    /// Columns that the line of prose has taken so far.
    column: usize,
}

impl PlainPage {
    pub(super) fn new() -> Self {
        Self { out: io::stdout(), open: OpenLine::None, column: 0 }
    }

    /// One line; where it is longer than the terminal is wide, it is broken at words.
    pub(super) fn line(&mut self, text: &str) -> io::Result<()> {
        self.go_on(OpenLine::None)?;
        writeln!(self.out, "{}", folded(&on_one_line(text), columns(), 0).0)?;
        self.out.flush()
    }

    /// One line of code, as it is: a break in it would be one of the code.
    pub(super) fn code(&mut self, text: &str) -> io::Result<()> {
        self.go_on(OpenLine::None)?;
        writeln!(self.out, "{}", on_one_line(text))?;
        self.out.flush()
    }

    /// Lines behind a lead that nothing else begins with.
    pub(super) fn behind(&mut self, lead: &str, text: &str) -> io::Result<()> {
        self.go_on(OpenLine::None)?;
        for line in visible(text).lines() {
            writeln!(self.out, "{lead}{line}")?;
        }
        self.out.flush()
    }

    /// A piece of a stream. `lead` stands in front of each of its lines, or of the first alone.
    pub(super) fn stream(&mut self, of: OpenLine, lead: &str, text: &str) -> io::Result<()> {
        for piece in visible(text).split_inclusive('\n') {
            if self.open != of {
                self.go_on(of)?;
                write!(self.out, "{lead}")?;
                self.column = lead.width();
            }
            if of == OpenLine::Prose {
                let (text, column) = folded(piece, columns(), self.column);
                self.column = column;
                write!(self.out, "{text}")?;
            } else {
                write!(self.out, "{piece}")?;
            }
            // Prose goes on in the next line; a program's line has its lead each time.
            if piece.ends_with('\n') && of != OpenLine::Prose {
                self.open = OpenLine::None;
            }
        }
        self.out.flush()
    }

    /// A question, with its answer behind it.
    pub(super) fn ask(&mut self, text: &str) -> io::Result<()> {
        self.go_on(OpenLine::None)?;
        write!(self.out, "{} ", folded(&on_one_line(text), columns(), 0).0)?;
        self.open = OpenLine::Question;
        self.out.flush()
    }

    /// The person ended the line.
    pub(super) fn answered(&mut self) {
        if self.open == OpenLine::Question {
            self.open = OpenLine::None;
        }
    }

    /// Whether the model's prose goes on.
    pub(super) fn is_prose(&self) -> bool {
        self.open == OpenLine::Prose
    }

    /// Ends the line that is open, unless what follows goes on with it.
    pub(super) fn go_on(&mut self, next: OpenLine) -> io::Result<()> {
        if self.open != OpenLine::None && self.open != next {
            writeln!(self.out)?;
        }
        self.open = next;
        Ok(())
    }
}

/// Columns of the terminal; many where it tells none.
pub(super) fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stdout());
    size.ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0).unwrap_or(usize::MAX)
}

/// A text with breaks in the place of blanks where the next word would be cut, from this column on; and the column behind
/// it. A word that is longer than a row stays whole: the terminal breaks it.
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

/// The text as it may be printed; its blanks stay as they are, its line ends become some.
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
        // In pieces, as a model writes.
        let (first, column) = folded("Model: revenue", 16, 0);
        let (second, column) = folded(" by", 16, column);
        let (third, _) = folded(" region\n  done", 16, column);
        assert_eq!([first, second, third].concat(), "Model: revenue\nby region\n  done");
        assert_eq!(folded("unbreakable-as-it-is", 8, 0).0, "unbreakable-as-it-is");
        assert_eq!(folded("  label: x", 80, 0).0, "  label: x", "an indent stays");
    }
}

//! Writes standard output as lines that are only appended: whole lines with labels, streams that continue
//! within a line, questions with the answer after them. Outside text is escaped before it is printed.

use super::rows::{BreakAt, RowBreaker, broken};
use crate::domain::visible::visible;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr as _;

/// What stands in front of the rows that a line of sayso's own continues in. No line begins with as many blanks, so that a
/// name from outside does not look like a line of its own where it continues.
const HANG: &str = "    ";

/// The lead of comparisons, of changes in instructions, and of a recipe's summary.
pub(super) const TEXT_LEAD: &str = "  = ";

/// What the last line belongs to while it is not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpenLine {
    None,
    /// Prose of the model.
    Prose,
    /// Output of a program; `true` for standard error.
    Output(bool),
    Question,
}

pub(super) struct LinePage {
    out: io::Stdout,
    open: OpenLine,
    /// Breaks the stream that the open line belongs to.
    rows: RowBreaker,
}

impl LinePage {
    pub(super) fn new() -> Self {
        Self { out: io::stdout(), open: OpenLine::None, rows: RowBreaker::new(BreakAt::Words, "", HANG) }
    }

    /// Prints one line, broken at words if it is wider than the terminal.
    pub(super) fn line(&mut self, text: &str) -> io::Result<()> {
        self.go_on(OpenLine::None)?;
        writeln!(self.out, "{}", own_line(text))?;
        self.out.flush()
    }

    /// Prints one line of code, the first columns of which are its number: where it continues they are blank, so that
    /// no row of it looks like a line of the code or of sayso's own.
    pub(super) fn code(&mut self, number: &str, text: &str) -> io::Result<()> {
        self.go_on(OpenLine::None)?;
        let leads = (number, &*" ".repeat(number.width()));
        writeln!(self.out, "{}", broken(&on_one_line(text), columns(), BreakAt::Characters, leads))?;
        self.out.flush()
    }

    /// Prints lines with this lead on each row, also where a line continues on the next one.
    pub(super) fn lines_behind(&mut self, lead: &str, text: &str) -> io::Result<()> {
        self.go_on(OpenLine::None)?;
        for line in visible(text).lines() {
            writeln!(self.out, "{}", broken(line, columns(), BreakAt::Characters, (lead, lead)))?;
        }
        self.out.flush()
    }

    /// Prints a piece of a stream with `lead` in front of each line. A program's rows have it too, where a line
    /// continues; those of prose, which are broken at words, are indented.
    pub(super) fn stream(&mut self, of: OpenLine, lead: &str, text: &str) -> io::Result<()> {
        if self.open != of {
            self.go_on(of)?;
            self.rows = match of {
                OpenLine::Prose => RowBreaker::new(BreakAt::Words, lead, &" ".repeat(lead.width())),
                _ => RowBreaker::new(BreakAt::Characters, lead, lead),
            };
        }
        let text = visible(text);
        write!(self.out, "{}", self.rows.push(&text, columns()))?;
        // Prose continues on the next line; each line of a program may belong to another stream.
        if of != OpenLine::Prose && text.ends_with('\n') {
            self.open = OpenLine::None;
        }
        self.out.flush()
    }

    /// Prints a question; the answer is typed after it.
    pub(super) fn ask(&mut self, text: &str) -> io::Result<()> {
        self.go_on(OpenLine::None)?;
        write!(self.out, "{} ", own_line(text))?;
        self.open = OpenLine::Question;
        self.out.flush()
    }

    /// Records that the person ended the line.
    pub(super) fn answered(&mut self) {
        if self.open == OpenLine::Question {
            self.open = OpenLine::None;
        }
    }

    /// Records that the person typed text and did not end the line.
    pub(super) fn typed_on(&mut self) {
        if self.open == OpenLine::None {
            self.open = OpenLine::Question;
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
            writeln!(self.out, "{}", self.rows.finish(columns()))?;
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

/// One line of sayso's own, broken at words.
fn own_line(text: &str) -> String {
    broken(&on_one_line(text), columns(), BreakAt::Words, ("", HANG))
}

/// Escapes a text for one line: line ends become spaces.
fn on_one_line(text: &str) -> String {
    visible(text).replace('\n', " ")
}

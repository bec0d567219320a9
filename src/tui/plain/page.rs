//! Standard output as lines that are only added: whole lines with their label, streams that go on within one, questions
//! that wait at the end of theirs. Everything from outside is written out before it is printed.

use crate::domain::visible::visible;
use std::io::{self, Write};

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
}

impl PlainPage {
    pub(super) fn new() -> Self {
        Self { out: io::stdout(), open: OpenLine::None }
    }

    /// One line.
    pub(super) fn line(&mut self, text: &str) -> io::Result<()> {
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
            }
            write!(self.out, "{piece}")?;
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
        write!(self.out, "{} ", on_one_line(text))?;
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

/// The text as it may be printed; its blanks stay as they are, its line ends become some.
fn on_one_line(text: &str) -> String {
    visible(text).replace('\n', " ")
}

//! The lines of a file, each with its line end. Inserted lines get the line end of their neighbours; a byte order mark,
//! mixed line ends and a missing last line end are kept.

use std::borrow::Cow;
use std::ops::Range;

const BYTE_ORDER_MARK: char = '\u{feff}';

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineEnd {
    Lf,
    CrLf,
    /// The last line, where no line end follows it.
    None,
}

impl LineEnd {
    fn as_str(self) -> &'static str {
        match self {
            LineEnd::Lf => "\n",
            LineEnd::CrLf => "\r\n",
            LineEnd::None => "",
        }
    }
}

/// A text split into lines.
#[derive(Clone, Debug)]
pub(super) struct FileLines<'a> {
    has_mark: bool,
    lines: Vec<(Cow<'a, str>, LineEnd)>,
    /// What most lines end with.
    usual: LineEnd,
    /// Whether the last line has a line end.
    closed: bool,
}

impl<'a> FileLines<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let bare = text.strip_prefix(BYTE_ORDER_MARK);
        let mut lines = Vec::new();
        let mut crlf = 0_i32;
        for line in bare.unwrap_or(text).split_inclusive('\n') {
            let (text, end) = match (line.strip_suffix("\r\n"), line.strip_suffix('\n')) {
                (Some(text), _) => (text, LineEnd::CrLf),
                (None, Some(text)) => (text, LineEnd::Lf),
                (None, None) => (line, LineEnd::None),
            };
            crlf += i32::from(end == LineEnd::CrLf) - i32::from(end == LineEnd::Lf);
            lines.push((Cow::Borrowed(text), end));
        }
        let usual = if crlf > 0 { LineEnd::CrLf } else { LineEnd::Lf };
        let closed = lines.last().is_none_or(|(_, end)| *end != LineEnd::None);
        Self { has_mark: bare.is_some(), lines, usual, closed }
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// A line without its end; empty past the last one.
    pub(super) fn get(&self, at: usize) -> &str {
        self.lines.get(at).map_or("", |(text, _)| text)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|(text, _)| text.as_ref())
    }

    /// Whether the file has the lines `wanted` from line `at` on.
    pub(super) fn has(&self, at: usize, wanted: &[String], same: impl Fn(&str, &str) -> bool) -> bool {
        let there = self.lines.get(at..at.saturating_add(wanted.len())).unwrap_or_default();
        there.len() == wanted.len() && there.iter().zip(wanted).all(|((text, _), wanted)| same(text, wanted))
    }

    /// Replaces a range of lines.
    pub(super) fn splice(&mut self, range: Range<usize>, lines: Vec<String>) {
        let range = range.start.min(self.len())..range.end.min(self.len());
        let neighbour = [range.start, range.start.wrapping_sub(1)];
        let ends = neighbour.into_iter().filter_map(|at| self.lines.get(at).map(|(_, end)| *end));
        let end = ends.into_iter().find(|end| *end != LineEnd::None).unwrap_or(self.usual);
        self.lines.splice(range, lines.into_iter().map(|line| (Cow::Owned(line), end)));
    }

    /// Sets whether the last line has a line end.
    pub(super) fn close(&mut self, closed: bool) {
        self.closed = closed;
    }

    pub(super) fn text(mut self) -> String {
        let last = self.lines.len().saturating_sub(1);
        for (at, (_, end)) in self.lines.iter_mut().enumerate() {
            match (at == last && !self.closed, *end) {
                (true, _) => *end = LineEnd::None,
                (false, LineEnd::None) => *end = self.usual,
                (false, _) => {}
            }
        }
        let bytes: usize = self.lines.iter().map(|(text, _)| text.len() + 2).sum();
        let mut text = String::with_capacity(bytes + BYTE_ORDER_MARK.len_utf8());
        if self.has_mark {
            text.push(BYTE_ORDER_MARK);
        }
        for (line, end) in &self.lines {
            text.push_str(line);
            text.push_str(end.as_str());
        }
        text
    }
}

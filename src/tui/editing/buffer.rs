//! The lines of a text and their ends. One operation changes them: replacing a range. Everything outside the
//! range stays the same byte for byte: the byte order mark, the end of each line, a missing last newline.
//!
//! A position inside the bytes of a character counts as the character's start, so that no wrong position loses
//! text.

/// A position in a text: a line and a byte of it, both from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pos {
    pub(crate) line: usize,
    /// The byte within the line.
    pub byte: usize,
}

impl Pos {
    pub(crate) fn new(line: usize, byte: usize) -> Self {
        Self { line, byte }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LineEnding {
    #[default]
    Lf,
    CrLf,
}

impl LineEnding {
    fn as_str(self) -> &'static str {
        match self {
            LineEnding::Lf => "\n",
            LineEnding::CrLf => "\r\n",
        }
    }
}

/// A part of a text: lines, and the end of each line but the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fragment {
    pub(crate) lines: Vec<String>,
    pub(crate) ends: Vec<LineEnding>,
}

impl Default for Fragment {
    fn default() -> Self {
        Self { lines: vec![String::new()], ends: Vec::new() }
    }
}

impl Fragment {
    /// A text with its own line ends.
    pub(crate) fn of(text: &str) -> Self {
        let (mut lines, mut ends) = (Vec::new(), Vec::new());
        let mut rest = text;
        while let Some((line, behind)) = rest.split_once('\n') {
            let (line, end) =
                line.strip_suffix('\r').map_or((line, LineEnding::Lf), |l| (l, LineEnding::CrLf));
            lines.push(line.to_owned());
            ends.push(end);
            rest = behind;
        }
        lines.push(rest.to_owned());
        Self { lines, ends }
    }

    /// A text from elsewhere: its lines get this end, whatever they had.
    pub(crate) fn pasted(text: &str, end: LineEnding) -> Self {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
        let ends = vec![end; lines.len() - 1];
        Self { lines, ends }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty() && self.lines.iter().all(String::is_empty)
    }

    /// The text, lines joined by `\n`.
    pub(crate) fn text(&self) -> String {
        self.lines.join("\n")
    }

    /// Its approximate size in bytes.
    pub(crate) fn weight(&self) -> usize {
        self.lines.iter().map(String::len).sum::<usize>() + self.ends.len() * size_of::<String>()
    }

    /// Where it ends if it begins at this position.
    pub(crate) fn end_from(&self, from: Pos) -> Pos {
        let last = self.lines.last().map_or(0, String::len);
        match self.lines.len() {
            0 | 1 => Pos::new(from.line, from.byte + last),
            lines => Pos::new(from.line + lines - 1, last),
        }
    }
}

/// A text. It always has at least one line.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    lines: Vec<String>,
    /// The end of each line but the last.
    ends: Vec<LineEnding>,
    /// Whether it starts with a byte order mark; the mark is in no line.
    pub(super) mark: bool,
    /// The most frequent line end of the text.
    usual: LineEnding,
    /// How many lines at the start and at the end were never changed.
    pub(super) untouched: (usize, usize),
}

/// The byte order mark that some editors write at the start of a file.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

impl Default for Buffer {
    fn default() -> Self {
        Self::of("")
    }
}

impl Buffer {
    pub(crate) fn of(text: &str) -> Self {
        let body = text.strip_prefix(BYTE_ORDER_MARK);
        let Fragment { lines, ends } = Fragment::of(body.unwrap_or(text));
        let crlf = ends.iter().filter(|end| **end == LineEnding::CrLf).count();
        let usual = if 2 * crlf > ends.len() { LineEnding::CrLf } else { LineEnding::Lf };
        let untouched = (lines.len(), lines.len());
        Self { lines, ends, mark: body.is_some(), usual, untouched }
    }

    /// The lines without their ends; there is at least one.
    pub(crate) fn lines(&self) -> &[String] {
        &self.lines
    }

    /// A line; empty after the last.
    pub(crate) fn line(&self, index: usize) -> &str {
        self.lines.get(index).map_or("", String::as_str)
    }

    pub(crate) fn last_line(&self) -> usize {
        self.lines.len().saturating_sub(1)
    }

    pub(crate) fn end(&self) -> Pos {
        Pos::new(self.last_line(), self.line(self.last_line()).len())
    }

    /// Adds the byte order mark, or removes it.
    pub(crate) fn turn_mark(&mut self) {
        self.mark = !self.mark;
    }

    /// Moves a position to a valid one: on a line, and not inside a character.
    pub(crate) fn at(&self, place: Pos) -> Pos {
        let index = place.line.min(self.last_line());
        Pos::new(index, self.line(index).floor_char_boundary(place.byte))
    }

    /// The whole text, as it is written to a file.
    pub(crate) fn text(&self) -> String {
        let mut text = String::with_capacity(self.lines.iter().map(|line| line.len() + 2).sum());
        if self.mark {
            text.push(BYTE_ORDER_MARK);
        }
        for (index, line) in self.lines.iter().enumerate() {
            text.push_str(line);
            text.push_str(self.ends.get(index).map_or("", |end| end.as_str()));
        }
        text
    }

    /// The end for a new line here: that of the line itself, else that of the line above.
    pub(crate) fn end_at(&self, index: usize) -> LineEnding {
        let above = index.checked_sub(1).and_then(|above| self.ends.get(above));
        self.ends.get(index).or(above).copied().unwrap_or(self.usual)
    }

    /// The text between two positions; empty if the second is before the first.
    pub(crate) fn slice(&self, from: Pos, to: Pos) -> Fragment {
        let (from, to) = (self.at(from), self.at(to));
        let (first, last) = (self.line(from.line), self.line(to.line));
        if from.line >= to.line {
            let text = first.get(from.byte..to.byte).unwrap_or_default();
            return Fragment { lines: vec![text.to_owned()], ends: Vec::new() };
        }
        let mut lines = Vec::with_capacity(to.line - from.line + 1);
        lines.push(first.get(from.byte..).unwrap_or_default().to_owned());
        lines.extend(self.lines.iter().take(to.line).skip(from.line + 1).cloned());
        lines.push(last.get(..to.byte).unwrap_or_default().to_owned());
        let ends = self.ends.iter().take(to.line).skip(from.line).copied().collect();
        Fragment { lines, ends }
    }

    /// Replaces the text between two positions, and returns the old text. Typing a letter costs its line;
    /// adding a line also moves a pointer for each line below.
    pub(crate) fn replace(&mut self, from: Pos, to: Pos, new: &Fragment) -> Fragment {
        let from = self.at(from);
        let to = self.at(to).max(from);
        let old = self.slice(from, to);
        let below = self.last_line().saturating_sub(to.line);
        self.untouched = (self.untouched.0.min(from.line), self.untouched.1.min(below));
        let tail = self.line(to.line).get(to.byte..).unwrap_or_default().to_owned();
        let Some(first) = new.lines.first() else { return old };
        if let Some(line) = self.lines.get_mut(from.line) {
            line.truncate(from.byte);
            line.push_str(first);
            if new.lines.len() == 1 {
                line.push_str(&tail);
            }
        }
        let mut inner: Vec<String> = new.lines.iter().skip(1).cloned().collect();
        if let Some(line) = inner.last_mut() {
            line.push_str(&tail);
        }
        if !inner.is_empty() || to.line > from.line {
            self.lines.splice(from.line + 1..=to.line, inner);
            self.ends.splice(from.line..to.line, new.ends.iter().copied());
        }
        old
    }
}

//! The one place that makes text safe to draw: any bytes in, visible characters with styles out.
//!
//! Whatever a terminal would obey, hide or reorder is shown as text instead (`\x1b`, `\xff`, `<U+202E>`), in a
//! style of its own. The result contains no control characters, no direction controls, and nothing of zero
//! width except as part of the character before it; a second pass changes nothing. This module does not wrap;
//! see `wrap`.

use crate::domain::unicode::{self, HiddenReason};
pub(crate) use crate::text::cells::width;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation as _;

/// Columns between tab stops in code and prose.
pub(crate) const TAB: usize = 4;

/// More marks than this on one character are shown as text: no script needs them, and they paint over neighbours.
const MAX_MARKS: usize = 8;

/// How strictly characters are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Strictness {
    /// Prose and output: joiners in ordinary use and unusual spaces are drawn, the latter as a plain space.
    #[default]
    Text,
    /// Code: every character that is not what it looks like is shown as text.
    Code,
}

/// One drawn character, with the source bytes that it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Glyph<'a> {
    /// What is drawn: never empty, always safe.
    pub(crate) text: Cow<'a, str>,
    /// Its width in columns; at least 1.
    pub(crate) width: usize,
    /// Where it begins in the source.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether it is an escape, shown instead of something that may not be drawn.
    pub(crate) marked: bool,
}

impl Glyph<'_> {
    /// So many columns of blanks.
    fn blank(width: usize, start: usize, end: usize) -> Self {
        Self { text: Cow::Owned(" ".repeat(width)), width, start, end, marked: false }
    }
}

/// The glyphs of one line (a line feed in it is shown as text).
pub(crate) fn of(line: &str, strictness: Strictness, tab: usize) -> Glyphs<'_> {
    Glyphs { line, at: 0, column: 0, strictness, tab: tab.max(1), pending: Vec::new() }
}

pub(crate) struct Glyphs<'a> {
    line: &'a str,
    at: usize,
    column: usize,
    strictness: Strictness,
    tab: usize,
    /// The remaining glyphs of a cluster that was split up, last first.
    pending: Vec<Glyph<'a>>,
}

impl<'a> Iterator for Glyphs<'a> {
    type Item = Glyph<'a>;

    fn next(&mut self) -> Option<Glyph<'a>> {
        let glyph = match self.pending.pop() {
            Some(glyph) => glyph,
            None => self.read()?,
        };
        self.column += glyph.width;
        Some(glyph)
    }
}

impl<'a> Glyphs<'a> {
    fn read(&mut self) -> Option<Glyph<'a>> {
        let rest = self.line.get(self.at..)?;
        let bytes = rest.as_bytes();
        let first = *bytes.first()?;
        let start = self.at;
        // The common case: printable ASCII, followed by ASCII or nothing.
        if (b' '..=b'~').contains(&first) && bytes.get(1).is_none_or(u8::is_ascii) {
            self.at += 1;
            let text = Cow::Borrowed(rest.get(..1)?);
            return Some(Glyph { text, width: 1, start, end: self.at, marked: false });
        }
        if first == b'\t' {
            self.at += 1;
            let width = self.tab - self.column % self.tab;
            return Some(Glyph::blank(width, start, self.at));
        }
        let cluster = rest.graphemes(true).next()?;
        self.at += cluster.len();
        if self.may_be_drawn(cluster, start)
            && let width = width(cluster)
            && width > 0
        {
            return Some(Glyph { text: Cow::Borrowed(cluster), width, start, end: self.at, marked: false });
        }
        self.take_apart(cluster, start);
        self.pending.pop()
    }

    /// Whether a cluster can be drawn unchanged.
    fn may_be_drawn(&self, cluster: &str, start: usize) -> bool {
        // A combining mark needs a visible base: a space with a mark could look like a letter, and be drawn as
        // a space.
        let first = cluster.chars().next();
        if (cluster.len() > 1 && first == Some(' ')) || first.is_some_and(|first| width_of(first) == 0) {
            return false;
        }
        let mut marks = 0usize;
        let mut before = None;
        for (i, c) in cluster.char_indices() {
            if before.is_some() && width_of(c) == 0 && !unicode::emoji(c) {
                marks += 1;
            }
            let after = cluster.get(i + c.len_utf8()..).and_then(|s| s.chars().next());
            if !self.char_may_be_drawn(before, c, after, start + i) {
                return false;
            }
            before = Some(c);
        }
        marks <= MAX_MARKS
    }

    fn char_may_be_drawn(&self, before: Option<char>, c: char, after: Option<char>, at: usize) -> bool {
        match unicode::hidden(c) {
            None if c == '\n' || c == '\t' => false,
            // A presentation selector is only allowed after an emoji or a keycap digit; elsewhere it could hide
            // something.
            None if c == '\u{fe0e}' || c == '\u{fe0f}' => {
                before.is_some_and(|b| unicode::emoji(b) || matches!(b, '#' | '*' | '0'..='9'))
            }
            None => true,
            Some(HiddenReason::ZeroWidth) if self.strictness == Strictness::Text => {
                let after =
                    after.or_else(|| self.line.get(at + c.len_utf8()..).and_then(|s| s.chars().next()));
                unicode::joins(before, c, after)
            }
            Some(_) => false,
        }
    }

    /// Shows a cluster character by character: safe characters as they are, the others escaped.
    fn take_apart(&mut self, cluster: &'a str, start: usize) {
        let mut parts: Vec<Glyph<'a>> = Vec::new();
        let mut marks = 0usize;
        for (i, c) in cluster.char_indices() {
            let (from, to) = (start + i, start + i + c.len_utf8());
            let own = cluster.get(i..i + c.len_utf8()).unwrap_or_default();
            if self.strictness == Strictness::Text && unicode::hidden(c) == Some(HiddenReason::OddSpace) {
                parts.push(Glyph::blank(width_of(c).max(1), from, to));
                continue;
            }
            let visible = unicode::hidden(c).is_none() && !c.is_control();
            let width = width_of(c);
            if visible && width > 0 {
                marks = 0;
                parts.push(Glyph { text: Cow::Borrowed(own), width, start: from, end: to, marked: false });
                continue;
            }
            let selector = matches!(c, '\u{fe0e}' | '\u{fe0f}');
            if visible && !selector && marks < MAX_MARKS && joins_mark(&mut parts, c, to) {
                marks += 1;
                continue;
            }
            let text = escape_char(c);
            let width = text.len();
            parts.push(Glyph { text: Cow::Owned(text), width, start: from, end: to, marked: true });
        }
        parts.reverse();
        self.pending = parts;
    }
}

/// Puts a combining mark on the glyph before it, if that one can carry it.
fn joins_mark(parts: &mut [Glyph<'_>], c: char, end: usize) -> bool {
    match parts.last_mut() {
        Some(last) if !last.marked && last.text != " " => {
            let mut text = last.text.to_string();
            text.push(c);
            // It must stay one character of the same width, or the terminal and sayso would disagree about
            // columns.
            if text.graphemes(true).count() != 1 || width(&text) != last.width {
                return false;
            }
            last.text = Cow::Owned(text);
            last.end = end;
            true
        }
        _ => false,
    }
}

/// How an unsafe character is shown: `\x1b` for bytes that ASCII terminals obey, `<U+202E>` for others.
pub(crate) fn escape_char(c: char) -> String {
    let code = u32::from(c);
    if code < 0x80 { format!("\\x{code:02x}") } else { format!("<U+{code:04X}>") }
}

fn width_of(c: char) -> usize {
    width(c.encode_utf8(&mut [0; 4]))
}

/// Whether all of the text is printable ASCII, so that it can be drawn unchanged.
pub(crate) fn is_plain(text: &str) -> bool {
    text.bytes().all(|b| (b' '..=b'~').contains(&b))
}

/// The screen columns that a line takes.
pub(crate) fn columns(line: &str, strictness: Strictness, tab: usize) -> usize {
    if is_plain(line) {
        return line.len();
    }
    of(line, strictness, tab).map(|glyph| glyph.width).sum()
}

/// Makes text safe for one line, without styles: titles, file names, messages.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(of(text, Strictness::Text, TAB).map(|g| g.text).collect())
}

/// Collects styled text; joins neighbours of the same style.
#[derive(Default)]
pub(crate) struct Spans {
    done: Vec<Span<'static>>,
    text: String,
    style: Style,
}

impl Spans {
    /// Adds text; the caller guarantees that it is safe.
    pub(crate) fn push(&mut self, text: &str, style: Style) {
        if style != self.style {
            self.close();
            self.style = style;
        }
        self.text.push_str(text);
    }

    /// Returns the line so far; the next push begins a new one.
    pub(crate) fn finish(&mut self) -> Line<'static> {
        self.close();
        Line::from(std::mem::take(&mut self.done))
    }

    fn close(&mut self) {
        if !self.text.is_empty() {
            let text = std::mem::take(&mut self.text);
            self.done.push(Span::styled(text, self.style));
        }
    }
}

#[cfg(test)]
mod tests;

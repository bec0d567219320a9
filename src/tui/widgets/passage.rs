//! Maps between the bytes of text lines and the columns in which their rows were drawn. Search matches and
//! mouse selections are stored as bytes of lines, so that wrapping, gutters and new output don't move them.

pub(crate) mod screen_text;

use crate::tui::paint::glyphs::{self, Strictness};
use crate::tui::paint::wrap::{self, Joint, WrapOptions};
use ratatui::style::Style;
use ratatui::text::Line;
use std::ops::Range;
use unicode_width::UnicodeWidthStr as _;

/// A line of text with the rows that it was wrapped into.
#[derive(Clone, Debug)]
pub(crate) struct WrappedLine {
    text: String,
    rows: Vec<PassageRow>,
    strictness: Strictness,
    tab: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct PassageRow {
    /// The bytes of the line that it shows.
    bytes: Range<usize>,
    /// Columns before the text that show something else.
    indent: usize,
}

impl WrappedLine {
    /// A line with the given bytes in each row, each row after `indent` columns of something else.
    pub(crate) fn from_rows(
        text: String,
        rows: Vec<Range<usize>>,
        indent: usize,
        strictness: Strictness,
    ) -> Self {
        let rows = rows.into_iter().map(|bytes| PassageRow { bytes, indent }).collect();
        Self { text, rows, strictness, tab: glyphs::TAB }
    }

    /// A line of which a single row shows a part, after `indent` columns of something else.
    pub(crate) fn part(text: String, bytes: Range<usize>, indent: usize, tab: usize) -> Self {
        Self { tab, ..Self::from_rows(text, vec![bytes], indent, Strictness::Text) }
    }

    /// A line that was converted to glyphs and then wrapped anywhere.
    pub(crate) fn from_glyphs(text: String, width: usize, tab: usize) -> Self {
        // Where each glyph begins, in the glyphs' text and in the source.
        let (mut paint, mut starts) = (String::new(), Vec::new());
        for glyph in glyphs::of(&text, Strictness::Text, tab) {
            starts.push((paint.len(), glyph.start));
            paint.push_str(&glyph.text);
        }
        let source = |at: usize| {
            let next = starts.partition_point(|(painted, _)| *painted < at);
            starts.get(next).map_or(text.len(), |(_, start)| *start)
        };
        let rows = if paint.width() <= width {
            std::iter::once(0..text.len()).collect()
        } else {
            let options =
                WrapOptions { break_at_words: false, ..WrapOptions::prose(width, Style::default()) };
            let rows = wrap::rows(&paint, &[], options);
            rows.iter().map(|row| source(row.range.start)..source(row.range.end)).collect()
        };
        Self { tab, ..Self::from_rows(text, rows, 0, Strictness::Text) }
    }

    /// Rebuilds the lines from which these rows were wrapped. Their text is what was drawn, without the prefix
    /// of continued rows.
    pub(crate) fn of_rows(rows: &[Line<'_>]) -> Vec<Self> {
        let mut lines: Vec<Self> = Vec::new();
        for row in rows {
            let painted: String = row.spans.iter().map(|span| span.content.as_ref()).collect();
            let joint = Joint::of(row);
            match lines.last_mut().filter(|_| joint != Joint::None) {
                None => {
                    let bytes = 0..painted.len();
                    lines.push(Self::from_rows(painted, vec![bytes], 0, Strictness::Text));
                }
                Some(line) => line.go_on(&painted, joint),
            }
        }
        lines
    }

    fn go_on(&mut self, painted: &str, joint: Joint) {
        let text = painted.trim_start_matches([' ', '│']);
        if joint == Joint::Blank {
            self.text.push(' ');
        }
        let start = self.text.len();
        self.text.push_str(text);
        let indent = painted.get(..painted.len() - text.len()).map_or(0, str::width);
        self.rows.push(PassageRow { bytes: start..self.text.len(), indent });
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn row_of(&self, byte: usize) -> usize {
        self.rows.partition_point(|row| row.bytes.start <= byte).saturating_sub(1)
    }

    /// Iterates over the glyphs with their positions: row, columns, bytes.
    fn cells(&self) -> impl Iterator<Item = (usize, Range<usize>, Range<usize>)> + '_ {
        let (mut row, mut column) = (0, self.rows.first().map_or(0, |row| row.indent));
        glyphs::of(&self.text, self.strictness, self.tab).filter_map(move |glyph| {
            while self.rows.get(row + 1).is_some_and(|next| next.bytes.start <= glyph.start) {
                row += 1;
                column = self.rows.get(row).map_or(0, |row| row.indent);
            }
            // Skip glyphs that no row shows: spaces left out at the end of a row, and what comes before the
            // first row.
            if self.rows.get(row).is_none_or(|row| !row.bytes.contains(&glyph.start)) {
                return None;
            }
            let columns = column..column + glyph.width;
            column = columns.end;
            Some((row, columns, glyph.start..glyph.end))
        })
    }

    /// The byte of the character at a column of a row; after the last character, the end of the row.
    fn byte_at(&self, row: usize, column: usize) -> usize {
        let end = self.rows.get(row).map_or(self.text.len(), |row| row.bytes.end);
        let mut cells = self.cells().skip_while(|(at, ..)| *at < row).take_while(|(at, ..)| *at == row);
        cells.find(|(_, columns, _)| column < columns.end).map_or(end, |(.., bytes)| bytes.start)
    }

    /// The columns of a range of bytes, row by row.
    fn columns(&self, bytes: &Range<usize>) -> Vec<(usize, Range<usize>)> {
        let mut found: Vec<(usize, Range<usize>)> = Vec::new();
        for (row, columns, glyph) in self.cells() {
            if glyph.end <= bytes.start || glyph.start >= bytes.end {
                continue;
            }
            match found.last_mut().filter(|(at, before)| *at == row && before.end == columns.start) {
                Some((_, before)) => before.end = columns.end,
                None => found.push((row, columns)),
            }
        }
        found
    }

    /// The word around a byte, or the single character if it belongs to no word.
    fn word_at(&self, byte: usize) -> Range<usize> {
        use unicode_segmentation::UnicodeSegmentation as _;
        let words = self.text.split_word_bound_indices().map(|(at, word)| at..at + word.len());
        let is_joint =
            |range: &Range<usize>| matches!(self.text.get(range.clone()), Some("_" | "-" | "." | "/"));
        let is_word = |range: &Range<usize>| {
            self.text.get(range.clone()).is_some_and(|word| word.chars().any(char::is_alphanumeric))
                || is_joint(range)
        };
        let mut whole: Option<Range<usize>> = None;
        for range in words {
            whole = match whole.take() {
                Some(before) if is_word(&before) && is_word(&range) => Some(before.start..range.end),
                Some(before) if before.contains(&byte) => return before,
                _ => Some(range),
            };
        }
        whole.filter(|range| range.contains(&byte)).unwrap_or(byte..byte)
    }
}

/// A position in the text of a pane: an item, a line of the item, a byte of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TextPlace {
    pub(crate) item: usize,
    pub(crate) line: usize,
    pub(crate) byte: usize,
}

/// A search match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundText {
    pub(crate) item: usize,
    pub(crate) line: usize,
    pub(crate) bytes: Range<usize>,
}

/// The bytes of a line between two text positions.
fn part_of(at: (usize, usize), len: usize, from: TextPlace, to: TextPlace) -> Option<Range<usize>> {
    let (first, last) = ((from.item, from.line), (to.item, to.line));
    if at < first || at > last {
        return None;
    }
    let start = if at == first { from.byte.min(len) } else { 0 };
    let end = if at == last { to.byte.min(len) } else { len };
    Some(start..end.max(start))
}

/// The text between two positions, taken from the lines of these items.
pub(crate) fn text_between(
    (from, to): (TextPlace, TextPlace),
    items: impl Iterator<Item = usize>,
    mut lines_of: impl FnMut(usize) -> Vec<WrappedLine>,
) -> String {
    let mut parts: Vec<String> = Vec::new();
    for item in items {
        for (line, passage) in lines_of(item).into_iter().enumerate() {
            if let Some(bytes) = part_of((item, line), passage.text.len(), from, to) {
                parts.push(passage.text.get(bytes).unwrap_or_default().to_owned());
            }
        }
    }
    parts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::widgets::safe;
    use ratatui::text::Span;

    #[test]
    fn wrapped_rows_are_one_line_again() {
        for text in ["one two three four five", "averyveryverylongword and more", "a  b", ""] {
            for width in 4..30 {
                let rows = safe::wrap_words(text, width, Style::default());
                let lines = WrappedLine::of_rows(&rows);
                assert_eq!(lines.len(), 1, "{text} {width}");
                assert_eq!(lines[0].text(), text, "{width}");
            }
        }
        let rows = safe::hanging(Span::raw("you: "), "one two three four", 12, Style::default());
        assert_eq!(WrappedLine::of_rows(&rows)[0].text(), "you: one two three four");
    }

    #[test]
    fn a_word_is_what_a_double_click_takes() {
        let line = WrappedLine::from_glyphs("say 'out/a-b.png', 漢字 done".into(), 60, 8);
        let word = |at| line.text().get(line.word_at(at)).unwrap();
        assert_eq!(
            [word(0), word(2), word(3), word(5), word(9)],
            ["say", "say", " ", "out/a-b.png", "out/a-b.png"]
        );
        assert_eq!(word(27), "done");
        assert_eq!(line.word_at(999), 999..999);
    }
}

//! Makes outside text safe for views: every text passes `paint`, then is cut or wrapped. Views have no other
//! way.

use crate::tui::paint::glyphs;
use crate::tui::paint::wrap::{self, WrapOptions};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// The style of escapes in prose.
const MARK: Style = Style::new().add_modifier(Modifier::REVERSED);

/// Makes a text safe on one line: nothing in it can move the cursor, colour cells or reorder letters.
pub(crate) fn one_line(text: &str) -> String {
    glyphs::clean(text).into_owned()
}

/// Like [`one_line`], for a name from outside within a sentence of sayso. Writes unusual spaces as their number
/// (`<2 spaces>`): they could pass for a gap between words, or for the end of the name.
pub(crate) fn name(text: &str) -> String {
    let line = one_line(text);
    let (mut named, mut rest) = (String::new(), line.as_str());
    while let Some(at) = rest.find(' ') {
        let (before, blanks) = rest.split_at(at);
        let after = blanks.trim_start_matches(' ');
        let count = blanks.len() - after.len();
        named.push_str(before);
        let is_inside = !named.is_empty() && !after.is_empty();
        match count {
            1 if is_inside => named.push(' '),
            1 => named.push_str("<1 space>"),
            _ => named.push_str(&format!("<{count} spaces>")),
        }
        rest = after;
    }
    named + rest
}

/// How many bytes the first graphemes take that fit into so many columns.
fn fitting<'a>(graphemes: impl Iterator<Item = &'a str>, columns: usize) -> usize {
    let mut taken = 0;
    let fits = graphemes.take_while(|grapheme| {
        taken += glyphs::width(grapheme);
        taken <= columns
    });
    fits.map(str::len).sum()
}

/// The first `width` columns of a safe text; `...` marks a cut.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let end = fitting(text.graphemes(true), width.saturating_sub(3));
    text.get(..end).unwrap_or_default().to_owned() + &".".repeat(width.min(3))
}

/// The last `width` columns of a safe text; `...` marks a cut.
pub(crate) fn cut_start(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let from = text.len() - fitting(text.graphemes(true).rev(), width.saturating_sub(3));
    ".".repeat(width.min(3)) + text.get(from..).unwrap_or_default()
}

/// The leading parts of a safe text that fit completely into `width` columns; two or more spaces separate
/// parts.
pub(crate) fn whole_parts(text: &str, width: usize) -> &str {
    if text.width() <= width {
        return text;
    }
    let ends = text.match_indices("  ").filter_map(|(at, _)| text.get(..at));
    ends.map(str::trim_end)
        .filter(|part| part.width() <= width)
        .max_by_key(|part| part.len())
        .unwrap_or_default()
}

/// Wraps a text at words into safe rows of at most `width` columns.
pub(crate) fn wrap_words(text: &str, width: usize, style: Style) -> Vec<Line<'static>> {
    let options = WrapOptions::prose(width, MARK);
    text.split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
        .flat_map(|line| wrap::rows(line, &[(line.len(), style)], options))
        .map(|row| row.line)
        .collect()
}

/// Like [`wrap_words`], with `first` in front of the first row; further rows are indented.
pub(crate) fn hanging(
    first: impl Into<Line<'static>>,
    text: &str,
    width: usize,
    style: Style,
) -> Vec<Line<'static>> {
    let first = first.into();
    let indent = first.width();
    let mut rows = wrap_words(text, width.saturating_sub(indent).max(1), style).into_iter();
    let mut out = Vec::new();
    let mut head = rows.next().unwrap_or_default();
    head.spans.splice(0..0, first.spans);
    out.push(head);
    for mut row in rows {
        row.spans.insert(0, Span::raw(" ".repeat(indent)));
        out.push(row);
    }
    out
}

/// Like [`hanging`], with at most so many rows; `...` marks a cut.
pub(crate) fn hanging_start(
    first: impl Into<Line<'static>>,
    text: &str,
    (width, most): (usize, usize),
    style: Style,
) -> Vec<Line<'static>> {
    let first = first.into();
    // What is before the text of the last row: the head, or the indent.
    let head = if most == 1 { first.spans.len() } else { 1 };
    let room = width.saturating_sub(first.width()).max(1);
    let start = code_prefix(text, room, most);
    let mut rows = hanging(first, start, width, style);
    if rows.len() > most || start.len() < text.len() {
        rows.truncate(most);
        if let Some(last) = rows.last_mut() {
            let rest: String =
                last.spans.drain(head.min(last.spans.len())..).map(|span| span.content).collect();
            last.spans.push(Span::styled(cut(&format!("{}...", rest.trim_end()), room), style));
        }
    }
    rows
}

/// Like [`hanging`], for parts side by side: a part that fits on a row is not broken.
pub(crate) fn hanging_parts(
    first: impl Into<Line<'static>>,
    parts: &[String],
    width: usize,
    style: Style,
) -> Vec<Line<'static>> {
    const GAP: &str = "     ";
    let first = first.into();
    let room = width.saturating_sub(first.width()).max(1);
    let mut rows = String::new();
    let mut column = 0;
    for part in parts.iter().map(|part| one_line(part)) {
        let wide = part.width();
        if column > 0 && column + GAP.len() + wide > room {
            rows.push('\n');
            column = 0;
        } else if column > 0 {
            rows.push_str(GAP);
            column += GAP.len();
        }
        rows.push_str(&part);
        column += wide;
    }
    hanging(first, &rows, width, style)
}

/// Wraps one line of code into rows of at most `width` columns; nothing is cut off. `styles` colours byte
/// ranges of the line, sorted and not overlapping; `mark` is the style of escapes.
pub(crate) fn code(
    line: &str,
    styles: &[(Range<usize>, Style)],
    base: Style,
    width: usize,
    mark: Style,
) -> Vec<wrap::WrappedRow> {
    let mut runs = Vec::with_capacity(2 * styles.len() + 1);
    for (range, style) in styles {
        runs.push((range.start, base));
        runs.push((range.end, base.patch(*style)));
    }
    runs.push((line.len().max(1), base));
    wrap::rows(line, &runs, WrapOptions::code(width, mark))
}

/// The wrapping of text in fields: at words.
pub(crate) fn typed_rows(width: usize) -> WrapOptions {
    WrapOptions::prose(width, MARK)
}

/// The bytes of a line of code that each of its rows shows.
pub(crate) fn code_ranges(line: &str, width: usize) -> Vec<Range<usize>> {
    let width = width.max(2);
    if glyphs::is_plain(line) {
        let rows = line.len().div_ceil(width).max(1);
        return (0..rows).map(|row| row * width..(row * width + width).min(line.len())).collect();
    }
    wrap::rows(line, &[], WrapOptions::code(width, Style::default()))
        .into_iter()
        .map(|row| row.range)
        .collect()
}

/// The beginning of a line of code: at least what so many rows show, and little more.
pub(crate) fn code_prefix(line: &str, width: usize, rows: usize) -> &str {
    let columns = rows.saturating_add(1).saturating_mul(width.max(2));
    if line.len() <= columns {
        return line;
    }
    let mut seen = 0;
    let glyphs = glyphs::of(line, glyphs::Strictness::Code, glyphs::TAB);
    let cut = glyphs.skip_while(|glyph| {
        seen += glyph.width;
        seen <= columns
    });
    let end = cut.map(|glyph| glyph.start).next().unwrap_or(line.len());
    line.get(..end).unwrap_or(line)
}

/// How many rows a line of code takes.
pub(crate) fn code_rows(line: &str, width: usize) -> usize {
    wrap::count(line, WrapOptions::code(width, Style::default()))
}

/// Wraps a styled line into rows of at most `width` columns.
pub(crate) fn wrapped(line: &Line<'static>, width: usize) -> Vec<Line<'static>> {
    if line.width() <= width {
        return vec![line.clone()];
    }
    let mut text = String::new();
    let mut runs = Vec::with_capacity(line.spans.len());
    for span in &line.spans {
        text.push_str(&span.content);
        runs.push((text.len(), line.style.patch(span.style)));
    }
    let options = typed_rows(width);
    wrap::rows(&text, &runs, options).into_iter().map(|row| row.line).collect()
}

/// The byte of a line that a row shows at a column; after the end of the row, its end.
pub(super) fn byte_at(text: &str, range: Range<usize>, column: usize, options: WrapOptions) -> usize {
    let mut seen = 0;
    for glyph in glyphs::of(text.get(range.clone()).unwrap_or_default(), options.strictness, options.tab) {
        if seen + glyph.width > column {
            return range.start + glyph.start;
        }
        seen += glyph.width;
    }
    range.end
}

/// The byte of a line of code at one of its rows and columns.
pub(crate) fn code_byte_at(text: &str, width: usize, row: usize, column: usize) -> usize {
    let ranges = code_ranges(text, width);
    match ranges.get(row) {
        Some(range) => byte_at(text, range.clone(), column, WrapOptions::code(width, Style::default())),
        None => text.len(),
    }
}

/// The row and column of a byte of a line of code; after a full row it is the start of the next row.
pub(crate) fn code_place(text: &str, width: usize, byte: usize) -> (usize, usize) {
    place_of(text, &code_ranges(text, width), byte, WrapOptions::code(width, Style::default()))
}

/// The row and column of a byte of a line whose rows show these bytes; after a full row it is the start of the next row.
pub(super) fn place_of(
    text: &str,
    rows: &[Range<usize>],
    byte: usize,
    options: WrapOptions,
) -> (usize, usize) {
    let row = rows.iter().position(|shown| byte < shown.end).unwrap_or(rows.len().saturating_sub(1));
    let from = rows.get(row).map_or(0, |shown| shown.start);
    let before = text.get(from..byte).unwrap_or_default();
    let column = glyphs::columns(before, options.strictness, options.tab);
    if column >= options.width.max(2) { (row + 1, 0) } else { (row, column) }
}

#[cfg(test)]
mod tests {
    use super::{cut_start, hanging_start, name};
    use ratatui::style::Style;

    #[test]
    fn a_cut_at_the_start_keeps_the_end() {
        let rows = [
            ("ab/c.csv", 8, "ab/c.csv"),
            ("ab/c.csv", 7, "....csv"),
            ("漢漢漢", 5, "...漢"),
            ("漢漢", 2, ".."),
        ];
        for (text, width, told) in rows {
            assert_eq!(cut_start(text, width), told, "{text:?}");
        }
    }

    #[test]
    fn a_text_that_takes_more_rows_shows_where_it_is_cut() {
        let rows = [
            ("one two", vec!["- one two"]),
            ("one two six four", vec!["- one two", "  six..."]),
            ("one two seventy four", vec!["- one two", "  seve..."]),
        ];
        for (text, told) in rows {
            let made = hanging_start("- ", text, (9, 2), Style::new());
            let made: Vec<String> = made.iter().map(ToString::to_string).collect();
            assert_eq!(made, told, "{text:?}");
        }
    }

    #[test]
    fn blanks_of_a_name_can_not_be_mistaken_for_a_gap() {
        let rows = [
            ("a b/c d.csv", "a b/c d.csv"),
            ("a  b", "a<2 spaces>b"),
            ("out     Network  off", "out<5 spaces>Network<2 spaces>off"),
            (" a", "<1 space>a"),
            ("a ", "a<1 space>"),
            ("   ", "<3 spaces>"),
            ("a\u{a0}\u{2003}b", "a<2 spaces>b"),
            ("a\u{3000}b", "a<2 spaces>b"),
            ("a\n\n  b", "a\\x0a\\x0a<2 spaces>b"),
            ("a \u{1039} \u{301}b", "a <U+1039> <U+0301>b"),
            ("a\u{16fe4}\u{2d7f}\u{1107f}b", "a<U+16FE4><U+2D7F><U+1107F>b"),
            ("", ""),
        ];
        for (text, told) in rows {
            assert_eq!(name(text), told, "{text:?}");
        }
    }
}

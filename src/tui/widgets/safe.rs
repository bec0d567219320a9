//! The only way from foreign text to what views draw: every text passes `paint`, then it is cut or wrapped.

use crate::tui::paint::plain;
use crate::tui::paint::wrap::{self, WrapOptions};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// How characters look in prose that are shown as text in place of something else.
const MARK: Style = Style::new().add_modifier(Modifier::REVERSED);

/// A text on one line with nothing in it that could move the cursor, colour cells or reorder letters.
pub(crate) fn one_line(text: &str) -> String {
    plain::clean(text).into_owned()
}

/// The first `width` columns of a safe text; `...` says that something is missing.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let dots = ".".repeat(width.min(3));
    let mut room = width.saturating_sub(3);
    let mut kept = String::new();
    for grapheme in text.graphemes(true) {
        let w = plain::width(grapheme);
        if w > room {
            break;
        }
        room -= w;
        kept.push_str(grapheme);
    }
    kept + &dots
}

/// The parts of a safe text that fit into `width` columns, from its beginning; parts are set apart by two spaces or more.
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

/// A text in words on rows of at most `width` columns; each row is safe.
pub(crate) fn words(text: &str, width: usize, style: Style) -> Vec<Line<'static>> {
    let options = WrapOptions::prose(width, MARK);
    text.split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
        .flat_map(|line| wrap::rows(line, &[(line.len(), style)], options))
        .map(|row| row.line)
        .collect()
}

/// The same with another beginning on the first row than on those below it.
pub(crate) fn hanging(
    first: impl Into<Line<'static>>,
    text: &str,
    width: usize,
    style: Style,
) -> Vec<Line<'static>> {
    let first = first.into();
    let indent = first.width();
    let mut rows = words(text, width.saturating_sub(indent).max(1), style).into_iter();
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

/// One line of code on rows of at most `width` columns, nothing cut off. `styles` colours byte ranges of the line,
/// sorted and apart; `mark` is the look of what is shown as text in place of something else.
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

/// The bytes of a line of code that each of its rows shows.
pub(crate) fn code_ranges(line: &str, width: usize) -> Vec<Range<usize>> {
    let width = width.max(2);
    if plain::is_plain(line) {
        let rows = line.len().div_ceil(width).max(1);
        return (0..rows).map(|row| row * width..(row * width + width).min(line.len())).collect();
    }
    wrap::rows(line, &[], WrapOptions::code(width, Style::default()))
        .into_iter()
        .map(|row| row.range)
        .collect()
}

/// How many rows a line of code takes.
pub(crate) fn code_rows(line: &str, width: usize) -> usize {
    wrap::count(line, WrapOptions::code(width, Style::default()))
}

/// The columns that the beginning of a line of code takes, in one long row.
pub(crate) fn code_column(before: &str) -> usize {
    plain::glyphs(before, plain::Strictness::Code, plain::TAB).map(|g| g.width).sum()
}

/// A painted line on rows of at most `width` columns.
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
    let options = WrapOptions { words: false, ..WrapOptions::prose(width, MARK) };
    wrap::rows(&text, &runs, options).into_iter().map(|row| row.line).collect()
}

/// A text for a field of input: on rows, with the row and column at which the cursor stands. `cursor` counts lines and
/// characters from 0.
pub(crate) fn field(
    lines: &[String],
    cursor: (usize, usize),
    width: usize,
    style: Style,
) -> (Vec<Line<'static>>, (usize, usize)) {
    let options = WrapOptions { words: false, ..WrapOptions::prose(width, MARK) };
    let (mut rows, mut place) = (Vec::new(), (0, 0));
    for (number, text) in lines.iter().enumerate() {
        let laid = wrap::rows(text, &[(text.len(), style)], options);
        if number == cursor.0 {
            let at = text.char_indices().nth(cursor.1).map_or(text.len(), |(at, _)| at);
            // The cursor behind a full row stands at the start of the next one.
            let row = laid.iter().position(|r| at < r.range.end).unwrap_or(laid.len().saturating_sub(1));
            let from = laid.get(row).map_or(0, |r| r.range.start);
            let before = text.get(from..at).unwrap_or_default();
            let column =
                plain::glyphs(before, options.strictness, options.tab).map(|g| g.width).sum::<usize>();
            place = (rows.len() + row, column);
            if column >= width {
                place = (rows.len() + row + 1, 0);
            }
        }
        rows.extend(laid.into_iter().map(|row| row.line));
        if place.0 == rows.len() && number == cursor.0 {
            rows.push(Line::default());
        }
    }
    (rows, place)
}

//! Lays out lines of a file: wrapped at any character, or a range of columns. Control and invisible characters are
//! escaped.

use super::source::FileLine;
use crate::tui::paint::glyphs::{self, Spans, Strictness};
use crate::tui::paint::output::TAB;
use crate::tui::paint::wrap::{self, WrapOptions};
use crate::tui::panes::current_match;
use crate::tui::pattern::Pattern;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use ratatui::style::Style;
use ratatui::text::Line;
use std::ops::Range;

/// The search pattern, and the current match.
pub(super) type PagerMarks<'a> = (Option<&'a Pattern>, Option<&'a Range<usize>>);

fn options(width: usize, mark: Style) -> WrapOptions {
    WrapOptions { width, strictness: Strictness::Text, break_at_words: false, tab: TAB, mark }
}

/// How many rows a line takes; one if `width` is `None`.
pub(super) fn count(text: &str, width: Option<usize>) -> usize {
    width.map_or(1, |width| wrap::count(text, options(width, Style::default())))
}

/// The row of a line that shows a byte.
pub(super) fn row_of(text: &str, width: Option<usize>, byte: usize) -> usize {
    let Some(width) = width else { return 0 };
    let rows = wrap::rows(text, &[], options(width, Style::default()));
    rows.iter().rposition(|row| row.range.start <= byte).unwrap_or(0)
}

pub(super) fn rows(
    line: &FileLine,
    width: usize,
    marked: PagerMarks<'_>,
    draw: DrawContext<'_>,
) -> Vec<Line<'static>> {
    let runs = runs(line, marked, draw);
    let rows = wrap::rows(&line.text, &runs, options(width, draw.theme.mark()));
    rows.into_iter().map(|row| row.line).collect()
}

/// `width` columns of a line, starting at `left`.
pub(super) fn sideways(
    line: &FileLine,
    left: usize,
    width: usize,
    marked: PagerMarks<'_>,
    draw: DrawContext<'_>,
) -> Line<'static> {
    let (runs, mut spans, mut column) = (runs(line, marked, draw), Spans::default(), 0);
    let mut run = 0;
    for glyph in glyphs::of(&line.text, Strictness::Text, TAB) {
        let columns = column..column + glyph.width;
        column = columns.end;
        if columns.start >= left + width {
            break;
        }
        while runs.get(run).is_some_and(|(end, _)| *end <= glyph.start) {
            run += 1;
        }
        let style = runs.get(run).map_or(draw.text(), |(_, style)| *style);
        let style = if glyph.marked { style.patch(draw.theme.mark()) } else { style };
        if columns.start >= left && columns.end <= left + width {
            spans.push(&glyph.text, style);
        } else if columns.end > left {
            // A wide character is only half on the screen.
            let seen = columns.end.min(left + width) - columns.start.max(left);
            spans.push(&" ".repeat(seen), style);
        }
    }
    spans.finish()
}

/// The styles of a line as runs: escaped bytes, search matches, the current match.
fn runs(line: &FileLine, (pattern, at): PagerMarks<'_>, draw: DrawContext<'_>) -> Vec<(usize, Style)> {
    let found: Vec<Range<usize>> =
        pattern.map(|pattern| pattern.find_in(&line.text).collect()).unwrap_or_default();
    let mut ends: Vec<usize> = Vec::with_capacity(2 * (found.len() + line.bytes.len()) + 1);
    ends.extend(found.iter().chain(&line.bytes).flat_map(|range| [range.start, range.end]));
    ends.push(line.text.len().max(1));
    ends.sort_unstable();
    ends.dedup();
    let (mut matches, mut bytes, mut from) = (found.iter().peekable(), line.bytes.iter().peekable(), 0);
    let mut runs = Vec::with_capacity(ends.len());
    for end in ends {
        if end == 0 {
            continue;
        }
        while matches.next_if(|range| range.end <= from).is_some() {}
        while bytes.next_if(|range| range.end <= from).is_some() {}
        let mut style = draw.text();
        if bytes.peek().is_some_and(|range| range.start <= from) {
            style = style.patch(draw.theme.mark());
        }
        if let Some(range) = matches.peek().filter(|range| range.start <= from) {
            let own = if at == Some(*range) { current_match(draw) } else { draw.style(Slot::UiMatch) };
            style = style.patch(own);
        }
        runs.push((end, style));
        from = end;
    }
    runs
}

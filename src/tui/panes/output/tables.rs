//! Finds tables in printed text that are wider than the pane: lines whose columns are aligned.
//!
//! Wrapped, such a table could not be read. Instead it shows its first column and, from a chosen one on, as many whole
//! columns as fit; a number is never cut. This module neither draws nor scrolls.

mod common_columns;

use crate::tui::paint::glyphs::{self, Strictness};
use crate::tui::paint::output::TAB;
use common_columns::{CommonColumns, columns};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::borrow::Cow;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation as _;

/// A table: its lines and the positions of its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Table {
    /// Its lines, including the header.
    pub(super) lines: Range<usize>,
    /// How many of them are the header.
    pub(super) header: usize,
    /// The screen columns of its first column, including the gap after it; 0 if keeping it visible would leave too
    /// little room.
    first_width: usize,
    /// The screen columns at which the other columns begin.
    starts: Vec<usize>,
    /// The screen columns of the whole table.
    width: usize,
}

/// How many lines that made no table are tried again together with those after them: they may be a header.
const MAX_TRIED_AGAIN: usize = 16;

/// Finds the tables that are wider than `width` among `count` lines, which `text` returns.
pub(super) fn find<'a>(count: usize, width: usize, text: impl Fn(usize) -> Cow<'a, str>) -> Vec<Table> {
    let (mut tables, mut at, mut free) = (Vec::new(), 0, 0);
    while at < count {
        if columns(&text(at)) <= width {
            at += 1;
            continue;
        }
        let mut shared = CommonColumns::of(&text(at));
        let mut lines = at..at + 1;
        while lines.start > free && shared.take(&text(lines.start - 1)) {
            lines.start -= 1;
        }
        while lines.end < count && shared.take(&text(lines.end)) {
            lines.end += 1;
        }
        at = lines.end;
        match shared.table(lines, width, &text) {
            Some(table) => {
                free = table.lines.end;
                tables.push(table);
            }
            None => free = free.max(at.saturating_sub(MAX_TRIED_AGAIN)),
        }
    }
    tables
}

pub(super) fn table_at(tables: &[Table], line: usize) -> Option<&Table> {
    let behind = tables.partition_point(|table| table.lines.end <= line);
    tables.get(behind).filter(|table| table.lines.contains(&line))
}

impl Table {
    /// The same table at another position.
    pub(super) fn starting_at(&self, first: usize) -> Self {
        Self { lines: first..first + self.lines.len(), ..self.clone() }
    }

    /// How many columns after the first can be scrolled out at most: then the last one is visible.
    pub(super) fn most_skipped(&self, width: usize) -> usize {
        let fits = |start: &usize| self.width - start <= width.saturating_sub(self.first_width);
        self.starts.iter().position(fits).unwrap_or(self.starts.len().saturating_sub(1))
    }

    /// How many columns have to be scrolled out so that the one at this screen column is visible; as many as now if it
    /// is.
    pub(super) fn skipped_for(&self, column: usize, skipped: usize, width: usize) -> usize {
        let skipped = skipped.min(self.most_skipped(width));
        if column < self.first_width || self.visible_columns(skipped, width).contains(&column) {
            return skipped;
        }
        let of = self.starts.partition_point(|start| *start <= column).saturating_sub(1);
        of.min(self.most_skipped(width))
    }

    /// The screen columns of a line that are shown after the first column of the table.
    fn visible_columns(&self, skipped: usize, width: usize) -> Range<usize> {
        let from = self.starts.get(skipped).copied().unwrap_or(0);
        let room = width.saturating_sub(self.first_width);
        if self.width - from <= room {
            return from..self.width;
        }
        // One screen column shows that there is more.
        let end = from + room.saturating_sub(1);
        let whole = self.starts.iter().copied().rfind(|start| *start > from && *start <= end + 1);
        from..whole.map_or(end, |next| next - 1)
    }

    /// `columns 1-7 of 12`: which columns are shown. A first column that is always visible is not counted.
    pub(super) fn position_text(&self, skipped: usize, width: usize) -> String {
        let skipped = skipped.min(self.most_skipped(width));
        let shown = self.visible_columns(skipped, width);
        let last = self.starts.partition_point(|start| *start < shown.end).max(skipped + 1);
        format!("columns {}-{last} of {}", skipped + 1, self.starts.len())
    }

    /// The visible part of a table line, with the style `more` for the sign that it continues.
    pub(super) fn visible_part(
        &self,
        line: &Line<'_>,
        skipped: usize,
        width: usize,
        more: Style,
    ) -> Line<'static> {
        let skipped = skipped.min(self.most_skipped(width));
        let shown = self.visible_columns(skipped, width);
        let mut out: Vec<Span<'static>> = Vec::new();
        let labels = if skipped > 0 { self.first_width.saturating_sub(1) } else { self.first_width };
        out.extend(part(line, 0..labels));
        if skipped > 0 && self.first_width > 0 {
            out.push(Span::styled("<", more));
        }
        out.extend(part(line, shown.clone()));
        if shown.end < self.width {
            out.push(Span::styled(">", more));
        }
        Line::from(out)
    }

    /// The visible bytes of a line's text, and how many screen columns precede them.
    pub(super) fn bytes(&self, text: &str, skipped: usize, width: usize) -> (Range<usize>, usize) {
        let skipped = skipped.min(self.most_skipped(width));
        let shown = self.visible_columns(skipped, width);
        let from = if skipped > 0 { shown.start } else { 0 };
        let (mut bytes, mut column) = (text.len()..text.len(), 0);
        for glyph in glyphs::of(text, Strictness::Text, TAB) {
            if column >= from && bytes.start == text.len() {
                bytes.start = glyph.start;
            }
            column += glyph.width;
            if column > shown.end {
                bytes.end = glyph.start;
                break;
            }
        }
        bytes.end = bytes.end.max(bytes.start);
        (bytes, if skipped > 0 { self.first_width } else { 0 })
    }
}

/// A range of screen columns of a line that is safe to draw, padded with blanks.
fn part(line: &Line<'_>, columns: Range<usize>) -> Vec<Span<'static>> {
    let (mut spans, mut column, mut filled) = (Vec::new(), 0, columns.start);
    for span in &line.spans {
        let mut text = String::new();
        for cluster in span.content.graphemes(true) {
            let at = column..column + glyphs::width(cluster);
            column = at.end;
            if at.end <= columns.start || at.start >= columns.end {
                continue;
            }
            if at.start >= columns.start && at.end <= columns.end {
                text.push_str(cluster);
            } else {
                // A wide character is only half inside the range.
                text.push_str(&" ".repeat(at.end.min(columns.end) - at.start.max(columns.start)));
            }
            filled = at.end.min(columns.end);
        }
        if !text.is_empty() {
            spans.push(Span::styled(text, line.style.patch(span.style)));
        }
    }
    if filled < columns.end {
        spans.push(Span::raw(" ".repeat(columns.end - filled)));
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(text: &str, width: usize) -> Vec<Table> {
        let lines: Vec<&str> = text.lines().collect();
        find(lines.len(), width, |at| Cow::Borrowed(lines[at]))
    }

    fn shown(text: &str, skipped: usize, width: usize) -> Vec<String> {
        let found = tables(text, width);
        let cut = |(at, line): (usize, &str)| match table_at(&found, at) {
            Some(table) => {
                table.visible_part(&Line::raw(line.to_owned()), skipped, width, Style::new()).to_string()
            }
            None => line.to_owned(),
        };
        text.lines().enumerate().map(cut).collect()
    }

    const FRAME: &str = "Result:\n   region  month    revenue  units\n0   North  2026-01   412300   1200\n\
                         1   South  2026-01   187400    700\n\n[2 rows x 4 columns]";

    #[test]
    fn a_wide_table_shows_whole_columns_behind_its_labels() {
        assert_eq!(
            shown(FRAME, 0, 24),
            [
                "Result:",
                "   region  month   >",
                "0   North  2026-01 >",
                "1   South  2026-01 >",
                "",
                "[2 rows x 4 columns]"
            ]
        );
        assert_eq!(
            shown(FRAME, 2, 24)[1..4],
            ["  <revenue  units", "0 < 412300   1200", "1 < 187400    700"]
        );
        assert_eq!(tables(FRAME, 24)[0].position_text(0, 24), "columns 1-2 of 4");
        assert_eq!(tables(FRAME, 24)[0].position_text(9, 24), "columns 3-4 of 4");
        assert!(tables(FRAME, 40).is_empty(), "what fits is left as it is");
    }

    /// Dates can follow the column before them after a single blank, as pandas writes them; words inside a cell are no
    /// columns.
    #[test]
    fn columns_that_are_one_blank_apart_count_where_the_header_names_them() {
        let frame = "        name       date     price       paid  units\n\
                     0  Ada Lovel 2026-01-01      12.5 2026-01-09      3\n\
                     1  Bob Lovel 2026-01-02       7.5 2026-01-10     11";
        let found = tables(frame, 30);
        assert_eq!(found[0].starts.len(), 5, "{found:?}");
        assert_eq!(found[0].position_text(0, 30), "columns 1-2 of 5");
    }

    /// Each line fills another gap, so that a row of lines makes no table, wherever it begins.
    #[test]
    fn lines_that_make_no_table_are_not_tried_again_without_end() {
        const GAPS: usize = 150;
        let line = |number: usize| -> String {
            let cells =
                (0..2 * GAPS).map(|at| if at % 2 == 0 || at / 2 == number % GAPS { 'x' } else { ' ' });
            cells.chain("yy".chars().take(number % 2 + 1)).collect()
        };
        let (lines, asked) = ((0..600).map(line).collect::<Vec<_>>(), std::cell::Cell::new(0));
        let found = find(lines.len(), 40, |at| {
            asked.set(asked.get() + 1);
            Cow::Borrowed(lines[at].as_str())
        });
        assert_eq!(found, []);
        assert!(asked.get() < 10 * lines.len(), "{}", asked.get());
    }

    #[test]
    fn every_column_can_be_brought_into_view_at_every_width() {
        for width in 1..40 {
            for table in tables(FRAME, width) {
                for (number, start) in table.starts.iter().enumerate() {
                    let skipped = table.skipped_for(*start, 0, width);
                    assert!(skipped <= number, "{width} {number}");
                    let line =
                        table.visible_part(&Line::raw("x".repeat(table.width)), skipped, width, Style::new());
                    assert!(line.width() <= width.max(table.first_width + 1), "{width} {skipped} {line}");
                }
            }
        }
    }

    #[test]
    fn ruled_tables_have_their_rule_in_the_header() {
        let ruled = "+-------+--------+---+\n| name  | amount | n |\n+-------+--------+---+\n\
                     | apple |     12 | 3 |\n+-------+--------+---+";
        let found = tables(ruled, 16);
        assert_eq!((found.len(), found[0].lines.clone(), found[0].header), (1, 0..5, 3));
        let psql = " name  | amount | where\n-------+--------+-------\n apple |     12 | here and there\n pear  |      3 | there";
        assert_eq!(tables(psql, 16)[0].header, 2);
    }

    #[test]
    fn prose_and_logs_are_no_tables() {
        let prose = "The quick brown fox jumps over the lazy dog and runs away\nwhile nobody looks at it, for all of \
                     them are asleep by now\nand the moon is far behind the hills that lie to the west";
        assert_eq!(tables(prose, 40), []);
        let log = "2026-01-01 ERROR cannot open file /tmp/a: no such file or directory\n2026-01-01 INFO  the other one \
                   was opened, and it holds what was looked for\n2026-01-01 WARN  slow";
        assert_eq!(tables(log, 40), []);
        assert_eq!(tables(&"x".repeat(500), 40), []);
    }

    /// Lines of one form have their blanks in the same places and the same length, but nothing in them is aligned.
    #[test]
    fn lines_of_one_form_are_no_tables() {
        let log: String = (10..=40)
            .map(|n| format!("10:42:{n} INFO worker finished the task and waits for the next one {n}\n"))
            .collect();
        assert_eq!(tables(&log, 40), []);
        let padded: String = (8..=120)
            .map(|n| format!("line {n:>6} of a count that goes on and is wider than the pane is\n"))
            .collect();
        assert_eq!(tables(&padded, 40), []);
        assert_eq!(
            tables(&"the same warning is printed again and again without a number\n".repeat(9), 40),
            []
        );
        let commits = "0a1b2c3 Lists say what they hold\n4d5e6f7 Panes say what they show\n\
                       8a9b0c1 Texts of the rules are short";
        assert_eq!(tables(commits, 24), []);
    }

    #[test]
    fn single_blanks_separate_columns_where_cells_are_padded() {
        let files = "-rw-r--r-- 1 ada ada    12 Jan  1 10:00 alpha.txt\n\
                     -rw-r--r-- 1 ada ada 12345 Jan 12 10:00 gamma.txt";
        let found = tables(files, 30);
        assert_eq!((found.len(), found[0].lines.clone(), found[0].header), (1, 0..2, 0));
        let dates = "        paid        due\n0 2026-01-01 2026-01-09\n1 2026-01-02 2026-01-10";
        let found = tables(dates, 16);
        assert_eq!((found.len(), found[0].lines.clone(), found[0].header), (1, 0..3, 1));
        assert_eq!(found[0].starts, [2, 13]);
    }

    #[test]
    fn a_first_line_with_numbers_is_no_header_unless_a_rule_or_its_labels_say_so() {
        for (text, header) in [
            ("north   12   3.5  done\nsouth  120  13.5  open\nwest     1   0.5  done", 0),
            ("disk   1K-blocks  p95  use\nsouth        120   13  12%\nwest           1    0   5%", 1),
            ("       2024  2025   2026\nnorth    12   3.5     12\nsouth   120  13.5      1", 1),
            ("place  2024  2025   2026\n-----  ----  ----  -----\nsouth   120  13.5      1", 2),
        ] {
            assert_eq!(tables(text, 20).first().map(|table| table.header), Some(header), "{text}");
        }
    }

    #[test]
    fn what_is_shown_of_a_line_is_told_in_bytes() {
        let line = FRAME.lines().nth(2).unwrap();
        let table = &tables(FRAME, 24)[0];
        let (bytes, indent) = table.bytes(line, 2, 24);
        assert_eq!((&line[bytes], indent), (" 412300   1200", 3));
        let (bytes, indent) = table.bytes(line, 0, 24);
        assert_eq!((&line[bytes], indent), ("0   North  2026-01 ", 0));
    }
}

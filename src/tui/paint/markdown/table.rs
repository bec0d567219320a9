//! A table: columns as wide as they need, shrunk together where the pane is too narrow, cells wrapped.

use super::super::plain::{self, Spans};
use super::super::wrap;
use super::inline::Inline;
use pulldown_cmark::Alignment;
use ratatui::style::Style;
use ratatui::text::Line;

/// A column is never narrower than this, unless there is no other way.
const NARROWEST: usize = 4;
/// Columns beyond this are laid out as lists; nobody reads them side by side.
const MOST: usize = 32;

/// A table in the making.
#[derive(Debug)]
pub struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Inline>>,
}

impl Table {
    /// An empty table.
    pub fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new() }
    }

    /// The next row begins.
    pub fn row(&mut self) {
        self.rows.push(Vec::new());
    }

    /// The next cell begins.
    pub fn next_cell(&mut self) {
        if let Some(row) = self.rows.last_mut() {
            row.push(Inline::default());
        }
    }

    /// The cell that text goes to.
    pub fn cell(&mut self) -> Option<&mut Inline> {
        self.rows.last_mut().and_then(|row| row.last_mut())
    }

    /// Its lines.
    pub fn lines(&self, width: usize, border: Style, mark: Style) -> Vec<Line<'static>> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        if columns == 0 {
            return Vec::new();
        }
        let between = 3 * (columns - 1);
        if columns > MOST || width < between + columns * 2 {
            return self.as_list(width, mark);
        }
        let widths = self.widths(columns, width - between);
        let mut lines = Vec::new();
        for (i, row) in self.rows.iter().enumerate() {
            self.row_lines(row, &widths, border, mark, &mut lines);
            if i == 0 {
                let rule: Vec<String> = widths.iter().map(|w| "\u{2500}".repeat(*w)).collect();
                lines.push(Line::styled(rule.join("\u{2500}\u{253c}\u{2500}"), border));
            }
        }
        lines
    }

    /// The widths of the columns: what each needs; where that is too much, the widest give first.
    fn widths(&self, columns: usize, room: usize) -> Vec<usize> {
        let mut widths: Vec<usize> = (0..columns)
            .map(|i| {
                let cells = self.rows.iter().filter_map(|row| row.get(i));
                cells.map(|cell| plain::columns(cell.text())).max().unwrap_or(0).max(1)
            })
            .collect();
        let least = NARROWEST.min(room / columns).max(2);
        let mut over = widths.iter().sum::<usize>().saturating_sub(room);
        while over > 0 {
            // Bring the widest down to the next one, or as far as needed.
            let widest = widths.iter().copied().max().unwrap_or(0);
            if widest <= least {
                break;
            }
            let next = widths.iter().copied().filter(|w| *w < widest).max().unwrap_or(0).max(least);
            let count = widths.iter().filter(|w| **w == widest).count();
            let each = (widest - next).min(over.div_ceil(count)).max(1);
            for w in &mut widths {
                if *w == widest && over > 0 {
                    let give = each.min(over);
                    *w -= give;
                    over -= give;
                }
            }
        }
        widths
    }

    fn row_lines(
        &self,
        row: &[Inline],
        widths: &[usize],
        border: Style,
        mark: Style,
        lines: &mut Vec<Line<'static>>,
    ) {
        let empty = Inline::default();
        let cells: Vec<Vec<Line<'static>>> = widths
            .iter()
            .enumerate()
            .map(|(i, w)| row.get(i).unwrap_or(&empty).rows(wrap::Options::prose(*w, mark)))
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(1);
        for at in 0..height {
            let mut spans = Spans::default();
            for (i, (cell, width)) in cells.iter().zip(widths).enumerate() {
                if i > 0 {
                    spans.push(" \u{2502} ", border);
                }
                let line = cell.get(at).cloned().unwrap_or_default();
                let free = width.saturating_sub(line.width());
                let left = match self.alignments.get(i) {
                    Some(Alignment::Right) => free,
                    Some(Alignment::Center) => free / 2,
                    _ => 0,
                };
                spans.push(&" ".repeat(left), Style::default());
                for span in &line.spans {
                    spans.push(&span.content, span.style);
                }
                if i + 1 < widths.len() {
                    spans.push(&" ".repeat(free - left), Style::default());
                }
            }
            lines.push(spans.finish());
        }
    }

    /// Too many columns for the width: each row as a short list of `head: cell`.
    fn as_list(&self, width: usize, mark: Style) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        let head = self.rows.first();
        for row in self.rows.iter().skip(1) {
            for (i, cell) in row.iter().enumerate() {
                let mut inline = head.and_then(|h| h.get(i)).cloned().unwrap_or_default();
                inline.push(": ", Style::default());
                inline.append(cell);
                lines.extend(inline.rows(wrap::Options::prose(width, mark)));
            }
            lines.push(Line::default());
        }
        lines.pop();
        lines
    }
}

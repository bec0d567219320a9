//! Lays out tables. Columns are as wide as their widest cell if there is room; otherwise they are narrowed and
//! the cells wrapped. Each column is aligned as the row below the head says.

use crate::tui::paint::wrap::{self, WrapOptions};
use crate::tui::theme::{Slot, Theme};
use pulldown_cmark::Alignment;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

/// A cell: its text, and its styles as (end byte, style).
type TableCell = (String, Vec<(usize, Style)>);

/// Columns between two cells.
const GAP_COLUMNS: usize = 2;

/// The smallest width of a column.
const MIN_CELL_COLUMNS: usize = 3;

/// The most columns of a table: further ones are not shown, and a row says so.
const MAX_COLUMNS: usize = 64;

/// A table being built.
#[derive(Debug, Default)]
pub(super) struct TableLayout {
    rows: Vec<Vec<TableCell>>,
    /// The alignment of each column.
    alignments: Vec<Alignment>,
}

impl TableLayout {
    pub(super) fn with(alignments: Vec<Alignment>) -> Self {
        Self { rows: Vec::new(), alignments }
    }

    pub(super) fn begin_row(&mut self) {
        self.rows.push(Vec::new());
    }

    pub(super) fn cell(&mut self, text: String, looks: Vec<(usize, Style)>) {
        if let Some(row) = self.rows.last_mut() {
            row.push((text.replace('\n', " "), looks));
        }
    }

    /// Lays out the rows within so many columns, with a rule of `stroke` below the head.
    pub(super) fn rows(&self, room: usize, stroke: &str, theme: &Theme) -> Vec<Line<'static>> {
        let widths = self.widths(room, theme);
        let mut out = Vec::new();
        for (number, cells) in self.rows.iter().enumerate() {
            out.extend(row(cells, &widths, &self.alignments, number == 0, theme));
            if number == 0 {
                let rule: Vec<String> = widths.iter().map(|w| stroke.repeat(*w)).collect();
                out.push(Line::styled(rule.join(&" ".repeat(GAP_COLUMNS)), theme.style(Slot::UiBorder)));
            }
        }
        out
    }

    /// The width of each column: the widest columns are narrowed first.
    fn widths(&self, room: usize, theme: &Theme) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0).min(MAX_COLUMNS);
        let mut widths = vec![MIN_CELL_COLUMNS; columns];
        for cells in &self.rows {
            for (width, (text, _)) in widths.iter_mut().zip(cells) {
                let wide = WrapOptions::prose(room.max(MIN_CELL_COLUMNS), theme.mark());
                let needs = wrap::rows(text, &[], wide).iter().map(|r| r.line.width()).max().unwrap_or(0);
                *width = (*width).max(needs);
            }
        }
        let between = GAP_COLUMNS * columns.saturating_sub(1);
        while widths.iter().sum::<usize>() + between > room {
            let Some(widest) = widths.iter_mut().max().filter(|w| **w > MIN_CELL_COLUMNS) else { break };
            *widest -= 1;
        }
        widths
    }
}

/// Lays out one row of cells, as high as its highest cell.
fn row(
    cells: &[TableCell],
    widths: &[usize],
    alignments: &[Alignment],
    head: bool,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let laid: Vec<Vec<Line<'static>>> = cells
        .iter()
        .zip(widths)
        .map(|((text, looks), width)| {
            let options = WrapOptions::prose(*width, theme.mark());
            wrap::rows(text, looks, options).into_iter().map(|r| r.line).collect()
        })
        .collect();
    let height = laid.iter().map(Vec::len).max().unwrap_or(0).max(1);
    (0..height)
        .map(|at| {
            let mut spans = Vec::new();
            for (column, (cell, width)) in laid.iter().zip(widths).enumerate() {
                let line = cell.get(at).cloned().unwrap_or_default();
                let pad = width.saturating_sub(line.width());
                let before = match alignments.get(column) {
                    Some(Alignment::Right) => pad,
                    Some(Alignment::Center) => pad / 2,
                    _ => 0,
                };
                if before > 0 {
                    spans.push(Span::raw(" ".repeat(before)));
                }
                for mut span in line.spans {
                    if head {
                        span.style = span.style.add_modifier(Modifier::BOLD);
                    }
                    spans.push(span);
                }
                if column + 1 < laid.len() {
                    spans.push(Span::raw(" ".repeat(pad - before + GAP_COLUMNS)));
                }
            }
            Line::from(spans)
        })
        .collect()
}

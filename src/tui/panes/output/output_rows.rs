//! The rows of the output pane as one list: the rows before the output, its lines, and the rows after it. Lines are
//! wrapped when they scroll into view; those of a table are cut instead.

use super::tables::{self, Table};
use crate::tui::paint::output::Output;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::safe;
use crate::tui::widgets::virtual_list::{Anchor, Items};
use ratatui::text::Line;
use std::collections::HashMap;
use std::rc::Rc;

pub(super) struct PrintedRows<'a> {
    pub(super) head: &'a [Line<'static>],
    pub(super) output: &'a Output,
    pub(super) tail: &'a [Line<'static>],
    pub(super) wrapped: &'a mut HashMap<usize, Rc<[Line<'static>]>>,
    /// The tables in the head and in the output, and how many of their columns are scrolled out.
    pub(super) head_tables: &'a [Table],
    pub(super) tables: &'a [Table],
    pub(super) skipped: usize,
    pub(super) width: usize,
    pub(super) draw: DrawContext<'a>,
}

/// How many wrapped lines are cached; when there are more, the whole cache is dropped.
const MAX_KEPT_LINES: usize = 2_000;

impl PrintedRows<'_> {
    /// The table that an item belongs to, and the item of its first line.
    fn table(&self, item: usize) -> Option<(&Table, usize)> {
        let (tables, line, first) = match item.checked_sub(self.head.len()) {
            None => (self.head_tables, item, 0),
            Some(line) => (self.tables, line, self.head.len()),
        };
        let table = tables::table_at(tables, line)?;
        Some((table, first + table.lines.start))
    }

    /// The header of the table that continues at a row, if the header is above that row.
    pub(super) fn header_above(&mut self, top: Anchor) -> Vec<Line<'static>> {
        let Some((table, first)) = self.table(top.item) else { return Vec::new() };
        let header = first..first + table.header;
        if top.item < header.end {
            return Vec::new();
        }
        header.filter_map(|item| self.line(Anchor { item, row: 0 })).collect()
    }

    fn line_rows(&mut self, line: usize) -> Rc<[Line<'static>]> {
        if let Some(rows) = self.wrapped.get(&line) {
            return rows.clone();
        }
        let rows: Rc<[Line<'static>]> =
            safe::wrapped(&self.output.line(line, self.draw.theme), self.width).into();
        if self.wrapped.len() >= MAX_KEPT_LINES {
            self.wrapped.clear();
        }
        // The last line may still grow.
        if line + 1 < self.output.len() {
            self.wrapped.insert(line, rows.clone());
        }
        rows
    }

    /// Whether there are more rows than `height`.
    pub(super) fn exceed(&mut self, height: usize) -> bool {
        let mut rows = 0;
        (0..self.count()).any(|item| {
            rows += self.rows(item);
            rows > height
        })
    }
}

impl Items for PrintedRows<'_> {
    fn count(&mut self) -> usize {
        self.head.len() + self.output.len() + self.tail.len()
    }

    fn rows(&mut self, item: usize) -> usize {
        match item.checked_sub(self.head.len()) {
            Some(line) if tables::table_at(self.tables, line).is_some() => 1,
            Some(line) if line < self.output.len() => self.line_rows(line).len().max(1),
            _ => usize::from(item < self.head.len() + self.output.len() + self.tail.len()),
        }
    }

    fn width(&self) -> usize {
        self.width
    }

    fn line(&mut self, at: Anchor) -> Option<Line<'static>> {
        if let Some((table, _)) = self.table(at.item) {
            let line = match at.item.checked_sub(self.head.len()) {
                None => self.head.get(at.item)?.clone(),
                Some(line) => self.output.line(line, self.draw.theme),
            };
            return Some(table.visible_part(&line, self.skipped, self.width, self.draw.dim()));
        }
        let Some(line) = at.item.checked_sub(self.head.len()) else { return self.head.get(at.item).cloned() };
        if line < self.output.len() {
            return self.line_rows(line).get(at.row).cloned();
        }
        self.tail.get(line - self.output.len()).cloned()
    }
}

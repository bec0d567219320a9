//! The text of the output pane, for search and selection: its parts, their lines, and scrolling to one of them.

use super::tables::{self, Table};
use super::{OutputPane, TAIL_ITEM};
use crate::domain::RunId;
use crate::tui::paint::output::{TAB, column_of};
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::passage::screen_text::ScreenText;
use crate::tui::widgets::passage::{FoundText, WrappedLine};
use crate::tui::widgets::virtual_list::Anchor;
use std::borrow::Cow;

impl OutputPane {
    /// How many parts the text has: the rows before the output, each printed line, and the rows after it.
    pub(crate) fn parts(&self) -> usize {
        self.output.len() + 2
    }

    /// The item number of a part, which stays the same when other lines are dropped.
    pub(crate) fn item(&self, part: usize) -> usize {
        match part.checked_sub(1) {
            None => 0,
            Some(line) if line < self.output.len() => self.output.number(line) + 1,
            Some(_) => TAIL_ITEM,
        }
    }

    fn part(&self, item: usize) -> usize {
        match item.checked_sub(1) {
            None => 0,
            Some(_) if item == TAIL_ITEM => self.output.len() + 1,
            Some(number) => self.output.line_with(number) + 1,
        }
    }

    /// All items from one to another.
    pub(crate) fn items(&self, from: usize, to: usize) -> impl Iterator<Item = usize> {
        (self.part(from)..=self.part(to)).map(|part| self.item(part))
    }

    /// The text of a part, if it is a printed line.
    pub(crate) fn printed(&self, part: usize) -> Option<Cow<'_, str>> {
        let line = part.checked_sub(1).filter(|line| *line < self.output.len())?;
        Some(self.output.printed(line))
    }

    pub(crate) fn lines_of(&self, item: usize) -> Vec<WrappedLine> {
        let part = self.part(item);
        match self.printed(part) {
            Some(text) => {
                let width = self.area.width.max(2).into();
                let line = part.saturating_sub(1);
                vec![match tables::table_at(&self.tables, line) {
                    Some(table) => self.passage(table, text.into_owned()),
                    None => WrappedLine::from_glyphs(text.into_owned(), width, TAB),
                }]
            }
            None if part == 0 => self.lines_of_head(),
            None => WrappedLine::of_rows(&self.tail),
        }
    }

    fn lines_of_head(&self) -> Vec<WrappedLine> {
        let (mut lines, mut from) = (Vec::new(), 0);
        for table in &self.head_tables {
            lines.extend(WrappedLine::of_rows(self.head.get(from..table.lines.start).unwrap_or_default()));
            let rows = self.head.get(table.lines.clone()).unwrap_or_default();
            lines.extend(rows.iter().map(|row| self.passage(table, row.to_string())));
            from = table.lines.end;
        }
        lines.extend(WrappedLine::of_rows(self.head.get(from..).unwrap_or_default()));
        lines
    }

    /// A line of a table; its visible part takes one row.
    fn passage(&self, table: &Table, text: String) -> WrappedLine {
        let (bytes, indent) = table.bytes(&text, self.skipped, self.area.width.into());
        WrappedLine::part(text, bytes, indent, TAB)
    }

    /// What the text depends on: which run, how many lines it has, and how often existing lines changed.
    pub(crate) fn stamp(&self) -> (Option<RunId>, usize, u64) {
        (self.shown_run(), self.output.len(), self.changes)
    }

    /// Whether lines in the middle are not in memory.
    pub(crate) fn is_partial(&self) -> bool {
        self.output.left_out()
    }

    /// Scrolls to a text.
    pub(crate) fn show(&mut self, found: &FoundText, draw: DrawContext<'_>) {
        let lines = self.lines_of(found.item);
        let above: usize = lines.iter().take(found.line).map(WrappedLine::rows).sum();
        self.bring_column(found, &lines, above);
        let row = above + lines.get(found.line).map_or(0, |line| line.row_of(found.bytes.start));
        let at = match self.part(found.item).checked_sub(1) {
            None => Anchor { item: row, row: 0 },
            Some(line) if line < self.output.len() => Anchor { item: self.head.len() + line, row },
            Some(line) => Anchor { item: self.head.len() + line + row, row: 0 },
        };
        self.with(draw, |list, printed| list.ensure_visible(printed, at));
    }

    /// Scrolls a table sideways to the column with a found text; `above` rows of the text's part precede it.
    fn bring_column(&mut self, found: &FoundText, lines: &[WrappedLine], above: usize) {
        let tables = match self.part(found.item).checked_sub(1) {
            None => tables::table_at(&self.head_tables, above),
            Some(line) => tables::table_at(&self.tables, line),
        };
        let width = self.area.width.into();
        let text = lines.get(found.line).filter(|_| !found.bytes.is_empty());
        if let (Some(table), Some(text)) = (tables, text) {
            let column = column_of(text.text(), found.bytes.start);
            self.skipped = table.skipped_for(column, self.skipped, width);
        }
    }

    pub(crate) fn screen_text(&self) -> ScreenText {
        if self.screen.is_some() {
            // The program's screen can change at any moment, so nothing in it can be selected.
            return ScreenText::default();
        }
        let (head, lines) = (self.head.len(), self.output.len());
        let places = self.list.visible.iter().map(|at| match at.item.checked_sub(head) {
            None => Anchor { item: 0, row: at.item },
            Some(line) if line < lines => Anchor { item: self.item(line + 1), row: at.row },
            Some(line) => Anchor { item: TAIL_ITEM, row: line - lines },
        });
        let top = self.area.y.saturating_add(self.header_rows());
        ScreenText::of_list(top, places, |item| self.lines_of(item))
    }
}

//! Receipt, output and what follows as one list of lines that are wrapped when they come on screen.

use crate::tui::paint::output::Output;
use crate::tui::widgets::look::DrawStyle;
use crate::tui::widgets::safe;
use crate::tui::widgets::virtual_list::{Anchor, Items};
use ratatui::text::Line;
use std::collections::HashMap;
use std::rc::Rc;

/// Head, output and tail as one list.
pub(super) struct PrintedRows<'a> {
    pub(super) head: &'a [Line<'static>],
    pub(super) output: &'a Output,
    pub(super) tail: &'a [Line<'static>],
    pub(super) wrapped: &'a mut HashMap<usize, Rc<[Line<'static>]>>,
    pub(super) width: usize,
    pub(super) look: DrawStyle<'a>,
}

/// So many wrapped lines are kept; beyond, all are let go.
const KEPT: usize = 2_000;

impl PrintedRows<'_> {
    fn laid(&mut self, line: usize) -> Rc<[Line<'static>]> {
        if let Some(rows) = self.wrapped.get(&line) {
            return rows.clone();
        }
        let rows: Rc<[Line<'static>]> =
            safe::wrapped(&self.output.line(line, self.look.theme), self.width).into();
        if self.wrapped.len() >= KEPT {
            self.wrapped.clear();
        }
        // The last line may still grow.
        if line + 1 < self.output.len() {
            self.wrapped.insert(line, rows.clone());
        }
        rows
    }

    /// Whether there are more rows than this.
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
            Some(line) if line < self.output.len() => self.laid(line).len().max(1),
            _ => usize::from(item < self.head.len() + self.output.len() + self.tail.len()),
        }
    }

    fn line(&mut self, at: Anchor) -> Option<Line<'static>> {
        let Some(line) = at.item.checked_sub(self.head.len()) else { return self.head.get(at.item).cloned() };
        if line < self.output.len() {
            return self.laid(line).get(at.row).cloned();
        }
        self.tail.get(line - self.output.len()).cloned()
    }
}

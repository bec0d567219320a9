//! Changes that know of lines: a new one with its indent, lines moved in and out, lines commented out.

use super::{ChangeKind, Fragment, History, Pos, Text};
use crate::tui::editing::cluster;
use crate::tui::editing::syntax::LineOpening;

impl Text {
    /// Begins a line, indented as what is written asks for.
    pub(super) fn newline(&mut self) {
        if self.one_line {
            return;
        }
        let outer = self.history.is_grouping();
        self.history.group();
        if let Some((from, to)) = self.selection() {
            self.change(from, to, Fragment::default(), ChangeKind::Other);
        }
        self.dedent_closing_word();
        let row = self.cursor.row;
        let (before, after) = self.row(row).split_at_checked(self.cursor.byte).unwrap_or_default();
        let indent = cluster::indent_of(before).to_owned();
        let opens = self.syntax.opens(before);
        let closed = matches!(opens, LineOpening::Bracket(close) if after.trim_start().starts_with(close));
        let inner =
            if opens == LineOpening::Nothing { indent.clone() } else { format!("{indent}{}", self.unit) };
        let mut text = format!("\n{inner}");
        // Between a bracket and the one that closes it, that one gets a line of its own.
        if closed {
            text.push('\n');
            text.push_str(&indent);
        }
        // Blanks behind the cursor would add to the indent.
        let blanks = if inner.is_empty() { 0 } else { cluster::indent_of(after).len() };
        let to = Pos::new(row, self.cursor.byte + blanks);
        let end = self.buffer.end_at(row);
        self.change(self.cursor, to, Fragment::pasted(&text, end), ChangeKind::Other);
        if closed {
            self.cursor = Pos::new(row + 1, inner.len());
            self.history.set_cursor_after(self.cursor);
        }
        if !outer {
            History::ungroup(&mut self.history);
        }
    }

    /// A bracket that closes, or a colon behind `else`, typed into a line of nothing else: the line goes one indent out.
    pub(super) fn dedent_closer(&mut self, typed: char) {
        let row = self.cursor.row;
        let line = self.row(row);
        if self.cursor.byte == line.len() && self.syntax.closes(line, typed) {
            self.dedent_if_as_above(row);
        }
    }

    /// The same for a word such as `fi`, once its line is left.
    fn dedent_closing_word(&mut self) {
        let row = self.cursor.row;
        if self.syntax.closes_by_word(self.row(row)) {
            self.dedent_if_as_above(row);
        }
    }

    /// Takes an indent back where the line stands as deep as the one above it, and that one opens nothing.
    fn dedent_if_as_above(&mut self, row: usize) {
        let above = self.lines().iter().take(row).rev().find(|line| !line.trim().is_empty());
        let Some(above) = above else { return };
        let (here, there) = (cluster::indent_of(self.row(row)).len(), cluster::indent_of(above).len());
        if here == there + self.unit_after(above) && here > 0 {
            let cursor = self.cursor;
            let gone = self.outwards(row);
            self.change(Pos::new(row, 0), Pos::new(row, gone), Fragment::default(), ChangeKind::Other);
            self.cursor = Pos::new(cursor.row, cursor.byte.saturating_sub(gone));
            self.history.set_cursor_after(self.cursor);
        }
    }

    /// How much deeper a line below this one stands.
    fn unit_after(&self, line: &str) -> usize {
        if self.syntax.opens(line) == LineOpening::Nothing { 0 } else { self.unit.len() }
    }

    /// The bytes that go when a line goes one indent out.
    fn outwards(&self, row: usize) -> usize {
        let line = self.row(row);
        if line.starts_with('\t') {
            return 1;
        }
        let spaces = if self.unit == "\t" { 4 } else { self.unit.len() };
        line.bytes().take(spaces).take_while(|b| *b == b' ').count()
    }

    /// The lines that are selected, or the one with the cursor.
    pub(crate) fn rows_selected(&self) -> (usize, usize) {
        match self.selection() {
            Some((from, to)) if to.byte == 0 && to.row > from.row => (from.row, to.row - 1),
            Some((from, to)) => (from.row, to.row),
            None => (self.cursor.row, self.cursor.row),
        }
    }

    /// Moves the selected lines (or this one) one indent in or out. Without a selection, inwards puts in blanks here.
    pub(crate) fn indent(&mut self, inwards: bool) {
        if inwards && self.selection().is_none() {
            let text = if self.unit == "\t" {
                self.unit.clone()
            } else {
                let column = cluster::column(self.row(self.cursor.row), self.cursor.byte);
                " ".repeat(self.unit.len() - column % self.unit.len().max(1))
            };
            return self.replace(self.cursor, self.cursor, &text);
        }
        let (first, last) = self.rows_selected();
        self.shift_rows(first, last, inwards);
    }

    /// Moves lines one indent in or out; what is selected stays selected.
    pub(crate) fn shift_rows(&mut self, first: usize, last: usize, inwards: bool) {
        let unit = self.unit.clone();
        self.each_row(first, last, |text, row| {
            if inwards {
                if text.row(row).is_empty() { None } else { Some((0, 0, unit.clone())) }
            } else {
                Some((0, text.outwards(row), String::new()))
            }
        });
    }

    /// Comments the selected lines out, or in again where all of them are; `false`: the language has no such comments.
    pub(crate) fn toggle_comment(&mut self) -> bool {
        let (first, last) = self.rows_selected();
        self.comment_rows(first, last)
    }

    /// The same for lines that are named.
    pub(crate) fn comment_rows(&mut self, first: usize, last: usize) -> bool {
        let Some(mark) = self.syntax.comment() else { return false };
        let rows =
            || self.lines().iter().skip(first).take(last - first + 1).filter(|line| !line.trim().is_empty());
        // What stands behind the indent, not behind blanks of any kind: that is what is taken out.
        let is = |line: &String| {
            line.get(cluster::indent_of(line).len()..).is_some_and(|text| text.starts_with(mark))
        };
        let are = rows().count() > 0 && rows().all(is);
        let depth = rows().map(|line| cluster::indent_of(line).len()).min().unwrap_or(0);
        self.each_row(first, last, |text, row| {
            let line = text.row(row);
            if line.trim().is_empty() {
                return None;
            }
            if !are {
                return Some((depth, depth, format!("{mark} ")));
            }
            let at = cluster::indent_of(line).len();
            let behind = line.get(at + mark.len()..).unwrap_or_default();
            let blank = usize::from(behind.starts_with(' '));
            Some((at, at + mark.len() + blank, String::new()))
        });
        true
    }

    /// Changes lines one by one, as one step; the cursor and the selection stay with their letters.
    fn each_row(
        &mut self,
        first: usize,
        last: usize,
        change: impl Fn(&Self, usize) -> Option<(usize, usize, String)>,
    ) {
        let (mut cursor, mut anchor, shape) = (self.cursor, self.anchor, self.shape);
        let before = self.generation;
        self.group_changes(|text| {
            for row in first..=last {
                let Some((from, to, new)) = change(text, row) else { continue };
                let fragment = Fragment { lines: vec![new.clone()], ends: Vec::new() };
                text.change(Pos::new(row, from), Pos::new(row, to), fragment, ChangeKind::Other);
                for at in [Some(&mut cursor), anchor.as_mut()].into_iter().flatten() {
                    if at.row == row && at.byte >= from {
                        at.byte = at.byte.max(to) - to + from + new.len();
                    }
                }
            }
            text.put_cursor(cursor);
            if text.generation != before {
                text.history.set_cursor_after(text.cursor);
            }
            text.select_from(anchor, shape);
        });
    }

    /// Joins the next line to one, with a blank between them where there are words on both sides.
    pub(crate) fn join_row(&mut self, row: usize) {
        if row >= self.last_row() {
            return;
        }
        let (line, below) = (self.row(row), self.row(row + 1));
        let from = Pos::new(row, line.len());
        let to = Pos::new(row + 1, cluster::indent_of(below).len());
        let rest = below.get(to.byte..).unwrap_or_default();
        let blank =
            !line.is_empty() && !line.ends_with([' ', '\t']) && !rest.is_empty() && !rest.starts_with(')');
        self.replace(from, to, if blank { " " } else { "" });
        self.put_cursor(from);
    }
}

//! Changes of whole lines: new lines with their indent, indenting, commenting out.

use super::Text;
use crate::tui::editing::buffer::{Fragment, Pos};
use crate::tui::editing::cluster;
use crate::tui::editing::history::ChangeKind;
use crate::tui::editing::syntax::LineOpening;

impl Text {
    /// Begins a new line, with the indent of the language.
    pub(super) fn newline(&mut self) {
        if self.one_line {
            return;
        }
        self.group_changes(Self::break_line);
    }

    fn break_line(&mut self) {
        if let Some((from, to)) = self.selection() {
            self.change(from, to, Fragment::default(), ChangeKind::Other);
        }
        self.dedent_closing_word();
        let index = self.cursor.line;
        let (before, after) = self.line(index).split_at_checked(self.cursor.byte).unwrap_or_default();
        let indent = cluster::indent_of(before).to_owned();
        let opens = self.syntax.opens(before);
        let closed = matches!(opens, LineOpening::Bracket(close) if after.trim_start().starts_with(close));
        let inner =
            if opens == LineOpening::Nothing { indent.clone() } else { format!("{indent}{}", self.unit) };
        let mut text = format!("\n{inner}");
        // Between an opening and its closing bracket: the closing one gets a line of its own.
        if closed {
            text.push('\n');
            text.push_str(&indent);
        }
        // Spaces after the cursor would add to the indent.
        let blanks = if inner.is_empty() { 0 } else { cluster::indent_of(after).len() };
        let to = Pos::new(index, self.cursor.byte + blanks);
        let end = self.buffer.end_at(index);
        self.change(self.cursor, to, Fragment::pasted(&text, end), ChangeKind::Other);
        if closed {
            self.cursor = Pos::new(index + 1, inner.len());
            self.history.set_cursor_after(self.cursor);
        }
    }

    /// Dedents a line when a closing bracket, or the colon of an `else`, was typed and the line contains
    /// nothing else.
    pub(super) fn dedent_closer(&mut self, typed: char) {
        let index = self.cursor.line;
        let line = self.line(index);
        if self.cursor.byte == line.len() && self.syntax.closes(line, typed) {
            self.dedent_if_as_above(index);
        }
    }

    /// Dedents a line that consists of a closing word such as `fi`; called when the line is left.
    fn dedent_closing_word(&mut self) {
        let index = self.cursor.line;
        if self.syntax.closes_by_word(self.line(index)) {
            self.dedent_if_as_above(index);
        }
    }

    /// Dedents a line that is still indented as the line above requires.
    fn dedent_if_as_above(&mut self, index: usize) {
        let above = self.lines().iter().take(index).rev().find(|line| !line.trim().is_empty());
        let Some(above) = above else { return };
        let (here, there) = (cluster::indent_of(self.line(index)).len(), cluster::indent_of(above).len());
        if here == there + self.unit_after(above) && here > 0 {
            let cursor = self.cursor;
            let gone = self.outwards(index);
            self.change(Pos::new(index, 0), Pos::new(index, gone), Fragment::default(), ChangeKind::Other);
            self.cursor = Pos::new(cursor.line, cursor.byte.saturating_sub(gone));
            self.history.set_cursor_after(self.cursor);
        }
    }

    /// By how many bytes the line below this one is indented deeper.
    fn unit_after(&self, line: &str) -> usize {
        if self.syntax.opens(line) == LineOpening::Nothing { 0 } else { self.unit.len() }
    }

    /// How many bytes one step of dedent removes.
    fn outwards(&self, index: usize) -> usize {
        let line = self.line(index);
        if line.starts_with('\t') {
            return 1;
        }
        let spaces = if self.unit == "\t" { 4 } else { self.unit.len() };
        line.bytes().take(spaces).take_while(|b| *b == b' ').count()
    }

    /// The selected lines, or the line of the cursor.
    pub(crate) fn selected_lines(&self) -> (usize, usize) {
        match self.selection() {
            Some((from, to)) if to.byte == 0 && to.line > from.line => (from.line, to.line - 1),
            Some((from, to)) => (from.line, to.line),
            None => (self.cursor.line, self.cursor.line),
        }
    }

    /// Indents or dedents the selected lines, or this one. Without a selection, indenting inserts spaces at the
    /// cursor.
    pub(crate) fn indent(&mut self, inwards: bool) {
        if inwards && self.selection().is_none() {
            let text = if self.unit == "\t" {
                self.unit.clone()
            } else {
                let column = cluster::column(self.line(self.cursor.line), self.cursor.byte);
                " ".repeat(self.unit.len() - column % self.unit.len().max(1))
            };
            return self.replace(self.cursor, self.cursor, &text);
        }
        let (first, last) = self.selected_lines();
        self.shift_lines(first, last, inwards);
    }

    /// Indents or dedents lines; the selection stays.
    pub(crate) fn shift_lines(&mut self, first: usize, last: usize, inwards: bool) {
        let unit = self.unit.clone();
        self.each_line(first, last, |text, index| {
            if inwards {
                if text.line(index).is_empty() { None } else { Some((0, 0, unit.clone())) }
            } else {
                Some((0, text.outwards(index), String::new()))
            }
        });
    }

    /// Comments the selected lines out, or in again if all of them are commented out; `false`: the language has
    /// no line comments.
    pub(crate) fn toggle_comment(&mut self) -> bool {
        let (first, last) = self.selected_lines();
        self.comment_lines(first, last)
    }

    /// Like [`Text::toggle_comment`], for the given lines.
    pub(crate) fn comment_lines(&mut self, first: usize, last: usize) -> bool {
        let Some(mark) = self.syntax.comment else { return false };
        let rows =
            || self.lines().iter().skip(first).take(last - first + 1).filter(|line| !line.trim().is_empty());
        // Only spaces and tabs count as indent, because exactly these are skipped when the mark is removed.
        let is_commented = |line: &String| {
            line.get(cluster::indent_of(line).len()..).is_some_and(|text| text.starts_with(mark))
        };
        let are_commented = rows().count() > 0 && rows().all(is_commented);
        let depth = rows().map(|line| cluster::indent_of(line).len()).min().unwrap_or(0);
        self.each_line(first, last, |text, index| {
            let line = text.line(index);
            if line.trim().is_empty() {
                return None;
            }
            if !are_commented {
                return Some((depth, depth, format!("{mark} ")));
            }
            let at = cluster::indent_of(line).len();
            let behind = line.get(at + mark.len()..).unwrap_or_default();
            let blank = usize::from(behind.starts_with(' '));
            Some((at, at + mark.len() + blank, String::new()))
        });
        true
    }

    /// Changes lines one by one, as one undo step; the cursor and the selection stay at their letters.
    fn each_line(
        &mut self,
        first: usize,
        last: usize,
        change: impl Fn(&Self, usize) -> Option<(usize, usize, String)>,
    ) {
        let (mut cursor, mut anchor, shape) = (self.cursor, self.anchor, self.shape);
        let before = self.generation;
        self.group_changes(|text| {
            for index in first..=last {
                let Some((from, to, new)) = change(text, index) else { continue };
                let fragment = Fragment { lines: vec![new.clone()], ends: Vec::new() };
                text.change(Pos::new(index, from), Pos::new(index, to), fragment, ChangeKind::Other);
                for at in [Some(&mut cursor), anchor.as_mut()].into_iter().flatten() {
                    if at.line == index && at.byte >= from {
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

    /// Joins the next line to this one, with a space between them if both have text.
    pub(crate) fn join_line(&mut self, index: usize) {
        if index >= self.last_line() {
            return;
        }
        let (line, below) = (self.line(index), self.line(index + 1));
        let from = Pos::new(index, line.len());
        let to = Pos::new(index + 1, cluster::indent_of(below).len());
        let rest = below.get(to.byte..).unwrap_or_default();
        let blank =
            !line.is_empty() && !line.ends_with([' ', '\t']) && !rest.is_empty() && !rest.starts_with(')');
        self.replace(from, to, if blank { " " } else { "" });
        self.put_cursor(from);
    }
}

//! A text under the person's hands: its cursor, what is selected, what was cut, and every change that can be made.
//!
//! The cursor and the ends of a selection always stand between two clusters.

mod finding;
mod lines;
mod moves;

use super::buffer::{BYTE_ORDER_MARK, Buffer, Fragment, Pos};
use super::cluster;
use super::history::{ChangeKind, History};
use super::search::Needle;
use super::syntax::Syntax;
use super::{Edit, Motion};
use crate::tui::paint::wrap::WrapOptions;

/// How far a selection reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SelectionShape {
    /// Up to the cursor.
    #[default]
    Between,
    /// With the character under the cursor.
    Inclusive,
    /// Whole lines.
    Lines,
}

/// What was cut or copied.
#[derive(Clone, Debug, Default)]
pub(crate) struct YankedText {
    pub(crate) text: String,
    /// Whether it is whole lines.
    pub(crate) lines: bool,
}

/// A column that moves up and down keep to, over lines that are shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct KeptColumn {
    /// Whether it is counted from the start of a row, not of the line.
    of_row: bool,
    at: usize,
}

/// A text that is being edited.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    buffer: Buffer,
    history: History,
    cursor: Pos,
    /// The column that moves up and down keep to.
    column: Option<KeptColumn>,
    /// How its lines are laid out on rows, once it was shown: moves up and down go by those.
    rows: Option<WrapOptions>,
    /// Where the selection began.
    anchor: Option<Pos>,
    /// Whether moves alone select.
    marking: bool,
    shape: SelectionShape,
    kept: YankedText,
    generation: u64,
    /// Whether it has one line only.
    one_line: bool,
    /// What the text is written in: how lines are indented and commented out.
    syntax: Syntax,
    /// One step of indent.
    unit: String,
    /// What was looked for last.
    needle: Option<Needle>,
}

impl Text {
    /// A text with the cursor at its start.
    pub(crate) fn of(text: &str) -> Self {
        let buffer = Buffer::of(text);
        let tabs = buffer.lines().iter().any(|line| line.starts_with('\t'));
        let unit = if tabs { "\t" } else { "    " }.to_owned();
        Self { buffer, unit, ..Self::default() }
    }

    /// An empty text that stays on one line.
    pub(crate) fn line() -> Self {
        Self { one_line: true, ..Self::of("") }
    }

    /// Says what it is written in; where that has an indent of its own and the text none, it is that.
    pub(crate) fn written_in(&mut self, syntax: Syntax) {
        self.unit = syntax.unit(self.buffer.lines()).to_owned();
        self.syntax = syntax;
    }

    /// Says how its lines are laid out on rows.
    pub(crate) fn lay_out(&mut self, rows: WrapOptions) {
        self.rows = Some(rows);
    }

    /// The lines without their ends; there is always one.
    pub(crate) fn lines(&self) -> &[String] {
        self.buffer.lines()
    }

    pub(crate) fn row(&self, row: usize) -> &str {
        self.buffer.line(row)
    }

    /// The whole text, with the ends of lines that it has.
    pub(crate) fn text(&self) -> String {
        self.buffer.text()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines().iter().all(String::is_empty)
    }

    pub(crate) fn cursor(&self) -> Pos {
        self.cursor
    }

    pub(crate) fn last_row(&self) -> usize {
        self.buffer.last_row()
    }

    /// Grows with each change of the text.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// How many lines at the start and at the end were never touched.
    pub(crate) fn unchanged_ends(&self) -> (usize, usize) {
        self.buffer.unchanged_ends()
    }

    /// The text of the line before the cursor.
    pub(crate) fn before_cursor(&self) -> &str {
        self.row(self.cursor.row).get(..self.cursor.byte).unwrap_or_default()
    }

    /// The place in the text that is nearest to one, at or before it: on a line, between two clusters.
    pub(crate) fn nearest_place(&self, at: Pos) -> Pos {
        let row = at.row.min(self.last_row());
        Pos::new(row, cluster::at_or_before(self.row(row), at.byte))
    }

    /// What is selected: from and to, the end not in it.
    pub(crate) fn selection(&self) -> Option<(Pos, Pos)> {
        let anchor = self.anchor?;
        let (from, to) = (anchor.min(self.cursor), anchor.max(self.cursor));
        match self.shape {
            SelectionShape::Between => (from < to).then_some((from, to)),
            SelectionShape::Inclusive => {
                Some((from, Pos::new(to.row, cluster::next(self.row(to.row), to.byte))))
            }
            SelectionShape::Lines => Some((Pos::new(from.row, 0), Pos::new(to.row, self.row(to.row).len()))),
        }
    }

    /// What is selected, as text.
    pub(crate) fn selected(&self) -> Option<String> {
        self.selection().map(|(from, to)| self.buffer.slice(from, to).text())
    }

    /// Where the selection began.
    pub(crate) fn anchor(&self) -> Option<Pos> {
        self.anchor
    }

    /// Selects from a place to the cursor.
    pub(crate) fn select_from(&mut self, anchor: Option<Pos>, shape: SelectionShape) {
        self.anchor = anchor.map(|at| self.nearest_place(at));
        self.shape = shape;
        self.marking = false;
    }

    /// Selects a range; the cursor stands at its end.
    pub(crate) fn select(&mut self, from: Pos, to: Pos) {
        self.put_cursor(to);
        self.select_from(Some(from), SelectionShape::Between);
    }

    /// Puts the cursor somewhere; what was selected is not any more.
    pub(crate) fn put_cursor(&mut self, at: Pos) {
        self.select_from(None, SelectionShape::Between);
        self.history.seal();
        self.column = None;
        self.cursor = self.nearest_place(at);
    }

    /// Puts the cursor somewhere and keeps where the selection began.
    pub(crate) fn extend_selection(&mut self, at: Pos) {
        self.history.seal();
        self.column = None;
        self.cursor = self.nearest_place(at);
    }

    /// What was cut or copied last.
    pub(crate) fn yanked(&self) -> &YankedText {
        &self.kept
    }

    /// Keeps a text for [`Edit::Yank`].
    pub(crate) fn set_yanked(&mut self, text: String, lines: bool) {
        self.kept = YankedText { text, lines };
    }

    /// Puts the cursor somewhere near; moves up and down keep to the column of before.
    pub(crate) fn step_onto(&mut self, at: Pos) {
        self.cursor = self.nearest_place(at);
    }

    /// What was looked for last.
    pub(crate) fn needle(&self) -> Option<&Needle> {
        self.needle.as_ref()
    }

    /// Looks for something else from now on.
    pub(crate) fn set_needle(&mut self, needle: Option<Needle>) {
        self.needle = needle;
    }

    /// Changes from now on are taken back together, until [`Text::ungroup`].
    pub(crate) fn group(&mut self) {
        self.history.group();
    }

    pub(crate) fn ungroup(&mut self) {
        self.history.ungroup();
    }

    /// Makes several changes that are taken back together.
    pub(crate) fn group_changes(&mut self, change: impl FnOnce(&mut Self)) {
        let outer = self.history.is_grouping();
        self.history.group();
        change(self);
        if !outer {
            self.history.ungroup();
        }
    }

    /// Puts a text in the place of a range; the cursor stands behind it.
    pub(crate) fn replace(&mut self, from: Pos, to: Pos, text: &str) {
        self.replace_bytes(self.nearest_place(from.min(to)), self.nearest_place(from.max(to)), text);
    }

    /// The same for exactly these bytes, whatever clusters they cut.
    fn replace_bytes(&mut self, from: Pos, to: Pos, text: &str) {
        let text = if self.one_line { one_line(text) } else { text.to_owned() };
        let fragment = Fragment::pasted(&text, self.buffer.end_at(from.row));
        self.change(from, to, fragment, ChangeKind::Other);
    }

    /// Puts another text in the place of all of it, with the mark at its start and the ends of lines that it brings. It
    /// can be undone.
    pub(crate) fn replace_all(&mut self, text: &str) {
        let text = if self.one_line { one_line(text) } else { text.to_owned() };
        let body = text.strip_prefix(BYTE_ORDER_MARK);
        let fragment = Fragment::of(body.unwrap_or(&text));
        self.group_changes(|all| {
            all.change(Pos::default(), all.buffer.end(), fragment, ChangeKind::Other);
            if body.is_some() != all.buffer.has_mark() {
                all.history.turn_mark(&mut all.buffer, all.cursor);
                all.generation += 1;
            }
        });
    }

    /// Makes one change or move; tells whether the text is another than before.
    pub(crate) fn apply(&mut self, edit: Edit) -> bool {
        let before = self.generation;
        match edit {
            Edit::Insert(c) => self.insert(c),
            Edit::Paste(text) => {
                let (from, to) = self.selection().unwrap_or((self.cursor, self.cursor));
                self.replace(from, to, &text);
            }
            Edit::Newline => self.newline(),
            Edit::Backspace => self.erase(Motion::Left),
            Edit::Delete => self.erase(Motion::Right),
            Edit::DeleteWord => self.kill(Motion::WordLeft),
            Edit::KillToEnd => self.kill(Motion::End),
            Edit::KillToStart => self.kill(Motion::Home),
            Edit::Yank => {
                let text = self.kept.text.clone();
                self.apply(Edit::Paste(text));
            }
            Edit::Copy => {
                if let Some(text) = self.selected() {
                    self.set_yanked(text, false);
                    self.select_from(None, SelectionShape::Between);
                }
            }
            Edit::Cut => {
                if let (Some(text), Some((from, to))) = (self.selected(), self.selection()) {
                    self.set_yanked(text, false);
                    self.replace(from, to, "");
                }
            }
            Edit::Undo => self.step_history(History::undo),
            Edit::Redo => self.step_history(History::redo),
            Edit::Mark => {
                let marking = !self.marking;
                self.select_from(Some(self.cursor).filter(|_| marking), SelectionShape::Between);
                self.marking = marking;
            }
            Edit::SelectAll => self.select(Pos::default(), self.buffer.end()),
            Edit::Move(motion, select) => self.travel(motion, select),
        }
        self.generation != before
    }

    fn insert(&mut self, c: char) {
        if matches!(c, '\n' | '\r') {
            return self.newline();
        }
        let (from, to) = self.selection().unwrap_or((self.cursor, self.cursor));
        let fragment = Fragment { lines: vec![c.to_string()], ends: Vec::new() };
        self.change(from, to, fragment, ChangeKind::Typed);
        self.dedent_closer(c);
    }

    /// Deletes the cluster on one side, or what is selected.
    fn erase(&mut self, side: Motion) {
        if let Some((from, to)) = self.selection() {
            return self.change(from, to, Fragment::default(), ChangeKind::Other);
        }
        let to = self.target(side, self.cursor);
        let (from, to) = (to.min(self.cursor), to.max(self.cursor));
        if from != to {
            let kind = if from.row == to.row { ChangeKind::Erased } else { ChangeKind::Other };
            self.change(from, to, Fragment::default(), kind);
        }
    }

    /// Cuts from the cursor to where a move leads.
    fn kill(&mut self, motion: Motion) {
        let to = self.target(motion, self.cursor);
        let (from, to) = (to.min(self.cursor), to.max(self.cursor));
        // At the end of a line what is cut is its end.
        let to = if from == to && motion == Motion::End { self.target(Motion::Right, to) } else { to };
        if from != to {
            self.kept = YankedText { text: self.buffer.slice(from, to).text(), lines: false };
            self.change(from, to, Fragment::default(), ChangeKind::Other);
        }
    }

    /// Every change goes through here.
    fn change(&mut self, from: Pos, to: Pos, text: Fragment, kind: ChangeKind) {
        self.select_from(None, SelectionShape::Between);
        self.column = None;
        if from == to && text.is_empty() {
            return;
        }
        let end = self.history.change(&mut self.buffer, (from, to), text, kind, self.cursor);
        // What was put in may have joined what stands behind it.
        let cursor = Pos::new(end.row, cluster::at_or_after(self.row(end.row), end.byte));
        self.cursor = cursor;
        self.history.set_cursor_after(cursor);
        self.generation += 1;
    }

    fn step_history(&mut self, step: impl FnOnce(&mut History, &mut Buffer) -> Option<Pos>) {
        if let Some(cursor) = step(&mut self.history, &mut self.buffer) {
            self.put_cursor(cursor);
            self.generation += 1;
        }
    }
}

fn one_line(text: &str) -> String {
    text.replace("\r\n", " ").replace(['\n', '\r'], " ")
}

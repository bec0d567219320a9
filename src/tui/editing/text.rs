//! A text being edited: its cursor, its selection, the cut text, and every change that can be made.
//!
//! The cursor and the ends of a selection are always at cluster boundaries.

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
    /// Up to and including the character under the cursor.
    Inclusive,
    /// Whole lines.
    Lines,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct YankedText {
    pub(crate) text: String,
    /// Whether it consists of whole lines.
    pub(crate) lines: bool,
}

/// The column that moves up and down return to after shorter lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct KeptColumn {
    /// Whether it is counted from the start of the wrapped row instead of the line.
    of_row: bool,
    at: usize,
}

/// A text that is being edited.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    buffer: Buffer,
    history: History,
    cursor: Pos,
    /// The column that moves up and down return to.
    column: Option<KeptColumn>,
    /// How its lines are wrapped, once it was shown: moves up and down go by these rows.
    rows: Option<WrapOptions>,
    /// Where the selection began.
    anchor: Option<Pos>,
    /// Whether every move selects.
    marking: bool,
    shape: SelectionShape,
    kept: YankedText,
    generation: u64,
    /// Whether it may have only one line.
    one_line: bool,
    /// The language of the text: how lines are indented and commented out.
    syntax: Syntax,
    /// One step of indent.
    unit: String,
    /// The last search term.
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
    pub(crate) fn single_line() -> Self {
        Self { one_line: true, ..Self::of("") }
    }

    /// Sets the language. Its usual indent is used if the text has none.
    pub(crate) fn written_in(&mut self, syntax: Syntax) {
        self.unit = syntax.unit(self.buffer.lines()).to_owned();
        self.syntax = syntax;
    }

    /// Sets how the lines are wrapped.
    pub(crate) fn lay_out(&mut self, rows: WrapOptions) {
        self.rows = Some(rows);
    }

    /// The lines without their ends; there is at least one.
    pub(crate) fn lines(&self) -> &[String] {
        self.buffer.lines()
    }

    pub(crate) fn line(&self, index: usize) -> &str {
        self.buffer.line(index)
    }

    /// The whole text with its own line ends.
    pub(crate) fn text(&self) -> String {
        self.buffer.text()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines().iter().all(String::is_empty)
    }

    pub(crate) fn cursor(&self) -> Pos {
        self.cursor
    }

    pub(crate) fn last_line(&self) -> usize {
        self.buffer.last_line()
    }

    /// A counter that grows with each change of the text.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// How many lines at the start and at the end were never changed.
    pub(crate) fn unchanged_ends(&self) -> (usize, usize) {
        self.buffer.unchanged_ends()
    }

    /// The text of the line before the cursor.
    pub(crate) fn before_cursor(&self) -> &str {
        self.line(self.cursor.line).get(..self.cursor.byte).unwrap_or_default()
    }

    /// The nearest valid cursor position at or before this one: on a line, at a cluster boundary.
    pub(crate) fn nearest_place(&self, at: Pos) -> Pos {
        let index = at.line.min(self.last_line());
        Pos::new(index, cluster::at_or_before(self.line(index), at.byte))
    }

    /// The selected range, end excluded.
    pub(crate) fn selection(&self) -> Option<(Pos, Pos)> {
        let anchor = self.anchor?;
        let (from, to) = (anchor.min(self.cursor), anchor.max(self.cursor));
        match self.shape {
            SelectionShape::Between => (from < to).then_some((from, to)),
            SelectionShape::Inclusive => {
                Some((from, Pos::new(to.line, cluster::next(self.line(to.line), to.byte))))
            }
            SelectionShape::Lines => {
                Some((Pos::new(from.line, 0), Pos::new(to.line, self.line(to.line).len())))
            }
        }
    }

    /// The selected text.
    pub(crate) fn selected(&self) -> Option<String> {
        self.selection().map(|(from, to)| self.buffer.slice(from, to).text())
    }

    pub(crate) fn anchor(&self) -> Option<Pos> {
        self.anchor
    }

    /// Selects from a position to the cursor; `None` ends the selection.
    pub(crate) fn select_from(&mut self, anchor: Option<Pos>, shape: SelectionShape) {
        self.anchor = anchor.map(|at| self.nearest_place(at));
        self.shape = shape;
        self.marking = false;
    }

    /// Selects a range, with the cursor at its end.
    pub(crate) fn select(&mut self, from: Pos, to: Pos) {
        self.put_cursor(to);
        self.select_from(Some(from), SelectionShape::Between);
    }

    /// Moves the cursor and ends the selection.
    pub(crate) fn put_cursor(&mut self, at: Pos) {
        self.select_from(None, SelectionShape::Between);
        self.history.seal();
        self.column = None;
        self.cursor = self.nearest_place(at);
    }

    /// Moves the cursor and keeps the start of the selection.
    pub(crate) fn extend_selection(&mut self, at: Pos) {
        self.history.seal();
        self.column = None;
        self.cursor = self.nearest_place(at);
    }

    /// What was cut or copied last.
    pub(crate) fn yanked(&self) -> &YankedText {
        &self.kept
    }

    /// Stores a text for [`Edit::Yank`].
    pub(crate) fn set_yanked(&mut self, text: String, lines: bool) {
        self.kept = YankedText { text, lines };
    }

    /// Moves the cursor without forgetting the column for moves up and down.
    pub(crate) fn step_onto(&mut self, at: Pos) {
        self.cursor = self.nearest_place(at);
    }

    /// The last search term.
    pub(crate) fn needle(&self) -> Option<&Needle> {
        self.needle.as_ref()
    }

    /// Sets the search term.
    pub(crate) fn set_needle(&mut self, needle: Option<Needle>) {
        self.needle = needle;
    }

    /// The following changes are undone together, until [`Text::ungroup`].
    pub(crate) fn group(&mut self) {
        self.history.group();
    }

    pub(crate) fn ungroup(&mut self) {
        self.history.ungroup();
    }

    /// Makes several changes that are undone together.
    pub(crate) fn group_changes(&mut self, change: impl FnOnce(&mut Self)) {
        let outer = self.history.is_grouping();
        self.history.group();
        change(self);
        if !outer {
            self.history.ungroup();
        }
    }

    /// Replaces a range; the cursor ends after the new text.
    pub(crate) fn replace(&mut self, from: Pos, to: Pos, text: &str) {
        self.replace_bytes(self.nearest_place(from.min(to)), self.nearest_place(from.max(to)), text);
    }

    /// Like [`Text::replace`] for exactly these bytes, even inside clusters.
    fn replace_bytes(&mut self, from: Pos, to: Pos, text: &str) {
        let text = if self.one_line { one_line(text) } else { text.to_owned() };
        let fragment = Fragment::pasted(&text, self.buffer.end_at(from.line));
        self.change(from, to, fragment, ChangeKind::Other);
    }

    /// Replaces the whole text; the new text brings its own byte order mark and line ends. Can be undone.
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

    /// Applies one change or move; returns whether the text changed.
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

    /// Deletes the selection, or the cluster on one side.
    fn erase(&mut self, side: Motion) {
        if let Some((from, to)) = self.selection() {
            return self.change(from, to, Fragment::default(), ChangeKind::Other);
        }
        let to = self.target(side, self.cursor);
        let (from, to) = (to.min(self.cursor), to.max(self.cursor));
        if from != to {
            let kind = if from.line == to.line { ChangeKind::Erased } else { ChangeKind::Other };
            self.change(from, to, Fragment::default(), kind);
        }
    }

    /// Cuts from the cursor to the target of a move.
    fn kill(&mut self, motion: Motion) {
        let to = self.target(motion, self.cursor);
        let (from, to) = (to.min(self.cursor), to.max(self.cursor));
        // At the end of a line, cut the line end itself.
        let to = if from == to && motion == Motion::End { self.target(Motion::Right, to) } else { to };
        if from != to {
            self.kept = YankedText { text: self.buffer.slice(from, to).text(), lines: false };
            self.change(from, to, Fragment::default(), ChangeKind::Other);
        }
    }

    /// Makes a change. All changes go through here.
    fn change(&mut self, from: Pos, to: Pos, text: Fragment, kind: ChangeKind) {
        self.select_from(None, SelectionShape::Between);
        self.column = None;
        if from == to && text.is_empty() {
            return;
        }
        let end = self.history.change(&mut self.buffer, (from, to), text, kind, self.cursor);
        // The new text may have joined a cluster with the text after it.
        let cursor = Pos::new(end.line, cluster::at_or_after(self.line(end.line), end.byte));
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

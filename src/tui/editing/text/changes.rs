//! Changes a text: what each edit does to it, the cut text, and which changes are undone together.

use super::{SelectionShape, Text, YankedText};
use crate::tui::editing::buffer::{BYTE_ORDER_MARK, Buffer, Fragment, Pos};
use crate::tui::editing::history::{ChangeKind, History};
use crate::tui::editing::{Edit, Motion, cluster};

impl Text {
    /// What was cut or copied last.
    pub(crate) fn yanked(&self) -> &YankedText {
        &self.yanked
    }

    /// Stores a text for [`Edit::Yank`].
    pub(crate) fn set_yanked(&mut self, text: String, lines: bool) {
        self.yanked = YankedText { text, lines };
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
        let begins = self.history.group();
        change(self);
        if begins {
            self.history.ungroup();
        }
    }

    /// Replaces a range; the cursor ends after the new text.
    pub(crate) fn replace(&mut self, from: Pos, to: Pos, text: &str) {
        self.replace_bytes(self.nearest_place(from.min(to)), self.nearest_place(from.max(to)), text);
    }

    /// Like [`Text::replace`] for exactly these bytes, even inside clusters.
    pub(super) fn replace_bytes(&mut self, from: Pos, to: Pos, text: &str) {
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
            if body.is_some() != all.buffer.mark {
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
                let text = self.yanked.text.clone();
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
            self.yanked = YankedText { text: self.buffer.slice(from, to).text(), lines: false };
            self.change(from, to, Fragment::default(), ChangeKind::Other);
        }
    }

    /// Makes a change. All changes go through here.
    pub(super) fn change(&mut self, from: Pos, to: Pos, text: Fragment, kind: ChangeKind) {
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

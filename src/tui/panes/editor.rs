//! Edit mode of the code pane: a block's text under the person's hands.
//!
//! It knows nothing of decisions: leaving it hands the text back, and nothing runs from here. What was not touched
//! stays as it was, byte for byte: the marks at the start of the text, the ends of its lines, a missing last newline.

mod changed;

use crate::domain::{BlockId, Language, Revision};
use crate::tui::editing::search::Needle;
use crate::tui::editing::syntax::Syntax;
use crate::tui::editing::vim::{Mode, Vim};
use crate::tui::editing::{Text, search};
use crate::tui::widgets::field::{Edit, Field, Motion, Pos};
use std::sync::Arc;

/// The other bracket is looked for in so many lines around the cursor when a frame is drawn.
const BRACKET_LINES: usize = 400;

/// What is changed against the text that was opened.
#[derive(Debug, Default)]
struct EditedLines {
    /// For each line whether it is new or changed.
    lines: Vec<bool>,
    /// Whether all lines are as they were, and how they end, or the mark at the start, is not.
    only_ends: bool,
}

/// A block's text while it is edited.
#[derive(Debug)]
pub struct Editor {
    block: BlockId,
    revision: Revision,
    /// The text that was opened, and its lines.
    source: Arc<str>,
    original: Vec<String>,
    field: Field,
    /// What is changed against that, as of a generation.
    changed: Option<(u64, EditedLines)>,
    /// The keys of vim, where they were asked for.
    vim: Option<Vim>,
}

impl Editor {
    /// Opens a text for editing, with the cursor at the start of a line (counted from 0).
    pub(crate) fn open(block: BlockId, revision: Revision, source: &Arc<str>, line: usize) -> Self {
        let mut field = Field::of(source);
        field.engine().put_cursor(Pos::new(line, 0));
        let (source, original) = (source.clone(), field.rows().to_vec());
        Self { block, revision, source, original, field, changed: None, vim: None }
    }

    /// Says what the text is written in.
    #[must_use]
    pub(crate) fn written_in(mut self, language: Option<&Language>) -> Self {
        self.field.engine().written_in(Syntax::of(language.map_or("", Language::as_str)));
        self
    }

    /// Takes the keys of vim; letters move at first.
    #[must_use]
    pub(crate) fn with_vim(mut self, vim: bool) -> Self {
        self.vim = vim.then(|| Vim::new(Mode::Normal));
        self
    }

    /// The keys of vim and what they work on.
    pub(crate) fn vim(&mut self) -> Option<(&mut Vim, &mut Text)> {
        self.vim.as_mut().map(|vim| (vim, self.field.engine()))
    }

    pub(crate) fn mode(&self) -> Option<Mode> {
        self.vim.as_ref().map(Vim::mode)
    }

    /// The block whose text this is.
    pub(crate) fn block(&self) -> BlockId {
        self.block
    }

    /// The version that was opened.
    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    /// Grows with each change of the text.
    pub(crate) fn generation(&self) -> u64 {
        self.field.content().generation()
    }

    /// What is typed into: its lines, its cursor, what is selected.
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// The whole text, with the line ends that it had; lines that are new get the ends of their neighbours.
    pub fn text(&self) -> String {
        self.field.content().text()
    }

    /// Whether the text is another than the one that was opened, in any byte.
    pub(crate) fn is_changed(&self) -> bool {
        self.field.rows() != self.original || self.text() != *self.source
    }

    /// For each line whether it is new or changed against the text that was opened.
    pub(crate) fn changed_lines(&self) -> &[bool] {
        self.changed.as_ref().map_or(&[], |c| c.1.lines.as_slice())
    }

    /// Whether the lines are as they were, and only how they end or the mark at the start is changed.
    pub(crate) fn only_ends_changed(&self) -> bool {
        self.changed.as_ref().is_some_and(|c| c.1.only_ends)
    }

    /// Finds out which lines are changed, where that is not known of the text as it is now.
    pub(crate) fn compare(&mut self) {
        let generation = self.generation();
        if self.changed.as_ref().map(|c| c.0) != Some(generation) {
            let lines =
                changed::lines(&self.original, self.field.rows(), self.field.content().unchanged_ends());
            let same = self.original.len() == lines.len() && !lines.contains(&true);
            let only_ends = same && generation > 0 && self.is_changed();
            self.changed = Some((generation, EditedLines { lines, only_ends }));
        }
    }

    /// How many lines are new or changed, or, where lines were only taken away, how many those are.
    pub(crate) fn changed_count(&self) -> usize {
        let (now, before) = (self.field.rows().len(), self.original.len());
        let marked = self.changed_lines().iter().filter(|c| **c).count();
        marked.max(before.saturating_sub(now))
    }

    /// Replaces the whole text, as an external editor does, with the line ends that it brings; it can be undone.
    pub(crate) fn replace(&mut self, text: &str) {
        self.field.engine().replace_all(text);
        self.settle();
    }

    /// Makes one change or move.
    pub(crate) fn apply(&mut self, edit: Edit) {
        self.field.engine().apply(edit);
        self.settle();
    }

    /// Puts the cursor somewhere, as a click does.
    pub(crate) fn jump(&mut self, at: Pos) {
        self.field.engine().put_cursor(at);
        self.settle();
    }

    /// The engine, for whoever selects in it.
    pub(crate) fn engine(&mut self) -> &mut Text {
        self.field.engine()
    }

    /// Moves the selected lines (or this one) one indent in or out.
    pub(crate) fn indent(&mut self, inwards: bool) {
        self.field.engine().indent(inwards);
        self.settle();
    }

    /// Comments the selected lines (or this one) out, or in again; `false`: the language has no such comments.
    pub(crate) fn toggle_comment(&mut self) -> bool {
        let done = self.field.engine().toggle_comment();
        self.settle();
        done
    }

    /// The bracket under the cursor and the one that belongs to it, where that is near.
    pub(crate) fn brackets(&self) -> Option<(Pos, Pos)> {
        let at = self.field.cursor();
        let under = self
            .field
            .content()
            .row(at.row)
            .get(at.byte..)
            .is_some_and(|rest| rest.starts_with(['(', ')', '[', ']', '{', '}']));
        let other = if under { search::bracket(self.field.rows(), at, BRACKET_LINES) } else { None };
        other.map(|other| (at, other))
    }

    /// What is looked for.
    pub(crate) fn needle(&self) -> Option<&Needle> {
        self.field.content().needle()
    }

    /// Looks for something from now on.
    pub(crate) fn look_for(&mut self, needle: Needle) {
        self.field.engine().set_needle(Some(needle));
    }

    /// Selects the next match, or the one before; `here`: one at the cursor is the next. `false`: there is none.
    pub(crate) fn find(&mut self, back: bool, here: bool) -> bool {
        let found = self.field.engine().find(back, here);
        self.keep_match();
        found
    }

    /// The search is over: for the keys of vim a match is where the cursor stands, and nothing is selected.
    pub(crate) fn keep_match(&mut self) {
        if let (Some(_), Some((from, _))) = (&self.vim, self.field.selection()) {
            self.field.engine().put_cursor(from);
        }
    }

    /// What other keys did counts for those of vim.
    pub(crate) fn settle(&mut self) {
        if let Some(vim) = &mut self.vim {
            vim.settle(self.field.engine());
        }
    }

    /// Moves the cursor; `select` keeps or begins a selection.
    pub(crate) fn motion(&mut self, motion: Motion, select: bool) {
        self.apply(Edit::Move(motion, select));
    }
}

#[cfg(test)]
mod tests;

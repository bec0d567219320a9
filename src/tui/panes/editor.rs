//! The edit mode of the code pane: a block's text that the person edits.
//!
//! It knows nothing of decisions: leaving it returns the text, and nothing runs from here. Untouched parts stay the
//! same byte for byte: the byte order mark, the line ends, a missing final newline.

mod changed_lines;

use crate::domain::{BlockId, Language, Revision};
use crate::tui::editing::search::Needle;
use crate::tui::editing::syntax::Syntax;
use crate::tui::editing::vim::{Mode, Vim};
use crate::tui::editing::{Text, search};
use crate::tui::widgets::field::{Edit, Field, Motion, Pos};
use std::sync::Arc;

/// The matching bracket is searched in this many lines around the cursor for each frame.
const BRACKET_LINES: usize = 400;

/// What differs from the text that was opened.
#[derive(Debug, Default)]
struct EditedLines {
    /// For each line whether it is new or changed.
    lines: Vec<bool>,
    /// Whether all lines are the same and only line ends or the byte order mark differ.
    only_ends: bool,
}

/// A block's text being edited.
#[derive(Debug)]
pub struct Editor {
    pub(crate) block: BlockId,
    pub(crate) revision: Revision,
    /// The text that was opened, and its lines.
    source: Arc<str>,
    original: Vec<String>,
    /// Its lines, cursor and selection.
    pub field: Field,
    /// What differs from it, for a generation of the text.
    changed: Option<(u64, EditedLines)>,
}

impl Editor {
    /// Opens a text for editing, with the cursor at the start of a line (counted from 0).
    pub(crate) fn open(block: BlockId, revision: Revision, source: &Arc<str>, line: usize) -> Self {
        let mut field = Field::of(source);
        field.content.put_cursor(Pos::new(line, 0));
        let (source, original) = (source.clone(), field.lines().to_vec());
        Self { block, revision, source, original, field, changed: None }
    }

    /// Sets the language of the text.
    #[must_use]
    pub(crate) fn written_in(mut self, language: Option<&Language>) -> Self {
        self.field.content.written_in(Syntax::of(language.map_or("", Language::as_str)));
        self
    }

    /// Enables or disables the vim keys; letters move the cursor at first.
    #[must_use]
    pub(crate) fn with_vim(mut self, vim: bool) -> Self {
        self.field.vim = vim.then(|| Vim::new(Mode::Normal));
        self
    }

    /// A number that grows with each change of the text.
    pub(crate) fn generation(&self) -> u64 {
        self.field.content.generation
    }

    /// The whole text, with its original line ends; new lines get the ends of their neighbours.
    pub fn text(&self) -> String {
        self.field.content.text()
    }

    /// Whether the text differs in any byte from the one that was opened.
    pub(crate) fn is_changed(&self) -> bool {
        self.field.lines() != self.original || self.text() != *self.source
    }

    /// For each line whether it is new or changed against the text that was opened.
    pub(crate) fn changed_lines(&self) -> &[bool] {
        self.changed.as_ref().map_or(&[], |c| c.1.lines.as_slice())
    }

    /// Whether all lines are the same and only line ends or the byte order mark differ.
    pub(crate) fn only_ends_changed(&self) -> bool {
        self.changed.as_ref().is_some_and(|c| c.1.only_ends)
    }

    /// Compares the text with the one that was opened, unless that was done for the present text.
    pub(crate) fn compare(&mut self) {
        let generation = self.generation();
        if self.changed.as_ref().map(|c| c.0) != Some(generation) {
            let lines =
                changed_lines::lines(&self.original, self.field.lines(), self.field.content.unchanged_ends());
            let same = self.original.len() == lines.len() && !lines.contains(&true);
            let only_ends = same && generation > 0 && self.is_changed();
            self.changed = Some((generation, EditedLines { lines, only_ends }));
        }
    }

    /// How many lines are new or changed; if lines were only deleted, how many.
    pub(crate) fn changed_count(&self) -> usize {
        let (now, before) = (self.field.lines().len(), self.original.len());
        let marked = self.changed_lines().iter().filter(|c| **c).count();
        marked.max(before.saturating_sub(now))
    }

    /// Replaces the whole text, including line ends, by that of an external editor; this can be undone.
    pub(crate) fn replace(&mut self, text: &str) {
        self.field.change(|all| all.replace_all(text));
    }

    /// Makes one change or move.
    pub(crate) fn apply(&mut self, edit: Edit) {
        self.field.change(|text| text.apply(edit));
    }

    /// Puts the cursor at a position.
    pub(crate) fn jump(&mut self, at: Pos) {
        self.field.change(|text| text.put_cursor(at));
    }

    /// Moves the selected lines (or this one) one indent in or out.
    pub(crate) fn indent(&mut self, inwards: bool) {
        self.field.change(|text| text.indent(inwards));
    }

    /// Comments the selected lines (or the current one) out, or in again; `false` if the language has no such comments.
    pub(crate) fn toggle_comment(&mut self) -> bool {
        self.field.change(Text::toggle_comment)
    }

    /// The bracket under the cursor and its counterpart, if that is near.
    pub(crate) fn brackets(&self) -> Option<(Pos, Pos)> {
        let at = self.field.cursor();
        let under = self
            .field
            .content
            .line(at.line)
            .get(at.byte..)
            .is_some_and(|rest| rest.starts_with(['(', ')', '[', ']', '{', '}']));
        let other = if under { search::bracket(self.field.lines(), at, BRACKET_LINES) } else { None };
        other.map(|other| (at, other))
    }

    /// What is being searched.
    pub(crate) fn needle(&self) -> Option<&Needle> {
        self.field.content.needle()
    }

    /// Starts a search.
    pub(crate) fn look_for(&mut self, needle: Needle) {
        self.field.content.set_needle(Some(needle));
    }

    /// Selects the next match, or the one before; `here` includes one at the cursor. `false` if there is none.
    pub(crate) fn find(&mut self, back: bool, here: bool) -> bool {
        let found = self.field.content.find(back, here);
        self.keep_match();
        found
    }

    /// Ends the search: with vim keys the cursor stays at the match, and nothing is selected.
    pub(crate) fn keep_match(&mut self) {
        if let (Some(_), Some((from, _))) = (&self.field.vim, self.field.selection()) {
            self.field.content.put_cursor(from);
        }
    }

    /// Moves the cursor; `select` extends or begins a selection.
    pub(crate) fn motion(&mut self, motion: Motion, select: bool) {
        self.apply(Edit::Move(motion, select));
    }
}

#[cfg(test)]
mod tests;

//! A text field of one or several lines, with the keys of readline.

pub(crate) use crate::tui::editing::{Edit, Motion, Pos};

use crate::tui::editing::Text;
use crate::tui::editing::vim::{Mode, Vim};
use std::cell::Cell;

#[derive(Debug)]
pub struct Field {
    pub(crate) content: Text,
    /// Whether its text must not be shown.
    pub(crate) is_secret: bool,
    /// The vim keys, if they are enabled.
    pub(crate) vim: Option<Vim>,
    /// The first row that was shown, as a line and a row of it: the text only scrolls when the cursor leaves
    /// the visible rows.
    pub(crate) top: Cell<(usize, usize)>,
}

impl Default for Field {
    fn default() -> Self {
        Self::single_line()
    }
}

impl Field {
    /// A field of one line.
    pub(crate) fn single_line() -> Self {
        Self { content: Text::single_line(), ..Self::of("") }
    }

    /// A field of one line with this text, and the cursor at its end.
    pub(crate) fn with(text: &str) -> Self {
        let mut field = Self::single_line();
        field.set(text);
        field
    }

    /// A field of one line with a suggestion, fully selected: typing replaces it, moving the cursor keeps it.
    pub(crate) fn offering(text: &str) -> Self {
        let mut field = Self::with(text);
        field.content.apply(Edit::SelectAll);
        field
    }

    /// An empty field of several lines.
    pub(crate) fn multi_line() -> Self {
        Self::of("")
    }

    /// A field of several lines with this text unchanged; the cursor is at its start.
    pub(crate) fn of(text: &str) -> Self {
        Self { content: Text::of(text), is_secret: false, vim: None, top: Cell::default() }
    }

    /// A field of one line whose text is never shown.
    pub(crate) fn secret() -> Self {
        Self { is_secret: true, ..Self::single_line() }
    }

    /// The text, lines joined by `\n`.
    pub fn text(&self) -> String {
        self.content.lines().join("\n")
    }

    /// The lines; there is always one.
    pub(crate) fn lines(&self) -> &[String] {
        self.content.lines()
    }

    /// The cursor.
    pub fn cursor(&self) -> Pos {
        self.content.cursor()
    }

    /// The selected range, end excluded.
    pub(crate) fn selection(&self) -> Option<(Pos, Pos)> {
        self.content.selection()
    }

    /// The selected text; `None` in a secret field.
    pub fn selected(&self) -> Option<String> {
        self.content.selected().filter(|_| !self.is_secret)
    }

    /// The text of the line before the cursor.
    pub(crate) fn before_cursor(&self) -> &str {
        self.content.before_cursor()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.content.is_empty()
    }

    /// Replaces the text and moves the cursor to its end. Can be undone.
    pub(crate) fn set(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        self.change(|all| all.replace_all(&text));
    }

    /// Empties the field and returns its text. Can be undone.
    pub(crate) fn take(&mut self) -> String {
        let text = self.text();
        self.content.replace_all("");
        text
    }

    /// Deletes so many bytes before the cursor, within its line.
    pub(crate) fn delete_before(&mut self, bytes: usize) {
        let to = self.content.cursor();
        self.content.replace(Pos::new(to.line, to.byte.saturating_sub(bytes)), to, "");
    }

    /// Applies one edit; returns whether the text changed.
    pub(crate) fn apply(&mut self, edit: Edit) -> bool {
        match edit {
            // The text of a secret field leaves it only by `take`, never by copying.
            Edit::Copy | Edit::Cut if self.is_secret => false,
            edit => self.content.apply(edit),
        }
    }

    /// Changes the text or moves in it; the vim keys take notice of that.
    pub(crate) fn change<T>(&mut self, act: impl FnOnce(&mut Text) -> T) -> T {
        let done = act(&mut self.content);
        if let Some(vim) = &mut self.vim {
            vim.settle(&mut self.content);
        }
        done
    }

    /// The vim keys and the text.
    pub(crate) fn vim(&mut self) -> Option<(&mut Vim, &mut Text)> {
        Some((self.vim.as_mut()?, &mut self.content))
    }

    pub(crate) fn mode(&self) -> Option<Mode> {
        self.vim.as_ref().map(|vim| vim.mode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_a_line() {
        let mut field = Field::single_line();
        field.apply(Edit::Paste("a\r\nb\rc".into()));
        assert!(!field.apply(Edit::Newline));
        assert_eq!(field.text(), "a b c");
    }

    #[test]
    fn readline_keys_do_what_they_do_everywhere() {
        let mut field = Field::multi_line();
        field.apply(Edit::Paste("one two three".into()));
        field.apply(Edit::DeleteWord);
        assert_eq!(field.text(), "one two ");
        field.apply(Edit::Move(Motion::Home, false));
        field.apply(Edit::Move(Motion::WordRight, false));
        field.apply(Edit::KillToEnd);
        assert_eq!(field.text(), "one ");
        field.apply(Edit::Yank);
        assert_eq!(field.text(), "one two ");
        field.apply(Edit::KillToStart);
        assert_eq!(field.text(), "");
        field.apply(Edit::Undo);
        assert_eq!(field.text(), "one two ");
    }

    #[test]
    fn what_was_taken_can_be_brought_back() {
        let mut field = Field::multi_line();
        field.set("precious\nwords");
        assert_eq!(field.take(), "precious\nwords");
        assert!(field.is_empty());
        field.apply(Edit::Undo);
        assert_eq!(field.text(), "precious\nwords");
    }
}

//! A field that a person types into: one line or several, with the keys of readline.

use crate::tui::action::Action;
use ratatui_textarea::{CursorMove, TextArea};

/// How the cursor moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    Left,
    Right,
    Up,
    Down,
    WordLeft,
    WordRight,
    /// To the start of the line.
    Home,
    /// To the end of the line.
    End,
    /// To the start of the text.
    Top,
    /// To the end of the text.
    Bottom,
    /// So many lines up.
    PageUp(u16),
    /// So many lines down.
    PageDown(u16),
}

/// One change or move that text fields and the editor know alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    Insert(char),
    /// Put in a text.
    Paste(String),
    /// Begin a new line.
    Newline,
    /// Delete the character before the cursor.
    Backspace,
    /// Delete the character under the cursor.
    Delete,
    /// Delete the word before the cursor.
    DeleteWord,
    /// Delete to the end of the line.
    KillToEnd,
    /// Delete to the start of the line.
    KillToStart,
    /// Put in what was deleted last.
    Yank,
    /// Take the last change back.
    Undo,
    /// Make a change again that was taken back.
    Redo,
    /// Move the cursor; `true` selects on the way.
    Move(Motion, bool),
}

impl Edit {
    /// The change that an action makes in a text, if it makes one.
    pub fn of(action: Action) -> Option<Self> {
        let moved = |motion| Some(Edit::Move(motion, false));
        match action {
            Action::TextNewline => Some(Edit::Newline),
            Action::TextUp => moved(Motion::Up),
            Action::TextDown => moved(Motion::Down),
            Action::TextLeft => moved(Motion::Left),
            Action::TextRight => moved(Motion::Right),
            Action::TextWordLeft => moved(Motion::WordLeft),
            Action::TextWordRight => moved(Motion::WordRight),
            Action::TextLineStart => moved(Motion::Home),
            Action::TextLineEnd => moved(Motion::End),
            Action::TextStart => moved(Motion::Top),
            Action::TextEnd => moved(Motion::Bottom),
            Action::TextSelectLeft => Some(Edit::Move(Motion::Left, true)),
            Action::TextSelectRight => Some(Edit::Move(Motion::Right, true)),
            Action::TextSelectUp => Some(Edit::Move(Motion::Up, true)),
            Action::TextSelectDown => Some(Edit::Move(Motion::Down, true)),
            Action::TextBackspace => Some(Edit::Backspace),
            Action::TextDelete => Some(Edit::Delete),
            Action::TextCutToStart => Some(Edit::KillToStart),
            Action::TextCutToEnd => Some(Edit::KillToEnd),
            Action::TextCutWord => Some(Edit::DeleteWord),
            Action::TextYank => Some(Edit::Yank),
            Action::TextUndo => Some(Edit::Undo),
            Action::TextRedo => Some(Edit::Redo),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub struct Field {
    area: TextArea<'static>,
    multiline: bool,
    secret: bool,
}

impl Default for Field {
    fn default() -> Self {
        Self::line()
    }
}

impl Field {
    /// A field of one line.
    pub fn line() -> Self {
        Self { area: TextArea::default(), multiline: false, secret: false }
    }

    /// A field of several lines.
    pub fn lines() -> Self {
        let mut area = TextArea::default();
        area.set_max_histories(500);
        Self { area, multiline: true, secret: false }
    }

    /// A field of one line whose text is never shown.
    pub fn secret() -> Self {
        Self { secret: true, ..Self::line() }
    }

    /// Whether its text must not be shown.
    pub fn is_secret(&self) -> bool {
        self.secret
    }

    /// The text, lines joined by `\n`.
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// The lines; there is always one.
    pub fn rows(&self) -> &[String] {
        self.area.lines()
    }

    /// The cursor: line and column in characters, from 0.
    pub fn cursor(&self) -> (usize, usize) {
        let at = self.area.cursor();
        (at.0, at.1)
    }

    /// The text of the line before the cursor.
    pub fn before_cursor(&self) -> String {
        let (row, column) = self.cursor();
        self.area.lines().get(row).map(|l| l.chars().take(column).collect()).unwrap_or_default()
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.area.lines().iter().all(String::is_empty)
    }

    /// Replaces the text and puts the cursor at its end. It can be undone.
    pub fn set(&mut self, text: &str) {
        self.area.select_all();
        self.area.cut();
        self.insert_text(text);
    }

    /// Empties the field and hands its text over. It can be undone.
    pub fn take(&mut self) -> String {
        let text = self.text();
        self.area.select_all();
        self.area.cut();
        text
    }

    /// Deletes so many characters before the cursor.
    pub fn delete_before(&mut self, characters: usize) {
        for _ in 0..characters {
            self.area.delete_char();
        }
    }

    /// Makes one change; tells whether the text is another than before.
    pub fn apply(&mut self, edit: Edit) -> bool {
        match edit {
            Edit::Insert(c) => {
                self.area.insert_char(c);
                true
            }
            Edit::Paste(text) => {
                self.insert_text(&text);
                true
            }
            Edit::Newline if self.multiline => {
                self.area.insert_newline();
                true
            }
            Edit::Newline => false,
            Edit::Backspace => self.area.delete_char(),
            Edit::Delete => self.area.delete_next_char(),
            Edit::DeleteWord => self.area.delete_word(),
            Edit::KillToEnd => self.area.delete_line_by_end(),
            Edit::KillToStart => self.area.delete_line_by_head(),
            Edit::Yank => self.area.paste(),
            Edit::Undo => self.area.undo(),
            Edit::Redo => self.area.redo(),
            Edit::Move(motion, select) => {
                self.motion(motion, select);
                false
            }
        }
    }

    fn motion(&mut self, motion: Motion, select: bool) {
        if select && !self.area.is_selecting() {
            self.area.start_selection();
        } else if !select {
            self.area.cancel_selection();
        }
        let (row, _) = self.cursor();
        let row = u16::try_from(row).unwrap_or(u16::MAX);
        self.area.move_cursor(match motion {
            Motion::Left => CursorMove::Back,
            Motion::Right => CursorMove::Forward,
            Motion::Up | Motion::PageUp(_) => CursorMove::Up,
            Motion::Down | Motion::PageDown(_) => CursorMove::Down,
            Motion::WordLeft => CursorMove::WordBack,
            Motion::WordRight => CursorMove::WordForward,
            Motion::Home => CursorMove::Jump(row, 0),
            Motion::End => CursorMove::Jump(row, u16::MAX),
            Motion::Top => CursorMove::Top,
            Motion::Bottom => CursorMove::Bottom,
        });
    }

    fn insert_text(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        if self.multiline {
            self.area.insert_str(text);
        } else {
            self.area.insert_str(text.replace('\n', " "));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_a_line() {
        let mut field = Field::line();
        field.apply(Edit::Paste("a\r\nb\rc".into()));
        assert!(!field.apply(Edit::Newline));
        assert_eq!(field.text(), "a b c");
    }

    #[test]
    fn readline_keys_do_what_they_do_everywhere() {
        let mut field = Field::lines();
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
        let mut field = Field::lines();
        field.set("precious\nwords");
        assert_eq!(field.take(), "precious\nwords");
        assert!(field.is_empty());
        field.apply(Edit::Undo);
        assert_eq!(field.text(), "precious\nwords");
    }
}

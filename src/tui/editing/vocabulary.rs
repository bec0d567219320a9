//! The words in which keys speak to a text: moves and changes.

use crate::tui::action::Action;

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
    /// To the bracket that belongs to the one under the cursor.
    Bracket,
}

/// One change or move that every text knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    Insert(char),
    /// Put in a text.
    Paste(String),
    /// Begin a new line.
    Newline,
    /// Delete the character before the cursor, or what is selected.
    Backspace,
    /// Delete the character under the cursor, or what is selected.
    Delete,
    /// Delete the word before the cursor.
    DeleteWord,
    /// Delete to the end of the line.
    KillToEnd,
    /// Delete to the start of the line.
    KillToStart,
    /// Put in what was deleted or copied last.
    Yank,
    /// Keep what is selected for [`Edit::Yank`].
    Copy,
    /// The same, and delete it.
    Cut,
    /// Take the last change back.
    Undo,
    /// Make a change again that was taken back.
    Redo,
    /// Begin to select by moves alone, or stop it.
    Mark,
    SelectAll,
    /// Move the cursor; `true` selects on the way.
    Move(Motion, bool),
}

impl Edit {
    /// The change that an action makes in a text, if it makes one.
    pub(crate) fn of(action: Action) -> Option<Self> {
        let moved = |motion| Some(Edit::Move(motion, false));
        let selected = |motion| Some(Edit::Move(motion, true));
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
            Action::TextBracket => moved(Motion::Bracket),
            Action::TextSelectLeft => selected(Motion::Left),
            Action::TextSelectRight => selected(Motion::Right),
            Action::TextSelectUp => selected(Motion::Up),
            Action::TextSelectDown => selected(Motion::Down),
            Action::TextSelectWordLeft => selected(Motion::WordLeft),
            Action::TextSelectWordRight => selected(Motion::WordRight),
            Action::TextSelectLineStart => selected(Motion::Home),
            Action::TextSelectLineEnd => selected(Motion::End),
            Action::TextSelectStart => selected(Motion::Top),
            Action::TextSelectEnd => selected(Motion::Bottom),
            Action::TextSelectAll => Some(Edit::SelectAll),
            Action::TextMark => Some(Edit::Mark),
            Action::TextCopy => Some(Edit::Copy),
            Action::TextCut => Some(Edit::Cut),
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

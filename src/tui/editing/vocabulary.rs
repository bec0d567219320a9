//! The moves and changes that keys can request from a text.

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
    /// To the partner of the bracket under the cursor.
    Bracket,
}

/// One change or move that every text supports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    Insert(char),
    /// Insert a text.
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
    /// Insert what was deleted or copied last.
    Yank,
    /// Copy the selection for [`Edit::Yank`].
    Copy,
    /// Cut the selection.
    Cut,
    /// Undo the last change.
    Undo,
    /// Redo the change that was undone last.
    Redo,
    /// Start or stop selecting with every move.
    Mark,
    SelectAll,
    /// Move the cursor; `true` selects on the way.
    Move(Motion, bool),
}

impl Edit {
    /// The change that an action makes in a text; `None` for other actions.
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

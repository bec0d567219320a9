//! Passes strokes to vim, if it is switched on and the focused text supports it: the message box and the
//! editor. They only affect the text; all other meanings of a key (going to the waiting block, stopping, help)
//! are looked up first.

use super::{Ctx, Screen, UiCommand};
use crate::tui::action::Action;
use crate::tui::editing::vim::{self, Mode, StrokeResult, Vim};
use crate::tui::overlays::commands::CommandList;
use crate::tui::overlays::find_in_editor::FindInEditor;
use crate::tui::overlays::input_box::InputBox;
use crate::tui::widgets::layout::Pane;
use crate::tui::widgets::words;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

impl Screen {
    fn vim(&mut self) -> Option<&Vim> {
        if !self.overlays.is_empty() || self.bare_pane.is_some() {
            return None;
        }
        match self.panes.focus {
            Pane::Message => self.panes.composer.field.vim.as_ref(),
            Pane::Code => self.panes.code.editor()?.field.vim.as_ref(),
            _ => None,
        }
    }

    /// The vim stroke of a key, if it is one; `typed` is the letter that the key types, `bound` its action.
    pub(super) fn stroke(
        &mut self,
        event: &KeyEvent,
        typed: Option<char>,
        bound: Option<Action>,
    ) -> Option<char> {
        let in_message = self.panes.focus == Pane::Message;
        let nothing_written = in_message && self.panes.composer.is_empty();
        let vim = self.vim()?;
        if let Some(letter) = typed {
            return Some(letter);
        }
        if event.code == KeyCode::Esc && vim.takes_esc() {
            return Some(vim::ESC);
        }
        if vim.mode == Mode::Insert {
            return match bound? {
                Action::TextNewline => Some(vim::ENTER),
                Action::TextBackspace => Some(vim::BACKSPACE),
                _ => None,
            };
        }
        let control = event.modifiers == KeyModifiers::CONTROL;
        match (event.code, bound) {
            (KeyCode::Char('r'), _) if control => Some(vim::REDO),
            (KeyCode::Char('d'), _) if control && !nothing_written => Some(vim::HALF_DOWN),
            (KeyCode::Char('u'), _) if control => Some(vim::HALF_UP),
            (_, Some(Action::TextNewline)) if !in_message => Some(vim::ENTER),
            (_, Some(action)) => stroke_of(action),
            (_, None) => None,
        }
    }

    /// Passes a stroke to vim; returns whether vim took it, else the key keeps its usual meaning.
    pub(super) fn take_stroke(&mut self, stroke: char, ctx: Ctx<'_>) -> bool {
        let in_message = self.panes.focus == Pane::Message;
        let Some(answer) = self.vim_stroke(stroke, in_message) else { return false };
        match answer {
            StrokeResult::Pass => return false,
            StrokeResult::Done => {}
            StrokeResult::Copy(text) => self.commands.push(UiCommand::Copy(text)),
            // Beyond the ends of the message are the older and newer ones.
            StrokeResult::Beyond(up) if in_message => {
                self.message_action(if up { Action::TextUp } else { Action::TextDown }, ctx);
            }
            StrokeResult::Find if in_message && self.panes.composer.is_empty() => {
                self.open(CommandList::default());
            }
            StrokeResult::Beyond(_) => {}
            StrokeResult::Find | StrokeResult::GoToLine if in_message => {
                self.inform("That is for the block that is edited.");
            }
            StrokeResult::Find => {
                if let Some(find) = self.panes.code.editor().map(|editor| FindInEditor::new(editor, false)) {
                    self.open(find);
                }
            }
            StrokeResult::GoToLine => self.open(InputBox::for_line()),
            StrokeResult::TooMuch => {
                let most = words::size(vim::MAX_INSERTED_BYTES as u64);
                self.inform(format!("Too much at once: a key puts in {most} at the most."));
            }
            StrokeResult::NoMatch => self.inform("No matches. / says what to look for."),
        }
        true
    }

    /// What vim makes of a stroke in the message box or in the editor of a block; `None`: there is no vim.
    fn vim_stroke(&mut self, stroke: char, in_message: bool) -> Option<StrokeResult> {
        let half_page = if in_message { 5 } else { self.panes.code.page().unsigned_abs() / 2 };
        let field =
            if in_message { &mut self.panes.composer.field } else { &mut self.panes.code.editor()?.field };
        let (vim, text) = field.vim()?;
        vim.half_page = half_page;
        Some(vim.stroke(stroke, text))
    }
}

/// The stroke that does the same as an action.
fn stroke_of(action: Action) -> Option<char> {
    Some(match action {
        Action::TextLeft => 'h',
        Action::TextRight => 'l',
        Action::TextUp => 'k',
        Action::TextDown => 'j',
        Action::TextWordLeft => 'b',
        Action::TextWordRight => 'w',
        Action::TextLineStart => '0',
        Action::TextLineEnd => '$',
        Action::TextBackspace => vim::BACKSPACE,
        Action::TextDelete => 'x',
        _ => return None,
    })
}

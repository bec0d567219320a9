//! Carries out actions in the editor of the code pane.

use super::{Ctx, Screen, UiCommand};
use crate::tui::action::Action;
use crate::tui::keymap::Context;
use crate::tui::overlays::find_in_editor::FindInEditor;
use crate::tui::overlays::input_box::InputBox;
use crate::tui::ui_command::EditTarget;
use crate::tui::widgets::field::{Edit, Motion};

impl Screen {
    /// Carries out actions of the editor in the code pane.
    pub(super) fn edit_action(&mut self, action: Action, ctx: Ctx<'_>) {
        let page = u16::try_from(self.panes.code.page()).unwrap_or(1);
        let Some(editor) = self.panes.code.editor() else { return };
        match action {
            Action::EditKeep => self.leave_editor(ctx),
            Action::TextEditor => {
                self.commands.push(UiCommand::Editor(EditTarget::EditMode, editor.text()));
            }
            Action::TextIndent => editor.indent(true),
            Action::TextDedent => editor.indent(false),
            Action::TextComment => {
                if !editor.toggle_comment() {
                    self.inform("This language has no comments to the end of a line.");
                }
            }
            Action::TextFind | Action::TextReplace => {
                let find = FindInEditor::new(editor, action == Action::TextReplace);
                self.open(find);
            }
            Action::TextFindNext | Action::TextFindPrevious => {
                if !editor.find(action == Action::TextFindPrevious, false) {
                    let key = self.keymap.hint(Context::Edit, Action::TextFind);
                    self.inform(format!("No matches. {key} says what to look for."));
                }
            }
            Action::TextGoToLine => self.open(InputBox::for_line()),
            Action::TextCopy | Action::TextCut => {
                let text = self.copy_or_cut(action == Action::TextCut);
                self.commands.extend(text.map(UiCommand::Copy));
            }
            Action::ScrollPageDown => editor.motion(Motion::PageDown(page), false),
            Action::ScrollPageUp => editor.motion(Motion::PageUp(page), false),
            other => {
                if let Some(edit) = Edit::of(other) {
                    editor.apply(edit);
                }
            }
        }
    }
}

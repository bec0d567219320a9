//! The editor of the code pane: carries out its actions, and handles a text that was edited there or in the external
//! editor.

use super::{Ctx, Screen, UiCommand};
use crate::domain::{BlockId, Revision};
use crate::tui::action::Action;
use crate::tui::keymap::Context;
use crate::tui::overlays::find_in_editor::FindInEditor;
use crate::tui::overlays::input_box::InputBox;
use crate::tui::panes::code::Mode;
use crate::tui::ui_command::EditTarget;
use crate::tui::widgets::field::{Edit, Motion};
use crate::tui::widgets::layout::Pane;

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

    /// Leaves the editor and keeps the text. Sends nothing if nothing was changed.
    pub(super) fn leave_editor(&mut self, ctx: Ctx<'_>) {
        let Mode::Edit(editor) = std::mem::take(&mut self.panes.code.mode) else { return };
        if !editor.is_changed() {
            return self.tell_of_block("Nothing was changed.");
        }
        self.edited(editor.block, editor.revision, editor.text(), ctx);
    }

    /// The text that was typed and not sent: the message, and the changed text in the editor.
    pub fn unsent_text(&self) -> String {
        let message = self.panes.composer.full_text();
        match &self.panes.code.mode {
            Mode::Edit(editor) if editor.is_changed() && message.trim().is_empty() => editor.text(),
            Mode::Edit(editor) if editor.is_changed() => format!("{message}\n\n{}", editor.text()),
            _ => message,
        }
    }

    /// Sets a new text for a block, from the editor here or outside.
    fn edited(&mut self, block: BlockId, revision: Revision, text: String, ctx: Ctx<'_>) {
        let waits = ctx.state.waiting().is_some_and(|item| item.block.id == block);
        if !waits {
            // The edited text is the person's work, and so is the message: add it there, after what is written.
            self.panes.composer.add(&text);
            self.panes.focus = Pane::Message;
            return self.warn(format!("Block {block} no longer waits. Your text is in Message."));
        }
        self.panes.code.to_top();
        self.set_text(block, revision, text);
    }

    /// Handles the text that came back from the external editor.
    pub fn from_editor(&mut self, target: EditTarget, text: String, ctx: Ctx<'_>) {
        match target {
            EditTarget::Message => {
                // Editors end a file with a newline; a message needs none.
                self.panes.composer.set(text.strip_suffix('\n').unwrap_or(&text));
            }
            EditTarget::Form => {
                if let Some(form) = self.forms().last() {
                    form.set_edited_text(&text);
                }
            }
            EditTarget::EditMode => {
                if let Some(editor) = self.panes.code.editor()
                    && editor.text() != text
                {
                    editor.replace(&text);
                }
            }
            EditTarget::Block => {
                let Some(item) = ctx.state.waiting() else { return };
                let current = item.block.current();
                if *current.source == *text {
                    return self.tell_of_block("Nothing was changed.");
                }
                self.edited(item.block.id, current.revision, text, ctx);
            }
        }
    }
}

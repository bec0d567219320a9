//! Carries out actions in the editor and in the list of waiting blocks.

use super::{Ctx, Note, Screen, UiCommand};
use crate::engine::Command;
use crate::tui::action::Action;
use crate::tui::keymap::Context;
use crate::tui::note::NO_BLOCK_WAITS;
use crate::tui::overlays::OverlayResponse;
use crate::tui::overlays::ask::Ask;
use crate::tui::overlays::find_in_editor::FindInEditor;
use crate::tui::overlays::input_box::InputBox;
use crate::tui::panes::code::Mode;
use crate::tui::ui_command::EditTarget;
use crate::tui::widgets::field::{Edit, Motion};
use crate::tui::widgets::words;

impl Screen {
    /// Carries out actions of the editor in the code pane.
    pub(super) fn edit_action(&mut self, action: Action, ctx: Ctx<'_>) -> Vec<UiCommand> {
        let page = u16::try_from(self.panes.code.page()).unwrap_or(1);
        let Some(editor) = self.panes.code.editor() else { return Vec::new() };
        match action {
            Action::EditKeep => return self.leave_editor(ctx),
            Action::TextEditor => {
                let text = editor.text();
                return vec![UiCommand::Editor(EditTarget::EditMode, text)];
            }
            Action::TextIndent => editor.indent(true),
            Action::TextDedent => editor.indent(false),
            Action::TextComment => {
                if !editor.toggle_comment() {
                    self.show_note(Note::info("This language has no comments to the end of a line."));
                }
            }
            Action::TextFind | Action::TextReplace => {
                let find = FindInEditor::new(editor, action == Action::TextReplace);
                self.open(find);
            }
            Action::TextFindNext | Action::TextFindPrevious => {
                if !editor.find(action == Action::TextFindPrevious, false) {
                    let key = self.keymap.hint(Context::Edit, Action::TextFind);
                    self.show_note(Note::info(format!("No matches. {key} says what to look for.")));
                }
            }
            Action::TextGoToLine => self.open(InputBox::for_line()),
            Action::TextCopy | Action::TextCut => {
                let text = self.copy_or_cut(action == Action::TextCut);
                return text.map(UiCommand::Copy).into_iter().collect();
            }
            Action::ScrollPageDown => editor.motion(Motion::PageDown(page), false),
            Action::ScrollPageUp => editor.motion(Motion::PageUp(page), false),
            other => {
                if let Some(edit) = Edit::of(other) {
                    editor.apply(edit);
                }
            }
        }
        Vec::new()
    }

    /// Carries out actions of the list of waiting blocks.
    pub(super) fn queue_action(&mut self, action: Action, ctx: Ctx<'_>) -> Vec<UiCommand> {
        let blocks: Vec<_> = ctx.state.queue().map(|item| item.block.id).collect();
        let Mode::Queue(chosen) = &mut self.panes.code.mode else { return Vec::new() };
        match action {
            Action::ListDown | Action::ScrollDown => {
                *chosen = (*chosen + 1).min(blocks.len().saturating_sub(1));
            }
            Action::ListUp | Action::ScrollUp => *chosen = chosen.saturating_sub(1),
            Action::ListAccept => {
                let block = blocks.get(*chosen).copied();
                self.panes.code.mode = Mode::View;
                if let Some(block) = block {
                    self.panes.code.show(block);
                }
            }
            Action::QueueSkipAll => {
                if blocks.is_empty() {
                    self.show_note(Note::info(NO_BLOCK_WAITS));
                } else {
                    let what = words::count(blocks.len(), "block");
                    let skip = vec![
                        OverlayResponse::ViewBlock,
                        OverlayResponse::UiCommand(UiCommand::Send(Command::SkipAll)),
                    ];
                    let lines = vec![format!("{what} wait for you.")];
                    let ask = Ask::new("Skip all?", lines, 'w', "keep them waiting");
                    self.open(ask.or('s', format!("skip {what}; nothing runs"), skip));
                }
            }
            other => return self.pane_action(other, ctx),
        }
        Vec::new()
    }
}

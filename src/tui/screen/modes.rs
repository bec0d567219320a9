//! Actions in the editor and in the list of blocks that wait, and what answers to questions lead to.

use super::act::edit_of;
use super::layer::{Answer, Ask, AskChoice, Layer};
use super::wish::Target;
use super::{Ctx, Note, Screen, Wish};
use crate::driver::Errand;
use crate::engine::Command;
use crate::tui::action::Action;
use crate::tui::editor::Motion;
use crate::tui::view::code::Mode;

impl Screen {
    /// Actions of the editor in the code pane.
    pub(super) fn edit_action(&mut self, action: Action, ctx: Ctx<'_>) -> Vec<Wish> {
        let page = u16::try_from(self.code.page()).unwrap_or(1);
        let Some(editor) = self.code.editor() else { return Vec::new() };
        match action {
            Action::EditKeep => return self.leave_editor(ctx),
            Action::TextEditor => {
                let text = editor.text();
                return vec![Wish::Editor(Target::EditMode, text)];
            }
            Action::TextIndent => editor.indent(true),
            Action::TextDedent => editor.indent(false),
            Action::TextSelectAll => editor.select_all(),
            Action::TextFind => self.layers.push(Layer::FindInEditor(super::field::Field::line())),
            Action::TextFindNext => {
                let needle = editor.needle().map(str::to_owned);
                if !needle.is_some_and(|n| editor.find(&n, false, false)) {
                    self.say(Note::info("Ctrl-F says what to look for."));
                }
            }
            Action::ScrollPageDown => editor.motion(Motion::PageDown(page), false),
            Action::ScrollPageUp => editor.motion(Motion::PageUp(page), false),
            other => {
                if let Some(edit) = edit_of(other) {
                    editor.apply(edit);
                }
            }
        }
        Vec::new()
    }

    /// Actions of the list of blocks that wait.
    pub(super) fn queue_action(&mut self, action: Action, ctx: Ctx<'_>) -> Vec<Wish> {
        let blocks: Vec<_> = ctx.state.queue().map(|item| item.block.id).collect();
        let Mode::Queue(chosen) = &mut self.code.mode else { return Vec::new() };
        match action {
            Action::ListDown | Action::ScrollDown => {
                *chosen = (*chosen + 1).min(blocks.len().saturating_sub(1));
            }
            Action::ListUp | Action::ScrollUp => *chosen = chosen.saturating_sub(1),
            Action::ListAccept => {
                let block = blocks.get(*chosen).copied();
                self.code.mode = Mode::View;
                if let Some(block) = block {
                    self.code.show(block);
                }
            }
            Action::QueueSkipAll => {
                if blocks.is_empty() {
                    self.say(Note::info("No block waits."));
                } else {
                    let what = crate::tui::view::words::count(blocks.len(), "block");
                    let choices = vec![
                        AskChoice::new('w', "keep them waiting", Answer::Stay),
                        AskChoice::new('s', format!("skip {what}; nothing runs"), Answer::SkipAll),
                    ];
                    let ask = Ask::new("Skip all?", vec![format!("{what} wait for you.")], choices);
                    self.layers.push(Layer::Ask(ask));
                }
            }
            other => return self.pane_action(other, ctx),
        }
        Vec::new()
    }

    /// What an answer to a question leads to.
    pub(super) fn answered(&mut self, answer: Answer) -> Vec<Wish> {
        match answer {
            Answer::Stay => Vec::new(),
            Answer::TakeInstructions(held) => vec![Wish::Errand(Errand::TakeInstructions(held))],
            Answer::Open(image) => vec![Wish::Errand(Errand::Open(image))],
            Answer::QuitNow => vec![Wish::Leave(super::Exit::Quit { now: true })],
            Answer::QuitAfterInterrupt => {
                self.follow.quit_after_run();
                self.say(Note::info("Interrupting, then leaving."));
                vec![Wish::Send(Command::Stop)]
            }
            Answer::Kill => vec![Wish::Send(Command::Kill)],
            Answer::Restart => vec![Wish::Send(Command::RestartKernel)],
            Answer::Rebuild(runs) => vec![Wish::Send(Command::Rebuild(runs))],
            Answer::SkipAll => {
                self.code.mode = Mode::View;
                vec![Wish::Send(Command::SkipAll)]
            }
            Answer::EndTurn => vec![Wish::Send(Command::EndTurn)],
            Answer::PutBack(block) => vec![Wish::Send(Command::PutBack(block))],
            Answer::Delete(path) => vec![Wish::Errand(Errand::Delete(path))],
        }
    }
}

//! Carries out decisions about a block that the guard has let through.

use super::{Ctx, Screen, UiCommand};
use crate::domain::{BlockId, Decision, Readiness, Revision};
use crate::engine::approval::{Refusal, check};
use crate::engine::transcript::BlockItem;
use crate::engine::{Command, State};
use crate::tui::action::Action;
use crate::tui::guard::Verb;
use crate::tui::overlays::confirm::{self, Confirm};
use crate::tui::overlays::reject::Reject;
use crate::tui::panes::code::{Mode, subject_of};
use crate::tui::panes::editor::Editor;
use crate::tui::ui_command::EditTarget;
use crate::tui::widgets::field::Field;
use crate::tui::widgets::layout::Pane;
use crate::tui::widgets::words;

/// The note where a block changes no existing text.
const NO_HUNKS: &str = "No hunks: this block stands for no other text.";

/// The note where a block changes a text in only one place.
const ONE_HUNK: &str = "This change is one hunk: approve or reject the block.";

impl Screen {
    /// The block that a decision would apply to: it waits, and it is the one on screen.
    pub(super) fn decidable<'a>(&self, state: &'a State) -> Option<&'a BlockItem> {
        state.waiting().filter(|item| self.panes.code.reviews(item.block.id))
    }

    /// Carries out a decision.
    pub(super) fn decide(&mut self, verb: Verb, ctx: Ctx<'_>) {
        let Some(item) = self.decidable(ctx.state) else { return };
        let (block, revision) = (item.block.id, item.block.current().revision);
        match verb {
            Verb::Approve => self.approve(item, ctx),
            Verb::Always => self.ask_always(item, ctx),
            Verb::Edit => {
                let source = item.block.current().source.clone();
                let line = self.panes.code.first_line();
                let editor = Editor::open(block, revision, &source, line)
                    .written_in(item.block.current().language.as_ref())
                    .with_vim(self.setup.vim);
                self.panes.code.mode = Mode::Edit(Box::new(editor));
            }
            Verb::EditOutside => self
                .commands
                .push(UiCommand::Editor(EditTarget::Block, item.block.current().source.to_string())),
            Verb::Reject => self.open(Reject { block, revision, field: Field::multi_line() }),
            Verb::Skip => {
                self.move_focus(Pane::Message);
                self.send(Command::Decide { block, revision, decision: Decision::Skip });
            }
            Verb::Opinion => self.ask_opinion(ctx.state),
            Verb::Install => self.install_elsewhere(ctx.state),
            Verb::Limits => self.open_limits(ctx.state),
            Verb::NewKernel => self.send(Command::ToggleNewKernel(block)),
            Verb::Terminal => self.send(Command::ToggleTerminal(block)),
            Verb::Language => {
                if item.block.readiness() == Readiness::NeedsLanguage {
                    self.choose_language(block);
                } else {
                    let language = words::language_of(item);
                    self.tell_of_block(format!("Block {block} is {language}."));
                }
            }
            Verb::Hunk => match self.panes.code.toggle_hunk() {
                Some(text) => self.set_text(block, revision, text),
                None => self.say_no_hunks(),
            },
            Verb::ModelText => {
                if !item.block.is_edited() {
                    return self.tell_of_block(format!("Block {block} is as the model wrote it."));
                }
                self.set_text(block, revision, item.block.original().source.to_string());
            }
        }
    }

    /// Asks for another text of a block: a new revision, which is reviewed and asked about again.
    pub(super) fn set_text(&mut self, block: BlockId, revision: Revision, text: String) {
        self.send(Command::Decide { block, revision, decision: Decision::Edit(text) });
    }

    pub(super) fn say_no_hunks(&mut self) {
        self.tell_of_block(if self.panes.code.has_one_hunk() { ONE_HUNK } else { NO_HUNKS });
    }

    /// Why a block can't be approved at all, in the engine's words, and the keys that change that; for the note and the
    /// status row.
    pub(crate) fn approval_obstacle(&self, state: &State, refusal: &Refusal) -> String {
        let keys: &[(Action, &str)] = match refusal {
            Refusal::NeedsLanguage(_) => &[(Action::ChooseLanguage, "chooses one")],
            Refusal::Empty(_) => &[(Action::Skip, "skips it")],
            Refusal::Incomplete(_) | Refusal::Torn(_) | Refusal::Unclear(..) | Refusal::Forbidden(..) => {
                &[(Action::Edit, "edits it"), (Action::Reject, "rejects")]
            }
            _ => &[],
        };
        format!("{refusal}{}", self.keymap.hints(self.keymap_context(state), (" ", ", ", "."), keys))
    }

    /// Says why the block can't be approved. If saving fails, it is tried again: while a block waits, no pane shows the
    /// problem with its key.
    pub(super) fn refuse(&mut self, refusal: &Refusal, ctx: Ctx<'_>) {
        let text = self.approval_obstacle(ctx.state, refusal);
        self.tell_of_block(text);
        if matches!(refusal, Refusal::Unsaved(_)) && !ctx.state.live.reads_only {
            self.send(Command::RetryStore);
        }
    }

    fn approve(&mut self, item: &BlockItem, ctx: Ctx<'_>) {
        let block = item.block.id;
        if item.block.readiness() == Readiness::NeedsLanguage {
            return self.choose_language(block);
        }
        if let Err(refusal) = check(ctx.state, block, item.block.current().revision, true) {
            return self.refuse(&refusal, ctx);
        }
        let subject = subject_of(ctx.state, item);
        // A change since the last frame was never on screen.
        if self.guard.subject() != Some(subject) {
            return self.tell_of_block(format!("Block {block} has changed: look at it again."));
        }
        if ctx.state.needs_typed(block) {
            return self.open(Confirm { subject, field: Field::single_line(), pasted: false });
        }
        self.carry_out(confirm::approved(subject, false, ctx.draw), ctx);
    }
}

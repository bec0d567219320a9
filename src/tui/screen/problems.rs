//! Handles keys in the list of problems: retrying, continuing, choosing something else.

use super::{Ctx, Exit, Note, Screen, UiCommand};
use crate::domain::FailureKind;
use crate::engine::state::Question;
use crate::engine::{Command, Phase};
use crate::tui::action::Action;
use crate::tui::slash::Slash;
use crate::tui::ui_command::PagerText;
use crate::tui::widgets::layout::Pane;

impl Screen {
    /// Carries out actions of the list of problems.
    pub(super) fn problem_action(&mut self, action: Action, ctx: Ctx<'_>) -> Vec<UiCommand> {
        match action {
            Action::ListUp => self.problem = self.problem.saturating_sub(1),
            Action::ListDown => self.problem += 1,
            Action::ProblemRetry => {
                return match (&ctx.state.phase, &ctx.state.live.store_failure) {
                    (Phase::Stuck(_) | Phase::Replying(_), _) => vec![UiCommand::Send(Command::Retry)],
                    (_, Some(_)) => vec![UiCommand::Send(Command::RetryStore)],
                    _ => Vec::new(),
                };
            }
            Action::ProblemModel => return self.run_command(Slash::Model, "", ctx),
            Action::ProblemKey => return self.run_command(Slash::Key, "", ctx),
            Action::ProblemNew => return self.leave_for(Exit::NewSession, ctx),
            Action::ProblemKernel => self.ask_restart(ctx),
            Action::ProblemLog => match self.setup.log.clone() {
                Some(path) => self.open_pager("Log".into(), PagerText::File(path)),
                None => self.show_note(Note::info("No log is written.")),
            },
            Action::ProblemSave => return vec![UiCommand::Send(Command::RetryStore)],
            _ => {}
        }
        Vec::new()
    }

    /// Handles a letter without an action in the list of problems: it answers the question whether to continue
    /// a turn.
    pub(super) fn problem_letter(&mut self, letter: char, ctx: Ctx<'_>) -> Vec<UiCommand> {
        match (letter, &ctx.state.phase) {
            ('c', Phase::Asking(Question::Form(_))) => {
                self.open_asked(ctx);
                Vec::new()
            }
            ('e', Phase::Asking(Question::Form(_))) => {
                self.ask_end_recipe();
                Vec::new()
            }
            ('c', Phase::Asking(_)) => vec![UiCommand::Send(Command::Continue)],
            ('e', Phase::Asking(_)) => vec![UiCommand::Send(Command::EndTurn)],
            ('c', Phase::Stuck(failure)) if failure.kind == FailureKind::Overflow => {
                vec![UiCommand::Send(Command::Compact)]
            }
            ('e', Phase::Stuck(_)) => vec![UiCommand::Send(Command::EndTurn)],
            ('i', _) => {
                self.panes.focus = Pane::Message;
                Vec::new()
            }
            ('?', _) => {
                self.open_help(ctx);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }
}

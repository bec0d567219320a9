//! Handles keys in the list of problems: retrying, continuing, choosing something else.

use super::{Ctx, Exit, Screen};
use crate::domain::FailureKind;
use crate::engine::state::Question;
use crate::engine::{Command, Phase};
use crate::tui::action::Action;
use crate::tui::slash::Slash;
use crate::tui::ui_command::PagerText;
use crate::tui::widgets::layout::Pane;

/// At most two problems are listed: one of the phase, and that the session can't be saved.
const MAX_PROBLEMS: usize = 2;

impl Screen {
    /// Carries out actions of the list of problems.
    pub(super) fn problem_action(&mut self, action: Action, ctx: Ctx<'_>) {
        match action {
            Action::ListUp => self.problem = self.problem.saturating_sub(1),
            Action::ListDown => self.problem = (self.problem + 1).min(MAX_PROBLEMS - 1),
            Action::ProblemRetry => {
                let live = &ctx.state.live;
                let is_unsaved = live.store_failure.is_some();
                let is_unanswered = match ctx.state.phase {
                    Phase::Stuck(_) => true,
                    Phase::Replying(_) => live.reply.as_ref().is_some_and(|reply| reply.retry.is_some()),
                    _ => false,
                };
                // That the session can't be saved is listed last.
                if is_unsaved && (self.problem > 0 || !is_unanswered) {
                    self.send(Command::RetryStore);
                } else if is_unanswered {
                    self.send(Command::Retry);
                }
            }
            Action::ProblemModel => self.run_command(Slash::Model, "", ctx),
            Action::ProblemKey => self.run_command(Slash::Key, "", ctx),
            Action::ProblemNew => self.leave_for(Exit::NewSession, ctx),
            Action::ProblemKernel => self.ask_restart(ctx),
            Action::ProblemLog => match self.setup.log.clone() {
                Some(path) => self.open_pager("Log".into(), PagerText::File(path)),
                None => self.inform("No log is written."),
            },
            Action::ProblemSave => self.send(Command::RetryStore),
            _ => {}
        }
    }

    /// Handles a letter without an action in the list of problems: it answers the question whether to continue
    /// a turn.
    pub(super) fn problem_letter(&mut self, letter: char, ctx: Ctx<'_>) {
        match (letter, &ctx.state.phase) {
            ('c', Phase::Asking(Question::Form(_))) => self.open_asked(ctx),
            ('e', Phase::Asking(Question::Form(_))) => self.ask_end_recipe(),
            ('c', Phase::Asking(_)) => self.send(Command::Continue),
            ('e', Phase::Asking(_)) => self.send(Command::EndTurn),
            ('c', Phase::Stuck(failure)) if failure.kind == FailureKind::Overflow => {
                self.send(Command::Compact);
            }
            ('e', Phase::Stuck(_)) => self.send(Command::EndTurn),
            ('i', _) => self.panes.focus = Pane::Message,
            ('?', _) => self.open_help(ctx),
            _ => {}
        }
    }
}

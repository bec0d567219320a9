//! Follows the session: which block is on screen, and when to call the person. The focus never moves by itself
//! to a place where letters act: a waiting block is shown, and the person goes to it.

use super::{Ctx, Exit, Screen, UiCommand};
use crate::domain::{BlockId, RunId};
use crate::engine::{Phase, State};
use crate::tui::panes::LowerPane;
use crate::tui::widgets::layout::{Pane, SizeClass};
use std::time::{Duration, Instant};

/// The person is called when something has waited for this long without a key.
const CALL_DELAY: Duration = Duration::from_secs(10);

/// Something that waits for the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    Block(BlockId, u32),
    Problem,
    Form,
}

/// What is known of the session's progress so far.
#[derive(Debug, Default)]
pub(super) struct WaitState {
    phase: Phase,
    waits: Option<Wait>,
    waits_since: Option<Instant>,
    called: bool,
    /// Whether the program moved the focus and no key came since.
    moved_by_itself: bool,
    run: Option<RunId>,
    pub(super) quit_after_run: bool,
}

impl WaitState {
    /// Records a key: the person has accepted the present focus.
    pub(super) fn key(&mut self, now: Instant) {
        self.moved_by_itself = false;
        if self.waits.is_some() {
            self.waits_since = Some(now);
        }
        self.called = self.called && self.waits.is_some();
    }
}

/// Whether there is a problem that the person can do something about.
pub fn has_problem(state: &State) -> bool {
    matches!(state.phase, Phase::Stuck(_) | Phase::Asking(_)) || state.live.store_failure.is_some()
}

fn wait_of(state: &State) -> Option<Wait> {
    match &state.phase {
        Phase::Deciding(block) => {
            let revision = state.waiting().map_or(0, |i| i.block.current().revision.0);
            Some(Wait::Block(*block, revision))
        }
        _ if super::recipes::asked(state).is_some() => Some(Wait::Form),
        _ if has_problem(state) => Some(Wait::Problem),
        _ => None,
    }
}

impl Screen {
    /// Updates the screen to the present state of the session.
    pub fn settle(&mut self, ctx: Ctx<'_>) {
        self.last_step = ctx.at;
        if self.follow.phase != ctx.state.phase {
            let before = std::mem::replace(&mut self.follow.phase, ctx.state.phase.clone());
            self.phase_changed(&before, ctx);
        }
        if self.follow.quit_after_run && ctx.state.live.run.is_none() {
            self.commands.push(UiCommand::Leave(Exit::Quit));
        }
        self.follow_problems(ctx.state);
        self.follow_wait(ctx);
        self.close_stale(ctx.state);
        self.tell_missing(ctx.state);
        let news = [self.tell_seen(ctx.state), self.fit_terminal(ctx.state), self.count_time(ctx.state)];
        self.commands.extend(news.into_iter().flatten());
    }

    fn phase_changed(&mut self, before: &Phase, ctx: Ctx<'_>) {
        self.source = None;
        match &ctx.state.phase {
            Phase::Deciding(block) => {
                let block = *block;
                // An open editor stays open: it belongs to the same block.
                if self.panes.code.subject() != Some(block) || !self.panes.code.edits() {
                    self.panes.code.show(block);
                }
            }
            Phase::Running(_) => {
                if let Some(run) = &ctx.state.live.run {
                    self.panes.code.show(run.block);
                    if self.follow.run.replace(run.run) != Some(run.run) {
                        self.panes.lower = LowerPane::Output;
                        self.panes.output.follow();
                    }
                }
            }
            Phase::Replying(_) => {
                self.unsent_goes_out();
                self.panes.code.to_top();
            }
            Phase::Idle => {
                let watched =
                    matches!(self.panes.focus, Pane::Output | Pane::Code) && self.follow.moved_by_itself;
                if watched && !matches!(before, Phase::Idle) {
                    self.panes.focus = Pane::Message;
                }
            }
            // A new form is a new wait.
            Phase::Asking(_) => self.follow.waits = None,
            Phase::Stuck(_) => self.take_back_unsent(ctx),
            Phase::Compacting(_) => {}
        }
    }

    /// Shows the problems in place of the output while there are any.
    fn follow_problems(&mut self, state: &State) {
        let has = has_problem(state);
        let wait = wait_of(state).filter(|wait| matches!(wait, Wait::Problem | Wait::Form));
        if has && wait.is_some() && self.follow.waits != wait {
            self.panes.lower = LowerPane::Problems;
            self.problem = 0;
            // Letters would act there: a person who is typing continues in the message box.
            if self.panes.focus == Pane::Output {
                self.panes.focus = Pane::Message;
            }
        }
        if !has && self.panes.lower == LowerPane::Problems {
            self.panes.lower = LowerPane::Output;
            if self.panes.focus == Pane::Output && self.follow.moved_by_itself {
                self.panes.focus = Pane::Message;
            }
        }
    }

    fn follow_wait(&mut self, ctx: Ctx<'_>) {
        let wait = wait_of(ctx.state);
        if wait != self.follow.waits {
            self.follow.waits = wait;
            self.follow.waits_since = wait.map(|_| ctx.at);
            self.follow.called = false;
        }
        let ignored =
            |since: Instant| !self.attended || ctx.at.saturating_duration_since(since) >= CALL_DELAY;
        if !self.follow.called && self.follow.waits_since.is_some_and(ignored) {
            self.follow.called = true;
            self.commands.push(UiCommand::Notify);
        }
    }

    /// Moves the focus because of something that the person did.
    pub(super) fn move_focus(&mut self, pane: Pane) {
        self.panes.focus = pane;
        self.follow.moved_by_itself = true;
    }

    /// When the screen next has something to do without a key.
    pub fn next_deadline(&self) -> Option<Instant> {
        let call = self
            .follow
            .waits_since
            .filter(|_| !self.follow.called)
            .map(|since| if self.attended { since + CALL_DELAY } else { since });
        [call, self.guard.next_deadline(), self.escalation.deadline(), self.work_due, self.next_dragged_row()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Moves the focus to the next or previous pane; skips empty panes, except where their tabs are shown.
    pub(super) fn cycle(&mut self, back: bool, ctx: Ctx<'_>) {
        const ORDER: [Pane; 4] = [Pane::Message, Pane::Chat, Pane::Code, Pane::Output];
        // From the message box, one Tab leads to what waits.
        if !back
            && self.panes.focus == Pane::Message
            && let Some(wait) = wait_of(ctx.state)
        {
            return self.go_to_wait(wait, ctx);
        }
        let at = ORDER.iter().position(|p| *p == self.panes.focus).unwrap_or(0);
        let step = if back { ORDER.len() - 1 } else { 1 };
        let next = (1..=ORDER.len())
            .filter_map(|steps| ORDER.get((at + steps * step) % ORDER.len()).copied())
            .find(|pane| self.arrangement.class == SizeClass::Narrow || self.has_content(*pane, ctx.state));
        self.panes.focus = next.unwrap_or_default();
    }

    fn go_to_wait(&mut self, wait: Wait, ctx: Ctx<'_>) {
        match wait {
            Wait::Block(block, _) => {
                self.panes.code.show(block);
                self.panes.focus = Pane::Code;
            }
            Wait::Form => self.open_asked(ctx),
            Wait::Problem => {
                self.panes.lower = LowerPane::Problems;
                self.panes.focus = Pane::Output;
            }
        }
    }
}

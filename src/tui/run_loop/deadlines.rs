//! What follows in a session on screen from the passing of time alone, and when.

use super::session::Session;
use crate::tui::TuiError;
use crate::tui::frames::Urgency;
use std::time::{Duration, Instant};

/// A process that is killed loses at most what was typed within this time.
const DRAFT_DELAY: Duration = Duration::from_millis(200);

impl Session<'_> {
    /// What is typed outlives a process that is killed. It is written after the frame that shows it, and not for each key:
    /// a disk that is slow, or a long text, holds up nobody who types.
    pub(super) fn keep_draft(&mut self, now: Instant) {
        let text = self.screen.unsent_text();
        if self.driver.keeps_draft(&text) {
            self.draft_due = None;
            return;
        }
        let due = *self.draft_due.get_or_insert(now + DRAFT_DELAY);
        if due <= now || text.is_empty() || self.exit.is_some() {
            self.driver.keep_draft(&text);
            self.draft_due = None;
        }
    }

    /// Whatever follows from the passing of time and from what the session has become.
    pub(super) fn tick(&mut self, now: Instant) -> Result<(), TuiError> {
        let (changed, wishes) = self.with(now, |screen, ctx| screen.tick(ctx));
        self.grant(wishes)?;
        let before = self.screen.stance();
        let wishes = self.with(now, |screen, ctx| screen.settle(ctx));
        self.grant(wishes)?;
        if changed || self.screen.stance() != before {
            self.frames.changed(Urgency::Now, now);
        }
        if self.turn_deadline().is_some_and(|at| at <= now) {
            self.frames.changed(Urgency::Now, now);
        }
        self.ask_workers();
        Ok(())
    }

    pub(super) fn deadline(&mut self) -> Option<Instant> {
        [self.frames.deadline(), self.screen.next_deadline(), self.turn_deadline(), self.draft_due]
            .into_iter()
            .flatten()
            .min()
    }

    /// When something on screen moves by itself: the spinner four times a second, a countdown once.
    fn turn_deadline(&self) -> Option<Instant> {
        let last = self.last_frame;
        let state = self.driver.state();
        let live = &state.live;
        let waits = |retry: Option<bool>| retry == Some(true);
        let goes = |retry: Option<bool>| retry == Some(false);
        let reply = live.reply.as_ref().map(|reply| reply.retry.is_some());
        let summary = live.summary.as_ref().map(|summary| summary.retry.is_some());
        let asked = state.waiting().is_some_and(|item| state.consulting(item.block.id).is_some());
        let spins = live.run.is_some() || goes(reply) || goes(summary);
        let announced = self.screen.announced(state).is_some();
        let counts = waits(reply) || waits(summary) || asked || announced;
        let pause = match (self.screen.is_attended(), self.options.motion) {
            (false, _) if spins || counts => Duration::from_secs(5),
            (true, true) if spins => Duration::from_millis(250),
            _ if spins || counts => Duration::from_secs(1),
            _ if self.guard_counts() => Duration::from_millis(100),
            _ => return None,
        };
        Some(last + pause)
    }

    /// Whether the title counts down until decisions count.
    fn guard_counts(&self) -> bool {
        use crate::tui::guard::{RefusalReason, Verb};
        matches!(
            self.screen.guard.decision_refusal(Verb::Reject, Instant::now()),
            Some(RefusalReason::Quiet { .. } | RefusalReason::Appeared { left: Some(_), .. })
        )
    }
}

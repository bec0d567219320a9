//! What happens in a session on screen as time passes, and when.

use super::session::Session;
use crate::tui::frames::Urgency;
use std::time::{Duration, Instant};

/// If the process is killed, at most the text typed within this time is lost.
const DRAFT_DELAY: Duration = Duration::from_millis(200);

impl Session<'_> {
    /// Saves the typed text, so that it survives if the process is killed. It is written after the frame that
    /// shows it, and not for each key: a slow disk or a long text must not delay typing.
    pub(super) fn keep_draft(&mut self, now: Instant) {
        let text = self.screen.unsent_text();
        if self.exit.is_none() && self.driver.keeps_draft(&text) {
            self.draft_due = None;
            return;
        }
        let due = *self.draft_due.get_or_insert(now + DRAFT_DELAY);
        if due <= now || text.is_empty() || self.exit.is_some() {
            self.driver.keep_draft(&text);
            self.draft_due = None;
        }
    }

    /// Handles what follows from the time and from the present state of the session.
    pub(super) fn tick(&mut self, now: Instant) {
        let changed = self.with(now, |screen, ctx| screen.tick(ctx));
        self.carry_out();
        let before = self.screen.stance();
        self.with(now, |screen, ctx| screen.settle(ctx));
        self.carry_out();
        let is_due = self.turn_deadline().is_some_and(|at| at <= now);
        if changed || is_due || self.screen.stance() != before {
            self.frames.changed(Urgency::Now, now);
        }
        self.ask_workers();
    }

    pub(super) fn deadline(&mut self) -> Option<Instant> {
        [self.frames.deadline(), self.screen.next_deadline(), self.turn_deadline(), self.draft_due]
            .into_iter()
            .flatten()
            .min()
    }

    /// When something on screen changes by itself: the spinner four times a second, a countdown once.
    fn turn_deadline(&self) -> Option<Instant> {
        let state = self.driver.state();
        let live = &state.live;
        let requests = [
            live.reply.as_ref().map(|reply| reply.retry.is_some()),
            live.summary.as_ref().map(|summary| summary.retry.is_some()),
        ];
        let (streams, awaits_retry) = (requests.contains(&Some(false)), requests.contains(&Some(true)));
        let awaits_opinion =
            state.waiting().is_some_and(|item| state.awaited_opinion(item.block.id).is_some());
        let spins = live.run.is_some() || streams;
        let counts = awaits_retry || awaits_opinion || self.screen.announced(state).is_some();
        let pause = match (self.screen.attended, self.options.motion) {
            (false, _) if spins || counts => Duration::from_secs(5),
            (true, true) if spins => Duration::from_millis(250),
            _ if spins || counts => Duration::from_secs(1),
            _ if self.guard_counts() => Duration::from_millis(100),
            _ => return None,
        };
        Some(self.last_frame + pause)
    }

    /// Whether the title counts down the time until decisions count.
    fn guard_counts(&self) -> bool {
        use crate::tui::guard::{RefusalReason, Verb};
        matches!(
            self.screen.guard.decision_refusal(Verb::Reject, Instant::now()),
            Some(RefusalReason::Quiet { .. } | RefusalReason::Appeared { left: Some(_), .. })
        )
    }
}

//! What the time limit counts: the time that goes by, or what a program in a terminal of its own computes while the person
//! has their keys on it. A person who thinks before they type ends no editor; a program that computes for ever ends.

use super::Supervisor;
use super::bounds::WATCH;
use crate::domain::CountedTime;
use crate::exec::helper_wire::{Notification, WatchedLimits};
use std::time::{Duration, Instant};

/// Where a limit is longer than a clock can tell.
const YEAR: Duration = Duration::from_hours(24 * 365);

impl WatchedLimits {
    fn time(&self) -> Duration {
        Duration::from_millis(self.wall_ms)
    }

    /// When the time is over that begins now.
    pub(super) fn ends(&self, now: Instant) -> Instant {
        now.checked_add(self.time()).unwrap_or(now + YEAR)
    }
}

impl Supervisor {
    /// The limit counts this from now on, and begins anew. Not any more where it was reached already.
    pub(super) fn count(&mut self, what: CountedTime) {
        let has_terminal = self.program.as_ref().is_some_and(|program| program.terminal.is_some());
        let computed = self.cpu_now();
        let Some(watch) = self.watch.as_mut().filter(|watch| has_terminal && watch.step == 0) else { return };
        watch.computed_before = (what == CountedTime::Computing).then_some(computed);
        watch.step_at = watch.bounds.ends(Instant::now());
        self.tell(&Notification::Counts(what));
    }

    /// Where the time is over by the clock but not by what is counted, it goes on for what is left: no processor computes
    /// that any sooner.
    pub(super) fn postpone(&mut self, now: Instant) {
        let Some(watch) = self.watch.as_ref().filter(|watch| watch.step == 0 && now >= watch.step_at) else {
            return;
        };
        let Some(before) = watch.computed_before else { return };
        let computed = Duration::from_micros(self.cpu_now().saturating_sub(before));
        let left = watch.bounds.time().saturating_sub(computed);
        if let Some(watch) = self.watch.as_mut().filter(|_| !left.is_zero()) {
            watch.step_at = now.checked_add(left.max(WATCH)).unwrap_or(now + YEAR);
        }
    }
}

//! What the time limit counts: the time that goes by, or what a program in a terminal of its own computes while the person
//! has their keys on it. A person who thinks before they type ends no editor; a program that computes for ever ends.

use super::Supervisor;
use super::bounds::WATCH;
use crate::domain::CountedTime;
use crate::exec::helper_wire::{Notification, WatchedLimits};
use crate::exec::tree;
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

/// What was computed since the limit counts that.
pub(super) struct ComputedTime {
    /// What the system had counted before, microseconds.
    before: u64,
    /// The time in which something of the run was seen computing. The system counts nothing of children that end without
    /// anybody waiting for them: by those alone a program would compute for ever.
    seen: Duration,
    looked_at: Instant,
}

impl ComputedTime {
    /// Looks whether one of these processes computes.
    pub(super) fn look(&mut self, crowd: &[i32]) {
        let now = Instant::now();
        let since = now.saturating_duration_since(self.looked_at);
        if crowd.iter().any(|pid| tree::computes(*pid)) {
            self.seen += since;
        }
        self.looked_at = now;
    }

    /// What was seen beyond what the system has counted by now, microseconds.
    fn uncounted(&self, counted: u64) -> u64 {
        let seen = u64::try_from(self.seen.as_micros()).unwrap_or(u64::MAX);
        seen.saturating_sub(counted.saturating_sub(self.before))
    }
}

impl Supervisor {
    /// What was computed beyond what the system has counted, where the limit counts that, microseconds.
    pub(super) fn uncounted(&self) -> u64 {
        let computed = self.watch.as_ref().and_then(|watch| watch.computed.as_ref());
        computed.map_or(0, |computed| computed.uncounted(self.cpu_now()))
    }

    /// The limit counts this from now on, and begins anew. Not any more where it was reached already.
    pub(super) fn count(&mut self, what: CountedTime) {
        let has_terminal = self.program.as_ref().is_some_and(|program| program.terminal.is_some());
        let computed = self.cpu_now();
        let Some(watch) = self.watch.as_mut().filter(|watch| has_terminal && watch.step == 0) else { return };
        let fresh = ComputedTime { before: computed, seen: Duration::ZERO, looked_at: Instant::now() };
        watch.computed = (what == CountedTime::Computing).then_some(fresh);
        watch.step_at = watch.bounds.ends(Instant::now());
        self.tell(&Notification::Counts(what));
    }

    /// Where the time is over by the clock but not by what is counted, it goes on for what is left: no processor computes
    /// that any sooner.
    pub(super) fn postpone(&mut self, now: Instant) {
        let Some(watch) = self.watch.as_ref().filter(|watch| watch.step == 0 && now >= watch.step_at) else {
            return;
        };
        let Some(time) = watch.computed.as_ref() else { return };
        let counted = self.cpu_now();
        let computed = counted.saturating_sub(time.before).saturating_add(time.uncounted(counted));
        let computed = Duration::from_micros(computed);
        let left = watch.bounds.time().saturating_sub(computed);
        if let Some(watch) = self.watch.as_mut().filter(|_| !left.is_zero()) {
            watch.step_at = now.checked_add(left.max(WATCH)).unwrap_or(now + YEAR);
        }
    }
}

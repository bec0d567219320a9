//! What the time limit counts: the time that goes by, or what a program in a terminal of its own computes while the person
//! has their keys on it. A person who thinks before they type ends no editor; a program that computes for ever ends.

use super::Supervisor;
use super::bounds::WATCH_INTERVAL;
use crate::domain::CountedTime;
use crate::exec::helper_wire::{Notification, WatchedLimits};
use crate::exec::sandbox::processors;
use crate::exec::tree;
use std::collections::HashMap;
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

/// The time in which so many processors together compute this much; no shorter than a look.
fn soonest(computed: Duration, processors: u64) -> Duration {
    let all = u32::try_from(processors).unwrap_or(u32::MAX).max(1);
    (computed / all).clamp(WATCH_INTERVAL, YEAR)
}

/// What was computed since the limit counts that.
pub(super) struct ComputedTime {
    /// What the system had counted before, microseconds.
    before: u64,
    /// Processor time of each process by itself as it was seen, microseconds: the system counts nothing of children that
    /// end without anybody waiting for them, and by those alone a program would compute for ever.
    seen: u64,
    /// How much of each had been seen by the last look.
    of_each: HashMap<i32, u64>,
}

impl ComputedTime {
    /// Takes note of what each process has computed by now.
    pub(super) fn look(&mut self, each: HashMap<i32, u64>) {
        for (pid, now) in &each {
            let before = self.of_each.get(pid).copied().unwrap_or(0);
            // Less than before: another process has the number.
            self.seen += if *now < before { *now } else { now - before };
        }
        self.of_each = each;
    }

    /// What was seen beyond what the system has counted by now, microseconds.
    fn uncounted(&self, counted: u64) -> u64 {
        self.seen.saturating_sub(counted.saturating_sub(self.before))
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
        let of_each =
            self.crowd().into_iter().filter_map(|pid| Some((pid, tree::usage(pid)?.cpu_us))).collect();
        let Some(watch) = self.watch.as_mut().filter(|watch| has_terminal && watch.step == 0) else { return };
        let fresh = ComputedTime { before: computed, seen: 0, of_each };
        watch.computed = (what == CountedTime::Computing).then_some(fresh);
        let now = Instant::now();
        watch.step_at = match what {
            CountedTime::Passing => watch.bounds.ends(now),
            CountedTime::Computing => now + soonest(watch.bounds.time(), processors()),
        };
        self.send(&Notification::Counts(what));
    }

    /// Where the time is over by the clock but not by what is counted, it goes on until what is left may be computed.
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
            watch.step_at = now + soonest(left, processors());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_is_computed_is_looked_at_before_all_processors_together_can_have_used_it() {
        let second = Duration::from_secs(1);
        assert_eq!((soonest(second, 1), soonest(second, 4)), (second, second / 4));
        assert_eq!((soonest(Duration::ZERO, 2), soonest(second, u64::MAX)), (WATCH_INTERVAL, WATCH_INTERVAL));
        assert_eq!((soonest(Duration::MAX, 1), soonest(second, 0)), (YEAR, second));
    }
}

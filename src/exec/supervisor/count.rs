//! Decides what the time limit counts: elapsed time, or only the computing time of a program with a terminal while the
//! person's keyboard input goes to it. So a person who thinks before they type does not run out of time, but a program
//! that computes forever does.

use super::Supervisor;
use super::bounds::WATCH_INTERVAL;
use crate::domain::{CountedTime, Limits};
use crate::exec::helper_wire::HelperMessage;
use crate::exec::sandbox::processors;
use crate::exec::tree;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Used if a limit is longer than the clock can represent.
const YEAR: Duration = Duration::from_hours(24 * 365);

/// When a time limit that starts now has passed.
pub(super) fn end_of_time(limits: &Limits, now: Instant) -> Instant {
    now.checked_add(Duration::from_millis(limits.wall_ms)).unwrap_or(now + YEAR)
}

/// The shortest time in which all processors together can compute this much; at least one check interval.
fn soonest(computed: Duration, processors: u64) -> Duration {
    let all = u32::try_from(processors).unwrap_or(u32::MAX).max(1);
    (computed / all).clamp(WATCH_INTERVAL, YEAR)
}

/// The computing time since the limit began to count it.
pub(super) struct ComputedTime {
    /// What the system had counted before that, in microseconds.
    before: u64,
    /// The processor time that was seen of each process itself, in microseconds. The system does not count children
    /// whose end nobody waits for, so a program that computes only in such children would never reach the limit.
    seen: u64,
    /// The processor time of each process at the last check.
    of_each: HashMap<i32, u64>,
}

impl ComputedTime {
    /// Adds what each process has computed since the last check.
    pub(super) fn note_sample(&mut self, each: HashMap<i32, u64>) {
        for (pid, now) in &each {
            let before = self.of_each.get(pid).copied().unwrap_or(0);
            // A smaller value means that another process now has this id.
            self.seen += if *now < before { *now } else { now - before };
        }
        self.of_each = each;
    }

    /// How much more was seen than the system has counted by now, in microseconds.
    fn uncounted(&self, counted: u64) -> u64 {
        self.seen.saturating_sub(counted.saturating_sub(self.before))
    }
}

impl Supervisor {
    /// How much more was seen than the system has counted, in microseconds; 0 if the limit does not count computing
    /// time.
    pub(super) fn uncounted(&self) -> u64 {
        let computed = self.watch.as_ref().and_then(|watch| watch.computed.as_ref());
        computed.map_or(0, |computed| computed.uncounted(self.cpu_now()))
    }

    /// Sets what the limit counts, and starts the count anew. Does nothing if the limit was already reached.
    pub(super) fn count(&mut self, what: CountedTime) {
        let has_terminal = self.program.as_ref().is_some_and(|program| program.terminal.is_some());
        let computed = self.cpu_now();
        let of_each = self
            .run_processes()
            .into_iter()
            .filter_map(|pid| Some((pid, tree::usage(pid)?.cpu_us)))
            .collect();
        let Some(watch) = self.watch.as_mut().filter(|watch| has_terminal && watch.step == 0) else { return };
        let fresh = ComputedTime { before: computed, seen: 0, of_each };
        watch.computed = (what == CountedTime::Computing).then_some(fresh);
        let now = Instant::now();
        let time = Duration::from_millis(watch.bounds.wall_ms);
        watch.step_at = match what {
            CountedTime::Passing => end_of_time(&watch.bounds, now),
            CountedTime::Computing => now + soonest(time, processors()),
        };
        self.send(&HelperMessage::Counts(what));
    }

    /// When the time has passed by the clock but not by what is counted, waits until the rest can have been computed.
    pub(super) fn postpone(&mut self, now: Instant) {
        let Some(watch) = self.watch.as_ref().filter(|watch| watch.step == 0 && now >= watch.step_at) else {
            return;
        };
        let Some(time) = watch.computed.as_ref() else { return };
        let counted = self.cpu_now();
        let computed = counted.saturating_sub(time.before).saturating_add(time.uncounted(counted));
        let computed = Duration::from_micros(computed);
        let left = Duration::from_millis(watch.bounds.wall_ms).saturating_sub(computed);
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

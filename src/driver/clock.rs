//! The clock: the only code that reads the time for the engine.

use crate::domain::Timestamp;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Where the time comes from.
#[derive(Clone, Copy, Debug, Default)]
pub enum Clock {
    /// The system's clock.
    #[default]
    System,
    /// A constant, for tests that compare output.
    Fixed(Timestamp),
}

impl Clock {
    /// The current time.
    pub(crate) fn now(self) -> Timestamp {
        match self {
            Clock::System => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
            }
            Clock::Fixed(moment) => moment,
        }
    }
}

/// The time of a session. While a reply or a run is timed it passes evenly, as it does for their limits: after a
/// suspension, or when the system's clock is set, it would otherwise be hours for a run of seconds. In between it is the
/// system's time.
#[derive(Debug)]
pub(super) struct SessionClock {
    clock: Clock,
    /// When the timing began, by both clocks.
    timed: Option<(Timestamp, Instant)>,
}

impl SessionClock {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, timed: None }
    }

    /// The current time.
    pub(super) fn now(&self) -> Timestamp {
        match (self.clock, self.timed) {
            (Clock::System, Some((began, since))) => {
                began.plus(u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX))
            }
            (clock, _) => clock.now(),
        }
    }

    /// Sets whether something is timed.
    pub(super) fn time(&mut self, is_timed: bool) {
        if is_timed != self.timed.is_some() {
            self.timed = is_timed.then(|| (self.clock.now(), Instant::now()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// The system's clock was set while something was timed: as if it had begun at another time of the day.
    #[test]
    fn what_is_timed_takes_as_long_as_it_takes_whatever_becomes_of_the_systems_clock() {
        let hours = 10 * 3_600_000;
        for began in [Clock::System.now().plus(hours), Timestamp(0)] {
            let mut clock = SessionClock::new(Clock::System);
            clock.time(true);
            clock.timed = Instant::now().checked_sub(Duration::from_millis(5)).map(|since| (began, since));
            // What goes on is timed on.
            clock.time(true);
            let took = clock.now().since(began);
            assert!((5..hours).contains(&took), "{took} ms");
            // Then it is the system's time again, and the next timing begins at that.
            for is_timed in [false, true] {
                clock.time(is_timed);
                let (now, system) = (clock.now(), Clock::System.now());
                assert!(now.since(system).max(system.since(now)) < hours / 2, "{now:?}, {system:?}");
            }
        }
    }

    #[test]
    fn a_fixed_clock_stands_still() {
        let mut clock = SessionClock::new(Clock::Fixed(Timestamp(7)));
        clock.time(true);
        assert_eq!(clock.now(), Timestamp(7));
    }
}

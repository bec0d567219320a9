//! Says what sayso is doing by itself, since when and how long it may take, in the same words for every front end.
//! Waiting for the person is not an activity.

use super::State;
use super::state::LiveRun;
use crate::domain::sentences::running;
use crate::domain::{CountedTime, Timestamp};
use crate::text::number::{duration, limit};

/// Something that sayso does by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Activity {
    /// What it is: `Installing numpy, pandas`.
    pub(crate) what: String,
    /// How its time is measured.
    clock: Clock,
}

/// Which time is shown for an activity.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Clock {
    /// The time since this moment; with the time limit in milliseconds, if it has one.
    Since(Timestamp, Option<u64>),
    /// The computing time used, and its limit, both in milliseconds.
    Computed(u64, u64),
}

impl Activity {
    /// `4.2 s of 60 s`: the time it took so far, as its limit counts it; `0.1 s of 60 s computed` where the limit
    /// counts computing time only.
    #[must_use]
    pub(crate) fn time(&self, now: Timestamp) -> String {
        match self.clock {
            Clock::Since(since, None) => duration(now.since(since)),
            Clock::Since(since, Some(wall)) => format!("{} of {}", duration(now.since(since)), limit(wall)),
            Clock::Computed(ms, wall) => format!("{} of {} computed", duration(ms), limit(wall)),
        }
    }
}

impl LiveRun {
    fn clock(&self) -> Clock {
        let (since, before) = self.counted_from;
        match self.counted {
            CountedTime::Passing => Clock::Since(since, Some(self.wall_ms)),
            CountedTime::Computing => Clock::Computed(self.cpu_ms.saturating_sub(before), self.wall_ms),
        }
    }
}

impl State {
    /// Whether something goes on now, so that its time is shown.
    pub(crate) fn is_active(&self) -> bool {
        self.live.run.is_some() || self.live.summary.is_some() || self.live.reply.is_some()
    }

    /// What goes on now; `None` while sayso waits for the person, or has nothing to do.
    pub(crate) fn activity(&self) -> Option<Activity> {
        if let Some(run) = &self.live.run {
            let item = self.transcript.blocks.get(&run.block)?;
            let what = running::activity(&item.block);
            return Some(Activity { what, clock: run.clock() });
        }
        if let Some(summary) = &self.live.summary {
            let clock = Clock::Since(summary.since, None);
            return Some(Activity { what: running::SUMMING_UP.into(), clock });
        }
        let reply = self.live.reply.as_ref()?;
        Some(Activity { what: reply.doing().into(), clock: Clock::Since(reply.since, None) })
    }
}

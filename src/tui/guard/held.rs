//! A key that acts is held back: first to see whether it stays alone, then until the terminal has told that nothing was
//! typed behind it. Pure.

use super::ask::{GuardedAction, Times};
use super::refusal::RefusalReason;
use std::time::{Duration, Instant};

/// A hold that ends so much later than it should was not waited out: the program stood still meanwhile.
const MAX_LATENESS: Duration = Duration::from_secs(2);

/// The key, and how far it has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldKey {
    pub(crate) deed: GuardedAction,
    at: Instant,
    /// How long it has to stay alone.
    time: Duration,
    /// Whether the terminal is asked then.
    asks: bool,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Alone,
    Wanted,
    Asked(Instant),
}

/// What time did to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimePassed {
    Waits,
    /// It has stayed alone; the terminal is to be asked.
    Wants,
    Counts,
    /// It does not count, and why.
    Dropped(RefusalReason),
}

impl HeldKey {
    /// A letter: held for the hold, then the terminal is asked.
    pub(super) fn letter(deed: GuardedAction, times: &Times, at: Instant) -> Self {
        Self { deed, at, time: times.hold, asks: true, stage: Stage::Alone }
    }

    /// A key that no text has, or a letter that is text in any case: held as long as a paste may follow it.
    pub(super) fn without_question(deed: GuardedAction, time: Duration, at: Instant) -> Self {
        Self { deed, at, time, asks: false, stage: Stage::Alone }
    }

    pub(super) fn pass(&mut self, times: &Times, now: Instant) -> TimePassed {
        let over = now.saturating_duration_since(self.at).saturating_sub(self.time);
        match self.stage {
            Stage::Alone if over.is_zero() => TimePassed::Waits,
            Stage::Alone if over > MAX_LATENESS => TimePassed::Dropped(RefusalReason::StoodStill),
            Stage::Alone if self.asks => {
                self.stage = Stage::Wanted;
                TimePassed::Wants
            }
            Stage::Alone => TimePassed::Counts,
            Stage::Asked(at) if now.saturating_duration_since(at) >= times.answer => {
                TimePassed::Dropped(RefusalReason::NoAnswer)
            }
            Stage::Wanted | Stage::Asked(_) => TimePassed::Waits,
        }
    }

    /// Whether the terminal is to be asked with the next frame; it is asked once.
    pub(super) fn ask(&mut self, now: Instant) -> bool {
        let wanted = self.stage == Stage::Wanted;
        if wanted {
            self.stage = Stage::Asked(now);
        }
        wanted
    }

    /// Whether the terminal was asked.
    pub(super) fn is_asked(&self) -> bool {
        matches!(self.stage, Stage::Asked(_))
    }

    /// When time does something to it.
    pub(super) fn deadline(&self, times: &Times) -> Option<Instant> {
        match self.stage {
            // A key at the very end of the hold is still within it.
            Stage::Alone => Some(self.at + self.time + Duration::from_millis(1)),
            Stage::Wanted => None,
            Stage::Asked(at) => Some(at + times.answer),
        }
    }
}

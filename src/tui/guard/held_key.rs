//! Holds back a key that acts: first until it is known that no other key followed, then until the terminal's answer
//! proves that nothing was typed after it. Pure.

use super::ask::{GuardedAction, Times};
use super::refusal::RefusalReason;
use std::time::{Duration, Instant};

/// A hold that ends this much too late was not really waited out: the program was suspended meanwhile.
const MAX_LATENESS: Duration = Duration::from_secs(2);

/// A held key, and the stage of its hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldKey {
    pub(crate) action: GuardedAction,
    at: Instant,
    /// How long no other key may follow.
    time: Duration,
    /// Whether the terminal is queried after that time.
    asks: bool,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Alone,
    Wanted,
    Asked(Instant),
}

/// What the passing of time did to a held key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimePassed {
    Waits,
    /// No other key followed; the terminal has to be queried.
    Wants,
    Counts,
    /// It does not count, for this reason.
    Dropped(RefusalReason),
}

impl HeldKey {
    /// A letter: held for [`Times::hold`], then the terminal is queried.
    pub(super) fn letter(action: GuardedAction, times: &Times, at: Instant) -> Self {
        Self { action, at, time: times.hold, asks: true, stage: Stage::Alone }
    }

    /// A key or click that no pasted text contains, or a letter that is text in any case: held only as long as the rest
    /// of a paste could follow.
    pub(super) fn without_query(action: GuardedAction, time: Duration, at: Instant) -> Self {
        Self { action, at, time, asks: false, stage: Stage::Alone }
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
            Stage::Asked(at) if now.saturating_duration_since(at) >= times.letter_answer => {
                TimePassed::Dropped(RefusalReason::NoAnswer)
            }
            Stage::Wanted | Stage::Asked(_) => TimePassed::Waits,
        }
    }

    /// Whether to query the terminal with the next frame; true only once.
    pub(super) fn ask(&mut self, now: Instant) -> bool {
        let wanted = self.stage == Stage::Wanted;
        if wanted {
            self.stage = Stage::Asked(now);
        }
        wanted
    }

    pub(super) fn is_asked(&self) -> bool {
        matches!(self.stage, Stage::Asked(_))
    }

    /// When [`HeldKey::pass`] returns something else.
    pub(super) fn deadline(&self, times: &Times) -> Option<Instant> {
        match self.stage {
            // A key at the very end of the hold still belongs to it.
            Stage::Alone => Some(self.at + self.time + Duration::from_millis(1)),
            Stage::Wanted => None,
            Stage::Asked(at) => Some(at + times.letter_answer),
        }
    }
}

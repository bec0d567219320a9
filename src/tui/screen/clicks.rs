//! Counts presses at the same position: a double press selects a word, a triple press a line.

use std::time::{Duration, Instant};

/// Presses at the same position within this time belong together.
const DOUBLE_CLICK_INTERVAL: Duration = Duration::from_millis(400);

/// The last press.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clicks {
    last: Option<((u16, u16), Instant)>,
    count: u8,
}

impl Clicks {
    /// Counts a press at a column and a row: 1, 2 or 3.
    pub(super) fn press(&mut self, at: (u16, u16), now: Instant) -> u8 {
        let goes_on = self.last.is_some_and(|(place, then)| {
            place == at && now.saturating_duration_since(then) <= DOUBLE_CLICK_INTERVAL
        });
        self.count = if goes_on { self.count % 3 + 1 } else { 1 };
        self.last = Some((at, now));
        self.count
    }
}

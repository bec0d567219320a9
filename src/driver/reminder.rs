//! Decides when the plain lines say that something still goes on: after some silence, and then with pauses that double.

use std::time::{Duration, Instant};

const FIRST_DELAY: Duration = Duration::from_secs(15);
const MAX_INTERVAL: Duration = Duration::from_secs(300);

/// The silence of something that goes on.
#[derive(Clone, Debug)]
pub(crate) struct Reminder {
    /// When something was printed last; `None` while nothing goes on.
    since: Option<Instant>,
    pause: Duration,
}

impl Default for Reminder {
    fn default() -> Self {
        Self { since: None, pause: FIRST_DELAY }
    }
}

impl Reminder {
    /// Updates the reminder: whether something goes on, and whether something was just printed.
    pub(crate) fn follow(&mut self, now: Instant, goes_on: bool, told: bool) {
        if !goes_on {
            *self = Self::default();
        } else if told || self.since.is_none() {
            self.since = Some(now);
        }
    }

    /// When the next reminder is due; `None` while nothing goes on.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.since.map(|since| since + self.pause)
    }

    pub(crate) fn reminded(&mut self, now: Instant) {
        self.since = self.since.map(|_| now);
        self.pause = (self.pause * 2).min(MAX_INTERVAL);
    }
}

/// Waits until this moment; forever if there is none.
pub(crate) async fn wait_until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment.into()).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_broken_rarely_and_more_rarely() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut reminder = Reminder::default();
        assert_eq!(reminder.due(), None);
        reminder.follow(at(0), true, true);
        reminder.follow(at(9), true, false);
        assert_eq!(reminder.due(), Some(at(15)));
        reminder.follow(at(10), true, true);
        assert_eq!(reminder.due(), Some(at(25)), "what speaks for itself needs none");
        let mut told = Vec::new();
        for _ in 0..8 {
            let due = reminder.due().unwrap();
            told.push(due.duration_since(start).as_secs());
            reminder.reminded(due);
        }
        assert_eq!(told, [25, 55, 115, 235, 475, 775, 1_075, 1_375]);
        reminder.follow(at(2_000), false, true);
        assert_eq!(reminder.due(), None);
        reminder.follow(at(3_000), true, false);
        assert_eq!(reminder.due(), Some(at(3_015)), "the next begins anew");
    }
}

//! Decides when to draw: at once after a key, at most so many times a second while text streams, never while
//! nothing changes.
//!
//! Pure: the times are arguments. The first change after a pause is drawn at once (leading edge); changes
//! within the interval after it are drawn together at its end. The interval counts from the last frame of a
//! stream, so a frame drawn for a key does not delay the first words of the reply to it.

use std::time::{Duration, Instant};

/// How soon a change has to be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// A key, the end of a reply, a new block, the end of a run, the next turn of the spinner: draw at once.
    Now,
    /// Streamed text, output: draw at the limited rate.
    Stream,
}

/// Decides when the next frame is due.
#[derive(Clone, Debug)]
pub(crate) struct Frames {
    interval: Duration,
    /// When streamed content was last drawn.
    streamed: Option<Instant>,
    /// Whether streamed content waits to be drawn.
    waits: bool,
    due: Option<Instant>,
}

impl Frames {
    /// Draws streams at most so many times a second; 0 counts as 1.
    pub(crate) fn new(per_second: u32) -> Self {
        Self { interval: Duration::from_secs(1) / per_second.max(1), streamed: None, waits: false, due: None }
    }

    /// Reports that something changed at `now`.
    pub(crate) fn changed(&mut self, urgency: Urgency, now: Instant) {
        self.waits |= urgency == Urgency::Stream;
        let at = match (urgency, self.streamed) {
            (Urgency::Stream, Some(last)) => (last + self.interval).max(now),
            _ => now,
        };
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    pub(crate) fn is_due(&self, now: Instant) -> bool {
        self.due.is_some_and(|due| due <= now)
    }

    /// When the next frame is due; `None` while nothing changed.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.due
    }

    /// Reports that a frame was drawn at `now`: nothing is pending.
    pub(crate) fn drawn(&mut self, now: Instant) {
        if std::mem::take(&mut self.waits) {
            self.streamed = Some(now);
        }
        self.due = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn nothing_changed_nothing_due() {
        let t = Instant::now();
        let mut f = Frames::new(30);
        assert_eq!(f.deadline(), None);
        f.changed(Urgency::Now, t);
        assert!(f.is_due(t));
        f.drawn(t);
        assert_eq!(f.deadline(), None);
        assert!(!f.is_due(t + ms(10_000)));
    }

    #[test]
    fn a_stream_starts_at_once_and_is_then_held_to_its_rate() {
        let t = Instant::now();
        let mut f = Frames::new(30);
        let mut drawn = 0;
        for i in 0..1000 {
            let now = t + ms(i);
            f.changed(Urgency::Stream, now);
            if f.is_due(now) {
                assert!(drawn > 0 || i == 0, "the first is drawn at once");
                f.drawn(now);
                drawn += 1;
            }
        }
        assert!((29..=31).contains(&drawn), "{drawn}");
    }

    #[test]
    fn a_key_is_drawn_at_once_in_the_middle_of_a_stream() {
        let t = Instant::now();
        let mut f = Frames::new(12);
        f.changed(Urgency::Stream, t);
        f.drawn(t);
        f.changed(Urgency::Stream, t + ms(1));
        assert!(!f.is_due(t + ms(2)));
        f.changed(Urgency::Now, t + ms(2));
        assert!(f.is_due(t + ms(2)));
    }

    #[test]
    fn the_first_words_do_not_wait_for_the_frame_of_a_key() {
        let t = Instant::now();
        let mut f = Frames::new(12);
        f.changed(Urgency::Now, t);
        f.drawn(t);
        f.changed(Urgency::Stream, t + ms(3));
        assert!(f.is_due(t + ms(3)));
        f.drawn(t + ms(3));
        f.changed(Urgency::Stream, t + ms(4));
        assert!(!f.is_due(t + ms(5)));
    }

    #[test]
    fn the_last_change_is_never_lost() {
        let t = Instant::now();
        let mut f = Frames::new(30);
        f.changed(Urgency::Stream, t);
        f.drawn(t);
        f.changed(Urgency::Stream, t + ms(5));
        let due = f.deadline().unwrap();
        assert!(due > t + ms(30) && due < t + ms(34));
    }
}

//! The guard: when a key decides about a block. Pure; the moment of each key is an argument.
//!
//! A decision counts only when the terminal had the frame that shows the block (the fence), when 700 ms have passed
//! since without any key but scrolling (the quiet time), when it came alone (no repeat, no paste), and, for an
//! approval, when every row has been on screen (seen). It knows neither keys' bindings nor views: the screen tells it
//! what a key would do, and *every* key goes through it, whatever has the focus.

mod ask;
mod refusal;
mod seen;
#[cfg(test)]
mod tests;

pub use ask::{Admit, Class, Times, Token, Verb};
pub use refusal::Why;
pub use seen::{Row, Seen};

use super::fence::{Fence, Query, Standing};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::ops::Range;
use std::time::Instant;

/// The gate in front of the decisions about one block at a time.
#[derive(Clone, Debug)]
pub struct Guard {
    times: Times,
    subject: Option<Token>,
    fence: Fence,
    /// Whether the quiet time was passed once since the subject appeared.
    opened: bool,
    quiet_from: Instant,
    seen: Seen,
    checking: bool,
    size: (u16, u16),
    last_key: Option<(KeyCode, KeyModifiers, Instant)>,
    last_printable: Option<Instant>,
    held: Option<(Verb, Instant)>,
    ready: Option<Verb>,
}

/// The smallest window in which decisions count: columns, rows.
pub const SMALLEST: (u16, u16) = (50, 12);

impl Guard {
    /// A guard with nothing behind it.
    pub fn new(times: Times, size: (u16, u16), now: Instant) -> Self {
        Self {
            times,
            subject: None,
            fence: Fence::new(now, times.fence),
            opened: false,
            quiet_from: now,
            seen: Seen::default(),
            checking: false,
            size,
            last_key: None,
            last_printable: None,
            held: None,
            ready: None,
        }
    }

    /// This is up for decision and on screen with the next frame. The same token again changes nothing; another one
    /// starts over at the fence with nothing seen. Tell it with every frame.
    pub fn appeared(&mut self, token: Token, now: Instant) {
        if self.subject == Some(token) {
            return;
        }
        self.subject = Some(token);
        self.seen.reset();
        self.opened = false;
        self.checking = false;
        self.ready = None;
        self.fence.raise();
        self.restart(now);
    }

    /// Nothing is up for decision, or it is not on screen.
    pub fn gone(&mut self) {
        self.subject = None;
        self.held = None;
        self.ready = None;
        self.seen.reset();
    }

    /// Whether the terminal has the frame that shows what is up for decision.
    pub fn is_shown(&self) -> bool {
        self.subject.is_some() && self.unfenced()
    }

    /// What is up for decision.
    pub fn subject(&self) -> Option<Token> {
        self.subject
    }

    /// The query to send behind the frame that is drawn now, if the subject needs one.
    pub fn fence_query(&mut self, now: Instant) -> Option<Query> {
        self.subject.and_then(|_| self.fence.query(self.size, now))
    }

    /// The terminal told a cursor position, read at this moment.
    pub fn fence_answered(&mut self, (row, column): (u16, u16), at: Instant) {
        if self.fence.answered(row, column, at) {
            self.seen.restart(at);
        }
        // A late answer too tells that what was read before it was typed before the frame was there.
        self.restart(at);
    }

    /// The review is not there yet (`true`): approving waits for it.
    pub fn checking(&mut self, checking: bool) {
        self.checking = checking;
    }

    /// All rows that have to be seen, at the present width. Returns how many rows are to be looked at again that
    /// were seen before (`Width changed: 4 lines to look at again.`).
    pub fn layout(&mut self, rows: Vec<Row>) -> usize {
        let first = self.seen.rows().1 == 0;
        let added = self.seen.layout(rows);
        if first { 0 } else { added }
    }

    /// The rows (numbers into the layout) that the frame drawn now shows; empty while something covers the pane.
    pub fn rows_on_screen(&mut self, ranges: &[Range<usize>], now: Instant) {
        self.settle(now);
        self.seen.show(ranges, now);
    }

    /// How many lines of code were seen to their end, of how many.
    pub fn seen(&self) -> (usize, usize) {
        self.seen.lines()
    }

    /// What was seen, row by row.
    pub fn rows(&self) -> &Seen {
        &self.seen
    }

    /// The window has this size now.
    pub fn resized(&mut self, size: (u16, u16), now: Instant) {
        self.size = size;
        self.restart(now);
    }

    /// The terminal got the focus, or the program came back to the foreground.
    pub fn focused(&mut self, now: Instant) {
        self.restart(now);
    }

    /// A bracketed paste arrived. `in_review`: it went to the review, where it is refused.
    pub fn pasted(&mut self, in_review: bool, now: Instant) -> Admit {
        self.restart(now);
        if in_review { Admit::Refused(Why::Paste) } else { Admit::Pass }
    }

    /// A button of the mouse was pressed and released on a decision. Same gate; nothing to wait for.
    pub fn click(&mut self, verb: Verb, now: Instant) -> Admit {
        self.settle(now);
        let admit = self.locked_for(verb, now).map_or(Admit::Pass, Admit::Refused);
        self.restart(now);
        admit
    }

    /// Judges a key by what it would do. `at` is when its bytes were read.
    pub fn key(&mut self, key: &KeyEvent, class: Class, at: Instant) -> Admit {
        self.settle(at);
        if key.kind == KeyEventKind::Release {
            return Admit::Refused(Why::Repeat);
        }
        let printable = is_printable(key);
        let burst = printable
            && self.last_printable.is_some_and(|last| at.saturating_duration_since(last) < self.times.burst);
        let repeat = key.kind == KeyEventKind::Repeat
            || self.last_key.is_some_and(|(code, modifiers, last)| {
                code == key.code
                    && modifiers == key.modifiers
                    && at.saturating_duration_since(last) < self.times.repeat
            });
        self.last_key = Some((key.code, key.modifiers, at));
        if printable {
            self.last_printable = Some(at);
        }
        let was_held = self.held.take().is_some();
        if burst && was_held {
            self.restart(at);
            return Admit::Refused(Why::Paste);
        }
        match class {
            Class::Scroll => Admit::Pass,
            Class::Other => {
                self.restart(at);
                Admit::Pass
            }
            Class::Decision(verb) => {
                let why = if burst && self.unfenced() {
                    Some(Why::Paste)
                } else if repeat && self.unfenced() {
                    Some(Why::Repeat)
                } else {
                    self.locked_for(verb, at)
                };
                self.restart(at);
                match why {
                    Some(why) => Admit::Refused(self.with_time_left(why)),
                    None if self.times.burst.is_zero() => Admit::Pass,
                    None => {
                        self.held = Some((verb, at));
                        Admit::Held
                    }
                }
            }
        }
    }

    /// The decision that was held back and has stayed alone; told once. Ask before each key (with its time) and at
    /// the deadline.
    pub fn due(&mut self, now: Instant) -> Option<Verb> {
        self.settle(now);
        self.ready.take()
    }

    /// Why an approval would be refused now; `None` when it would count. For the title (`a locked`) and the status.
    pub fn locked(&self, now: Instant) -> Option<Why> {
        self.locked_for(Verb::Approve, now)
    }

    /// Why this decision would be refused now.
    pub fn locked_for(&self, verb: Verb, now: Instant) -> Option<Why> {
        let Some(token) = self.subject else { return Some(Why::NoBlock) };
        if self.size.0 < SMALLEST.0 || self.size.1 < SMALLEST.1 {
            return Some(Why::Small);
        }
        if !self.unfenced() {
            return Some(Why::Appeared { block: token.block, left: None });
        }
        let left = (self.quiet_from + self.times.quiet).saturating_duration_since(now);
        if !left.is_zero() {
            let first = !self.opened;
            return Some(if first {
                Why::Appeared { block: token.block, left: Some(left) }
            } else {
                Why::Quiet { left }
            });
        }
        if verb.needs_seen() {
            if self.checking {
                return Some(Why::Checking);
            }
            if !self.seen.all() {
                return Some(Why::Unseen { lines: self.seen.left() });
            }
        }
        None
    }

    /// When something will change by itself: the fence runs out, the quiet time is over, a row counts as seen, a held
    /// decision is due. Call [`Guard::tick`] then, and draw.
    pub fn next_deadline(&self, now: Instant) -> Option<Instant> {
        self.subject?;
        let quiet = match self.fence.standing() {
            Standing::Down(_) => Some(self.quiet_from + self.times.quiet).filter(|at| *at > now),
            _ => None,
        };
        let seen = if self.unfenced() { self.seen.deadline(self.times.seen) } else { None };
        let held = self.held.map(|(_, at)| at + self.times.burst);
        [self.fence.deadline(), quiet, seen, held].into_iter().flatten().min()
    }

    /// Lets time pass. Returns whether something changed that is worth drawing.
    pub fn tick(&mut self, now: Instant) -> bool {
        self.settle(now)
    }

    /// Everything that happens by itself up to `now`.
    fn settle(&mut self, now: Instant) -> bool {
        let mut changed = false;
        if let Some(deadline) = self.fence.deadline()
            && self.fence.expire(now)
        {
            // All read so far was refused; the quiet starts where patience ended.
            self.restart(deadline);
            self.seen.restart(deadline);
            changed = true;
        }
        if let Some((verb, at)) = self.held
            && now.saturating_duration_since(at) >= self.times.burst
        {
            self.held = None;
            self.ready = Some(verb);
            changed = true;
        }
        if self.unfenced() {
            changed |= self.seen.settle(now, self.times.seen);
            if !self.opened
                && self.subject.is_some()
                && now.saturating_duration_since(self.quiet_from) >= self.times.quiet
            {
                self.opened = true;
                changed = true;
            }
        }
        changed
    }

    fn unfenced(&self) -> bool {
        matches!(self.fence.standing(), Standing::Down(_))
    }

    /// The quiet time starts over, and a decision that was held back is dropped.
    fn restart(&mut self, at: Instant) {
        self.quiet_from = self.quiet_from.max(at);
        self.held = None;
    }

    /// After a refusal the whole quiet time is left.
    fn with_time_left(&self, why: Why) -> Why {
        match why {
            Why::Appeared { block, left: Some(_) } => Why::Appeared { block, left: Some(self.times.quiet) },
            Why::Quiet { .. } => Why::Quiet { left: self.times.quiet },
            other => other,
        }
    }
}

/// A key that types something.
fn is_printable(key: &KeyEvent) -> bool {
    matches!(key.code, KeyCode::Char(_))
        && !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SUPER)
}

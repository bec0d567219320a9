//! The fence: a cursor-position query sent behind a frame. Its answer proves that the terminal had the frame; what
//! was read before the answer was typed before that.
//!
//! Each query first puts the cursor on a place of its own, so that answers tell which query they belong to, however
//! late they come. Pure: it makes bytes and compares numbers; the terminal sends, the input thread reads.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// One query: where it puts the cursor (rows and columns count from 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    row: u16,
    column: u16,
}

impl Query {
    /// What has to be written behind the frame: save the cursor, go to the place, ask, go back.
    pub fn bytes(self) -> String {
        format!("\x1b7\x1b[{};{}H\x1b[6n\x1b8", self.row, self.column)
    }

    /// The row and column that the answer will name.
    pub fn place(self) -> (u16, u16) {
        (self.row, self.column)
    }
}

/// How a fence stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It has not been sent yet.
    Wanted,
    /// It was sent; the answer is awaited.
    Sent(Instant),
    /// It fell: the terminal answered, or did not answer in time.
    Down(Instant),
}

/// The fence in front of one subject, and what is known of older queries.
#[derive(Clone, Debug)]
pub struct Fence {
    standing: Standing,
    current: Option<Query>,
    /// Queries of earlier subjects whose answers may still come.
    older: VecDeque<Query>,
    made: u32,
    patience: Duration,
}

/// Answers of this many older queries are still recognized; more are never under way at once.
const REMEMBERED: usize = 16;

impl Fence {
    /// No fence stands. `patience` is how long an answer is awaited.
    pub fn new(now: Instant, patience: Duration) -> Self {
        Self { standing: Standing::Down(now), current: None, older: VecDeque::new(), made: 0, patience }
    }

    /// A new frame has to be proven: the fence stands again, whatever came before.
    pub fn raise(&mut self) {
        self.forget_current();
        self.standing = Standing::Wanted;
    }

    /// Makes the query to send behind the next frame of a terminal of this size, if one is wanted.
    pub fn query(&mut self, (width, height): (u16, u16), now: Instant) -> Option<Query> {
        if self.standing != Standing::Wanted {
            return None;
        }
        self.made = self.made.wrapping_add(1);
        // Row 1 is left out: its answer reads like a modified F3 key.
        let rows = u32::from(height.saturating_sub(1).max(1));
        let columns = u32::from(width.max(1));
        let row = u16::try_from(self.made % rows).unwrap_or(0).saturating_add(2);
        let column = u16::try_from((self.made / rows) % columns).unwrap_or(0).saturating_add(1);
        let query = Query { row: row.min(height.max(1)), column };
        self.current = Some(query);
        self.standing = Standing::Sent(now);
        Some(query)
    }

    /// The terminal told a cursor position. Returns whether the fence fell by it.
    pub fn answered(&mut self, row: u16, column: u16, at: Instant) -> bool {
        let place = (row, column);
        let is_current = self.current.is_some_and(|q| q.place() == place);
        if !is_current && let Some(i) = self.older.iter().position(|q| q.place() == place) {
            // Answers come in order: what was asked before this one will not be answered any more.
            self.older.drain(..=i);
            return false;
        }
        // A terminal that answers with another place than it was sent to is taken at its word.
        if matches!(self.standing, Standing::Sent(_)) {
            self.current = None;
            self.older.clear();
            self.standing = Standing::Down(at);
            return true;
        }
        false
    }

    /// Gives up waiting when patience has run out. Returns whether the fence fell by it.
    pub fn expire(&mut self, now: Instant) -> bool {
        match self.deadline() {
            Some(deadline) if now >= deadline => {
                self.forget_current();
                self.standing = Standing::Down(deadline);
                true
            }
            _ => false,
        }
    }

    /// How it stands.
    pub fn standing(&self) -> Standing {
        self.standing
    }

    /// When waiting ends without an answer.
    pub fn deadline(&self) -> Option<Instant> {
        match self.standing {
            Standing::Sent(at) => Some(at + self.patience),
            _ => None,
        }
    }

    fn forget_current(&mut self) {
        if let Some(query) = self.current.take() {
            if self.older.len() == REMEMBERED {
                self.older.pop_front();
            }
            self.older.push_back(query);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: (u16, u16) = (80, 24);

    fn fence(now: Instant) -> Fence {
        Fence::new(now, Duration::from_secs(2))
    }

    #[test]
    fn falls_by_its_own_answer() {
        let now = Instant::now();
        let mut f = fence(now);
        f.raise();
        let (row, column) = f.query(SIZE, now).unwrap().place();
        assert!(f.query(SIZE, now).is_none(), "one query a fence");
        assert!(f.answered(row, column, now));
        assert_eq!(f.standing(), Standing::Down(now));
    }

    #[test]
    fn a_late_answer_to_an_older_query_does_not_count() {
        let now = Instant::now();
        let mut f = fence(now);
        f.raise();
        let first = f.query(SIZE, now).unwrap().place();
        f.raise();
        let second = f.query(SIZE, now).unwrap().place();
        assert_ne!(first, second);
        assert!(!f.answered(first.0, first.1, now));
        assert!(matches!(f.standing(), Standing::Sent(_)));
        assert!(f.answered(second.0, second.1, now));
    }

    #[test]
    fn a_lost_answer_that_comes_after_all_does_not_open_the_next_fence() {
        let now = Instant::now();
        let mut f = fence(now);
        f.raise();
        let first = f.query(SIZE, now).unwrap().place();
        assert!(!f.expire(now + Duration::from_millis(1999)));
        assert!(f.expire(now + Duration::from_secs(2)));
        f.raise();
        f.query(SIZE, now).unwrap();
        assert!(!f.answered(first.0, first.1, now));
    }

    #[test]
    fn a_terminal_that_answers_any_place_is_taken_at_its_word() {
        let now = Instant::now();
        let mut f = fence(now);
        f.raise();
        f.query(SIZE, now).unwrap();
        assert!(f.answered(1, 1, now));
    }

    #[test]
    fn never_asks_from_row_one_and_stays_inside() {
        let now = Instant::now();
        let mut f = fence(now);
        for _ in 0..5000 {
            f.raise();
            let (row, column) = f.query(SIZE, now).unwrap().place();
            assert!((2..=24).contains(&row) && (1..=80).contains(&column));
        }
    }

    #[test]
    fn the_cursor_comes_back() {
        let now = Instant::now();
        let mut f = fence(now);
        f.raise();
        let query = f.query(SIZE, now).unwrap();
        let (row, column) = query.place();
        assert_eq!(query.bytes(), format!("\x1b7\x1b[{row};{column}H\x1b[6n\x1b8"));
    }
}

//! Cursor queries: a query for the cursor's position, sent after a frame. Its answer proves that the terminal has drawn the
//! frame, and that everything typed before the answer has been read.
//!
//! Each query first moves the cursor to a different cell, so that an answer shows which query it belongs to,
//! however late it arrives. Pure: this module makes bytes and compares numbers; the terminal sends them, the
//! input thread reads the answers.

use std::collections::VecDeque;
use std::time::Instant;

/// One query, as the cell to which it moves the cursor (rows and columns count from 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    row: u16,
    column: u16,
}

impl Query {
    /// The bytes to write after the frame: save the cursor, move it, query its position, restore it.
    pub(crate) fn bytes(self) -> String {
        format!("\x1b7\x1b[{};{}H\x1b[6n\x1b8", self.row, self.column)
    }

    /// The row and column that the answer will contain.
    pub fn place(self) -> (u16, u16) {
        (self.row, self.column)
    }
}

/// How far the terminal has confirmed a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueryState {
    /// The query has not been sent yet.
    Wanted,
    /// The query was sent; its answer has not arrived.
    Sent(Instant),
    /// The frame counts as drawn: the terminal answered, or did not answer in time.
    Confirmed,
}

/// What an answer proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueryPurpose {
    /// The terminal shows the frame with the block.
    Block,
    /// The terminal shows the frame with something else on which letters act: a question, a list of problems.
    Scope,
    /// Nothing was typed after a letter that decides.
    Decision,
}

/// The open queries, oldest first: terminals answer in order.
#[derive(Clone, Debug, Default)]
pub struct CursorQueries {
    asked: VecDeque<(Query, Option<QueryPurpose>)>,
    /// How many queries were made.
    count: u32,
}

/// So many queries are remembered at most, so that their answers are recognized; never more are open at once.
const MAX_QUERIES: usize = 16;

impl CursorQueries {
    /// Makes the query to send after the next frame of a terminal of this size.
    pub(crate) fn ask(&mut self, purpose: QueryPurpose, (width, height): (u16, u16)) -> Query {
        self.forget(purpose);
        self.count = self.count.wrapping_add(1);
        // Row 1 is left out: an answer with it reads like F3 with a modifier.
        let rows = u32::from(height.saturating_sub(1).max(1));
        let columns = u32::from(width.max(1));
        let row = u16::try_from(self.count % rows).unwrap_or(0).saturating_add(2);
        let column = u16::try_from((self.count / rows) % columns).unwrap_or(0).saturating_add(1);
        let query = Query { row: row.min(height.max(1)), column };
        if self.asked.len() == MAX_QUERIES {
            self.asked.pop_front();
        }
        self.asked.push_back((query, Some(purpose)));
        query
    }

    /// Drops this purpose from the open queries: nobody waits for it any more, but a late answer is still
    /// recognized.
    pub(crate) fn forget(&mut self, purpose: QueryPurpose) {
        for (_, of) in &mut self.asked {
            *of = of.filter(|of| *of != purpose);
        }
    }

    /// Handles a cursor position that the terminal reported. Returns all that it proves, empty where nobody waits for it
    /// any more; `None`: no query was sent to which this could be the answer, so it is a key that looks like one.
    pub(crate) fn answered(&mut self, row: u16, column: u16) -> Option<Vec<QueryPurpose>> {
        let known = self.asked.iter().position(|(query, _)| query.place() == (row, column));
        let last = match known {
            // Answers come in order: the older queries will not be answered any more.
            Some(at) => at,
            // Some terminals report another position than the query moved the cursor to: take that for the
            // oldest query. But not F3 with a modifier, which reads as row 1 and the number of its modifiers.
            None if self.asked.is_empty() || (row == 1 && column > 1) => return None,
            None => 0,
        };
        Some(self.asked.drain(..=last).filter_map(|(_, purpose)| purpose).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: (u16, u16) = (80, 24);

    fn proves(queries: &mut CursorQueries, (row, column): (u16, u16)) -> Vec<QueryPurpose> {
        queries.answered(row, column).expect("it is an answer")
    }

    #[test]
    fn an_answer_proves_what_was_asked_for_and_all_before_it() {
        let mut q = CursorQueries::default();
        let first = q.ask(QueryPurpose::Block, SIZE).place();
        assert_eq!(proves(&mut q, first), [QueryPurpose::Block]);
        let _ = q.ask(QueryPurpose::Block, SIZE);
        let second = q.ask(QueryPurpose::Decision, SIZE).place();
        assert_eq!(proves(&mut q, second), [QueryPurpose::Block, QueryPurpose::Decision]);
        assert_eq!(q.answered(second.0, second.1), None);
    }

    #[test]
    fn a_late_answer_to_an_older_query_proves_nothing() {
        let mut q = CursorQueries::default();
        let first = q.ask(QueryPurpose::Block, SIZE).place();
        let second = q.ask(QueryPurpose::Block, SIZE).place();
        assert_ne!(first, second);
        assert_eq!(proves(&mut q, first), []);
        assert_eq!(proves(&mut q, second), [QueryPurpose::Block]);
        let third = q.ask(QueryPurpose::Decision, SIZE).place();
        q.forget(QueryPurpose::Decision);
        assert_eq!(proves(&mut q, third), [], "given up");
    }

    #[test]
    fn a_terminal_that_answers_any_place_is_taken_at_its_word_and_a_key_is_not() {
        let mut q = CursorQueries::default();
        q.ask(QueryPurpose::Block, SIZE);
        assert_eq!(q.answered(1, 2), None, "Shift-F3");
        assert_eq!(proves(&mut q, (1, 1)), [QueryPurpose::Block]);
        assert_eq!(q.answered(5, 5), None, "nothing was asked");
    }

    #[test]
    fn never_asks_from_row_one_and_stays_inside() {
        let mut q = CursorQueries::default();
        for _ in 0..5000 {
            let (row, column) = q.ask(QueryPurpose::Block, SIZE).place();
            assert!((2..=24).contains(&row) && (1..=80).contains(&column));
        }
    }

    #[test]
    fn the_cursor_comes_back() {
        let query = CursorQueries::default().ask(QueryPurpose::Block, SIZE);
        let (row, column) = query.place();
        assert_eq!(query.bytes(), format!("\x1b7\x1b[{row};{column}H\x1b[6n\x1b8"));
    }
}

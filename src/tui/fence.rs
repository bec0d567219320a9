//! The fence: a cursor-position query sent behind a frame. Its answer proves that the terminal had the frame, and that
//! everything which was typed before it has been read.
//!
//! Each query first puts the cursor on a place of its own, so that answers tell which query they belong to, however
//! late they come. Pure: it makes bytes and compares numbers; the terminal sends, the input thread reads.

use std::collections::VecDeque;
use std::time::Instant;

/// One query: where it puts the cursor (rows and columns count from 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    row: u16,
    column: u16,
}

impl Query {
    /// What has to be written behind the frame: save the cursor, go to the place, ask, go back.
    pub(crate) fn bytes(self) -> String {
        format!("\x1b7\x1b[{};{}H\x1b[6n\x1b8", self.row, self.column)
    }

    /// The row and column that the answer will name.
    pub fn place(self) -> (u16, u16) {
        (self.row, self.column)
    }
}

/// How a fence stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FenceState {
    /// It has not been sent yet.
    Wanted,
    /// It was sent; the answer is awaited.
    Sent(Instant),
    /// It fell: the terminal answered, or did not answer in time.
    Down(Instant),
}

/// What an answer proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FencePurpose {
    /// That the terminal has the frame with the block.
    Block,
    /// That the terminal has the frame with something else whose letters act: a question, a list of problems.
    Place,
    /// That nothing was typed behind a letter that decides.
    Decision,
}

/// What came of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FenceAnswer {
    /// It proves all of these; none where nobody waits for it any more.
    Proves(Vec<FencePurpose>),
    /// It answers nothing that was asked: a key that looks like an answer.
    NotOurs,
}

/// The queries under way, oldest first: terminals answer in order.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    asked: VecDeque<(Query, Option<FencePurpose>)>,
    made: u32,
}

/// Answers of this many queries are recognized; more are never under way at once.
const MAX_QUERIES: usize = 16;

impl Questions {
    /// Makes the query to send behind the next frame of a terminal of this size.
    pub(crate) fn ask(&mut self, purpose: FencePurpose, (width, height): (u16, u16)) -> Query {
        self.forget(purpose);
        self.made = self.made.wrapping_add(1);
        // Row 1 is left out: its answer reads like a modified F3 key.
        let rows = u32::from(height.saturating_sub(1).max(1));
        let columns = u32::from(width.max(1));
        let row = u16::try_from(self.made % rows).unwrap_or(0).saturating_add(2);
        let column = u16::try_from((self.made / rows) % columns).unwrap_or(0).saturating_add(1);
        let query = Query { row: row.min(height.max(1)), column };
        if self.asked.len() == MAX_QUERIES {
            self.asked.pop_front();
        }
        self.asked.push_back((query, Some(purpose)));
        query
    }

    /// Nobody waits for the answer any more; it is still known when it comes.
    pub(crate) fn forget(&mut self, purpose: FencePurpose) {
        for (_, of) in &mut self.asked {
            *of = of.filter(|of| *of != purpose);
        }
    }

    /// The terminal told a cursor position.
    pub(crate) fn answered(&mut self, row: u16, column: u16) -> FenceAnswer {
        let known = self.asked.iter().position(|(query, _)| query.place() == (row, column));
        let last = match known {
            // Answers come in order: what was asked before this one will not be answered any more.
            Some(at) => at,
            // A terminal that answers with another place than it was sent to is taken at its word, but a modified F3
            // is no answer: it reads as row 1 and the number of its modifiers.
            None if self.asked.is_empty() || (row == 1 && column > 1) => return FenceAnswer::NotOurs,
            None => 0,
        };
        FenceAnswer::Proves(self.asked.drain(..=last).filter_map(|(_, purpose)| purpose).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: (u16, u16) = (80, 24);

    fn proves(questions: &mut Questions, (row, column): (u16, u16)) -> Vec<FencePurpose> {
        match questions.answered(row, column) {
            FenceAnswer::Proves(purposes) => purposes,
            FenceAnswer::NotOurs => panic!("it is an answer"),
        }
    }

    #[test]
    fn an_answer_proves_what_was_asked_for_and_all_before_it() {
        let mut q = Questions::default();
        let first = q.ask(FencePurpose::Block, SIZE).place();
        assert_eq!(proves(&mut q, first), [FencePurpose::Block]);
        let _ = q.ask(FencePurpose::Block, SIZE);
        let second = q.ask(FencePurpose::Decision, SIZE).place();
        assert_eq!(proves(&mut q, second), [FencePurpose::Block, FencePurpose::Decision]);
        assert_eq!(q.answered(second.0, second.1), FenceAnswer::NotOurs);
    }

    #[test]
    fn a_late_answer_to_an_older_query_proves_nothing() {
        let mut q = Questions::default();
        let first = q.ask(FencePurpose::Block, SIZE).place();
        let second = q.ask(FencePurpose::Block, SIZE).place();
        assert_ne!(first, second);
        assert_eq!(proves(&mut q, first), []);
        assert_eq!(proves(&mut q, second), [FencePurpose::Block]);
        let third = q.ask(FencePurpose::Decision, SIZE).place();
        q.forget(FencePurpose::Decision);
        assert_eq!(proves(&mut q, third), [], "given up");
    }

    #[test]
    fn a_terminal_that_answers_any_place_is_taken_at_its_word_and_a_key_is_not() {
        let mut q = Questions::default();
        q.ask(FencePurpose::Block, SIZE);
        assert_eq!(q.answered(1, 2), FenceAnswer::NotOurs, "Shift-F3");
        assert_eq!(proves(&mut q, (1, 1)), [FencePurpose::Block]);
        assert_eq!(q.answered(5, 5), FenceAnswer::NotOurs, "nothing was asked");
    }

    #[test]
    fn never_asks_from_row_one_and_stays_inside() {
        let mut q = Questions::default();
        for _ in 0..5000 {
            let (row, column) = q.ask(FencePurpose::Block, SIZE).place();
            assert!((2..=24).contains(&row) && (1..=80).contains(&column));
        }
    }

    #[test]
    fn the_cursor_comes_back() {
        let query = Questions::default().ask(FencePurpose::Block, SIZE);
        let (row, column) = query.place();
        assert_eq!(query.bytes(), format!("\x1b7\x1b[{row};{column}H\x1b[6n\x1b8"));
    }
}

//! The status word of a block, the same in every front end. Reads the state and decides nothing.

use super::state::{Phase, State};
use super::transcript::{BlockItem, BlockStatus, RunItem};
use crate::domain::Outcome;
use std::fmt;

/// The status of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockState {
    /// The model is still writing it (not a block of the transcript yet, but a segment of the reply that streams).
    Writing,
    /// It waits for a decision.
    Waiting,
    /// It waits for a decision, and the person has edited it.
    Edited,
    /// It waits behind another block.
    Queued,
    /// It was started and has not ended.
    Running,
    /// It succeeded; the exit status.
    Done(Option<i32>),
    /// It failed; the exit status.
    Failed(Option<i32>),
    /// It was ended at its time limit.
    Timeout,
    /// It was ended at another limit.
    Limit,
    /// The person stopped it.
    Interrupted,
    /// Its process died; the signal, else the exit status.
    Died(Option<i32>),
    /// The executor refused it.
    Refused,
    /// It could not be started.
    NotStarted,
    /// The person rejected it; the model is told why.
    Rejected,
    /// The recipe of its turn did not offer it.
    Declined,
    /// The person skipped it; the model is not told.
    Skipped,
    /// sayso ended while it ran.
    Lost,
}

impl fmt::Display for BlockState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, number) = match self {
            BlockState::Writing => ("WRITING", None),
            BlockState::Waiting => ("WAITING", None),
            BlockState::Edited => ("EDITED", None),
            BlockState::Queued => ("QUEUED", None),
            BlockState::Running => ("RUNNING", None),
            BlockState::Done(code) => ("DONE", *code),
            BlockState::Failed(code) => ("FAILED", *code),
            BlockState::Timeout => ("TIMEOUT", None),
            BlockState::Limit => ("LIMIT", None),
            BlockState::Interrupted => ("INTERRUPTED", None),
            BlockState::Died(number) => ("DIED", *number),
            BlockState::Refused => ("REFUSED", None),
            BlockState::NotStarted => ("NOT STARTED", None),
            BlockState::Rejected => ("REJECTED", None),
            BlockState::Declined => ("DECLINED", None),
            BlockState::Skipped => ("SKIPPED", None),
            BlockState::Lost => ("LOST", None),
        };
        match number {
            Some(number) => f.pad(&format!("{word} {number}")),
            None => f.pad(word),
        }
    }
}

impl BlockState {
    /// The status of a run.
    pub(crate) fn of_run(run: &RunItem) -> Self {
        let Some((_, report)) = &run.ended else {
            return if run.lost { BlockState::Lost } else { BlockState::Running };
        };
        let receipt = &report.receipt;
        match &report.outcome {
            Outcome::Ok => BlockState::Done(receipt.exit_code),
            Outcome::Failed => BlockState::Failed(receipt.exit_code),
            Outcome::TimedOut => BlockState::Timeout,
            Outcome::Limit(_) => BlockState::Limit,
            Outcome::Interrupted => BlockState::Interrupted,
            Outcome::Crashed(_) => BlockState::Died(receipt.signal.or(receipt.exit_code)),
            Outcome::Refused(_) => BlockState::Refused,
            Outcome::NotStarted(_) => BlockState::NotStarted,
        }
    }
}

impl State {
    /// The status of a block.
    pub(crate) fn block_state(&self, item: &BlockItem) -> BlockState {
        match &item.status {
            BlockStatus::Open if self.phase != Phase::Deciding(item.block.id) => BlockState::Queued,
            BlockStatus::Open if item.block.is_edited() => BlockState::Edited,
            BlockStatus::Open => BlockState::Waiting,
            BlockStatus::Approved => item.runs.last().map_or(BlockState::Lost, BlockState::of_run),
            BlockStatus::Rejected(_) => BlockState::Rejected,
            BlockStatus::Declined(_) => BlockState::Declined,
            BlockStatus::Skipped => BlockState::Skipped,
        }
    }
}

//! What a front end is told when [`super::Driver::next`] returns. The state is the truth; this says what happened
//! to it, for fronts that tell events on (JSON lines) and for deciding how soon to draw.

use super::job::JobResult;
use crate::domain::{Chunk, Entry, Notice, ReplyFailure, RunId, StepId};

/// One thing that happened.
#[derive(Clone, Debug)]
pub enum Notification {
    /// A durable fact was added.
    Recorded(Box<Entry>),
    /// A piece of the reply's text.
    Delta(StepId, String),
    /// A piece of the model's reasoning.
    Reasoning(StepId, String),
    /// The request will be sent again by itself.
    Retrying {
        /// Which repetition comes next.
        attempt: u32,
        /// How many there are at most.
        of: u32,
        /// Milliseconds until then.
        wait_ms: u64,
        /// What happened.
        failure: ReplyFailure,
    },
    /// A piece of a run's output.
    Output(RunId, Chunk),
    /// Something for the person.
    Notice(Notice),
    /// A job of the front end was done.
    Job(JobResult),
}

/// What happened since the last time.
#[derive(Clone, Debug, Default)]
pub struct Update {
    /// What happened, in its order.
    pub told: Vec<Notification>,
    /// Something streams: draw at the rate for streams.
    pub(crate) streaming: bool,
    /// Something happened that should be on screen at once.
    pub(crate) urgent: bool,
}

impl Update {
    pub(crate) fn is_empty(&self) -> bool {
        self.told.is_empty() && !self.streaming && !self.urgent
    }
}

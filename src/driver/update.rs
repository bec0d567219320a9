//! What [`super::Driver::next`] reports to a front end. The state is what counts; this says what changed, for front
//! ends that pass events on (JSON lines) and for deciding how soon to draw.

use super::job::JobResult;
use crate::domain::{Chunk, Entry, Notice, ReplyFailure, RunId, StepId};

/// One thing that happened.
#[derive(Clone, Debug)]
pub enum Notification {
    /// A durable fact was recorded.
    Recorded(Box<Entry>),
    /// A piece of the reply's text.
    Delta(StepId, String),
    /// A piece of the model's reasoning.
    Reasoning(StepId, String),
    /// The request will be repeated automatically.
    Retrying {
        /// The number of the coming repetition.
        attempt: u32,
        /// How many repetitions there are at most.
        of: u32,
        /// Milliseconds until the repetition.
        wait_ms: u64,
        /// Why the last try failed.
        failure: ReplyFailure,
    },
    /// A piece of a run's output.
    Output(RunId, Chunk),
    /// Something for the person.
    Notice(Notice),
    /// A job of the front end has a result.
    Job(JobResult),
}

/// What happened since the last call.
#[derive(Clone, Debug, Default)]
pub struct Update {
    /// The notifications, in order.
    pub notifications: Vec<Notification>,
    /// Something is streaming: draw at the rate for streams.
    pub(crate) streaming: bool,
    /// Something should be on the screen at once.
    pub(crate) urgent: bool,
}

impl Update {
    pub(crate) fn is_empty(&self) -> bool {
        self.notifications.is_empty() && !self.streaming && !self.urgent
    }
}

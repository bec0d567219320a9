//! Runs the pull of an image: its progress is the run's output, and stopping it drops the connection to the engine.
//! Nothing of the image is started.

use super::backend::Fetch;
use super::executor_error::ExecutorError;
use super::receipt::ExitKind;
use tokio::sync::mpsc;

/// How many pieces of output may wait. If the receiver does not keep up, some are dropped.
const CHANNEL_CAPACITY: usize = 256;

/// The time limit of a pull if no other was chosen, in milliseconds: images are large, and connections slow.
pub(super) const DEFAULT_WALL_MS: u64 = 1_800_000;

pub(super) struct Pull {
    work: Fetch,
    lines: mpsc::Receiver<String>,
}

pub(super) enum PullStep {
    /// Output that shows the progress.
    Text(String),
    /// The pull ended; the error if it failed.
    Done(Result<(), ExecutorError>),
}

impl Pull {
    /// The channel for its output.
    pub(super) fn channel() -> (mpsc::Sender<String>, mpsc::Receiver<String>) {
        mpsc::channel(CHANNEL_CAPACITY)
    }

    /// A pull. Dropping it stops it.
    pub(super) fn new(work: Fetch, lines: mpsc::Receiver<String>) -> Self {
        Self { work, lines }
    }

    /// The next event. Safe to cancel. After [`PullStep::Done`] the pull must not be used again.
    pub(super) async fn next_step(&mut self) -> PullStep {
        tokio::select! {
            biased;
            Some(text) = self.lines.recv() => PullStep::Text(text),
            done = &mut self.work => PullStep::Done(done),
        }
    }

    /// The output that was not received yet.
    pub(super) fn rest(mut self) -> Vec<String> {
        std::iter::from_fn(|| self.lines.try_recv().ok()).collect()
    }
}

/// How the run of a pull ended.
pub(super) fn ending(pulled: bool) -> ExitKind {
    ExitKind { code: Some(i32::from(!pulled)), signal: None }
}

/// How the run of a pull ended that was stopped.
pub(super) fn stopped() -> ExitKind {
    ExitKind { code: None, signal: Some(2) }
}

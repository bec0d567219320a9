//! The pull of an image as a run: its progress is what it prints, stopping it drops the connection to the engine, and
//! nothing of the image is started.

use super::backend::Fetch;
use super::executor_error::ExecutorError;
use super::receipt::ExitKind;
use tokio::sync::mpsc;

/// Pieces of what is printed that may wait; who does not keep up misses some, nothing else.
const CHANNEL_CAPACITY: usize = 256;

/// Milliseconds that a pull may take where no other limit was chosen: images are large, and lines are slow.
pub(super) const DEFAULT_WALL_MS: u64 = 1_800_000;

/// A pull that goes on.
pub(super) struct Pull {
    work: Fetch,
    lines: mpsc::Receiver<String>,
}

/// What is heard of it.
pub(super) enum PullStep {
    /// What is printed of how far it is.
    Text(String),
    /// It is over; why it failed, where it did.
    Done(Result<(), ExecutorError>),
}

impl Pull {
    /// Where what is printed goes, and where it is read.
    pub(super) fn channel() -> (mpsc::Sender<String>, mpsc::Receiver<String>) {
        mpsc::channel(CHANNEL_CAPACITY)
    }

    /// A pull; dropping it stops it.
    pub(super) fn new(work: Fetch, lines: mpsc::Receiver<String>) -> Self {
        Self { work, lines }
    }

    /// What was told and not heard yet.
    pub(super) fn rest(mut self) -> Vec<String> {
        std::iter::from_fn(|| self.lines.try_recv().ok()).collect()
    }
}

/// What is heard next of a pull; never anything where there is none. Safe to cancel; after [`PullStep::Done`] the pull has
/// to be taken away.
pub(super) async fn hear(pull: Option<&mut Pull>) -> PullStep {
    let Some(pull) = pull else { return std::future::pending().await };
    tokio::select! {
        biased;
        Some(text) = pull.lines.recv() => PullStep::Text(text),
        done = &mut pull.work => PullStep::Done(done),
    }
}

/// How its run ended.
pub(super) fn ending(pulled: bool) -> ExitKind {
    ExitKind { code: Some(i32::from(!pulled)), signal: None }
}

/// How the run of one ended that was stopped.
pub(super) fn stopped() -> ExitKind {
    ExitKind { code: None, signal: Some(2) }
}

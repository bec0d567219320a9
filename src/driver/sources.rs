//! Everything that the driver waits for: the reply, the run, tasks, the session file, the kernel.
//!
//! Pieces that are ready together are joined before the engine sees them, so that a flood costs few events.

use super::job::JobResult;
use crate::domain::sentences::sending;
use crate::domain::{Chunk, Departure, FailureKind, ReplyEvent, ReplyFailure, RunEvent, RunId, StepId};
use crate::engine::Event;
use crate::exec::Executor;
use crate::exec::KernelNotice;
use crate::store::Store;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

#[derive(Debug)]
pub(super) enum Signal {
    /// A piece of the reply.
    Reply(StepId, ReplyEvent),
    /// A piece of the run.
    Run(RunId, RunEvent),
    /// The executor of this run broke off without reporting its end.
    RunBrokeOff(RunId),
    /// What this run changed can't be told: looking for it broke off.
    ScanBrokeOff(RunId),
    /// An event from a task.
    Event(Event),
    Job(JobResult),
    /// Something was masked in the session file.
    Masked(String),
    /// The session file can't be written.
    StoreFailed(String),
    /// Something happened to a kernel while nothing ran in it.
    Kernel(KernelNotice),
}

/// How many signals of tasks, pieces of a reply, or pieces of a run's output may wait in a channel.
pub(super) const CHANNEL_CAPACITY: usize = 256;

/// The most bytes of output in one event.
const MAX_EVENT_BYTES: usize = 64 << 10;

/// The reply that is being received.
struct ReplySource {
    step: StepId,
    events: mpsc::Receiver<ReplyEvent>,
    task: AbortHandle,
    /// Whether its last event was received.
    over: bool,
}

/// The run that goes on.
struct RunSource {
    run: RunId,
    events: mpsc::Receiver<(RunId, RunEvent)>,
    /// Whether its end was received.
    over: bool,
}

impl RunSource {
    /// Waits for the next event; `None`: there are no more. Cancel-safe.
    async fn next(&mut self) -> Option<(RunId, RunEvent)> {
        let (run, event) = self.events.recv().await?;
        self.over |= matches!(event, RunEvent::Ended(_));
        Some((run, event))
    }

    /// The next event, if one is ready.
    fn ready(&mut self) -> Option<(RunId, RunEvent)> {
        let (run, event) = self.events.try_recv().ok()?;
        self.over |= matches!(event, RunEvent::Ended(_));
        Some((run, event))
    }
}

pub(super) struct Sources {
    /// The sender that tasks get: see [`Sources::inbox`].
    sender: mpsc::Sender<Signal>,
    inbox: mpsc::Receiver<Signal>,
    reply: Option<ReplySource>,
    run: Option<RunSource>,
    /// Taken out of a channel while joining, but not returned yet.
    held: Option<Signal>,
    store_failed: bool,
}

impl Sources {
    pub(super) fn new() -> Self {
        let (sender, inbox) = mpsc::channel(CHANNEL_CAPACITY);
        Self { sender, inbox, reply: None, run: None, held: None, store_failed: false }
    }

    /// A sender by which tasks report signals.
    pub(super) fn inbox(&self) -> mpsc::Sender<Signal> {
        self.sender.clone()
    }

    /// Listens to a new reply and drops an older one.
    pub(super) fn listen_reply(
        &mut self,
        step: StepId,
        events: mpsc::Receiver<ReplyEvent>,
        task: AbortHandle,
    ) {
        self.drop_reply();
        self.reply = Some(ReplySource { step, events, task, over: false });
    }

    /// Listens to a new run.
    pub(super) fn listen_run(&mut self, run: RunId, events: mpsc::Receiver<(RunId, RunEvent)>) {
        self.run = Some(RunSource { run, events, over: false });
    }

    /// Drops the current request: aborts its task, which closes the connection.
    pub(super) fn drop_reply(&mut self) {
        if let Some(reply) = self.reply.take() {
            reply.task.abort();
        }
    }

    /// The run has ended.
    pub(super) fn drop_run(&mut self) {
        self.run = None;
    }

    /// Writing works again, so a new failure will be reported.
    pub(super) fn store_recovered(&mut self) {
        self.store_failed = false;
    }

    /// Waits for the next signal. Cancel-safe.
    pub(super) async fn wait(&mut self, store: &Store, executor: &Executor) -> Signal {
        if let Some(held) = self.held.take() {
            return held;
        }
        loop {
            tokio::select! {
                biased;
                Some(signal) = self.inbox.recv() => return signal,
                event = next_reply(&mut self.reply) => match event {
                    Some((step, event)) => return self.join_reply(step, event),
                    None => {
                        if let Some(ReplySource { step, over: false, .. }) = self.reply.take() {
                            return Signal::Reply(step, broken_off());
                        }
                    }
                },
                (run, event) = next_run(&mut self.run) => return match event {
                    Some(event) => self.join_run(run, event),
                    None => Signal::RunBrokeOff(run),
                },
                why = store.failed(), if !self.store_failed => {
                    self.store_failed = true;
                    return Signal::StoreFailed(why);
                }
                what = store.masked() => return Signal::Masked(what),
                event = executor.kernel_notice() => return Signal::Kernel(event),
            }
        }
    }

    /// The next signal that is ready, without waiting.
    pub(super) fn ready(&mut self) -> Option<Signal> {
        if let Some(held) = self.held.take() {
            return Some(held);
        }
        if let Ok(signal) = self.inbox.try_recv() {
            return Some(signal);
        }
        if let Some(reply) = &mut self.reply
            && let Ok(event) = reply.events.try_recv()
        {
            let step = reply.step;
            return Some(self.join_reply(step, event));
        }
        if let Some(run) = &mut self.run
            && let Some((run, event)) = run.ready()
        {
            return Some(self.join_run(run, event));
        }
        None
    }

    /// Joins this delta with those that are ready behind it.
    fn join_reply(&mut self, step: StepId, mut event: ReplyEvent) -> Signal {
        let Some(reply) = &mut self.reply else { return Signal::Reply(step, event) };
        reply.over |= is_last(&event);
        loop {
            match (&mut event, reply.events.try_recv()) {
                (ReplyEvent::Delta(text), Ok(ReplyEvent::Delta(more)))
                | (ReplyEvent::Reasoning(text), Ok(ReplyEvent::Reasoning(more))) => {
                    text.push_str(&more);
                    if text.len() > MAX_EVENT_BYTES {
                        break;
                    }
                }
                (_, Ok(other)) => {
                    reply.over |= is_last(&other);
                    self.held = Some(Signal::Reply(step, other));
                    break;
                }
                (_, Err(_)) => break,
            }
        }
        Signal::Reply(step, event)
    }

    /// Joins this output with what is ready behind it on the same stream.
    fn join_run(&mut self, run: RunId, mut event: RunEvent) -> Signal {
        let Some(source) = &mut self.run else { return Signal::Run(run, event) };
        while let RunEvent::Output(Chunk { stream, bytes, .. }) = &mut event {
            if bytes.len() > MAX_EVENT_BYTES {
                break;
            }
            match source.ready() {
                Some((again, RunEvent::Output(more)))
                    if again == run && more.stream == *stream && more.skipped == 0 =>
                {
                    bytes.extend_from_slice(&more.bytes);
                }
                Some((again, other)) => {
                    self.held = Some(Signal::Run(again, other));
                    break;
                }
                None => break,
            }
        }
        Signal::Run(run, event)
    }
}

fn is_last(event: &ReplyEvent) -> bool {
    matches!(event, ReplyEvent::Finished(_) | ReplyEvent::Failed(_))
}

/// The failure for a request task that ended without reporting: a turn must not wait forever.
fn broken_off() -> ReplyEvent {
    ReplyEvent::Failed(ReplyFailure {
        kind: FailureKind::Cut,
        status: None,
        message: format!("The request broke off inside sayso. {}", sending::of_cut(true)),
        hint: "Ask again; the log tells more.".into(),
        departure: Departure::Unknown,
    })
}

async fn next_reply(source: &mut Option<ReplySource>) -> Option<(StepId, ReplyEvent)> {
    match source {
        Some(reply) => {
            let step = reply.step;
            reply.events.recv().await.map(|event| (step, event))
        }
        None => std::future::pending().await,
    }
}

/// The next event of the run; `None`: its executor broke off without reporting the end. A turn must not wait for that
/// forever.
async fn next_run(source: &mut Option<RunSource>) -> (RunId, Option<RunEvent>) {
    if let Some(known) = source {
        if let Some((run, event)) = known.next().await {
            return (run, Some(event));
        }
        let RunSource { run, over, .. } = *known;
        *source = None;
        if !over {
            return (run, None);
        }
    }
    std::future::pending().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Outcome, RunReport};

    const RUN: RunId = RunId(1);

    /// The run whose executor sent these events and then broke off, or ended.
    async fn after(events: Vec<RunEvent>) -> Option<RunSource> {
        let (sender, receiver) = mpsc::channel(CHANNEL_CAPACITY);
        for event in events {
            sender.send((RUN, event)).await.unwrap();
        }
        Some(RunSource { run: RUN, events: receiver, over: false })
    }

    #[tokio::test]
    async fn a_run_whose_executor_broke_off_ends() {
        let mut source = after(vec![RunEvent::Started]).await;
        assert_eq!(next_run(&mut source).await, (RUN, Some(RunEvent::Started)));
        assert_eq!(next_run(&mut source).await, (RUN, None));
        assert!(source.is_none());
    }

    #[tokio::test]
    async fn a_run_that_ended_does_not_end_again() {
        let report = Box::new(RunReport::bare(Outcome::Ok));
        let mut source = after(vec![RunEvent::Ended(report)]).await;
        let (_, end) = next_run(&mut source).await;
        assert!(matches!(end, Some(RunEvent::Ended(report)) if report.outcome == Outcome::Ok));
        let again = std::time::Duration::from_millis(50);
        assert!(tokio::time::timeout(again, next_run(&mut source)).await.is_err());
    }
}

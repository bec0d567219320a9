//! Ends the driver: its reply, its runs and its store, in this order.

use super::Driver;
use super::sources::Signal;
use crate::domain::{RunEvent, UnscannedChanges};
use crate::engine::{Command, Event};
use crate::store::StoreError;
use crate::workspace::instructions;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// How long to wait, once nothing runs any more, until it is found what the last run changed.
const SCAN_TIMEOUT: Duration = Duration::from_secs(10);

impl Driver {
    /// Ends all activity, syncs the session file and leaves no process behind. What is queued becomes the draft.
    /// Kills a running block; if its end does not come in time, it reads LOST when the session is resumed.
    ///
    /// # Errors
    /// When the end of the session could not be written and is lost.
    pub async fn close(mut self) -> Result<(), StoreError> {
        // What ends from here on begins nothing.
        self.send(Command::Leave);
        let kept = self.keep_queued();
        self.rooms.sources.drop_reply();
        // A request whose messages are still being loaded is not sent either.
        self.rooms.provider = None;
        self.stop_unstarted();
        self.rooms.executor.close().await;
        self.take_last_signals().await;
        if let Some(mark) = self.rooms.runs_lock.take() {
            let search = self.rooms.instructions.clone();
            // If this fails, the next session asks once more.
            let _ = tokio::task::spawn_blocking(move || instructions::runs_are_over(&search, mark)).await;
        }
        let closed = self.rooms.store.close().await.inspect_err(|error| {
            tracing::error!(%error, "the session file could not be closed");
        });
        closed.and(kept)
    }

    /// Stops the run if it still waits for the disk.
    fn stop_unstarted(&self) {
        if let Some(live) = &self.state().live.run {
            self.rooms.note_stop(live.run);
        }
    }

    /// Takes what still belongs in the session file, until no run goes on: a worker may still find out what the last run
    /// changed, and what waits for the disk is yet to learn that it does not start.
    async fn take_last_signals(&mut self) {
        let until = Instant::now() + SCAN_TIMEOUT;
        loop {
            while let Some(signal) = self.rooms.sources.ready() {
                self.take_last(signal);
            }
            if self.state().live.run.is_none() {
                return;
            }
            match timeout_at(until, self.rooms.wait()).await {
                Ok(signal) => self.take_last(signal),
                Err(_) => return self.end_unscanned(),
            }
        }
    }

    /// Takes a signal, unless something could start by it.
    fn take_last(&mut self, signal: Signal) {
        let starts = matches!(
            signal,
            Signal::Reply(..) | Signal::Event(Event::Inspected(..) | Event::Timer(_) | Event::RecipeReady(_))
        );
        if !starts {
            self.handle_signal(signal);
            self.stop_unstarted();
        }
    }

    /// Records the end of the run without what it changed.
    pub(super) fn end_unscanned(&mut self) {
        if let Some((run, mut report)) = self.rooms.unscanned.take() {
            report.receipt.not_looked_at = UnscannedChanges::everything();
            self.handle_run_event(run, RunEvent::Ended(report));
        }
    }
}

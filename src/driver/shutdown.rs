//! Ends the driver: its reply, its runs and its store, in this order.

use super::Driver;
use crate::store::StoreError;
use crate::workspace::instructions;
use std::sync::PoisonError;

impl Driver {
    /// Ends all activity, syncs the session file and leaves no process behind. Interrupts a running block; if that does
    /// not end in time, it reads LOST when the session is resumed.
    ///
    /// # Errors
    /// When the end of the session could not be written and is lost.
    pub async fn close(mut self) -> Result<(), StoreError> {
        self.rooms.sources.drop_reply();
        // There is no time left to scan for what an interrupted run changed: its end has to be recorded.
        self.rooms.before_run.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.rooms.executor.close().await;
        // Events that the executor sent while closing belong in the session file.
        while let Some(signal) = self.rooms.sources.ready() {
            self.handle_signal(signal);
        }
        if let Some(mark) = self.rooms.runs_lock.take() {
            let search = self.rooms.instructions.clone();
            // If this fails, the next session asks once more.
            let _ = tokio::task::spawn_blocking(move || instructions::runs_are_over(&search, mark)).await;
        }
        self.rooms.store.close().await.inspect_err(|error| {
            tracing::error!(%error, "the session file could not be closed");
        })
    }
}

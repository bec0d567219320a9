//! Undoes and redoes what runs changed, on workers, and scans again so that no later run is blamed for it.

use super::rooms::IoRooms;
use super::sources::Signal;
use crate::domain::{RunId, Sha256, UndoKind};
use crate::engine::Event;
use crate::engine::event::RestoredFile;
use crate::workspace::auto_run::AutoRunFiles;
use std::sync::{Mutex, PoisonError};

impl IoRooms {
    /// Restores auto-run names to their state before a run, as far as that is known and they are as the run left them.
    pub(super) fn undo_auto_run(&self, run: RunId) {
        let (known, auto_run) = (self.revertible_runs.clone(), self.auto_run.clone());
        self.restore(run, UndoKind::Undo, move || {
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            let at = known.iter().position(|(of, _)| *of == run);
            let changes = at.and_then(|at| known.remove(at)).map(|(_, changes)| changes);
            drop(known);
            // The scan before the next run waits for this, so that restored files do not count as its work.
            let mut scanned = auto_run.lock().unwrap_or_else(PoisonError::into_inner);
            let answer = changes.ok_or(
                "no copy is there any more: it is of an earlier start, or of many runs ago".to_owned(),
            );
            let answer = answer.map(|changes| {
                let done = changes.into_iter().map(|change| RestoredFile {
                    path: change.path.to_string_lossy().into_owned(),
                    result: change.undo().map_err(|why| why.to_string()),
                });
                done.collect()
            });
            rescan_if_scanned(&mut scanned);
            answer
        });
    }

    /// Undoes or redoes changes of a run.
    pub(super) fn undo_changes(&self, run: RunId, record: Sha256, changes: Vec<u32>, kind: UndoKind) {
        let (undo, auto_run) = (self.undo.clone(), self.auto_run.clone());
        self.restore(run, kind, move || {
            let done = undo.with(|store| store.restore(record, &changes, kind));
            let done = done.map_err(str::to_owned).and_then(|done| done.map_err(|error| error.to_string()));
            let answer = done.map(|files| {
                let done = files.into_iter().map(|file| RestoredFile {
                    path: file.path,
                    result: file.result.map_err(|why| why.to_string()),
                });
                done.collect()
            });
            // The next run is not blamed for what was restored.
            rescan_auto_run(&auto_run);
            answer
        });
    }

    /// Restores files on a worker, and tells which.
    fn restore(
        &self,
        run: RunId,
        kind: UndoKind,
        work: impl FnOnce() -> Result<Vec<RestoredFile>, String> + Send + 'static,
    ) {
        let (inbox, work) = (self.inbox(), tokio::task::spawn_blocking(work));
        tokio::spawn(async move {
            let answer = work.await.unwrap_or_else(|error| {
                tracing::error!(%error, "restoring files broke off");
                Err("it broke off inside sayso, so that some files may be restored; the log tells more"
                    .into())
            });
            let _ = inbox.send(Signal::Event(Event::Undone(run, kind, answer))).await;
        });
    }
}

/// Scans auto-run names again after sayso itself changed some, so that no run is blamed for that.
pub(super) fn rescan_auto_run(auto_run: &Mutex<AutoRunFiles>) {
    rescan_if_scanned(&mut auto_run.lock().unwrap_or_else(PoisonError::into_inner));
}

fn rescan_if_scanned(known: &mut AutoRunFiles) {
    if known.was_scanned() {
        *known = known.rescan();
    }
}

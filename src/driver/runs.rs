//! Starts approved runs once their decision is on disk, and undoes what runs did to auto-run names.

use super::rooms::Rooms;
use super::sources::{CHANNEL_CAPACITY, Signal};
use super::undo::writable_folders;
use crate::domain::sentences::running::STOPPED_BEFORE_START;
use crate::domain::{Outcome, RunEvent, RunId, RunReport, RunRequest, Sha256, UndoKind};
use crate::engine::event::RestoredFile;
use crate::engine::{Event, StoreEvent};
use crate::workspace::auto_run::AutoRunFiles;
use crate::workspace::changes;
use crate::workspace::protected::ProtectedFiles;
use std::sync::{Mutex, PoisonError};
use tokio::sync::mpsc;

impl Rooms {
    /// Starts a run. The decision has to be on disk before the program gets the code.
    pub(super) fn start_run(&mut self, request: RunRequest, protected: Vec<String>) {
        let (sender, events) = mpsc::channel(CHANNEL_CAPACITY);
        self.sources.listen_run(events);
        let (store, executor, inbox) = (self.store.clone(), self.executor.clone(), self.inbox());
        let run = request.approval().run();
        let terms = request.approval().terms();
        let (working, start) = (self.scope.cwd.clone(), terms.cwd.clone());
        let (folder, written) = (working.clone(), writable_folders(terms, &working));
        let (looked, auto_run, stop) = (self.before_run.clone(), self.auto_run.clone(), self.is_stopped(run));
        let block = (request.approval().block(), request.approval().revision());
        let outside = self.inbox();
        let seen = self.resolved_paths.lock().unwrap_or_else(PoisonError::into_inner).remove(&block);
        let (undo, approval, place) = (self.undo.clone(), request.approval().clone(), working.clone());
        tokio::spawn(async move {
            // Scanning the folder takes no extra time: the run waits for the disk anyway.
            let look = tokio::task::spawn_blocking(move || {
                let known = std::mem::take(&mut *auto_run.lock().unwrap_or_else(PoisonError::into_inner));
                let look = changes::begin(&working, &start, written, &known);
                let meanwhile = look.changed_since(&known);
                if !meanwhile.is_empty() {
                    let _ = outside.blocking_send(Signal::Event(Event::ChangedMeanwhile(meanwhile)));
                }
                let others = look.auto_run_paths();
                (look, undo.remember(&approval, &place, &others))
            });
            let (synced, looked_at) = tokio::join!(store.sync(), look);
            let (look, remembered) = match looked_at {
                Ok((look, remembered)) => (Some(look), remembered),
                Err(error) => (None, Err(error.into())),
            };
            // The approval is for where the shown paths led, so this is checked again as the last thing before the
            // start.
            let last = tokio::task::spawn_blocking(move || {
                (seen.and_then(|seen| seen.changed()), ProtectedFiles::of(&folder, protected))
            });
            let (changed, protected) =
                last.await.unwrap_or_else(|_| (Some("a path".to_owned()), ProtectedFiles::default()));
            let report = match (synced, changed, remembered) {
                // It may have been stopped while waiting for the disk.
                (Ok(()), ..) if stop() => not_started(STOPPED_BEFORE_START.into()),
                (Ok(()), Some(name), _) => {
                    let why = format!("{name} leads elsewhere than when it was shown: nothing was started");
                    RunReport::bare(Outcome::Refused(why))
                }
                (Ok(()), None, Err(why)) => RunReport::bare(Outcome::Refused(why.to_string())),
                (Ok(()), None, Ok(remembered)) => {
                    *looked.lock().unwrap_or_else(PoisonError::into_inner) =
                        Some((run, look, protected, remembered));
                    executor.start(request, sender);
                    if stop() {
                        executor.interrupt(run);
                    }
                    return;
                }
                (Err(error), ..) => {
                    let why = error.to_string();
                    let _ = inbox.send(Signal::Event(Event::Store(StoreEvent::Failed(why.clone())))).await;
                    not_started(why)
                }
            };
            let _ = sender.send((run, RunEvent::Ended(Box::new(report)))).await;
        });
    }

    /// Records that a run is to be stopped; it may not have started yet.
    pub(super) fn note_stop(&self, run: RunId) {
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner).replace(run);
    }

    /// A check whether this run was told to stop; it may still be waiting for the disk.
    pub(super) fn is_stopped(&self, run: RunId) -> impl Fn() -> bool + Send + 'static {
        let stopped = self.stopped.clone();
        move || *stopped.lock().unwrap_or_else(PoisonError::into_inner) == Some(run)
    }

    /// Restores auto-run names to their state before a run, as far as that is known and they are as the run left them.
    pub(super) fn take_back(&self, run: RunId) {
        let (inbox, known, auto_run) = (self.inbox(), self.to_take_back.clone(), self.auto_run.clone());
        tokio::task::spawn_blocking(move || {
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            let at = known.iter().position(|(of, _)| *of == run);
            let changes = at.and_then(|at| known.remove(at)).map(|(_, changes)| changes);
            drop(known);
            // The scan before the next run waits for this, so that restored files do not count as its work.
            let mut looked = auto_run.lock().unwrap_or_else(PoisonError::into_inner);
            let answer = changes.ok_or(
                "no copy is there any more: it is of an earlier start, or of many runs ago".to_owned(),
            );
            let answer = answer.map(|changes| {
                let done = changes.into_iter().map(|change| RestoredFile {
                    path: change.path.to_string_lossy().into_owned(),
                    result: change.take_back().map_err(|why| why.to_string()),
                });
                done.collect()
            });
            list_again(&mut looked);
            drop(looked);
            let _ = inbox.blocking_send(Signal::Event(Event::Undone(run, UndoKind::Undo, answer)));
        });
    }

    /// Undoes or redoes changes of a run.
    pub(super) fn undo_changes(&self, run: RunId, record: Sha256, changes: Vec<u32>, way: UndoKind) {
        let (inbox, undo, auto_run) = (self.inbox(), self.undo.clone(), self.auto_run.clone());
        tokio::task::spawn_blocking(move || {
            let done = undo.with(|store| store.put_back(record, &changes, way));
            let answer = match done {
                Ok(Ok(files)) => Ok(files
                    .into_iter()
                    .map(|file| RestoredFile {
                        path: file.path,
                        result: file.result.map_err(|why| why.to_string()),
                    })
                    .collect()),
                Ok(Err(error)) => Err(error.to_string()),
                Err(why) => Err(why.to_owned()),
            };
            // The next run is not blamed for what was restored.
            look_again(&auto_run);
            let _ = inbox.blocking_send(Signal::Event(Event::Undone(run, way, answer)));
        });
    }
}

/// Scans auto-run names again after sayso itself changed some, so that no run is blamed for that.
pub(super) fn look_again(auto_run: &Mutex<AutoRunFiles>) {
    list_again(&mut auto_run.lock().unwrap_or_else(PoisonError::into_inner));
}

fn list_again(known: &mut AutoRunFiles) {
    if known.was_scanned() {
        *known = known.rescan();
    }
}

/// The report of a run that never began.
pub(super) fn not_started(why: String) -> RunReport {
    RunReport::bare(Outcome::NotStarted(why))
}

//! Starts approved runs once their decision is on disk.

use super::links::SeenPaths;
use super::rooms::{IoRooms, StateBeforeRun};
use super::sources::{CHANNEL_CAPACITY, Signal};
use super::undo::{FolderCopies, RememberError, UndoRoom, writable_folders};
use crate::domain::sentences::running::STOPPED_BEFORE_START;
use crate::domain::{Approval, Outcome, RunControl, RunEvent, RunId, RunReport, RunRequest};
use crate::engine::{Event, StoreEvent};
use crate::store::StoreError;
use crate::workspace::auto_run::AutoRunFiles;
use crate::workspace::changes::{self, ChangeWatch};
use crate::workspace::protected_files::ProtectedFiles;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tokio::sync::mpsc;

impl IoRooms {
    /// Starts a run. The decision has to be on disk before the program gets the code.
    pub(super) fn start_run(&mut self, request: RunRequest, protected: Vec<String>) {
        let (sender, events) = mpsc::channel(CHANNEL_CAPACITY);
        let run = request.approval().run();
        self.sources.listen_run(run, events);
        let (store, executor, inbox) = (self.store.clone(), self.executor.clone(), self.inbox());
        let (working, folder) = (self.scope.cwd.clone(), self.scope.cwd.clone());
        let (before_run, auto_run, is_stopped) =
            (self.before_run.clone(), self.auto_run.clone(), self.is_stopped(run));
        let block = (request.approval().block(), request.approval().revision());
        let inbox_of_look = self.inbox();
        let seen = self.seen_paths.lock().unwrap_or_else(PoisonError::into_inner).remove(&block);
        let (undo, approval) = (self.undo.clone(), request.approval().clone());
        tokio::spawn(async move {
            // Scanning the folder takes no extra time: the run waits for the disk anyway.
            let look = move || look_before(&approval, &working, &auto_run, &undo, &inbox_of_look);
            let watch = tokio::task::spawn_blocking(look);
            let (synced, prepared) = tokio::join!(store.sync(), watch);
            let (watch, copies) = match prepared {
                Ok((watch, copies)) => (Some(watch), copies),
                Err(error) => (None, Err(error.into())),
            };
            // The approval is for where the shown paths led, so this is checked again as the last thing before the
            // start.
            let (changed, protected) = check_again(seen, folder, protected).await;
            let copies = match changed {
                Some(difference) => Err(format!("{difference}: nothing was started")),
                None => copies.map_err(|why| why.to_string()),
            };
            let report = match (synced, copies) {
                // It may have been stopped while waiting for the disk.
                (Ok(()), _) if is_stopped() => not_started(STOPPED_BEFORE_START.into()),
                (Ok(()), Err(why)) => RunReport::bare(Outcome::Refused(why)),
                (Ok(()), Ok(copies)) => {
                    *before_run.lock().unwrap_or_else(PoisonError::into_inner) =
                        Some(StateBeforeRun { run, watch, protected, copies });
                    executor.start(request, sender);
                    if is_stopped() {
                        executor.control(run, RunControl::Interrupt);
                    }
                    return;
                }
                (Err(error), _) => not_saved(&error, &inbox).await,
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
}

/// Looks at the folder right before a run and copies what the run may change; what changed since the latest run is told
/// to the engine. This accesses the disk: for a worker.
fn look_before(
    approval: &Approval,
    working: &Path,
    auto_run: &Mutex<AutoRunFiles>,
    undo: &UndoRoom,
    inbox: &mpsc::Sender<Signal>,
) -> (ChangeWatch, Result<FolderCopies, RememberError>) {
    let terms = approval.terms();
    let known = std::mem::take(&mut *auto_run.lock().unwrap_or_else(PoisonError::into_inner));
    let watch = changes::begin(working, &terms.cwd, writable_folders(terms, working), &known);
    let meanwhile = watch.changed_since(&known);
    if !meanwhile.is_empty() {
        let _ = inbox.blocking_send(Signal::Event(Event::ChangedMeanwhile(meanwhile)));
    }
    let others = watch.auto_run_paths();
    (watch, undo.remember(approval, working, &others))
}

/// Looks up again where the paths of a block lead, and hashes the protected files; returns what is otherwise than when
/// the block was shown, if anything is.
async fn check_again(
    seen: Option<SeenPaths>,
    folder: PathBuf,
    protected: Vec<String>,
) -> (Option<String>, ProtectedFiles) {
    let check = move || (seen.and_then(|seen| seen.difference()), ProtectedFiles::of(&folder, protected));
    tokio::task::spawn_blocking(check).await.unwrap_or_else(|_| {
        (Some("what the block names can't be looked up again".to_owned()), ProtectedFiles::default())
    })
}

/// Tells that the session can't be written, so that the run does not start; returns the run's report.
pub(super) async fn not_saved(error: &StoreError, inbox: &mpsc::Sender<Signal>) -> RunReport {
    let why = error.to_string();
    let _ = inbox.send(Signal::Event(Event::Store(StoreEvent::Failed(why.clone())))).await;
    not_started(why)
}

/// The report of a run that never began.
pub(super) fn not_started(why: String) -> RunReport {
    RunReport::bare(Outcome::NotStarted(why))
}

//! Finds out what a run changed, before its end is passed to the engine.

use super::rooms::{RevertibleRuns, StateBeforeRun};
use super::undo::UndoRoom;
use super::written_pictures;
use crate::domain::{Language, RunReport};
use crate::review::{self, Scope};
use crate::workspace::auto_run::AutoRunFiles;
use crate::workspace::held_path::Folder;
use crate::workspace::{FileError, contents};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// How many runs' changes to auto-run names are kept for undo.
const MAX_RUNS: usize = 20;

/// A search for what a run changed.
pub(super) struct ChangeSearch {
    pub(super) before: StateBeforeRun,
    /// The language and the text that ran, if it was code.
    pub(super) code: Option<(Language, Arc<str>)>,
    pub(super) undo: Arc<UndoRoom>,
    pub(super) auto_run: Arc<Mutex<AutoRunFiles>>,
    pub(super) revertible_runs: Arc<Mutex<RevertibleRuns>>,
    pub(super) working: Result<Arc<Folder>, FileError>,
    pub(super) blobs: PathBuf,
    pub(super) scope: Scope,
}

impl ChangeSearch {
    /// Adds to the run's report what it changed. This accesses the disk: for a worker.
    pub(super) fn complete(self, report: &mut RunReport) {
        let StateBeforeRun { run, watch, protected, copies } = self.before;
        report.receipt.protected = protected.afterwards();
        let changes = watch.map(|watch| watch.changes());
        let auto_run_paths = changes.as_ref().map(|changes| changes.auto_run.paths()).unwrap_or_default();
        report.receipt.undo = self.undo.record(copies, &auto_run_paths);
        let Some(mut changes) = changes else { return };
        if let Ok(working) = &self.working {
            let (plots, others) =
                written_pictures::keep(run, &changes.files, self.code.as_ref(), working, &self.blobs);
            report.images.extend(plots);
            report.pictures = others;
            let is_secret = |path: &Path| review::is_secret(&path.to_string_lossy(), &self.scope);
            contents::hash(&mut changes.files, working, &is_secret);
        }
        report.receipt.files = changes.files;
        report.receipt.not_looked_at = changes.gaps;
        *self.auto_run.lock().unwrap_or_else(PoisonError::into_inner) = changes.auto_run;
        if !changes.revertible.is_empty() {
            let mut runs = self.revertible_runs.lock().unwrap_or_else(PoisonError::into_inner);
            runs.push_back((run, changes.revertible));
            let over = runs.len().saturating_sub(MAX_RUNS);
            runs.drain(..over);
        }
    }
}

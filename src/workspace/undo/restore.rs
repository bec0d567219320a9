//! Takes changes of a record back, or makes them again: each only if the file is still as it was left, through
//! folders that are held open, completely or not at all. What is replaced or removed is stored as a copy first, so
//! nothing is lost if the work is interrupted.

mod folder_rights;
mod placement;

use super::index::Index;
use super::objects::Objects;
use super::opener::Opener;
use super::present_state::{is_halfway, is_kept};
use super::put_back_journal::RestoreNotes;
use super::record::{FileState, PathChange, Record};
use super::snapshot::state_of;
use crate::domain::UndoKind;
use crate::text::system_error::words;
use crate::workspace::FileError;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// The most files that are written before the first of them gets its name; each is held open meanwhile.
const BATCH_FILES: usize = 256;

pub(super) struct Restoration<'a> {
    pub(super) objects: &'a Objects,
    pub(super) index: &'a mut Index,
    /// Notes on the work in progress, for cleaning up if this process is interrupted.
    pub(super) unfinished: RestoreNotes,
    pub(super) record: &'a Record,
    pub(super) kind: UndoKind,
    /// The most bytes of a file that is copied before it is replaced or removed.
    pub(super) most: u64,
    /// Whether such a copy was made.
    pub(super) kept: bool,
}

/// A change to carry out: its number in the record, and the present state of its path.
type Todo<'r> = (usize, &'r PathChange, FileState);

impl Restoration<'_> {
    fn from_and_to<'c>(&self, change: &'c PathChange) -> (&'c FileState, &'c FileState) {
        match self.kind {
            UndoKind::Undo => (&change.after, &change.before),
            UndoKind::Redo => (&change.before, &change.after),
        }
    }

    /// Carries out these changes, and returns the result of each.
    pub(super) fn apply(&mut self, wanted: &BTreeSet<usize>) -> BTreeMap<usize, Result<(), FileError>> {
        let (mut done, mut todo) = (BTreeMap::new(), Vec::new());
        let record = self.record;
        let mut opener = Opener::default();
        for at in wanted {
            let Some(change) = record.changes.get(*at) else { continue };
            match self.check(change, &mut opener) {
                Ok(now) if self.is_done(change, &now) => drop(done.insert(*at, Ok(()))),
                Ok(now) => todo.push((*at, change, now)),
                Err(error) => drop(done.insert(*at, Err(error))),
            }
        }
        let refused: BTreeSet<usize> = done.iter().filter(|(_, r)| r.is_err()).map(|(at, _)| *at).collect();
        if self.kept {
            // The copies of what is replaced must be on the disk first.
            self.objects.sync();
        }
        let writable = self.open_folders(&todo);
        let mut results: Vec<(usize, Result<(), FileError>)> = Vec::new();
        let (folders, others): (Vec<Todo<'_>>, Vec<Todo<'_>>) =
            todo.into_iter().partition(|(_, change, _)| self.from_and_to(change).1.is_folder());
        for (at, change, now) in folders.iter().chain(&others).rev() {
            let to = self.from_and_to(change).1;
            if *now != FileState::Nothing && is_another_kind(now, to) {
                if now.is_folder() && *to != FileState::Nothing {
                    self.remove_new_folders_in(*at, wanted, &refused);
                }
                results.push((*at, self.remove(&change.path, now)));
            }
        }
        for (at, change, now) in &folders {
            if !now.is_folder() {
                results.push((*at, Self::make_folder(&change.path)));
            }
        }
        let failed: BTreeSet<usize> = results.iter().filter(|(_, r)| r.is_err()).map(|(at, _)| *at).collect();
        let writes: Vec<&Todo<'_>> = others
            .iter()
            .filter(|(at, change, _)| {
                *self.from_and_to(change).1 != FileState::Nothing && !failed.contains(at)
            })
            .collect();
        for chunk in writes.chunks(BATCH_FILES) {
            results.extend(self.write(chunk));
        }
        results.extend(self.restore_folders(wanted, &refused, &writable));
        let mut failed: BTreeMap<usize, FileError> =
            results.into_iter().filter_map(|(at, result)| Some((at, result.err()?))).collect();
        for (at, change, _) in folders.iter().chain(&others) {
            let is_left = self.from_and_to(change).1.is_folder() && !change.path.is_dir();
            let error = failed.remove(at).or(is_left.then_some(FileError::ChangedSince));
            done.insert(*at, error.map_or(Ok(()), Err));
        }
        // Folders that needed nothing else than their rights.
        done.extend(failed.into_iter().map(|(at, error)| (at, Err(error))));
        done
    }

    fn is_done(&self, change: &PathChange, now: &FileState) -> bool {
        let (from, to) = self.from_and_to(change);
        to.is_met_rather_than(from, now)
    }

    /// The present state of the path, if it is the expected one. Also copies what would be lost.
    fn check(&mut self, change: &PathChange, opener: &mut Opener) -> Result<FileState, FileError> {
        let (from, to) = self.from_and_to(change);
        let now = state_of(&change.path, opener.node(&change.path).as_ref(), opener, self.index);
        if to.is_met_rather_than(from, &now) {
            return Ok(now);
        }
        if !from.is_met_by(&now) && now != FileState::Nothing && !is_halfway(&now, change) {
            return Err(FileError::ChangedSince);
        }
        let is_kept = is_kept(self.objects, to);
        if !is_kept || matches!(from, FileState::Unkept { .. }) {
            let was = self.kind == UndoKind::Undo && matches!(to, FileState::File { .. }) && !is_kept;
            return Err(if was { FileError::Dropped } else { FileError::NoCopy });
        }
        // The present content is stored before it is replaced. A stored copy only counts if its hash is right, not
        // just its size.
        if let FileState::File { sha256, bytes, .. } = &now
            && !self.objects.holds(*sha256, *bytes)
        {
            let failed = |error: io::Error| FileError::NotKept(words(&error));
            let file = opener.open(&change.path).map_err(failed)?;
            let (kept, _) = self.objects.put_file(&file, self.most).map_err(failed)?;
            if kept != *sha256 {
                return Err(FileError::ChangedSince);
            }
            self.kept = true;
        }
        Ok(now)
    }
}

/// Whether the present thing must be removed before the other can be created. A file is replaced by a file in one
/// step.
fn is_another_kind(now: &FileState, to: &FileState) -> bool {
    !matches!(
        (now, to),
        (FileState::File { .. }, FileState::File { .. })
            | (FileState::Folder { .. }, FileState::Folder { .. })
    )
}

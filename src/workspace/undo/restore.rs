//! Takes changes of a record back, or makes them again: each only if the file is still as it was left, through
//! folders that are held open, completely or not at all. What is replaced or removed is stored as a copy first, so
//! nothing is lost if the work is interrupted.

use super::index::Index;
use super::objects::{Objects, sync};
use super::opener::Opener;
use super::put_back_journal::{KnownFile, RestoreNotes, TornWrite, open_to_write};
use super::record::{FileState, PathChange, Record};
use super::snapshot::state_of;
use crate::domain::{Sha256, UndoKind, UndoState};
use crate::workspace::FileError;
use crate::workspace::held_path::{HeldPath, folder_in, open_in};
use crate::workspace::staging::{Staging, own_name};
use rustix::fs::{
    AtFlags, Mode, RenameFlags, mkdirat, readlinkat, renameat_with, statat, symlinkat, unlinkat,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// The most files that are written before the first of them gets its name; each is held open meanwhile.
const BATCH_FILES: usize = 256;
/// Up to this many files are synced one by one; more are synced together.
const MAX_SINGLE_SYNCS: usize = 4;

/// Whether a state can be restored.
fn is_kept(objects: &Objects, state: &FileState) -> bool {
    match state {
        FileState::File { sha256, bytes, .. } => objects.has_and_touch(*sha256, *bytes),
        FileState::Unkept { .. } => false,
        FileState::Nothing | FileState::Folder { .. } | FileState::Link { .. } => true,
    }
}

/// Whether a change can be applied from one state to the other, as far as the copies are concerned.
fn can_become(objects: &Objects, from: &FileState, to: &FileState) -> bool {
    !matches!(from, FileState::Unkept { .. }) && is_kept(objects, to)
}

/// The present state of a change of this record.
pub(super) fn standing(
    change: &PathChange,
    record: &Record,
    objects: &Objects,
    index: &mut Index,
    opener: &mut Opener,
) -> UndoState {
    // What the run itself put in place of a folder, or took away for one, gives way when that is taken back or made
    // again.
    if let Some(obstacle) = opener.obstacle(&change.path) {
        let change = record.change_of(obstacle);
        if !change.is_some_and(|change| standing_at(change, objects, index, opener).can_any()) {
            return UndoState::FolderReplaced;
        }
    }
    standing_at(change, objects, index, opener)
}

/// The present state of a change, by what is at its path.
fn standing_at(change: &PathChange, objects: &Objects, index: &mut Index, opener: &mut Opener) -> UndoState {
    let now = state_of(&change.path, opener.node(&change.path).as_ref(), opener, index);
    let PathChange { before, after, .. } = change;
    let can_undo = || can_become(objects, after, before);
    let can_redo = || can_become(objects, before, after);
    if now == *after {
        return if can_undo() { UndoState::Done } else { why_not_back(before, objects) };
    }
    if now == *before {
        return if can_redo() { UndoState::TakenBack } else { UndoState::TakenBackForGood };
    }
    let is_nothing = now == FileState::Nothing;
    if !is_nothing && !is_halfway(&now, change) {
        return UndoState::ChangedSince;
    }
    match (can_undo(), can_redo()) {
        (false, false) => why_not_back(before, objects),
        (back, again) if is_nothing => UndoState::DeletedSince { back, again },
        (back, again) => UndoState::Unfinished { back, again },
    }
}

/// Why the state before the run can't be restored.
fn why_not_back(before: &FileState, objects: &Objects) -> UndoState {
    match before {
        // It was copied once, and the copy was dropped.
        FileState::File { .. } if !is_kept(objects, before) => UndoState::Dropped,
        _ => UndoState::NoCopy,
    }
}

/// The mode of a folder until its content is restored.
const UNFINISHED_FOLDER_MODE: u32 = 0o700;

/// Whether this is a folder that was created here and did not get its mode yet, because the work was interrupted.
fn is_halfway(now: &FileState, change: &PathChange) -> bool {
    *now == FileState::Folder { mode: UNFINISHED_FOLDER_MODE }
        && (change.before.is_folder() || change.after.is_folder())
}

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
                Ok(now) if now == *self.from_and_to(change).1 => drop(done.insert(*at, Ok(()))),
                Ok(now) => todo.push((*at, change, now)),
                Err(error) => drop(done.insert(*at, Err(error))),
            }
        }
        if self.kept {
            // The copies of what is replaced must be on the disk first.
            self.objects.sync();
        }
        let mut results: Vec<(usize, Result<(), FileError>)> = Vec::new();
        let (folders, others): (Vec<Todo<'_>>, Vec<Todo<'_>>) =
            todo.into_iter().partition(|(_, change, _)| self.from_and_to(change).1.is_folder());
        for (at, change, now) in folders.iter().chain(&others).rev() {
            if *now != FileState::Nothing && is_another_kind(now, self.from_and_to(change).1) {
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
        self.restore_folders(wanted);
        let mut failed: BTreeMap<usize, FileError> =
            results.into_iter().filter_map(|(at, result)| Some((at, result.err()?))).collect();
        for (at, change, _) in folders.iter().chain(&others) {
            let is_left = self.from_and_to(change).1.is_folder() && !change.path.is_dir();
            let error = failed.remove(at).or(is_left.then_some(FileError::ChangedSince));
            done.insert(*at, error.map_or(Ok(()), Err));
        }
        done
    }

    /// The present state of the path, if it is the expected one. Also copies what would be lost.
    fn check(&mut self, change: &PathChange, opener: &mut Opener) -> Result<FileState, FileError> {
        let (from, to) = self.from_and_to(change);
        let now = state_of(&change.path, opener.node(&change.path).as_ref(), opener, self.index);
        if now == *to {
            return Ok(now);
        }
        if now != *from && now != FileState::Nothing && !is_halfway(&now, change) {
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
            let failed = |error: io::Error| FileError::NotKept(error.to_string());
            let file = opener.open(&change.path).map_err(failed)?;
            let (kept, _) = self.objects.put_file(&file, self.most).map_err(failed)?;
            if kept != *sha256 {
                return Err(FileError::ChangedSince);
            }
            self.kept = true;
        }
        Ok(now)
    }

    fn make_folder(path: &Path) -> Result<(), FileError> {
        let folder = folder_for(path)?;
        let name = path.file_name().ok_or_else(|| FileError::io(path, &io::ErrorKind::NotFound.into()))?;
        match mkdirat(&folder, name, Mode::from_raw_mode(UNFINISHED_FOLDER_MODE)) {
            Ok(()) => Ok(()),
            Err(_) if folder_in(&folder, name).is_ok() => Ok(()),
            Err(errno) => Err(FileError::io(path, &errno.into())),
        }
    }

    /// Writes files and links. All files are written completely before the first of them gets its name, and are on
    /// the disk before they replace anything.
    fn write(&self, chunk: &[&Todo<'_>]) -> Vec<(usize, Result<(), FileError>)> {
        let mut folders = BTreeMap::new();
        for (_, change, _) in chunk {
            let parent = change.path.parent().unwrap_or(&change.path);
            folders.entry(parent).or_insert_with(|| folder_for(&change.path));
        }
        let folder = |change: &PathChange| match folders.get(change.path.parent().unwrap_or(&change.path)) {
            Some(Ok(folder)) => Ok(folder),
            Some(Err(error)) => Err(error.clone()),
            None => Err(FileError::Changed(change.path.clone())),
        };
        let staged = chunk.iter().map(|(_, change, now)| match self.from_and_to(change).1 {
            FileState::File { sha256, mode, .. } => {
                let replaces = matches!(now, FileState::File { .. });
                let (folder, sync) = (folder(change)?, replaces && chunk.len() <= MAX_SINGLE_SYNCS);
                if replaces && has_other_names(folder, &change.path) {
                    return Ok(None);
                }
                let staging = self.stage(folder, &change.path, *sha256, *mode, sync);
                staging.map(Some).map_err(|error| FileError::io(&change.path, &error))
            }
            _ => Ok(None),
        });
        let staged: Vec<Result<Option<Staging<'_>>, FileError>> = staged.collect();
        let replaced = chunk.iter().find(|(_, _, now)| matches!(now, FileState::File { .. }));
        if let Some((_, change, _)) = replaced.filter(|_| chunk.len() > MAX_SINGLE_SYNCS) {
            sync(change.path.parent().unwrap_or(&change.path));
        }
        let named = chunk.iter().zip(staged).map(|((at, change, now), staging)| {
            let result = staging.and_then(|staging| self.commit(change, now, folder(change)?, staging));
            (*at, result)
        });
        named.collect()
    }

    fn stage<'f>(
        &self,
        folder: &'f File,
        path: &Path,
        sha256: Sha256,
        mode: u32,
        sync: bool,
    ) -> io::Result<Staging<'f>> {
        let own = own_name();
        self.unfinished.note_create(path, &own)?;
        let mut staging = Staging::under(folder, own.clone(), Mode::from_raw_mode(0o600))?;
        self.unfinished.note_created(path, &own, staging.file())?;
        self.objects.copy_to(sha256, staging.file())?;
        staging.file().set_permissions(Permissions::from_mode(mode & 0o777))?;
        if sync {
            staging.file().sync_all()?;
        }
        Ok(staging)
    }

    fn commit(
        &self,
        change: &PathChange,
        now: &FileState,
        folder: &File,
        staging: Option<Staging<'_>>,
    ) -> Result<(), FileError> {
        let failed = |error: io::Error| unless_free(&change.path, &error);
        let name = change.path.file_name().ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
        match (self.from_and_to(change).1, staging, now) {
            (FileState::File { .. }, Some(mut staging), FileState::File { sha256, .. }) => {
                let is_known = |file: File| hash_of(file).is_some_and(|found| found == *sha256);
                let is_replaced = staging.replace(name, is_known).map_err(failed)?;
                if is_replaced { Ok(()) } else { Err(FileError::ChangedSince) }
            }
            (FileState::File { sha256: to, mode, .. }, None, FileState::File { sha256: from, .. }) => {
                self.write_into(&change.path, folder, (*from, *to, *mode))
            }
            (FileState::File { .. }, Some(mut staging), _) => staging.take_free(name).map_err(failed),
            (FileState::Link { to }, ..) => symlinkat(to, folder, name).map_err(|errno| failed(errno.into())),
            _ => Ok(()),
        }
    }

    /// Writes into a file that has several names, so that they remain names of one file. The new content may already
    /// be there, written under another of its names.
    fn write_into(
        &self,
        path: &Path,
        folder: &File,
        (from, to, mode): (Sha256, Sha256, u32),
    ) -> Result<(), FileError> {
        let failed = |error: io::Error| unless_free(path, &error);
        let name = path.file_name().ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
        let file = open_in(folder, name).map_err(failed)?;
        let found = file.try_clone().ok().and_then(hash_of);
        if found == Some(to) {
            return file.set_permissions(Permissions::from_mode(mode & 0o777)).map_err(failed);
        }
        if found != Some(from) {
            return Err(FileError::ChangedSince);
        }
        let old = self.objects.get(from, self.most).map_err(failed)?;
        let new = self.objects.get(to, self.most).map_err(failed)?;
        let before = file.metadata().map_err(failed)?.permissions();
        let was = KnownFile { sha256: from, mode: before.mode() };
        let becomes = KnownFile { sha256: to, mode };
        let note = self.unfinished.note_overwrite(path, &file, (was, becomes)).map_err(failed)?;
        let opened = file
            .set_permissions(Permissions::from_mode(was.open_mode()))
            .and_then(|()| open_to_write(folder, name, &file));
        let written =
            opened.map_err(TornWrite::from).and_then(|into| self.unfinished.write_into(&into, (&old, &new)));
        let mode = if written.is_ok() { Permissions::from_mode(mode & 0o777) } else { before };
        let has_mode = file.set_permissions(mode);
        if written.as_ref().map_or_else(|failure| !failure.is_torn, |()| true) {
            self.unfinished.is_whole(note);
        }
        written.map_err(|failure| failed(failure.error))?;
        has_mode.map_err(failed)
    }

    /// Removes what is at the path, if it is what is `known`. A file is renamed first, so that it can't change under
    /// its old name while it is checked.
    fn remove(&self, path: &Path, known: &FileState) -> Result<(), FileError> {
        let failed = |error: io::Error| FileError::io(path, &error);
        let mut opener = Opener::default();
        let folder = opener.folder(path).map_err(failed)?;
        let name = path.file_name().ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
        match known {
            FileState::File { sha256, .. } => {
                let aside = own_name();
                self.unfinished.note_move(path, &aside);
                let rename = |from: &OsStr, to: &OsStr| {
                    renameat_with(folder, from, folder, to, RenameFlags::NOREPLACE).map_err(io::Error::from)
                };
                rename(name, OsStr::new(&aside)).map_err(failed)?;
                let is_known = open_in(folder, OsStr::new(&aside)).ok().and_then(hash_of) == Some(*sha256);
                if !is_known {
                    rename(OsStr::new(&aside), name).map_err(failed)?;
                    return Err(FileError::ChangedSince);
                }
                unlinkat(folder, aside.as_str(), AtFlags::empty()).map_err(|errno| failed(errno.into()))
            }
            FileState::Link { to } => {
                let now = readlinkat(folder, name, Vec::new()).map_err(|_| FileError::ChangedSince)?;
                if now.as_bytes() != to.as_os_str().as_bytes() {
                    return Err(FileError::ChangedSince);
                }
                unlinkat(folder, name, AtFlags::empty()).map_err(|errno| failed(errno.into()))
            }
            FileState::Folder { .. } => match unlinkat(folder, name, AtFlags::REMOVEDIR) {
                Ok(()) => Ok(()),
                Err(rustix::io::Errno::NOTEMPTY | rustix::io::Errno::EXIST) => Err(FileError::NotEmpty),
                Err(errno) => Err(failed(errno.into())),
            },
            FileState::Nothing => Ok(()),
            FileState::Unkept { .. } => Err(FileError::NoCopy),
        }
    }

    /// Gives restored folders their modes, and removes folders that are empty now and did not exist before.
    fn restore_folders(&self, wanted: &BTreeSet<usize>) {
        let touched: BTreeSet<&Path> = wanted
            .iter()
            .filter_map(|at| self.record.changes.get(*at))
            .map(|change| change.path.as_path())
            .collect();
        let is_above = |folder: &Path| {
            let from = touched.range(folder..).next();
            from.is_some_and(|path| path.starts_with(folder))
        };
        // The deepest folders first: after its mode is restored, a folder may not be writable any more.
        for (at, change) in self.record.changes.iter().enumerate().rev() {
            let (from, to) = self.from_and_to(change);
            if !(from.is_folder() || to.is_folder()) || !is_above(&change.path) {
                continue;
            }
            let mut opener = Opener::default();
            let (Ok(parent), Some(name)) = (opener.folder(&change.path), change.path.file_name()) else {
                continue;
            };
            match to {
                FileState::Nothing => {
                    let _ = unlinkat(parent, name, AtFlags::REMOVEDIR);
                }
                FileState::Folder { mode } if !from.is_folder() || wanted.contains(&at) => {
                    if let Ok(folder) = folder_in(parent, name) {
                        let _ = folder.set_permissions(Permissions::from_mode(mode & 0o777));
                    }
                }
                _ => {}
            }
        }
    }
}

/// The parent folder of a path; missing folders are created. Fails if a link leads there.
fn folder_for(path: &Path) -> Result<File, FileError> {
    let place = HeldPath::find(path)?;
    if place.path() != path {
        return Err(FileError::FolderReplaced);
    }
    place.make_folders()
}

/// Why a file did not get its name: something has the name by now, or the system refused.
fn unless_free(path: &Path, error: &io::Error) -> FileError {
    match error.kind() {
        io::ErrorKind::AlreadyExists => FileError::ChangedSince,
        _ => FileError::io(path, error),
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

/// Whether the file at this path has other names, too.
fn has_other_names(folder: &File, path: &Path) -> bool {
    let info = path.file_name().and_then(|name| statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok());
    info.is_some_and(|info| info.st_nlink > 1)
}

fn hash_of(mut file: File) -> Option<Sha256> {
    let (sha256, _) = super::objects::hash(&mut file, u64::MAX, |_| Ok(())).ok()?;
    Some(sha256)
}

//! Puts files, links and folders at their paths and removes what is there, each through a folder that is held open
//! and only if it is what is expected.

use super::{Restoration, Todo};
use crate::domain::Sha256;
use crate::workspace::FileError;
use crate::workspace::access::Access;
use crate::workspace::held_path::{HeldPath, folder_in, open_in};
use crate::workspace::staging::{Staging, own_name};
use crate::workspace::undo::objects::{hash, sync};
use crate::workspace::undo::opener::Opener;
use crate::workspace::undo::present_state::UNFINISHED_FOLDER_MODE;
use crate::workspace::undo::put_back_journal::{KnownFile, TornWrite, open_to_write};
use crate::workspace::undo::record::{FileState, PathChange};
use rustix::fs::{
    AtFlags, Mode, RenameFlags, mkdirat, readlinkat, renameat_with, statat, symlinkat, unlinkat,
};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Up to this many files are synced one by one; more are synced together.
const MAX_SINGLE_SYNCS: usize = 4;

impl Restoration<'_> {
    pub(super) fn make_folder(path: &Path) -> Result<(), FileError> {
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
    pub(super) fn write(&self, chunk: &[&Todo<'_>]) -> Vec<(usize, Result<(), FileError>)> {
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
            FileState::File { sha256, access, .. } => {
                let replaces = matches!(now, FileState::File { .. });
                let (folder, sync) = (folder(change)?, replaces && chunk.len() <= MAX_SINGLE_SYNCS);
                if replaces && has_other_names(folder, &change.path) {
                    return Ok(None);
                }
                let staging = self.stage(folder, &change.path, (*sha256, *access), sync);
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
        (sha256, access): (Sha256, Access),
        sync: bool,
    ) -> io::Result<Staging<'f>> {
        let own = own_name();
        self.unfinished.note_create(path, &own)?;
        let mut staging = Staging::under(folder, own.clone(), Mode::from_raw_mode(0o600))?;
        self.unfinished.note_created(path, &own, staging.file())?;
        self.objects.copy_to(sha256, staging.file())?;
        access.give(staging.file())?;
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
            (FileState::File { sha256: to, access, .. }, None, FileState::File { sha256: from, .. }) => {
                self.write_into(&change.path, folder, (*from, *to, *access))
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
        (from, to, access): (Sha256, Sha256, Access),
    ) -> Result<(), FileError> {
        let failed = |error: io::Error| unless_free(path, &error);
        let name = path.file_name().ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
        let file = open_in(folder, name).map_err(failed)?;
        let found = file.try_clone().ok().and_then(hash_of);
        if found == Some(to) {
            return access.give_back(&file).map_err(failed);
        }
        if found != Some(from) {
            return Err(FileError::ChangedSince);
        }
        let old = self.objects.get(from, self.most).map_err(failed)?;
        let new = self.objects.get(to, self.most).map_err(failed)?;
        let before = file.metadata().map_err(failed)?.permissions();
        let was = KnownFile { sha256: from, mode: before.mode() };
        let becomes = KnownFile { sha256: to, mode: access.mode_on(&file).map_err(failed)? };
        let note = self.unfinished.note_overwrite(path, &file, (was, becomes)).map_err(failed)?;
        let opened = file
            .set_permissions(Permissions::from_mode(was.open_mode(&becomes)))
            .and_then(|()| open_to_write(folder, name, &file));
        let written =
            opened.map_err(TornWrite::from).and_then(|into| self.unfinished.write_into(&into, (&old, &new)));
        let has_mode = if written.is_ok() { access.give_back(&file) } else { file.set_permissions(before) };
        if written.as_ref().map_or_else(|failure| !failure.is_torn, |()| true) {
            self.unfinished.is_whole(note);
        }
        written.map_err(|failure| failed(failure.error))?;
        has_mode.map_err(failed)
    }

    /// Removes what is at the path, if it is what is `known`. A file is renamed first, so that it can't change under
    /// its old name while it is checked.
    pub(super) fn remove(&self, path: &Path, known: &FileState) -> Result<(), FileError> {
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

/// Whether the file at this path has other names, too.
fn has_other_names(folder: &File, path: &Path) -> bool {
    let info = path.file_name().and_then(|name| statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok());
    info.is_some_and(|info| info.st_nlink > 1)
}

fn hash_of(mut file: File) -> Option<Sha256> {
    let (sha256, _) = hash(&mut file, u64::MAX, |_| Ok(())).ok()?;
    Some(sha256)
}

//! Opens folders to their owner while what is in them is restored, gives them their rights afterwards, and removes
//! those that did not exist before.

use super::{Restoration, Todo};
use crate::workspace::FileError;
use crate::workspace::access::Access;
use crate::workspace::held_path::{folder_in, step_in};
use crate::workspace::stamp::is_gone;
use crate::workspace::undo::opener::{Node, Opener, node_in};
use crate::workspace::undo::present_state::{is_halfway, opened_mode};
use crate::workspace::undo::record::FileState;
use rustix::fs::{AtFlags, unlinkat};
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

/// The rights of the owner without which nothing can be made or removed in a folder.
const OWNER_WRITES: u32 = 0o300;

/// Folders that the owner may write while the work is in progress: by their numbers in the record, the modes that they
/// had.
pub(super) type WritableFolders = BTreeMap<usize, u32>;

impl Restoration<'_> {
    /// Gives the owner all rights on those folders of the record in which something is to be done but the owner may
    /// make and remove nothing, if they are as before or after the run.
    pub(super) fn open_folders(&self, todo: &[Todo<'_>]) -> WritableFolders {
        let touched: BTreeSet<&Path> = todo.iter().map(|(_, change, _)| change.path.as_path()).collect();
        let has_below = |folder: &Path| {
            let below = touched.range(folder..).find(|path| **path != folder);
            below.is_some_and(|path| path.starts_with(folder))
        };
        let mut writable = WritableFolders::new();
        // The topmost folders first: without the right to enter them, those in them can't be found.
        for (at, change) in self.record.changes.iter().enumerate() {
            if !(change.before.is_folder() || change.after.is_folder()) || !has_below(&change.path) {
                continue;
            }
            let mut opener = Opener::default();
            let Some(Node::Folder(access)) = opener.node(&change.path) else { continue };
            let now = FileState::Folder { access };
            let is_known = change.before.is_met_by(&now) || change.after.is_met_by(&now);
            if access.mode & OWNER_WRITES == OWNER_WRITES || !is_known {
                continue;
            }
            if let (Ok(parent), Some(name)) = (opener.folder(&change.path), change.path.file_name())
                && let Ok(mode) = open_to_owner(parent, name)
            {
                writable.insert(at, mode);
            }
        }
        writable
    }

    /// Removes the folders in the one of this change that did not exist before, if they are empty now and something in
    /// them was to be restored: a folder that gives way to a file or a link has to be empty itself.
    pub(super) fn remove_new_folders_in(
        &self,
        at: usize,
        wanted: &BTreeSet<usize>,
        refused: &BTreeSet<usize>,
    ) {
        let changes = &self.record.changes;
        let Some(folder) = changes.get(at) else { return };
        let behind = changes.iter().enumerate().skip(at + 1);
        let below: Vec<_> = behind.take_while(|(_, change)| change.path.starts_with(&folder.path)).collect();
        // The deepest folders first.
        for (at, change) in below.into_iter().rev() {
            let (from, to) = self.from_and_to(change);
            let next = wanted.range(at..).next().and_then(|at| changes.get(*at));
            let is_above = next.is_some_and(|next| next.path.starts_with(&change.path));
            if !from.is_folder() || *to != FileState::Nothing || !is_above || refused.contains(&at) {
                continue;
            }
            let mut opener = Opener::default();
            if let (Ok(parent), Some(name)) = (opener.folder(&change.path), change.path.file_name()) {
                // One that is not empty stays, and is the reason that is told for the folder it is in.
                let _ = unlinkat(parent, name, AtFlags::REMOVEDIR);
            }
        }
    }

    /// Gives restored folders their rights, except those that are `refused`, and removes folders that are empty now
    /// and did not exist before. The others of the `writable` ones get the modes that they had. Returns which did not
    /// get their rights, and why.
    pub(super) fn restore_folders(
        &self,
        wanted: &BTreeSet<usize>,
        refused: &BTreeSet<usize>,
        writable: &WritableFolders,
    ) -> Vec<(usize, Result<(), FileError>)> {
        let touched: BTreeSet<&Path> = wanted
            .iter()
            .filter_map(|at| self.record.changes.get(*at))
            .map(|change| change.path.as_path())
            .collect();
        let is_above = |folder: &Path| {
            let from = touched.range(folder..).next();
            from.is_some_and(|path| path.starts_with(folder))
        };
        let mut failed = Vec::new();
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
            let is_new = !from.is_folder();
            // What somebody made there meanwhile keeps its rights.
            let is_own = || {
                let now = node_in(parent, name);
                matches!(now, Some(Node::Folder(access)) if is_halfway(&FileState::Folder { access }, change))
            };
            let gets_rights = || if is_new { is_own() } else { wanted.contains(&at) };
            let is_done = match to {
                FileState::Nothing if !refused.contains(&at) => {
                    unlinkat(parent, name, AtFlags::REMOVEDIR).is_ok()
                }
                FileState::Folder { access } if !refused.contains(&at) && gets_rights() => {
                    let given = give(*access, is_new, (parent, name));
                    let is_given = given.is_ok();
                    // That there is no folder is told for another reason.
                    if let Err(error) = given
                        && !is_gone(&error)
                    {
                        failed.push((at, Err(FileError::io(&change.path, &error))));
                    }
                    is_given
                }
                _ => false,
            };
            if let Some(mode) = writable.get(&at).filter(|_| !is_done) {
                let _ = step_in(parent, name).map(|folder| set_mode(&folder, *mode));
            }
        }
        failed
    }
}

/// Gives these rights to a folder. If its owner may not open it, the owner gets that right first.
fn give(access: Access, is_new: bool, (parent, name): (&File, &OsStr)) -> io::Result<()> {
    let give = |folder: &File| if is_new { access.give(folder) } else { access.give_back(folder) };
    match folder_in(parent, name) {
        Err(Errno::ACCESS) => {
            let mode = open_to_owner(parent, name)?;
            let given = folder_in(parent, name).map_err(io::Error::from).and_then(|folder| give(&folder));
            if given.is_err() {
                let _ = step_in(parent, name).map(|folder| set_mode(&folder, mode));
            }
            given
        }
        Err(errno) => Err(errno.into()),
        Ok(folder) => give(&folder),
    }
}

/// Gives the owner all rights on a folder and returns the mode that it had. A link is not followed.
fn open_to_owner(parent: &File, name: &OsStr) -> io::Result<u32> {
    let folder = step_in(parent, name)?;
    let mode = folder.metadata()?.mode() & 0o7777;
    set_mode(&folder, opened_mode(mode))?;
    Ok(mode)
}

/// Sets the mode of a folder by a handle from `step_in`. On Linux, that needs no right on the folder, but the system
/// takes only its path.
fn set_mode(folder: &File, mode: u32) -> io::Result<()> {
    let mode = Permissions::from_mode(mode);
    if cfg!(target_os = "linux") {
        std::fs::set_permissions(Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()), mode)
    } else {
        folder.set_permissions(mode)
    }
}

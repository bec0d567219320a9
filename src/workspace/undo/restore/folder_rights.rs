//! Gives folders their rights after what is in them was restored, also where the owner may not open them, and removes
//! folders that did not exist before.

use super::Restoration;
use crate::workspace::FileError;
use crate::workspace::access::Access;
use crate::workspace::held_path::{folder_in, step_in};
use crate::workspace::undo::opener::Opener;
use crate::workspace::undo::record::FileState;
use rustix::fs::{AtFlags, unlinkat};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

/// All rights of the owner.
const OWNER: u32 = 0o700;

impl Restoration<'_> {
    /// Gives restored folders their rights, except those that are `refused`, and removes folders that are empty now
    /// and did not exist before. Returns which did not get their rights, and why.
    pub(super) fn restore_folders(
        &self,
        wanted: &BTreeSet<usize>,
        refused: &BTreeSet<usize>,
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
            match to {
                FileState::Nothing => {
                    let _ = unlinkat(parent, name, AtFlags::REMOVEDIR);
                }
                FileState::Folder { access }
                    if (is_new || wanted.contains(&at)) && !refused.contains(&at) =>
                {
                    let given = give(*access, is_new, (parent, name));
                    if let Err(error) = given
                        && !is_no_folder(&error)
                    {
                        failed.push((at, Err(FileError::io(&change.path, &error))));
                    }
                }
                _ => {}
            }
        }
        failed
    }
}

/// Whether there is no folder that could be given rights, which is told for another reason.
fn is_no_folder(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
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
    set_mode(&folder, mode | OWNER)?;
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

//! Finds where a path leads by walking it folder by folder, each opened relative to its parent, and holds the last
//! existing folder open. The path that is shown is the one that the system reports for that folder, and files are
//! read and written through it. So swapping a folder for a link or for another folder redirects nothing.
//!
//! Links are read and walked by this code, never by the system, so no newer kernel feature is needed. The only change
//! that this module makes is to create the folders that an approved file needs.

mod walk;

use super::FileError;
use crate::domain::FolderId;
use rustix::fs::{FileType, Mode, OFlags, mkdirat, openat};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use walk::PathWalk;

/// Flags for opening a folder only to walk on from it, which needs no right to read it.
#[cfg(target_os = "linux")]
const STEP_FLAGS: OFlags = OFlags::PATH.union(FOLDER_FLAGS);
#[cfg(not(target_os = "linux"))]
const STEP_FLAGS: OFlags = FOLDER_FLAGS;
const FOLDER_FLAGS: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// Opening a pipe in the place of a file must not block.
const FILE_FLAGS: OFlags =
    OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// A folder that is held open.
#[derive(Debug)]
pub(crate) struct Folder {
    file: File,
    path: PathBuf,
    id: FolderId,
}

impl Folder {
    /// Walks to a folder and holds it open.
    ///
    /// # Errors
    /// When there is nothing or a file at the path, or it changes during the walk.
    pub(crate) fn find(path: &Path) -> Result<Self, FileError> {
        let place = HeldPath::find(path)?;
        match (place.name, place.found) {
            (None, _) => Ok(place.folder),
            (_, None) => Err(FileError::io(path, &Errno::NOENT.into())),
            _ => Err(FileError::io(path, &Errno::NOTDIR.into())),
        }
    }

    fn hold(file: File, walked: PathBuf) -> Result<Self, FileError> {
        let info = file.metadata().map_err(|error| FileError::io(&walked, &error))?;
        let path = name_of(&file).unwrap_or(walked);
        let folder = Self { file, id: id_of(&info), path };
        if folder.is_in_place() { Ok(folder) } else { Err(FileError::Unsteady(folder.path)) }
    }

    /// The folder's path, as it was when it was found.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Distinguishes the folder from every other one for as long as it is held open.
    pub(crate) fn id(&self) -> FolderId {
        self.id
    }

    /// Whether the folder is still where it was found: not moved, removed or replaced.
    pub(crate) fn is_in_place(&self) -> bool {
        name_of(&self.file).is_none_or(|now| now == self.path)
            && std::fs::metadata(&self.path).is_ok_and(|info| id_of(&info) == self.id)
    }

    /// The folder's present path, if the system reports it.
    pub(crate) fn current_path(&self) -> Option<PathBuf> {
        name_of(&self.file)
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }
}

/// Whether both are the same file, possibly under different names.
pub(super) fn is_same_file(one: &File, other: &File) -> io::Result<bool> {
    Ok(id_of(&one.metadata()?) == id_of(&other.metadata()?))
}

fn id_of(info: &Metadata) -> FolderId {
    FolderId { device: info.dev(), inode: info.ino() }
}

/// The path that the system reports for an open folder.
#[cfg(target_os = "linux")]
fn name_of(folder: &File) -> Option<PathBuf> {
    use std::os::fd::AsRawFd as _;
    std::fs::read_link(format!("/proc/self/fd/{}", folder.as_raw_fd())).ok()
}

#[cfg(target_os = "macos")]
fn name_of(folder: &File) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    let name = rustix::fs::getpath(folder).ok()?;
    Some(PathBuf::from(OsString::from_vec(name.into_bytes())))
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn name_of(_: &File) -> Option<PathBuf> {
    None
}

/// What a name refers to; links are not followed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NameFacts {
    /// A file, pipe or device; never a link.
    pub(crate) kind: FileType,
    pub(crate) bytes: u64,
    /// The permission bits.
    pub(crate) mode: Mode,
}

/// Where a path leads: an existing folder, and the names that the path adds below it.
#[derive(Debug)]
pub(crate) struct HeldPath {
    folder: Folder,
    /// Folders below it that do not exist yet.
    missing: Vec<OsString>,
    /// The name of the file in the last folder; `None` if the path means the folder itself.
    name: Option<OsString>,
    found: Option<NameFacts>,
}

impl HeldPath {
    /// Walks an absolute path to its end.
    ///
    /// # Errors
    /// When it leads nowhere (too many links, `..` behind a folder that does not exist, a file in the middle), or
    /// changes during the walk.
    pub(crate) fn find(named: &Path) -> Result<Self, FileError> {
        PathWalk::begin(named)?.to_end()
    }

    pub(crate) fn path(&self) -> PathBuf {
        let mut path = self.folder.path.clone();
        path.extend(self.missing.iter().chain(&self.name));
        path
    }

    /// The folder that is held open: the nearest one that exists.
    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The name in the last folder; `None` if the path means the folder itself.
    pub(crate) fn name(&self) -> Option<&OsStr> {
        self.name.as_deref()
    }

    /// How many folders of the path do not exist.
    pub(crate) fn missing(&self) -> u32 {
        u32::try_from(self.missing.len()).unwrap_or(u32::MAX)
    }

    /// What existed under the name during the walk; `None` for nothing or a folder.
    pub(crate) fn found(&self) -> Option<&NameFacts> {
        self.found.as_ref()
    }

    /// Opens the regular file of the path for reading.
    ///
    /// # Errors
    /// When it does not exist, is a link by now, or is not a regular file.
    pub(crate) fn open(&self) -> Result<File, FileError> {
        let failed = |error: io::Error| FileError::io(&self.path(), &error);
        let name = self.name.as_deref().ok_or_else(|| failed(Errno::ISDIR.into()))?;
        if !self.missing.is_empty() {
            return Err(failed(Errno::NOENT.into()));
        }
        let file = open_in(&self.folder.file, name).map_err(|error| match Errno::from_io_error(&error) {
            Some(Errno::LOOP) => FileError::Changed(self.path()),
            _ => failed(error),
        })?;
        match file.metadata() {
            Ok(info) if info.is_file() => Ok(file),
            Ok(_) => Err(FileError::Io(self.path(), "not a plain file".into())),
            Err(error) => Err(failed(error)),
        }
    }

    /// Opens the folder of the path for listing it.
    ///
    /// # Errors
    /// When the path means a file or nothing, or the folder can't be read.
    pub(crate) fn open_folder(&self) -> Result<File, FileError> {
        let failed = |errno: Errno| FileError::io(&self.path(), &errno.into());
        match (&self.name, &self.found) {
            (None, _) => folder_in(&self.folder.file, OsStr::new(".")).map_err(failed),
            (Some(_), None) => Err(failed(Errno::NOENT)),
            (Some(_), Some(_)) => Err(failed(Errno::NOTDIR)),
        }
    }

    /// Creates the missing folders for this account only, because nobody knows who might enter them before; each
    /// relative to its parent. Opens the last one.
    ///
    /// # Errors
    /// When one of them exists by now, or the system refuses.
    pub(super) fn make_folders(&self) -> Result<File, FileError> {
        self.make_folders_with(&mut BTreeSet::new(), Mode::RWXU)
    }

    /// Like `make_folders`, but with this mode, and accepts the folders in `made`, which were created just now for
    /// another file.
    pub(super) fn make_folders_with(
        &self,
        made: &mut BTreeSet<PathBuf>,
        mode: Mode,
    ) -> Result<File, FileError> {
        let mut path = self.folder.path.clone();
        let mut folder =
            step_in(&self.folder.file, OsStr::new(".")).map_err(|e| FileError::io(&path, &e.into()))?;
        for name in &self.missing {
            path.push(name);
            let changed = |errno: Errno| match errno {
                Errno::EXIST | Errno::LOOP | Errno::NOTDIR | Errno::NOENT => FileError::Changed(path.clone()),
                errno => FileError::io(&path, &errno.into()),
            };
            if made.insert(path.clone()) {
                mkdirat(&folder, name, mode).map_err(changed)?;
            }
            folder = step_in(&folder, name).map_err(changed)?;
        }
        Ok(folder)
    }
}

/// Opens a folder in a folder only to walk on from it. A link is not followed.
pub(super) fn step_in(folder: &File, name: &OsStr) -> Result<File, Errno> {
    openat(folder, name, STEP_FLAGS, Mode::empty()).map(File::from)
}

/// Opens a folder in a folder for listing it. A link is not followed.
pub(super) fn folder_in(folder: &File, name: &OsStr) -> Result<File, Errno> {
    openat(folder, name, OFlags::RDONLY | FOLDER_FLAGS, Mode::empty()).map(File::from)
}

/// Opens what a name refers to, for reading. A link is not followed.
pub(super) fn open_in(folder: &File, name: &OsStr) -> io::Result<File> {
    Ok(File::from(openat(folder, name, OFlags::RDONLY | FILE_FLAGS, Mode::empty())?))
}

#[cfg(test)]
mod tests;

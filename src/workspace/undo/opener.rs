//! Examines and opens paths through their parent folder, which is held open and must have exactly this path. No link
//! is followed.

use super::index::FileKey;
use crate::workspace::access::Access;
use crate::workspace::held_path::{Folder, open_in};
use rustix::fs::{AtFlags, FileType, readlinkat, statat};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

/// What a name refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// A folder, with its rights.
    Folder(Access),
    /// A file, with its key and its rights.
    File(FileKey, Access),
    /// A link, with its target.
    Link(PathBuf),
    /// A pipe or a device.
    Other,
}

/// What a name refers to now; `None` if nothing exists, or it can't be examined.
pub(super) fn node_in(folder: &File, name: &OsStr) -> Option<Node> {
    let info = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    let access = || Access::of_entry(folder, name, &info);
    Some(match FileType::from_raw_mode(info.st_mode) {
        FileType::Directory => Node::Folder(access()),
        FileType::RegularFile => Node::File(FileKey::of_stat(&info), access()),
        FileType::Symlink => {
            let to = readlinkat(folder, name, Vec::new()).ok()?;
            Node::Link(PathBuf::from(OsString::from_vec(to.into_bytes())))
        }
        _ => Node::Other,
    })
}

/// Opens files by their paths, through their folders. The last folder stays open for the next file.
#[derive(Default)]
pub(super) struct Opener {
    folder: Option<Folder>,
}

impl Opener {
    /// The parent folder of this path, if no link leads to it.
    pub(super) fn folder(&mut self, path: &Path) -> io::Result<&File> {
        let parent = path.parent().ok_or(io::ErrorKind::NotFound)?;
        if self.folder.as_ref().is_none_or(|folder| folder.path() != parent) {
            let found = Folder::find(parent).map_err(io::Error::other)?;
            if found.path() != parent {
                return Err(io::Error::other("a link leads there"));
            }
            self.folder = Some(found);
        }
        self.folder.as_ref().map(Folder::file).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    pub(super) fn open(&mut self, path: &Path) -> io::Result<File> {
        let name = path.file_name().ok_or(io::ErrorKind::NotFound)?;
        let file = open_in(self.folder(path)?, name)?;
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }

    /// The topmost thing above this path that is no folder, usually a link; `None` if there is none.
    pub(super) fn obstacle<'p>(&mut self, path: &'p Path) -> Option<&'p Path> {
        if self.folder(path).is_ok() {
            return None;
        }
        let folders: Vec<&Path> = path.ancestors().skip(1).collect();
        let mut downwards = folders.into_iter().rev();
        downwards.find(|folder| std::fs::symlink_metadata(folder).is_ok_and(|info| !info.is_dir()))
    }

    pub(super) fn node(&mut self, path: &Path) -> Option<Node> {
        node_in(self.folder(path).ok()?, path.file_name()?)
    }
}

//! Walks along a path, folder by folder. A link is read, and its target is walked in its place.

use super::{FileError, Folder, HeldPath, NameFacts, STEP_FLAGS, step_in};
use rustix::fs::{AtFlags, FileType, Mode, readlinkat, statat};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};

/// The most links that are walked, like in the kernel.
const MAX_LINKS: usize = 40;

pub(super) struct PathWalk<'p> {
    named: &'p Path,
    rest: VecDeque<OsString>,
    links: usize,
    folder: File,
    /// The path walked so far, for systems that don't report the path of an open folder.
    path: PathBuf,
    missing: Vec<OsString>,
    name: Option<OsString>,
    found: Option<NameFacts>,
}

impl<'p> PathWalk<'p> {
    pub(super) fn begin(named: &'p Path) -> Result<Self, FileError> {
        let failed = |errno: Errno| FileError::io(named, &errno.into());
        Ok(Self {
            named,
            rest: parts(named).collect(),
            links: 0,
            folder: root().map_err(failed)?,
            path: PathBuf::from("/"),
            missing: Vec::new(),
            name: None,
            found: None,
        })
    }

    fn failed(&self, errno: Errno) -> FileError {
        match errno {
            // It was not a link when it was checked a moment ago.
            Errno::LOOP => FileError::Unsteady(self.named.to_owned()),
            errno => FileError::io(self.named, &errno.into()),
        }
    }

    fn step(&mut self, part: OsString) -> Result<(), FileError> {
        match Path::new(&part).components().next() {
            Some(Component::RootDir) => {
                self.folder = root().map_err(|errno| self.failed(errno))?;
                self.path = PathBuf::from("/");
            }
            Some(Component::ParentDir) if !self.missing.is_empty() => {
                return Err(FileError::BehindNothing(self.named.to_owned()));
            }
            Some(Component::ParentDir) if self.found.is_some() => return Err(self.failed(Errno::NOTDIR)),
            Some(Component::ParentDir) => {
                self.folder = step_in(&self.folder, OsStr::new("..")).map_err(|errno| self.failed(errno))?;
                self.path.pop();
            }
            Some(Component::Normal(_)) if !self.missing.is_empty() => self.missing.push(part),
            Some(Component::Normal(_)) => self.enter(part)?,
            _ => {}
        }
        Ok(())
    }

    fn enter(&mut self, part: OsString) -> Result<(), FileError> {
        if self.found.is_some() {
            return Err(self.failed(Errno::NOTDIR));
        }
        let info = match statat(&self.folder, &part, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(info) => info,
            Err(Errno::NOENT) => {
                self.missing.push(part);
                return Ok(());
            }
            Err(errno) => return Err(self.failed(errno)),
        };
        match FileType::from_raw_mode(info.st_mode) {
            FileType::Symlink => self.link(&part)?,
            FileType::Directory => {
                self.folder = step_in(&self.folder, &part).map_err(|errno| self.failed(errno))?;
                self.path.push(part);
            }
            kind => {
                self.found = Some(NameFacts {
                    kind,
                    bytes: u64::try_from(info.st_size).unwrap_or_default(),
                    mode: Mode::from_raw_mode(info.st_mode),
                });
                self.name = Some(part);
            }
        }
        Ok(())
    }

    /// Puts the target of a link in front of the rest of the path.
    fn link(&mut self, part: &OsStr) -> Result<(), FileError> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(FileError::TooManyLinks(self.named.to_owned()));
        }
        let to = readlinkat(&self.folder, part, Vec::new()).map_err(|errno| self.failed(errno))?;
        let to = PathBuf::from(OsString::from_vec(to.into_bytes()));
        for part in parts(&to).rev() {
            self.rest.push_front(part);
        }
        Ok(())
    }

    pub(super) fn to_end(mut self) -> Result<HeldPath, FileError> {
        while let Some(part) = self.rest.pop_front() {
            self.step(part)?;
        }
        let name = self.name.or_else(|| self.missing.pop());
        let folder = Folder::hold(self.folder, self.path)?;
        Ok(HeldPath { folder, missing: self.missing, name, found: self.found })
    }
}

fn root() -> Result<File, Errno> {
    rustix::fs::open("/", STEP_FLAGS, Mode::empty()).map(File::from)
}

fn parts(path: &Path) -> impl DoubleEndedIterator<Item = OsString> + '_ {
    path.components().map(|part| part.as_os_str().to_owned())
}

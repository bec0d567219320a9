//! What taking back has under way in the person's folders, noted beside the copies before it is there: files under names of
//! sayso's own, and files that are written into because they have several names. A process that is ended in the middle
//! leaves its notes, unlocked; the next one that looks at changes, or takes some back, clears what they tell of.
//!
//! A name alone proves nothing: what is removed is the very file that was made, or one whose content is among the copies.

mod clear;
#[cfg(test)]
mod tests;

pub(super) use clear::clear;

use super::index::FileKey;
use super::objects::plain_file;
use crate::domain::Sha256;
use crate::workspace::place::is_same_file;
use rustix::fs::{FallocateFlags, FlockOperation, Mode, OFlags, fallocate, flock, openat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::ffi::OsStr;
use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// What a file holds that is written into, and its mode.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct KnownFile {
    pub(super) sha256: Sha256,
    pub(super) mode: u32,
}

impl KnownFile {
    /// Its mode while it is written into.
    pub(super) fn open_mode(&self) -> u32 {
        self.mode & 0o777 | 0o600
    }
}

/// Something that is under way.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Step {
    /// The file that is meant.
    #[serde(with = "crate::domain::serial::path")]
    path: PathBuf,
    /// The name of sayso's own beside it; empty: it is written into.
    own: String,
    /// The file of that name, or the one that is written into, once it is known.
    file: Option<(u64, u64)>,
    /// How one that is written into was, and how it is going to be.
    contents: Option<(KnownFile, KnownFile)>,
}

/// The notes of this process. Dropped, they are gone: all is done.
#[derive(Debug)]
pub(super) struct PutBackNotes {
    notes: File,
    at: PathBuf,
    /// Where the next one goes: behind what was written to its end.
    end: Cell<u64>,
    /// Whether something stays to be cleared.
    stays: Cell<bool>,
}

impl PutBackNotes {
    /// Begins notes of this process, locked as long as it lives.
    pub(super) fn begin(folder: &Path) -> io::Result<Self> {
        Self::begin_with(folder, |notes| flock(notes, FlockOperation::NonBlockingLockExclusive))
    }

    fn begin_with(folder: &Path, lock: impl Fn(&File) -> Result<(), Errno>) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        loop {
            let at = folder.join(uuid::Uuid::now_v7().simple().to_string());
            let notes = plain_file(&at, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL)?;
            match lock(&notes) {
                Ok(()) if notes.metadata()?.nlink() > 0 => {
                    return Ok(Self { notes, at, end: Cell::new(0), stays: Cell::new(false) });
                }
                // Who clears found it before it was locked, and removes it.
                Ok(()) | Err(Errno::WOULDBLOCK) => {}
                // Where nothing can be locked, who clears could not know that this process lives.
                Err(errno) => {
                    std::fs::remove_file(&at).ok();
                    return Err(errno.into());
                }
            }
        }
    }

    fn note(&self, step: &Step) -> io::Result<()> {
        let mut line = serde_json::to_vec(step)?;
        line.push(b'\n');
        self.notes.write_all_at(&line, self.end.get())?;
        self.end.set(self.end.get() + line.len() as u64);
        Ok(())
    }

    /// A file is going to be made under this name beside the one that is meant.
    pub(super) fn makes(&self, path: &Path, own: &str) -> io::Result<()> {
        self.note(&Step { path: path.to_owned(), own: own.to_owned(), file: None, contents: None })
    }

    /// It was made, and is this one.
    pub(super) fn made(&self, path: &Path, own: &str, file: &File) -> io::Result<()> {
        let file = Some(FileKey::of(&file.metadata()?).node());
        self.note(&Step { path: path.to_owned(), own: own.to_owned(), file, contents: None })
    }

    /// The file that is meant is going to have this name for a moment, until it is removed. Where there is no room for the
    /// note it goes without: removing is what makes room, and only a kill in just this moment would leave it under this name.
    pub(super) fn moves(&self, path: &Path, own: &str) {
        let step = Step { path: path.to_owned(), own: own.to_owned(), file: Some((0, 0)), contents: None };
        let _ = self.note(&step);
    }

    /// A file that has other names, too, is going to get a mode in which it can be written into, and to be written into.
    pub(super) fn writes_into(
        &self,
        path: &Path,
        file: &File,
        contents: (KnownFile, KnownFile),
    ) -> io::Result<()> {
        let (file, contents) = (Some(FileKey::of(&file.metadata()?).node()), Some(contents));
        self.note(&Step { path: path.to_owned(), own: String::new(), file, contents })
    }

    /// Writes into it, so that its names stay names of one file. What it held is put back where that fails.
    pub(super) fn write_into(&self, file: &File, (old, new): (&[u8], &[u8])) -> io::Result<()> {
        // It has its room before the first byte of it goes; where a file system can't, it is tried.
        if new.len() > old.len() {
            let room = fallocate(file, FallocateFlags::KEEP_SIZE, 0, new.len() as u64);
            if let Err(errno @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) = room {
                return Err(errno.into());
            }
        }
        overwrite(file, new).inspect_err(|_| {
            if overwrite(file, old).is_err() {
                self.stays.set(true);
            }
        })
    }
}

#[cfg(test)]
impl PutBackNotes {
    /// Notes that can't be written, as where there is no room.
    pub(super) fn without_room() -> Self {
        let notes = File::open("/dev/null").unwrap();
        Self { notes, at: PathBuf::new(), end: Cell::new(0), stays: Cell::new(true) }
    }
}

impl Drop for PutBackNotes {
    fn drop(&mut self) {
        if !self.stays.get() {
            std::fs::remove_file(&self.at).ok();
        }
    }
}

/// Opens a file to be written into, if it is still this one.
pub(super) fn open_to_write(folder: &File, name: &OsStr, known: &File) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(openat(folder, name, flags, Mode::empty())?);
    if is_same_file(&file, known)? { Ok(file) } else { Err(io::ErrorKind::AlreadyExists.into()) }
}

fn overwrite(file: &File, bytes: &[u8]) -> io::Result<()> {
    file.write_all_at(bytes, 0)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}

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

/// Where one note stands among those of its process.
#[derive(Clone, Copy, Debug)]
pub(super) struct NotePlace {
    at: u64,
    bytes: u64,
}

impl NotePlace {
    /// Takes it out where it stands: that needs no room, which a further note would on a full disk.
    fn blank(self, notes: &File) {
        // It stays one line.
        let mut blanks = vec![b' '; usize::try_from(self.bytes).unwrap_or_default()];
        if let Some(last) = blanks.last_mut() {
            *last = b'\n';
        }
        let _ = notes.write_all_at(&blanks, self.at);
    }
}

/// Why a file could not be written into.
#[derive(Debug)]
pub(super) struct WriteFailure {
    pub(super) error: io::Error,
    /// Whether some of it is new and the rest old: what it held could not be put back.
    pub(super) is_torn: bool,
}

impl From<io::Error> for WriteFailure {
    fn from(error: io::Error) -> Self {
        Self { error, is_torn: false }
    }
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
    /// Gives the place of the note, for [`Self::is_whole`].
    pub(super) fn writes_into(
        &self,
        path: &Path,
        file: &File,
        contents: (KnownFile, KnownFile),
    ) -> io::Result<NotePlace> {
        let (file, contents) = (Some(FileKey::of(&file.metadata()?).node()), Some(contents));
        let at = self.end.get();
        self.note(&Step { path: path.to_owned(), own: String::new(), file, contents })?;
        Ok(NotePlace { at, bytes: self.end.get() - at })
    }

    /// It is whole: what somebody writes into it from now on is nobody's to put right, so the note of it goes.
    pub(super) fn is_whole(&self, note: NotePlace) {
        note.blank(&self.notes);
    }

    /// Writes into it, so that its names stay names of one file. What it held is put back where that fails.
    pub(super) fn write_into(&self, file: &File, (old, new): (&[u8], &[u8])) -> Result<(), WriteFailure> {
        // It has its room before the first byte of it goes; where a file system can't, it is tried.
        if new.len() > old.len() {
            let room = fallocate(file, FallocateFlags::KEEP_SIZE, 0, new.len() as u64);
            if let Err(errno @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) = room {
                return Err(io::Error::from(errno).into());
            }
        }
        overwrite(file, new).map_err(|error| {
            let is_torn = overwrite(file, old).is_err();
            self.stays.set(self.stays.get() || is_torn);
            WriteFailure { error, is_torn }
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

    /// Notes that stay when they are dropped, as those of a process that is killed.
    pub(super) fn of_killed(folder: &Path) -> Self {
        let notes = Self::begin(folder).unwrap();
        notes.stays.set(true);
        notes
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

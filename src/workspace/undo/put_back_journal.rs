//! Notes on a put-back in progress, written beside the copies before it creates anything in the person's folders:
//! temporary files, and files that are written into because they have several names. A process that is interrupted
//! leaves its notes, unlocked; the next process that lists changes or takes some back cleans up what they describe.
//!
//! A name alone proves nothing: only the very file that was created is removed, or one whose content is among the
//! copies.

mod clear;
#[cfg(test)]
mod tests;

pub(super) use clear::clear;

use super::index::FileKey;
use super::objects::plain_file;
use crate::domain::Sha256;
use crate::workspace::held_path::is_same_file;
use rustix::fs::{FallocateFlags, FlockOperation, Mode, OFlags, fallocate, flock, openat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::ffi::OsStr;
use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// The content and the mode of a file that is written into.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct KnownFile {
    pub(super) sha256: Sha256,
    pub(super) mode: u32,
}

impl KnownFile {
    /// The mode while it is written into and may have either content: who may not read both of them may read neither.
    pub(super) fn open_mode(&self, other: &Self) -> u32 {
        self.mode & other.mode & 0o777 | 0o600
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Step {
    /// The file that the step is for.
    #[serde(with = "crate::domain::serial::path")]
    path: PathBuf,
    /// The temporary name beside it; empty if the file itself is written into.
    own: String,
    /// Device and inode of the temporary file, or of the file that is written into, once they are known.
    file: Option<(u64, u64)>,
    /// For a file that is written into: its state before and after.
    contents: Option<(KnownFile, KnownFile)>,
}

/// The position of one note in the file of notes.
#[derive(Clone, Copy, Debug)]
pub(super) struct NotePlace {
    at: u64,
    bytes: u64,
}

impl NotePlace {
    /// Blanks the note where it is. A further note would need room, which a full disk does not have.
    fn blank(self, notes: &File) {
        // The newline is kept, so that the note stays one line.
        let mut blanks = vec![b' '; usize::try_from(self.bytes).unwrap_or_default()];
        if let Some(last) = blanks.last_mut() {
            *last = b'\n';
        }
        let _ = notes.write_all_at(&blanks, self.at);
    }
}

#[derive(Debug)]
pub(super) struct TornWrite {
    pub(super) error: io::Error,
    /// Whether the file is left partly new and partly old, because the old content could not be restored.
    pub(super) is_torn: bool,
}

impl From<io::Error> for TornWrite {
    fn from(error: io::Error) -> Self {
        Self { error, is_torn: false }
    }
}

/// The notes of this process. Dropping them deletes their file, because all is done by then.
#[derive(Debug)]
pub(super) struct RestoreNotes {
    notes: File,
    at: PathBuf,
    /// The position for the next note: the end of the last one that was written completely.
    end: Cell<u64>,
    /// Whether the notes must stay, because something has to be cleaned up.
    stays: Cell<bool>,
}

impl RestoreNotes {
    /// Begins notes of this process, which are locked for as long as it lives.
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
                // A process that is cleaning up found the file before it was locked, and removes it.
                Ok(()) | Err(Errno::WOULDBLOCK) => {}
                // Without locks, a process that cleans up could not know that this one is alive.
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

    /// Notes that a temporary file is about to be created under this name.
    pub(super) fn note_create(&self, path: &Path, own: &str) -> io::Result<()> {
        self.note(&Step { path: path.to_owned(), own: own.to_owned(), file: None, contents: None })
    }

    /// Notes that it was created, and which file it is.
    pub(super) fn note_created(&self, path: &Path, own: &str, file: &File) -> io::Result<()> {
        let file = Some(FileKey::of(file)?.node());
        self.note(&Step { path: path.to_owned(), own: own.to_owned(), file, contents: None })
    }

    /// Notes that the file is about to get this temporary name, until it is removed. If there is no room for the
    /// note, it is skipped: the removal frees room, and only a kill in this very moment would leave the file under
    /// the temporary name.
    pub(super) fn note_move(&self, path: &Path, own: &str) {
        let step = Step { path: path.to_owned(), own: own.to_owned(), file: Some((0, 0)), contents: None };
        let _ = self.note(&step);
    }

    /// Notes that a file with several names is about to get a writable mode and to be written into. Returns the
    /// position of the note, for [`Self::is_whole`].
    pub(super) fn note_overwrite(
        &self,
        path: &Path,
        file: &File,
        contents: (KnownFile, KnownFile),
    ) -> io::Result<NotePlace> {
        let (file, contents) = (Some(FileKey::of(file)?.node()), Some(contents));
        let at = self.end.get();
        self.note(&Step { path: path.to_owned(), own: String::new(), file, contents })?;
        Ok(NotePlace { at, bytes: self.end.get() - at })
    }

    /// Removes the note, because the file is complete: what somebody writes into it from now on must not be undone.
    pub(super) fn is_whole(&self, note: NotePlace) {
        note.blank(&self.notes);
    }

    /// Writes into the file, so that its names stay names of one file. If that fails, the old content is restored.
    pub(super) fn write_into(&self, file: &File, (old, new): (&[u8], &[u8])) -> Result<(), TornWrite> {
        // The space is allocated before the first byte is overwritten. If the file system does not support that, the
        // write is tried.
        if new.len() > old.len() {
            let room = fallocate(file, FallocateFlags::KEEP_SIZE, 0, new.len() as u64);
            if let Err(errno @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) = room {
                return Err(io::Error::from(errno).into());
            }
        }
        overwrite(file, new).map_err(|error| {
            let is_torn = overwrite(file, old).is_err();
            self.stays.set(self.stays.get() || is_torn);
            TornWrite { error, is_torn }
        })
    }
}

#[cfg(test)]
impl RestoreNotes {
    /// Notes that can't be written, as if there were no room.
    pub(super) fn without_room() -> Self {
        let notes = File::open("/dev/null").unwrap();
        Self { notes, at: PathBuf::new(), end: Cell::new(0), stays: Cell::new(true) }
    }

    /// Notes that stay when they are dropped, like those of a process that is killed.
    pub(super) fn of_killed(folder: &Path) -> Self {
        let notes = Self::begin(folder).unwrap();
        notes.stays.set(true);
        notes
    }
}

impl Drop for RestoreNotes {
    fn drop(&mut self) {
        if !self.stays.get() {
            std::fs::remove_file(&self.at).ok();
        }
    }
}

/// Opens a file for writing, if the name still refers to this file.
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

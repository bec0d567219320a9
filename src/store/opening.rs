//! Begins sessions: new ones, resumed ones, ones that are only read, and ones that are not stored.

use super::lines::LineIndex;
use super::news::MaskReports;
use super::writer::Writer;
use super::{
    Entries, LoadedSession, ReadProgress, Scratch, Seal, SessionPaths, Store, StoreError, StoreInner,
    WriteStatus, disk, file_stem, reader, redact,
};
use crate::domain::Header;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock, mpsc};
use tokio::sync::watch;

impl Store {
    /// A new session in this folder. Its file is created with the first entry that is worth keeping: a prompt, or any
    /// other entry except names, models, instructions and the like. The header becomes its first line. An
    /// `Entry::Header` that is appended before that replaces `header`; later ones are ignored.
    pub fn create(folder: &Path, header: Header) -> Store {
        Self::create_at(&folder.join(format!("{}.jsonl", file_stem(&header.id.0))), header)
    }

    /// Like `create`, in this file.
    pub fn create_at(path: &Path, header: Header) -> Store {
        Self::create_in(SessionPaths::of(path.to_owned()), header)
    }

    /// Like `create_at`, in this place. The caller gives a file that is [in the making](SessionPaths::in_the_making)
    /// its name when it is complete.
    pub(super) fn create_in(place: SessionPaths, header: Header) -> Store {
        Self::start(place, LineIndex::default(), |writer| writer.lazy(header))
    }

    /// A session that is not stored, because the person wants none: entries are dropped. Its large outputs and images
    /// are in [`Scratch`] until it ends.
    pub(crate) fn forgetting(scratch: &Scratch) -> Store {
        let place = SessionPaths::of(scratch.session().to_owned());
        Self::start(place, LineIndex::default(), Writer::forgetting)
    }

    /// Opens a session to continue it: locks it, reads it, and cuts off an incomplete last line.
    ///
    /// # Errors
    /// When another process writes to it, when it is of a newer version (it stays untouched), when it is no session,
    /// or can't be read or written.
    pub fn open(path: &Path) -> Result<(Store, LoadedSession), StoreError> {
        Self::open_with(path, None)
    }

    /// Like `open`, and also finds out whether this installation wrote all of it. New entries are sealed.
    pub fn open_with(path: &Path, seal: Option<&Seal>) -> Result<(Store, LoadedSession), StoreError> {
        Self::open_on(path, seal, &ReadProgress::default())
    }

    pub(super) fn open_on<C: Entries>(
        path: &Path,
        seal: Option<&Seal>,
        reading: &ReadProgress,
    ) -> Result<(Store, LoadedSession<C>), StoreError> {
        let mut file = redact::open_locked(path)?;
        let mut opened = reader::read_file(path, &file, seal, reading)?;
        let whole = repair_end(&mut file, &opened).map_err(|error| StoreError::io(path, "written", error))?;
        let lines = std::mem::take(&mut opened.lines);
        let place = SessionPaths::of(path.to_owned());
        let store = Self::start(place, lines, |writer| writer.resuming(file, &opened, whole));
        Ok((store.with_seal(seal.cloned()), opened.loaded))
    }

    /// Opens a session to continue it; if another process writes to it or the disk can't be written, opens it only
    /// for reading and returns the reason. Then nothing is written, and nothing can run. `reading` reports the
    /// progress.
    ///
    /// # Errors
    /// As [`Store::open`], for all other reasons.
    pub(crate) fn open_or_read<C: Entries>(
        path: &Path,
        seal: Option<&Seal>,
        reading: &ReadProgress,
    ) -> Result<(Store, LoadedSession<C>, Option<String>), StoreError> {
        let error = match Self::open_on(path, seal, reading) {
            Ok((store, loaded)) => return Ok((store, loaded, None)),
            Err(error) => error,
        };
        let why = match &error {
            StoreError::Locked { pid: Some(pid), .. } => {
                format!("another sayso (process {pid}) had it open")
            }
            StoreError::Locked { .. } => "another sayso had it open".into(),
            StoreError::Io { source, .. } if is_read_only(source) => error.brief(),
            _ => return Err(error),
        };
        let opened = reader::read_file(path, &disk::open_read(path)?, seal, reading)?;
        // New entries stay in memory and are reported as not saved. Nothing runs, because no decision can be recorded.
        let place = SessionPaths::of(path.to_owned());
        let store = Self::start(place, opened.lines, |writer| writer.reading(why.clone()));
        Ok((store, opened.loaded, Some(why)))
    }

    /// Starts the thread with a writer, which `prepare` makes one for this session.
    fn start(place: SessionPaths, lines: LineIndex, prepare: impl FnOnce(Writer) -> Writer) -> Store {
        let (orders, taken) = mpsc::channel();
        let (place, news) = (Arc::new(place), MaskReports::default());
        let (sender, failure) = watch::channel(WriteStatus::default());
        let writer = prepare(Writer::new(place.clone(), news.clone(), sender));
        let reads_only = writer.only_reads();
        // If no thread can be started, the receiver is dropped, and every order returns `Closed`.
        std::thread::Builder::new().name("session-writer".into()).spawn(move || writer.run(&taken)).ok();
        let (told, durable, seal) = (AtomicU64::new(0), OnceLock::new(), OnceLock::new());
        let inner = StoreInner { place, orders, failure, told, news, durable, reads_only, seal, lines };
        Store { shared: Arc::new(inner) }
    }
}

/// Whether a file that can't be written for this reason may still be readable.
fn is_read_only(error: &std::io::Error) -> bool {
    use std::io::ErrorKind as K;
    matches!(error.kind(), K::ReadOnlyFilesystem | K::PermissionDenied | K::StorageFull | K::QuotaExceeded)
}

/// Cuts off an incomplete last line, or adds a missing last newline; returns the size of the file.
pub(super) fn repair_end<C>(file: &mut File, opened: &reader::OpenSession<C>) -> std::io::Result<u64> {
    if opened.whole < opened.loaded.bytes {
        file.set_len(opened.whole)?;
    }
    if opened.newline_missing {
        file.write_all(b"\n")?;
        return Ok(opened.whole + 1);
    }
    Ok(opened.whole)
}

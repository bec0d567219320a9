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

    /// Like `create_at`, in a file with another name, which no list of sessions shows. The caller renames it when it
    /// is complete.
    pub(super) fn create_unnamed(path: &Path, header: Header) -> Store {
        Self::create_in(SessionPaths::in_the_making(path), header)
    }

    fn create_in(place: SessionPaths, header: Header) -> Store {
        let place = Arc::new(place);
        let (failure, told) = watch::channel(WriteStatus::default());
        Self::start(Writer::lazy(place.clone(), header, failure), place, told)
    }

    /// A session that is not stored, because the person wants none: entries are dropped. Its large outputs and images
    /// are in [`Scratch`] until it ends.
    pub(crate) fn forgetting(scratch: &Scratch) -> Store {
        let place = Arc::new(SessionPaths::of(scratch.session().to_owned()));
        let (failure, told) = watch::channel(WriteStatus::default());
        Self::start(Writer::forgetting(place.clone(), failure), place, told)
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
        let opened = reader::read_file(path, &file, seal, reading)?;
        let whole = repair_end(&mut file, &opened).map_err(|error| StoreError::io(path, "written", error))?;
        let place = Arc::new(SessionPaths::of(path.to_owned()));
        let (failure, told) = watch::channel(WriteStatus::default());
        let writer = Writer::resuming(place.clone(), file, &opened, whole, failure);
        let store = Self::start_with(writer, place, told, (false, opened.lines));
        Ok((store.with_seal(seal.cloned()), opened.loaded))
    }

    /// A session that is only read, for this reason: new entries stay in memory and are reported as not saved.
    /// Nothing runs in it, because no decision can be recorded.
    fn reading_with(path: &Path, why: String, lines: LineIndex) -> Store {
        let place = Arc::new(SessionPaths::of(path.to_owned()));
        let (failure, told) = watch::channel(WriteStatus::default());
        Self::start_with(Writer::reading(place.clone(), why, failure), place, told, (true, lines))
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
        Ok((Self::reading_with(path, why.clone(), opened.lines), opened.loaded, Some(why)))
    }

    fn start(writer: Writer, place: Arc<SessionPaths>, failure: watch::Receiver<WriteStatus>) -> Store {
        Self::start_with(writer, place, failure, (false, LineIndex::default()))
    }

    fn start_with(
        writer: Writer,
        place: Arc<SessionPaths>,
        failure: watch::Receiver<WriteStatus>,
        (reads_only, lines): (bool, LineIndex),
    ) -> Store {
        let (orders, taken) = mpsc::channel();
        let news = MaskReports::default();
        let writer = writer.with_news(news.clone());
        // If no thread can be started, the receiver is dropped, and every order returns `Closed`.
        std::thread::Builder::new().name("session-writer".into()).spawn(move || writer.run(&taken)).ok();
        let told = AtomicU64::new(0);
        Store {
            shared: Arc::new(StoreInner {
                place,
                orders,
                failure,
                told,
                news,
                durable: OnceLock::new(),
                reads_only,
                seal: OnceLock::new(),
                lines,
            }),
        }
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

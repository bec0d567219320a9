//! How a session is begun: new, to go on with, only to read, or kept nowhere.

use super::lines::LineIndex;
use super::news::MaskedNews;
use super::writer::Writer;
use super::{
    Entries, LoadedSession, Reading, Scratch, Seal, SessionPlace, Store, StoreError, StoreInner,
    WriteFailure, disk, file_stem, reader, redact,
};
use crate::domain::Header;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock, mpsc};
use tokio::sync::watch;

impl Store {
    /// A new session in this folder. Nothing is written before the first entry that is worth keeping (a prompt, or
    /// whatever comes first of the others but names and models); then the file is made with the header as its first
    /// line. An `Entry::Header` that is appended before that replaces `header`; one after it is passed over.
    pub fn create(folder: &Path, header: Header) -> Store {
        Self::create_at(&folder.join(format!("{}.jsonl", file_stem(&header.id.0))), header)
    }

    /// The same in a file of this name.
    pub fn create_at(path: &Path, header: Header) -> Store {
        Self::create_in(SessionPlace::of(path.to_owned()), header)
    }

    /// The same in a file of another name, which is no session's: whoever has written all of it names it.
    pub(super) fn create_unnamed(path: &Path, header: Header) -> Store {
        Self::create_in(SessionPlace::in_the_making(path), header)
    }

    fn create_in(place: SessionPlace, header: Header) -> Store {
        let place = Arc::new(place);
        let (failure, told) = watch::channel(WriteFailure::default());
        Self::start(Writer::lazy(place.clone(), header, failure), place, told)
    }

    /// A session that is kept nowhere, because the person wants none: what is added is dropped. Its large outputs and
    /// images lie in [`Scratch`] until it is over.
    pub(crate) fn forgetting(scratch: &Scratch) -> Store {
        let place = Arc::new(SessionPlace::of(scratch.session().to_owned()));
        let (failure, told) = watch::channel(WriteFailure::default());
        Self::start(Writer::forgetting(place.clone(), failure), place, told)
    }

    /// Opens a session to go on with it: locks it, reads it, cuts off a line that was not written to its end.
    ///
    /// # Errors
    /// When another process writes to it, when it is of a newer version (it stays untouched), when it is no session,
    /// or can't be read or written.
    pub fn open(path: &Path) -> Result<(Store, LoadedSession), StoreError> {
        Self::open_with(path, None)
    }

    /// The same, and tells whether this installation wrote all of it. What is added is sealed.
    pub fn open_with(path: &Path, seal: Option<&Seal>) -> Result<(Store, LoadedSession), StoreError> {
        Self::open_on(path, seal, &Reading::default())
    }

    pub(super) fn open_on<C: Entries>(
        path: &Path,
        seal: Option<&Seal>,
        reading: &Reading,
    ) -> Result<(Store, LoadedSession<C>), StoreError> {
        let mut file = redact::open_locked(path)?;
        let opened = reader::read_file(path, &file, seal, reading)?;
        let whole = repair_end(&mut file, &opened).map_err(|error| StoreError::io(path, "written", error))?;
        let place = Arc::new(SessionPlace::of(path.to_owned()));
        let (failure, told) = watch::channel(WriteFailure::default());
        let writer = Writer::resuming(place.clone(), file, &opened, whole, failure);
        let store = Self::start_with(writer, place, told, (false, opened.lines));
        Ok((store.with_seal(seal.cloned()), opened.loaded))
    }

    /// A session that is only read, for this reason: what is added stays in memory, and is told as not saved. Nothing
    /// runs in it, for no decision can be written down.
    fn reading_with(path: &Path, why: String, lines: LineIndex) -> Store {
        let place = Arc::new(SessionPlace::of(path.to_owned()));
        let (failure, told) = watch::channel(WriteFailure::default());
        Self::start_with(Writer::reading(place.clone(), why, failure), place, told, (true, lines))
    }

    /// Opens a session to go on with it, or where that can't be done to read it: when another process writes to it, or
    /// the disk can't be written. Then tells why; nothing is written, and nothing can run. `reading` tells how far it is.
    ///
    /// # Errors
    /// As [`Store::open`], for all other reasons.
    pub(crate) fn open_or_read<C: Entries>(
        path: &Path,
        seal: Option<&Seal>,
        reading: &Reading,
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

    fn start(writer: Writer, place: Arc<SessionPlace>, failure: watch::Receiver<WriteFailure>) -> Store {
        Self::start_with(writer, place, failure, (false, LineIndex::default()))
    }

    fn start_with(
        writer: Writer,
        place: Arc<SessionPlace>,
        failure: watch::Receiver<WriteFailure>,
        (reads_only, lines): (bool, LineIndex),
    ) -> Store {
        let (orders, taken) = mpsc::channel();
        let news = MaskedNews::default();
        let writer = writer.with_news(news.clone());
        // Where no thread can be started, its end of the channel is gone: every answer is then `Closed`.
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

/// Whether a file may be read still when this was said of writing.
fn is_read_only(error: &std::io::Error) -> bool {
    use std::io::ErrorKind as K;
    matches!(error.kind(), K::ReadOnlyFilesystem | K::PermissionDenied | K::StorageFull | K::QuotaExceeded)
}

/// Cuts off a torn line, or gives the last line its newline; returns the bytes of the file.
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

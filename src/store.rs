//! Sessions on disk: one file per session, one line per entry, which are only ever appended.
//!
//! - `wire`: the format of a line (pure)
//! - `writer`: the one thread that owns a file
//! - `reader`: reads a file in any state
//! - `seal`: whether this installation wrote it
//! - `index`: lists and finds sessions without reading them completely
//! - `search`: finds them by what was said and done in them
//! - `lines`: reads single entries again
//! - `derived`: the database files that `index` and `search` use
//! - `disk`: how files are created and opened
//!
//! All that is written is masked first (`domain::mask`); `redact` rewrites a session with more masks.
//!
//! The engine gives the entries their meaning; nothing is run or decided here. A session in which nothing was asked
//! has no file, unless it is a branch: its header records the session that it is a branch of.

mod approval_check;
mod blob;
pub(crate) mod branch;
mod chain;
mod disk;
mod draft;
mod error;
pub(crate) mod index;
mod index_database;
mod lines;
pub(crate) mod manage;
mod news;
mod opening;
mod reader;
mod reading;
pub(crate) mod redact;
mod scratch;
mod seal;
pub(crate) mod search;
mod tail_preview;
mod wire;
mod writer;

pub(crate) use chain::Foreign;
pub(crate) use draft::Draft;
pub use error::StoreError;
pub(crate) use error::{Damage, Fault};
pub(crate) use error::{damage_details, damage_summary};
pub use reader::read;
pub(crate) use reader::read_with;
pub use reading::ReadProgress;
pub(crate) use scratch::Scratch;
pub use scratch::sweep;
pub use seal::Seal;
pub(crate) use tail_preview::glance;

use crate::domain::{Entry, Masker, Timestamp};
use lines::{LineIndex, PageReader, RereadError};
use news::{MaskReports, masked_message};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use tokio::sync::{oneshot, watch};
use writer::WriteOrder;

/// What the entries of a session are collected into while they are read: a list, or something that consumes each
/// entry at once, so that a large session is not in memory twice.
pub trait Entries: Default + Extend<(Timestamp, Entry)> {}

impl<C: Default + Extend<(Timestamp, Entry)>> Entries for C {}

/// The content of a session file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadedSession<C = Vec<(Timestamp, Entry)>> {
    /// The entries, oldest first; the header is the first.
    pub(crate) entries: C,
    /// What is wrong with the file; to be shown to the person.
    pub(crate) damage: Vec<Damage>,
    /// The size of the file in bytes.
    pub(crate) bytes: u64,
    /// Why the session is foreign; `None` if every line was written by this installation, or adopted.
    pub(crate) foreign: Option<Foreign>,
}

#[derive(Debug)]
struct SessionPaths {
    folder: PathBuf,
    path: PathBuf,
    blobs: PathBuf,
}

impl SessionPaths {
    fn of(path: PathBuf) -> Self {
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        Self { folder, blobs: blobs_of(&path), path }
    }

    /// The place of a session that gets its file name only once it is complete.
    fn in_the_making(path: &Path) -> Self {
        Self { path: in_the_making(path), ..Self::of(path.to_owned()) }
    }
}

/// The file of an incomplete session, which no list of sessions shows.
fn in_the_making(path: &Path) -> PathBuf {
    path.with_extension("jsonl.part")
}

/// The folder for large outputs and images of the session in this file: `blobs/<id>` beside it.
pub(crate) fn blobs_of(path: &Path) -> PathBuf {
    let folder = path.parent().unwrap_or(Path::new(""));
    folder.join("blobs").join(path.file_stem().unwrap_or_default())
}

/// Why writing fails at the moment, and how often it began to fail.
#[derive(Clone, Debug, Default)]
struct WriteStatus {
    times: u64,
    text: Option<String>,
}

/// A session that is written to. Cheap to clone; all clones send to the one thread that owns the file.
#[derive(Clone, Debug)]
pub struct Store {
    shared: Arc<StoreInner>,
}

#[derive(Debug)]
struct StoreInner {
    place: Arc<SessionPaths>,
    orders: mpsc::Sender<WriteOrder>,
    failure: watch::Receiver<WriteStatus>,
    told: AtomicU64,
    news: MaskReports,
    durable: OnceLock<bool>,
    reads_only: bool,
    seal: OnceLock<Seal>,
    lines: LineIndex,
}

impl Store {
    /// Masks everything that is written from here on. Without a masker, only the shapes of well-known tokens are
    /// masked.
    #[must_use]
    pub(crate) fn with_masker(self, masker: Masker) -> Self {
        self.shared.orders.send(WriteOrder::Masker(masker)).ok();
        self
    }

    /// Sets the seal for the lines of a file that does not exist yet.
    #[must_use]
    pub fn with_seal(self, seal: Option<Seal>) -> Self {
        if let Some(seal) = seal {
            self.shared.orders.send(WriteOrder::Seal(seal.clone())).ok();
            self.shared.seal.set(seal).ok();
        }
        self
    }

    /// The seal of the file's lines.
    pub(crate) fn seal(&self) -> Option<&Seal> {
        self.shared.seal.get()
    }

    /// The draft of the message being typed, in a file beside the session's. A process that only reads the session
    /// gets a file of its own.
    pub(crate) fn draft(&self, masker: Masker) -> Draft {
        let path = self.path();
        let own = path.with_extension(format!("{}.jsonl", std::process::id()));
        Draft::beside(if self.shared.reads_only { &own } else { &path }, masker)
    }

    /// Waits until something was masked in what was written; returns what and where, never the value. Each report is
    /// returned once, to one caller. Cancel-safe.
    pub(crate) async fn masked(&self) -> String {
        self.shared.news.next().await
    }

    /// The reports on masked values that were not returned yet.
    pub(crate) fn masked_so_far(&self) -> Vec<String> {
        self.shared.news.take()
    }

    /// Adds an entry, without waiting for the disk. What could not be written is kept and reported by
    /// [`Store::failed`].
    pub fn append(&self, entry: Entry, at: Timestamp) {
        self.shared.orders.send(WriteOrder::Append(Box::new(entry), at)).ok();
    }

    /// Reads an entry again, by its index in the file as it was opened. Waits for the disk.
    ///
    /// # Errors
    /// When it can't be read, or is no longer as it was.
    pub(crate) fn read_again(&self, entry: u64) -> Result<Entry, RereadError> {
        self.rereader()(entry)
    }

    /// Like `read_again`, for many entries: neighbouring ones are read together.
    pub(crate) fn rereader(&self) -> impl FnMut(u64) -> Result<Entry, RereadError> + use<> {
        let (shared, mut reader) = (self.shared.clone(), PageReader::default());
        move |entry| reader.read(&shared.lines, &shared.place.path, entry)
    }

    /// Waits until everything appended so far is on the disk.
    ///
    /// # Errors
    /// While writing fails: then nothing that depends on these entries may begin.
    pub async fn sync(&self) -> Result<(), StoreError> {
        self.order(WriteOrder::Sync).await
    }

    /// Waits until writing begins to fail; returns the reason for the status line. Each time is reported once, to one
    /// caller. Cancel-safe.
    pub(crate) async fn failed(&self) -> String {
        let mut failure = self.shared.failure.clone();
        loop {
            let told = self.shared.told.load(Ordering::Acquire);
            let Ok(now) = failure.wait_for(|f| f.times > told && f.text.is_some()).await.map(|f| f.clone())
            else {
                // The session is closed: there is nothing left to fail.
                return std::future::pending().await;
            };
            let first =
                self.shared.told.compare_exchange(told, now.times, Ordering::AcqRel, Ordering::Acquire);
            if let (Ok(_), Some(text)) = (first, now.text) {
                return text;
            }
        }
    }

    /// Tries again to write what could not be written, and syncs it.
    ///
    /// # Errors
    /// When it fails again; everything is still kept in memory.
    pub(crate) async fn retry(&self) -> Result<(), StoreError> {
        self.order(WriteOrder::Retry).await
    }

    /// Writes and syncs what is left, unlocks the file and ends the thread.
    ///
    /// # Errors
    /// When something could not be written: it is lost.
    pub async fn close(&self) -> Result<(), StoreError> {
        self.order(WriteOrder::Close).await
    }

    /// The session's file, which may not exist yet.
    pub fn path(&self) -> PathBuf {
        self.shared.place.path.clone()
    }

    /// The folder for the session's large outputs and images; created when it is needed.
    pub fn blobs(&self) -> PathBuf {
        self.shared.place.blobs.clone()
    }

    /// Whether what is synced there survives a loss of power; false in memory and on network mounts. The person is
    /// told.
    pub(crate) fn is_durable(&self) -> bool {
        *self.shared.durable.get_or_init(|| disk::is_durable(&self.shared.place.folder))
    }

    /// Whether sessions can be written in this folder, which need not exist yet.
    ///
    /// # Errors
    /// Why not.
    pub(crate) fn check_writable(folder: &Path) -> Result<(), StoreError> {
        disk::check_writable(folder)
    }

    async fn order(&self, order: impl FnOnce(writer::WriteResult) -> WriteOrder) -> Result<(), StoreError> {
        let (answer, answered) = oneshot::channel();
        self.shared.orders.send(order(answer)).map_err(|_| StoreError::Closed)?;
        answered.await.map_err(|_| StoreError::Closed)?
    }
}

/// Makes a file name from any session id.
fn file_stem(id: &str) -> String {
    let safe: String = id
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' })
        .take(100)
        .collect();
    if safe.is_empty() { "session".into() } else { safe }
}

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

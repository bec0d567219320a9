//! Sessions on disk: one file a session, one line an entry, only ever added to.
//!
//! - `wire`: the form of a line (pure) - `writer`: the one thread that owns a file - `reader`: reads a file in any
//!   state - `seal`: whether this installation wrote it - `index`: lists and finds sessions without reading them whole - `search`:
//!   finds them by what was said and done in them - `lines`: reads long replies
//!   again - `derived`: the files of what is kept for both - `disk`: how files are made and opened.
//!   All that is written is masked first (`domain::mask`); `redact` writes a session anew with more masks.
//!
//! What the entries mean is the engine's business; nothing is run, and nothing is decided, from here.
//! A session that nothing was asked in leaves no file, unless it is a branch: that tells what it is a branch of.

mod blob;
pub(crate) mod branch;
mod chain;
mod derived;
mod disk;
mod draft;
mod error;
mod glance;
pub(crate) mod index;
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
mod texts;
mod wire;
mod writer;

pub(crate) use chain::Foreign;
pub(crate) use draft::Draft;
pub use error::StoreError;
pub(crate) use error::{Damage, Fault};
pub(crate) use error::{damage_details, damage_summary};
pub(crate) use glance::glance;
pub use reader::read;
pub(crate) use reader::read_with;
pub use reading::Reading;
pub(crate) use scratch::Scratch;
pub use scratch::sweep;
pub use seal::Seal;

use crate::domain::{Entry, Masker, Timestamp};
use lines::{LineError, LineIndex, PageReader};
use news::{MaskedNews, masked_message};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use tokio::sync::{oneshot, watch};
use writer::WriteOrder;

/// What a session is read into, entry by entry: a list of them, or what is made of each at once, so that a large session
/// does not stand in memory twice.
pub trait Entries: Default + Extend<(Timestamp, Entry)> {}

impl<C: Default + Extend<(Timestamp, Entry)>> Entries for C {}

/// What a session file held.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadedSession<C = Vec<(Timestamp, Entry)>> {
    /// The entries, oldest first; the header is the first.
    pub(crate) entries: C,
    /// What is wrong with the file; to be told.
    pub(crate) damage: Vec<Damage>,
    /// The size of the file in bytes.
    pub(crate) bytes: u64,
    /// Why it is not this installation's own; `None`: every line of it was written here, or adopted.
    pub(crate) foreign: Option<Foreign>,
}

#[derive(Debug)]
struct SessionPlace {
    folder: PathBuf,
    path: PathBuf,
    blobs: PathBuf,
}

impl SessionPlace {
    fn of(path: PathBuf) -> Self {
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        Self { folder, blobs: blobs_of(&path), path }
    }

    /// Of a session that gets its file's name only once it is whole.
    fn in_the_making(path: &Path) -> Self {
        Self { path: in_the_making(path), ..Self::of(path.to_owned()) }
    }
}

/// The file of a session in the making: no list of sessions tells of it.
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
struct WriteFailure {
    times: u64,
    text: Option<String>,
}

/// A session that is written to. Cheap to clone; all clones speak to the one thread that owns the file.
#[derive(Clone, Debug)]
pub struct Store {
    shared: Arc<StoreInner>,
}

#[derive(Debug)]
struct StoreInner {
    place: Arc<SessionPlace>,
    orders: mpsc::Sender<WriteOrder>,
    failure: watch::Receiver<WriteFailure>,
    told: AtomicU64,
    news: MaskedNews,
    durable: OnceLock<bool>,
    reads_only: bool,
    seal: OnceLock<Seal>,
    lines: LineIndex,
}

impl Store {
    /// Who masks what is written from here on. Without one, only the shapes of well-known tokens are known.
    #[must_use]
    pub(crate) fn with_masker(self, masker: Masker) -> Self {
        self.shared.orders.send(WriteOrder::Masker(masker)).ok();
        self
    }

    /// What seals the lines of a file that is not there yet.
    #[must_use]
    pub fn with_seal(self, seal: Option<Seal>) -> Self {
        if let Some(seal) = seal {
            self.shared.orders.send(WriteOrder::Seal(seal.clone())).ok();
            self.shared.seal.set(seal).ok();
        }
        self
    }

    /// What seals its lines.
    pub(crate) fn seal(&self) -> Option<&Seal> {
        self.shared.seal.get()
    }

    /// Where what is being typed is kept: beside the session's file. Who only reads it has a place of its own.
    pub(crate) fn draft(&self, masker: Masker) -> Draft {
        let path = self.path();
        let own = path.with_extension(format!("{}.jsonl", std::process::id()));
        Draft::beside(if self.shared.reads_only { &own } else { &path }, masker)
    }

    /// Waits until something was masked in what was written; says what and where, never the value. Each is told once,
    /// to one caller. Cancel-safe.
    pub(crate) async fn masked(&self) -> String {
        self.shared.news.next().await
    }

    /// What was masked and not told yet.
    pub(crate) fn masked_so_far(&self) -> Vec<String> {
        self.shared.news.take()
    }

    /// Adds an entry. Never waits for the disk; what could not be written is told by [`Store::failed`] and kept.
    pub fn append(&self, entry: Entry, at: Timestamp) {
        self.shared.orders.send(WriteOrder::Append(Box::new(entry), at)).ok();
    }

    /// Reads an entry again, by which one of the file it was when the session was opened. Waits for the disk.
    ///
    /// # Errors
    /// When it can't be read, or does not stand there any more as it was.
    pub(crate) fn read_again(&self, entry: u64) -> Result<Entry, LineError> {
        self.rereader()(entry)
    }

    /// The same for many entries: those that stand together are read at once.
    pub(crate) fn rereader(&self) -> impl FnMut(u64) -> Result<Entry, LineError> + use<> {
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

    /// Waits until writing begins to fail; the text says why, for the status line. Each beginning is told once, to one
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

    /// The session's file, made or not yet.
    pub fn path(&self) -> PathBuf {
        self.shared.place.path.clone()
    }

    /// The folder for the session's large outputs and images; it is made when it is needed.
    pub fn blobs(&self) -> PathBuf {
        self.shared.place.blobs.clone()
    }

    /// Whether what is synced there survives a loss of power: false in memory and on network mounts, to be told.
    pub(crate) fn is_durable(&self) -> bool {
        *self.shared.durable.get_or_init(|| disk::is_durable(&self.shared.place.folder))
    }

    async fn order(&self, order: impl FnOnce(writer::WriteResult) -> WriteOrder) -> Result<(), StoreError> {
        let (answer, answered) = oneshot::channel();
        self.shared.orders.send(order(answer)).map_err(|_| StoreError::Closed)?;
        answered.await.map_err(|_| StoreError::Closed)?
    }
}

/// An identity as the name of a file, whatever it holds.
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

//! Lists sessions and finds one, by reading only the beginning and the end of each file.
//!
//! Files that can't be read are listed as such. Nothing is locked or changed. If there are many files, only those
//! that changed since the last list are read (`catalogue`).

mod catalogue;
mod summary_reader;
mod tree;

use super::disk::{self, Locks};
use crate::domain::{BranchPlace, Timestamp};
use catalogue::Catalogue;
pub(super) use catalogue::forget;
use rusqlite::Row;
use std::fmt;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
pub(crate) use tree::{SessionTree, TreeRow, TreeSigns};

/// A session as a list shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The session's id; of a damaged file, its file name without the extension.
    pub id: String,
    /// Its name for people; empty where it has none.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// The id of the session that it is a branch of, if it is one.
    pub branch_of: Option<String>,
    /// Where it branches off, if its file says so.
    pub branch_at: Option<BranchPlace>,
    /// When it was created, if its file says so.
    pub created: Option<Timestamp>,
    /// When it was written last.
    pub modified: Timestamp,
    /// Prompts and replies.
    pub messages: u64,
    /// Blocks proposed.
    pub blocks: u32,
    /// Blocks that wait for a decision.
    pub waiting: u32,
    /// Whether its last run or its last turn failed.
    pub failed: bool,
    /// Whether an approved run has no recorded end. If the session is open, the run may still be going on.
    pub unended: bool,
    /// Its working folder.
    pub cwd: PathBuf,
    /// The first prompt, shortened.
    pub first_prompt: String,
    /// The last reply of the model, shortened, for a preview.
    pub last_reply: String,
    /// The size of its file, blobs not counted.
    pub bytes: u64,
    /// The other process that has it open, if the system reports it.
    pub locked: Option<u32>,
    /// Why its file can't be read, if it can't.
    pub damage: Option<String>,
}

impl Summary {
    /// The text to show for it: its name, else its id.
    pub(crate) fn label(&self) -> &str {
        if self.name.is_empty() { &self.id } else { &self.name }
    }
}

/// All sessions in a folder, the most recently written first. A missing folder has none.
pub(crate) fn list(folder: &Path) -> Vec<Summary> {
    let (locks, files) = (Locks::read(), by_age(folder));
    let mut catalogue = Catalogue::read(folder, files.len());
    let summaries = files.into_iter().map(|file| file.known_summary(&locks, &mut catalogue)).collect();
    catalogue.write();
    summaries
}

/// The session in this file; `None` if there is no such file.
pub(crate) fn of(path: &Path) -> Option<Summary> {
    let meta = std::fs::symlink_metadata(path).ok()?;
    let file = Candidate { path: path.to_owned(), stamp: IndexStamp::of(&meta) };
    Some(file.summary(&Locks::read()))
}

/// The most recently written session, if `cwd` is given the last one with this working folder. Damaged ones are
/// skipped.
pub(crate) fn last(folder: &Path, cwd: Option<&Path>) -> Option<Summary> {
    let locks = Locks::read();
    by_age(folder)
        .into_iter()
        .map(|file| file.summary(&locks))
        .find(|s| s.damage.is_none() && cwd.is_none_or(|cwd| s.cwd == cwd))
}

/// The session with this id, this beginning of an id (at least four characters), or this name.
///
/// # Errors
/// When none or several match.
pub(crate) fn find(folder: &Path, wanted: &str) -> Result<Summary, FindError> {
    let all = list(folder);
    if let Some(exact) = all.iter().find(|s| s.id == wanted) {
        return Ok(exact.clone());
    }
    let fold = |text: &str| text.to_lowercase();
    let mut fitting: Vec<Summary> = all.iter().filter(|s| fold(&s.name) == fold(wanted)).cloned().collect();
    if fitting.is_empty() && wanted.len() >= 4 {
        fitting = all.iter().filter(|s| s.id.starts_with(wanted)).cloned().collect();
    }
    if fitting.len() > 1 {
        return Err(FindError::Several { wanted: wanted.to_owned(), fitting });
    }
    fitting.pop().ok_or_else(|| FindError::None {
        wanted: wanted.to_owned(),
        folder: folder.to_owned(),
        near: nearest(&all, wanted),
    })
}

fn nearest(all: &[Summary], wanted: &str) -> Option<String> {
    let wanted = wanted.to_lowercase();
    let near = |s: &&Summary| !s.name.is_empty() && (s.name.contains(&wanted) || wanted.contains(&s.name));
    all.iter().find(near).map(|s| s.name.clone())
}

/// No session matches, or several do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FindError {
    None {
        wanted: String,
        folder: PathBuf,
        /// The name of a similar one.
        near: Option<String>,
    },
    Several {
        wanted: String,
        /// The sessions that match, the most recently written first.
        fitting: Vec<Summary>,
    },
}

/// The most sessions that are named where several are meant.
const MAX_NAMED: usize = 5;

impl std::error::Error for FindError {}

impl fmt::Display for FindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FindError::None { wanted, folder, near } => {
                write!(f, "no session {wanted:?} in {}", folder.display())?;
                near.as_ref().map_or(Ok(()), |name| write!(f, ": there is one called {name:?}"))
            }
            FindError::Several { wanted, fitting } => {
                write!(f, "{} sessions are meant by {wanted:?}: name one by its id:", fitting.len())?;
                fitting.iter().take(MAX_NAMED).try_for_each(|s| write!(f, " {}", s.id))?;
                match fitting.len().saturating_sub(MAX_NAMED) {
                    0 => Ok(()),
                    more => write!(f, " and {more} more"),
                }
            }
        }
    }
}

/// A session file in the folder.
pub(super) struct Candidate {
    pub(super) path: PathBuf,
    pub(super) stamp: IndexStamp,
}

/// A file that changed more recently than this may change again without a new time: the clock of the file system
/// moves in ticks.
const SETTLED_NS: i64 = 100_000_000;

/// Changes whenever the file does: its size, its modification and change times in nanoseconds, and its inode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct IndexStamp {
    pub(super) bytes: u64,
    pub(super) modified: i64,
    pub(super) changed: i64,
    pub(super) inode: u64,
}

impl IndexStamp {
    fn of(meta: &Metadata) -> Self {
        let ns = |seconds: i64, ns: i64| seconds.saturating_mul(1_000_000_000).saturating_add(ns);
        Self {
            bytes: meta.len(),
            modified: ns(meta.mtime(), meta.mtime_nsec()),
            changed: ns(meta.ctime(), meta.ctime_nsec()),
            inode: meta.ino(),
        }
    }

    /// The stamp in a row of a table, whose columns `bytes`, `modified`, `changed` and `inode` begin at this one.
    pub(super) fn of_row(row: &Row<'_>, at: usize) -> rusqlite::Result<Self> {
        Ok(Self {
            bytes: row.get::<_, i64>(at)? as u64,
            modified: row.get(at + 1)?,
            changed: row.get(at + 2)?,
            inode: row.get::<_, i64>(at + 3)? as u64,
        })
    }

    fn modified(self) -> Timestamp {
        Timestamp((self.modified / 1_000_000).max(0))
    }

    /// Whether the stamp is sure to differ if the file changes again.
    pub(super) fn is_settled(self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(now.as_nanos()).unwrap_or(i64::MAX).saturating_sub(self.changed) > SETTLED_NS
    }
}

/// All session files in a folder, the most recently written first.
pub(super) fn by_age(folder: &Path) -> Vec<Candidate> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<Candidate> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            (Path::new(&entry.file_name()).extension()? == "jsonl").then_some(())?;
            Some(Candidate { path: entry.path(), stamp: IndexStamp::of(&entry.metadata().ok()?) })
        })
        .collect();
    files.sort_by(|a, b| (b.stamp.modified(), &b.path).cmp(&(a.stamp.modified(), &a.path)));
    files
}

impl Candidate {
    /// The summary from the catalogue if the file is unchanged; otherwise read from the file.
    fn known_summary(self, locks: &Locks, catalogue: &mut Catalogue) -> Summary {
        if let Some(known) = catalogue.take(&self) {
            return self.complete(known, locks);
        }
        let (name, stamp) = (self.path.file_name().map(ToOwned::to_owned), self.stamp);
        let summary = self.read_summary();
        if let Some(name) = name {
            catalogue.keep(&name, stamp, &summary);
        }
        self.complete(summary, locks)
    }

    fn summary(self, locks: &Locks) -> Summary {
        let summary = self.read_summary();
        self.complete(summary, locks)
    }

    fn read_summary(&self) -> Summary {
        let stem = self.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let mut summary = Summary { id: stem, bytes: self.stamp.bytes, ..Summary::default() };
        let seen = disk::open_read(&self.path)
            .and_then(|file| summary_reader::fill_from_file(&self.path, &file, &mut summary));
        summary.damage = seen.err().map(|error| error.to_string());
        summary
    }

    /// Adds what is not in the file itself.
    fn complete(self, mut summary: Summary, locks: &Locks) -> Summary {
        summary.modified = self.stamp.modified();
        summary.bytes = self.stamp.bytes;
        summary.locked = locks.holder(self.stamp.inode).filter(|pid| *pid != std::process::id());
        // While the session is open, a run without an end may still be going on.
        summary.failed |= summary.unended && summary.locked.is_none();
        summary.path = self.path;
        summary
    }
}

#[cfg(test)]
mod tests;

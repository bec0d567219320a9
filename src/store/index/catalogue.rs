//! Caches the summary of each session file until the file changes, so that a list only reads files that changed.
//!
//! An entry only counts while size, times and inode of the file are those it was made from. If the catalogue can't be
//! read or written, all files are read.

use super::{Candidate, IndexStamp, Summary};
use crate::domain::{BlockId, BranchPlace, Timestamp};
use crate::store::index_database::{DerivedError, DerivedFile, TablePlan};
use rusqlite::{Row, TransactionBehavior, params};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

const PLAN: TablePlan = TablePlan {
    file: "sessions.db",
    version: 2,
    tables: "
    CREATE TABLE catalogue (
        file BLOB PRIMARY KEY, bytes INTEGER, modified INTEGER, changed INTEGER, inode INTEGER,
        id TEXT, name TEXT, created INTEGER, messages INTEGER, blocks INTEGER, waiting INTEGER, failed INTEGER,
        unended INTEGER, cwd BLOB, first_prompt TEXT, last_reply TEXT, branch_of TEXT,
        branch_message INTEGER, branch_block INTEGER
    ) STRICT;
",
};

/// Fewer files are read as fast as a catalogue is.
const MIN_FILES: usize = 64;

/// The cached summaries of the files in a folder, and those to add.
#[derive(Debug, Default)]
pub(super) struct Catalogue {
    derived: Option<DerivedFile>,
    known: HashMap<OsString, (IndexStamp, Summary)>,
    fresh: Vec<(OsString, IndexStamp, Summary)>,
}

impl Catalogue {
    /// Reads the cached summaries of the sessions in this folder; `files` is their number.
    pub(super) fn read(folder: &Path, files: usize) -> Self {
        if files < MIN_FILES {
            return Self::default();
        }
        let read = DerivedFile::open_with(folder, &PLAN, |derived| {
            // Listing does not wait for another writer: saving the new summaries can be done another time.
            derived.db.busy_timeout(std::time::Duration::ZERO)?;
            all(derived)
        });
        let read = read.map(|(derived, known)| Self { derived: Some(derived), known, fresh: Vec::new() });
        read.unwrap_or_else(|error| {
            tracing::debug!(%error, "no catalogue of sessions");
            Self::default()
        })
    }

    /// The cached summary of a file, if the file is unchanged.
    pub(super) fn take(&mut self, file: &Candidate) -> Option<Summary> {
        let (stamp, summary) = self.known.remove(file.path.file_name()?)?;
        (stamp == file.stamp).then_some(summary)
    }

    /// Adds the summary of a file to those that `write` will save.
    pub(super) fn keep(&mut self, name: &OsStr, stamp: IndexStamp, summary: &Summary) {
        if self.derived.is_some() && summary.damage.is_none() && stamp.is_settled() {
            self.fresh.push((name.to_owned(), stamp, summary.clone()));
        }
    }

    /// Saves the new summaries, and deletes those of files that are gone.
    pub(super) fn write(mut self) {
        // `take` has removed the summaries of all listed files, so the rest are of files that are gone.
        let gone: Vec<OsString> = self.known.into_keys().collect();
        let Some(derived) = self.derived.as_mut().filter(|_| !self.fresh.is_empty() || !gone.is_empty())
        else {
            return;
        };
        if let Err(error) = write(derived, &self.fresh, &gone) {
            tracing::debug!(%error, "the catalogue of sessions is not written");
        }
    }
}

/// Deletes removed sessions of a folder from the catalogue, and their bytes from its file.
///
/// # Errors
/// When the file can't be written: the next list then deletes them.
pub(in crate::store) fn forget(folder: &Path, sessions: &[&Path]) -> Result<(), DerivedError> {
    DerivedFile::forget(folder, &PLAN, sessions, |writing, name| {
        Ok(writing.execute("DELETE FROM catalogue WHERE file = ?1", [name.as_bytes()])? > 0)
    })
}

fn all(derived: &DerivedFile) -> Result<HashMap<OsString, (IndexStamp, Summary)>, DerivedError> {
    let mut rows = derived.db.prepare(
        "SELECT file, bytes, modified, changed, inode, id, name, created, messages, blocks, waiting, failed, unended,
         cwd, first_prompt, last_reply, branch_of, branch_message, branch_block FROM catalogue",
    )?;
    let known = rows.query_map([], known)?.collect::<Result<_, _>>()?;
    Ok(known)
}

fn known(row: &Row<'_>) -> rusqlite::Result<(OsString, (IndexStamp, Summary))> {
    let stamp = IndexStamp::of_row(row, 1)?;
    let summary = Summary {
        id: row.get(5)?,
        name: row.get(6)?,
        created: row.get::<_, Option<i64>>(7)?.map(Timestamp),
        messages: row.get::<_, i64>(8)? as u64,
        blocks: row.get(9)?,
        waiting: row.get(10)?,
        failed: row.get(11)?,
        unended: row.get(12)?,
        cwd: OsString::from_vec(row.get(13)?).into(),
        first_prompt: row.get(14)?,
        last_reply: row.get(15)?,
        branch_of: row.get(16)?,
        branch_at: match (row.get(17)?, row.get::<_, Option<u32>>(18)?) {
            (Some(message), _) => Some(BranchPlace::Message(message)),
            (None, block) => block.map(|block| BranchPlace::Block(BlockId(block))),
        },
        ..Summary::default()
    };
    Ok((OsString::from_vec(row.get(0)?), (stamp, summary)))
}

fn write(
    derived: &mut DerivedFile,
    fresh: &[(OsString, IndexStamp, Summary)],
    gone: &[OsString],
) -> Result<(), DerivedError> {
    let writing = derived.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let mut forget = writing.prepare("DELETE FROM catalogue WHERE file = ?1")?;
        for name in gone {
            forget.execute([name.as_bytes()])?;
        }
        let mut keep = writing.prepare(
            "INSERT OR REPLACE INTO catalogue VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19)",
        )?;
        for (name, stamp, summary) in fresh {
            let (message, block) = match summary.branch_at {
                Some(BranchPlace::Message(message)) => (Some(message), None),
                Some(BranchPlace::Block(block)) => (None, Some(block.0)),
                None => (None, None),
            };
            keep.execute(params![
                name.as_bytes(),
                stamp.bytes as i64,
                stamp.modified,
                stamp.changed,
                stamp.inode as i64,
                summary.id,
                summary.name,
                summary.created.map(|at| at.0),
                summary.messages as i64,
                summary.blocks,
                summary.waiting,
                summary.failed,
                summary.unended,
                summary.cwd.as_os_str().as_bytes(),
                summary.first_prompt,
                summary.last_reply,
                summary.branch_of,
                message,
                block,
            ])?;
        }
    }
    writing.commit()?;
    if gone.is_empty() {
        return Ok(());
    }
    // What was said in a removed session must not be left in the log of the database.
    derived.cut_log()
}

#[cfg(test)]
mod tests;

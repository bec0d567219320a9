//! Updates the database from the session files. If the beginning of a file is unchanged, only the new lines are read,
//! otherwise all of it.

use super::SearchControl;
use super::database::{self, KeptFile, StoredLocation, block_facts};
use super::location;
use crate::domain::{Entry, Masker, Timestamp};
use crate::store::index::{Candidate, IndexStamp, by_age};
use crate::store::index_database::{DerivedError, DerivedFile};
use crate::store::wire::{self, LineContent};
use crate::store::{blob, blobs_of, chain, disk};
use rusqlite::{Connection, TransactionBehavior};
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// A longer line is skipped.
const MAX_LINE_BYTES: u64 = 64 << 20;

/// The bytes of files that are read in one transaction, so that other processes don't wait longer.
const BATCH_BYTES: u64 = 4 << 20;

/// Reads what is new in the sessions of this folder, and deletes those that are gone. `most`: the most bytes of texts
/// that are stored of all sessions together.
pub(super) fn update(
    derived: &mut DerivedFile,
    folder: &Path,
    masker: &Masker,
    most: u64,
    waiting: &SearchControl<'_>,
) -> Result<(), DerivedError> {
    let mut known = database::files(&derived.db)?;
    let mut changed: Vec<(OsString, Candidate)> = Vec::new();
    for file in by_age(folder) {
        let Some(name) = file.path.file_name().map(ToOwned::to_owned) else { continue };
        if known.remove(&name).is_none_or(|kept| kept.stamp != file.stamp) {
            changed.push((name, file));
        }
    }
    if !known.is_empty() {
        let writing = derived.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for name in known.keys() {
            database::forget_file(&writing, name)?;
        }
        writing.commit()?;
        // What was said in a removed session must not be left in the log of the database.
        derived.cut_log()?;
    }
    // The newest files get the highest numbers, because a search returns those first.
    let all = changed.len();
    let mut left = changed.into_iter().rev().peekable();
    let mut done = 0;
    while left.peek().is_some() && (waiting.goes_on)() {
        (waiting.on_progress)(done, all);
        let writing = derived.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut taken = 0;
        for (name, file) in left.by_ref() {
            done += 1;
            taken += take_file(&writing, &name, &file, masker)?;
            if taken >= BATCH_BYTES || !(waiting.goes_on)() {
                break;
            }
        }
        while database::kept_bytes(&writing)? > most && database::leave_oldest_out(&writing)? {}
        writing.commit()?;
    }
    Ok(())
}

/// Reads what is new in a file; returns the number of bytes that were read.
fn take_file(
    db: &Connection,
    name: &OsString,
    candidate: &Candidate,
    masker: &Masker,
) -> Result<u64, DerivedError> {
    // Another process may have done this meanwhile.
    let known = database::file(db, name)?;
    if known.as_ref().is_some_and(|known| known.stamp == candidate.stamp) {
        return Ok(0);
    }
    let opened = disk::open_read(&candidate.path).ok();
    let going_on = known.as_ref().filter(|known| {
        !known.left_out && opened.as_ref().is_some_and(|file| begins_as_it_was(file, known, candidate.stamp))
    });
    let mut file = if let Some(known) = going_on {
        known.clone()
    } else {
        if let Some(known) = &known {
            database::forget_texts(db, known.number)?;
            db.execute("DELETE FROM files WHERE number = ?1", [known.number])?;
        }
        KeptFile { number: database::fresh_number(db)?, ..KeptFile::default() }
    };
    let before = file.read;
    if let Some(opened) = opened {
        let mut taking = FileUpdate { db, masker, path: &candidate.path, file: &mut file };
        // If a file can't be read to its end, its texts up to there are stored.
        if let Err(error) = taking.lines(&opened, candidate.stamp.bytes)? {
            tracing::debug!(%error, "a session is not searched to its end");
        }
    }
    // A file that may change again without a new stamp is read again the next time.
    let settled = candidate.stamp.is_settled();
    file.stamp = if settled { candidate.stamp } else { IndexStamp::default() };
    database::keep_file(db, name, &file)?;
    Ok(candidate.stamp.bytes.saturating_sub(before))
}

/// Whether the file still begins with the bytes that were read from it, by their checksum.
fn begins_as_it_was(file: &File, known: &KeptFile, now: IndexStamp) -> bool {
    let mut hasher = crc32fast::Hasher::new();
    now.bytes >= known.read
        && chain::read_first(file, known.read, |piece| hasher.update(piece)).is_ok()
        && hasher.finalize() == known.crc
}

/// A file whose lines are being read.
struct FileUpdate<'a> {
    db: &'a Connection,
    masker: &'a Masker,
    path: &'a Path,
    file: &'a mut KeptFile,
}

impl FileUpdate<'_> {
    /// Reads the complete lines up to this many bytes of the file. The inner error means that the file can't be read.
    fn lines(&mut self, file: &File, to: u64) -> Result<std::io::Result<()>, DerivedError> {
        let mut file = file;
        if let Err(error) = file.seek(SeekFrom::Start(self.file.read)) {
            return Ok(Err(error));
        }
        let mut lines = BufReader::with_capacity(256 << 10, file.take(to.saturating_sub(self.file.read)));
        let mut hasher = crc32fast::Hasher::new_with_initial_len(self.file.crc, self.file.read);
        let (mut line, mut too_long) = (Vec::new(), false);
        loop {
            line.clear();
            let count = match (&mut lines).take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
                Ok(count) => count as u64,
                Err(error) => return Ok(Err(error)),
            };
            let ended = line.last() == Some(&b'\n');
            // An incomplete line is read once it is complete.
            if count == 0 || (!ended && count < MAX_LINE_BYTES) {
                return Ok(Ok(()));
            }
            if ended && !too_long {
                self.line(line.strip_suffix(b"\n").unwrap_or_default(), count)?;
            }
            too_long = !ended;
            hasher.update(&line);
            self.file.read += count;
            self.file.crc = hasher.clone().finalize();
        }
    }

    fn line(&mut self, line: &[u8], bytes: u64) -> Result<(), DerivedError> {
        let Some((at, entry)) = entry_of(line, self.path) else { return Ok(()) };
        match &entry {
            Entry::Header(header) => {
                self.file.cwd.clone_from(&header.cwd);
                self.file.model = header.model.as_ref().map(ToString::to_string).unwrap_or_default();
            }
            Entry::Model(model) => self.file.model = model.to_string(),
            Entry::Prompt(_) | Entry::Reply { .. } => self.file.messages += 1,
            _ => {}
        }
        let language = self.language(&entry)?;
        let outcome = match &entry {
            Entry::Ran { report, .. } => Some(report.outcome.as_str().to_owned()),
            _ => None,
        };
        for (part, piece) in location::pieces(&entry).into_iter().enumerate() {
            let Some(number) = database::next_place(self.db, self.file.number)? else { return Ok(()) };
            let text = indexed_text(self.masker, &piece);
            let place = StoredLocation {
                at,
                kind: piece.kind,
                block: piece.block,
                message: self.file.messages,
                language: language.clone(),
                outcome: outcome.clone(),
                model: self.file.model.clone(),
                start: self.file.read,
                length: bytes,
                part,
            };
            database::keep_place(self.db, number, &place, &text)?;
            self.file.kept += text.len() as u64;
        }
        match location::news(&entry) {
            Some(news) => block_facts::set(self.db, self.file.number, news),
            None => Ok(()),
        }
    }

    /// The language of the block that an entry is about.
    fn language(&self, entry: &Entry) -> Result<Option<String>, DerivedError> {
        match entry {
            Entry::Block(block) => Ok(block.current().language.as_ref().map(|one| one.as_str().to_owned())),
            Entry::Edited { block, .. } | Entry::Placed { block, .. } | Entry::Ran { block, .. } => {
                block_facts::language(self.db, self.file.number, block.0)
            }
            _ => Ok(None),
        }
    }
}

/// The text of a piece as it is stored: masked again, and shortened.
pub(super) fn indexed_text(masker: &Masker, piece: &location::Piece) -> String {
    location::bounded(masker.text(&piece.text))
}

/// The entry of a line, with the output from a file of its own; `None` if the line is not an entry, or not as it was
/// written.
pub(super) fn entry_of(line: &[u8], path: &Path) -> Option<(Timestamp, Entry)> {
    let frame = wire::open(line).ok()?;
    let blobs = blobs_of(path);
    let Ok(LineContent::Entry(mut entry, outside)) = wire::decode(&frame, &blobs) else { return None };
    if let (Some(outside), Entry::Ran { report, .. }) = (&outside, entry.as_mut())
        && let Ok(output) = blob::read_blob(&blobs.join(outside.name()), outside)
    {
        report.output = output;
    }
    Some((frame.at, *entry))
}

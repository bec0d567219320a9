//! The tables with the searchable texts of sessions, and how texts are added and removed.
//!
//! The number of a place contains the number of its session's file in the upper bits, so that the places of a file
//! are adjacent. What is removed is really gone: its words are deleted from the index one by one, not at some later
//! time.

pub(super) mod block_facts;

use super::location::LocationKind;
use super::words::word_walk;
use crate::domain::Timestamp;
use crate::store::index::IndexStamp;
use crate::store::index_database::{DerivedError, TablePlan};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

/// `words` indexes which words are in which text, without storing the text. `bodies` stores the texts, so that their
/// words can be deleted from the index.
pub(super) const PLAN: TablePlan = TablePlan {
    file: "search.db",
    version: 4,
    tables: "
    CREATE TABLE files (
        number INTEGER PRIMARY KEY, name BLOB UNIQUE, bytes INTEGER, modified INTEGER, changed INTEGER, inode INTEGER,
        read INTEGER, crc INTEGER, messages INTEGER, model TEXT, cwd BLOB, volume INTEGER, left_out INTEGER
    ) STRICT;
    CREATE TABLE places (
        number INTEGER PRIMARY KEY, at INTEGER, kind INTEGER, block INTEGER, message INTEGER, language TEXT,
        outcome TEXT, model TEXT, start INTEGER, length INTEGER, part INTEGER
    ) STRICT;
    CREATE INDEX places_of_block ON places (block, number) WHERE block IS NOT NULL;
    CREATE INDEX places_of_language ON places (language COLLATE NOCASE, number) WHERE language IS NOT NULL;
    CREATE INDEX places_of_outcome ON places (outcome COLLATE NOCASE, number) WHERE outcome IS NOT NULL;
    CREATE TABLE bodies (number INTEGER PRIMARY KEY, body TEXT) STRICT;
    CREATE VIRTUAL TABLE words USING fts5(body, content='', detail=none, columnsize=0, tokenize='ascii');
    CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, 'row');
    INSERT INTO words(words, rank) VALUES ('secure-delete', 1);
",
};

/// How many bits of a place's number are not the file's number.
const OWN_BITS: u32 = 24;

/// What is stored about a session's file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KeptFile {
    pub(super) number: i64,
    pub(super) stamp: IndexStamp,
    /// How many bytes of the file were read, and their checksum in `crc`.
    pub(super) read: u64,
    pub(super) crc: u32,
    /// The number of prompts and replies in them.
    pub(super) messages: i64,
    /// The model in use at their end.
    pub(super) model: String,
    pub(super) cwd: PathBuf,
    pub(super) kept: u64,
    /// Whether its texts are not stored, because there are too many.
    pub(super) left_out: bool,
}

/// A stored text, without the text itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StoredLocation {
    pub(super) at: Timestamp,
    pub(super) kind: LocationKind,
    pub(super) block: Option<u32>,
    /// The number of prompts and replies up to it.
    pub(super) message: i64,
    pub(super) language: Option<String>,
    pub(super) outcome: Option<String>,
    pub(super) model: String,
    /// Position and length of its line in the session's file.
    pub(super) start: u64,
    pub(super) length: u64,
    /// The index of the text within its entry.
    pub(super) part: usize,
}

pub(super) fn file_of(place: i64) -> i64 {
    place >> OWN_BITS
}

/// The first and the last number that a place of a file can have.
pub(super) fn numbers(file: i64) -> (i64, i64) {
    (file << OWN_BITS, (file << OWN_BITS) | ((1 << OWN_BITS) - 1))
}

/// All stored files, by their names.
pub(super) fn files(db: &Connection) -> Result<HashMap<OsString, KeptFile>, DerivedError> {
    let mut rows = db.prepare_cached(FILES)?;
    let all = rows.query_map([], |row| Ok((OsString::from_vec(row.get(1)?), kept_file(row)?)))?;
    Ok(all.collect::<Result<_, _>>()?)
}

const FILES: &str =
    "SELECT number, name, bytes, modified, changed, inode, read, crc, messages, model, cwd, volume,
     left_out FROM files";

/// The file with this name, if it is stored.
pub(super) fn file(db: &Connection, name: &OsStr) -> Result<Option<KeptFile>, DerivedError> {
    let mut row = db.prepare_cached(&format!("{FILES} WHERE name = ?1"))?;
    Ok(row.query_row([name.as_bytes()], kept_file).optional()?)
}

fn kept_file(row: &Row<'_>) -> rusqlite::Result<KeptFile> {
    Ok(KeptFile {
        number: row.get(0)?,
        stamp: IndexStamp::of_row(row, 2)?,
        read: row.get::<_, i64>(6)? as u64,
        crc: row.get(7)?,
        messages: row.get(8)?,
        model: row.get(9)?,
        cwd: OsString::from_vec(row.get(10)?).into(),
        kept: row.get::<_, i64>(11)? as u64,
        left_out: row.get(12)?,
    })
}

/// A number greater than those of all files.
pub(super) fn fresh_number(db: &Connection) -> Result<i64, DerivedError> {
    Ok(db.query_row("SELECT coalesce(max(number), 0) + 1 FROM files", [], |row| row.get(0))?)
}

pub(super) fn keep_file(db: &Connection, name: &OsStr, file: &KeptFile) -> Result<(), DerivedError> {
    db.prepare_cached("INSERT OR REPLACE INTO files VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13)")?
        .execute(params![
            file.number,
            name.as_bytes(),
            file.stamp.bytes as i64,
            file.stamp.modified,
            file.stamp.changed,
            file.stamp.inode as i64,
            file.read as i64,
            file.crc,
            file.messages,
            file.model,
            file.cwd.as_os_str().as_bytes(),
            file.kept as i64,
            file.left_out,
        ])?;
    Ok(())
}

/// The number for the next place of a file; `None` if the file has as many places as possible.
pub(super) fn next_place(db: &Connection, file: i64) -> Result<Option<i64>, DerivedError> {
    let (first, last) = numbers(file);
    let mut row = db.prepare_cached("SELECT max(number) FROM places WHERE number BETWEEN ?1 AND ?2")?;
    let newest: Option<i64> = row.query_row([first, last], |row| row.get(0))?;
    let next = newest.map_or(first, |newest| newest + 1);
    Ok((next <= last).then_some(next))
}

/// Stores a text at this place.
pub(super) fn keep_place(
    db: &Connection,
    number: i64,
    place: &StoredLocation,
    text: &str,
) -> Result<(), DerivedError> {
    db.prepare_cached("INSERT INTO places VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)")?.execute(params![
        number,
        place.at.0,
        place.kind.number(),
        place.block,
        place.message,
        place.language,
        place.outcome,
        place.model,
        place.start as i64,
        place.length as i64,
        place.part as i64,
    ])?;
    db.prepare_cached("INSERT INTO bodies VALUES (?1, ?2)")?.execute(params![number, text])?;
    db.prepare_cached("INSERT INTO words (rowid, body) VALUES (?1, ?2)")?
        .execute(params![number, word_walk::folded(text)])?;
    Ok(())
}

/// What is stored about a place; `None` if there is no place with this number, or it is not valid.
pub(super) fn place(db: &Connection, number: i64) -> Result<Option<StoredLocation>, DerivedError> {
    let mut row = db.prepare_cached(
        "SELECT at, kind, block, message, language, outcome, model, start, length, part FROM places
         WHERE number = ?1",
    )?;
    Ok(row.query_row([number], kept_place).optional()?.flatten())
}

fn kept_place(row: &Row<'_>) -> rusqlite::Result<Option<StoredLocation>> {
    let Some(kind) = LocationKind::of_number(row.get(1)?) else { return Ok(None) };
    Ok(Some(StoredLocation {
        at: Timestamp(row.get(0)?),
        kind,
        block: row.get(2)?,
        message: row.get(3)?,
        language: row.get(4)?,
        outcome: row.get(5)?,
        model: row.get(6)?,
        start: row.get::<_, i64>(7)? as u64,
        length: row.get::<_, i64>(8)? as u64,
        part: usize::try_from(row.get::<_, i64>(9)?).unwrap_or(usize::MAX),
    }))
}

/// The stored text of a place.
pub(super) fn body(db: &Connection, number: i64) -> Result<Option<String>, DerivedError> {
    let mut row = db.prepare_cached("SELECT body FROM bodies WHERE number = ?1")?;
    Ok(row.query_row([number], |row| row.get(0)).optional()?)
}

/// Whether the stored text of a place passes a test, which gets it without a copy.
pub(super) fn body_matches(
    db: &Connection,
    number: i64,
    test: impl FnOnce(&str) -> bool,
) -> Result<bool, DerivedError> {
    let mut row = db.prepare_cached("SELECT body FROM bodies WHERE number = ?1")?;
    let mut rows = row.query([number])?;
    let Some(row) = rows.next()? else { return Ok(false) };
    Ok(row.get_ref(0)?.as_str().is_ok_and(test))
}

/// Up to `most` indexed words with this beginning, in their order.
pub(super) fn words_of(db: &Connection, begun: &str, most: usize) -> Result<Vec<String>, DerivedError> {
    let mut rows = db.prepare_cached(
        "SELECT term FROM vocabulary WHERE term >= ?1 AND term < ?1 || char(0x10ffff) LIMIT ?2",
    )?;
    let words = rows.query_map(params![begun, most as i64], |row| row.get(0))?;
    Ok(words.collect::<Result<_, _>>()?)
}

/// Deletes all texts of a file, and each of their words.
pub(super) fn forget_texts(db: &Connection, file: i64) -> Result<(), DerivedError> {
    let (first, last) = numbers(file);
    {
        let mut bodies =
            db.prepare_cached("SELECT number, body FROM bodies WHERE number BETWEEN ?1 AND ?2")?;
        let mut forget =
            db.prepare_cached("INSERT INTO words (words, rowid, body) VALUES ('delete', ?1, ?2)")?;
        let mut rows = bodies.query([first, last])?;
        while let Some(row) = rows.next()? {
            let (number, body): (i64, String) = (row.get(0)?, row.get(1)?);
            forget.execute(params![number, word_walk::folded(&body)])?;
        }
    }
    db.execute("DELETE FROM bodies WHERE number BETWEEN ?1 AND ?2", [first, last])?;
    db.execute("DELETE FROM places WHERE number BETWEEN ?1 AND ?2", [first, last])?;
    Ok(())
}

/// Deletes a file with all its texts; returns whether it was stored.
pub(super) fn forget_file(db: &Connection, name: &OsStr) -> Result<bool, DerivedError> {
    let Some(known) = file(db, name)? else { return Ok(false) };
    forget_texts(db, known.number)?;
    db.execute("DELETE FROM files WHERE number = ?1", [known.number])?;
    Ok(true)
}

/// The bytes of all stored texts.
pub(super) fn kept_bytes(db: &Connection) -> Result<u64, DerivedError> {
    let sum: i64 = db.query_row("SELECT coalesce(sum(volume), 0) FROM files", [], |row| row.get(0))?;
    Ok(sum as u64)
}

/// Deletes the texts of the oldest file and marks it as left out; returns `false` if only the newest one is left.
pub(super) fn leave_oldest_out(db: &Connection) -> Result<bool, DerivedError> {
    let oldest: Option<i64> = db
        .query_row(
            "SELECT number FROM files WHERE volume > 0 AND number < (SELECT max(number) FROM files)
             ORDER BY number LIMIT 1",
            [],
            |row| row.get(0),
        )
        .optional()?;
    let Some(oldest) = oldest else { return Ok(false) };
    forget_texts(db, oldest)?;
    db.execute("UPDATE files SET volume = 0, left_out = 1 WHERE number = ?1", [oldest])?;
    Ok(true)
}

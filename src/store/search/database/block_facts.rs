//! What is stored about the block of a text: its language and its outcome.

use super::{file_of, numbers};
use crate::store::index_database::DerivedError;
use crate::store::search::location::LocationKind;
use rusqlite::{Connection, OptionalExtension as _, params};
use std::collections::HashSet;

/// The files with a place in this language, or with this outcome. One query per file found.
pub(in crate::store::search) fn files_with(
    db: &Connection,
    what: BlockFact,
    word: &str,
) -> Result<HashSet<i64>, DerivedError> {
    let column = match what {
        BlockFact::Language => "language",
        BlockFact::Outcome => "outcome",
    };
    let mut row = db.prepare_cached(&format!(
        "SELECT number FROM places WHERE {column} = ?1 COLLATE NOCASE AND number >= ?2 ORDER BY number LIMIT 1"
    ))?;
    let (mut files, mut from) = (HashSet::new(), i64::MIN);
    while let Some(place) = row.query_row(params![word, from], |row| row.get::<_, i64>(0)).optional()? {
        files.insert(file_of(place));
        from = numbers(file_of(place)).1.saturating_add(1);
    }
    Ok(files)
}

/// What is stored about the block of a text.
#[derive(Clone, Copy, Debug)]
pub(in crate::store::search) enum BlockFact {
    Language,
    Outcome,
}

/// The language of a block, if it is known.
pub(in crate::store::search) fn language(
    db: &Connection,
    file: i64,
    block: u32,
) -> Result<Option<String>, DerivedError> {
    let (first, last) = numbers(file);
    let mut row = db.prepare_cached(
        "SELECT language FROM places WHERE block = ?1 AND number BETWEEN ?2 AND ?3 ORDER BY number DESC LIMIT 1",
    )?;
    Ok(row.query_row(params![block, first, last], |row| row.get(0)).optional()?.flatten())
}

/// Stores the outcome of a block with its texts.
pub(in crate::store::search) fn set_outcome(
    db: &Connection,
    file: i64,
    block: u32,
    outcome: &str,
) -> Result<(), DerivedError> {
    let (first, last) = numbers(file);
    db.prepare_cached(
        "UPDATE places SET outcome = ?1 WHERE block = ?2 AND number BETWEEN ?3 AND ?4 AND kind <> ?5",
    )?
    .execute(params![outcome, block, first, last, LocationKind::Output.number()])?;
    Ok(())
}

pub(in crate::store::search) fn set_language(
    db: &Connection,
    file: i64,
    block: u32,
    language: &str,
) -> Result<(), DerivedError> {
    let (first, last) = numbers(file);
    db.prepare_cached("UPDATE places SET language = ?1 WHERE block = ?2 AND number BETWEEN ?3 AND ?4")?
        .execute(params![language, block, first, last])?;
    Ok(())
}

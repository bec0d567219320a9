//! What is stored about the block of a text: its language and its outcome.

use super::{file_of, numbers};
use crate::store::index_database::DerivedError;
use crate::store::search::location::{BlockFact, LocationKind};
use rusqlite::{Connection, OptionalExtension as _, params};
use std::collections::HashSet;

/// The files with a place in this language, or with this outcome. One query per file found.
pub(in crate::store::search) fn files_with(
    db: &Connection,
    what: BlockFact,
    word: &str,
) -> Result<HashSet<i64>, DerivedError> {
    let column = column(what);
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

fn column(what: BlockFact) -> &'static str {
    match what {
        BlockFact::Language => "language",
        BlockFact::Outcome => "outcome",
    }
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

/// Stores the language or the outcome of a block with its texts.
pub(in crate::store::search) fn set(
    db: &Connection,
    file: i64,
    (block, what, word): (u32, BlockFact, &str),
) -> Result<(), DerivedError> {
    let (first, last) = numbers(file);
    let column = column(what);
    let but = match what {
        BlockFact::Language => String::new(),
        // Each output keeps the outcome of its own run.
        BlockFact::Outcome => format!(" AND kind <> {}", LocationKind::Output.number()),
    };
    db.prepare_cached(&format!(
        "UPDATE places SET {column} = ?1 WHERE block = ?2 AND number BETWEEN ?3 AND ?4{but}"
    ))?
    .execute(params![word, block, first, last])?;
    Ok(())
}

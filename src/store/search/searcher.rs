//! Carries out one search: updates the database, queries it, and compares each hit with the session's file.

mod place_hit;

use super::database::{self, KeptFile, block_facts};
use super::hit_collector::HitCollector;
use super::location::{BlockFact, LocationKind, SessionLocation};
use super::words::RoughFilter;
use super::{SearchControl, SearchHit, SearchQuery, SearchResults, update};
use crate::domain::Masker;
use crate::store::index::{self, Summary};
use crate::store::index_database::{DerivedError, DerivedFile};
use rusqlite::{Connection, ErrorCode, Rows, TransactionBehavior, params};
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::Path;

/// The most bytes of texts that are stored of all sessions together. Beyond that, the oldest sessions are left out.
const MAX_TOTAL_BYTES: u64 = 1 << 30;

/// The most places that one search compares with their files.
const MAX_COMPARED_PLACES: usize = 4000;

/// Up to this many completions of the last word are queried one by one.
pub(super) const MAX_COMPLETIONS: usize = 32;

const MAX_HITS_PER_SESSION: usize = 3;

pub(super) struct Searcher<'a> {
    pub(super) folder: &'a Path,
    pub(super) wanted: &'a SearchQuery,
    pub(super) masker: &'a Masker,
    pub(super) waiting: &'a SearchControl<'a>,
}

impl Searcher<'_> {
    pub(super) fn run(&self, derived: &mut DerivedFile) -> Result<SearchResults, DerivedError> {
        let (mut behind, mut last) = (None, false);
        // The second round is for files whose stored texts differ from their content: they are read anew.
        loop {
            match update::update(derived, self.folder, self.masker, MAX_TOTAL_BYTES, self.waiting) {
                Ok(()) => {}
                Err(error) if is_busy(&error) => behind = Some(error.to_string()),
                Err(error) => return Err(error),
            }
            let (mut found, stale) = self.find(&derived.db)?;
            found.behind.clone_from(&behind);
            if stale.is_empty() || last || behind.is_some() {
                return Ok(found);
            }
            let writing = derived.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for name in &stale {
                database::forget_file(&writing, name)?;
            }
            writing.commit()?;
            last = true;
        }
    }

    /// The hits, and the files whose stored texts differ from their content.
    pub(super) fn find(&self, db: &Connection) -> Result<(SearchResults, HashSet<OsString>), DerivedError> {
        let all = database::files(db)?;
        let left_out = all.values().filter(|file| file.left_out).count();
        let mut files: HashMap<i64, (OsString, KeptFile)> = all
            .into_iter()
            .filter(|(_, file)| self.wanted.folder.as_ref().is_none_or(|folder| file.cwd.starts_with(folder)))
            .map(|(name, file)| (file.number, (name, file)))
            .collect();
        let words =
            [(BlockFact::Language, &self.wanted.language), (BlockFact::Outcome, &self.wanted.outcome)];
        for (what, word) in words.into_iter().filter_map(|(what, word)| Some((what, word.as_ref()?))) {
            let with = block_facts::files_with(db, what, word)?;
            files.retain(|file, _| with.contains(file));
        }
        let mut found = SearchResults { left_out, hits: self.names(), ..SearchResults::default() };
        if found.hits.len() > self.wanted.limit {
            found.hits.truncate(self.wanted.limit);
            found.more = true;
        }
        let mut gathering =
            HitCollector { rough: RoughFilter::of(&self.wanted.sought), ..HitCollector::default() };
        let (Some(first), Some(last)) = (files.keys().min(), files.keys().max()) else {
            return Ok((found, gathering.stale));
        };
        let numbers = (database::numbers(*first).0, database::numbers(*last).1);
        if self.wanted.sought.is_empty() {
            let mut rows = db.prepare_cached(
                "SELECT number FROM places WHERE kind = ?1 AND number BETWEEN ?2 AND ?3 ORDER BY number DESC",
            )?;
            let rows = rows.query(params![self.wanted.listed_kind().number(), numbers.0, numbers.1])?;
            self.collect(db, rows, &files, (&mut found, &mut gathering))?;
            return Ok((found, gathering.stale));
        }
        let names = found.hits.clone();
        for question in self.questions(db)? {
            if found.hits.len() >= self.wanted.limit {
                found.more = true;
                break;
            }
            (found.hits, found.more) = (names.clone(), false);
            gathering =
                HitCollector { stale: gathering.stale, rough: gathering.rough, ..HitCollector::default() };
            let mut rows = db.prepare_cached(
                "SELECT rowid FROM words WHERE words MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid DESC",
            )?;
            let rows = rows.query(params![question, numbers.0, numbers.1])?;
            self.collect(db, rows, &files, (&mut found, &mut gathering))?;
        }
        Ok((found, gathering.stale))
    }

    /// The queries to make, one after the other; none if no word begins like the last one. A prefix query collects
    /// the places of all completions before it returns the first. So the first query asks only for a few completions,
    /// which often is enough.
    fn questions(&self, db: &Connection) -> Result<Vec<String>, DerivedError> {
        let sought = &self.wanted.sought;
        let Some(begun) = sought.prefix() else { return Ok(vec![sought.fts_query()]) };
        let words = database::words_of(db, begun, MAX_COMPLETIONS + 1)?;
        let few = words.get(..words.len().min(MAX_COMPLETIONS)).unwrap_or_default();
        let mut questions = Vec::new();
        if !few.is_empty() {
            questions.push(sought.fts_query_for(few));
        }
        if words.len() > MAX_COMPLETIONS {
            questions.push(sought.fts_query());
        }
        Ok(questions)
    }

    /// The sessions whose names match, unless their first prompt matches.
    fn names(&self) -> Vec<SearchHit> {
        let SearchQuery { sought, folder, language, outcome, model, .. } = self.wanted;
        if self.wanted.without_names
            || sought.is_empty()
            || language.is_some()
            || outcome.is_some()
            || model.is_some()
        {
            return Vec::new();
        }
        let is_named = |session: &Summary| {
            folder.as_ref().is_none_or(|folder| session.cwd.starts_with(folder))
                && self.wanted.is_within(session.modified)
                && sought.first_match(&session.name).is_some()
                && sought.first_match(&session.first_prompt).is_none()
        };
        let place = SessionLocation { kind: LocationKind::Name, block: None, message: 0 };
        let hit = |session: Summary| {
            let (at, line) = (session.modified, session.name.clone());
            SearchHit { session, place, at, line, also: 0 }
        };
        index::list(self.folder).into_iter().filter(is_named).map(hit).collect()
    }

    /// Collects the hits among these places, in their order.
    fn collect(
        &self,
        db: &Connection,
        mut rows: Rows<'_>,
        files: &HashMap<i64, (OsString, KeptFile)>,
        (found, gathering): (&mut SearchResults, &mut HitCollector),
    ) -> Result<(), DerivedError> {
        while let Some(row) = rows.next()? {
            let number: i64 = row.get(0)?;
            let file = database::file_of(number);
            let Some((name, _)) = files.get(&file) else { continue };
            if gathering.of_file(file) >= MAX_HITS_PER_SESSION {
                found.more = true;
                continue;
            }
            if found.hits.len() >= self.wanted.limit
                || gathering.compared >= MAX_COMPARED_PLACES
                || !(self.waiting.goes_on)()
            {
                found.more = true;
                break;
            }
            let Some(hit) = self.hit(db, (number, name), gathering)? else { continue };
            match gathering.earlier_hit(self.folder, &hit, found.hits.len()) {
                Some(same) => found.hits.iter_mut().skip(same).take(1).for_each(|hit| hit.also += 1),
                None => {
                    *gathering.told.entry(file).or_default() += 1;
                    found.hits.push(hit);
                }
            }
        }
        Ok(())
    }
}

/// Whether another process writes to the database right now.
fn is_busy(error: &DerivedError) -> bool {
    let DerivedError::Database(rusqlite::Error::SqliteFailure(why, _)) = error else { return false };
    matches!(why.code, ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
}

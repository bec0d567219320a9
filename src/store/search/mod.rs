//! Finds sessions by what was said and done in them.
//!
//! What is searched is kept beside the sessions (`shelf`), brought up to date before each search (`update`), and never
//! believed: a hit is told only while it stands in the session's file. It is masked once more, bounded, and leaves with
//! the session. Where it can't be kept, the files are read for each search.

pub(crate) mod filters;
mod place;
mod shelf;
mod update;
mod words;

pub use filters::FilterError;
pub use place::{PlaceKind, SessionPlace};
pub(crate) use words::SearchWords;

use super::derived::{DerivedError, DerivedFile};
use super::disk;
use super::index::{self, Summary};
use crate::domain::{BlockId, Masker, Timestamp};
use rusqlite::{Connection, ErrorCode, TransactionBehavior, params};
use shelf::{BlockFact, KeptFile, KeptPlace};
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use update::UpdateBounds;
use words::RoughFilter;

/// Bytes of texts that are kept of all sessions together: beyond, the oldest sessions are left out.
const MOST: u64 = 1 << 30;

/// Places that are compared with their files at the most, for one search.
const COMPARED: usize = 4000;

/// So many words that begin as the last one does are asked for one by one.
const BEGUN: usize = 32;

/// Hits of one session that are told at the most.
const OF_ONE: usize = 3;

/// How long another process that writes is waited for: then what is kept is searched as it is.
const PATIENCE: Duration = Duration::from_secs(1);

/// What is looked for, and where.
#[derive(Clone, Debug, Default)]
pub struct SearchQuery {
    pub(crate) sought: SearchWords,
    /// Only in sessions of this folder, or one below it.
    pub(crate) folder: Option<PathBuf>,
    /// Only from this moment on.
    pub(crate) since: Option<Timestamp>,
    /// Only before this moment.
    pub(crate) until: Option<Timestamp>,
    /// Only blocks in this language, and their outputs.
    pub(crate) language: Option<String>,
    /// Only blocks that ended so, and outputs of runs that did.
    pub(crate) outcome: Option<String>,
    /// Only where a model answered whose name holds this.
    pub(crate) model: Option<String>,
    /// So many hits.
    pub(crate) limit: usize,
}

/// A place that holds what was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchHit {
    /// Its session.
    pub session: Summary,
    /// Where it stands in it.
    pub place: SessionPlace,
    /// When it was written.
    pub at: Timestamp,
    /// The line that holds it, from the file: whoever shows it makes it safe.
    pub line: String,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchResults {
    /// The session begun last first; of each its newest places.
    pub hits: Vec<SearchHit>,
    /// Whether there may be more than are told.
    pub more: bool,
    /// Sessions that are not searched, because too much is kept already.
    pub left_out: usize,
    /// Why what is new in the sessions is not among it, where it is not.
    pub behind: Option<String>,
}

/// Who waits for it.
pub(crate) struct Waiting<'a> {
    /// Whether anybody still does.
    pub(crate) goes_on: &'a dyn Fn() -> bool,
    /// Told how many files of how many were looked into, while many are.
    pub(crate) told: &'a dyn Fn(usize, usize),
}

/// Looks for something in all sessions of a folder.
///
/// # Errors
/// When what is kept can neither be read nor made anew.
pub(crate) fn search(
    folder: &Path,
    wanted: &SearchQuery,
    masker: &Masker,
    waiting: &Waiting<'_>,
) -> Result<SearchResults, DerivedError> {
    if wanted.sought.is_empty() || !folder.exists() {
        return Ok(SearchResults::default());
    }
    let work = |derived: &mut DerivedFile| {
        derived.db.busy_timeout(PATIENCE)?;
        Searcher { folder, wanted, masker }.begin(derived, waiting)
    };
    match DerivedFile::open_with(folder, &shelf::PLAN, work) {
        Ok((_, found)) => Ok(found),
        Err(error) => {
            tracing::warn!(%error, "the index of the search can't be used: the files are read");
            work(&mut DerivedFile::in_memory(&shelf::PLAN)?)
        }
    }
}

/// Takes a session that is gone out of what is searched, and its bytes out of the file.
///
/// # Errors
/// When the file can't be written: what is kept leaves it with the next search then.
pub(super) fn forget(session: &Path) -> Result<(), DerivedError> {
    let (Some(folder), Some(name)) = (session.parent(), session.file_name()) else { return Ok(()) };
    let Some(mut derived) = DerivedFile::open_existing(folder, &shelf::PLAN)? else { return Ok(()) };
    let writing = derived.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    shelf::forget_file(&writing, name)?;
    writing.commit()?;
    derived.cut_log()
}

struct Searcher<'a> {
    folder: &'a Path,
    wanted: &'a SearchQuery,
    masker: &'a Masker,
}

impl Searcher<'_> {
    fn begin(&self, derived: &mut DerivedFile, waiting: &Waiting<'_>) -> Result<SearchResults, DerivedError> {
        let bounds = UpdateBounds { most: MOST, goes_on: waiting.goes_on, told: waiting.told };
        let mut behind = None;
        // Once more where something that is kept is not what stands in its file: then that file is read anew.
        for last in [false, true] {
            match update::update(derived, self.folder, self.masker, &bounds) {
                Ok(()) => {}
                Err(error) if is_busy(&error) => behind = Some(error.to_string()),
                Err(error) => return Err(error),
            }
            let (mut found, stale) = self.find(&derived.db, waiting)?;
            found.behind.clone_from(&behind);
            if stale.is_empty() || last || behind.is_some() {
                return Ok(found);
            }
            let writing = derived.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for name in &stale {
                shelf::forget_file(&writing, name)?;
            }
            writing.commit()?;
        }
        Ok(SearchResults::default())
    }

    /// The hits, and the files of which something is kept that does not stand in them.
    fn find(
        &self,
        db: &Connection,
        waiting: &Waiting<'_>,
    ) -> Result<(SearchResults, HashSet<OsString>), DerivedError> {
        let all = shelf::files(db)?;
        let left_out = all.values().filter(|file| file.left_out).count();
        let mut files: HashMap<i64, (OsString, KeptFile)> = all
            .into_iter()
            .filter(|(_, file)| self.wanted.folder.as_ref().is_none_or(|folder| file.cwd.starts_with(folder)))
            .map(|(name, file)| (file.number, (name, file)))
            .collect();
        let words =
            [(BlockFact::Language, &self.wanted.language), (BlockFact::Outcome, &self.wanted.outcome)];
        for (what, word) in words.into_iter().filter_map(|(what, word)| Some((what, word.as_ref()?))) {
            let with = shelf::files_with(db, what, word)?;
            files.retain(|file, _| with.contains(file));
        }
        let mut found = SearchResults { left_out, ..SearchResults::default() };
        let mut gathering =
            HitCollector { rough: RoughFilter::of(&self.wanted.sought), ..HitCollector::default() };
        let (Some(first), Some(last)) = (files.keys().min(), files.keys().max()) else {
            return Ok((found, gathering.stale));
        };
        let numbers = (shelf::numbers(*first).0, shelf::numbers(*last).1);
        // The places of all words that begin so would be gathered before the first is told: where the first few words
        // are enough, only those are asked for.
        let questions = match self.wanted.sought.begun() {
            None => vec![self.wanted.sought.question()],
            Some(begun) => {
                let words = shelf::words_of(db, begun, BEGUN + 1)?;
                let few = words.get(..words.len().min(BEGUN)).unwrap_or_default();
                let some = self.wanted.sought.question_for(few);
                if few.is_empty() {
                    return Ok((found, gathering.stale));
                }
                if words.len() > BEGUN { vec![some, self.wanted.sought.question()] } else { vec![some] }
            }
        };
        for question in questions {
            if found.hits.len() >= self.wanted.limit {
                found.more = true;
                break;
            }
            (found.hits, found.more) = (Vec::new(), false);
            gathering =
                HitCollector { stale: gathering.stale, rough: gathering.rough, ..HitCollector::default() };
            self.ask(db, (&question, numbers), &files, (&mut found, &mut gathering), waiting)?;
        }
        Ok((found, gathering.stale))
    }

    /// Gathers the hits of one question, the newest place first.
    fn ask(
        &self,
        db: &Connection,
        (question, (first, last)): (&str, (i64, i64)),
        files: &HashMap<i64, (OsString, KeptFile)>,
        (found, gathering): (&mut SearchResults, &mut HitCollector),
        waiting: &Waiting<'_>,
    ) -> Result<(), DerivedError> {
        let mut rows = db.prepare_cached(
            "SELECT rowid FROM words WHERE words MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid DESC",
        )?;
        let mut rows = rows.query(params![question, first, last])?;
        while let Some(row) = rows.next()? {
            let number: i64 = row.get(0)?;
            let file = shelf::file_of(number);
            let Some((name, _)) = files.get(&file) else { continue };
            if gathering.of_file(file) >= OF_ONE {
                found.more = true;
                continue;
            }
            if found.hits.len() >= self.wanted.limit || gathering.compared >= COMPARED || !(waiting.goes_on)()
            {
                found.more = true;
                break;
            }
            if let Some(hit) = self.hit(db, (number, name), gathering)? {
                found.hits.push(hit);
            }
        }
        Ok(())
    }

    /// The hit at a place, if it is wanted and stands in its file.
    fn hit(
        &self,
        db: &Connection,
        (number, name): (i64, &OsString),
        gathering: &mut HitCollector,
    ) -> Result<Option<SearchHit>, DerivedError> {
        let Some(place) = shelf::place(db, number)?.filter(|place| self.is_wanted(place)) else {
            return Ok(None);
        };
        gathering.compared += 1;
        let body = shelf::body(db, number)?.unwrap_or_default();
        let at = if gathering.rough.excludes(&body) { None } else { self.wanted.sought.place(&body) };
        let Some(mut at) = at else {
            // A phrase may stand apart; of single words the index knows.
            if self.wanted.sought.is_plain() {
                gathering.stale.insert(name.clone());
            }
            return Ok(None);
        };
        let path = self.folder.join(name);
        if self.text_at(&path, &place).is_none_or(|text| text != body) {
            gathering.stale.insert(name.clone());
            return Ok(None);
        }
        let message = (shelf::file_of(number), place.message);
        if place.kind == PlaceKind::Reply {
            // What stands in a block of a reply is told as that of the block.
            match self.wanted.sought.place(&place::prose(&body)) {
                Some(in_prose) => at = in_prose,
                None if gathering.blocks.contains(&message) => return Ok(None),
                None => {}
            }
        }
        if place.kind == PlaceKind::Block {
            gathering.blocks.insert(message);
        }
        let Some(session) = gathering.session(&path) else { return Ok(None) };
        *gathering.told.entry(shelf::file_of(number)).or_default() += 1;
        Ok(Some(SearchHit {
            session,
            place: SessionPlace {
                kind: place.kind,
                block: place.block.map(BlockId),
                message: u64::try_from(place.message).unwrap_or_default(),
            },
            at: place.at,
            line: words::line_around(&body, &at),
        }))
    }

    fn is_wanted(&self, place: &KeptPlace) -> bool {
        let wanted = self.wanted;
        let same = |wanted: &Option<String>, is: Option<&str>| {
            wanted.as_ref().is_none_or(|wanted| is.is_some_and(|is| is.eq_ignore_ascii_case(wanted)))
        };
        wanted.since.is_none_or(|since| place.at >= since)
            && wanted.until.is_none_or(|until| place.at < until)
            && same(&wanted.language, place.language.as_deref())
            && same(&wanted.outcome, place.outcome.as_deref())
            && wanted
                .model
                .as_ref()
                .is_none_or(|model| place.model.to_lowercase().contains(&model.to_lowercase()))
    }

    /// The text at a place as it stands in the file now.
    fn text_at(&self, path: &Path, place: &KeptPlace) -> Option<String> {
        let file = disk::open_read(path).ok()?;
        let length = place.length.min(file.metadata().ok()?.len());
        let mut line = vec![0; usize::try_from(length).ok()?];
        file.read_exact_at(&mut line, place.start).ok()?;
        let (_, entry) = update::entry_of(line.strip_suffix(b"\n")?, path)?;
        let piece = place::pieces(&entry).into_iter().nth(place.part)?;
        (piece.kind == place.kind && piece.block == place.block)
            .then(|| update::searched(self.masker, &piece))
    }
}

/// What is gathered while hits are looked for.
#[derive(Default)]
struct HitCollector {
    compared: usize,
    rough: RoughFilter,
    /// How many hits of a file are told.
    told: HashMap<i64, usize>,
    /// Replies of which a block is told.
    blocks: HashSet<(i64, i64)>,
    stale: HashSet<OsString>,
    sessions: HashMap<PathBuf, Option<Summary>>,
}

impl HitCollector {
    fn of_file(&self, file: i64) -> usize {
        self.told.get(&file).copied().unwrap_or_default()
    }

    fn session(&mut self, path: &Path) -> Option<Summary> {
        self.sessions.entry(path.to_owned()).or_insert_with(|| index::of(path)).clone()
    }
}

/// Whether another process writes into it right now.
fn is_busy(error: &DerivedError) -> bool {
    let DerivedError::Database(rusqlite::Error::SqliteFailure(why, _)) = error else { return false };
    matches!(why.code, ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
}

#[cfg(test)]
mod tests;

//! Finds sessions by what was said and done in them.
//!
//! The searchable texts are stored in a database beside the sessions (`database`), which is updated before each search
//! (`update`) and never trusted: a hit is shown only if it is still in the session's file. The texts are masked once
//! more, limited in size, and deleted with the session. If the database can't be used, the files are read for each
//! search.

mod database;
pub(crate) mod filters;
mod hit_collector;
mod location;
mod searcher;
mod update;
mod words;

pub use filters::FilterError;
pub(crate) use location::LocationError;
pub(in crate::store) use location::prose;
pub use location::{LocationKind, SessionLocation};
pub(crate) use words::SearchWords;

use super::index::Summary;
use super::index_database::{DerivedError, DerivedFile};
use crate::domain::{Masker, Timestamp};
use searcher::Searcher;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long to wait for another process that writes. After that, the database is searched as it is.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

/// What to search for, and where.
#[derive(Clone, Debug, Default)]
pub struct SearchQuery {
    pub(crate) sought: SearchWords,
    /// Only sessions whose working folder is this one or below it.
    pub(crate) folder: Option<PathBuf>,
    /// Only from this time on.
    pub(crate) since: Option<Timestamp>,
    pub(crate) until: Option<Timestamp>,
    /// Only blocks in this language, and their outputs.
    pub(crate) language: Option<String>,
    /// Only blocks with this outcome, and outputs of such runs.
    pub(crate) outcome: Option<String>,
    /// Only if a model answered whose name contains this.
    pub(crate) model: Option<String>,
    /// Does not search the names of sessions, because the caller has a list of them.
    pub(crate) without_names: bool,
    pub(crate) limit: usize,
}

impl SearchQuery {
    /// Whether there is nothing to search for: no word and no filter.
    pub(crate) fn is_empty(&self) -> bool {
        self.sought.is_empty() && self.folder.is_none() && !self.filters_places()
    }

    /// Whether a filter applies to places, and not only to sessions.
    fn filters_places(&self) -> bool {
        let Self { since, until, language, outcome, model, .. } = self;
        since.is_some() || until.is_some() || language.is_some() || outcome.is_some() || model.is_some()
    }

    /// The places that a search with only filters lists: blocks if a filter is about blocks, otherwise prompts.
    fn listed_kind(&self) -> LocationKind {
        if self.language.is_some() || self.outcome.is_some() {
            LocationKind::Block
        } else {
            LocationKind::Prompt
        }
    }

    fn is_within(&self, at: Timestamp) -> bool {
        self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at < until)
    }
}

/// A place that matches the search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchHit {
    /// The session.
    pub session: Summary,
    /// The place in it.
    pub place: SessionLocation,
    /// When it was written.
    pub at: Timestamp,
    /// The matching line, unescaped: whoever shows it has to make it safe.
    pub line: String,
    /// How many other sessions contain the same entry, because they are branches of one another.
    pub also: usize,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchResults {
    /// The most recently begun session first, and of each its newest places.
    pub hits: Vec<SearchHit>,
    /// Whether there may be more hits.
    pub more: bool,
    /// The number of sessions that are not searched, because the database is full.
    pub left_out: usize,
    /// Why the newest changes of the sessions are not included, if they are not.
    pub behind: Option<String>,
}

pub(crate) struct SearchControl<'a> {
    /// Asked between files that are read, and between hits: whether to continue.
    pub(crate) goes_on: &'a dyn Fn() -> bool,
    /// Called with the number of files that were read and the number of all, while there are many to read.
    pub(crate) on_progress: &'a dyn Fn(usize, usize),
}

/// Searches all sessions of a folder.
///
/// # Errors
/// When the database can neither be read nor rebuilt.
pub(crate) fn search(
    folder: &Path,
    wanted: &SearchQuery,
    masker: &Masker,
    waiting: &SearchControl<'_>,
) -> Result<SearchResults, DerivedError> {
    if wanted.is_empty() || !folder.exists() {
        return Ok(SearchResults::default());
    }
    let work = |derived: &mut DerivedFile| {
        derived.db.busy_timeout(LOCK_TIMEOUT)?;
        Searcher { folder, wanted, masker, waiting }.run(derived)
    };
    match DerivedFile::open_with(folder, &database::PLAN, work) {
        Ok((_, found)) => Ok(found),
        Err(error) => {
            tracing::warn!(%error, "the index of the search can't be used: the files are read");
            work(&mut DerivedFile::in_memory(&database::PLAN)?)
        }
    }
}

/// Deletes removed sessions of a folder from the search's database, and their bytes from its file.
///
/// # Errors
/// When the file can't be written: the next search then deletes them.
pub(super) fn forget(folder: &Path, sessions: &[&Path]) -> Result<(), DerivedError> {
    DerivedFile::forget(folder, &database::PLAN, sessions, database::forget_file)
}

#[cfg(test)]
mod tests;

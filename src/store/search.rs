//! Finds sessions by what was said and done in them.
//!
//! What is searched is kept beside the sessions (`shelf`), brought up to date before each search (`update`), and never
//! believed: a hit is told only while it stands in the session's file. It is masked once more, bounded, and leaves with
//! the session. Where it can't be kept, the files are read for each search.

pub(crate) mod filters;
mod hit_collector;
mod place;
mod searcher;
mod shelf;
mod update;
mod words;

pub use filters::FilterError;
pub(crate) use place::NoPlace;
pub(in crate::store) use place::prose;
pub use place::{PlaceKind, SessionPlace};
pub(crate) use words::SearchWords;

use super::derived::{DerivedError, DerivedFile};
use super::index::Summary;
use crate::domain::{Masker, Timestamp};
use searcher::Searcher;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long another process that writes is waited for: then what is kept is searched as it is.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

/// What is looked for, and where.
#[derive(Clone, Debug, Default)]
pub struct SearchQuery {
    pub(crate) sought: SearchWords,
    /// Only in sessions of this folder, or one below it.
    pub(crate) folder: Option<PathBuf>,
    /// Only from this moment on.
    pub(crate) since: Option<Timestamp>,
    pub(crate) until: Option<Timestamp>,
    /// Only blocks in this language, and their outputs.
    pub(crate) language: Option<String>,
    /// Only blocks that ended so, and outputs of runs that did.
    pub(crate) outcome: Option<String>,
    /// Only where a model answered whose name holds this.
    pub(crate) model: Option<String>,
    /// Not by the names of sessions: whoever asks has a list of them.
    pub(crate) without_names: bool,
    pub(crate) limit: usize,
}

impl SearchQuery {
    /// Whether nothing is looked for: no word, and no filter.
    pub(crate) fn is_empty(&self) -> bool {
        let Self { sought, folder, since, until, language, outcome, model, without_names: _, limit: _ } =
            self;
        let times = since.is_some() || until.is_some();
        let words = language.is_some() || outcome.is_some() || model.is_some();
        sought.is_empty() && folder.is_none() && !times && !words
    }

    /// Whether something of a place itself decides if it is wanted.
    fn filters_places(&self) -> bool {
        let Self { since, until, language, outcome, model, .. } = self;
        since.is_some() || until.is_some() || language.is_some() || outcome.is_some() || model.is_some()
    }

    /// What a filter alone tells: blocks where it is about them, else what was asked.
    fn listed_kind(&self) -> PlaceKind {
        if self.language.is_some() || self.outcome.is_some() { PlaceKind::Block } else { PlaceKind::Prompt }
    }

    fn is_within(&self, at: Timestamp) -> bool {
        self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at < until)
    }
}

/// A place that holds what was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchHit {
    /// The session.
    pub session: Summary,
    /// Where it stands in it.
    pub place: SessionPlace,
    /// When it was written.
    pub at: Timestamp,
    /// The line that holds it, from the file: whoever shows it makes it safe.
    pub line: String,
    /// How many other sessions hold the same entry, because they are branches of one another.
    pub also: usize,
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

pub(crate) struct SearchControl<'a> {
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
    waiting: &SearchControl<'_>,
) -> Result<SearchResults, DerivedError> {
    if wanted.is_empty() || !folder.exists() {
        return Ok(SearchResults::default());
    }
    let work = |derived: &mut DerivedFile| {
        derived.db.busy_timeout(LOCK_TIMEOUT)?;
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

/// Takes sessions of a folder that are gone out of what is searched, and their bytes out of the file.
///
/// # Errors
/// When the file can't be written: what is kept leaves it with the next search then.
pub(super) fn forget(folder: &Path, sessions: &[&Path]) -> Result<(), DerivedError> {
    DerivedFile::forget(folder, &shelf::PLAN, sessions, shelf::forget_file)
}

#[cfg(test)]
mod tests;

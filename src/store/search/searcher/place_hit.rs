//! Turns one place into a hit, if it is wanted, matches, and is still in its session's file.

use super::Searcher;
use crate::domain::BlockId;
use crate::store::disk;
use crate::store::index_database::DerivedError;
use crate::store::search::database::{self, StoredLocation};
use crate::store::search::hit_collector::HitCollector;
use crate::store::search::location::{self, LocationKind, SessionLocation};
use crate::store::search::{SearchHit, update, words};
use rusqlite::Connection;
use std::ffi::OsString;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

impl Searcher<'_> {
    /// The hit at a place, if it is wanted and still in its file.
    pub(super) fn hit(
        &self,
        db: &Connection,
        (number, name): (i64, &OsString),
        gathering: &mut HitCollector,
    ) -> Result<Option<SearchHit>, DerivedError> {
        let Some(place) = self.candidate(db, number, gathering)? else { return Ok(None) };
        let body = database::body(db, number)?.unwrap_or_default();
        let file = database::file_of(number);
        let Some(at) = self.match_in(&body, (file, &place), gathering) else {
            // The index only knows single words: the words of a phrase may be in different parts of the text.
            if !self.wanted.sought.is_empty() && self.wanted.sought.is_plain() {
                gathering.stale.insert(name.clone());
            }
            return Ok(None);
        };
        let path = self.folder.join(name);
        if self.text_at(&path, &place).is_none_or(|text| text != body) {
            gathering.stale.insert(name.clone());
            return Ok(None);
        }
        let Some(at) = self.reported_match(at, &body, (file, &place), gathering) else { return Ok(None) };
        let Some(session) = gathering.session(&path) else { return Ok(None) };
        Ok(Some(SearchHit {
            session,
            place: SessionLocation {
                kind: place.kind,
                block: place.block.map(BlockId),
                message: u64::try_from(place.message).unwrap_or_default(),
            },
            at: place.at,
            line: words::line_around(&body, &at),
            also: 0,
        }))
    }

    /// The place, if it is wanted and its text may contain what is sought.
    fn candidate(
        &self,
        db: &Connection,
        number: i64,
        gathering: &mut HitCollector,
    ) -> Result<Option<StoredLocation>, DerivedError> {
        let wanted_place =
            || Ok::<_, DerivedError>(database::place(db, number)?.filter(|place| self.is_wanted(place)));
        // Without filters on places, most places are excluded by their text alone.
        let filtered = if self.wanted.filters_places() { Some(wanted_place()?) } else { None };
        if matches!(filtered, Some(None)) {
            return Ok(None);
        }
        gathering.compared += 1;
        if !gathering.rough.is_empty()
            && database::body_matches(db, number, |body| gathering.rough.excludes(body))?
        {
            return Ok(None);
        }
        filtered.map_or_else(wanted_place, Ok)
    }

    /// Where the text of a place matches. A search with only filters lists each block once, where its text begins.
    fn match_in(
        &self,
        body: &str,
        (file, place): (i64, &StoredLocation),
        gathering: &mut HitCollector,
    ) -> Option<Range<usize>> {
        let sought = &self.wanted.sought;
        if !sought.is_empty() {
            return sought.first_match(body);
        }
        let is_first = place.block.is_none_or(|block| gathering.listed.insert((file, block)));
        let blank = body.len() - body.trim_start().len();
        is_first.then_some(blank..blank)
    }

    /// The match that is reported for a place: text inside a fenced block of a reply is reported as a hit of the block,
    /// not of the reply.
    fn reported_match(
        &self,
        at: Range<usize>,
        body: &str,
        (file, place): (i64, &StoredLocation),
        gathering: &mut HitCollector,
    ) -> Option<Range<usize>> {
        let message = (file, place.message);
        if place.kind == LocationKind::Reply {
            match self.wanted.sought.first_match(&location::prose(body)) {
                Some(in_prose) => return Some(in_prose),
                None if gathering.blocks.contains(&message) => return None,
                None => {}
            }
        }
        if place.kind == LocationKind::Block {
            gathering.blocks.insert(message);
        }
        Some(at)
    }

    fn is_wanted(&self, place: &StoredLocation) -> bool {
        let wanted = self.wanted;
        let same = |wanted: &Option<String>, is: Option<&str>| {
            wanted.as_ref().is_none_or(|wanted| is.is_some_and(|is| is.eq_ignore_ascii_case(wanted)))
        };
        wanted.is_within(place.at)
            && same(&wanted.language, place.language.as_deref())
            && same(&wanted.outcome, place.outcome.as_deref())
            && wanted
                .model
                .as_ref()
                .is_none_or(|model| place.model.to_lowercase().contains(&model.to_lowercase()))
    }

    /// The text at a place, as it is in the file now.
    fn text_at(&self, path: &Path, place: &StoredLocation) -> Option<String> {
        let file = disk::open_read(path).ok()?;
        let length = place.length.min(file.metadata().ok()?.len());
        let mut line = vec![0; usize::try_from(length).ok()?];
        file.read_exact_at(&mut line, place.start).ok()?;
        let (_, entry) = update::entry_of(line.strip_suffix(b"\n")?, path)?;
        let piece = location::pieces(&entry).into_iter().nth(place.part)?;
        (piece.kind == place.kind && piece.block == place.block)
            .then(|| update::indexed_text(self.masker, &piece))
    }
}

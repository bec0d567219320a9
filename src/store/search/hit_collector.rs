//! What is gathered while hits are looked for: which were found already, of which sessions, and what was compared.

use super::SearchHit;
use super::place::PlaceKind;
use super::words::RoughFilter;
use crate::domain::{BlockId, Timestamp};
use crate::store::file_stem;
use crate::store::index::{self, Summary};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Branches of branches that are followed to where they come from.
const MAX_BRANCH_DEPTH: usize = 64;

/// What is gathered while hits are looked for.
#[derive(Default)]
pub(super) struct HitCollector {
    pub(super) compared: usize,
    pub(super) rough: RoughFilter,
    /// How many hits of a file are told.
    pub(super) told: HashMap<i64, usize>,
    /// Replies of which a block is told.
    pub(super) blocks: HashSet<(i64, i64)>,
    pub(super) stale: HashSet<OsString>,
    pub(super) sessions: HashMap<PathBuf, Option<Summary>>,
    /// Blocks that were told by a filter alone, each with its file.
    pub(super) listed: HashSet<(i64, u32)>,
    /// What was told of sessions that are branches or have some, and where it stands among the hits.
    pub(super) shared: HashMap<SharedEntry, usize>,
}

/// An entry as it stands in a session and in each of its branches: the session that all of them come from, when it was
/// written, what it is, and the line of it that was found.
type SharedEntry = (String, Timestamp, PlaceKind, Option<BlockId>, u64, String);

impl HitCollector {
    pub(super) fn of_file(&self, file: i64) -> usize {
        self.told.get(&file).copied().unwrap_or_default()
    }

    /// The hit that tells of the same entry in a branch, or where the branch comes from; without one, this is the one at
    /// `next`.
    pub(super) fn earlier_hit(&mut self, folder: &Path, hit: &SearchHit, next: usize) -> Option<usize> {
        let SearchHit { session, place, at, line, .. } = hit;
        let mut root = session.id.clone();
        let mut left = session.branch_of.clone();
        for _ in 0..MAX_BRANCH_DEPTH {
            let Some(of) = left.take() else { break };
            let path = folder.join(format!("{}.jsonl", file_stem(&of)));
            left = self.session(&path).and_then(|session| session.branch_of);
            root = of;
        }
        let entry = (root, *at, place.kind, place.block, place.message, line.clone());
        match self.shared.entry(entry) {
            Entry::Occupied(told) => Some(*told.get()),
            Entry::Vacant(free) => {
                free.insert(next);
                None
            }
        }
    }

    pub(super) fn session(&mut self, path: &Path) -> Option<Summary> {
        self.sessions.entry(path.to_owned()).or_insert_with(|| index::of(path)).clone()
    }
}

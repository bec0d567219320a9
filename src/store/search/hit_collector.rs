//! Collects the state of a search: the hits so far, their sessions, and how much was compared.

use super::SearchHit;
use super::location::LocationKind;
use super::words::RoughFilter;
use crate::domain::{BlockId, Timestamp};
use crate::store::file_stem;
use crate::store::index::{self, Summary};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The most levels of branches that are followed to their origin.
const MAX_BRANCH_DEPTH: usize = 64;

#[derive(Default)]
pub(super) struct HitCollector {
    pub(super) compared: usize,
    pub(super) rough: RoughFilter,
    /// How many hits of each file were collected.
    pub(super) told: HashMap<i64, usize>,
    /// Replies that contain a block which is a hit.
    pub(super) blocks: HashSet<(i64, i64)>,
    pub(super) stale: HashSet<OsString>,
    pub(super) sessions: HashMap<PathBuf, Option<Summary>>,
    /// Blocks that were listed because of a filter alone, each with its file.
    pub(super) listed: HashSet<(i64, u32)>,
    /// For entries of sessions that are branches or have branches: the index of their hit.
    pub(super) shared: HashMap<SharedEntry, usize>,
}

/// Identifies an entry in a session and all its branches: the root session, the time, the kind, the block, the
/// message, and the line that matched.
type SharedEntry = (String, Timestamp, LocationKind, Option<BlockId>, u64, String);

impl HitCollector {
    pub(super) fn of_file(&self, file: i64) -> usize {
        self.told.get(&file).copied().unwrap_or_default()
    }

    /// The index of the hit for the same entry in another branch or in the origin. If there is none, this hit is
    /// recorded with index `next`.
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

//! Keeps the opened paths of blocks about files, from the inspection of each until it is settled.

use crate::domain::{BlockId, Revision};
use crate::workspace::held_path::HeldPath;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// The most paths that are held. Further blocks about files lose theirs and are asked about again.
const MAX_HELD: usize = 64;

/// The paths of waiting blocks, from the latest inspection of each until it is settled. They end with the process; in
/// a resumed session blocks are inspected again.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldBlockPaths(Arc<Mutex<VecDeque<BlockPaths>>>);

/// The paths of one version of a block.
#[derive(Debug)]
struct BlockPaths {
    block: BlockId,
    revision: Revision,
    paths: Vec<HeldPath>,
}

impl HeldBlockPaths {
    pub(super) fn hold(&self, block: BlockId, revision: Revision, paths: Vec<HeldPath>) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|known| (known.block, known.revision) != (block, revision));
        while held.len() >= MAX_HELD {
            held.pop_front();
        }
        held.push_back(BlockPaths { block, revision, paths });
    }

    /// Takes the paths of an approved block; drops those of its other versions.
    pub(super) fn take(&self, block: BlockId, revision: Revision) -> Vec<HeldPath> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = held.iter().position(|known| (known.block, known.revision) == (block, revision));
        let found = at.and_then(|at| held.remove(at));
        held.retain(|known| known.block != block);
        found.map(|found| found.paths).unwrap_or_default()
    }

    pub(super) fn release(&self, block: BlockId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|known| known.block != block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_places_are_held_and_each_ends_with_its_block() {
        let folder = tempfile::tempdir().unwrap();
        let paths = HeldBlockPaths::default();
        let at = |n: usize| (BlockId(u32::try_from(n).unwrap()), Revision(1));
        let hold = |n: usize| {
            let path = HeldPath::find(&folder.path().join(n.to_string())).unwrap();
            paths.hold(at(n).0, at(n).1, vec![path]);
        };
        (0..=MAX_HELD).for_each(hold);
        hold(MAX_HELD);
        assert!(paths.take(at(0).0, at(0).1).is_empty(), "the oldest was let go");
        let of = |n: usize| paths.take(at(n).0, at(n).1).pop().map(|path| path.path());
        assert!(of(MAX_HELD).is_some_and(|path| path.ends_with(MAX_HELD.to_string())));
        assert!(of(MAX_HELD).is_none(), "it is taken once");
        paths.release(at(1).0);
        assert!(of(1).is_none() && of(2).is_some());
    }
}

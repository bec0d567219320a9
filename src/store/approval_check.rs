//! Checks that the texts of blocks are those that were approved, by the hashes in the approvals.

use super::Fault;
use crate::domain::{BlockId, Entry, Revision, RunId, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// The hashes and approvals that were read so far.
#[derive(Debug, Default)]
pub(super) struct TextHashes {
    /// The hash of each version; `None` if the text is not complete, so that it can't be compared.
    hashes: BTreeMap<(BlockId, Revision), Option<Sha256>>,
    approved: BTreeSet<(BlockId, RunId)>,
}

impl TextHashes {
    /// Takes an entry; returns the fault if it contradicts what was read before.
    pub(super) fn check(&mut self, entry: &Entry) -> Option<Fault> {
        match entry {
            Entry::Block(block) => {
                for version in &block.versions {
                    self.version(
                        block.id,
                        version.revision,
                        &version.source,
                        block.origin.closed,
                        version.whole,
                    );
                }
                None
            }
            Entry::Edited { block, revision, source, whole }
            | Entry::Placed { block, revision, source, whole, .. } => {
                self.version(*block, *revision, source, true, *whole);
                None
            }
            Entry::LanguageChosen { block, revision, .. } => {
                let before = self.hashes.range((*block, Revision(0))..(*block, *revision)).next_back();
                let same = before.and_then(|(_, hash)| *hash);
                self.hashes.insert((*block, *revision), same);
                None
            }
            Entry::Approved { block, run, revision, sha256, .. } => {
                self.approved.insert((*block, *run));
                let known = self.hashes.get(&(*block, *revision)).copied().flatten()?;
                (known != *sha256).then_some(Fault::Contradicts(*block, *run))
            }
            Entry::Ran { block, run, .. } => {
                let known =
                    self.hashes.range((*block, Revision(0))..).next().is_some_and(|((of, _), _)| of == block);
                (known && !self.approved.contains(&(*block, *run)))
                    .then_some(Fault::ApprovalLost(*block, *run))
            }
            _ => None,
        }
    }

    /// A text that is not whole was cut off, or contains a mask. Only a whole one can be compared.
    fn version(&mut self, block: BlockId, revision: Revision, source: &str, closed: bool, whole: bool) {
        let hash = (closed && whole).then(|| Sha256::of(source.as_bytes()));
        self.hashes.insert((block, revision), hash);
    }
}

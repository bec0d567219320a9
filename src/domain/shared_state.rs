//! The state that a block shares with earlier blocks: an interpreter, or the folder and variables of a shell.

use super::BlockId;
use serde::{Deserialize, Serialize};

/// What is known of such a state.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SharedState {
    /// The blocks that ran in it, in order.
    pub blocks: BlockRanges,
    /// Changes by these blocks that affect all later code, in words: `builtins replaced: open`. Only what blocks
    /// commonly tamper with is checked: an empty list does not prove that nothing changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
}

impl SharedState {
    /// Records that a block began in it.
    pub(crate) fn add(&mut self, block: BlockId) {
        self.blocks.push(block);
    }

    /// The state, unless no block ran in it yet.
    pub(crate) fn if_any(&self) -> Option<Self> {
        (!self.blocks.is_empty()).then(|| self.clone())
    }
}

/// Blocks in the order in which they ran, with consecutive numbers joined to ranges. Each approval names all blocks of
/// its kernel: stored as lists, these would make a session grow with the square of its length.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Vec<BlockRange>", into = "Vec<BlockRange>")]
pub struct BlockRanges(Vec<(BlockId, BlockId)>);

impl BlockRanges {
    /// Adds a block, unless it was the last one added.
    pub(crate) fn push(&mut self, block: BlockId) {
        self.add(block, block);
    }

    /// Whether it contains no block.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first and the last block of each range, which may be the same.
    pub fn ranges(&self) -> &[(BlockId, BlockId)] {
        &self.0
    }

    fn add(&mut self, first: BlockId, last: BlockId) {
        match self.0.last_mut() {
            Some((_, end)) if *end == first => *end = last,
            Some((_, end)) if end.0.checked_add(1) == Some(first.0) => *end = last,
            _ => self.0.push((first, last)),
        }
    }
}

impl FromIterator<BlockId> for BlockRanges {
    fn from_iter<I: IntoIterator<Item = BlockId>>(blocks: I) -> Self {
        let mut all = Self::default();
        blocks.into_iter().for_each(|block| all.push(block));
        all
    }
}

/// A range as it is serialized: `3`, or `[1, 3]` for several blocks.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum BlockRange {
    One(BlockId),
    Several(BlockId, BlockId),
}

impl From<Vec<BlockRange>> for BlockRanges {
    fn from(written: Vec<BlockRange>) -> Self {
        let mut all = Self::default();
        for range in written {
            match range {
                BlockRange::One(block) => all.push(block),
                // A range that ends before it begins was not written by sayso.
                BlockRange::Several(first, last) => all.add(first, last.max(first)),
            }
        }
        all
    }
}

impl From<BlockRanges> for Vec<BlockRange> {
    fn from(all: BlockRanges) -> Self {
        let written = |(first, last)| {
            if first == last { BlockRange::One(first) } else { BlockRange::Several(first, last) }
        };
        all.0.into_iter().map(written).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> String {
        let read: BlockRanges = serde_json::from_str(text).unwrap();
        serde_json::to_string(&read).unwrap()
    }

    #[test]
    fn blocks_that_follow_each_other_are_written_as_a_range() {
        let all: BlockRanges = [1, 2, 3, 3, 7, 5, 6, 6, 7, u32::MAX].map(BlockId).into_iter().collect();
        let text = serde_json::to_string(&all).unwrap();
        assert_eq!(text, format!("[[1,3],7,[5,7],{}]", u32::MAX));
        assert_eq!(serde_json::from_str::<BlockRanges>(&text).unwrap(), all);
    }

    #[test]
    fn lists_of_single_blocks_are_read_and_no_range_goes_backwards() {
        assert_eq!(json("[1,2,3,5]"), "[[1,3],5]");
        assert_eq!(json("[[4,2],[5,4294967295],4294967295]"), "[[4,4294967295]]");
        assert_eq!(json("[]"), "[]");
    }
}

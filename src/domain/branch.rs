//! Branches: sessions that begin with a part of another session's entries and continue on their own.

use super::{BlockId, BranchPlace, Entry, Timestamp};
use std::str::FromStr;

/// The point in a session at which a branch begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BranchPoint {
    /// Behind all entries.
    #[default]
    End,
    /// Before the person's message with this number; the first is 1.
    Prompt(u32),
    /// Before the person's last message.
    LastPrompt,
    /// Before the first decision about this block, so that it waits for one again.
    Block(BlockId),
}

/// Why a session has no such point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoBranch {
    #[error("there is no block {0}")]
    Block(BlockId),
    /// It has no message with this number; the second number is that of the last one.
    #[error("there is no message {0}: the last one is {1}")]
    Prompt(u32, u32),
    /// It has no message at all.
    #[error("nothing was asked yet")]
    Empty,
}

/// Parses `block 3`, `3`, `message 2`, or the empty text, which means the end.
impl FromStr for BranchPoint {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim().to_lowercase().replace(':', " ");
        let mut words = text.split_whitespace();
        let named = "not a place: `block 3` or `message 2`";
        let point = match (words.next(), words.next()) {
            (None, _) => Self::End,
            (Some("message" | "prompt"), Some(number)) => Self::Prompt(number.parse().map_err(|_| named)?),
            (Some("block"), Some(number)) | (Some(number), None) => {
                Self::Block(BlockId(number.parse().map_err(|_| named)?))
            }
            _ => return Err(named),
        };
        if words.next().is_some() { Err(named) } else { Ok(point) }
    }
}

impl BranchPoint {
    /// How many of these entries a branch begins with.
    ///
    /// # Errors
    /// When there is no such point.
    pub(crate) fn count_entries(self, entries: &[(Timestamp, Entry)]) -> Result<usize, NoBranch> {
        let prompts = || entries.iter().enumerate().filter(|(_, entry)| is_prompt(entry)).map(|(at, _)| at);
        match self {
            Self::End => Ok(entries.len()),
            Self::LastPrompt => prompts().next_back().ok_or(NoBranch::Empty),
            Self::Prompt(number) => {
                let before = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
                let count = u32::try_from(prompts().count()).unwrap_or(u32::MAX);
                let fault = if count == 0 { NoBranch::Empty } else { NoBranch::Prompt(number, count) };
                before.and_then(|before| prompts().nth(before)).ok_or(fault)
            }
            Self::Block(block) => {
                let is_it =
                    |(_, entry): &(Timestamp, Entry)| matches!(entry, Entry::Block(one) if one.id == block);
                let proposed = entries.iter().position(is_it).ok_or(NoBranch::Block(block))?;
                let behind = entries.get(proposed..).unwrap_or_default();
                let decided = behind.iter().position(|(_, entry)| decides(entry) == Some(block));
                // A block that nobody decided about still waits at the end, whatever was said since.
                Ok(decided.map_or(entries.len(), |at| proposed + at))
            }
        }
    }

    /// How the header of the branch records this point, given the entries that the branch begins with.
    pub(crate) fn branch_place(self, begins: &[(Timestamp, Entry)]) -> BranchPlace {
        if let Self::Block(block) = self {
            return BranchPlace::Block(block);
        }
        let prompts = begins.iter().filter(|entry| is_prompt(entry)).count();
        BranchPlace::Message(u32::try_from(prompts).unwrap_or(u32::MAX).saturating_add(1))
    }
}

fn is_prompt((_, entry): &(Timestamp, Entry)) -> bool {
    matches!(entry, Entry::Prompt(_))
}

/// The block that an entry of the person decides about or changes.
fn decides(entry: &Entry) -> Option<BlockId> {
    match entry {
        Entry::Approved { block, .. }
        | Entry::Rejected { block, .. }
        | Entry::Skipped { block, .. }
        | Entry::Declined { block, .. }
        | Entry::Edited { block, .. } => Some(*block),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_told_in_words() {
        for (text, point) in [
            ("", BranchPoint::End),
            ("3", BranchPoint::Block(BlockId(3))),
            ("block 3", BranchPoint::Block(BlockId(3))),
            ("Block:3", BranchPoint::Block(BlockId(3))),
            (" message 2 ", BranchPoint::Prompt(2)),
        ] {
            assert_eq!(text.parse(), Ok(point), "{text}");
        }
        for text in ["x", "block", "block x", "block 3 4", "-1", "message"] {
            assert!(text.parse::<BranchPoint>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_session_is_cut_before_words_and_before_decisions() {
        let at = |entry| (Timestamp(0), entry);
        let entries = [
            at(Entry::Resumed),
            at(Entry::Prompt("one".into())),
            at(Entry::KernelRestarted),
            at(Entry::Prompt("two".into())),
        ];
        assert_eq!(BranchPoint::End.count_entries(&entries), Ok(4));
        assert_eq!(BranchPoint::Prompt(1).count_entries(&entries), Ok(1));
        assert_eq!(BranchPoint::Prompt(2).count_entries(&entries), Ok(3));
        assert_eq!(BranchPoint::LastPrompt.count_entries(&entries), Ok(3));
        assert_eq!(BranchPoint::Prompt(3).count_entries(&entries), Err(NoBranch::Prompt(3, 2)));
        assert_eq!(BranchPoint::Prompt(0).count_entries(&entries), Err(NoBranch::Prompt(0, 2)));
        assert_eq!(BranchPoint::LastPrompt.count_entries(&[]), Err(NoBranch::Empty));
        assert_eq!(BranchPoint::Prompt(3).count_entries(&entries[..1]), Err(NoBranch::Empty));
        assert_eq!(BranchPoint::Block(BlockId(7)).count_entries(&entries), Err(NoBranch::Block(BlockId(7))));
        assert_eq!(BranchPoint::LastPrompt.branch_place(&entries[..3]).to_string(), "message 2");
        assert_eq!(BranchPoint::End.branch_place(&entries).to_string(), "message 3");
        assert_eq!(BranchPoint::Block(BlockId(7)).branch_place(&entries).to_string(), "block 7");
    }
}

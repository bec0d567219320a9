//! What the acts of a text did so far.

use crate::domain::Effects;
use crate::review::links::MadeLinks;
use crate::review::value::Act;
use crate::review::written::WrittenTexts;
use std::collections::HashSet;

/// What earlier acts did: reported to the person, and used when later acts are judged.
#[derive(Debug, Default)]
pub(in crate::review) struct ActHistory {
    pub(in crate::review) effects: Effects,
    /// Files that were created or overwritten.
    pub(super) made: HashSet<String>,
    /// Files that were downloaded.
    pub(super) fetched: HashSet<String>,
    /// Texts that were written into files.
    pub(super) written: WrittenTexts,
    /// Unknown programs and options that were already reported.
    untold: HashSet<String>,
    /// Links that were made.
    pub(super) links: MadeLinks,
    /// Whether more files or links were made than are remembered, so that later acts may mean more than is told.
    pub(in crate::review) is_cut: bool,
}

impl ActHistory {
    /// Marks the effects as unknown if the act is an unknown program or file. Returns true if it needs no further
    /// judging: the block itself wrote the file, or it was reported before.
    pub(super) fn note_unknown(&mut self, act: &Act) -> bool {
        self.effects.unknown |= act.name == "@project";
        if act.name != "@unknown" {
            return false;
        }
        if act.named.iter().any(|(name, _)| name == "file") && self.written.holds(act) {
            return true;
        }
        self.effects.unknown = true;
        let name =
            act.arguments.first().and_then(|argument| argument.value.as_whole_text()).unwrap_or_default();
        self.untold.len() >= 256 || !self.untold.insert(name.to_owned())
    }
}

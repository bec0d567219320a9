//! What came of the acts of a text so far.

use crate::domain::Effects;
use crate::review::links::MadeLinks;
use crate::review::value::Act;
use crate::review::written::WrittenTexts;
use std::collections::HashSet;

/// What came of the acts before: told to the person, and looked at when the next one is judged.
#[derive(Debug, Default)]
pub(in crate::review) struct ActHistory {
    pub(in crate::review) effects: Effects,
    /// Files that were made or written anew.
    pub(super) made: HashSet<String>,
    /// Files that were downloaded.
    pub(super) fetched: HashSet<String>,
    /// Texts that were written into files.
    pub(super) written: WrittenTexts,
    /// Programs and options of which was told that nothing is known.
    untold: HashSet<String>,
    /// Links that were made.
    pub(super) links: MadeLinks,
}

impl ActHistory {
    /// Notes what is not known of a program or file. Whether nothing is left to say of it: the block wrote the file, or it
    /// was told.
    pub(super) fn note_unknown(&mut self, act: &Act) -> bool {
        if act.name == "@project" {
            self.effects.unknown = true;
        }
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

//! Whether a protected file holds what was agreed on: by the hashes that were taken right before and right after each run.
//! What a receipt says of files is believed only where there are no hashes, in sessions of older versions.

use crate::domain::Sha256;

/// The content of a file; `None`: it is not there.
type Hash = Option<Sha256>;

/// What is known of a run and a file.
pub(super) struct FileObservation {
    /// Its content before and after.
    pub(super) hashes: Option<(Hash, Hash)>,
    /// What was approved to be written to it, where that was done.
    pub(super) written: Hash,
    /// Whether the receipt lists it.
    pub(super) listed: bool,
    /// Whether the block is the recipe's own.
    pub(super) own: bool,
    /// Whether the model ran it in the step that makes the file.
    pub(super) makes: bool,
    /// Whether the person was shown that it changes the file.
    pub(super) told: bool,
    /// Whether they typed the word for it in a step that protects it.
    pub(super) agreed: bool,
}

/// A file as runs left it, one after the other.
#[derive(Default)]
pub(super) struct ProtectedContent {
    /// What was agreed on; `None`: that is not known yet.
    agreed: Option<Hash>,
    /// What it was after the newest run.
    newest: Option<Hash>,
    /// The place of the run with which it is another; `None`: it is as agreed.
    pub(super) changed: Option<usize>,
}

impl ProtectedContent {
    /// The person wants it as it is.
    pub(super) fn keep(&mut self) {
        (self.agreed, self.changed) = (self.newest, None);
    }

    /// A run ended at this place.
    pub(super) fn note_run(&mut self, at: usize, seen: &FileObservation) {
        match seen.hashes {
            Some((before, after)) => self.hashed(at, seen, before, after),
            None => self.listed(at, seen),
        }
    }

    fn hashed(&mut self, at: usize, seen: &FileObservation, before: Hash, after: Hash) {
        let agreed = *self.agreed.get_or_insert(before);
        // In the step that makes the file, what was not shown is no more agreed to than elsewhere.
        if seen.agreed || seen.makes && seen.told {
            (self.agreed, self.changed) = (Some(after), None);
        } else if after != agreed || seen.own && before != agreed {
            // One that stays as another run left it was changed there.
            if self.changed.is_none() || self.newest != Some(after) {
                self.changed = Some(at);
            }
        } else {
            self.changed = None;
        }
        self.newest = Some(after);
    }

    fn listed(&mut self, at: usize, seen: &FileObservation) {
        if !seen.listed {
            return;
        }
        let written = seen.written.map(Some);
        if seen.makes || seen.agreed {
            (self.agreed, self.changed) = (written, None);
        } else if written.is_some() && written == self.agreed {
            self.changed = None;
        } else {
            self.changed = Some(at);
        }
        self.newest = written;
    }
}

//! Decides whether a protected file still holds what was agreed on, by the hashes taken right before and after each
//! run. The list of files in a receipt counts only where there are no hashes, in sessions of older versions.

use crate::domain::Sha256;

/// The hash of a file; `None` if the file does not exist.
type Hash = Option<Sha256>;

/// What one run shows about one file.
pub(super) struct FileObservation {
    /// The hashes before and after the run.
    pub(super) hashes: Option<(Hash, Hash)>,
    /// The hash of the text that was approved to be written, if the run wrote it.
    pub(super) written: Hash,
    /// Whether the receipt lists the file as changed.
    pub(super) listed: bool,
    /// Whether the block is the recipe's own.
    pub(super) own: bool,
    /// Whether it is a block of the model in the step that writes the file.
    pub(super) makes: bool,
    /// Whether the person could see beforehand that the block changes the file.
    pub(super) told: bool,
    /// Whether the person typed the word for this change in a step that protects the file.
    pub(super) agreed: bool,
}

/// The content of a file, followed from run to run.
#[derive(Default)]
pub(super) struct ProtectedContent {
    /// What was agreed on; `None` if not known yet.
    agreed: Option<Hash>,
    /// The content after the newest run.
    newest: Option<Hash>,
    /// The index of the run that changed it; `None` if it is as agreed.
    pub(super) changed: Option<usize>,
}

impl ProtectedContent {
    /// The person keeps the current content.
    pub(super) fn keep(&mut self) {
        (self.agreed, self.changed) = (self.newest, None);
    }

    /// A run ended at this index.
    pub(super) fn note_run(&mut self, at: usize, seen: &FileObservation) {
        match seen.hashes {
            Some((before, after)) => self.hashed(at, seen, before, after),
            None => self.listed(at, seen),
        }
    }

    fn hashed(&mut self, at: usize, seen: &FileObservation, before: Hash, after: Hash) {
        let agreed = *self.agreed.get_or_insert(before);
        // Even in the step that writes the file, a change the person could not see is not agreed to.
        if seen.agreed || seen.makes && seen.told {
            (self.agreed, self.changed) = (Some(after), None);
        } else if after != agreed || seen.own && before != agreed {
            // If the content did not change since the last run, the change keeps its earlier index.
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

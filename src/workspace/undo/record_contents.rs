//! Reads what a record says: the changes of a run with their present states, their texts, and what a file held before
//! the run.

use super::opener::Opener;
use super::present_state::standing;
use super::record::{FileState, PathChange};
use super::snapshot::state_of;
use super::{TextPair, UndoStore, is_in_gone};
use crate::domain::{Sha256, UndoChange, UndoState};
use std::io;
use std::path::Path;

const MAX_COMPARED_BYTES: u64 = 1 << 20;

impl UndoStore {
    /// The changes of a record, and the present state of each.
    ///
    /// # Errors
    /// When the record does not exist any more.
    pub(crate) fn changes(&mut self, record: Sha256) -> io::Result<Vec<UndoChange>> {
        self.clear()?;
        let (record, working) = (self.read(record)?, self.config.working.clone());
        let (objects, index) = self.open()?;
        let mut opener = Opener::default();
        let is_gone = is_in_gone(&working);
        let changes = record.changes.iter().enumerate().filter(|(at, _)| record.is_listed(*at));
        let changes = changes.map(|(at, change)| UndoChange {
            number: u32::try_from(at).unwrap_or(u32::MAX),
            path: change.display_path(&working),
            change: change_word(change),
            bytes: if change.after == FileState::Nothing {
                change.before.bytes()
            } else {
                change.after.bytes()
            },
            standing: if is_gone(&change.path) {
                UndoState::FolderGone
            } else {
                standing(change, &record, objects, index, &mut opener)
            },
        });
        let changes = changes.collect();
        index.save();
        Ok(changes)
    }

    /// The texts of one change.
    ///
    /// # Errors
    /// When the record does not exist any more.
    pub(crate) fn texts(&mut self, record: Sha256, number: u32) -> io::Result<TextPair> {
        let record = self.read(record)?;
        let (objects, index) = self.open()?;
        let Some(change) = record.changes.get(number as usize) else { return Ok((None, None)) };
        let mut opener = Opener::default();
        let now = state_of(&change.path, opener.node(&change.path).as_ref(), &mut opener, index);
        let mut text = |state: &FileState| -> Option<String> {
            let bytes = match state {
                FileState::Nothing => Vec::new(),
                FileState::Link { to } => format!("link to {}\n", to.display()).into_bytes(),
                FileState::Folder { .. } => b"folder\n".to_vec(),
                FileState::File { bytes, .. } if *bytes > MAX_COMPARED_BYTES => return None,
                FileState::File { sha256, bytes, .. } if objects.has_and_touch(*sha256, *bytes) => {
                    objects.get(*sha256, MAX_COMPARED_BYTES).ok()?
                }
                // The content that the run left is not among the copies until the change is taken back, so it is read
                // from the file.
                FileState::File { .. } if state.is_met_by(&now) => {
                    let mut bytes = Vec::new();
                    let file = opener.open(&change.path).ok()?;
                    io::Read::read_to_end(&mut io::Read::take(file, MAX_COMPARED_BYTES), &mut bytes).ok()?;
                    bytes
                }
                FileState::File { .. } | FileState::Unkept { .. } => return None,
            };
            String::from_utf8(bytes).ok()
        };
        Ok((text(&change.before), text(&change.after)))
    }

    /// The content and the mode of a file before the run of this record; `None` if it was no file, is larger than
    /// `most`, or has no copy.
    pub(crate) fn before(&mut self, record: Sha256, path: &Path, most: u64) -> Option<(Vec<u8>, u32)> {
        let record = self.read(record).ok()?;
        let (objects, _) = self.open().ok()?;
        match record.changes.iter().find(|change| change.path == path)?.before {
            FileState::File { sha256, bytes, access }
                if bytes <= most && objects.has_and_touch(sha256, bytes) =>
            {
                Some((objects.get(sha256, most).ok()?, access.mode))
            }
            _ => None,
        }
    }
}

/// The kind of a change, in one word.
fn change_word(change: &PathChange) -> &'static str {
    match (&change.before, &change.after) {
        (FileState::Nothing, _) => "created",
        (_, FileState::Nothing) => "deleted",
        _ => "changed",
    }
}

//! Writes one entry as one line, and a long output into a file beside the session file.

use super::Writer;
use crate::domain::{Entry, MaskedValue, Timestamp};
use crate::store::error::StoreError;
use crate::store::wire::{self, SealedLine};
use crate::store::{disk, masked_message};
use std::collections::BTreeSet;
use std::io::Write as _;

impl Writer {
    pub(super) fn write_line(&mut self, at: Timestamp, entry: Entry) -> Result<(), StoreError> {
        let entry = self.masker.mask(entry);
        let mut kinds = entry.kinds().clone();
        let output = match &*entry {
            Entry::Ran { report, .. } => {
                wire::blob_for(&report.output, &self.masker, || format!("output-{}.log", self.link.seq))
            }
            _ => None,
        };
        if let Some(blob) = &output {
            self.write_blob(&blob.name, &blob.bytes)?;
            kinds.extend(blob.bytes.kinds());
        }
        let mut fields = wire::encode(&entry, &self.place.blobs, output.as_ref())
            .map_err(|error| StoreError::NotSaved(error.to_string()))?;
        let is_message = matches!(&*entry, Entry::Prompt(_) | Entry::Reply { .. });
        if is_message {
            fields = fields
                .with("message", self.messages + 1)
                .with("blocks", self.blocks)
                .with_some("session", self.name.as_deref());
        }
        let fields = self.masker.mask(fields);
        kinds.extend(fields.kinds());
        let (line, next) = wire::seal(self.link.clone(), at, &fields, !kinds.is_empty() || is_masked(&entry));
        self.write_bytes(&line)?;
        self.unsynced.extend_from_slice(line.bytes());
        self.link = next;
        self.messages += u64::from(is_message);
        self.blocks = self.blocks.max(block_number(&entry));
        self.tell_masked(&entry, kinds);
        if let Entry::Renamed(name) = entry.into_inner() {
            self.name = Some(name);
        }
        Ok(())
    }

    /// Reports what was masked, and where. Each report is shown once, even if a masked name is written with every
    /// message.
    fn tell_masked(&self, entry: &Entry, kinds: BTreeSet<&'static str>) {
        if !kinds.is_empty() {
            self.news.add(masked_message(entry, &kinds));
        }
    }

    fn write_bytes(&mut self, line: &SealedLine) -> Result<(), StoreError> {
        let Some(file) = &mut self.file else { return Err(StoreError::Closed) };
        file.write_all(line.bytes()).map_err(|error| {
            // A part of the line may have been written.
            self.dirty_end = true;
            StoreError::io(&self.place.path, "written", error)
        })
    }

    fn write_blob(&self, name: &str, bytes: &MaskedValue<Vec<u8>>) -> Result<(), StoreError> {
        disk::make_folder(&self.place.blobs)?;
        let path = self.place.blobs.join(name);
        let mut file = disk::replace(&path)?;
        let written = file.write_all(bytes).and_then(|()| file.sync_data());
        written.and_then(|()| disk::sync_folder(&self.place.blobs)).map_err(|error| {
            std::fs::remove_file(&path).ok();
            StoreError::io(&path, "written", error)
        })
    }
}

/// Whether a text of the entry was masked before, in the file that it was read from.
fn is_masked(entry: &Entry) -> bool {
    match entry {
        Entry::Edited { whole, .. } | Entry::Placed { whole, .. } => !whole,
        _ => false,
    }
}

fn block_number(entry: &Entry) -> u32 {
    if let Entry::Block(block) = entry { block.id.0 } else { 0 }
}

//! Makes what was written durable, and restores the file after a failure.

use super::Writer;
use crate::store::disk;
use crate::store::error::StoreError;
use crate::store::seal::SealState;
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

impl Writer {
    /// Syncs everything written so far, so that it survives a loss of power.
    pub(super) fn try_sync(&mut self) -> Result<(), StoreError> {
        let Some(file) = &self.file else { return Ok(()) };
        let failed = |error| StoreError::io(&self.place.path, "written", error);
        if file.metadata().map_err(failed)?.nlink() == 0 {
            return Err(StoreError::NotSaved("its file was deleted".into()));
        }
        if self.unsynced.is_empty() {
            return Ok(());
        }
        if let Err(error) = file.sync_data() {
            // What the system dropped has to be written again: a second sync alone would find nothing to do.
            self.dirty_end = true;
            return Err(failed(error));
        }
        if self.synced == 0 {
            disk::sync_folder(&self.place.folder).map_err(failed)?;
        }
        self.synced += self.unsynced.len() as u64;
        self.unsynced.clear();
        self.link.sealing.iter().for_each(SealState::note_last_line);
        Ok(())
    }

    /// Restores the file after a failure.
    pub(super) fn mend(&mut self) -> Result<(), StoreError> {
        self.make_again_if_deleted()?;
        if !self.dirty_end {
            return Ok(());
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        let lines = std::mem::take(&mut self.unsynced);
        let written = file.set_len(self.synced).and_then(|()| file.write_all(&lines));
        self.unsynced = lines;
        written.map_err(|error| StoreError::io(&self.place.path, "written", error))?;
        self.dirty_end = false;
        Ok(())
    }

    /// If the file was deleted, it is created again from what can still be read through the open descriptor.
    fn make_again_if_deleted(&mut self) -> Result<(), StoreError> {
        let path: &Path = &self.place.path;
        let Some(old) = &mut self.file else { return Ok(()) };
        let failed = |error| StoreError::io(path, "written", error);
        if old.metadata().map_err(failed)?.nlink() > 0 {
            return Ok(());
        }
        let mut synced = Vec::new();
        old.rewind().and_then(|()| old.take(self.synced).read_to_end(&mut synced)).map_err(failed)?;
        disk::make_folder(&self.place.folder)?;
        let mut new = disk::create_new(path)?;
        new.write_all(&synced).map_err(|error| {
            std::fs::remove_file(path).ok();
            failed(error)
        })?;
        (self.file, self.dirty_end) = (Some(new), true);
        Ok(())
    }
}

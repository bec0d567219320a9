//! Drops the objects used longest ago when they take too much of the disk or are too many.

use super::{NOTE_INTERVAL, Objects};
use crate::domain::Sha256;
use std::collections::HashSet;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// The least that an object counts: one block of the file system.
pub(super) const BLOCK_BYTES: u64 = 4 << 10;
/// The most objects, so that many small ones do not use up the file system's inodes.
const MAX_OBJECTS: usize = 200_000;

impl Objects {
    /// Counts a content of this size that was stored.
    pub(super) fn count(&self, bytes: u64) {
        let (all, count) = self.added.get();
        self.added.set((all + disk_usage(bytes), count + 1));
    }

    /// Drops the objects used longest ago until at most `most` bytes are left; those in `needed` stay. The objects
    /// are only counted when they could be too many.
    pub(in crate::workspace::undo) fn evict_to(&self, most: u64, needed: &HashSet<Sha256>) {
        let (added, count) = self.added.get();
        if self.counted.get().is_some_and(|bytes| bytes + added <= most && count < MAX_OBJECTS / 10) {
            return;
        }
        self.added.set((0, 0));
        self.counted.set(Some(self.drop_oldest(most, needed)));
    }

    fn drop_oldest(&self, most: u64, needed: &HashSet<Sha256>) -> u64 {
        let (mut all, mut bytes) = (Vec::new(), 0);
        for folder in std::fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if !folder.file_type().is_ok_and(|kind| kind.is_dir()) {
                remove_left(&folder.path());
                continue;
            }
            for entry in std::fs::read_dir(folder.path()).into_iter().flatten().flatten() {
                let Ok(info) = entry.metadata() else { continue };
                let name = format!("{}{}", folder.file_name().display(), entry.file_name().display());
                let size = disk_usage(info.len());
                bytes += size;
                all.push(((info.mtime(), info.mtime_nsec()), size, Sha256::parse(&name), entry.path()));
            }
        }
        if bytes <= most && all.len() <= MAX_OBJECTS {
            return bytes;
        }
        all.sort_by_key(|(used, ..)| *used);
        let mut left = all.len();
        for (_, size, sha256, path) in all {
            if bytes <= most && left <= MAX_OBJECTS {
                break;
            }
            let is_needed = sha256.is_some_and(|sha256| needed.contains(&sha256));
            if !is_needed && std::fs::remove_file(path).is_ok() {
                (bytes, left) = (bytes - size, left - 1);
            }
        }
        bytes
    }
}

/// Removes what an interrupted process left here.
fn remove_left(path: &Path) {
    let age = path.metadata().and_then(|info| info.modified()).ok().and_then(|at| at.elapsed().ok());
    if path.extension().is_some_and(|end| end == "part") && age.is_some_and(|age| age > NOTE_INTERVAL) {
        std::fs::remove_file(path).ok();
    }
}

/// The disk space that a content takes.
fn disk_usage(bytes: u64) -> u64 {
    bytes.next_multiple_of(BLOCK_BYTES).max(BLOCK_BYTES)
}

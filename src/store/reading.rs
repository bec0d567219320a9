//! Shared by the thread that reads a session's file and those who wait for it: the progress, and whether to stop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The reading of one file.
#[derive(Debug, Default)]
pub struct ReadProgress {
    read: AtomicU64,
    of: AtomicU64,
    stopped: AtomicBool,
}

impl ReadProgress {
    /// The bytes that were read, and the bytes of the file.
    pub(crate) fn progress(&self) -> (u64, u64) {
        (self.read.load(Ordering::Relaxed), self.of.load(Ordering::Relaxed))
    }

    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether the reading was not stopped.
    pub(crate) fn is_wanted(&self) -> bool {
        !self.stopped.load(Ordering::Relaxed)
    }

    pub(super) fn begin(&self, of: u64) {
        self.read.store(0, Ordering::Relaxed);
        self.of.store(of, Ordering::Relaxed);
    }

    pub(super) fn add(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }
}

//! How far the reading of a session's file is, and that it is to be stopped: shared with who waits for it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The reading of one file.
#[derive(Debug, Default)]
pub struct Reading {
    read: AtomicU64,
    of: AtomicU64,
    stopped: AtomicBool,
}

impl Reading {
    /// Bytes that were read, and bytes of the file.
    pub(crate) fn progress(&self) -> (u64, u64) {
        (self.read.load(Ordering::Relaxed), self.of.load(Ordering::Relaxed))
    }

    /// The file is not wanted any more.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether it is still wanted.
    pub(crate) fn goes_on(&self) -> bool {
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

//! Requests of which only the newest is answered ([`NewestOnly`]).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of requests so far.
#[derive(Clone, Debug, Default)]
pub(super) struct NewestOnly(Arc<AtomicU64>);

#[derive(Clone, Debug)]
pub(super) struct RequestTicket {
    number: u64,
    asked: Arc<AtomicU64>,
}

impl NewestOnly {
    pub(super) fn ask(&self) -> RequestTicket {
        let number = self.0.fetch_add(1, Ordering::AcqRel) + 1;
        RequestTicket { number, asked: self.0.clone() }
    }
}

impl RequestTicket {
    /// Whether no newer request was made.
    pub(super) fn is_newest(&self) -> bool {
        self.asked.load(Ordering::Acquire) == self.number
    }
}

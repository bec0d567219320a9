//! Counts requests to providers: every connection adds to the count; code that tells the person what left this
//! computer reads it.

use super::server::CheckedServer;
use crate::config::is_loopback;
use crate::domain::{RequestCounter, RequestCounts};

static LEDGER: RequestCounter = RequestCounter::new();

/// A request that is being sent. It counts when this is dropped, as what hangs or is given up may have been sent.
pub(super) struct RequestCount<'a>(Option<&'a CheckedServer>);

impl<'a> RequestCount<'a> {
    pub(super) fn new(access: &'a CheckedServer) -> Self {
        Self(Some(access))
    }

    /// Nothing of the request was sent.
    pub(super) fn never_sent(mut self) {
        self.0 = None;
    }
}

impl Drop for RequestCount<'_> {
    fn drop(&mut self) {
        if let Some(access) = self.0 {
            LEDGER.count(&access.identity.host, is_loopback(access.url.as_str()));
        }
    }
}

/// The requests sent so far.
pub fn requests_sent() -> RequestCounts {
    LEDGER.counts()
}

//! Counts requests to providers: every connection adds to the count; code that tells the person what left this
//! computer reads it.

use super::address;
use super::server::Access;
use crate::domain::{RequestCounter, RequestCounts};

static LEDGER: RequestCounter = RequestCounter::new();

/// Counts one more request to this server.
pub(super) fn count_request(access: &Access) {
    LEDGER.count(&access.asked.host, address::is_loopback(&access.url));
}

/// The requests sent so far.
pub fn requests_sent() -> RequestCounts {
    LEDGER.counts()
}

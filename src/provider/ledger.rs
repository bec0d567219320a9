//! The count of requests to providers: every connection writes here, whoever tells what left this computer reads here.

use super::address;
use super::server::Access;
use crate::domain::{Ledger, RequestCounts};

static LEDGER: Ledger = Ledger::new();

/// One more request went out to this server.
pub(super) fn count_request(access: &Access) {
    LEDGER.count(&access.asked.host, address::is_loopback(&access.url));
}

/// What went out until now.
pub fn requests_sent() -> RequestCounts {
    LEDGER.departed()
}

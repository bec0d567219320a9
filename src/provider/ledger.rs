//! The one count of requests that went out of this process: every connection writes here, whoever tells what left this
//! computer reads here.

use super::address;
use super::server::Access;
use crate::domain::Departed;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

static DEPARTED: Mutex<Departed> = Mutex::new(Departed { far: BTreeMap::new(), near: BTreeMap::new() });

/// One more request went out to this server.
pub(super) fn count(access: &Access) {
    let is_near = address::is_loopback(&access.url);
    DEPARTED.lock().unwrap_or_else(PoisonError::into_inner).count(&access.asked.host, is_near);
}

/// What went out until now.
pub fn departed() -> Departed {
    DEPARTED.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

//! Counts the requests that sayso itself sent, at the point where they are sent.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Requests by host. A request counts once its connection was established, answered or not.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct RequestCounts {
    /// Requests to other computers.
    pub far: BTreeMap<String, u64>,
    /// Requests to this computer.
    pub near: BTreeMap<String, u64>,
}

impl RequestCounts {
    /// Counts one more request to this host.
    pub fn count(&mut self, host: &str, is_near: bool) {
        let hosts = if is_near { &mut self.near } else { &mut self.far };
        *hosts.entry(host.to_owned()).or_default() += 1;
    }

    /// Adds the counts of both.
    #[must_use]
    pub(crate) fn and(mut self, others: RequestCounts) -> RequestCounts {
        for (mine, others) in [(&mut self.far, others.far), (&mut self.near, others.near)] {
            for (host, requests) in others {
                *mine.entry(host).or_default() += requests;
            }
        }
        self
    }
}

/// The counter of an I/O room: it counts requests as they are sent.
#[derive(Debug)]
pub(crate) struct Ledger(Mutex<RequestCounts>);

impl Ledger {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(RequestCounts { far: BTreeMap::new(), near: BTreeMap::new() }))
    }

    /// Counts one more request to this host.
    pub(crate) fn count(&self, host: &str, is_near: bool) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).count(host, is_near);
    }

    /// The requests sent so far.
    pub(crate) fn departed(&self) -> RequestCounts {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Whether a request was sent before it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Departure {
    /// Nothing of it was sent.
    Never,
    /// It was sent, at least in part.
    Left,
    /// Not known. Session files never contain this value.
    #[default]
    #[serde(other)]
    Unknown,
}

impl Departure {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
    pub(crate) fn is_unknown(&self) -> bool {
        *self == Departure::Unknown
    }
}

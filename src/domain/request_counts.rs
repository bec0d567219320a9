//! Counts the requests that sayso itself sent, at the point where they are sent.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Requests by host. A request counts once its connection was established, answered or not.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct RequestCounts {
    /// Requests to other computers.
    pub remote: BTreeMap<String, u64>,
    /// Requests to this computer.
    pub local: BTreeMap<String, u64>,
}

impl RequestCounts {
    /// Counts one more request to this host.
    pub fn count(&mut self, host: &str, is_local: bool) {
        let hosts = if is_local { &mut self.local } else { &mut self.remote };
        *hosts.entry(host.to_owned()).or_default() += 1;
    }

    /// Adds the counts of both.
    #[must_use]
    pub(crate) fn and(mut self, others: RequestCounts) -> RequestCounts {
        for (mine, others) in [(&mut self.remote, others.remote), (&mut self.local, others.local)] {
            for (host, requests) in others {
                *mine.entry(host).or_default() += requests;
            }
        }
        self
    }
}

/// The counter of an I/O room: it counts requests as they are sent.
#[derive(Debug)]
pub(crate) struct RequestCounter(Mutex<RequestCounts>);

impl RequestCounter {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(RequestCounts { remote: BTreeMap::new(), local: BTreeMap::new() }))
    }

    /// Counts one more request to this host.
    pub(crate) fn count(&self, host: &str, is_local: bool) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).count(host, is_local);
    }

    /// The requests sent so far.
    pub(crate) fn counts(&self) -> RequestCounts {
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
    #[serde(rename = "left")]
    Sent,
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

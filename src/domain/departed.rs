//! Which requests of sayso's own went out, as counted where they are sent.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Requests by the host that they went to. A request counts once its connection stood, whether it was answered or not.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct RequestCounts {
    /// Requests to hosts elsewhere.
    pub far: BTreeMap<String, u64>,
    /// Requests to this computer itself.
    pub near: BTreeMap<String, u64>,
}

impl RequestCounts {
    /// One more request went to this host.
    pub fn count(&mut self, host: &str, is_near: bool) {
        let hosts = if is_near { &mut self.near } else { &mut self.far };
        *hosts.entry(host.to_owned()).or_default() += 1;
    }

    /// These and others together.
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

/// Where the requests of a room of I/O are counted as they are sent.
#[derive(Debug)]
pub(crate) struct Ledger(Mutex<RequestCounts>);

impl Ledger {
    /// One in which nothing is counted yet.
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(RequestCounts { far: BTreeMap::new(), near: BTreeMap::new() }))
    }

    /// One more request went to this host.
    pub(crate) fn count(&self, host: &str, is_near: bool) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).count(host, is_near);
    }

    /// What went out until now.
    pub(crate) fn departed(&self) -> RequestCounts {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Default for Ledger {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether a request went out before it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Departure {
    /// Nothing of it did.
    Never,
    /// It did, or some of it.
    Left,
    /// That is not known. It stands in no file.
    #[default]
    #[serde(other)]
    Unknown,
}

impl Departure {
    /// Whether that is not known.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
    pub(crate) fn is_unknown(&self) -> bool {
        *self == Departure::Unknown
    }
}

//! The one count of what went from executors to servers that are reached over the network: a Jupyter Server, an engine of
//! containers elsewhere. Whoever tells what left this computer reads here.

use crate::domain::Departed;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

static DEPARTED: Mutex<Departed> = Mutex::new(Departed { far: BTreeMap::new(), near: BTreeMap::new() });

/// One more request or message went out to this host: a name or an address, with its port where it has one.
pub(super) fn count(host: &str) {
    DEPARTED.lock().unwrap_or_else(PoisonError::into_inner).count(host, is_near(host));
}

/// What went out until now.
pub fn departed() -> Departed {
    DEPARTED.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Whether a host is this computer.
fn is_near(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name == "localhost" || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_is_told_by_its_name() {
        for host in ["localhost", "localhost:8888", "127.0.0.1:2375", "[::1]:8888", "127.3.2.1"] {
            assert!(is_near(host), "{host}");
        }
        for host in ["jupyter.example", "10.0.0.7:2376", "[2001:db8::1]:8888", "localhost.example:1", ""] {
            assert!(!is_near(host), "{host}");
        }
    }

    #[test]
    fn what_went_out_is_counted_by_host() {
        count("counted.example:8888");
        count("counted.example:8888");
        assert_eq!(departed().far.get("counted.example:8888"), Some(&2));
    }
}

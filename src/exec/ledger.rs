//! The count of what went from executors to servers that are reached over the network: a Jupyter Server, an engine of
//! containers elsewhere. Whoever tells what left this computer reads here.

#[cfg(any(feature = "docker", feature = "jupyter"))]
use crate::config::is_loopback;
use crate::domain::{Ledger, RequestCounts};

static LEDGER: Ledger = Ledger::new();

/// One more request or message went out to this host: a name or an address, with its port where it has one.
#[cfg(any(feature = "docker", feature = "jupyter"))]
pub(super) fn count_request(host: &str) {
    // A host has no scheme of its own; any tells as well where it is.
    LEDGER.count(host, is_loopback(&format!("http://{host}")));
}

/// What went out until now.
pub fn requests_sent() -> RequestCounts {
    LEDGER.departed()
}

#[cfg(all(test, any(feature = "docker", feature = "jupyter")))]
mod tests {
    use super::*;

    #[test]
    fn what_went_out_is_counted_by_host_and_by_where_it_is() {
        let near = ["localhost", "localhost:8888", "127.0.0.1:2375", "[::1]:8888", "127.3.2.1"];
        let far = ["jupyter.example", "10.0.0.7:2376", "[2001:db8::1]:8888", "localhost.example:1"];
        for host in near.iter().chain(&far).chain(&far) {
            count_request(host);
        }
        let counted = requests_sent();
        assert!(near.iter().all(|host| counted.near.get(*host) == Some(&1)), "{counted:?}");
        assert!(far.iter().all(|host| counted.far.get(*host) == Some(&2)), "{counted:?}");
    }
}

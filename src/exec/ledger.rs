//! Counts the requests that executors sent to servers over the network: a Jupyter Server, or a container engine
//! elsewhere. The account of what left this computer uses these counts.

#[cfg(any(feature = "docker", feature = "jupyter"))]
use crate::config::is_loopback;
use crate::domain::{RequestCounter, RequestCounts};

static LEDGER: RequestCounter = RequestCounter::new();

/// Counts one request or message to this host, a name or address with an optional port.
#[cfg(any(feature = "docker", feature = "jupyter"))]
pub(super) fn count_request(host: &str) {
    // A host alone has no scheme; any scheme does to find out whether it is loopback.
    LEDGER.count(host, is_loopback(&format!("http://{host}")));
}

/// The counts so far.
pub fn requests_sent() -> RequestCounts {
    LEDGER.counts()
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
        assert!(near.iter().all(|host| counted.local.get(*host) == Some(&1)), "{counted:?}");
        assert!(far.iter().all(|host| counted.remote.get(*host) == Some(&2)), "{counted:?}");
    }
}

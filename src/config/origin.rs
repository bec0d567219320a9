//! Computes the origin of an address: scheme, host and port. A key is sent only to the origin for which it was given.

use std::net::IpAddr;

/// The origin, such as `https://api.example.com`, without the scheme's default port; `None` if the address has none.
pub(crate) fn origin(address: &str) -> Option<String> {
    let (scheme, rest) = address.trim().split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    let usual = match scheme.as_str() {
        "http" => "80",
        "https" => "443",
        _ => return None,
    };
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority.rsplit('@').next()?.to_ascii_lowercase();
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, port),
        _ => (host.as_str(), ""),
    };
    if name.is_empty() || !port.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let name = name.trim_end_matches('.');
    Some(match port.trim_start_matches('0') {
        "" => format!("{scheme}://{name}"),
        port if port == usual => format!("{scheme}://{name}"),
        port => format!("{scheme}://{name}:{port}"),
    })
}

/// Whether the server is this computer.
pub(crate) fn is_loopback(address: &str) -> bool {
    let Some(place) = origin(address) else { return false };
    let host = place.split_once("://").map_or("", |(_, host)| host);
    let name = match host.strip_prefix('[') {
        Some(ip6) => ip6.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name == "localhost" || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The scheme that an address without one most likely has: `http` on this computer and in a home network.
pub(crate) fn usual_scheme(address: &str) -> &'static str {
    let local = ["localhost", "127.", "0.0.0.0", "[::1]", "192.168.", "10."];
    if local.iter().any(|start| address.starts_with(start)) { "http" } else { "https" }
}

/// An address without parts that may be secret: user, password, query.
pub(crate) fn without_secrets(address: &str) -> String {
    let plain = address.split(['?', '#']).next().unwrap_or_default().trim();
    match plain.split_once("://") {
        Some((scheme, rest)) => {
            let (authority, path) = rest.find(['/', '\\']).map_or((rest, ""), |at| rest.split_at(at));
            let host = authority.rsplit('@').next().unwrap_or_default();
            format!("{scheme}://{host}{path}")
        }
        None => plain.rsplit('@').next().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_place_is_the_same_origin_however_it_is_written() {
        for address in [
            "https://api.example.com",
            "HTTPS://API.example.com:443/v1?x=1",
            "https://me:pw@api.example.com/",
            " https://api.example.com./v1#x ",
        ] {
            assert_eq!(origin(address).as_deref(), Some("https://api.example.com"), "{address}");
        }
        assert_eq!(origin("http://[::1]:11434/v1").as_deref(), Some("http://[::1]:11434"));
    }

    #[test]
    fn this_computer_is_known_in_all_its_names() {
        for (address, is) in [
            ("http://localhost:1", true),
            ("http://127.0.0.2", true),
            ("http://[::1]:9/v1", true),
            ("http://example.com", false),
            ("http://localhost.evil.net", false),
            ("http://127.0.0.1@evil.net", false),
            ("http://192.168.1.1", false),
        ] {
            assert_eq!(is_loopback(address), is, "{address}");
        }
        assert_eq!(without_secrets("https://me:pw@h:1/v1?key=k#x"), "https://h:1/v1");
    }

    #[test]
    fn an_address_is_shown_with_the_host_of_its_origin() {
        for address in [
            "https://evil.net\\@pypi.org/simple",
            "https://me@evil.net\\@pypi.org",
            "https://evil.net/\\@pypi.org",
        ] {
            let shown = without_secrets(address);
            assert!(shown.starts_with("https://evil.net"), "{shown}");
            assert_eq!(origin(&shown), origin(address), "{shown}");
        }
    }

    #[test]
    fn another_scheme_host_or_port_is_another_origin() {
        let own = origin("https://api.example.com");
        for address in [
            "http://api.example.com",
            "https://api.example.com:8443",
            "https://api.example.com.evil.net",
            "https://api.example.com@evil.net/",
            "https://evil.net/https://api.example.com",
            "https://evil.net\\@api.example.com",
        ] {
            assert_ne!(origin(address), own, "{address}");
        }
        for address in ["", "api.example.com", "ftp://x", "https://", "https://:80", "https://x:y"] {
            assert_eq!(origin(address), None, "{address}");
        }
    }
}

//! The origin of an address: scheme, host and port. A key goes to the origin that it was given for, and to no other.

/// The origin, `https://api.example.com` (the usual port of the scheme left out); `None` where the address has none.
pub fn origin(address: &str) -> Option<String> {
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

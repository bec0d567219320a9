//! The address of a server, in every form in which people write it.

use reqwest::Url;

/// Why an address can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It names no scheme.
    #[error("the address `{0}` has no http:// or https:// in front")]
    NoScheme(String),
    /// It can't be read as an address.
    #[error("the address `{address}` can't be read: {why}")]
    Unreadable {
        /// As written.
        address: String,
        /// What is wrong.
        why: String,
    },
    /// It names a user or a password, which would show up in messages. The address is left out for that reason.
    #[error("the address holds a user name or a password")]
    HoldsKey,
}

impl AddressError {
    /// What to do about it, one line.
    pub fn hint(&self) -> String {
        match self {
            AddressError::NoScheme(given) if local(given) => format!("Write http://{given}"),
            AddressError::NoScheme(given) => format!("Write https://{given}"),
            AddressError::Unreadable { .. } => {
                "An address looks like https://api.example.com/v1 or http://127.0.0.1:11434".into()
            }
            AddressError::HoldsKey => "Give the key by its environment variable or credentials.toml.".into(),
        }
    }
}

fn local(address: &str) -> bool {
    ["localhost", "127.", "0.0.0.0", "[::1]", "192.168.", "10."].iter().any(|p| address.starts_with(p))
}

/// The address to which requests go: `path` is appended once; an address without any path gets `/v1` first. A query
/// (`?api-version=…`) is kept.
///
/// # Errors
/// When the address is none.
pub(super) fn endpoint(base_url: &str, path: &str) -> Result<Url, AddressError> {
    let base = base_url.trim();
    let lower = base.to_ascii_lowercase();
    if !lower.starts_with("http://") && !lower.starts_with("https://") {
        let names_another = lower.split_once("://").is_some();
        return Err(if names_another {
            let why = "only http:// and https:// are spoken".to_owned();
            AddressError::Unreadable { address: without_user(base), why }
        } else {
            AddressError::NoScheme(without_user(base))
        });
    }
    let mut url = Url::parse(base)
        .map_err(|e| AddressError::Unreadable { address: without_user(base), why: e.to_string() })?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(AddressError::HoldsKey);
    }
    url.set_fragment(None);
    let given = url.path().trim_end_matches('/').to_owned();
    if !given.ends_with(path) {
        let given = if given.is_empty() { "/v1" } else { &given };
        url.set_path(&format!("{given}{path}"));
    } else if given != url.path() {
        url.set_path(&given);
    }
    Ok(url)
}

/// What stands before an `@` may be a password: it isn't shown.
fn without_user(address: &str) -> String {
    match address.rsplit_once('@') {
        Some((_, host)) => format!("…@{host}"),
        None => address.to_owned(),
    }
}

/// The host as it is named in messages: with its port where that is written.
pub(super) fn host(url: &Url) -> String {
    let name = url.host_str().unwrap_or("the server");
    url.port().map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"))
}

/// Whether the server is this computer.
pub(super) fn is_loopback(url: &Url) -> bool {
    let name = url.host_str().unwrap_or_default();
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(base: &str) -> String {
        endpoint(base, "/chat/completions").unwrap().to_string()
    }

    #[test]
    fn every_form_of_an_address_leads_to_the_same_place() {
        for base in [
            "https://api.openai.com",
            "https://api.openai.com/",
            "https://api.openai.com/v1",
            "https://api.openai.com/v1/",
            " https://api.openai.com/v1/chat/completions/ ",
            "HTTPS://api.openai.com/v1#x",
        ] {
            assert_eq!(at(base), "https://api.openai.com/v1/chat/completions", "{base}");
        }
        assert_eq!(at("http://127.0.0.1:8000/r/x/c1/"), "http://127.0.0.1:8000/r/x/c1/chat/completions");
        assert_eq!(
            at("https://x.openai.azure.com/openai/deployments/d?api-version=1"),
            "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=1"
        );
        assert_eq!(at("http://[::1]:11434"), "http://[::1]:11434/v1/chat/completions");
    }

    #[test]
    fn a_missing_scheme_is_told_with_the_address_to_write() {
        let error = endpoint("localhost:11434", "/chat/completions").unwrap_err();
        assert_eq!(error.to_string(), "the address `localhost:11434` has no http:// or https:// in front");
        assert_eq!(error.hint(), "Write http://localhost:11434");
        let error = endpoint("api.example.com/v1", "/x").unwrap_err();
        assert_eq!(error.hint(), "Write https://api.example.com/v1");
        assert!(endpoint("", "/x").is_err());
        assert!(endpoint("ftp://a/b", "/x").is_err());
        assert!(endpoint("http://", "/x").is_err());
    }

    #[test]
    fn a_password_in_an_address_is_refused_and_never_repeated() {
        for address in
            ["https://me:hunter22@h/v1", "me:hunter22@h/v1", "ftp://me:hunter22@h", "http://hunter22@"]
        {
            let error = endpoint(address, "/x").unwrap_err();
            let told = format!("{error} {error:?} {}", error.hint());
            assert!(!told.contains("hunter22"), "{told}");
        }
    }

    #[test]
    fn loopback_is_known_in_all_its_names() {
        for (address, is) in [
            ("http://localhost:1", true),
            ("http://127.0.0.2", true),
            ("http://[::1]/", true),
            ("http://example.com", false),
            ("http://192.168.1.1", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(address).unwrap()), is, "{address}");
        }
    }
}

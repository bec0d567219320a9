//! Parses the address of a server, in every form in which people write it.

use super::protocol::Protocol;
use crate::config::usual_scheme;
use reqwest::Url;

/// Why an address can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It has no scheme.
    #[error("the address `{0}` has no http:// or https:// in front")]
    NoScheme(String),
    /// It is not a valid address.
    #[error("the address `{address}` can't be read: {why}")]
    Unreadable {
        /// As written.
        address: String,
        /// What is wrong.
        why: String,
    },
    /// It contains a user name or a password, which messages would show; so the address is left out.
    #[error("the address holds a user name or a password")]
    HoldsKey,
}

impl AddressError {
    /// What to do about it, one line.
    pub(crate) fn hint(&self) -> String {
        match self {
            AddressError::NoScheme(given) => format!("Write {}://{given}", usual_scheme(given)),
            AddressError::Unreadable { .. } => {
                "An address looks like https://api.example.com/v1 or http://127.0.0.1:11434".into()
            }
            AddressError::HoldsKey => "Give the key by its environment variable or credentials.toml.".into(),
        }
    }
}

/// The address to which requests for replies are sent, from any form of `base_url`: the part that the format needs,
/// and a missing version, are added once. A query (`?api-version=…`) is kept.
pub(super) fn endpoint(protocol: &Protocol, base_url: &str, model: &str) -> Result<Url, AddressError> {
    let mut url = parse(base_url)?;
    let root = (protocol.root)(url.path().trim_end_matches('/'));
    (protocol.for_replies)(&mut url, &root, model);
    Ok(url)
}

/// The address of another endpoint of the server whose address for replies is `url`. `path` follows the root that all
/// addresses of the format share (`/v1`); a path that begins with `/../` takes the place of the version.
pub(super) fn sibling_url(protocol: &Protocol, url: &Url, path: &str) -> Url {
    let mut url = url.clone();
    let root = (protocol.root)(url.path().trim_end_matches('/'));
    match path.strip_prefix("/..") {
        Some(path) => url.set_path(&format!("{}{path}", root.trim_end_matches("/v1"))),
        None => url.set_path(&format!("{root}{path}")),
    }
    leave_out_query(&mut url, protocol.query_for_replies);
    url
}

/// Takes the query parameter of this name away.
pub(super) fn leave_out_query(url: &mut Url, name: Option<&str>) {
    let others = url.query_pairs().filter(|(other, _)| name != Some(&**other));
    let others: Vec<(String, String)> = others.map(|(name, value)| (name.into(), value.into())).collect();
    url.set_query(None);
    if !others.is_empty() {
        url.query_pairs_mut().extend_pairs(others);
    }
}

pub(super) fn parse(base_url: &str) -> Result<Url, AddressError> {
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
    Ok(url)
}

/// The address as people see it: without its query, in which some people write keys.
pub(super) fn display_url(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.to_string()
}

/// Hides the part before an `@`, which may hold a password.
fn without_user(address: &str) -> String {
    match address.rsplit_once('@') {
        Some((_, host)) => format!("…@{host}"),
        None => address.to_owned(),
    }
}

/// The host as messages name it: with its port if the address has one.
pub(super) fn host(url: &Url) -> String {
    let name = url.host_str().unwrap_or("the server");
    url.port().map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::FormatKind as Kind;
    use crate::provider::format_of;

    fn protocol(kind: Kind) -> &'static Protocol {
        &format_of(kind).unwrap().protocol
    }

    fn at(kind: Kind, base: &str) -> String {
        endpoint(protocol(kind), base, "m/x").unwrap().to_string()
    }

    fn refused(address: &str) -> AddressError {
        endpoint(protocol(Kind::Openai), address, "m").unwrap_err()
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
            assert_eq!(at(Kind::Openai, base), "https://api.openai.com/v1/chat/completions", "{base}");
            assert_eq!(at(Kind::OpenaiResponses, base), "https://api.openai.com/v1/responses", "{base}");
        }
        for (kind, base, expected) in [
            (Kind::Openai, "http://127.0.0.1:8000/r/x/c1/", "http://127.0.0.1:8000/r/x/c1/chat/completions"),
            (
                Kind::Openai,
                "https://x.openai.azure.com/openai/deployments/d?api-version=1",
                "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=1",
            ),
            (Kind::Openai, "http://[::1]:11434", "http://[::1]:11434/v1/chat/completions"),
            (Kind::Anthropic, "https://api.anthropic.com", "https://api.anthropic.com/v1/messages"),
            (
                Kind::Anthropic,
                "https://api.anthropic.com/v1/messages",
                "https://api.anthropic.com/v1/messages",
            ),
            (
                Kind::Anthropic,
                "https://api.deepseek.com/anthropic/",
                "https://api.deepseek.com/anthropic/v1/messages",
            ),
            (Kind::Gemini, "https://g", "https://g/v1beta/models/m%2Fx:streamGenerateContent?alt=sse"),
            (Kind::Gemini, "https://g/v1", "https://g/v1/models/m%2Fx:streamGenerateContent?alt=sse"),
            (
                Kind::Gemini,
                "https://g/p/v1beta/models",
                "https://g/p/v1beta/models/m%2Fx:streamGenerateContent?alt=sse",
            ),
            (
                Kind::Gemini,
                "https://v/v1/projects/p/locations/l/publishers/google",
                "https://v/v1/projects/p/locations/l/publishers/google/models/m%2Fx:streamGenerateContent?alt=sse",
            ),
            (Kind::Ollama, "http://127.0.0.1:11434", "http://127.0.0.1:11434/api/chat"),
            (Kind::Ollama, "http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/api/chat"),
            (Kind::Ollama, "http://h/ollama/api/", "http://h/ollama/api/chat"),
        ] {
            assert_eq!(at(kind, base), expected, "{base}");
        }
    }

    #[test]
    fn other_addresses_stand_beside_the_one_for_replies() {
        for (kind, base, path, expected) in [
            (Kind::Openai, "http://h:1", "/models", "http://h:1/v1/models"),
            (Kind::Openai, "http://h:1/v1", "/../props", "http://h:1/props"),
            (Kind::Openai, "http://h:1/a?api-version=2", "/models", "http://h:1/a/models?api-version=2"),
            (Kind::Anthropic, "http://h", "/models", "http://h/v1/models"),
            (Kind::Gemini, "http://h?x=1", "/models", "http://h/v1beta/models?x=1"),
            (Kind::Ollama, "http://h/v1", "/api/tags", "http://h/api/tags"),
        ] {
            let url = endpoint(protocol(kind), base, "m").unwrap();
            assert_eq!(sibling_url(protocol(kind), &url, path).to_string(), expected);
        }
    }

    #[test]
    fn a_missing_scheme_is_told_with_the_address_to_write() {
        let error = refused("localhost:11434");
        assert_eq!(error.to_string(), "the address `localhost:11434` has no http:// or https:// in front");
        assert_eq!(error.hint(), "Write http://localhost:11434");
        assert_eq!(refused("api.example.com/v1").hint(), "Write https://api.example.com/v1");
        for address in ["", "ftp://a/b", "http://"] {
            refused(address);
        }
    }

    #[test]
    fn a_password_in_an_address_is_refused_and_never_repeated() {
        for address in
            ["https://me:hunter22@h/v1", "me:hunter22@h/v1", "ftp://me:hunter22@h", "http://hunter22@"]
        {
            let error = refused(address);
            let told = format!("{error} {error:?} {}", error.hint());
            assert!(!told.contains("hunter22"), "{told}");
        }
        let url = endpoint(protocol(Kind::Openai), "https://h/v1?key=hunter22", "m").unwrap();
        assert_eq!(display_url(&url), "https://h/v1/chat/completions");
    }
}

//! How requests of a format are addressed and signed; their bodies are encoded elsewhere.

use reqwest::Url;
use secrecy::SecretString;

/// How requests of a format are addressed and signed.
#[derive(Debug)]
pub(super) struct Protocol {
    /// Returns the start of all paths of the format (`/v1`), from a path that may hold more or less than that.
    pub(super) root: fn(&str) -> String,
    /// Turns a URL into the address for replies; the other arguments are the root of the paths and the model.
    pub(super) for_replies: fn(&mut Url, &str, &str),
    /// The query parameter that only the address for replies has.
    pub(super) query_for_replies: Option<&'static str>,
    /// Makes the header with the key for this address.
    pub(super) key_header: fn(&Url, &str) -> KeyHeader,
    /// A header for every request unless one of that name is configured.
    pub(super) header: Option<(&'static str, &'static str)>,
    pub(super) accept: &'static str,
}

/// The `accept` header of formats that stream events.
pub(super) const EVENT_STREAM_TYPES: &str = "text/event-stream, application/json";

/// A header with a key in it.
pub(super) type KeyHeader = (String, SecretString);

/// A key in a header of the given name.
pub(super) fn header(header: &str, key: &str) -> KeyHeader {
    (header.to_owned(), SecretString::from(key.to_owned()))
}

/// A key as a bearer token, which most servers expect.
pub(super) fn bearer(_: &Url, key: &str) -> KeyHeader {
    ("authorization".to_owned(), SecretString::from(format!("Bearer {key}")))
}

/// A path without its trailing slashes, and without the first of these endings that it has.
pub(super) fn without_end(path: &str, ends: &[&str]) -> String {
    let path = path.trim_end_matches('/');
    let found = ends.iter().find_map(|end| path.strip_suffix(end));
    found.unwrap_or(path).trim_end_matches('/').to_owned()
}

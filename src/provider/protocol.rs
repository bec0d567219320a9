//! How requests of a format are addressed and signed, beside what stands in their bodies.

use reqwest::Url;
use secrecy::SecretString;

/// How requests of a format are addressed and signed.
#[derive(Debug)]
pub(super) struct Protocol {
    /// What the paths of the format begin with (`/v1`), from a path that may hold more than that or less.
    pub(super) root: fn(&str) -> String,
    /// Makes the address for replies of one that has the root as its path: root, model.
    pub(super) for_replies: fn(&mut Url, &str, &str),
    /// A part of the query that belongs to the address for replies alone.
    pub(super) query_for_replies: Option<&'static str>,
    /// The header in which a key is sent to this address.
    pub(super) key_header: fn(&Url, &str) -> KeyHeader,
    /// A header that every request has where no other of its name is configured.
    pub(super) header: Option<(&'static str, &'static str)>,
    pub(super) accept: &'static str,
}

/// Answers of the formats that stream events.
pub(super) const EVENT_STREAM_TYPES: &str = "text/event-stream, application/json";

/// A header with a key in it.
pub(super) type KeyHeader = (String, SecretString);

/// A key in a header of its own.
pub(super) fn header(header: &str, key: &str) -> KeyHeader {
    (header.to_owned(), SecretString::from(key.to_owned()))
}

/// A key as most servers take it.
pub(super) fn bearer(_: &Url, key: &str) -> KeyHeader {
    ("authorization".to_owned(), SecretString::from(format!("Bearer {key}")))
}

/// A path without the slash at its end, and without the first of these ends that it has.
pub(super) fn without_end(path: &str, ends: &[&str]) -> String {
    let path = path.trim_end_matches('/');
    let found = ends.iter().find_map(|end| path.strip_suffix(end));
    found.unwrap_or(path).trim_end_matches('/').to_owned()
}

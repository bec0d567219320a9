//! Checks the settings of a server of models once, so that no request can fail because of them later, and makes
//! requests from them.
//!
//! The key is sent only in a header, and only to the origin of the address: `http` follows no redirect to another
//! one.

use super::failure::ServerIdentity;
use super::protocol::Protocol;
use super::{ProviderError, address};
use crate::config::is_loopback;
use crate::config::keys::looks_secret;
use crate::config::{Effort, FormatKind, Timeouts};
use crate::domain::{Masker, ModelName};
use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A server of models, as it was configured.
#[derive(Clone, Debug, Default)]
pub struct Server {
    /// The kind of the server, which decides the format.
    pub kind: FormatKind,
    /// The provider's name and the model's name there.
    pub name: ModelName,
    /// The address, in any form: with or without `/v1`, with a query.
    pub base_url: String,
    /// The key; local servers need none.
    pub key: Option<SecretString>,
    /// More headers, whose values count as secrets too. One with the name of the key's header replaces it.
    pub headers: Vec<(String, String)>,
    /// More query parameters, such as Azure's `api-version`.
    pub query: Vec<(String, String)>,
    /// Time limits.
    pub timeouts: Timeouts,
    /// The context to ask for in tokens, if the server lets clients ask (`num_ctx` of Ollama); otherwise the model's
    /// assumed context.
    pub context: Option<u64>,
    /// The most tokens of a reply; `None`: as many as the server allows.
    pub max_output: Option<u64>,
    /// How much the model should think, if it can; `None`: the server's default.
    pub effort: Option<Effort>,
}

impl Server {
    /// A server with these settings and defaults for the others.
    pub fn new(kind: FormatKind, name: ModelName, base_url: impl Into<String>) -> Self {
        Self { kind, name, base_url: base_url.into(), ..Self::default() }
    }
}

/// An HTTP request as a value.
#[derive(Debug)]
pub(super) struct HttpRequest {
    pub(super) url: Url,
    /// Headers that are not secret.
    pub(super) headers: Vec<(&'static str, String)>,
    /// Headers whose values are never shown, checked to be valid.
    pub(super) secret_headers: Vec<(String, SecretString)>,
    /// The body, as JSON; `None`: a GET request.
    pub(super) body: Option<Vec<u8>>,
}

/// The checked settings of a server that every format needs.
#[derive(Clone, Debug)]
pub(super) struct CheckedServer {
    protocol: &'static Protocol,
    pub(super) name: ModelName,
    pub(super) identity: ServerIdentity,
    /// The address to which requests for replies are sent.
    pub(super) url: Url,
    pub(super) secrets: Masker,
    pub(super) context: Option<u64>,
    pub(super) max_output: Option<u64>,
    pub(super) effort: Option<Effort>,
    header: Option<(&'static str, &'static str)>,
    secret_headers: Vec<(String, SecretString)>,
    /// Counts the replies, starting at a random number.
    replies: Arc<AtomicU64>,
}

impl CheckedServer {
    /// Returns a different number for each reply.
    pub(super) fn next_reply(&self) -> u64 {
        self.replies.fetch_add(1, Ordering::Relaxed)
    }

    /// Checks the settings of a server.
    pub(super) fn new(server: Server, protocol: &'static Protocol) -> Result<Self, ProviderError> {
        let Server { name, base_url, key, headers, query, context, max_output, effort, .. } = server;
        let mut url = address::endpoint(protocol, &base_url, &name.model)?;
        for (key, value) in &query {
            // A configured parameter replaces one of the same name in the address.
            address::leave_out_query(&mut url, Some(key.as_str()));
            url.query_pairs_mut().append_pair(key, value);
        }
        let key = key.filter(|key| !key.expose_secret().trim().is_empty());
        let mut secret_headers = Vec::new();
        if let Some(key) = &key {
            let key = key.expose_secret().trim();
            if !key.bytes().all(|b| b.is_ascii_graphic()) {
                return Err(ProviderError::Key { provider: name.provider });
            }
            secret_headers.push((protocol.key_header)(&url, key));
        }
        for (header, value) in headers {
            let wrong =
                |why| ProviderError::Header { provider: name.provider.clone(), name: header.clone(), why };
            HeaderName::from_bytes(header.as_bytes()).map_err(|_| wrong("that is no name of a header"))?;
            HeaderValue::from_str(&value).map_err(|_| wrong("its value holds a line break or a control"))?;
            let header = header.to_ascii_lowercase();
            secret_headers.retain(|(other, _)| *other != header);
            secret_headers.push((header, SecretString::from(value)));
        }
        // Some servers expect their key in the query.
        let in_query = url.query_pairs().filter(|(name, _)| looks_secret(name));
        let in_query: Vec<_> = in_query.map(|(_, value)| SecretString::from(value.into_owned())).collect();
        let identity = ServerIdentity {
            provider: name.provider.clone(),
            model: name.model.clone(),
            host: address::host(&url),
            address: address::display_url(&url),
            has_key: !secret_headers.is_empty() || !in_query.is_empty(),
        };
        let secrets = Masker::knowing(secret_headers.iter().map(|(_, value)| value.clone()).chain(in_query));
        let header =
            protocol.header.filter(|(name, _)| !secret_headers.iter().any(|(other, _)| other == name));
        let replies = Arc::new(AtomicU64::new(RandomState::new().hash_one(0u8) >> 24));
        Ok(Self {
            protocol,
            name,
            identity,
            url,
            secrets,
            context,
            max_output,
            effort,
            header,
            secret_headers,
            replies,
        })
    }

    /// A request for a reply with this body.
    pub(super) fn post(&self, body: &Value) -> HttpRequest {
        self.post_to(self.url.clone(), body)
    }

    /// A request with a body to another address of the same server.
    pub(super) fn post_to(&self, url: Url, body: &Value) -> HttpRequest {
        let mut request = self.get(url);
        request.headers.push(("content-type", "application/json".into()));
        // A JSON value can always be serialised.
        request.body = Some(serde_json::to_vec(body).unwrap_or_default());
        request
    }

    /// A request without a body.
    pub(super) fn get(&self, url: Url) -> HttpRequest {
        let given = self.header.into_iter().chain([("accept", self.protocol.accept)]);
        let headers = given.map(|(name, value)| (name, value.to_owned())).collect();
        HttpRequest { url, headers, secret_headers: self.secret_headers.clone(), body: None }
    }

    /// Another address of the same server: this path after the root that all its addresses share.
    pub(super) fn sibling_url(&self, path: &str) -> Url {
        address::sibling_url(self.protocol, &self.url, path)
    }

    /// Whether the server is this computer.
    pub(super) fn is_local(&self) -> bool {
        is_loopback(self.url.as_str())
    }
}

#[cfg(test)]
impl CheckedServer {
    /// A server for tests; it makes the same ids each time.
    pub(super) fn fixture(kind: FormatKind, protocol: &'static Protocol, model: &str) -> Self {
        let name = ModelName { provider: kind.as_str().into(), model: model.into() };
        let key = Some("sk-verysecret".to_owned().into());
        let server = Server { key, ..Server::new(kind, name, "http://h") };
        Self { replies: Arc::default(), ..Self::new(server, protocol).unwrap() }
    }
}

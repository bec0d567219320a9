//! A server of models: what is needed to speak to it, checked once, so that no request can fail for it later.
//!
//! The key travels in a header only, and only to the origin of the address: `http` follows no redirect to another one.

use super::failure::ServerIdentity;
use super::protocol::Protocol;
use super::{ProviderError, address};
use crate::config::keys::looks_secret;
use crate::config::{Effort, ProviderKind, Timeouts};
use crate::domain::{Masker, ModelName};
use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A server of models, as it was configured.
#[derive(Clone, Debug)]
pub struct Server {
    /// How it is spoken to.
    pub kind: ProviderKind,
    /// The provider's name and the model's name there.
    pub name: ModelName,
    /// The address, in any form in which people write it: with or without `/v1`, with a query.
    pub base_url: String,
    /// The key; local servers need none.
    pub key: Option<SecretString>,
    /// More headers; their values are held to be secrets too. One that carries a key replaces the key's own.
    pub headers: Vec<(String, String)>,
    /// More of the query: Azure's `api-version`.
    pub query: Vec<(String, String)>,
    /// How long it may take.
    pub timeouts: Timeouts,
    /// Tokens of context that are asked for, where the server lets one ask (`num_ctx` of Ollama); else what the model is
    /// held to have.
    pub context: Option<u64>,
    /// Tokens that a reply may have at most; `None`: what the server allows.
    pub max_output: Option<u64>,
    /// How much the model is to think, where it can; `None`: as the server has it.
    pub effort: Option<Effort>,
}

impl Server {
    /// A server of which only this is told.
    pub fn new(kind: ProviderKind, name: ModelName, base_url: impl Into<String>) -> Self {
        Self {
            kind,
            name,
            base_url: base_url.into(),
            key: None,
            headers: Vec::new(),
            query: Vec::new(),
            timeouts: Timeouts::default(),
            context: None,
            max_output: None,
            effort: None,
        }
    }
}

/// A request as a value.
#[derive(Debug)]
pub(super) struct HttpRequest {
    pub(super) url: Url,
    /// Its headers that are no secrets.
    pub(super) headers: Vec<(&'static str, String)>,
    /// Its headers whose values are not shown, checked to be sendable.
    pub(super) secret_headers: Vec<(String, SecretString)>,
    /// Its body: JSON. `None`: something is asked for only.
    pub(super) body: Option<Vec<u8>>,
}

/// A server, checked: what every wire needs of it.
#[derive(Clone, Debug)]
pub(super) struct Access {
    protocol: &'static Protocol,
    pub(super) name: ModelName,
    pub(super) asked: ServerIdentity,
    /// Where requests for replies go.
    pub(super) url: Url,
    pub(super) secrets: Masker,
    pub(super) context: Option<u64>,
    pub(super) max_output: Option<u64>,
    pub(super) effort: Option<Effort>,
    header: Option<(&'static str, &'static str)>,
    secret_headers: Vec<(String, SecretString)>,
    /// Counts the replies, from any number.
    replies: Arc<AtomicU64>,
}

impl Access {
    /// Another number for each reply.
    pub(super) fn next_reply(&self) -> u64 {
        self.replies.fetch_add(1, Ordering::Relaxed)
    }

    /// Checks what it is given.
    pub(super) fn new(server: Server, protocol: &'static Protocol) -> Result<Self, ProviderError> {
        let Server { name, base_url, key, headers, query, context, max_output, effort, .. } = server;
        let mut url = address::endpoint(protocol, &base_url, &name.model)?;
        for (key, value) in &query {
            // One that the address holds already is replaced: the setting of its own counts.
            let others: Vec<(String, String)> =
                url.query_pairs().filter(|(k, _)| k != key).map(|(k, v)| (k.into(), v.into())).collect();
            url.query_pairs_mut().clear().extend_pairs(others).append_pair(key, value);
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
        // Some servers want their key in the query.
        let in_query = url.query_pairs().filter(|(name, _)| looks_secret(name));
        let in_query: Vec<_> = in_query.map(|(_, value)| SecretString::from(value.into_owned())).collect();
        let asked = ServerIdentity {
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
            asked,
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
        // A value is always writable as JSON.
        request.body = Some(serde_json::to_vec(body).unwrap_or_default());
        request
    }

    /// A request without a body.
    pub(super) fn get(&self, url: Url) -> HttpRequest {
        let given = self.header.into_iter().chain([("accept", self.protocol.accept)]);
        let headers = given.map(|(name, value)| (name, value.to_owned())).collect();
        HttpRequest { url, headers, secret_headers: self.secret_headers.clone(), body: None }
    }

    /// Another address of the same server: this path behind the part that all its addresses begin with.
    pub(super) fn beside(&self, path: &str) -> Url {
        address::beside(self.protocol, &self.url, path)
    }

    /// Whether the server is this computer.
    pub(super) fn is_local(&self) -> bool {
        address::is_loopback(&self.url)
    }
}

#[cfg(test)]
impl Access {
    /// A server for tests; the ids that it makes are the same each time.
    pub(super) fn fixture(kind: ProviderKind, protocol: &'static Protocol, model: &str) -> Self {
        let name = ModelName { provider: kind.as_str().into(), model: model.into() };
        let key = Some("sk-verysecret".to_owned().into());
        let server = Server { key, ..Server::new(kind, name, "http://h") };
        Self { replies: Arc::default(), ..Self::new(server, protocol).unwrap() }
    }
}

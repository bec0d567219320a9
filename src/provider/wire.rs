//! What a server speaks: a pure encoder (a request of ours to a request of HTTP) and a pure decoder (bytes to events).
//! Nothing here touches the network; `http` carries it.

use super::failure::Asked;
use super::redact::Secrets;
use crate::domain::{FailureKind, ModelRequest, ReplyEvent, ReplyFailure};
use reqwest::Url;
use secrecy::SecretString;

/// A request as a value.
#[derive(Debug)]
pub(super) struct HttpRequest {
    /// Where it goes.
    pub(super) url: Url,
    /// Its headers that are no secrets.
    pub(super) headers: Vec<(&'static str, String)>,
    /// Its headers whose values are not shown, checked to be sendable.
    pub(super) secret_headers: Vec<(String, SecretString)>,
    /// Its body: JSON.
    pub(super) body: Vec<u8>,
}

/// What had to be left out because a server refused it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LeftOut {
    /// The wish to be told the tokens used (`stream_options`).
    pub(super) usage: bool,
}

/// How the bytes of a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// As HTTP ends them: all that was sent is there.
    Closed,
    /// The connection broke.
    Cut,
}

/// A wire: everything that differs from one kind of server to another.
pub(super) trait Wire: std::fmt::Debug + Send + Sync {
    /// Who is asked, for the words of failures.
    fn asked(&self) -> &Asked;
    /// What may not be shown.
    fn secrets(&self) -> &Secrets;
    /// The address.
    fn url(&self) -> &Url;
    /// The request.
    fn encode(&self, request: &ModelRequest, left_out: LeftOut) -> HttpRequest;
    /// A decoder for one reply.
    fn decoder(&self) -> Box<dyn Decoder>;
}

/// Reads one reply. After `Finished` or `Failed` it says nothing more.
pub(super) trait Decoder: Send {
    /// Reads on.
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<ReplyEvent>);
    /// The bytes are over.
    fn end(&mut self, end: End, out: &mut Vec<ReplyEvent>);
    /// Whether the model has said that it is done: only counts may follow.
    fn settled(&self) -> bool;
}

/// Whether an event ends the reply.
pub(super) fn is_last(event: &ReplyEvent) -> bool {
    matches!(event, ReplyEvent::Finished(_) | ReplyEvent::Failed(_))
}

/// Whether an event carries some of the reply: from then on nothing is asked again.
pub(super) fn is_reply(event: &ReplyEvent) -> bool {
    matches!(event, ReplyEvent::Delta(_) | ReplyEvent::Reasoning(_) | ReplyEvent::ToolCall(_))
}

/// A failure with its words.
pub(super) fn failure(
    kind: FailureKind,
    status: Option<u16>,
    message: impl Into<String>,
    hint: impl Into<String>,
) -> ReplyFailure {
    ReplyFailure { kind, status, message: message.into(), hint: hint.into() }
}

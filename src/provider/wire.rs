//! What a server speaks: a pure encoder (a request of ours to a body of JSON) and a pure decoder (bytes to events).
//! Nothing here touches the network; `http` carries it.

use super::server::Access;
use crate::domain::{Departure, FailureKind, ModelRequest, ReplyEvent, ReplyFailure};
use reqwest::Url;
use secrecy::SecretString;
use serde_json::Value;

/// A request as a value.
#[derive(Debug)]
pub(super) struct HttpRequest {
    /// Where it goes.
    pub(super) url: Url,
    /// Its headers that are no secrets.
    pub(super) headers: Vec<(&'static str, String)>,
    /// Its headers whose values are not shown, checked to be sendable.
    pub(super) secret_headers: Vec<(String, SecretString)>,
    /// Its body: JSON. `None`: something is asked for only.
    pub(super) body: Option<Vec<u8>>,
}

/// A part of a request that some servers refuse and that can be left out, or said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The wish to be told the tokens used (`stream_options`).
    Usage,
    /// The form of the answer: the messages say it too.
    Form,
    /// How much to think, and what was kept of earlier thinking.
    Reasoning,
    /// The usual name or size of the limit of a reply.
    Limit,
    /// The ids of calls as another provider made them.
    Ids,
}

/// What had to be left out because a server refused it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LeftOut(pub(super) u8);

impl LeftOut {
    /// Whether this part is left out.
    pub(super) fn has(self, part: Part) -> bool {
        self.0 & Self::bit(part) != 0
    }

    /// The same without this part too.
    pub(super) fn with(self, part: Part) -> Self {
        Self(self.0 | Self::bit(part))
    }

    fn bit(part: Part) -> u8 {
        1 << part as u8
    }
}

/// What was learnt of the server and the model before the request is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// What it refuses.
    pub(super) left_out: LeftOut,
    /// Tokens that the model can have in its context.
    pub(super) context: Option<u64>,
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
    /// The server.
    fn access(&self) -> &Access;
    /// The body of the request.
    fn encode(&self, request: &ModelRequest, known: &Known) -> Value;
    /// A decoder for the reply to this body.
    fn decoder(&self, sent: &Value) -> Box<dyn Decoder>;
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
    ReplyFailure { kind, status, message: message.into(), hint: hint.into(), departure: Departure::Unknown }
}

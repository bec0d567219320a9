//! What a server speaks: a pure encoder (a request of ours to a body of JSON) and a pure decoder (bytes to events).
//! Nothing here touches the network; `http` carries it.

use super::catalogue::listed::Listing;
use super::protocol::Protocol;
use super::quirks::ServerQuirks;
use super::server::Access;
use crate::config::ProviderKind;
use crate::domain::{ModelRequest, ReplyEvent};
use serde_json::Value;

/// A format: everything that differs from one kind of server to another.
#[derive(Debug)]
pub(super) struct Format {
    /// Its name; items that are kept with a reply go back to servers of this kind only.
    pub(super) kind: ProviderKind,
    pub(super) protocol: Protocol,
    pub(super) listing: Listing,
    pub(super) wire: fn(Access) -> Box<dyn Wire>,
}

/// How the bytes of a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// As HTTP ends them: all that was sent is there.
    Closed,
    Cut,
}

/// How requests are written for one server of a format, and its replies read.
pub(super) trait Wire: std::fmt::Debug + Send + Sync {
    fn format(&self) -> &'static Format;
    fn access(&self) -> &Access;
    /// The body of the request.
    fn encode(&self, request: &ModelRequest, known: &ServerQuirks) -> Value;
    /// A decoder for the reply to this body.
    fn decoder(&self, sent: &Value) -> Box<dyn WireDecoder>;
}

/// Reads one reply. After `Finished` or `Failed` it says nothing more.
pub(super) trait WireDecoder: Send {
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

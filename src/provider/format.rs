//! Defines a format: a pure encoder (from a request to a JSON body) and a pure decoder (from bytes to events).
//! Nothing here touches the network; `http` does.

use super::catalogue::model_list::Listing;
use super::conversation::{self, Utterance};
use super::piece_decoder::{PieceDecoder, ReplyDecoder};
use super::protocol::Protocol;
use super::quirks::{OptionalPart, ServerQuirks};
use super::server::CheckedServer;
use crate::config::{Effort, FormatKind};
use crate::domain::{AnswerForm, ModelRequest};
use serde_json::Value;

/// A format: everything that differs from one kind of server to another.
#[derive(Debug)]
pub(super) struct Format {
    /// The name of the format; kept items are sent back only to servers of this kind.
    pub(super) kind: FormatKind,
    pub(super) protocol: Protocol,
    pub(super) listing: Listing,
    /// Encodes the body of a request.
    pub(super) encode: fn(&OutgoingRequest<'_>) -> Value,
    /// Whether replies have one piece per line.
    pub(super) lines: bool,
    /// Makes a decoder for the pieces of the reply to this body.
    pub(super) decoder: fn(&Value) -> Box<dyn PieceDecoder>,
}

/// One server, and the format that it speaks.
#[derive(Debug)]
pub(super) struct FormattedServer {
    pub(super) format: &'static Format,
    pub(super) access: CheckedServer,
}

impl FormattedServer {
    /// Encodes the body of a request.
    pub(super) fn encode(&self, request: &ModelRequest, quirks: &ServerQuirks) -> Value {
        (self.format.encode)(&OutgoingRequest { server: self, request, quirks })
    }

    /// A decoder for the reply to this body.
    pub(super) fn decoder(&self, sent: &Value) -> ReplyDecoder {
        ReplyDecoder::new(&self.access, self.format.lines, (self.format.decoder)(sent))
    }
}

/// A request, its server, and what is known of that server.
pub(super) struct OutgoingRequest<'a> {
    server: &'a FormattedServer,
    pub(super) request: &'a ModelRequest,
    pub(super) quirks: &'a ServerQuirks,
}

impl<'a> OutgoingRequest<'a> {
    pub(super) fn access(&self) -> &'a CheckedServer {
        &self.server.access
    }

    pub(super) fn model(&self) -> &'a str {
        &self.server.access.name.model
    }

    /// Whether this part is sent, because the server has not refused it so far.
    pub(super) fn has(&self, part: OptionalPart) -> bool {
        !self.quirks.refused.has(part)
    }

    /// The conversation, with the items kept from earlier replies of servers of this kind.
    pub(super) fn utterances(&self) -> Vec<Utterance<'a>> {
        let kept = self.has(OptionalPart::Reasoning).then_some(self.server.format.kind.as_str());
        conversation::utterances(self.request, kept)
    }

    pub(super) fn form(&self) -> Option<&'a AnswerForm> {
        self.request.form.as_ref().filter(|_| self.has(OptionalPart::Form))
    }

    pub(super) fn effort(&self) -> Option<Effort> {
        self.server.access.effort.filter(|_| self.has(OptionalPart::Reasoning))
    }
}

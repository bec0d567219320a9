//! What a request returns: pieces of a reply, tool calls, how the reply ended, tokens used, why it failed.

use super::Departure;
use super::word::words;
use serde::{Deserialize, Serialize};

/// A call of a tool, as the model made it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id of the call.
    #[serde(default)]
    pub id: String,
    /// The name of the tool, which may be one that was not offered.
    pub name: String,
    /// Its arguments: JSON text, possibly broken.
    pub arguments: String,
    /// The provider's signature of the call, which later requests return with it (Gemini's `thoughtSignature`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// An item that a provider sent with a reply and that the next request has to return unchanged: a signed thinking
/// block, an encrypted item of reasoning. sayso neither shows nor parses it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpaqueItem {
    /// The kind of provider that made it (`anthropic`); it is sent to no other kind.
    pub(crate) kind: String,
    /// The item, as JSON text.
    pub(crate) json: String,
}

/// Tokens used, as the provider counts them. `None`: not reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// Tokens of the reply, reasoning included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// Tokens of the request that came from a cache; counted in `input` too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// Tokens of the request that were written to a cache; counted in `input` too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_written: Option<u64>,
    /// Tokens of the reply that were reasoning; counted in `output` too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
}

/// Why a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum FinishReason {
    /// The model finished.
    Stop,
    /// The model waits for the results of its tool calls.
    ToolCalls,
    /// The reply reached its length limit and is truncated.
    Length,
    /// The provider's content filter ended it.
    Filter,
    /// The stream ended without a reason, or the person stopped it; the reply is truncated. In files, a reason of a
    /// later version is read as this, because its meaning is not known.
    #[serde(other)]
    Incomplete,
}

impl FinishReason {
    /// Whether the model ended the reply itself.
    pub(crate) fn complete(self) -> bool {
        matches!(self, FinishReason::Stop | FinishReason::ToolCalls)
    }
}

/// The end of a reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finish {
    /// The reason, in sayso's terms.
    pub reason: FinishReason,
    /// The provider's own name of the reason, if it gave one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<String>,
}

/// The kinds of failures that prevent or interrupt a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum FailureKind {
    /// The host's name was not found.
    NameNotFound,
    /// The host did not accept a connection.
    Unreachable,
    /// TLS failed: a certificate that is not trusted, a protocol mismatch.
    Tls,
    /// No answer within the time limit.
    TimedOut,
    /// The key is missing.
    NoKey,
    /// The key was refused (401, 403).
    #[serde(rename = "key_refused")]
    #[strum(serialize = "key_refused")]
    Refused,
    /// The provider does not know the model or the address (404).
    NotFound,
    /// Too many requests (429).
    RateLimit,
    /// The conversation is longer than the model's context.
    #[serde(rename = "context_overflow")]
    #[strum(serialize = "context_overflow")]
    Overflow,
    /// The model or server does not accept tools; it may answer without them.
    NoTools,
    /// The provider rejected the request (other 4xx).
    BadRequest,
    /// The connection broke during the reply.
    Cut,
    /// A part of the stream could not be parsed.
    Malformed,
    /// The server's answer is not a model's reply at all (an HTML page).
    NotAModel,
    /// No scripted reply matches.
    NoReply,
    /// Messages of the conversation had to be read back from the session file, and that failed.
    SessionUnreadable,
    /// The server failed (5xx, overloaded). In files, a kind of a later version is read as this.
    #[serde(other)]
    Server,
}

words!(FinishReason, FailureKind);

/// Why a reply failed, in words for the person. Never contains a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplyFailure {
    /// What kind of failure.
    pub kind: FailureKind,
    /// The HTTP status, where there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// What happened, one line: `Cannot reach api.example.com: name not found.`
    #[serde(default)]
    pub message: String,
    /// What to do next, one line.
    #[serde(default)]
    pub hint: String,
    /// Whether the request was sent before it failed.
    #[serde(default, skip_serializing_if = "Departure::is_unknown")]
    pub departure: Departure,
}

/// An event of a running request. `Finished` or `Failed` comes exactly once, as the last one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyEvent {
    /// The request has left this computer.
    Sent,
    /// A piece of the text.
    Delta(String),
    /// A piece of the model's reasoning; shown folded, never offered as code.
    Reasoning(String),
    /// A whole tool call.
    ToolCall(ToolCall),
    /// An item that later requests have to return with this reply.
    Kept(OpaqueItem),
    /// A remark of the provider for the person, one line: `Ollama cut the conversation to 4,096 tokens.`
    Remark(String),
    /// Tokens used; the last report counts.
    Usage(Usage),
    /// The request failed for a reason that may pass; it will be repeated automatically.
    Retrying {
        /// The number of the coming repetition, from 1.
        attempt: u32,
        /// How many repetitions there are at most.
        of: u32,
        /// Milliseconds until the repetition.
        wait_ms: u64,
        /// Why the last try failed.
        failure: ReplyFailure,
    },
    /// The reply is over.
    Finished(Finish),
    /// The request failed, before or during the reply; what arrived of it is kept.
    Failed(ReplyFailure),
}

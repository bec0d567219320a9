//! What comes of a request: pieces of a reply, calls of tools, how it ended, what it used, why it failed.

use super::Departure;
use serde::{Deserialize, Serialize};

/// A call of a tool, as the model made it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's identity of the call.
    #[serde(default)]
    pub id: String,
    /// The tool that is called; it may be none that was offered.
    pub name: String,
    /// Its arguments: JSON text, possibly broken.
    pub arguments: String,
    /// The provider's signature of the call, given back with it (Gemini's `thoughtSignature`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// Something that a provider gave along with a reply and that the next request has to give back unchanged: a signed
/// thinking block, an encrypted item of reasoning. Never shown, never read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpaqueItem {
    /// The kind of provider that made it (`anthropic`); no other is given it.
    pub(crate) kind: String,
    /// What it gave, as JSON text.
    pub(crate) json: String,
}

/// Tokens used, as the provider counts them. `None`: not told.
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
    /// The model was done.
    Stop,
    /// It wants its tool calls answered.
    ToolCalls,
    /// It reached its length limit: what it was writing is cut.
    Length,
    /// The provider's content filter ended it.
    Filter,
    /// The stream ended without saying why, or the person stopped it: what it was writing is cut. In files, also a reason
    /// of a later version: what the reply was up to is not known.
    #[serde(other)]
    Incomplete,
}

impl FinishReason {
    /// The word in JSON and session files.
    pub(crate) fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether the model said all that it wanted to say.
    pub(crate) fn complete(self) -> bool {
        matches!(self, FinishReason::Stop | FinishReason::ToolCalls)
    }
}

/// The end of a reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finish {
    /// The reason, as sayso tells it apart.
    pub reason: FinishReason,
    /// The provider's own word for it, where it gave one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<String>,
}

/// What kind of failure kept a reply from coming (or from going on).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
    Refused,
    /// The model or address is unknown there (404).
    NotFound,
    /// Too many requests (429).
    RateLimit,
    /// The conversation is longer than the model's context.
    #[serde(rename = "context_overflow")]
    Overflow,
    /// The model or server can't be given tools; without them it may answer.
    NoTools,
    /// The request was not understood (other 4xx).
    BadRequest,
    /// The connection was cut inside the reply.
    Cut,
    /// Something in the stream could not be read.
    Malformed,
    /// The server answered something that is no reply at all (an HTML page).
    NotAModel,
    /// No scripted reply fits.
    NoReply,
    /// Messages of the conversation stand in the session's file alone and can't be read there again.
    SessionUnreadable,
    /// The server failed (5xx, overloaded). In files, also a kind of a later version.
    #[serde(other)]
    Server,
}

impl FailureKind {
    /// The word in JSON.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            FailureKind::NameNotFound => "name_not_found",
            FailureKind::Unreachable => "unreachable",
            FailureKind::Tls => "tls",
            FailureKind::TimedOut => "timed_out",
            FailureKind::NoKey => "no_key",
            FailureKind::Refused => "key_refused",
            FailureKind::NotFound => "not_found",
            FailureKind::RateLimit => "rate_limit",
            FailureKind::Overflow => "context_overflow",
            FailureKind::NoTools => "no_tools",
            FailureKind::Server => "server",
            FailureKind::BadRequest => "bad_request",
            FailureKind::Cut => "cut",
            FailureKind::Malformed => "malformed",
            FailureKind::NotAModel => "not_a_model",
            FailureKind::NoReply => "no_reply",
            FailureKind::SessionUnreadable => "session_unreadable",
        }
    }
}

/// Why a reply failed, in the words of the interface. Never holds a key.
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
    /// Whether the request went out.
    #[serde(default, skip_serializing_if = "Departure::is_unknown")]
    pub departure: Departure,
}

/// What arrives of a reply. `Finished` or `Failed` comes exactly once and last.
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
    /// Something to be given back with this reply in later requests.
    Kept(OpaqueItem),
    /// A remark of the provider's room for the person, one line: `Ollama cut the conversation to 4,096 tokens.`
    Remark(String),
    /// Tokens used; the last one told counts.
    Usage(Usage),
    /// The request failed in a way that may pass; it will be sent again by itself.
    Retrying {
        /// Which try comes next, counted from 1 for the first repetition.
        attempt: u32,
        /// How many repetitions there are at most.
        of: u32,
        /// Milliseconds until then.
        wait_ms: u64,
        /// What went wrong with the last try.
        failure: ReplyFailure,
    },
    /// The reply is over.
    Finished(Finish),
    /// The reply could not come, or not go on; what came of it is kept.
    Failed(ReplyFailure),
}

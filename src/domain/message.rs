//! What is said to a model, and what it says.

use super::{Departure, StepId};
use serde::{Deserialize, Serialize};

/// Which model: the provider's name as configured, and the model's name there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ModelName {
    /// The provider: a kind (`openai`, `scripted`) or a name from the configuration.
    pub provider: String,
    /// The model, as the provider calls it; may hold slashes.
    pub model: String,
}

impl std::fmt::Display for ModelName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

/// Who speaks in a conversation, as providers tell it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// sayso's own words to the model, before all others.
    System,
    /// The person, and results of runs in dialects without tools.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said; in a message of the role `Tool`, the result.
    pub text: String,
    /// What the model called in this message of its own.
    pub tool_calls: Vec<ToolCall>,
    /// Which call a message of the role `Tool` answers.
    pub answers: Option<String>,
    /// What its provider gave along with the reply and wants back unchanged.
    pub kept: Vec<OpaqueItem>,
    /// Images beside the text.
    pub images: Vec<MessageImage>,
}

impl Message {
    /// A message that is text alone.
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self {
            role,
            text: text.into(),
            tool_calls: Vec::new(),
            answers: None,
            kept: Vec::new(),
            images: Vec::new(),
        }
    }

    /// The result of a tool call.
    pub fn result(call: impl Into<String>, text: impl Into<String>) -> Self {
        Self { answers: Some(call.into()), ..Self::new(Role::Tool, text) }
    }
}

/// Something that a provider gave along with a reply and that the next request has to give back unchanged: a signed
/// thinking block, an encrypted item of reasoning. Never shown, never read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpaqueItem {
    /// The kind of provider that made it (`anthropic`); no other is given it.
    pub kind: String,
    /// What it gave, as JSON text.
    pub json: String,
}

/// An image that is sent along with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageImage {
    /// The image as the run recorded it.
    pub image: super::ImageRef,
    /// Its bytes; the engine orders without them, the driver reads them before the request leaves.
    pub data: Option<std::sync::Arc<[u8]>>,
}

/// A tool that the model may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// Its parameters: the text of a JSON schema of an object.
    pub parameters: String,
}

/// The form that an answer has to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerForm {
    /// The name under which providers want the form.
    pub name: String,
    /// The text of a JSON schema of an object.
    pub schema: String,
}

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Purpose {
    /// The next step of the turn.
    #[default]
    Answer,
    /// A second opinion on a block.
    Judge,
    /// A summary of older turns.
    Summary,
}

/// One request to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRequest {
    /// The step that it belongs to.
    pub step: StepId,
    /// What it is for.
    pub purpose: Purpose,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// What the model may call; empty: it is told of no tools.
    pub tools: Vec<Tool>,
    /// The form of the answer, where one is asked for. A provider that has no such thing leaves it to the messages.
    pub form: Option<AnswerForm>,
}

impl ModelRequest {
    /// A request with these messages alone.
    pub fn new(step: StepId, purpose: Purpose, messages: Vec<Message>) -> Self {
        Self { step, purpose, messages, tools: Vec::new(), form: None }
    }
}

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
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether the model said all that it wanted to say.
    pub fn complete(self) -> bool {
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
    /// The server failed (5xx, overloaded). In files, also a kind of a later version.
    #[serde(other)]
    Server,
}

impl FailureKind {
    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
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

/// What one token costs, in billionths of a US dollar: 3,000 is $3 for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Price {
    /// A token of the request.
    pub input: u64,
    /// A token of the reply, reasoning included.
    pub output: u64,
    /// A token of the request that came from a cache.
    pub cached: u64,
    /// A token of the request that was written to a cache.
    pub cache_written: u64,
    /// What it costs where the request is long.
    pub long: Option<LongPrice>,
}

/// What one token costs where the request has more than so many: of all its tokens, and of its reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongPrice {
    /// Requests of more tokens than this, those from a cache included.
    pub above: u64,
    /// As of [`Price`].
    pub input: u64,
    /// As of [`Price`].
    pub output: u64,
    /// As of [`Price`].
    pub cached: u64,
    /// As of [`Price`].
    pub cache_written: u64,
}

impl Price {
    /// What this use costs, in billionths of a US dollar. What is not told is not counted.
    pub fn of(&self, usage: &Usage) -> u64 {
        if let Some(long) = self.long.filter(|long| usage.input.is_some_and(|input| input > long.above)) {
            let LongPrice { input, output, cached, cache_written, .. } = long;
            return Price { input, output, cached, cache_written, long: None }.of(usage);
        }
        let cached = usage.cached.unwrap_or(0);
        let written = usage.cache_written.unwrap_or(0);
        let plain = usage.input.unwrap_or(0).saturating_sub(cached).saturating_sub(written);
        let output = usage.output.unwrap_or(0);
        [(plain, self.input), (cached, self.cached), (written, self.cache_written), (output, self.output)]
            .into_iter()
            .fold(0u64, |sum, (tokens, price)| sum.saturating_add(tokens.saturating_mul(price)))
    }
}

/// A model that can be chosen, with what is known of it. `None`: not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelInfo {
    /// The name that requests carry.
    pub name: ModelName,
    /// How many tokens a conversation may have, reply included.
    pub context: Option<u64>,
    /// How many tokens a reply may have.
    pub output: Option<u64>,
    /// What its tokens cost.
    pub price: Option<Price>,
    /// Whether it can call tools.
    pub tools: Option<bool>,
    /// Whether it can see images.
    pub images: Option<bool>,
    /// Whether it runs on this computer.
    pub local: bool,
}

impl ModelInfo {
    /// A model of which nothing but the name is known.
    pub fn named(name: ModelName) -> Self {
        Self { name, context: None, output: None, price: None, tools: None, images: None, local: false }
    }
}

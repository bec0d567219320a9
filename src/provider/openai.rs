//! Encodes requests for OpenAI's chat completions, which OpenRouter, Groq, Ollama, llama.cpp, vLLM, LM Studio and
//! many others speak too. `decoder` decodes the replies.

mod calls;
mod chunk;
mod decoder;

pub(super) use chunk::{reason, usage};

use super::catalogue::model_list::Listing;
use super::conversation::{self, CallResult, Utterance};
use super::format::{Format, OutgoingRequest};
use super::opaque_items::MessagePart;
use super::protocol::{self, KeyHeader, Protocol};
use super::quirks::{OptionalPart, RefusedParts};
use crate::config::FormatKind;
use crate::domain::{AnswerForm, MessageImage, Tool, ToolCall};
use reqwest::Url;
use serde_json::{Map, Value, json};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// The format: where its requests are sent and how they are signed, encoded and decoded.
pub(super) const FORMAT: Format = Format {
    kind: FormatKind::Openai,
    protocol: Protocol {
        root,
        for_replies: |url, root, _| url.set_path(&format!("{root}/chat/completions")),
        query_for_replies: None,
        key_header,
        header: None,
        accept: protocol::EVENT_STREAM_TYPES,
    },
    listing: Listing::All,
    encode,
    lines: false,
    decoder: |_| Box::<decoder::CompletionDecoder>::default(),
};

/// The start of all paths of OpenAI's formats.
pub(super) fn root(path: &str) -> String {
    let root = protocol::without_end(path, &["/chat/completions", "/responses"]);
    if root.is_empty() { "/v1".to_owned() } else { root }
}

/// The header with the key in OpenAI's formats; Azure has one of its own.
pub(super) fn key_header(url: &Url, key: &str) -> KeyHeader {
    let azure = url.host_str().is_some_and(|host| {
        let host = host.to_ascii_lowercase();
        [".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"]
            .iter()
            .any(|end| host.ends_with(end))
    });
    if azure { protocol::header("api-key", key) } else { protocol::bearer(url, key) }
}

fn encode(asked: &OutgoingRequest<'_>) -> Value {
    let left_out = asked.quirks.refused;
    let mut body = json!({ "model": asked.model() });
    body["messages"] = asked.utterances().iter().flat_map(|said| messages(said, left_out)).collect();
    body["stream"] = true.into();
    if asked.has(OptionalPart::Usage) {
        body["stream_options"] = json!({ "include_usage": true });
    }
    if !asked.request.tools.is_empty() {
        body["tools"] = asked.request.tools.iter().map(tool).collect();
    }
    if let Some(form) = asked.form() {
        body["response_format"] = json!({ "type": "json_schema", "json_schema": strict(form) });
    }
    if let Some(limit) = asked.access().max_output {
        // OpenAI itself refuses the name that all other servers expect.
        let usual = asked.access().identity.host.ends_with("openai.com") || left_out.has(OptionalPart::Limit);
        body[if usual { "max_completion_tokens" } else { "max_tokens" }] = limit.into();
    }
    if let Some(effort) = asked.effort() {
        body["reasoning_effort"] = effort.as_str().into();
    }
    body
}

/// An utterance as messages of this format.
fn messages(said: &Utterance<'_>, left_out: RefusedParts) -> Vec<Value> {
    match said {
        Utterance::System(text) => vec![json!({ "role": "system", "content": text })],
        Utterance::User { text, images } => vec![json!({ "role": "user", "content": content(text, images) })],
        Utterance::Model(parts) => vec![model(parts, left_out)],
        Utterance::Results(outcomes) => results(outcomes, left_out),
    }
}

/// Text alone, or text with images.
fn content(text: &str, images: &[MessageImage]) -> Value {
    if images.is_empty() {
        return text.into();
    }
    conversation::parts(text, images, self::text, image).into()
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn image(image: &MessageImage) -> Value {
    match conversation::data_url(image) {
        Some(url) => json!({ "type": "image_url", "image_url": { "url": url } }),
        None => text(&conversation::missing_image(image)),
    }
}

fn model(parts: &[MessagePart<'_>], left_out: RefusedParts) -> Value {
    let call = |call: &ToolCall| {
        json!({
            "id": id(&call.id, left_out),
            "type": "function",
            "function": { "name": call.name, "arguments": conversation::arguments(call).to_string() },
        })
    };
    let (mut message, text) = model_message(parts, call);
    message.insert("content".into(), if text.is_empty() { Value::Null } else { text.into() });
    message.into()
}

/// The model's message without its text, and the text.
pub(super) fn model_message(
    parts: &[MessagePart<'_>],
    encode: impl Fn(&ToolCall) -> Value,
) -> (Map<String, Value>, String) {
    let (mut text, mut calls, mut message) = (String::new(), Vec::new(), Map::new());
    message.insert("role".into(), "assistant".into());
    for part in parts {
        match part {
            MessagePart::Text(piece) => text.push_str(piece),
            MessagePart::Call(call) => calls.push(encode(call)),
            MessagePart::Item(Value::Object(fields)) => message.extend(fields.clone()),
            MessagePart::Item(_) => {}
        }
    }
    if !calls.is_empty() {
        message.insert("tool_calls".into(), calls.into());
    }
    (message, text)
}

/// Results, followed by a message with their images, because the role `tool` takes only text.
fn results(outcomes: &[CallResult<'_>], left_out: RefusedParts) -> Vec<Value> {
    let mut all: Vec<Value> = outcomes
        .iter()
        .map(|o| json!({ "role": "tool", "tool_call_id": id(&o.call.id, left_out), "content": o.text }))
        .collect();
    let images: Vec<Value> = outcomes.iter().flat_map(|o| o.images).map(image).collect();
    if !images.is_empty() {
        let words = text("Images of these results:");
        let content: Value = std::iter::once(words).chain(images).collect();
        all.push(json!({ "role": "user", "content": content }));
    }
    all
}

/// The id of a call. For a server that accepts only its own form of ids (Mistral: nine letters and digits), a hash of
/// the id in that form.
fn id(given: &str, left_out: RefusedParts) -> String {
    let fits = given.len() == 9 && given.bytes().all(|b| b.is_ascii_alphanumeric());
    if !left_out.has(OptionalPart::ForeignCallIds) || fits {
        return given.to_owned();
    }
    let mut hasher = DefaultHasher::new();
    given.hash(&mut hasher);
    format!("{:09}", hasher.finish() % 1_000_000_000)
}

/// A tool as most servers expect it.
pub(super) fn tool(tool: &Tool) -> Value {
    let parameters = conversation::schema(&tool.parameters);
    let function = json!({ "name": tool.name, "description": tool.description, "parameters": parameters });
    json!({ "type": "function", "function": function })
}

/// The form of an answer. `strict` is set only for a schema that closes its objects, as servers demand for strict
/// schemas.
pub(super) fn strict(form: &AnswerForm) -> Value {
    let schema = conversation::schema(&form.schema);
    let strict = schema.get("additionalProperties") == Some(&Value::Bool(false));
    json!({ "name": form.name, "schema": schema, "strict": strict })
}

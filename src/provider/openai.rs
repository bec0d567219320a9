//! The wire of OpenAI's chat completions, which OpenRouter, Groq, Ollama, llama.cpp, vLLM, LM Studio and many others
//! speak too. Here: the request. The reply is read by `decoder`.

mod calls;
mod chunk;
mod decoder;

pub(super) use chunk::{reason, usage};

use super::catalogue::listed::Listing;
use super::conversation::{self, ReplyOutcome, Utterance};
use super::opaque_items;
use super::piece_decoder::ReplyDecoder;
use super::protocol::{self, KeyHeader, Protocol};
use super::quirks::{OptionalPart, RefusedParts, ServerQuirks};
use super::server::Access;
use super::wire::{Format, Wire, WireDecoder};
use crate::config::ProviderKind;
use crate::domain::{AnswerForm, MessageImage, ModelRequest, Tool};
use reqwest::Url;
use serde_json::{Map, Value, json};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// The format, beside its bodies.
pub(super) const FORMAT: Format = Format {
    kind: ProviderKind::Openai,
    protocol: Protocol {
        root,
        for_replies: |url, root, _| url.set_path(&format!("{root}/chat/completions")),
        query_for_replies: None,
        key_header,
        header: None,
        accept: protocol::EVENTS,
    },
    listing: Listing::All,
    wire: |access| Box::new(OpenAi { access }),
};

/// What the paths of OpenAI's formats begin with.
pub(super) fn root(path: &str) -> String {
    let root = protocol::without(path, &["/chat/completions", "/responses"]);
    if root.is_empty() { "/v1".to_owned() } else { root }
}

/// The header in which a key is sent in OpenAI's formats: Azure has one of its own.
pub(super) fn key_header(url: &Url, key: &str) -> KeyHeader {
    let azure = url.host_str().is_some_and(|host| {
        let host = host.to_ascii_lowercase();
        [".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"]
            .iter()
            .any(|end| host.ends_with(end))
    });
    if azure { protocol::plain("api-key", key) } else { protocol::bearer(url, key) }
}

/// A server that speaks chat completions.
#[derive(Debug)]
struct OpenAi {
    access: Access,
}

impl Wire for OpenAi {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn access(&self) -> &Access {
        &self.access
    }

    fn encode(&self, request: &ModelRequest, known: &ServerQuirks) -> Value {
        let left_out = known.left_out;
        let kept = (!left_out.has(OptionalPart::Reasoning)).then_some(FORMAT.kind.as_str());
        let messages: Vec<Value> =
            conversation::said(request, kept).iter().flat_map(|said| messages(said, left_out)).collect();
        let mut body = Map::new();
        body.insert("model".into(), json!(self.access.name.model));
        body.insert("messages".into(), messages.into());
        body.insert("stream".into(), true.into());
        if !left_out.has(OptionalPart::Usage) {
            body.insert("stream_options".into(), json!({ "include_usage": true }));
        }
        if !request.tools.is_empty() {
            body.insert("tools".into(), request.tools.iter().map(tool).collect());
        }
        if let Some(form) = request.form.as_ref().filter(|_| !left_out.has(OptionalPart::Form)) {
            body.insert(
                "response_format".into(),
                json!({ "type": "json_schema", "json_schema": strict(form) }),
            );
        }
        if let Some(limit) = self.access.max_output {
            // OpenAI itself refuses the name that everybody else expects.
            let usual =
                self.access.asked.host.ends_with("openai.com") || known.left_out.has(OptionalPart::Limit);
            let name = if usual { "max_completion_tokens" } else { "max_tokens" };
            body.insert(name.into(), limit.into());
        }
        if let Some(effort) = self.access.effort.filter(|_| !left_out.has(OptionalPart::Reasoning)) {
            body.insert("reasoning_effort".into(), effort.as_str().into());
        }
        Value::Object(body)
    }

    fn decoder(&self, _: &Value) -> Box<dyn WireDecoder> {
        Box::new(ReplyDecoder::new(&self.access, false, decoder::Completion::new()))
    }
}

/// What was said, as messages of this wire.
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
    let words = (!text.trim().is_empty()).then(|| json!({ "type": "text", "text": text }));
    words.into_iter().chain(images.iter().map(image)).collect()
}

fn image(image: &MessageImage) -> Value {
    match conversation::data_url(image) {
        Some(url) => json!({ "type": "image_url", "image_url": { "url": url } }),
        None => json!({ "type": "text", "text": conversation::missing(image) }),
    }
}

fn model(parts: &[opaque_items::OpaquePart<'_>], left_out: RefusedParts) -> Value {
    let (mut text, mut calls, mut message) = (String::new(), Vec::new(), Map::new());
    message.insert("role".into(), "assistant".into());
    message.insert("content".into(), Value::Null);
    for part in parts {
        match part {
            opaque_items::OpaquePart::Text(piece) => text.push_str(piece),
            opaque_items::OpaquePart::Call(call) => calls.push(json!({
                "id": id(&call.id, left_out),
                "type": "function",
                "function": { "name": call.name, "arguments": conversation::arguments(call).to_string() },
            })),
            opaque_items::OpaquePart::Item(Value::Object(fields)) => message.extend(fields.clone()),
            opaque_items::OpaquePart::Item(_) => {}
        }
    }
    if !text.is_empty() {
        message.insert("content".into(), text.into());
    }
    if !calls.is_empty() {
        message.insert("tool_calls".into(), calls.into());
    }
    Value::Object(message)
}

/// Results, and behind them the images that came with them: the role `tool` takes text only.
fn results(outcomes: &[ReplyOutcome<'_>], left_out: RefusedParts) -> Vec<Value> {
    let mut all: Vec<Value> = outcomes
        .iter()
        .map(|o| json!({ "role": "tool", "tool_call_id": id(&o.call.id, left_out), "content": o.text }))
        .collect();
    let images: Vec<Value> = outcomes.iter().flat_map(|o| o.images).map(image).collect();
    if !images.is_empty() {
        let words = json!({ "type": "text", "text": "Images of these results:" });
        let content: Value = std::iter::once(words).chain(images).collect();
        all.push(json!({ "role": "user", "content": content }));
    }
    all
}

/// The id of a call; where a server takes its own form of ids only (Mistral: nine letters and digits), one of that form.
fn id(given: &str, left_out: RefusedParts) -> String {
    let fits = given.len() == 9 && given.bytes().all(|b| b.is_ascii_alphanumeric());
    if !left_out.has(OptionalPart::Ids) || fits {
        return given.to_owned();
    }
    let mut hasher = DefaultHasher::new();
    given.hash(&mut hasher);
    format!("{:09}", hasher.finish() % 1_000_000_000)
}

fn tool(tool: &Tool) -> Value {
    let parameters = conversation::schema(&tool.parameters);
    let function = json!({ "name": tool.name, "description": tool.description, "parameters": parameters });
    json!({ "type": "function", "function": function })
}

/// The form of an answer. Strictness has rules of its own; a schema that follows them closes its objects.
pub(super) fn strict(form: &AnswerForm) -> Value {
    let schema = conversation::schema(&form.schema);
    let strict = schema.get("additionalProperties") == Some(&Value::Bool(false));
    json!({ "name": form.name, "schema": schema, "strict": strict })
}

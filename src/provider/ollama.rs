//! The wire of Ollama's own interface. Here: the request; the reply is read by `lines`.
//!
//! Ollama cuts a conversation that is longer than `num_ctx`, from its beginning, and says nothing. So `num_ctx` is always
//! set: as configured, else as large as the conversation needs, up to what the model can have. A larger one takes memory
//! and loads the model anew, so it grows in steps and begins at [`USUAL`].

mod lines;

use super::catalogue::listed::Listing;
use super::conversation::{self, ReplyOutcome, Utterance};
use super::opaque_items;
use super::piece_decoder::ReplyDecoder;
use super::protocol::{self, Protocol};
use super::quirks::{OptionalPart, ServerQuirks};
use super::server::Access;
use super::wire::{Format, Wire, WireDecoder};
use crate::config::{Effort, ProviderKind};
use crate::domain::{MessageImage, ModelRequest, Tool};
use serde_json::{Map, Value, json};

/// Tokens of context that are asked for at least, where the model has so many.
const USUAL: u64 = 32_768;
/// Tokens that are left for the reply.
const FOR_REPLY: u64 = 4_096;

/// The format, beside its bodies.
pub(super) const FORMAT: Format = Format {
    kind: ProviderKind::Ollama,
    protocol: Protocol {
        root: |path| protocol::without(path, &["/api/chat", "/api", "/v1/chat/completions", "/v1"]),
        for_replies: |url, root, _| url.set_path(&format!("{root}/api/chat")),
        query_for_replies: None,
        key_header: protocol::bearer,
        header: None,
        accept: "application/x-ndjson, application/json",
    },
    listing: Listing::Names,
    wire: |access| Box::new(Ollama { access }),
};

/// A server that speaks Ollama's interface.
#[derive(Debug)]
struct Ollama {
    access: Access,
}

impl Ollama {
    /// Tokens of context to ask for.
    fn context(&self, messages: &Value, tools: &Value, known: &ServerQuirks) -> u64 {
        if let Some(context) = self.access.context {
            return context;
        }
        let sent = lines::estimate(messages) + lines::estimate(tools);
        let reply = self.access.max_output.unwrap_or(FOR_REPLY).max(FOR_REPLY);
        // A quarter more than is estimated: code has more tokens than prose.
        let needed = (sent + sent / 4 + reply).next_power_of_two();
        needed.max(USUAL).min(known.context.unwrap_or(USUAL))
    }
}

impl Wire for Ollama {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn access(&self) -> &Access {
        &self.access
    }

    fn encode(&self, request: &ModelRequest, known: &ServerQuirks) -> Value {
        let kept = (!known.left_out.has(OptionalPart::Reasoning)).then_some(FORMAT.kind.as_str());
        let messages: Value = conversation::said(request, kept).iter().flat_map(messages).collect();
        let tools: Value = request.tools.iter().map(tool).collect();
        let mut options = Map::new();
        options.insert("num_ctx".into(), self.context(&messages, &tools, known).into());
        if let Some(limit) = self.access.max_output {
            options.insert("num_predict".into(), limit.into());
        }
        let mut body = Map::new();
        body.insert("model".into(), json!(self.access.name.model));
        body.insert("messages".into(), messages);
        body.insert("stream".into(), true.into());
        if !request.tools.is_empty() {
            body.insert("tools".into(), tools);
        }
        if let Some(form) = request.form.as_ref().filter(|_| !known.left_out.has(OptionalPart::Form)) {
            body.insert("format".into(), conversation::schema(&form.schema));
        }
        if let Some(effort) = self.access.effort.filter(|_| !known.left_out.has(OptionalPart::Reasoning)) {
            // One family takes a level, all others a yes.
            let levels = self.access.name.model.contains("gpt-oss");
            let think = if levels { effort.as_str().into() } else { Value::Bool(effort != Effort::Low) };
            body.insert("think".into(), think);
        }
        body.insert("options".into(), options.into());
        Value::Object(body)
    }

    fn decoder(&self, sent: &Value) -> Box<dyn WireDecoder> {
        Box::new(ReplyDecoder::new(&self.access, true, lines::LineDecoder::new(sent)))
    }
}

/// What was said, as messages of this wire.
fn messages(said: &Utterance<'_>) -> Vec<Value> {
    match said {
        Utterance::System(text) => vec![json!({ "role": "system", "content": text })],
        Utterance::User { text, images } => vec![user(text, images)],
        Utterance::Model(parts) => vec![model(parts)],
        Utterance::Results(outcomes) => outcomes.iter().map(result).collect(),
    }
}

fn user(text: &str, images: &[MessageImage]) -> Value {
    with_images(json!({ "role": "user", "content": text }), images)
}

/// Images stand beside the text, as base64 alone.
fn with_images(mut message: Value, images: &[MessageImage]) -> Value {
    let data: Vec<Value> = images.iter().filter_map(conversation::base64).map(Value::from).collect();
    if !data.is_empty() {
        message["images"] = data.into();
    }
    let missing = images.iter().filter(|image| image.data.is_none()).map(conversation::missing);
    for words in missing {
        let text = message.get("content").and_then(Value::as_str).unwrap_or_default();
        message["content"] = format!("{text}\n{words}").trim_start().into();
    }
    message
}

fn model(parts: &[opaque_items::OpaquePart<'_>]) -> Value {
    let (mut text, mut calls, mut message) = (String::new(), Vec::new(), Map::new());
    message.insert("role".into(), "assistant".into());
    for part in parts {
        match part {
            opaque_items::OpaquePart::Text(piece) => text.push_str(piece),
            opaque_items::OpaquePart::Call(call) => {
                calls.push(
                    json!({ "function": { "name": call.name, "arguments": conversation::arguments(call) } }),
                );
            }
            opaque_items::OpaquePart::Item(Value::Object(fields)) => message.extend(fields.clone()),
            opaque_items::OpaquePart::Item(_) => {}
        }
    }
    message.insert("content".into(), text.into());
    if !calls.is_empty() {
        message.insert("tool_calls".into(), calls.into());
    }
    Value::Object(message)
}

fn result(outcome: &ReplyOutcome<'_>) -> Value {
    let message = json!({ "role": "tool", "tool_name": outcome.call.name, "content": outcome.text });
    with_images(message, outcome.images)
}

fn tool(tool: &Tool) -> Value {
    let parameters = conversation::schema(&tool.parameters);
    let function = json!({ "name": tool.name, "description": tool.description, "parameters": parameters });
    json!({ "type": "function", "function": function })
}

//! The wire of Anthropic's Messages. Here: the request; the reply is read by `events`.
//!
//! Person and model speak in turns, results belong to the person. Thinking is kept with its signature and given back where
//! it stood. What does not change from step to step is marked to be cached: the instructions with the tools before them,
//! and the conversation up to its end.

mod events;

use super::catalogue::listed::{self, Listing};
use super::conversation::{self, ReplyOutcome, Utterance};
use super::opaque_items;
use super::piece_decoder::ReplyDecoder;
use super::protocol::{self, KeyHeader, Protocol};
use super::quirks::{OptionalPart, ServerQuirks};
use super::server::Access;
use super::wire::{Format, Wire, WireDecoder};
use crate::config::ProviderKind;
use crate::domain::{MessageImage, ModelRequest, Tool};
use reqwest::Url;
use serde_json::{Map, Value, json};

/// The format, beside its bodies.
pub(super) const FORMAT: Format = Format {
    kind: ProviderKind::Anthropic,
    protocol: Protocol {
        root,
        for_replies: |url, root, _| url.set_path(&format!("{root}/messages")),
        query_for_replies: None,
        key_header,
        header: Some(("anthropic-version", "2023-06-01")),
        accept: protocol::EVENTS,
    },
    listing: Listing::Paged { size: ("limit", "1000"), page: listed::page, model: listed::one },
    wire: |access| Box::new(Anthropic { access }),
};

fn root(path: &str) -> String {
    let root = protocol::without(path, &["/messages"]);
    if root.ends_with("/v1") { root } else { format!("{root}/v1") }
}

/// A token of an account is no API key.
fn key_header(url: &Url, key: &str) -> KeyHeader {
    if key.starts_with("sk-ant-oat") { protocol::bearer(url, key) } else { protocol::plain("x-api-key", key) }
}

/// A server that speaks Messages.
#[derive(Debug)]
struct Anthropic {
    access: Access,
}

impl Anthropic {
    /// Tokens that a reply may have: the server wants to be told.
    fn limit(&self, known: &ServerQuirks) -> u64 {
        let model = &self.access.name.model;
        let usual = if known.left_out.has(OptionalPart::Limit) {
            4_096
        } else if model.contains("claude-3-5") {
            8_192
        } else if ["claude-3-opus", "claude-3-sonnet", "claude-3-haiku", "claude-2"]
            .iter()
            .any(|m| model.contains(m))
        {
            4_096
        } else {
            32_000
        };
        self.access.max_output.unwrap_or(usual)
    }

    /// Whether the model is told how much to think in tokens: those before Claude Opus 4.6. Later ones refuse that, and
    /// are told an effort (platform.claude.com/docs/en/build-with-claude/effort).
    fn thinks_by_budget(&self) -> bool {
        let model = &self.access.name.model;
        let before = ["claude-2", "claude-3", "-4-0", "-4-1", "-4-5", "-4-2025"];
        before.iter().any(|part| model.contains(part))
    }
}

impl Wire for Anthropic {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn access(&self) -> &Access {
        &self.access
    }

    fn encode(&self, request: &ModelRequest, known: &ServerQuirks) -> Value {
        let with_reasoning = !known.left_out.has(OptionalPart::Reasoning);
        let mut said = conversation::said(request, with_reasoning.then_some(FORMAT.kind.as_str()));
        let mut body = Map::new();
        body.insert("model".into(), json!(self.access.name.model));
        let mut limit = self.limit(known);
        let effort = self.access.effort.filter(|_| with_reasoning);
        let (budget, effort) = if self.thinks_by_budget() { (effort, None) } else { (None, effort) };
        if let Some(thinking) = budget.map(conversation::thinking_tokens) {
            // The limit counts thinking too.
            limit = limit.max(thinking + 4_096);
            body.insert("thinking".into(), json!({ "type": "enabled", "budget_tokens": thinking }));
        }
        if effort.is_some() {
            // Without it these models do not think, whatever effort they are told
            // (platform.claude.com/docs/en/build-with-claude/adaptive-thinking).
            body.insert("thinking".into(), json!({ "type": "adaptive" }));
        }
        body.insert("max_tokens".into(), limit.into());
        let mut system: Vec<Value> = conversation::take_system(&mut said).into_iter().map(text).collect();
        mark_cached(system.last_mut());
        if !system.is_empty() {
            body.insert("system".into(), system.into());
        }
        body.insert("messages".into(), messages(&said).into());
        if !request.tools.is_empty() {
            let mut tools: Vec<Value> = request.tools.iter().map(tool).collect();
            if !body.contains_key("system") {
                mark_cached(tools.last_mut());
            }
            body.insert("tools".into(), tools.into());
        }
        let mut output = Map::new();
        if let Some(form) = request.form.as_ref() {
            let schema = conversation::schema(&form.schema);
            output.insert("format".into(), json!({ "type": "json_schema", "schema": schema }));
        }
        if let Some(effort) = effort {
            output.insert("effort".into(), effort.as_str().into());
        }
        // A server that refuses one of both refuses the whole.
        if !output.is_empty() && !known.left_out.has(OptionalPart::Form) {
            body.insert("output_config".into(), output.into());
        }
        body.insert("stream".into(), true.into());
        Value::Object(body)
    }

    fn decoder(&self, _: &Value) -> Box<dyn WireDecoder> {
        Box::new(ReplyDecoder::new(&self.access, false, events::Events::default()))
    }
}

/// The conversation, person and model in turns, the person first.
fn messages(said: &[Utterance<'_>]) -> Vec<Value> {
    let parts = said.iter().map(|said| match said {
        Utterance::System(words) => ("user", vec![text(words)]),
        Utterance::User { text, images } => ("user", parts(text, images)),
        Utterance::Model(parts) => ("assistant", parts.iter().map(model).collect()),
        Utterance::Results(outcomes) => ("user", outcomes.iter().map(result).collect()),
    });
    let mut turns = conversation::turns(parts, || text(conversation::GOES_ON));
    if let Some((role, blocks)) = turns.last_mut() {
        if *role == "assistant" {
            // Words to go on from may not end in white space.
            if let Some(Value::String(words)) = blocks.last_mut().and_then(|b| b.get_mut("text")) {
                *words = words.trim_end().to_owned();
            }
        } else {
            mark_cached(blocks.last_mut());
        }
    }
    turns.into_iter().map(|(role, content)| json!({ "role": role, "content": content })).collect()
}

fn mark_cached(block: Option<&mut Value>) {
    if let Some(Value::Object(fields)) = block {
        fields.insert("cache_control".into(), json!({ "type": "ephemeral" }));
    }
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn parts(words: &str, images: &[MessageImage]) -> Vec<Value> {
    let first = (!words.trim().is_empty()).then(|| text(words));
    first.into_iter().chain(images.iter().map(image)).collect()
}

fn image(image: &MessageImage) -> Value {
    match conversation::base64(image) {
        Some(data) => {
            let source = json!({ "type": "base64", "media_type": image.image.mime, "data": data });
            json!({ "type": "image", "source": source })
        }
        None => text(&conversation::missing(image)),
    }
}

fn model(part: &opaque_items::OpaquePart<'_>) -> Value {
    match part {
        opaque_items::OpaquePart::Text(words) => text(words),
        opaque_items::OpaquePart::Call(call) => {
            let input = conversation::arguments(call);
            json!({ "type": "tool_use", "id": id(&call.id), "name": call.name, "input": input })
        }
        opaque_items::OpaquePart::Item(item) => item.clone(),
    }
}

fn result(outcome: &ReplyOutcome<'_>) -> Value {
    let mut content = parts(outcome.text, outcome.images);
    if content.is_empty() {
        content.push(text("(no output)"));
    }
    json!({ "type": "tool_result", "tool_use_id": id(&outcome.call.id), "content": content })
}

/// The id of a call in the letters that are allowed; calls of other providers may have others.
fn id(given: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let id: String = given.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    if id.is_empty() { "call".to_owned() } else { id }
}

fn tool(tool: &Tool) -> Value {
    let schema = conversation::schema(&tool.parameters);
    json!({ "name": tool.name, "description": tool.description, "input_schema": schema })
}

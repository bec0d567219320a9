//! Encodes requests for Anthropic's Messages API; `events` decodes the replies.
//!
//! Person and model take turns; results of calls belong to the person's turns. Thinking is kept with its signature
//! and sent back at its place. Parts that don't change from step to step are marked for caching: the tools with the
//! instructions after them, and the conversation up to its end.

mod events;

use super::catalogue::model_list::{self, Listing};
use super::conversation::{self, CallResult, Utterance};
use super::format::{Format, OutgoingRequest};
use super::opaque_items::MessagePart;
use super::protocol::{self, KeyHeader, Protocol};
use super::quirks::OptionalPart;
use crate::config::FormatKind;
use crate::domain::{MessageImage, Tool};
use reqwest::Url;
use serde_json::{Value, json};

/// The format: where its requests are sent and how they are signed, encoded and decoded.
pub(super) const FORMAT: Format = Format {
    kind: FormatKind::Anthropic,
    protocol: Protocol {
        root,
        for_replies: |url, root, _| url.set_path(&format!("{root}/messages")),
        query_for_replies: None,
        key_header,
        header: Some(("anthropic-version", "2023-06-01")),
        accept: protocol::EVENT_STREAM_TYPES,
    },
    listing: Listing::Paged { size: ("limit", "1000"), page: model_list::page, model: model_list::one },
    encode,
    lines: false,
    decoder: |_| Box::<events::EventDecoder>::default(),
};

fn root(path: &str) -> String {
    let root = protocol::without_end(path, &["/messages"]);
    if root.ends_with("/v1") { root } else { format!("{root}/v1") }
}

/// Sends the token of an account (`sk-ant-oat…`) as a bearer token and an API key as `x-api-key`.
fn key_header(url: &Url, key: &str) -> KeyHeader {
    if key.starts_with("sk-ant-oat") {
        protocol::bearer(url, key)
    } else {
        protocol::header("x-api-key", key)
    }
}

/// The most tokens that a reply may have; the server requires this number.
fn limit(asked: &OutgoingRequest<'_>) -> u64 {
    let model = asked.model();
    let usual = if !asked.has(OptionalPart::Limit) {
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
    asked.access().max_output.unwrap_or(usual)
}

/// Whether the model takes its thinking budget in tokens, as those before Claude Opus 4.6 do. Later models refuse
/// that and take an effort (platform.claude.com/docs/en/build-with-claude/effort).
fn thinks_by_budget(model: &str) -> bool {
    let before = ["claude-2", "claude-3", "-4-0", "-4-1", "-4-5", "-4-2025"];
    before.iter().any(|part| model.contains(part))
}

fn encode(asked: &OutgoingRequest<'_>) -> Value {
    let mut said = asked.utterances();
    let mut body = json!({ "model": asked.model() });
    let mut limit = limit(asked);
    let by_budget = thinks_by_budget(asked.model());
    let effort = asked.effort().filter(|_| !by_budget);
    if let Some(thinking) = asked.effort().filter(|_| by_budget).map(conversation::thinking_tokens) {
        // The limit includes the tokens of thinking.
        limit = limit.max(thinking + 4_096);
        body["thinking"] = json!({ "type": "enabled", "budget_tokens": thinking });
    }
    if effort.is_some() {
        // Without this field these models do not think, whatever their effort
        // (platform.claude.com/docs/en/build-with-claude/adaptive-thinking).
        body["thinking"] = json!({ "type": "adaptive" });
    }
    body["max_tokens"] = limit.into();
    let mut system: Vec<Value> = conversation::take_system(&mut said).into_iter().map(text).collect();
    mark_cached(system.last_mut());
    let has_system = !system.is_empty();
    if has_system {
        body["system"] = system.into();
    }
    body["messages"] = messages(&said).into();
    if !asked.request.tools.is_empty() {
        let mut tools: Vec<Value> = asked.request.tools.iter().map(tool).collect();
        if !has_system {
            mark_cached(tools.last_mut());
        }
        body["tools"] = tools.into();
    }
    // A server that refuses the form or the effort refuses all of `output_config`, so one flag covers both.
    if asked.has(OptionalPart::Form) {
        if let Some(form) = asked.form() {
            let schema = conversation::schema(&form.schema);
            body["output_config"]["format"] = json!({ "type": "json_schema", "schema": schema });
        }
        if let Some(effort) = effort {
            body["output_config"]["effort"] = effort.as_str().into();
        }
    }
    body["stream"] = true.into();
    body
}

/// The conversation as turns of person and model; the person begins.
fn messages(said: &[Utterance<'_>]) -> Vec<Value> {
    let parts = said.iter().map(|said| match said {
        Utterance::System(words) => ("user", vec![text(words)]),
        Utterance::User { text: words, images } => ("user", conversation::parts(words, images, text, image)),
        Utterance::Model(parts) => ("assistant", parts.iter().map(model).collect()),
        Utterance::Results(outcomes) => ("user", outcomes.iter().map(result).collect()),
    });
    let mut turns = conversation::turns(parts, || text(conversation::CONTINUE_MESSAGE));
    if let Some((role, blocks)) = turns.last_mut() {
        if *role == "assistant" {
            // The server refuses a last turn of the model that ends in white space.
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

fn image(image: &MessageImage) -> Value {
    match conversation::base64(image) {
        Some(data) => {
            let source = json!({ "type": "base64", "media_type": image.image.mime, "data": data });
            json!({ "type": "image", "source": source })
        }
        None => text(&conversation::missing_image(image)),
    }
}

fn model(part: &MessagePart<'_>) -> Value {
    match part {
        MessagePart::Text(words) => text(words),
        MessagePart::Call(call) => {
            let input = conversation::arguments(call);
            json!({ "type": "tool_use", "id": id(&call.id), "name": call.name, "input": input })
        }
        MessagePart::Item(item) => item.clone(),
    }
}

fn result(outcome: &CallResult<'_>) -> Value {
    let mut content = conversation::parts(outcome.text, outcome.images, text, image);
    if content.is_empty() {
        content.push(text("(no output)"));
    }
    json!({ "type": "tool_result", "tool_use_id": id(&outcome.call.id), "content": content })
}

/// The id of a call in the characters that this server allows; other providers allow more.
fn id(given: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let id: String = given.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    if id.is_empty() { "call".to_owned() } else { id }
}

fn tool(tool: &Tool) -> Value {
    let schema = conversation::schema(&tool.parameters);
    json!({ "name": tool.name, "description": tool.description, "input_schema": schema })
}

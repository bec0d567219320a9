//! Encodes requests for Ollama's own API; `lines` decodes the replies.
//!
//! Ollama silently cuts the beginning of a conversation that is longer than `num_ctx`. So `num_ctx` is always set: as
//! configured, else as large as the conversation needs, up to the model's context. A larger one takes memory and
//! reloads the model, so it grows in steps and begins at [`MIN_CONTEXT_TOKENS`].

mod lines;

use super::catalogue::model_list::Listing;
use super::conversation::{self, CallResult, Utterance};
use super::format::{Format, OutgoingRequest};
use super::opaque_items::MessagePart;
use super::openai::{model_message, tool};
use super::protocol::{self, Protocol};
use crate::config::{Effort, FormatKind};
use crate::domain::MessageImage;
use serde_json::{Value, json};

/// The smallest context to ask for, in tokens, unless the model has less.
const MIN_CONTEXT_TOKENS: u64 = 32_768;
/// Tokens reserved for the reply.
const REPLY_TOKENS: u64 = 4_096;

/// The format: where its requests are sent and how they are signed, encoded and decoded.
pub(super) const FORMAT: Format = Format {
    kind: FormatKind::Ollama,
    protocol: Protocol {
        root: |path| protocol::without_end(path, &["/api/chat", "/api", "/v1/chat/completions", "/v1"]),
        for_replies: |url, root, _| url.set_path(&format!("{root}/api/chat")),
        query_for_replies: None,
        key_header: protocol::bearer,
        header: None,
        accept: "application/x-ndjson, application/json",
    },
    listing: Listing::Names,
    encode,
    lines: true,
    decoder: |sent| Box::new(lines::LineDecoder::new(sent)),
};

/// The context to ask for, in tokens.
fn context_tokens(asked: &OutgoingRequest<'_>, messages: &Value, tools: &Value) -> u64 {
    if let Some(context) = asked.access().context {
        return context;
    }
    let sent = lines::estimate_tokens(messages) + lines::estimate_tokens(tools);
    let reply = asked.access().max_output.unwrap_or(REPLY_TOKENS).max(REPLY_TOKENS);
    // A quarter more than estimated: code has more tokens than prose.
    let needed = (sent + sent / 4 + reply).next_power_of_two();
    needed.max(MIN_CONTEXT_TOKENS).min(asked.quirks.context.unwrap_or(MIN_CONTEXT_TOKENS))
}

fn encode(asked: &OutgoingRequest<'_>) -> Value {
    let messages: Value = asked.utterances().iter().flat_map(messages).collect();
    let tools: Value = asked.request.tools.iter().map(tool).collect();
    let mut options = json!({ "num_ctx": context_tokens(asked, &messages, &tools) });
    if let Some(limit) = asked.access().max_output {
        options["num_predict"] = limit.into();
    }
    let mut body = json!({ "model": asked.model() });
    body["messages"] = messages;
    body["stream"] = true.into();
    if !asked.request.tools.is_empty() {
        body["tools"] = tools;
    }
    if let Some(form) = asked.form() {
        body["format"] = conversation::schema(&form.schema);
    }
    if let Some(effort) = asked.effort() {
        // Models of the gpt-oss family take a level, all others a Boolean.
        let levels = asked.model().contains("gpt-oss");
        body["think"] = if levels { effort.as_str().into() } else { Value::Bool(effort != Effort::Low) };
    }
    body["options"] = options;
    body
}

/// An utterance as messages of this format.
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

/// Adds images to a message, as plain base64 in a field of their own.
fn with_images(mut message: Value, images: &[MessageImage]) -> Value {
    let data: Vec<Value> = images.iter().filter_map(conversation::base64).map(Value::from).collect();
    if !data.is_empty() {
        message["images"] = data.into();
    }
    let missing = images.iter().filter(|image| image.data.is_none()).map(conversation::missing_image);
    for words in missing {
        let text = message["content"].as_str().unwrap_or_default();
        message["content"] = format!("{text}\n{words}").trim_start().into();
    }
    message
}

fn model(parts: &[MessagePart<'_>]) -> Value {
    let (mut message, text) = model_message(
        parts,
        |call| json!({ "function": { "name": call.name, "arguments": conversation::arguments(call) } }),
    );
    message.insert("content".into(), text.into());
    message.into()
}

fn result(outcome: &CallResult<'_>) -> Value {
    let message = json!({ "role": "tool", "tool_name": outcome.call.name, "content": outcome.text });
    with_images(message, outcome.images)
}

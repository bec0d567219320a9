//! Encodes requests for OpenAI's Responses API; `events` decodes the replies. The server stores nothing: its
//! reasoning arrives encrypted, is kept with the reply and sent back.

mod events;

use super::catalogue::model_list::Listing;
use super::conversation::{self, CallResult, Utterance};
use super::format::{Format, OutgoingRequest};
use super::opaque_items::MessagePart;
use super::openai::{self, strict};
use super::protocol::{self, Protocol};
use super::quirks::OptionalPart;
use crate::config::FormatKind;
use crate::domain::{MessageImage, Tool};
use serde_json::{Value, json};

/// The format: where its requests are sent and how they are signed, encoded and decoded.
pub(super) const FORMAT: Format = Format {
    kind: FormatKind::OpenaiResponses,
    protocol: Protocol {
        root: openai::root,
        for_replies: |url, root, _| url.set_path(&format!("{root}/responses")),
        query_for_replies: None,
        key_header: openai::key_header,
        header: None,
        accept: protocol::EVENT_STREAM_TYPES,
    },
    listing: Listing::All,
    encode,
    lines: false,
    decoder: |_| Box::<events::EventDecoder>::default(),
};

fn encode(asked: &OutgoingRequest<'_>) -> Value {
    let mut said = asked.utterances();
    let mut body = json!({ "model": asked.model() });
    if let Some(Utterance::System(text)) = said.first() {
        body["instructions"] = json!(text);
        said.remove(0);
    }
    body["input"] = said.iter().flat_map(items).collect();
    body["stream"] = true.into();
    body["store"] = false.into();
    if asked.has(OptionalPart::Reasoning) {
        body["include"] = json!(["reasoning.encrypted_content"]);
    }
    if !asked.request.tools.is_empty() {
        body["tools"] = asked.request.tools.iter().map(tool).collect();
    }
    if let Some(form) = asked.form() {
        let mut format = strict(form);
        format["type"] = "json_schema".into();
        body["text"] = json!({ "format": format });
    }
    if let Some(limit) = asked.access().max_output {
        body["max_output_tokens"] = limit.into();
    }
    if let Some(effort) = asked.effort() {
        body["reasoning"] = json!({ "effort": effort.as_str(), "summary": "auto" });
    }
    body
}

/// An utterance as items of this format.
fn items(said: &Utterance<'_>) -> Vec<Value> {
    match said {
        Utterance::System(text) => vec![json!({ "role": "system", "content": text })],
        Utterance::User { text, images: [] } => vec![json!({ "role": "user", "content": text })],
        Utterance::User { text, images } => vec![json!({ "role": "user", "content": parts(text, images) })],
        Utterance::Model(parts) => parts.iter().map(model).collect(),
        Utterance::Results(outcomes) => outcomes.iter().map(result).collect(),
    }
}

fn model(part: &MessagePart<'_>) -> Value {
    match part {
        MessagePart::Text(text) => json!({ "role": "assistant", "content": text }),
        MessagePart::Call(call) => json!({
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": conversation::arguments(call).to_string(),
        }),
        MessagePart::Item(item) => item.clone(),
    }
}

fn result(outcome: &CallResult<'_>) -> Value {
    let output = if outcome.images.is_empty() {
        Value::from(outcome.text)
    } else {
        parts(outcome.text, outcome.images)
    };
    json!({ "type": "function_call_output", "call_id": outcome.call.id, "output": output })
}

/// Text and images as parts of an input.
fn parts(text: &str, images: &[MessageImage]) -> Value {
    fn words(text: &str) -> Value {
        json!({ "type": "input_text", "text": text })
    }
    let image = |image: &MessageImage| match conversation::data_url(image) {
        Some(url) => json!({ "type": "input_image", "image_url": url }),
        None => words(&conversation::missing_image(image)),
    };
    conversation::parts(text, images, words, image).into()
}

fn tool(tool: &Tool) -> Value {
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": conversation::schema(&tool.parameters),
        "strict": false,
    })
}

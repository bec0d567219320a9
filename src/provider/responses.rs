//! The wire of OpenAI's Responses. Here: the request; the reply is read by `events`. Nothing is stored at the server: its
//! reasoning comes encrypted, is kept with the reply and given back.

mod events;

use super::catalogue::listed::Listing;
use super::conversation::{self, ReplyOutcome, Utterance};
use super::opaque_items;
use super::openai::{self, strict};
use super::piece_decoder::ReplyDecoder;
use super::protocol::{self, Protocol};
use super::quirks::{OptionalPart, ServerQuirks};
use super::server::Access;
use super::wire::{Format, Wire, WireDecoder};
use crate::config::ProviderKind;
use crate::domain::{MessageImage, ModelRequest, Tool};
use serde_json::{Map, Value, json};

/// The format, beside its bodies.
pub(super) const FORMAT: Format = Format {
    kind: ProviderKind::OpenaiResponses,
    protocol: Protocol {
        root: openai::root,
        for_replies: |url, root, _| url.set_path(&format!("{root}/responses")),
        query_for_replies: None,
        key_header: openai::key_header,
        header: None,
        accept: protocol::EVENTS,
    },
    listing: Listing::All,
    wire: |access| Box::new(Responses { access }),
};

/// A server that speaks Responses.
#[derive(Debug)]
struct Responses {
    access: Access,
}

impl Wire for Responses {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn access(&self) -> &Access {
        &self.access
    }

    fn encode(&self, request: &ModelRequest, known: &ServerQuirks) -> Value {
        let with_reasoning = !known.left_out.has(OptionalPart::Reasoning);
        let kept = with_reasoning.then_some(FORMAT.kind.as_str());
        let mut said = conversation::said(request, kept);
        let mut body = Map::new();
        body.insert("model".into(), json!(self.access.name.model));
        if let Some(Utterance::System(text)) = said.first() {
            body.insert("instructions".into(), json!(text));
            said.remove(0);
        }
        let input: Vec<Value> = said.iter().flat_map(items).collect();
        body.insert("input".into(), input.into());
        body.insert("stream".into(), true.into());
        body.insert("store".into(), false.into());
        if with_reasoning {
            body.insert("include".into(), json!(["reasoning.encrypted_content"]));
        }
        if !request.tools.is_empty() {
            body.insert("tools".into(), request.tools.iter().map(tool).collect());
        }
        if let Some(form) = request.form.as_ref().filter(|_| !known.left_out.has(OptionalPart::Form)) {
            let mut format = strict(form);
            if let Some(fields) = format.as_object_mut() {
                fields.insert("type".into(), "json_schema".into());
            }
            body.insert("text".into(), json!({ "format": format }));
        }
        if let Some(limit) = self.access.max_output {
            body.insert("max_output_tokens".into(), limit.into());
        }
        if let Some(effort) = self.access.effort.filter(|_| with_reasoning) {
            body.insert("reasoning".into(), json!({ "effort": effort.as_str(), "summary": "auto" }));
        }
        Value::Object(body)
    }

    fn decoder(&self, _: &Value) -> Box<dyn WireDecoder> {
        Box::new(ReplyDecoder::new(&self.access, false, events::Events::default()))
    }
}

/// What was said, as items of this wire.
fn items(said: &Utterance<'_>) -> Vec<Value> {
    match said {
        Utterance::System(text) => vec![json!({ "role": "system", "content": text })],
        Utterance::User { text, images: [] } => vec![json!({ "role": "user", "content": text })],
        Utterance::User { text, images } => vec![json!({ "role": "user", "content": parts(text, images) })],
        Utterance::Model(parts) => parts.iter().map(model).collect(),
        Utterance::Results(outcomes) => outcomes.iter().map(result).collect(),
    }
}

fn model(part: &opaque_items::OpaquePart<'_>) -> Value {
    match part {
        opaque_items::OpaquePart::Text(text) => json!({ "role": "assistant", "content": text }),
        opaque_items::OpaquePart::Call(call) => json!({
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": conversation::arguments(call).to_string(),
        }),
        opaque_items::OpaquePart::Item(item) => item.clone(),
    }
}

fn result(outcome: &ReplyOutcome<'_>) -> Value {
    let output = if outcome.images.is_empty() {
        Value::from(outcome.text)
    } else {
        parts(outcome.text, outcome.images)
    };
    json!({ "type": "function_call_output", "call_id": outcome.call.id, "output": output })
}

/// Text and images as parts of an input.
fn parts(text: &str, images: &[MessageImage]) -> Value {
    let words = |text: &str| json!({ "type": "input_text", "text": text });
    let image = |image: &MessageImage| match conversation::data_url(image) {
        Some(url) => json!({ "type": "input_image", "image_url": url }),
        None => words(&conversation::missing(image)),
    };
    let first = (!text.trim().is_empty()).then(|| words(text));
    first.into_iter().chain(images.iter().map(image)).collect()
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

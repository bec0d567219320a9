//! Encodes requests for Google's `streamGenerateContent`, of the Gemini API and of Vertex. `chunks` decodes the
//! replies; `schema` converts schemas to Google's subset.
//!
//! Person and model take turns; results of calls belong to the person's turns and name the calls that they answer.
//! Signatures of thoughts are sent back with the calls and the text that they came with.

mod chunks;
mod models;
mod schema;

use super::catalogue::model_list::Listing;
use super::conversation::{self, CallResult, Utterance};
use super::format::{Format, OutgoingRequest};
use super::opaque_items::MessagePart;
use super::protocol::{self, KeyHeader, Protocol};
use crate::config::{Effort, FormatKind};
use crate::domain::{MessageImage, Tool};
use reqwest::Url;
use serde_json::{Map, Value, json};

/// Sent as the signature of a call that another model made: Gemini 3 refuses calls without one.
const FOREIGN_SIGNATURE: &str = "skip_thought_signature_validator";

/// The format: where its requests are sent and how they are signed, encoded and decoded.
pub(super) const FORMAT: Format = Format {
    kind: FormatKind::Gemini,
    protocol: Protocol {
        root,
        for_replies,
        query_for_replies: Some("alt"),
        key_header,
        header: None,
        accept: protocol::EVENT_STREAM_TYPES,
    },
    listing: Listing::Paged {
        size: ("pageSize", "1000"),
        page: models::read_page,
        model: models::read_model,
    },
    encode,
    lines: false,
    decoder: |_| Box::new(chunks::ChunkDecoder),
};

fn root(path: &str) -> String {
    let root = path.rfind("/models").map_or(path, |at| path.get(..at).unwrap_or(path));
    let last = root.rsplit('/').next().unwrap_or_default();
    let versioned = last.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    // Vertex puts project, location and publisher behind the version.
    if versioned || root.contains("/publishers/") { root.to_owned() } else { format!("{root}/v1beta") }
}

fn for_replies(url: &mut Url, root: &str, model: &str) {
    url.set_path(&format!("{root}/models/"));
    let model = model.strip_prefix("models/").unwrap_or(model);
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().push(&format!("{model}:streamGenerateContent"));
    }
    if !url.query_pairs().any(|(name, _)| name == "alt") {
        url.query_pairs_mut().append_pair("alt", "sse");
    }
}

/// Sends the token of an account (Vertex) as a bearer token and an API key as `x-goog-api-key`.
fn key_header(url: &Url, key: &str) -> KeyHeader {
    if key.starts_with("ya29.") {
        protocol::bearer(url, key)
    } else {
        protocol::header("x-goog-api-key", key)
    }
}

fn encode(asked: &OutgoingRequest<'_>) -> Value {
    let mut said = asked.utterances();
    let mut body = Map::new();
    let system: Vec<Value> = conversation::take_system(&mut said).into_iter().map(text).collect();
    if !system.is_empty() {
        body.insert("systemInstruction".into(), json!({ "parts": system }));
    }
    body.insert("contents".into(), contents(&said, is_gemini_3(asked.model())).into());
    if !asked.request.tools.is_empty() {
        let tools: Vec<Value> = asked.request.tools.iter().map(tool).collect();
        body.insert("tools".into(), json!([{ "functionDeclarations": tools }]));
    }
    let config = config(asked);
    if !config.is_empty() {
        body.insert("generationConfig".into(), config.into());
    }
    body.into()
}

fn is_gemini_3(model: &str) -> bool {
    model.contains("gemini-3")
}

/// The settings for generating the reply.
fn config(asked: &OutgoingRequest<'_>) -> Map<String, Value> {
    let mut config = Map::new();
    if let Some(limit) = asked.access().max_output {
        config.insert("maxOutputTokens".into(), limit.into());
    }
    if let Some(form) = asked.form() {
        config.insert("responseMimeType".into(), "application/json".into());
        config.insert("responseSchema".into(), schema::subset(&conversation::schema(&form.schema)));
    }
    if let Some(effort) = asked.effort() {
        let mut thinking = json!({ "includeThoughts": true });
        if is_gemini_3(asked.model()) {
            // All Gemini 3 models know these two levels.
            let level = if effort == Effort::Low { "low" } else { "high" };
            thinking["thinkingLevel"] = level.into();
        } else {
            thinking["thinkingBudget"] = conversation::thinking_tokens(effort).into();
        }
        config.insert("thinkingConfig".into(), thinking);
    }
    config
}

/// The conversation as turns of person and model; the person begins.
fn contents(said: &[Utterance<'_>], signed: bool) -> Vec<Value> {
    let parts = said.iter().map(|said| match said {
        Utterance::System(words) => ("user", vec![text(words)]),
        Utterance::User { text: words, images } => ("user", conversation::parts(words, images, text, image)),
        Utterance::Model(parts) => ("model", model(parts, signed)),
        Utterance::Results(outcomes) => ("user", results(outcomes)),
    });
    let turns = conversation::turns(parts, || text(conversation::CONTINUE_MESSAGE));
    turns.into_iter().map(|(role, parts)| json!({ "role": role, "parts": parts })).collect()
}

/// The parts of the model's message. `signed`: its first call needs a signature.
fn model(parts: &[MessagePart<'_>], signed: bool) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    let mut unsigned = signed;
    for part in parts {
        match part {
            MessagePart::Text(words) => all.push(text(words)),
            MessagePart::Call(call) => {
                let mut one = json!({ "functionCall": function(&call.id, &call.name, "args", conversation::arguments(call)) });
                // Of parallel calls only the first is signed.
                let foreign = std::mem::take(&mut unsigned).then(|| FOREIGN_SIGNATURE.to_owned());
                if let Some(signature) = call.signature.clone().or(foreign) {
                    one["thoughtSignature"] = signature.into();
                }
                all.push(one);
            }
            MessagePart::Item(item) => match (all.last_mut(), item.get("thoughtSignature")) {
                (Some(Value::Object(last)), Some(signature)) if last.contains_key("text") => {
                    last.insert("thoughtSignature".into(), signature.clone());
                }
                (_, Some(signature)) => all.push(json!({ "text": "", "thoughtSignature": signature })),
                _ => {}
            },
        }
    }
    all
}

fn text(text: &str) -> Value {
    json!({ "text": text })
}

fn image(image: &MessageImage) -> Value {
    match conversation::base64(image) {
        Some(data) => json!({ "inlineData": { "mimeType": image.image.mime, "data": data } }),
        None => text(&conversation::missing_image(image)),
    }
}

/// A call or its result. An id that was made here is left out: Google does not know it.
fn function(id: &str, name: &str, field: &str, value: Value) -> Value {
    let mut function = Map::new();
    if !super::accumulator::is_own_id(id) {
        function.insert("id".into(), id.into());
    }
    function.insert("name".into(), name.into());
    function.insert(field.into(), value);
    function.into()
}

/// All results, then the images that came with them.
fn results(outcomes: &[CallResult<'_>]) -> Vec<Value> {
    let result = |o: &CallResult<'_>| {
        let response = json!({ "result": o.text });
        json!({ "functionResponse": function(&o.call.id, &o.call.name, "response", response) })
    };
    outcomes.iter().map(result).chain(outcomes.iter().flat_map(|o| o.images).map(image)).collect()
}

fn tool(tool: &Tool) -> Value {
    let parameters = schema::subset(&conversation::schema(&tool.parameters));
    let mut function = json!({ "name": tool.name, "description": tool.description });
    // Google refuses an object without properties, but accepts a function without parameters.
    if parameters.get("properties").and_then(Value::as_object).is_some_and(|p| !p.is_empty()) {
        function["parameters"] = parameters;
    }
    function
}

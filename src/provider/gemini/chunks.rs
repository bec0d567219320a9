//! Decodes the chunks of a reply: parts of text, thoughts and calls, until a chunk says why the model stopped.

use crate::domain::{FinishReason, ToolCall, Usage};
use crate::provider::accumulator::Accumulator;
use crate::provider::failure::ErrorBody;
use crate::provider::piece_decoder::PieceDecoder;
use serde_json::{Value, json};

/// Decodes chunks; each is complete, so nothing is stored between them.
#[derive(Debug)]
pub(super) struct ChunkDecoder;

impl PieceDecoder for ChunkDecoder {
    /// Some servers put a reason into every chunk.
    fn reason_is_last(&self) -> bool {
        false
    }

    fn piece(&mut self, value: Value, so_far: &mut Accumulator) {
        if !value["error"].is_null() {
            return so_far.fail_refused(&ErrorBody::of(&value));
        }
        for candidate in value["candidates"].as_array().into_iter().flatten() {
            so_far.mark_known();
            if candidate["index"].as_u64().unwrap_or(0) == 0 {
                self::candidate(candidate, so_far);
            }
        }
        if let Some(counts) = value.get("usageMetadata") {
            so_far.set_usage(usage(counts));
        }
        let feedback = &value["promptFeedback"];
        if let Some(why) = feedback.get("blockReason").filter(|why| !why.is_null()) {
            if let Some(words) = feedback["blockReasonMessage"].as_str() {
                so_far.add_remark(words);
            }
            let word = why.as_str().map_or_else(|| why.to_string(), str::to_owned);
            so_far.finish(FinishReason::Filter, word);
        }
    }
}

fn candidate(candidate: &Value, so_far: &mut Accumulator) {
    for part in candidate.pointer("/content/parts").and_then(Value::as_array).into_iter().flatten() {
        self::part(part, so_far);
    }
    let word = match candidate.get("finishReason") {
        Some(Value::String(word)) => word.clone(),
        // An older library writes the reason as a number.
        Some(Value::Number(number)) => reason_by_number(number.as_u64().unwrap_or(0)).to_owned(),
        _ => return,
    };
    if word.is_empty() || word == "FINISH_REASON_UNSPECIFIED" {
        return;
    }
    let reason = reason(&word);
    if let Some(words) = candidate["finishMessage"].as_str()
        && !reason.complete()
    {
        so_far.add_remark(words);
    }
    so_far.finish(reason, word);
}

fn part(part: &Value, so_far: &mut Accumulator) {
    let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let signature =
        part.get("thoughtSignature").or_else(|| part.get("thought_signature")).and_then(Value::as_str);
    if let Some(call) = part.get("functionCall").filter(|call| call.is_object()) {
        let arguments = call.get("args").filter(|args| !args.is_null());
        let arguments = arguments.map_or_else(|| "{}".to_owned(), Value::to_string);
        let (id, name) = (text(call, "id"), text(call, "name"));
        so_far.count_entry(id.len() + name.len() + arguments.len() + signature.map_or(0, str::len));
        return so_far.add_call(ToolCall { id, name, arguments, signature: signature.map(str::to_owned) });
    }
    let words = text(part, "text");
    if part["thought"].as_bool().unwrap_or(false) {
        return so_far.add_reasoning(words);
    }
    so_far.add_text(words);
    if let Some(signature) = signature {
        let item = json!({ "thoughtSignature": signature });
        so_far.keep_here(super::FORMAT.kind, item);
    }
}

fn reason(word: &str) -> FinishReason {
    match word {
        "STOP" => FinishReason::Stop,
        // Google ends calls with STOP; some servers that imitate it use these.
        "FUNCTION_CALL" | "TOOL_CALL" | "TOOL_CALLS" => FinishReason::ToolCalls,
        "MAX_TOKENS" => FinishReason::Length,
        "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII"
        | "IMAGE_SAFETY" => FinishReason::Filter,
        _ => FinishReason::Incomplete,
    }
}

fn reason_by_number(number: u64) -> &'static str {
    match number {
        0 => "",
        1 => "STOP",
        2 => "MAX_TOKENS",
        3 => "SAFETY",
        4 => "RECITATION",
        6 => "LANGUAGE",
        7 => "BLOCKLIST",
        8 => "PROHIBITED_CONTENT",
        9 => "SPII",
        10 => "MALFORMED_FUNCTION_CALL",
        _ => "OTHER",
    }
}

/// The tokens used. Google counts thoughts separately; here they are part of the output.
fn usage(counts: &Value) -> Usage {
    let number = |name: &str| counts[name].as_u64();
    let reasoning = number("thoughtsTokenCount");
    let tools = number("toolUsePromptTokenCount").unwrap_or(0);
    let output = match (number("candidatesTokenCount"), reasoning) {
        (None, None) => None,
        (said, thought) => Some(said.unwrap_or(0).saturating_add(thought.unwrap_or(0))),
    };
    Usage {
        input: number("promptTokenCount").map(|n| n.saturating_add(tools)),
        output,
        cached: number("cachedContentTokenCount"),
        cache_written: None,
        reasoning,
    }
}

//! Decodes the events of a message: content blocks begin, grow and end. A message that is not streamed holds the same
//! blocks.

use crate::domain::{FinishReason, ToolCall, Usage};
use crate::provider::accumulator::{Accumulator, weight};
use crate::provider::failure::ErrorBody;
use crate::provider::piece_decoder::PieceDecoder;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Decodes events; holds the content blocks that are still open.
#[derive(Debug, Default)]
pub(super) struct EventDecoder {
    open: BTreeMap<u64, ContentBlock>,
}

/// A content block that has not ended yet.
#[derive(Debug)]
struct ContentBlock {
    /// The block's fields from its start event; later pieces are appended to them.
    fields: Map<String, Value>,
    /// The JSON of a call's arguments so far.
    input: String,
}

impl ContentBlock {
    fn kind(&self) -> &str {
        self.fields.get("type").and_then(Value::as_str).unwrap_or_default()
    }

    fn text(&self, name: &str) -> String {
        self.fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// Adds a piece to a field of the block.
    fn add(&mut self, name: &str, piece: &str) {
        match self.fields.get_mut(name) {
            Some(Value::String(before)) => before.push_str(piece),
            _ => {
                self.fields.insert(name.to_owned(), piece.into());
            }
        }
    }
}

impl EventDecoder {
    fn begin(&mut self, event: &Value, so_far: &mut Accumulator) {
        let at = event["index"].as_u64().unwrap_or(0);
        let Some(Value::Object(fields)) = event.get("content_block") else {
            return so_far.fail_malformed(&format!("a block without content: {event}"));
        };
        let block = ContentBlock { fields: fields.clone(), input: String::new() };
        so_far.count_entry(fields.iter().map(|(name, value)| name.len() + weight(value)).sum());
        match block.kind() {
            "text" => so_far.add_text(block.text("text")),
            "thinking" => so_far.add_reasoning(block.text("thinking")),
            "fallback" => remark_fallback(&block, so_far),
            _ => {}
        }
        self.open.insert(at, block);
    }

    fn grow(&mut self, event: &Value, so_far: &mut Accumulator) {
        let at = event["index"].as_u64().unwrap_or(0);
        let delta = &event["delta"];
        let piece = |name: &str| delta[name].as_str().unwrap_or_default();
        let Some(block) = self.open.get_mut(&at) else {
            return so_far.fail_malformed(&format!("a piece of a block that did not begin: {event}"));
        };
        match delta["type"].as_str().unwrap_or_default() {
            "text_delta" => so_far.add_text(piece("text")),
            "thinking_delta" => {
                block.add("thinking", piece("thinking"));
                so_far.add_reasoning(piece("thinking"));
            }
            "signature_delta" => {
                block.add("signature", piece("signature"));
                so_far.count_bytes(piece("signature").len());
            }
            "input_json_delta" => {
                block.input.push_str(piece("partial_json"));
                so_far.count_bytes(piece("partial_json").len());
            }
            _ => {}
        }
    }

    fn end(&mut self, at: u64, so_far: &mut Accumulator) {
        let Some(block) = self.open.remove(&at) else { return };
        match block.kind() {
            "tool_use" => {
                let arguments = match block.fields.get("input") {
                    _ if !block.input.is_empty() => block.input.clone(),
                    Some(input) => input.to_string(),
                    None => "{}".to_owned(),
                };
                let (id, name) = (block.text("id"), block.text("name"));
                so_far.add_call(ToolCall { id, name, arguments, signature: None });
            }
            "thinking" | "redacted_thinking" => {
                // Without its signature a thinking block would be refused.
                let signed = ["signature", "data"].iter().any(|name| !block.text(name).is_empty());
                if signed {
                    so_far.keep_here(super::FORMAT.kind, block.fields.into());
                }
            }
            _ => {}
        }
    }

    /// Reads a message that was not streamed.
    fn message(&mut self, message: &Value, so_far: &mut Accumulator) {
        so_far.mark_known();
        for (at, block) in message["content"].as_array().into_iter().flatten().enumerate() {
            let event = serde_json::json!({ "index": at, "content_block": block });
            self.begin(&event, so_far);
            self.end(at as u64, so_far);
        }
        count(message, so_far);
        stopped(message, so_far);
    }
}

impl PieceDecoder for EventDecoder {
    fn piece(&mut self, value: Value, so_far: &mut Accumulator) {
        if !value["error"].is_null() {
            return so_far.fail_refused(&ErrorBody::of(&value));
        }
        match value["type"].as_str().unwrap_or_default() {
            "message" => self.message(&value, so_far),
            "message_start" => {
                so_far.mark_known();
                count(&value["message"], so_far);
            }
            "content_block_start" => self.begin(&value, so_far),
            "content_block_delta" => self.grow(&value, so_far),
            "content_block_stop" => {
                let at = value["index"].as_u64().unwrap_or(0);
                self.end(at, so_far);
            }
            "message_delta" => {
                count(&value, so_far);
                stopped(&value["delta"], so_far);
            }
            "message_stop" => {
                so_far.mark_known();
                self.ending(so_far);
                so_far.end(true);
            }
            "error" => so_far.fail_refused(&ErrorBody::of(&value)),
            _ => {}
        }
    }

    /// Ends the blocks that are still open: a token limit can end a message inside a block.
    fn ending(&mut self, so_far: &mut Accumulator) {
        let open: Vec<u64> = self.open.keys().copied().collect();
        for at in open {
            self.end(at, so_far);
        }
    }
}

/// Adds a remark that another model answers than the one that was asked.
fn remark_fallback(block: &ContentBlock, so_far: &mut Accumulator) {
    let model = |side: &str| {
        let named = block.fields.get(side).and_then(|m| m.get("model")).and_then(Value::as_str);
        named.unwrap_or("another model").to_owned()
    };
    so_far.add_remark(&format!("{} answers in place of {}.", model("to"), model("from")));
}

/// Sets the tokens used. Anthropic counts tokens read from or written to a cache separately; here they are part of
/// the input.
fn count(message: &Value, so_far: &mut Accumulator) {
    let number = |name: &str| message["usage"][name].as_u64();
    let (cached, cache_written) = (number("cache_read_input_tokens"), number("cache_creation_input_tokens"));
    let input = number("input_tokens")
        .map(|n| n.saturating_add(cached.unwrap_or(0)).saturating_add(cache_written.unwrap_or(0)));
    so_far.set_usage(Usage {
        input,
        output: number("output_tokens"),
        cached,
        cache_written,
        reasoning: None,
    });
}

fn stopped(from: &Value, so_far: &mut Accumulator) {
    let Some(word) = from["stop_reason"].as_str() else { return };
    let reason = match word {
        "end_turn" | "stop_sequence" => FinishReason::Stop,
        "tool_use" => FinishReason::ToolCalls,
        "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
        "refusal" => FinishReason::Filter,
        _ => FinishReason::Incomplete,
    };
    if let Some(why) = from.pointer("/stop_details/explanation").and_then(Value::as_str) {
        so_far.add_remark(why);
    }
    so_far.finish(reason, word);
}

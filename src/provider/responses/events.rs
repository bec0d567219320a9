//! Decodes the events of a response: pieces of text, whole items, and the whole response at the end. A response that
//! is not streamed is read like that last event.

use crate::domain::{FinishReason, ToolCall};
use crate::provider::accumulator::Accumulator;
use crate::provider::failure::ErrorBody;
use crate::provider::openai;
use crate::provider::piece_decoder::PieceDecoder;
use serde_json::Value;
use std::collections::BTreeSet;

/// Decodes events; remembers which parts of the response were already read.
#[derive(Debug, Default)]
pub(super) struct EventDecoder {
    /// The output indexes of complete items: the response repeats them at its end.
    whole: BTreeSet<u64>,
    /// Parts that arrived in pieces (item, part, whether it is reasoning): their whole text follows and is skipped.
    streamed: BTreeSet<(u64, u64, bool)>,
    /// The part of the last reasoning text: a blank line separates it from the next part.
    summarised: Option<(u64, u64)>,
}

impl EventDecoder {
    /// Whether this is the first piece of the part.
    fn is_first_piece(&mut self, part: (u64, u64, bool), so_far: &mut Accumulator) -> bool {
        let first = self.streamed.insert(part);
        if first {
            so_far.count_entry(0);
        }
        first
    }

    /// Adds a piece of text, or a whole part of which no piece arrived; `place`: its item and its part.
    fn text(&mut self, place: (u64, u64), piece: &str, is_whole: bool, so_far: &mut Accumulator) {
        let first = self.is_first_piece((place.0, place.1, false), so_far);
        if first || !is_whole {
            so_far.add_text(piece);
        }
    }

    /// The same for reasoning.
    fn reasoning(&mut self, place: (u64, u64), piece: &str, is_whole: bool, so_far: &mut Accumulator) {
        let first = self.is_first_piece((place.0, place.1, true), so_far);
        if !first && is_whole {
            return;
        }
        if !piece.is_empty() && self.summarised.replace(place).is_some_and(|before| before != place) {
            so_far.add_reasoning("\n\n");
        }
        so_far.add_reasoning(piece);
    }

    fn item(&mut self, at: u64, item: &Value, so_far: &mut Accumulator) {
        if !self.whole.insert(at) {
            return;
        }
        so_far.count_entry(0);
        let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
        match item["type"].as_str().unwrap_or_default() {
            "function_call" => {
                let call = ToolCall {
                    id: text("call_id"),
                    name: text("name"),
                    arguments: text("arguments"),
                    signature: None,
                };
                so_far.count_entry(call.id.len() + call.name.len() + call.arguments.len());
                so_far.add_call(call);
            }
            "reasoning" => {
                for (part, summary) in list(item, "summary").enumerate() {
                    let text = summary["text"].as_str().unwrap_or_default();
                    self.reasoning((at, part as u64), text, true, so_far);
                }
                // Without its encrypted content an item is useless to a server that stores nothing.
                if item.get("encrypted_content").is_some_and(Value::is_string) {
                    let mut item = item.clone();
                    if let Some(fields) = item.as_object_mut() {
                        fields.remove("status");
                    }
                    so_far.keep_here(super::FORMAT.kind, item);
                }
            }
            "message" => {
                for (part, content) in list(item, "content").enumerate() {
                    let said = content.get("text").or_else(|| content.get("refusal"));
                    let said = said.and_then(Value::as_str).unwrap_or_default();
                    self.text((at, part as u64), said, true, so_far);
                }
            }
            _ => {}
        }
    }

    fn read_end(&mut self, response: &Value, so_far: &mut Accumulator) {
        for (at, item) in list(response, "output").enumerate() {
            self.item(at as u64, item, so_far);
        }
        if let Some(usage) = openai::usage(&response["usage"]) {
            so_far.set_usage(usage);
        }
        let why = response.pointer("/incomplete_details/reason").and_then(Value::as_str);
        let status = response["status"].as_str().unwrap_or_default();
        match (status, why) {
            ("completed", _) => so_far.finish(FinishReason::Stop, "completed"),
            ("failed", _) => return so_far.fail_refused(&ErrorBody::of(response)),
            (_, Some(why)) => so_far.finish(openai::reason(why), why),
            // Without a reason it is usually the limit.
            ("incomplete", None) => so_far.finish(FinishReason::Length, "incomplete"),
            (status, None) => so_far.finish(FinishReason::Incomplete, status),
        }
        so_far.end(true);
    }
}

fn list<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value[name].as_array().into_iter().flatten()
}

impl PieceDecoder for EventDecoder {
    fn piece(&mut self, value: Value, so_far: &mut Accumulator) {
        let kind = value["type"].as_str().unwrap_or_default();
        if let Some(error) = value.get("error").filter(|e| !e.is_null())
            && (kind.is_empty() || kind == "error" || error.is_object())
        {
            return so_far.fail_refused(&ErrorBody::of(&value));
        }
        if value["object"].as_str() == Some("response") {
            so_far.mark_known();
            return self.read_end(&value, so_far);
        }
        if kind.starts_with("response.") {
            so_far.mark_known();
        }
        let number = |name: &str| value[name].as_u64().unwrap_or(0);
        let place = |part: &str| (number("output_index"), number(part));
        let text = |name: &str| value[name].as_str().unwrap_or_default();
        match kind {
            "error" => so_far.fail_refused(&ErrorBody::of(&value)),
            "response.output_text.delta" | "response.refusal.delta" => {
                self.text(place("content_index"), text("delta"), false, so_far);
            }
            "response.output_text.done" => self.text(place("content_index"), text("text"), true, so_far),
            "response.refusal.done" => self.text(place("content_index"), text("refusal"), true, so_far),
            "response.reasoning_summary_text.delta" => {
                self.reasoning(place("summary_index"), text("delta"), false, so_far);
            }
            "response.reasoning_summary_text.done" => {
                self.reasoning(place("summary_index"), text("text"), true, so_far);
            }
            // Open models send their reasoning itself and not a summary.
            "response.reasoning_text.delta" => {
                self.reasoning(place("content_index"), text("delta"), false, so_far);
            }
            "response.function_call_arguments.delta" => so_far.note_content(text("delta").len()),
            "response.output_item.done" => {
                let at = value["output_index"].as_u64();
                if let (Some(at), Some(item)) = (at, value.get("item")) {
                    self.item(at, item, so_far);
                }
            }
            "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled" => {
                self.read_end(&value["response"], so_far);
            }
            _ => {}
        }
    }
}

//! Decodes the pieces of a chat completion: chunks of a stream, or a whole completion from servers that don't stream.

use super::calls::Calls;
use super::chunk::{CallPiece, Chunk, ChunkChoice, ChunkMessage, reason, usage};
use crate::provider::accumulator::{Accumulator, weight};
use crate::provider::failure::ErrorBody;
use crate::provider::piece_decoder::PieceDecoder;
use serde::Deserialize as _;
use serde_json::{Map, Value};

/// Decodes a completion; holds the calls and the reasoning that the server wants back.
#[derive(Debug, Default)]
pub(super) struct CompletionDecoder {
    calls: Calls,
    /// Reasoning that came as `reasoning_content`: DeepSeek and others want it back with the calls that it led to.
    reasoning: String,
    details: Vec<Value>,
}

impl CompletionDecoder {
    fn read_choice(&mut self, choice: ChunkChoice, so_far: &mut Accumulator) {
        if choice.index.unwrap_or(0) != 0 {
            return;
        }
        let mut text = choice.text.unwrap_or_default();
        let mut reasoning = String::new();
        let before = self.calls.bytes();
        for said in [choice.delta, choice.message].into_iter().flatten() {
            self.read_message(said, &mut text, &mut reasoning, so_far);
        }
        so_far.count_bytes(self.calls.bytes() - before);
        so_far.add_reasoning(reasoning);
        so_far.add_text(text);
        if let Some(Value::String(word)) = choice.finish_reason
            && !word.is_empty()
        {
            so_far.finish(reason(&word), word);
        }
    }

    fn read_message(
        &mut self,
        said: ChunkMessage,
        text: &mut String,
        reasoning: &mut String,
        so_far: &mut Accumulator,
    ) {
        // Some servers send the same reasoning under both names.
        let wanted_back = said.reasoning_content.is_some();
        if let Some(piece) = said.reasoning_content.or(said.reasoning) {
            piece.append_to(reasoning);
            if wanted_back {
                self.reasoning.push_str(reasoning);
            }
        }
        for detail in said.reasoning_details.unwrap_or_default() {
            so_far.count_bytes(add_detail(&mut self.details, detail));
        }
        if let Some(piece) = said.content {
            piece.split_into(text, reasoning);
        }
        text.push_str(said.refusal.as_deref().unwrap_or_default());
        for piece in said.tool_calls.unwrap_or_default() {
            self.calls.add(piece);
        }
        // The older form of a call, which allows one call at most.
        if said.function_call.is_some() {
            self.calls.add(CallPiece { index: Some(0), id: None, function: said.function_call });
        }
    }
}

impl PieceDecoder for CompletionDecoder {
    fn piece(&mut self, value: Value, so_far: &mut Accumulator) {
        let chunk = match Chunk::deserialize(&value) {
            Ok(chunk) => chunk,
            Err(why) => return so_far.fail_malformed(&format!("{why} in: {value}")),
        };
        let told = |value: &Option<Value>, word| value.as_ref().and_then(Value::as_str) == Some(word);
        let is_error = chunk.error.as_ref().is_some_and(|e| !e.is_null())
            || told(&chunk.object, "error")
            || told(&chunk.kind, "error")
            || (chunk.choices.is_none() && chunk.detail.is_some());
        for choice in chunk.choices.unwrap_or_default() {
            so_far.mark_known();
            self.read_choice(choice, so_far);
        }
        let groq = chunk.x_groq.as_ref().and_then(|x| x.get("usage"));
        if let Some(usage) = chunk.usage.as_ref().or(groq).and_then(usage) {
            so_far.set_usage(usage);
        }
        if is_error {
            so_far.fail_refused(&ErrorBody::of(&value));
        }
    }

    fn ending(&mut self, so_far: &mut Accumulator) {
        if self.calls.is_empty() {
            return;
        }
        let mut fields = Map::new();
        if !self.reasoning.is_empty() {
            fields.insert("reasoning_content".into(), std::mem::take(&mut self.reasoning).into());
        }
        if !self.details.is_empty() {
            fields.insert("reasoning_details".into(), std::mem::take(&mut self.details).into());
        }
        if !fields.is_empty() {
            so_far.keep_first(super::FORMAT.kind, fields.into());
        }
        for call in self.calls.take() {
            so_far.add_call(call);
        }
    }
}

/// Adds a piece of `reasoning_details`, joined to the piece before if it continues that one. Returns the bytes that
/// it adds.
fn add_detail(details: &mut Vec<Value>, piece: Value) -> usize {
    let same = |one: &Value, name: &str| one.get(name) == piece.get(name);
    let streamed =
        ["text", "summary"].into_iter().find(|name| piece.get(*name).is_some_and(Value::is_string));
    if let (Some(last), Some(field)) = (details.last_mut(), streamed)
        && same(last, "type")
        && same(last, "index")
        && let (Some(Value::String(text)), Some(more)) = (last.get_mut(field), piece[field].as_str())
    {
        text.push_str(more);
        let mut bytes = more.len();
        if let (Some(signature), Some(fields)) =
            (piece.get("signature").filter(|s| s.is_string()), last.as_object_mut())
        {
            bytes += weight(signature);
            fields.insert("signature".into(), signature.clone());
        }
        return bytes;
    }
    let bytes = weight(&piece);
    details.push(piece);
    bytes
}

#[cfg(test)]
mod tests;

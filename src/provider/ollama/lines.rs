//! Decodes the lines of Ollama's replies, of `/api/chat` and of `/api/generate`; the last line holds the counts. Adds
//! a remark if Ollama cut the conversation.

use crate::domain::{FinishReason, ToolCall, Usage};
use crate::provider::accumulator::Accumulator;
use crate::provider::failure::{ErrorBody, grouped};
use crate::provider::piece_decoder::PieceDecoder;
use serde_json::{Value, json};

/// Decodes lines; holds the size of the request and the reasoning so far.
#[derive(Debug)]
pub(super) struct LineDecoder {
    /// About how many tokens were sent.
    sent: u64,
    /// The requested context, in tokens.
    context: Option<u64>,
    /// The reasoning so far: some models want it back with the calls that it led to.
    thinking: String,
}

impl LineDecoder {
    /// Decodes the reply to this request body.
    pub(super) fn new(sent: &Value) -> Self {
        let part = |name: &str| sent.get(name).map_or(0, estimate_tokens);
        Self {
            sent: part("messages") + part("tools"),
            context: sent.pointer("/options/num_ctx").and_then(Value::as_u64),
            thinking: String::new(),
        }
    }

    fn call(call: &Value, so_far: &mut Accumulator) {
        let function = call.get("function").unwrap_or(call);
        let arguments = match function.get("arguments") {
            Some(Value::String(text)) => text.clone(),
            None | Some(Value::Null) => "{}".to_owned(),
            Some(other) => other.to_string(),
        };
        let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
        let (id, name) = (text(call, "id"), text(function, "name"));
        so_far.count_entry(id.len() + name.len() + arguments.len());
        so_far.add_call(ToolCall { id, name, arguments, signature: None });
    }

    fn read_end(&mut self, value: &Value, so_far: &mut Accumulator) {
        let number = |name: &str| value[name].as_u64();
        let read = number("prompt_eval_count");
        so_far.set_usage(Usage { input: read, output: number("eval_count"), ..Usage::default() });
        if let (Some(read), Some(context)) = (read, self.context)
            && was_cut(self.sent, read, context)
        {
            so_far.add_remark(&format!(
                "Ollama cut the conversation to {} tokens: it read {} of about {}. Raise `context` of the provider, or start a new chat.",
                grouped(context),
                grouped(read),
                grouped(self.sent.max(read)),
            ));
        }
        let word = value["done_reason"].as_str().unwrap_or_default();
        let reason = match word {
            // Older versions give no reason.
            "" | "stop" => FinishReason::Stop,
            "length" => FinishReason::Length,
            _ => FinishReason::Incomplete,
        };
        so_far.finish(reason, word);
        self.ending(so_far);
        so_far.end(true);
    }
}

/// A low estimate of the tokens: four bytes each, without images.
pub(super) fn estimate_tokens(value: &Value) -> u64 {
    match value {
        Value::String(text) => text.len() as u64 / 4,
        Value::Array(values) => values.iter().map(estimate_tokens).sum(),
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| *name != "images")
            .map(|(_, value)| 2 + estimate_tokens(value))
            .sum(),
        _ => 1,
    }
}

/// Whether Ollama cut a conversation of about `sent` tokens when it read `read` of them into a context of `context`.
/// Words may have more letters than estimated, so a conversation that just fits does not count as cut.
fn was_cut(sent: u64, read: u64, context: u64) -> bool {
    if read >= context {
        return true;
    }
    sent > context && (sent * 2 / 3 > context || read * 3 / 2 < sent)
}

impl PieceDecoder for LineDecoder {
    fn piece(&mut self, value: Value, so_far: &mut Accumulator) {
        if !value["error"].is_null() {
            return so_far.fail_refused(&ErrorBody::of(&value));
        }
        let message = value.get("message").unwrap_or(&value);
        let done = value["done"].as_bool();
        if done.is_some() || value.get("message").is_some() {
            so_far.mark_known();
        }
        let text = |name: &str| message[name].as_str().unwrap_or_default();
        // Servers that imitate Ollama use the name that others have for this field.
        let thinking = [text("thinking"), text("reasoning_content")].into_iter().find(|t| !t.is_empty());
        self.thinking.push_str(thinking.unwrap_or_default());
        so_far.add_reasoning(thinking.unwrap_or_default());
        so_far.add_text(text("content"));
        so_far.add_text(text("response"));
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            Self::call(call, so_far);
        }
        if done == Some(true) {
            self.read_end(&value, so_far);
        }
    }

    fn ending(&mut self, so_far: &mut Accumulator) {
        if so_far.calls() > 0 && !self.thinking.is_empty() {
            let item = json!({ "thinking": std::mem::take(&mut self.thinking) });
            so_far.keep_first(super::FORMAT.kind, item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_conversation_is_told_from_one_that_just_fits() {
        for (sent, read, context, is_cut) in [
            (100, 90, 4_096, false),
            (12_000, 4_000, 4_096, true),
            (12_000, 1_200, 4_096, true),
            (4_500, 3_900, 4_096, false),
            (5_000, 2_000, 4_096, true),
            (3_000, 4_096, 4_096, true),
            (30_000, 7_000, 32_768, false),
        ] {
            assert_eq!(was_cut(sent, read, context), is_cut, "{sent} {read} {context}");
        }
    }
}

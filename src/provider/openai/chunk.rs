//! Parses a chunk of a chat completion leniently, because servers differ: an odd value in a field that is only
//! informative never fails.

use crate::domain::{FinishReason, Usage};
use serde::Deserialize;
use serde_json::Value;

/// One chunk of a stream, or a whole completion.
#[derive(Debug, Deserialize)]
pub(super) struct Chunk {
    pub(super) choices: Option<Vec<ChunkChoice>>,
    pub(super) usage: Option<Value>,
    pub(super) x_groq: Option<Value>,
    pub(super) error: Option<Value>,
    pub(super) object: Option<Value>,
    #[serde(rename = "type")]
    pub(super) kind: Option<Value>,
    pub(super) detail: Option<Value>,
}

/// One of several alternative replies; only the first is read.
#[derive(Debug, Deserialize)]
pub(super) struct ChunkChoice {
    #[serde(default)]
    pub(super) index: Option<u64>,
    pub(super) delta: Option<ChunkMessage>,
    pub(super) message: Option<ChunkMessage>,
    /// The text in the older completions API.
    pub(super) text: Option<String>,
    pub(super) finish_reason: Option<Value>,
}

/// A piece of the model's message, or all of it.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ChunkMessage {
    pub(super) content: Option<ChunkContent>,
    pub(super) reasoning_content: Option<ChunkContent>,
    pub(super) reasoning: Option<ChunkContent>,
    /// OpenRouter's reasoning, which it wants back unchanged.
    pub(super) reasoning_details: Option<Vec<Value>>,
    pub(super) refusal: Option<String>,
    pub(super) tool_calls: Option<Vec<CallPiece>>,
    pub(super) function_call: Option<ChunkFunction>,
}

/// Text, or a list of parts, some of which are text.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum ChunkContent {
    Text(String),
    Parts(Vec<ChunkPart>),
    Other(serde::de::IgnoredAny),
}

/// One part of the content.
#[derive(Debug, Deserialize)]
pub(super) struct ChunkPart {
    #[serde(rename = "type", default)]
    pub(super) kind: String,
    pub(super) text: Option<String>,
    /// Mistral's reasoning: a list of parts, or text.
    pub(super) thinking: Option<Box<ChunkContent>>,
}

/// A piece of a tool call.
#[derive(Debug, Deserialize)]
pub(super) struct CallPiece {
    pub(super) index: Option<u64>,
    pub(super) id: Option<String>,
    pub(super) function: Option<ChunkFunction>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ChunkFunction {
    pub(super) name: Option<String>,
    /// Pieces of JSON as text; some servers send the object itself.
    pub(super) arguments: Option<Value>,
}

impl ChunkContent {
    /// Appends the text to `text` and reasoning within it to `reasoning`.
    pub(super) fn split_into(self, text: &mut String, reasoning: &mut String) {
        match self {
            ChunkContent::Text(piece) if text.is_empty() => *text = piece,
            ChunkContent::Text(piece) => text.push_str(&piece),
            ChunkContent::Parts(parts) => {
                for part in parts {
                    if let Some(thinking) = part.thinking {
                        thinking.append_to(reasoning);
                    }
                    let into = if part.kind == "thinking" { &mut *reasoning } else { &mut *text };
                    into.push_str(part.text.as_deref().unwrap_or_default());
                }
            }
            ChunkContent::Other(_) => {}
        }
    }

    /// Appends all of it to one text, reasoning behind the rest.
    pub(super) fn append_to(self, all: &mut String) {
        let mut inner = String::new();
        self.split_into(all, &mut inner);
        all.push_str(&inner);
    }
}

/// The meaning of a provider's reason for ending. An unknown word does not count as complete.
pub(in crate::provider) fn reason(word: &str) -> FinishReason {
    match word.to_ascii_lowercase().as_str() {
        "stop" | "eos" | "eos_token" | "end_turn" | "stop_sequence" | "end" | "complete" | "completed" => {
            FinishReason::Stop
        }
        "tool_calls" | "function_call" | "tool_use" => FinishReason::ToolCalls,
        "length" | "max_tokens" | "model_length" | "max_output_tokens" => FinishReason::Length,
        "content_filter" | "sensitive" | "safety" | "recitation" => FinishReason::Filter,
        _ => FinishReason::Incomplete,
    }
}

/// The tokens used, under the names that servers have for them.
pub(in crate::provider) fn usage(value: &Value) -> Option<Usage> {
    let number = |path: &[&str]| {
        let whole = |v: &Value| v.as_u64().or_else(|| v.as_f64().filter(|f| *f >= 0.0).map(|f| f as u64));
        path.iter().find_map(|p| value.pointer(p).and_then(whole))
    };
    let usage = Usage {
        input: number(&["/prompt_tokens", "/input_tokens"]),
        output: number(&["/completion_tokens", "/output_tokens"]),
        cached: number(&[
            "/prompt_tokens_details/cached_tokens",
            "/input_tokens_details/cached_tokens",
            "/prompt_cache_hit_tokens",
        ]),
        cache_written: number(&["/prompt_tokens_details/cache_write_tokens"]),
        reasoning: number(&[
            "/completion_tokens_details/reasoning_tokens",
            "/output_tokens_details/reasoning_tokens",
        ]),
    };
    (usage != Usage::default()).then_some(usage)
}

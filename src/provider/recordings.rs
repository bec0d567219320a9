//! Tests every format against recordings of real servers (`tests/fixtures/streams`): each gives the result of the
//! vendor's own library, wherever the bytes are split, and a broken one never counts as complete.

use super::fixture;
use super::framing::End;
use super::piece_decoder::ReplyDecoder;
use crate::config::FormatKind as Kind;
use crate::domain::{
    FailureKind, Finish, FinishReason, OpaqueItem, ReplyEvent, ReplyFailure, ToolCall, Usage,
};
use crate::test_cases::is_all;
use serde_json::{Value, json};
use std::path::Path;

/// The result of a reply, however its bytes were split.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Total {
    pub(super) text: String,
    pub(super) reasoning: String,
    pub(super) calls: Vec<ToolCall>,
    pub(super) kept: Vec<OpaqueItem>,
    pub(super) remarks: Vec<String>,
    pub(super) usage: Option<Usage>,
    pub(super) end: Option<ReplyEvent>,
}

/// Reads a reply in these pieces.
pub(super) fn read<'a>(
    mut decoder: ReplyDecoder,
    pieces: impl IntoIterator<Item = &'a [u8]>,
    end: End,
) -> Total {
    let (mut total, mut out) = (Total::default(), Vec::new());
    for piece in pieces {
        decoder.feed(piece, &mut out);
        out.drain(..).for_each(|event| total.add(event));
    }
    decoder.end(end, &mut out);
    out.drain(..).for_each(|event| total.add(event));
    assert!(total.end.is_some(), "a reply has an end");
    total
}

impl Total {
    fn add(&mut self, event: ReplyEvent) {
        assert_eq!(self.end, None, "nothing comes behind the end");
        match event {
            ReplyEvent::Delta(text) => self.text.push_str(&text),
            ReplyEvent::Reasoning(text) => self.reasoning.push_str(&text),
            ReplyEvent::ToolCall(call) => self.calls.push(call),
            ReplyEvent::Kept(kept) => self.kept.push(kept),
            ReplyEvent::Remark(text) => self.remarks.push(text),
            ReplyEvent::Usage(usage) => self.usage = Some(usage),
            last => self.end = Some(last),
        }
    }
}

pub(super) fn finished(total: &Total) -> (FinishReason, Option<&str>) {
    match &total.end {
        Some(ReplyEvent::Finished(Finish { reason, word })) => (*reason, word.as_deref()),
        other => panic!("not finished: {other:?}"),
    }
}

pub(super) fn failed(total: &Total) -> &ReplyFailure {
    match &total.end {
        Some(ReplyEvent::Failed(failure)) => failure,
        other => panic!("not failed: {other:?}"),
    }
}

pub(super) struct Recording {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    /// The result of the vendor's library.
    pub(super) expected: Value,
}

pub(super) fn recordings(api: &str) -> Vec<Recording> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/streams");
    let index = std::fs::read_to_string(folder.join("index.jsonl")).unwrap();
    let rows = index.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.filter(|row| row["api"] == api)
        .map(|row| {
            let name = row["file"].as_str().unwrap().to_owned();
            Recording {
                bytes: std::fs::read(folder.join(&name)).unwrap(),
                name,
                expected: row["expected"].clone(),
            }
        })
        .collect()
}

/// A decoder of a new server, which makes the same ids each time.
pub(super) fn decoder(kind: Kind) -> ReplyDecoder {
    fixture(kind, "m").decoder(&json!({}))
}

/// Reads a recording in pieces.
fn take<'a>(kind: Kind, pieces: impl IntoIterator<Item = &'a [u8]>, end: End) -> Total {
    read(decoder(kind), pieces, end)
}

/// Reads all recordings of an API, split at many bytes; `check` compares a result with the expected one.
fn all(api: &str, kind: Kind, least: usize, check: impl Fn(&Recording, &Total)) {
    let recordings = recordings(api);
    assert!(recordings.len() >= least, "{api}: {}", recordings.len());
    // About how many bytes of a recording are read split in two.
    let split_bytes = if is_all() { 1_000_000 } else { 125_000 };
    for recording in recordings {
        let Recording { name, bytes, .. } = &recording;
        let whole = take(kind, [bytes.as_slice()], End::Closed);
        check(&recording, &whole);
        assert_eq!(take(kind, bytes.chunks(1), End::Closed), whole, "{name}, byte by byte");
        assert_eq!(take(kind, bytes.chunks(7), End::Closed), whole, "{name}, seven bytes at a time");
        // A short recording is split in two at every byte; a long one at every n-th, besides the byte-by-byte
        // reading.
        let step = (bytes.len() * bytes.len() / split_bytes).max(1);
        for at in (0..bytes.len()).step_by(step) {
            let (left, right) = bytes.split_at(at);
            assert_eq!(take(kind, [left, right], End::Closed), whole, "{name}, split at {at}");
            broken(name, kind, left, &whole);
        }
    }
}

/// Checks a recording that breaks off here: cut, and closed normally.
fn broken(name: &str, kind: Kind, start: &[u8], whole: &Total) {
    let at = start.len();
    let cut = take(kind, [start], End::Cut);
    assert!(whole.text.starts_with(&cut.text), "{name} at {at}");
    match &cut.end {
        // Nothing of the reply was missing: at most the reason for ending did not arrive.
        Some(ReplyEvent::Finished(_)) => {
            assert_eq!((&cut.text, &cut.calls), (&whole.text, &whole.calls), "{name} at {at}");
        }
        Some(ReplyEvent::Failed(failure)) => {
            let same = Some(ReplyEvent::Failed(failure.clone())) == whole.end;
            assert!(failure.kind == FailureKind::Cut || same, "{name} at {at}: {failure:?}");
            assert!(cut.calls.is_empty(), "a torn call is none: {name} at {at}");
        }
        other => panic!("{other:?}"),
    }
    // A server that closes normally in the middle: the reply is incomplete, or no reply, but never complete.
    let short = take(kind, [start], End::Closed);
    if let Some(ReplyEvent::Finished(finish)) = &short.end
        && finish.reason.complete()
    {
        assert_eq!((&short.text, &short.calls), (&whole.text, &whole.calls), "{name} at {at}");
    }
}

fn text<'a>(expected: &'a Value, field: &str) -> &'a str {
    expected[field].as_str().unwrap_or_default()
}

/// The calls as JSON, without ids that were made here.
fn calls(total: &Total) -> Vec<(String, Value)> {
    let arguments = |call: &ToolCall| serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
    total.calls.iter().map(|call| (call.name.clone(), arguments(call))).collect()
}

/// The calls as they are expected, where their ids are in the field of this name.
fn calls_with_ids(total: &Total, id: &str) -> Value {
    let call = |c: &ToolCall| json!({ (id): c.id, "name": c.name, "arguments": c.arguments });
    total.calls.iter().map(call).collect()
}

fn counts(total: &Total) -> (Option<u64>, Option<u64>) {
    let usage = total.usage.unwrap_or_default();
    (usage.input, usage.output)
}

#[test]
fn chat_completions() {
    all("openai-chat", Kind::Openai, 100, |Recording { name, expected, .. }, total| {
        // A refusal is an answer too: the person has to see it.
        assert_eq!(total.text, format!("{}{}", text(expected, "text"), text(expected, "refusal")), "{name}");
        assert_eq!(total.reasoning, text(expected, "reasoning"), "{name}");
        assert_eq!(calls_with_ids(total, "id"), expected["tool_calls"], "{name}");
        let (reason, word) = finished(total);
        assert_eq!(word, expected["finish"].as_str(), "{name}");
        assert_eq!(reason == FinishReason::Incomplete, expected["finish"].is_null(), "{name}");
        // The library does not read Groq's counts, which are in a field of their own.
        if let Some(usage) = expected["usage"].as_object() {
            let count = |field: &str| usage.get(field).and_then(Value::as_u64);
            assert_eq!(counts(total), (count("prompt_tokens"), count("completion_tokens")), "{name}");
        }
    });
}

#[test]
fn plain_completions() {
    all("openai-completions", Kind::Openai, 2, |Recording { name, expected, .. }, total| {
        assert_eq!(total.text, text(expected, "text"), "{name}");
        assert_eq!(finished(total).1, expected["finish"].as_str(), "{name}");
    });
}

#[test]
fn responses() {
    all("openai-responses", Kind::OpenaiResponses, 20, |Recording { name, expected, .. }, total| {
        assert_eq!(total.text, text(expected, "text"), "{name}");
        assert_eq!(calls_with_ids(total, "call_id"), expected["tool_calls"], "{name}");
        assert_eq!(format!("response.{}", finished(total).1.unwrap()), text(expected, "finish"), "{name}");
        let number = |field: &str| expected["usage"][field].as_u64();
        assert_eq!(counts(total), (number("input_tokens"), number("output_tokens")), "{name}");
    });
}

#[test]
fn messages() {
    all("anthropic", Kind::Anthropic, 30, |Recording { name, expected, .. }, total| {
        let blocks = expected["content"].as_array().unwrap();
        let of = |kind: &str, field: &str| -> String {
            let blocks = blocks.iter().filter(|block| block["type"] == kind);
            blocks.map(|block| block[field].as_str().unwrap_or_default()).collect()
        };
        assert_eq!(total.text, of("text", "text"), "{name}");
        assert_eq!(total.reasoning, of("thinking", "thinking"), "{name}");
        let wanted = blocks.iter().filter(|block| block["type"] == "tool_use");
        let wanted: Vec<_> = wanted
            .map(|b| (b["id"].clone(), (b["name"].as_str().unwrap().to_owned(), b["input"].clone())))
            .collect();
        let ids = total.calls.iter().map(|call| Value::from(call.id.clone()));
        assert_eq!(ids.zip(calls(total)).collect::<Vec<_>>(), wanted, "{name}");
        let thinking: Vec<Value> =
            blocks.iter().filter(|block| block["type"] == "thinking").cloned().collect();
        let item = |kept: &OpaqueItem| serde_json::from_str::<Value>(&kept.json).unwrap()["item"].clone();
        assert_eq!(total.kept.iter().map(item).collect::<Vec<_>>(), thinking, "{name}");
        assert_eq!(finished(total).1, expected["stop_reason"].as_str(), "{name}");
        let number = |field: &str| expected["usage"][field].as_u64();
        let cached = number("cache_read_input_tokens").unwrap_or(0);
        let input =
            number("input_tokens").unwrap() + cached + number("cache_creation_input_tokens").unwrap_or(0);
        assert_eq!(counts(total), (Some(input), number("output_tokens")), "{name}");
    });
}

#[test]
fn generate_content() {
    all("gemini", Kind::Gemini, 35, |Recording { name, expected, .. }, total| {
        if name.contains("invalid-json") {
            return assert_eq!(failed(total).kind, FailureKind::NotAModel, "{name}");
        }
        if let Some(blocked) = expected["block_reason"].as_str() {
            let word = blocked.trim_start_matches("BlockedReason.");
            return assert_eq!(finished(total), (FinishReason::Filter, Some(word)), "{name}");
        }
        if expected["error"].is_string() {
            // The library can't read lists; they are complete replies.
            return assert!(finished(total).0 == FinishReason::Stop && total.text.len() > 10, "{name}");
        }
        assert_eq!(total.text, text(expected, "text"), "{name}");
        assert_eq!(total.reasoning, text(expected, "reasoning"), "{name}");
        let wanted = expected["tool_calls"].as_array().unwrap().iter();
        let wanted: Vec<_> =
            wanted.map(|call| (call["name"].as_str().unwrap().to_owned(), call["args"].clone())).collect();
        assert_eq!(calls(total), wanted, "{name}");
        let word = expected["finish"].as_str().map(|word| word.trim_start_matches("FinishReason."));
        assert_eq!(finished(total).1, word, "{name}");
        if let Some(usage) = expected["usage"].as_object() {
            let count = |field: &str| usage.get(field).and_then(Value::as_u64);
            let thoughts = count("thoughts_token_count").unwrap_or(0);
            let output = count("candidates_token_count").map(|n| n + thoughts);
            assert_eq!(counts(total).1, output, "{name}");
        }
    });
}

#[test]
fn ollama() {
    let check = |Recording { name, expected, .. }: &Recording, total: &Total| {
        assert_eq!(total.text, text(expected, "text"), "{name}");
        assert_eq!(finished(total).1, expected["finish"].as_str(), "{name}");
        let number = |field: &str| expected["usage"][field].as_u64();
        assert_eq!(counts(total), (number("prompt_eval_count"), number("eval_count")), "{name}");
    };
    all("ollama-chat", Kind::Ollama, 8, check);
    all("ollama-generate", Kind::Ollama, 2, check);
}

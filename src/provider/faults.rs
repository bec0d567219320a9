//! Tests every format against faults of servers: errors in the middle, filters, web pages, unreadable pieces, endless
//! replies. The fault is reported, and the text that arrived is kept.

use super::accumulator::MAX_REPLY_BYTES;
use super::framing::End;
use super::recordings::{Total, decoder, failed, finished, read};
use crate::config::FormatKind as Kind;
use crate::domain::sentences::sending::of_cut;
use crate::domain::{FailureKind, FinishReason, ReplyEvent, Usage};
use serde_json::{Value, json};

fn closed(kind: Kind, body: &str) -> Total {
    read(decoder(kind), [body.as_bytes()], End::Closed)
}

fn frame(kind: Kind, value: &Value) -> String {
    if kind == Kind::Ollama { format!("{value}\n") } else { format!("data: {value}\n\n") }
}

/// The pieces before the first text.
fn start(kind: Kind) -> String {
    match kind {
        Kind::Anthropic => {
            let message = json!({ "type": "message_start", "message": { "usage": { "input_tokens": 3 } } });
            let block = json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } });
            frame(kind, &message) + &frame(kind, &block)
        }
        _ => String::new(),
    }
}

/// A piece with this text.
fn words(kind: Kind, text: &str) -> String {
    let value = match kind {
        Kind::Openai => json!({ "choices": [{ "index": 0, "delta": { "content": text } }] }),
        Kind::OpenaiResponses => json!({ "type": "response.output_text.delta", "delta": text }),
        Kind::Anthropic => {
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } })
        }
        Kind::Gemini => json!({ "candidates": [{ "content": { "parts": [{ "text": text }] } }] }),
        Kind::Ollama => json!({ "message": { "content": text }, "done": false }),
        Kind::Scripted => Value::Null,
    };
    frame(kind, &value)
}

/// The end of a reply with this reason.
fn end(kind: Kind, word: &str) -> String {
    let value = match kind {
        Kind::Openai => json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": word }] }),
        Kind::OpenaiResponses => json!({ "type": "response.incomplete",
            "response": { "status": "incomplete", "incomplete_details": { "reason": word } } }),
        Kind::Anthropic => json!({ "type": "message_delta", "delta": { "stop_reason": word } }),
        Kind::Gemini => json!({ "candidates": [{ "finishReason": word }] }),
        Kind::Ollama => json!({ "message": { "content": "" }, "done": true, "done_reason": word }),
        Kind::Scripted => Value::Null,
    };
    frame(kind, &value)
}

#[test]
fn an_error_in_the_middle_ends_the_reply_and_keeps_what_came() {
    for (kind, error, failure) in [
        (Kind::Openai, json!({ "error": { "message": "x", "code": 502 } }), FailureKind::Server),
        (
            Kind::OpenaiResponses,
            json!({ "type": "error", "code": "rate_limit_exceeded", "message": "x" }),
            FailureKind::RateLimit,
        ),
        (
            Kind::OpenaiResponses,
            json!({ "type": "response.failed", "response": { "status": "failed", "error": { "code": "server_error", "message": "x" } } }),
            FailureKind::Server,
        ),
        (
            Kind::Anthropic,
            json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } }),
            FailureKind::Server,
        ),
        (
            Kind::Anthropic,
            json!({ "type": "error", "error": { "type": "rate_limit_error", "message": "x" } }),
            FailureKind::RateLimit,
        ),
        (
            Kind::Gemini,
            json!({ "error": { "code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE" } }),
            FailureKind::Server,
        ),
        (
            Kind::Gemini,
            json!({ "error": { "status": "RESOURCE_EXHAUSTED", "message": "x" } }),
            FailureKind::RateLimit,
        ),
        (Kind::Ollama, json!({ "error": "model runner has unexpectedly stopped" }), FailureKind::Server),
    ] {
        let total =
            closed(kind, &(start(kind) + &words(kind, "a") + &frame(kind, &error) + &words(kind, "b")));
        assert_eq!((total.text.as_str(), failed(&total).kind), ("a", failure), "{kind:?} {error}");
        // The same error as the whole body, before any of the reply.
        assert_eq!(failed(&closed(kind, &error.to_string())).kind, failure, "{kind:?} {error}");
    }
    let list =
        r#"[{"candidates":[{"content":{"parts":[{"text":"a"}]}}]},{"error":{"code":500,"message":"x"}}]"#;
    assert_eq!(failed(&closed(Kind::Gemini, list)).kind, FailureKind::Server);
}

#[test]
fn limits_and_filters_are_told() {
    for (kind, word, reason) in [
        (Kind::OpenaiResponses, "max_output_tokens", FinishReason::Length),
        (Kind::OpenaiResponses, "content_filter", FinishReason::Filter),
        (Kind::Anthropic, "max_tokens", FinishReason::Length),
        (Kind::Anthropic, "refusal", FinishReason::Filter),
        (Kind::Anthropic, "pause_turn", FinishReason::Incomplete),
        (Kind::Gemini, "MAX_TOKENS", FinishReason::Length),
        (Kind::Gemini, "SAFETY", FinishReason::Filter),
        (Kind::Gemini, "MALFORMED_FUNCTION_CALL", FinishReason::Incomplete),
        (Kind::Ollama, "length", FinishReason::Length),
        (Kind::Ollama, "unload", FinishReason::Incomplete),
    ] {
        let total = closed(kind, &(start(kind) + &words(kind, "a") + &end(kind, word)));
        assert_eq!((total.text.as_str(), finished(&total)), ("a", (reason, Some(word))), "{kind:?}");
    }
}

#[test]
fn what_is_no_reply_or_can_not_be_read_is_told() {
    for kind in Kind::OF_SERVERS {
        for page in ["<!DOCTYPE html><html>Log in</html>", " \n<html>", ": ping\n\n", ""] {
            assert_eq!(failed(&closed(kind, page)).kind, FailureKind::NotAModel, "{kind:?} {page:?}");
        }
        let broken = if kind == Kind::Ollama { "{sk-verysecret\n" } else { "data: {sk-verysecret\n\n" };
        let total = closed(kind, &(start(kind) + &words(kind, "a") + broken + &words(kind, "b")));
        assert_eq!((total.text.as_str(), failed(&total).kind), ("a", FailureKind::Malformed), "{kind:?}");
        assert!(!format!("{total:?}").contains("verysecret"), "{total:?}");
        let chaos = closed(kind, "{malformed json: <<<chaos>>>\n");
        assert_eq!(failed(&chaos).kind, FailureKind::Malformed, "{kind:?}");
        let silent = closed(kind, &(start(kind) + &words(kind, "a")));
        assert_eq!(finished(&silent), (FinishReason::Incomplete, None), "{kind:?}");
        let error = json!({ "error": { "message": "bad key sk-verysecret", "code": 401, "type": "authentication_error" } });
        let told = closed(kind, &frame(kind, &error));
        assert_eq!(failed(&told).kind, FailureKind::Refused, "{kind:?}");
        assert!(!format!("{told:?}").contains("verysecret"), "{told:?}");
    }
}

#[test]
fn an_endless_reply_is_bounded() {
    for kind in Kind::OF_SERVERS {
        let piece = words(kind, &"x".repeat(64 << 10));
        let (message, text, _) = until_it_fails(kind, |_| piece.clone());
        let expected = "The reply is longer than 8 MiB: the rest was not read.";
        assert_eq!(message, format!("{expected} {}", of_cut(true)), "{kind:?}");
        assert!(text.len() <= MAX_REPLY_BYTES + (64 << 10), "{kind:?}");
    }
}

/// Feeds pieces until the reply fails; returns the failure's message, the text that arrived, and the bytes that were
/// fed.
fn until_it_fails(kind: Kind, mut piece: impl FnMut(u64) -> String) -> (String, String, usize) {
    let (mut decoder, mut out, mut text, mut fed) = (decoder(kind), Vec::new(), String::new(), 0);
    decoder.feed((start(kind) + &words(kind, "kept")).as_bytes(), &mut out);
    for at in 1.. {
        let piece = piece(at);
        fed += piece.len();
        let start = piece.get(..200).unwrap_or(&piece);
        assert!(fed < 50 << 20, "{kind:?}: 50 MiB of this and no end: {start}");
        decoder.feed(piece.as_bytes(), &mut out);
        for event in out.drain(..) {
            match event {
                ReplyEvent::Delta(more) => text.push_str(&more),
                ReplyEvent::Failed(failure) => return (failure.message, text, fed),
                _ => {}
            }
        }
    }
    unreachable!()
}

#[test]
fn what_is_remembered_beside_the_text_is_bounded_too() {
    let long = "x".repeat(32 << 10);
    let calls = |call: Value| json!({ "choices": [{ "delta": { "tool_calls": [call] } }] });
    let details = |detail: Value| json!({ "choices": [{ "delta": { "reasoning_details": [detail] } }] });
    let block =
        |at: u64, block: Value| json!({ "type": "content_block_start", "index": at, "content_block": block });
    let item = |at: u64, item: Value| json!({ "type": "response.output_item.done", "output_index": at, "item": item });
    let part = |part: Value| json!({ "candidates": [{ "content": { "parts": [part] } }] });
    let words = |at: u64| json!({ "type": "response.output_text.delta", "output_index": at, "delta": "" });
    let cases: [(Kind, &dyn Fn(u64) -> Value); 11] = [
        (Kind::Anthropic, &|at| block(at, json!({ "type": "text", "text": "", "citations": long }))),
        (Kind::Anthropic, &|at| block(at, json!({}))),
        (Kind::OpenaiResponses, &|at| item(at, json!({ "type": "function_call", "name": long }))),
        (Kind::OpenaiResponses, &|at| item(at, json!({}))),
        (Kind::OpenaiResponses, &words),
        (Kind::Openai, &|at| calls(json!({ "index": 0, "function": { "name": format!("{long}{at}") } }))),
        (Kind::Openai, &|at| calls(json!({ "index": at }))),
        (Kind::Openai, &|_| details(json!({ "type": "reasoning.encrypted", "data": long }))),
        (Kind::Gemini, &|_| part(json!({ "functionCall": { "name": long } }))),
        (Kind::Gemini, &|_| part(json!({ "text": "", "thoughtSignature": long }))),
        (Kind::Ollama, &|_| json!({ "message": { "tool_calls": [{ "id": long, "function": {} }] } })),
    ];
    for (kind, make) in cases {
        let (message, text, fed) = until_it_fails(kind, |at| frame(kind, &make(at)));
        let what = make(1).to_string();
        let what = what.get(..100).unwrap_or(&what);
        assert!(message.starts_with("The reply is longer than 8 MiB"), "{kind:?} {what}: {message}");
        assert_eq!(text, "kept", "{kind:?} {what}");
        assert!(fed < 3 * MAX_REPLY_BYTES, "{kind:?} {what}: {fed}");
    }
}

#[test]
fn a_reason_in_every_chunk_of_gemini_is_no_end() {
    let chunk = |text: &str| {
        let content = json!({ "parts": [{ "text": text }] });
        frame(Kind::Gemini, &json!({ "candidates": [{ "content": content, "finishReason": "STOP" }] }))
    };
    let body = chunk("a") + &chunk("b");
    let cut = read(decoder(Kind::Gemini), [body.as_bytes()], End::Cut);
    assert_eq!((cut.text.as_str(), failed(&cut).kind), ("ab", FailureKind::Cut));
    let whole = closed(Kind::Gemini, &body);
    assert_eq!((whole.text.as_str(), finished(&whole)), ("ab", (FinishReason::Stop, Some("STOP"))));
    // After a reason that may not be the last, the reader goes on waiting.
    let (mut decoder, mut out) = (decoder(Kind::Gemini), Vec::new());
    decoder.feed(chunk("a").as_bytes(), &mut out);
    assert!(!decoder.only_counts_follow());
    for kind in [Kind::Openai, Kind::Anthropic] {
        let (mut decoder, mut out) = (self::decoder(kind), Vec::new());
        decoder.feed((start(kind) + &words(kind, "a") + &end(kind, "stop")).as_bytes(), &mut out);
        assert!(decoder.only_counts_follow(), "{kind:?}: only counts can follow");
    }
}

#[test]
fn counts_of_caches_are_read() {
    let usage = json!({ "input_tokens": 10, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20, "output_tokens": 1 });
    let delta = json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 7 } });
    let body = frame(Kind::Anthropic, &json!({ "type": "message_start", "message": { "usage": usage } }))
        + &frame(Kind::Anthropic, &delta);
    let expected = Usage {
        input: Some(130),
        output: Some(7),
        cached: Some(100),
        cache_written: Some(20),
        reasoning: None,
    };
    assert_eq!(closed(Kind::Anthropic, &body).usage, Some(expected));
    let counts = json!({ "promptTokenCount": 9, "candidatesTokenCount": 2, "thoughtsTokenCount": 3, "cachedContentTokenCount": 4 });
    let expected =
        Usage { input: Some(9), output: Some(5), cached: Some(4), cache_written: None, reasoning: Some(3) };
    assert_eq!(usage_of_gemini(&counts), Some(expected));
}

fn usage_of_gemini(counts: &Value) -> Option<Usage> {
    let reply = json!({ "candidates": [{ "finishReason": "STOP" }], "usageMetadata": counts });
    closed(Kind::Gemini, &frame(Kind::Gemini, &reply)).usage
}

#[test]
fn a_count_that_no_reply_can_have_is_not_known() {
    let told = |usage: Value| {
        let body = start(Kind::Openai)
            + &words(Kind::Openai, "a")
            + &frame(Kind::Openai, &json!({ "choices": [], "usage": usage }))
            + &end(Kind::Openai, "stop");
        closed(Kind::Openai, &body).usage
    };
    let input = |tokens| Some(Usage { input: Some(tokens), ..Usage::default() });
    assert_eq!(told(json!({ "prompt_tokens": 12.0, "completion_tokens": -5 })), input(12));
    assert_eq!(told(json!({ "prompt_tokens": 12, "completion_tokens": 1e30 })), input(12));
    assert_eq!(told(json!({ "prompt_tokens": u64::MAX, "completion_tokens": -0.5 })), None);
    let counts = json!({ "promptTokenCount": u64::MAX, "candidatesTokenCount": 2 });
    assert_eq!(usage_of_gemini(&counts), Some(Usage { output: Some(2), ..Usage::default() }));
}

/// The kept items of a reply with this body: the bytes of text and the calls before each, and the item.
fn kept(kind: Kind, body: &str) -> Vec<(u64, u64, Value)> {
    let total = closed(kind, body);
    assert!(total.kept.iter().all(|kept| kept.kind == kind.as_str()));
    let read = |json: &str| -> Value { serde_json::from_str(json).unwrap() };
    let all = total.kept.iter().map(|kept| read(&kept.json));
    all.map(|v| (v["text"].as_u64().unwrap(), v["calls"].as_u64().unwrap(), v["item"].clone())).collect()
}

#[test]
fn what_has_to_be_given_back_is_kept_with_its_place() {
    let block =
        |at: u64, block: Value| json!({ "type": "content_block_start", "index": at, "content_block": block });
    let stop = |at: u64| json!({ "type": "content_block_stop", "index": at });
    let redacted = json!({ "type": "redacted_thinking", "data": "xyz" });
    let body: String = [
        json!({ "type": "message_start", "message": {} }),
        block(0, redacted.clone()),
        stop(0),
        block(1, json!({ "type": "text", "text": "Hi é" })),
        stop(1),
        block(2, json!({ "type": "thinking", "thinking": "", "signature": "" })),
        json!({ "type": "content_block_delta", "index": 2, "delta": { "type": "thinking_delta", "thinking": "hm" } }),
        json!({ "type": "content_block_delta", "index": 2, "delta": { "type": "signature_delta", "signature": "s1" } }),
        stop(2),
        block(3, json!({ "type": "thinking", "thinking": "unsigned", "signature": "" })),
        stop(3),
        json!({ "type": "message_stop" }),
    ]
    .iter()
    .map(|value| frame(Kind::Anthropic, value))
    .collect();
    let thinking = json!({ "type": "thinking", "thinking": "hm", "signature": "s1" });
    assert_eq!(kept(Kind::Anthropic, &body), [(0, 0, redacted), (5, 0, thinking)]);

    let reasoning = json!({ "type": "reasoning", "id": "rs", "summary": [{ "type": "summary_text", "text": "why" }], "encrypted_content": "e" });
    let call = json!({ "type": "function_call", "call_id": "c", "name": "f", "arguments": "{}" });
    let output = json!({ "status": "completed", "output": [call, reasoning] });
    let body = frame(Kind::OpenaiResponses, &json!({ "type": "response.completed", "response": output }));
    assert_eq!(kept(Kind::OpenaiResponses, &body), [(0, 1, reasoning)]);
    assert_eq!(closed(Kind::OpenaiResponses, &body).reasoning, "why");

    let chat = |choice: Value| frame(Kind::Openai, &json!({ "choices": [choice] }));
    let function = json!({ "name": "f", "arguments": "{}" });
    let calls = json!([{ "index": 0, "function": function }]);
    let body = words(Kind::Openai, "a")
        + &chat(json!({ "delta": { "reasoning_content": "h" } }))
        + &chat(json!({ "delta": { "reasoning_content": "m", "tool_calls": calls } }));
    assert_eq!(kept(Kind::Openai, &body), [(0, 0, json!({ "reasoning_content": "hm" }))]);
    let detail = |text: &str| {
        let details = json!([{ "type": "reasoning.text", "index": 0, "text": text }]);
        chat(json!({ "delta": { "reasoning": text, "reasoning_details": details } }))
    };
    let calls = json!([{ "function": function }]);
    let last = chat(json!({ "delta": { "tool_calls": calls }, "finish_reason": "tool_calls" }));
    let body = detail("a") + &detail("b") + &last;
    let item = json!({ "reasoning_details": [{ "type": "reasoning.text", "index": 0, "text": "ab" }] });
    assert_eq!(kept(Kind::Openai, &body), [(0, 0, item)]);

    let parts = json!([{ "text": "Hi", "thoughtSignature": "s" }]);
    let body = frame(Kind::Gemini, &json!({ "candidates": [{ "content": { "parts": parts } }] }));
    assert_eq!(kept(Kind::Gemini, &body), [(2, 0, json!({ "thoughtSignature": "s" }))]);
}

#[test]
fn a_model_that_answers_in_place_of_another_is_told() {
    let fallback = json!({ "type": "content_block_start", "index": 0,
        "content_block": { "type": "fallback", "from": { "model": "a" }, "to": { "model": "b" } } });
    let total =
        closed(Kind::Anthropic, &(frame(Kind::Anthropic, &fallback) + &end(Kind::Anthropic, "end_turn")));
    assert_eq!(total.remarks, ["b answers in place of a."]);
}

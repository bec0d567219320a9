//! The decoder against recordings of real servers, split everywhere, and against what servers do wrong.

use super::*;
use crate::domain::{FailureKind, ToolCall};
use proptest::prelude::*;
use std::path::Path;

/// What a reply came to, however it was split.
#[derive(Clone, Debug, Default, PartialEq)]
struct Total {
    text: String,
    reasoning: String,
    calls: Vec<ToolCall>,
    usage: Option<Usage>,
    end: Option<ReplyEvent>,
}

fn decoder() -> OpenAiDecoder {
    let asked = Asked {
        provider: "openai".into(),
        model: "m".into(),
        host: "h".into(),
        address: "http://h/v1/chat/completions".into(),
        has_key: true,
    };
    OpenAiDecoder::new(asked, Secrets::new(["sk-verysecret".into()]))
}

fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, end: End) -> Total {
    let (mut decoder, mut out) = (decoder(), Vec::new());
    for piece in pieces {
        decoder.feed(piece, &mut out);
    }
    decoder.end(end, &mut out);
    let mut total = Total::default();
    for event in out {
        assert_eq!(total.end, None, "nothing comes behind the end");
        match event {
            ReplyEvent::Delta(text) => total.text.push_str(&text),
            ReplyEvent::Reasoning(text) => total.reasoning.push_str(&text),
            ReplyEvent::ToolCall(call) => total.calls.push(call),
            ReplyEvent::Usage(usage) => total.usage = Some(usage),
            last => total.end = Some(last),
        }
    }
    assert!(total.end.is_some(), "a reply has an end");
    total
}

fn closed(text: &str) -> Total {
    read([text.as_bytes()], End::Closed)
}

fn finished(total: &Total) -> (FinishReason, Option<&str>) {
    match &total.end {
        Some(ReplyEvent::Finished(finish)) => (finish.reason, finish.word.as_deref()),
        other => panic!("not finished: {other:?}"),
    }
}

fn failed(total: &Total) -> &ReplyFailure {
    match &total.end {
        Some(ReplyEvent::Failed(failure)) => failure,
        other => panic!("not failed: {other:?}"),
    }
}

/// Recordings: name, bytes, what the vendor's library makes of them.
fn recordings() -> Vec<(String, Vec<u8>, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/streams");
    let index = std::fs::read_to_string(folder.join("index.jsonl")).unwrap();
    let all: Vec<_> = index
        .lines()
        .map(|line| {
            let row: Value = serde_json::from_str(line).unwrap();
            let file = row["file"].as_str().unwrap();
            (file.to_owned(), std::fs::read(folder.join(file)).unwrap(), row["expected"].clone())
        })
        .collect();
    assert!(all.len() > 100);
    all
}

#[test]
fn recordings_come_to_what_the_vendors_library_says_at_any_split() {
    for (name, bytes, expected) in recordings() {
        let whole = read([bytes.as_slice()], End::Closed);
        let text = |field: &str| expected[field].as_str().unwrap_or_default().to_owned();
        // A refusal is an answer too: the person has to see it.
        assert_eq!(whole.text, text("text") + &text("refusal"), "{name}");
        assert_eq!(whole.reasoning, text("reasoning"), "{name}");
        let calls: Vec<Value> = whole
            .calls
            .iter()
            .map(|c| serde_json::json!({ "id": c.id, "name": c.name, "arguments": c.arguments }))
            .collect();
        assert_eq!(Value::from(calls), expected["tool_calls"], "{name}");
        assert_eq!(finished(&whole).1, expected["finish"].as_str(), "{name}");
        assert!(
            matches!(finished(&whole).0, FinishReason::Incomplete) == expected["finish"].is_null(),
            "{name}"
        );
        // The library does not look where Groq puts them, in a field of its own.
        if let Some(usage) = expected["usage"].as_object() {
            let count = |field: &str| usage.get(field).and_then(Value::as_u64);
            let told = whole.usage.unwrap_or_default();
            assert_eq!(
                (told.input, told.output),
                (count("prompt_tokens"), count("completion_tokens")),
                "{name}"
            );
        }
        assert_eq!(read(bytes.chunks(1), End::Closed), whole, "{name}, byte by byte");
        assert_eq!(read(bytes.chunks(7), End::Closed), whole, "{name}, seven bytes at a time");
        if bytes.len() < 2500 {
            for at in 0..bytes.len() {
                let (left, right) = bytes.split_at(at);
                assert_eq!(read([left, right], End::Closed), whole, "{name}, split at {at}");
            }
        }
    }
}

#[test]
fn a_recording_that_breaks_anywhere_is_never_taken_for_complete() {
    for (name, bytes, _) in recordings().into_iter().filter(|(_, bytes, _)| bytes.len() < 6000) {
        let whole = read([bytes.as_slice()], End::Closed);
        for at in 0..bytes.len() {
            let start = &bytes[..at];
            let cut = read([start], End::Cut);
            assert!(whole.text.starts_with(&cut.text), "{name} at {at}");
            match &cut.end {
                Some(ReplyEvent::Finished(_)) => {
                    assert_eq!((&cut.text, &cut.calls), (&whole.text, &whole.calls), "{name} at {at}");
                }
                Some(ReplyEvent::Failed(failure)) => {
                    assert_eq!(failure.kind, FailureKind::Cut, "{name} at {at}");
                    assert!(cut.calls.is_empty(), "a torn call is none: {name} at {at}");
                }
                other => panic!("{other:?}"),
            }
            // A server that closes in good order in the middle: incomplete, or no reply, but never done.
            let short = read([start], End::Closed);
            if let Some(ReplyEvent::Finished(finish)) = &short.end
                && finish.reason.complete()
            {
                assert_eq!(short.text, whole.text, "{name} at {at}");
            }
        }
    }
}

fn chunk(text: &str) -> String {
    format!("data: {}\n\n", serde_json::json!({ "choices": [{ "index": 0, "delta": { "content": text } }] }))
}

#[test]
fn every_way_to_end() {
    let stop = r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
    assert_eq!(finished(&closed(&format!("{}{stop}\n\ndata: [DONE]\n\n", chunk("a")))).0, FinishReason::Stop);
    assert_eq!(finished(&closed(&format!("{}{stop}", chunk("a")))).0, FinishReason::Stop);
    assert_eq!(finished(&closed(&format!("{}data: [DONE]", chunk("a")))), (FinishReason::Stop, None));
    assert_eq!(finished(&closed(&chunk("a"))), (FinishReason::Incomplete, None));
    for (word, reason) in [
        ("length", FinishReason::Length),
        ("content_filter", FinishReason::Filter),
        ("tool_calls", FinishReason::ToolCalls),
        ("eos", FinishReason::Stop),
        ("abort", FinishReason::Incomplete),
        ("network_error", FinishReason::Incomplete),
    ] {
        let text = format!("{}{}", chunk("a"), stop.replace("stop", word));
        assert_eq!(finished(&closed(&text)), (reason, Some(word)));
    }
}

#[test]
fn what_can_not_be_read_is_told_and_what_came_is_kept() {
    for broken in [
        "data: {\"choices\":[{\"delta\"\n\n",
        "data: nonsense\n\n",
        "data: 5\n\n",
        "data: {\"choices\":7}\n\n",
    ] {
        let total = closed(&format!("{}{broken}{}data: [DONE]\n\n", chunk("a"), chunk("b")));
        assert_eq!(total.text, "a");
        assert_eq!(failed(&total).kind, FailureKind::Malformed);
        assert_eq!(failed(&total).message, "h sent something that can't be read. What came is kept.");
    }
    let torn = closed(&format!("{}data: {{\"cho", chunk("a")));
    assert_eq!(finished(&torn).0, FinishReason::Incomplete);
}

#[test]
fn errors_inside_of_a_stream_are_errors_in_every_form() {
    for (error, kind) in [
        (r#"{"error":{"message":"Provider returned error","code":502}}"#, FailureKind::Server),
        (
            r#"{"object":"error","message":"out of memory","type":"InternalServerError","code":500}"#,
            FailureKind::Server,
        ),
        (r#"{"error":"upstream failed"}"#, FailureKind::Server),
        (r#"{"error":{"message":"Rate limit reached","code":429}}"#, FailureKind::RateLimit),
        (
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            FailureKind::Server,
        ),
        (
            r#"{"error":{"message":"maximum context length is 2048 tokens, requested 2070","code":400}}"#,
            FailureKind::Overflow,
        ),
        (
            r#"{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}],"error":{"code":502,"message":"x"}}"#,
            FailureKind::Server,
        ),
    ] {
        for stream in [
            format!("{}data: {error}\n\n", chunk("a")),
            format!("{}event: error\ndata: {error}\n\n", chunk("a")),
        ] {
            let total = closed(&stream);
            assert_eq!((total.text.as_str(), failed(&total).kind), ("a", kind), "{error}");
        }
        assert_eq!(failed(&closed(error)).kind, kind, "as a body: {error}");
    }
}

#[test]
fn a_server_that_does_not_stream_is_understood() {
    let total = closed(
        r#" {"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hi","reasoning":"r",
            "tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}],
            "usage":{"prompt_tokens":3,"completion_tokens":4}}"#,
    );
    assert_eq!((total.text.as_str(), total.reasoning.as_str(), total.calls.len()), ("Hi", "r", 1));
    assert_eq!(finished(&total), (FinishReason::ToolCalls, Some("stop")));
    assert_eq!(total.usage.and_then(|u| u.output), Some(4));
    let cut = read([&br#"{"choices":[{"message":{"content":"H"#[..]], End::Cut);
    assert_eq!(failed(&cut).kind, FailureKind::Cut);
}

#[test]
fn what_is_no_reply_is_told() {
    for body in ["<!DOCTYPE html><html>Log in</html>", " \n<html>", "{}", "hello", ": ping\n\n", ""] {
        assert_eq!(failed(&closed(body)).kind, FailureKind::NotAModel, "{body:?}");
    }
    assert_eq!(failed(&closed("{\"choices\":")).kind, FailureKind::Malformed);
    assert_eq!(failed(&read([], End::Cut)).kind, FailureKind::Cut);
}

#[test]
fn calls_are_put_together_in_every_style() {
    let call = |pieces: &str| {
        let text =
            format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":{pieces}}}}}]}}\n\n");
        text.replace('\'', "\"")
    };
    let done = "data: {\"choices\":[{\"index\":0,\"finish_reason\":\"tool_calls\"}]}\n\n";
    for (style, stream) in [
        (
            "token by token",
            call("[{'index':0,'id':'1','function':{'name':'f','arguments':''}}]")
                + &call("[{'index':0,'function':{'arguments':'[1'}}]")
                + &call("[{'index':1,'id':'2','function':{'name':'g','arguments':'[2]'}}]")
                + &call("[{'index':0,'function':{'arguments':']'}}]"),
        ),
        (
            "all with index 0",
            call("[{'index':0,'id':'1','function':{'name':'f','arguments':'[1]'}}]")
                + &call("[{'index':0,'id':'2','function':{'name':'g','arguments':'[2]'}}]"),
        ),
        (
            "without index",
            call(
                "[{'id':'1','function':{'name':'f','arguments':[1]}},{'id':'2','function':{'name':'g','arguments':'[2'}}]",
            ) + &call("[{'function':{'arguments':']'}}]"),
        ),
    ] {
        let total = closed(&(stream + done));
        let calls: Vec<_> =
            total.calls.iter().map(|c| (c.id.as_str(), c.name.as_str(), c.arguments.as_str())).collect();
        assert_eq!(calls, [("1", "f", "[1]"), ("2", "g", "[2]")], "{style}");
    }
}

#[test]
fn contents_in_parts_are_read() {
    let total = closed(
        r#"data: {"choices":[{"index":0,"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"Hi"}]}}]}"#,
    );
    assert_eq!((total.reasoning.as_str(), total.text.as_str()), ("hm", "Hi"));
    let total = closed(
        "data: {\"choices\":[{\"delta\":{\"reasoning\":\"a\",\"reasoning_content\":\"a\",\"content\":null}}]}",
    );
    assert_eq!(total.reasoning, "a");
}

#[test]
fn an_endless_reply_is_bounded_and_told() {
    let (mut decoder, mut out) = (decoder(), Vec::new());
    let piece = chunk(&"x".repeat(64 << 10));
    let mut text = 0;
    for _ in 0..800 {
        decoder.feed(piece.as_bytes(), &mut out);
        text += out.iter().map(|e| if let ReplyEvent::Delta(t) = e { t.len() } else { 0 }).sum::<usize>();
        if let Some(ReplyEvent::Failed(failure)) = out.pop() {
            assert_eq!(
                failure.message,
                "The reply is longer than 8 MiB: the rest was not read. What came is kept."
            );
            assert!(text <= LONGEST + (64 << 10));
            return;
        }
        out.clear();
    }
    panic!("50 MB were read");
}

#[test]
fn keys_that_a_server_repeats_are_taken_out() {
    let total = closed(r#"data: {"error":{"message":"bad key sk-verysecret","code":401}}"#);
    assert_eq!(failed(&total).kind, FailureKind::Refused);
    assert!(!format!("{total:?}").contains("verysecret"), "{total:?}");
    let total = closed("data: sk-verysecret is no JSON\n\n");
    assert!(!format!("{total:?}").contains("verysecret"), "{total:?}");
}

proptest! {
    #[test]
    fn any_bytes_give_one_end(bytes in prop::collection::vec(any::<u8>(), 0..300), cut in any::<bool>()) {
        let end = if cut { End::Cut } else { End::Closed };
        let whole = read([bytes.as_slice()], end);
        prop_assert_eq!(read(bytes.chunks(3), end).end, whole.end);
    }

    #[test]
    fn damaged_streams_never_panic(at in 0usize..3000, byte in any::<u8>()) {
        let (_, mut bytes, _) = recordings().swap_remove(at % 100);
        let place = at % bytes.len();
        bytes[place] = byte;
        prop_assert_eq!(read(bytes.chunks(11), End::Closed), read([bytes.as_slice()], End::Closed));
    }
}

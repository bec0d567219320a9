//! Tests the decoder against faults and peculiarities of servers. `recorded` tests recordings.

use crate::config::FormatKind as Kind;
use crate::domain::{FailureKind, FinishReason};
use crate::provider::framing::End;
use crate::provider::recordings::{self, Total, failed, finished, read};
use proptest::prelude::*;

fn told<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, end: End) -> Total {
    read(recordings::decoder(Kind::Openai), pieces, end)
}

fn closed(text: &str) -> Total {
    told([text.as_bytes()], End::Closed)
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
        assert_eq!(failed(&total).message, "h answered with what can't be read. What came is kept.");
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
    let cut = told([&br#"{"choices":[{"message":{"content":"H"#[..]], End::Cut);
    assert_eq!(failed(&cut).kind, FailureKind::Cut);
}

#[test]
fn what_is_no_reply_is_told() {
    for body in ["<!DOCTYPE html><html>Log in</html>", " \n<html>", "{}", "hello", ": ping\n\n", ""] {
        assert_eq!(failed(&closed(body)).kind, FailureKind::NotAModel, "{body:?}");
    }
    assert_eq!(failed(&closed("{\"choices\":")).kind, FailureKind::Malformed);
    assert_eq!(failed(&told([], End::Cut)).kind, FailureKind::Cut);
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

proptest! {
    #[test]
    fn any_bytes_give_one_end(bytes in prop::collection::vec(any::<u8>(), 0..300), cut in any::<bool>()) {
        let end = if cut { End::Cut } else { End::Closed };
        let whole = told([bytes.as_slice()], end);
        prop_assert_eq!(told(bytes.chunks(3), end).end, whole.end);
    }

    #[test]
    fn damaged_streams_never_panic(at in 0usize..3000, byte in any::<u8>()) {
        let mut recording = recordings::recordings("openai-chat").swap_remove(at % 100);
        let place = at % recording.bytes.len();
        recording.bytes[place] = byte;
        let bytes = recording.bytes.as_slice();
        prop_assert_eq!(told(bytes.chunks(11), End::Closed), told([bytes], End::Closed));
    }
}

//! Tests every kind of provider, from the configuration to the events of a turn: text, reasoning, a tool call that
//! becomes a block, tokens; and its list of models. These are the rows of the table in docs/models.md.

use crate::home::Home;
use crate::model_server::{Answer, Do, ModelServer, event};
use serde_json::{Value, json};

const CODE: &str = "{\"language\":\"python\",\"code\":\"print(1)\\n\"}";

/// A kind of provider: what its server sends, and the requests that it expects.
struct Kind {
    kind: &'static str,
    /// The path of a request for a reply.
    path: &'static str,
    /// The header with the key, and its value.
    key: (&'static str, &'static str),
    /// A reply with reasoning `Hm.`, text `Here.`, one call of `run_code`, 12 tokens in and 7 out.
    reply: Vec<Vec<u8>>,
    /// A list with the model `m`.
    list: Value,
}

fn arguments() -> Value {
    serde_json::from_str(CODE).unwrap()
}

/// An event with its name, as in Anthropic's and the Responses format.
fn named(value: &Value) -> Vec<u8> {
    let name = value["type"].as_str().unwrap();
    let mut bytes = format!("event: {name}\n").into_bytes();
    bytes.extend(event(value));
    bytes
}

fn openai() -> Kind {
    let delta = |delta: Value| event(&json!({ "choices": [{ "index": 0, "delta": delta }] }));
    let call = json!({ "index": 0, "id": "c1", "type": "function", "function": { "name": "run_code", "arguments": "" } });
    let (first, second) = CODE.split_at(9);
    let more = |text: &str| json!({ "tool_calls": [{ "index": 0, "function": { "arguments": text } }] });
    Kind {
        kind: "openai",
        path: "/v1/chat/completions",
        key: ("authorization", "Bearer sk-key-of-the-test"),
        reply: vec![
            delta(json!({ "role": "assistant", "content": "" })),
            delta(json!({ "reasoning_content": "Hm." })),
            delta(json!({ "content": "Here." })),
            delta(json!({ "tool_calls": [call] })),
            delta(more(first)),
            delta(more(second)),
            // sayso waits for usage only briefly, so it is sent together with the end.
            [
                event(&json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] })),
                event(&json!({ "choices": [], "usage": { "prompt_tokens": 12, "completion_tokens": 7 } })),
                b"data: [DONE]\n\n".to_vec(),
            ]
            .concat(),
        ],
        list: json!({ "data": [{ "id": "m", "context_length": 65_536 }] }),
    }
}

fn responses() -> Kind {
    let call = json!({
        "type": "function_call", "id": "fc1", "call_id": "c1", "name": "run_code", "arguments": CODE, "status": "completed",
    });
    let item = |item: &Value| {
        [
            named(&json!({ "type": "response.output_item.added", "output_index": 1, "item": item })),
            named(&json!({ "type": "response.output_item.done", "output_index": 1, "item": item })),
        ]
        .concat()
    };
    Kind {
        kind: "openai-responses",
        path: "/v1/responses",
        key: ("authorization", "Bearer sk-key-of-the-test"),
        reply: vec![
            named(&json!({ "type": "response.created", "response": { "id": "r1" } })),
            named(
                &json!({ "type": "response.reasoning_summary_text.delta", "item_id": "rs", "delta": "Hm." }),
            ),
            named(&json!({ "type": "response.output_text.delta", "item_id": "t", "delta": "Here." })),
            item(&call),
            named(&json!({ "type": "response.completed", "response": {
                "id": "r1", "status": "completed", "output": [call],
                "usage": { "input_tokens": 12, "output_tokens": 7 },
            } })),
        ],
        list: json!({ "data": [{ "id": "m" }] }),
    }
}

fn anthropic() -> Kind {
    let start = |index: u32, block: Value| {
        named(&json!({ "type": "content_block_start", "index": index, "content_block": block }))
    };
    let delta = |index: u32, delta: Value| {
        named(&json!({ "type": "content_block_delta", "index": index, "delta": delta }))
    };
    let stop = |index: u32| named(&json!({ "type": "content_block_stop", "index": index }));
    Kind {
        kind: "anthropic",
        path: "/v1/messages",
        key: ("x-api-key", "sk-key-of-the-test"),
        reply: vec![
            named(&json!({ "type": "message_start", "message": {
                "id": "m1", "role": "assistant", "content": [], "usage": { "input_tokens": 12, "output_tokens": 1 },
            } })),
            start(0, json!({ "type": "thinking", "thinking": "", "signature": "" })),
            delta(0, json!({ "type": "thinking_delta", "thinking": "Hm." })),
            delta(0, json!({ "type": "signature_delta", "signature": "sig" })),
            stop(0),
            start(1, json!({ "type": "text", "text": "" })),
            delta(1, json!({ "type": "text_delta", "text": "Here." })),
            stop(1),
            start(2, json!({ "type": "tool_use", "id": "c1", "name": "run_code", "input": {} })),
            delta(2, json!({ "type": "input_json_delta", "partial_json": CODE })),
            stop(2),
            named(
                &json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" }, "usage": { "output_tokens": 7 } }),
            ),
            named(&json!({ "type": "message_stop" })),
        ],
        list: json!({ "data": [{ "id": "m", "type": "model", "display_name": "M" }], "has_more": false }),
    }
}

fn gemini() -> Kind {
    let part =
        |part: Value| event(&json!({ "candidates": [{ "content": { "role": "model", "parts": [part] } }] }));
    Kind {
        kind: "gemini",
        path: "/v1beta/models/m:streamGenerateContent?alt=sse",
        key: ("x-goog-api-key", "sk-key-of-the-test"),
        reply: vec![
            part(json!({ "text": "Hm.", "thought": true })),
            part(json!({ "text": "Here." })),
            part(json!({ "functionCall": { "name": "run_code", "args": arguments() } })),
            event(&json!({
                "candidates": [{ "content": { "parts": [] }, "finishReason": "STOP" }],
                "usageMetadata": { "promptTokenCount": 12, "candidatesTokenCount": 7, "totalTokenCount": 19 },
            })),
        ],
        list: json!({ "models": [{
            "name": "models/m", "inputTokenLimit": 65_536, "supportedGenerationMethods": ["generateContent"],
        }] }),
    }
}

fn ollama() -> Kind {
    let line = |value: Value| format!("{value}\n").into_bytes();
    let message = |message: Value| line(json!({ "model": "m", "message": message, "done": false }));
    Kind {
        kind: "ollama",
        path: "/api/chat",
        key: ("authorization", "Bearer sk-key-of-the-test"),
        reply: vec![
            message(json!({ "role": "assistant", "content": "", "thinking": "Hm." })),
            message(json!({ "role": "assistant", "content": "Here." })),
            message(json!({ "role": "assistant", "content": "", "tool_calls": [
                { "function": { "name": "run_code", "arguments": arguments() } },
            ] })),
            line(json!({
                "model": "m", "message": { "role": "assistant", "content": "" }, "done": true, "done_reason": "stop",
                "prompt_eval_count": 12, "eval_count": 7,
            })),
        ],
        list: json!({ "models": [{ "name": "m" }], "model_info": { "x.context_length": 65_536 }, "capabilities": ["tools"] }),
    }
}

fn kinds() -> Vec<Kind> {
    vec![openai(), responses(), anthropic(), gemini(), ollama()]
}

/// A home that configures a provider of this kind at the server's address.
fn home(kind: &Kind, server: &ModelServer) -> Home {
    let home = Home::new();
    let (name, url) = (kind.kind, server.url());
    home.configure(format!(
        "[providers.mine]\nkind = \"{name}\"\nbase_url = \"{url}\"\nkey_command = [\"echo\", \"sk-key-of-the-test\"]\n"
    ));
    home
}

#[test]
fn a_reply_of_every_kind_has_text_reasoning_a_call_and_its_tokens() {
    for kind in kinds() {
        let name = kind.kind;
        let reply = Answer::stream(kind.reply.iter().cloned().map(Do::Write).collect());
        let server = ModelServer::start(vec![reply]).with_models(&kind.list);
        let done = home(&kind, &server).run(&["run", "hello", "--model", "mine/m", "--json"]);
        assert_eq!(done.code, Some(10), "{name}: {}\n{}", done.err, done.out);
        let reply = &done.events("reply")[0];
        assert_eq!(reply["text"], "Here.", "{name}: {reply}");
        assert_eq!(reply["reasoning"], "Hm.", "{name}");
        assert_eq!(reply["tool_calls"][0]["name"], "run_code", "{name}");
        let called: Value =
            serde_json::from_str(reply["tool_calls"][0]["arguments"].as_str().unwrap()).unwrap();
        assert_eq!(called, arguments(), "{name}");
        assert_eq!((&reply["usage"]["input"], &reply["usage"]["output"]), (&json!(12), &json!(7)), "{name}");
        let block = &done.events("block")[0];
        assert_eq!((&block["kind"], &block["language"]), (&json!("code"), &json!("python")), "{name}");

        let request = &server.requests()[0];
        assert_eq!(request.line, format!("POST {}", kind.path), "{name}");
        assert_eq!(request.header(kind.key.0), Some(kind.key.1), "{name}");
        let body = String::from_utf8_lossy(&request.body);
        assert!(!request.line.contains("sk-") && !body.contains("sk-key"), "{name}: the key has one place");
        assert!(body.contains("hello"), "{name}");
    }
}

#[test]
fn the_first_request_knows_what_its_server_says_of_the_model() {
    let kind = ollama();
    for (capability, offers) in [("tools", true), ("completion", false)] {
        let reply = Answer::stream(kind.reply.iter().cloned().map(Do::Write).collect());
        let mut list = kind.list.clone();
        list["capabilities"] = json!([capability]);
        let server = ModelServer::start(vec![reply]).with_models(&list);
        home(&kind, &server).run(&["run", "hello", "--model", "mine/m", "--json"]).ended(10);
        let sent = server.requests()[0].json();
        assert_eq!(sent["tools"].is_array(), offers, "{capability}: {sent}");
        let system = sent["messages"][0]["content"].as_str().unwrap();
        assert_eq!(system.contains("```python"), !offers, "{capability}: {system}");
    }
}

#[test]
fn the_models_of_every_kind_are_listed() {
    for kind in kinds() {
        let server = ModelServer::start(Vec::new()).with_models(&kind.list);
        let done = home(&kind, &server).run(&["models", "mine", "--json"]);
        assert_eq!(done.code, Some(0), "{}: {}", kind.kind, done.err);
        let models = done.json()[0]["providers"][0]["models"].clone();
        let names: Vec<&str> =
            models.as_array().unwrap().iter().filter_map(|m| m["model"].as_str()).collect();
        assert_eq!(names, ["m"], "{}", kind.kind);
        if matches!(kind.kind, "openai" | "gemini" | "ollama") {
            assert_eq!(models[0]["context"], 65_536, "{}: {models}", kind.kind);
        }
        let asked = &server.questions()[0];
        assert_eq!(asked.header(kind.key.0), Some(kind.key.1), "{}: {asked:?}", kind.kind);
        assert!(!asked.line.contains("sk-"), "{}", asked.line);
    }
}

#[test]
fn the_address_of_a_kind_is_taken_from_the_option_too() {
    for kind in kinds() {
        let reply = Answer::stream(kind.reply.iter().cloned().map(Do::Write).collect());
        let server = ModelServer::start(vec![reply]).with_models(&kind.list);
        let home = Home::new();
        let model = format!("{}/m", kind.kind);
        home.run(&["run", "hello", "--model", &model, "--base-url", &server.url()]).ended(10);
        assert_eq!(server.requests()[0].line, format!("POST {}", kind.path));
    }
}

#[test]
fn how_much_a_model_is_to_think_is_a_setting() {
    for (effort, expected) in [("", json!(null)), ("effort = \"high\"", json!("high"))] {
        for (of_model, expected) in
            [("", expected.clone()), ("models = { m = { effort = \"low\" } }", json!("low"))]
        {
            let home = Home::new();
            let server = ModelServer::replying(&["Yes."]);
            let url = server.v1();
            home.configure(format!(
                "[providers.mine]\nkind = \"openai\"\nbase_url = \"{url}\"\n{effort}\n{of_model}\n"
            ));
            home.run(&["run", "hello", "--model", "mine/m", "--json"]).ended(0);
            assert_eq!(server.requests()[0].json()["reasoning_effort"], expected, "{effort} {of_model}");
        }
    }
}

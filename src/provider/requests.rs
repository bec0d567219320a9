//! Tests the requests of every format: one conversation with everything in it, as each format encodes it.

use super::format::FormattedServer;
use super::opaque_items;
use super::quirks::{OptionalPart, RefusedParts, ServerQuirks};
use super::server::{CheckedServer, Server};
use super::{fixture, format_of};
use crate::config::{Effort, FormatKind as Kind};
use crate::domain::{
    AnswerForm, Message, MessageImage, ModelName, ModelRequest, Purpose, Role, StepId, Tool, ToolCall,
    samples,
};
use serde_json::{Value, json};

/// The body of a request, where nothing is known of the server.
fn body_of(server: &FormattedServer, request: &ModelRequest) -> Value {
    server.encode(request, &ServerQuirks::default())
}

fn call(id: &str, arguments: &str, signature: Option<&str>) -> ToolCall {
    ToolCall {
        id: id.into(),
        name: "run".into(),
        arguments: arguments.into(),
        signature: signature.map(str::to_owned),
    }
}

fn picture(data: Option<&[u8]>) -> MessageImage {
    MessageImage { image: samples::image("/tmp/f.png"), data: data.map(Into::into) }
}

/// Instructions, a question, two calls of which one is broken, their results with an image, and a further question.
fn request(kind: Kind) -> ModelRequest {
    let thinking = json!({ "type": "thinking", "thinking": "hm", "signature": "s" });
    let kept = vec![
        opaque_items::new_item(kind.as_str(), 0, 0, thinking),
        opaque_items::new_item("another", 0, 0, json!({ "type": "secret" })),
    ];
    let calls = vec![call("c1", r#"{"code":"1"}"#, Some("sig")), call("c2", r#"{"code":"#, None)];
    let messages = vec![
        Message::new(Role::System, "be kind"),
        Message::new(Role::User, "go"),
        Message { tool_calls: calls, kept, ..Message::new(Role::Assistant, "I look.") },
        Message::result("c2", "no"),
        Message { images: vec![picture(Some(b"png")), picture(None)], ..Message::result("c1", "one") },
        Message::new(Role::User, ""),
        Message::new(Role::User, "and now?"),
    ];
    let parameters =
        r#"{"type":"object","properties":{"code":{"type":"string"}},"additionalProperties":false}"#;
    let tool = Tool { name: "run".into(), description: "Runs.".into(), parameters: parameters.into() };
    let schema = r#"{"type":"object","properties":{"risk":{"type":"string"}},"additionalProperties":false}"#;
    let form = AnswerForm { name: "judgement".into(), schema: schema.into() };
    let request = ModelRequest::new(StepId(1), Purpose::Answer, messages);
    ModelRequest { tools: vec![tool], form: Some(form), ..request }
}

fn sent(kind: Kind) -> Value {
    body_of(&fixture(kind, "m"), &request(kind))
}

fn without(kind: Kind, part: OptionalPart) -> Value {
    let quirks = ServerQuirks { refused: RefusedParts::default().with(part), context: None };
    fixture(kind, "m").encode(&request(kind), &quirks)
}

const MISSING: &str = "[The image figure-1.png can't be read any more.]";

#[test]
fn chat_completions() {
    let parameters = json!({ "type": "object", "properties": { "code": { "type": "string" } }, "additionalProperties": false });
    let expected = json!({
        "model": "m",
        "messages": [
            { "role": "system", "content": "be kind" },
            { "role": "user", "content": "go" },
            { "role": "assistant", "content": "I look.", "type": "thinking", "thinking": "hm", "signature": "s", "tool_calls": [
                { "id": "c1", "type": "function", "function": { "name": "run", "arguments": r#"{"code":"1"}"# } },
                { "id": "c2", "type": "function",
                  "function": { "name": "run", "arguments": r#"{"not_valid_json":"{\"code\":"}"# } },
            ] },
            { "role": "tool", "tool_call_id": "c1", "content": "one" },
            { "role": "tool", "tool_call_id": "c2", "content": "no" },
            { "role": "user", "content": [
                { "type": "text", "text": "Images of these results:" },
                { "type": "image_url", "image_url": { "url": "data:image/png;base64,cG5n" } },
                { "type": "text", "text": MISSING },
            ] },
            { "role": "user", "content": "and now?" },
        ],
        "stream": true,
        "stream_options": { "include_usage": true },
        "tools": [{ "type": "function", "function": { "name": "run", "description": "Runs.", "parameters": parameters } }],
        "response_format": { "type": "json_schema", "json_schema": { "name": "judgement", "strict": true, "schema": {
            "type": "object", "properties": { "risk": { "type": "string" } }, "additionalProperties": false } } },
    });
    assert_eq!(sent(Kind::Openai), expected);
    assert!(without(Kind::Openai, OptionalPart::Usage).get("stream_options").is_none());
    assert!(without(Kind::Openai, OptionalPart::Form).get("response_format").is_none());
    assert!(without(Kind::Openai, OptionalPart::Reasoning)["messages"][2].get("thinking").is_none());
    let ids = without(Kind::Openai, OptionalPart::ForeignCallIds);
    let id = ids["messages"][2]["tool_calls"][0]["id"].as_str().unwrap();
    assert!(id.len() == 9 && ids["messages"][3]["tool_call_id"] == id, "{ids}");
}

#[test]
fn responses() {
    let body = sent(Kind::OpenaiResponses);
    let expected = json!([
        { "role": "user", "content": "go" },
        { "type": "thinking", "thinking": "hm", "signature": "s" },
        { "role": "assistant", "content": "I look." },
        { "type": "function_call", "call_id": "c1", "name": "run", "arguments": r#"{"code":"1"}"# },
        { "type": "function_call", "call_id": "c2", "name": "run", "arguments": r#"{"not_valid_json":"{\"code\":"}"# },
        { "type": "function_call_output", "call_id": "c1", "output": [
            { "type": "input_text", "text": "one" },
            { "type": "input_image", "image_url": "data:image/png;base64,cG5n" },
            { "type": "input_text", "text": MISSING },
        ] },
        { "type": "function_call_output", "call_id": "c2", "output": "no" },
        { "role": "user", "content": "and now?" },
    ]);
    assert_eq!(body["input"], expected);
    assert_eq!((&body["instructions"], &body["store"]), (&json!("be kind"), &json!(false)));
    assert_eq!(body["include"], json!(["reasoning.encrypted_content"]));
    assert_eq!(
        (&body["tools"][0]["name"], &body["text"]["format"]["name"]),
        (&json!("run"), &json!("judgement"))
    );
    assert!(without(Kind::OpenaiResponses, OptionalPart::Reasoning).get("include").is_none());
}

#[test]
fn messages() {
    let body = sent(Kind::Anthropic);
    let cached = json!({ "type": "ephemeral" });
    let expected = json!([
        { "role": "user", "content": [{ "type": "text", "text": "go" }] },
        { "role": "assistant", "content": [
            { "type": "thinking", "thinking": "hm", "signature": "s" },
            { "type": "text", "text": "I look." },
            { "type": "tool_use", "id": "c1", "name": "run", "input": { "code": "1" } },
            { "type": "tool_use", "id": "c2", "name": "run", "input": { "not_valid_json": "{\"code\":" } },
        ] },
        { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "c1", "content": [
                { "type": "text", "text": "one" },
                { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "cG5n" } },
                { "type": "text", "text": MISSING },
            ] },
            { "type": "tool_result", "tool_use_id": "c2", "content": [{ "type": "text", "text": "no" }] },
            { "type": "text", "text": "and now?", "cache_control": cached },
        ] },
    ]);
    assert_eq!(body["messages"], expected);
    assert_eq!(body["system"], json!([{ "type": "text", "text": "be kind", "cache_control": cached }]));
    assert_eq!(body["tools"][0]["input_schema"]["type"], "object");
    assert_eq!((&body["max_tokens"], &body["stream"]), (&json!(32_000), &json!(true)));
    assert_eq!(without(Kind::Anthropic, OptionalPart::Limit)["max_tokens"], 4_096);
}

#[test]
fn generate_content() {
    let body = sent(Kind::Gemini);
    let expected = json!([
        { "role": "user", "parts": [{ "text": "go" }] },
        { "role": "model", "parts": [
            { "text": "I look." },
            { "functionCall": { "id": "c1", "name": "run", "args": { "code": "1" } }, "thoughtSignature": "sig" },
            { "functionCall": { "id": "c2", "name": "run", "args": { "not_valid_json": "{\"code\":" } } },
        ] },
        { "role": "user", "parts": [
            { "functionResponse": { "id": "c1", "name": "run", "response": { "result": "one" } } },
            { "functionResponse": { "id": "c2", "name": "run", "response": { "result": "no" } } },
            { "inlineData": { "mimeType": "image/png", "data": "cG5n" } },
            { "text": MISSING },
            { "text": "and now?" },
        ] },
    ]);
    assert_eq!(body["contents"], expected);
    assert_eq!(body["systemInstruction"], json!({ "parts": [{ "text": "be kind" }] }));
    assert_eq!(
        body["tools"],
        json!([{ "functionDeclarations": [{ "name": "run", "description": "Runs.", "parameters":
            { "type": "object", "properties": { "code": { "type": "string" } } } }] }])
    );
    assert_eq!(body["generationConfig"]["responseMimeType"], "application/json");
    assert!(without(Kind::Gemini, OptionalPart::Form).get("generationConfig").is_none());
}

#[test]
fn gemini_3_is_given_a_signature_for_calls_of_others_and_none_of_our_ids() {
    let messages = vec![
        Message {
            tool_calls: vec![call("sayso-1-1", "{}", None), call("x", "{}", None)],
            ..Message::new(Role::Assistant, "")
        },
        Message::result("sayso-1-1", "a"),
    ];
    let request = ModelRequest { messages, ..request(Kind::Gemini) };
    let body = body_of(&fixture(Kind::Gemini, "gemini-3-pro"), &request);
    assert_eq!(
        body["contents"],
        json!([
            { "role": "user", "parts": [{ "text": "(The conversation goes on.)" }] },
            { "role": "model", "parts": [
                { "functionCall": { "name": "run", "args": {} }, "thoughtSignature": "skip_thought_signature_validator" },
                { "functionCall": { "id": "x", "name": "run", "args": {} } },
            ] },
            { "role": "user", "parts": [
                { "functionResponse": { "name": "run", "response": { "result": "a" } } },
                { "functionResponse": { "id": "x", "name": "run", "response": { "result": "This call was not carried out." } } },
            ] },
        ])
    );
}

#[test]
fn ollama() {
    let body = sent(Kind::Ollama);
    let expected = json!([
        { "role": "system", "content": "be kind" },
        { "role": "user", "content": "go" },
        { "role": "assistant", "type": "thinking", "thinking": "hm", "signature": "s", "content": "I look.", "tool_calls": [
            { "function": { "name": "run", "arguments": { "code": "1" } } },
            { "function": { "name": "run", "arguments": { "not_valid_json": "{\"code\":" } } },
        ] },
        { "role": "tool", "tool_name": "run", "content": format!("one\n{MISSING}"), "images": ["cG5n"] },
        { "role": "tool", "tool_name": "run", "content": "no" },
        { "role": "user", "content": "and now?" },
    ]);
    assert_eq!(body["messages"], expected);
    assert_eq!(body["format"]["type"], "object");
    assert_eq!(body["options"], json!({ "num_ctx": 32_768 }));
}

#[test]
fn ollama_is_asked_for_as_much_context_as_is_needed() {
    let context = |text: usize, known: Option<u64>, configured: Option<u64>| {
        let mut server = fixture(Kind::Ollama, "m");
        server.access.context = configured;
        let messages = vec![Message::new(Role::User, "x".repeat(text))];
        let request = ModelRequest::new(StepId(1), Purpose::Answer, messages);
        let known = ServerQuirks { context: known, ..ServerQuirks::default() };
        server.encode(&request, &known)["options"]["num_ctx"].as_u64().unwrap()
    };
    assert_eq!(context(10, Some(8_192), None), 8_192, "no more than the model can have");
    assert_eq!(context(10, Some(131_072), None), 32_768, "memory is not taken for nothing");
    assert_eq!(context(200_000, Some(131_072), None), 131_072, "what is sent is read");
    assert_eq!(context(400_000, Some(40_960), None), 40_960);
    assert_eq!(context(400_000, Some(131_072), Some(16_384)), 16_384, "as configured");
    assert_eq!(context(400_000, None, None), 32_768, "nothing is known of the model");
}

#[test]
fn limits_and_effort_are_said_in_the_words_of_each() {
    let of_model = |kind: Kind, model: &str| {
        let mut server = fixture(kind, model);
        (server.access.max_output, server.access.effort) = (Some(9), Some(Effort::High));
        body_of(&server, &request(kind))
    };
    let body = |kind| of_model(kind, "m");
    let chat = body(Kind::Openai);
    assert_eq!((&chat["max_tokens"], &chat["reasoning_effort"]), (&json!(9), &json!("high")));
    let responses = body(Kind::OpenaiResponses);
    assert_eq!(responses["max_output_tokens"], 9);
    assert_eq!(responses["reasoning"], json!({ "effort": "high", "summary": "auto" }));
    let messages = body(Kind::Anthropic);
    assert_eq!(messages["thinking"], json!({ "type": "adaptive" }), "an effort alone makes nobody think");
    assert_eq!(messages["output_config"]["effort"], "high");
    let messages = of_model(Kind::Anthropic, "claude-sonnet-4-5-20250929");
    assert_eq!(messages["output_config"]["effort"], Value::Null);
    assert_eq!(messages["thinking"], json!({ "type": "enabled", "budget_tokens": 24_576 }));
    assert!(messages["max_tokens"].as_u64() > Some(24_576), "thinking counts: {messages}");
    let gemini = &body(Kind::Gemini)["generationConfig"];
    assert_eq!(gemini["maxOutputTokens"], 9);
    assert_eq!(gemini["thinkingConfig"], json!({ "includeThoughts": true, "thinkingBudget": 24_576 }));
    let ollama = body(Kind::Ollama);
    assert_eq!((&ollama["think"], &ollama["options"]["num_predict"]), (&json!(true), &json!(9)));
    let mut openai = fixture(Kind::Openai, "m");
    openai.access.identity.host = "api.openai.com".into();
    openai.access.max_output = Some(9);
    assert_eq!(body_of(&openai, &request(Kind::Openai))["max_completion_tokens"], 9);
}

#[test]
fn keys_in_the_query_are_known_as_keys() {
    let name = ModelName { provider: "x".into(), model: "m".into() };
    let query = vec![
        ("key".to_owned(), "hunter22hunter22".to_owned()),
        ("api-version".to_owned(), "2024".to_owned()),
    ];
    let server = Server { query, ..Server::new(Kind::Openai, name, "http://h?sig=swordfish") };
    let access = CheckedServer::new(server, &format_of(Kind::Openai).unwrap().protocol).unwrap();
    assert!(access.identity.has_key);
    let told = access.secrets.mask_message("no: hunter22hunter22 or swordfish of 2024");
    assert_eq!(told, "no: [key] or [key] of 2024");
}

#[test]
fn keys_are_in_one_header_and_nowhere_else() {
    for (kind, header, value) in [
        (Kind::Openai, "authorization", "Bearer sk-verysecret"),
        (Kind::OpenaiResponses, "authorization", "Bearer sk-verysecret"),
        (Kind::Anthropic, "x-api-key", "sk-verysecret"),
        (Kind::Gemini, "x-goog-api-key", "sk-verysecret"),
        (Kind::Ollama, "authorization", "Bearer sk-verysecret"),
    ] {
        use secrecy::ExposeSecret as _;
        let http = fixture(kind, "m").access.post(&sent(kind));
        let secret: Vec<_> =
            http.secret_headers.iter().map(|(n, v)| (n.as_str(), v.expose_secret())).collect();
        assert_eq!(secret, [(header, value)]);
        let others = format!("{} {:?}", http.url, http.headers);
        assert!(!others.contains("verysecret"), "{others}");
        assert!(!String::from_utf8(http.body.unwrap()).unwrap().contains("verysecret"));
    }
}

#[test]
fn what_a_model_said_last_is_gone_on_from() {
    let messages = vec![Message::new(Role::User, "go"), Message::new(Role::Assistant, "half a \n")];
    let request = ModelRequest::new(StepId(1), Purpose::Answer, messages);
    let body = body_of(&fixture(Kind::Anthropic, "m"), &request);
    assert_eq!(body["messages"][1]["content"], json!([{ "type": "text", "text": "half a" }]));
    assert!(body.get("tools").is_none() && body.get("system").is_none());
}

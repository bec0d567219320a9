//! Tests every kind of server over a real connection: where requests are sent and with which headers, which models
//! are listed, and what is known of one.

use super::model_server::{Answer, Do, ModelServer, Received};
use super::*;
use sayso::domain::{FailureKind, FinishReason, ModelInfo};
use serde_json::{Value, json};

fn at(kind: Kind, server: &ModelServer) -> Server {
    let name = ModelName { provider: kind.as_str().into(), model: "m-1".into() };
    Server { key: Some(KEY.into()), ..Server::new(kind, name, server.url()) }
}

fn answer(value: &Value) -> Answer {
    Answer::status(200, "application/json", &value.to_string())
}

/// A reply of each kind with the text `hi`.
fn reply(kind: Kind) -> Answer {
    let events = |pieces: &[Value]| {
        let write = |piece: &Value| {
            let name = piece.get("type").and_then(Value::as_str).unwrap_or("message");
            Do::Write(format!("event: {name}\ndata: {piece}\n\n").into_bytes())
        };
        Answer::stream(pieces.iter().map(write).collect())
    };
    match kind {
        Kind::Openai => Answer::text("hi"),
        Kind::OpenaiResponses => events(&[
            json!({ "type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "hi" }),
            json!({ "type": "response.completed", "response": { "status": "completed", "output": [] } }),
        ]),
        Kind::Anthropic => events(&[
            json!({ "type": "message_start", "message": { "usage": { "input_tokens": 3 } } }),
            json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "hi" } }),
            json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 1 } }),
            json!({ "type": "message_stop" }),
        ]),
        Kind::Gemini => answer(
            &json!([{ "candidates": [{ "content": { "parts": [{ "text": "hi" }] }, "finishReason": "STOP" }] }]),
        ),
        Kind::Ollama => {
            let line = json!({ "message": { "content": "hi" }, "done": true, "done_reason": "stop", "prompt_eval_count": 9 });
            Answer::status(200, "application/x-ndjson", &format!("{line}\n"))
        }
        Kind::Scripted => unreachable!("a story has no server"),
    }
}

/// The headers of a request that hold the key.
fn keys(request: &Received) -> Vec<(&str, &str)> {
    let holds = |(_, value): &&(String, String)| value.contains(KEY);
    request.headers.iter().filter(holds).map(|(n, v)| (n.as_str(), v.as_str())).collect()
}

#[tokio::test]
async fn each_kind_is_asked_at_its_address_with_its_key_in_one_header() {
    let bearer = format!("Bearer {KEY}");
    for (kind, line, header, value) in [
        (Kind::Openai, "POST /v1/chat/completions", "authorization", bearer.as_str()),
        (Kind::OpenaiResponses, "POST /v1/responses", "authorization", &bearer),
        (Kind::Anthropic, "POST /v1/messages", "x-api-key", KEY),
        (Kind::Gemini, "POST /v1beta/models/m-1:streamGenerateContent?alt=sse", "x-goog-api-key", KEY),
        (Kind::Ollama, "POST /api/chat", "authorization", &bearer),
    ] {
        let mut answers = vec![reply(kind)];
        if kind == Kind::Ollama {
            answers.insert(0, answer(&json!({ "model_info": { "x.context_length": 8192 } })));
        }
        let server = ModelServer::in_order(answers);
        let events = ask(&open(at(kind, &server))).await;
        assert_eq!((text(&events).as_str(), finish(&events).reason), ("hi", FinishReason::Stop), "{kind:?}");
        let requests = server.requests();
        let sent = requests.last().expect("it was asked");
        assert_eq!(sent.line, line);
        assert_eq!(keys(sent), [(header, value)], "{kind:?}");
        assert!(!String::from_utf8_lossy(&sent.body).contains(KEY) && !sent.line.contains(KEY));
        assert_eq!(sent.header("anthropic-version").is_some(), kind == Kind::Anthropic);
        if kind == Kind::Ollama {
            assert_eq!(
                (requests[0].line.as_str(), &requests[0].json()),
                ("POST /api/show", &json!({ "model": "m-1" }))
            );
            assert_eq!(sent.json()["options"]["num_ctx"], 8192, "what the model can have is asked for");
        }
    }
}

#[tokio::test]
async fn a_query_of_ones_own_is_sent_everywhere() {
    let server = ModelServer::in_order(vec![Answer::text("hi"), answer(&json!({ "data": [{ "id": "a" }] }))]);
    let query = vec![("api-version".to_owned(), "2024-10-21".to_owned())];
    let provider = open(Server { query, ..at(Kind::Openai, &server) });
    ask(&provider).await;
    provider.models().await.expect("a list");
    let lines: Vec<String> = server.requests().into_iter().map(|r| r.line).collect();
    assert_eq!(
        lines,
        ["POST /v1/chat/completions?api-version=2024-10-21", "GET /v1/models?api-version=2024-10-21"]
    );
}

fn told(info: &ModelInfo) -> (&str, Option<u64>, bool) {
    (info.name.model.as_str(), info.context, info.local)
}

#[tokio::test]
async fn models_are_listed_over_all_pages() {
    let pages = vec![
        answer(&json!({ "data": [{ "id": "b" }], "has_more": true, "last_id": "b" })),
        answer(&json!({ "data": [{ "id": "a", "max_input_tokens": 9 }], "has_more": false, "last_id": "a" })),
    ];
    let server = ModelServer::in_order(pages);
    let models = open(at(Kind::Anthropic, &server)).models().await.expect("a list");
    assert_eq!(models.iter().map(told).collect::<Vec<_>>(), [("a", Some(9), true), ("b", None, true)]);
    let requests = server.requests();
    assert_eq!(requests[1].line, "GET /v1/models?limit=1000&after_id=b");
    assert_eq!(keys(&requests[1]), [("x-api-key", KEY)]);
}

#[tokio::test]
async fn ollama_is_asked_about_each_model() {
    let tags = answer(&json!({ "models": [{ "name": "a" }, { "name": "b" }] }));
    let shown = answer(&json!({ "model_info": { "x.context_length": 4096 }, "capabilities": ["tools"] }));
    let server = ModelServer::in_order(vec![tags, shown]);
    let models = open(at(Kind::Ollama, &server)).models().await.expect("a list");
    assert_eq!(
        models.iter().map(told).collect::<Vec<_>>(),
        [("a", Some(4096), true), ("b", Some(4096), true)]
    );
}

#[tokio::test]
async fn a_list_that_is_none_is_told() {
    for (answer, kind) in [
        (Answer::status(200, "text/html", "<html>Sign in</html>"), FailureKind::NotAModel),
        (answer(&json!({ "hello": 1 })), FailureKind::NotAModel),
        (Answer::error(401, "no"), FailureKind::Refused),
        (Answer::error(500, "no"), FailureKind::Server),
        (Answer::stream(vec![Do::Write(b"{\"data\":[".to_vec()), Do::Cut]), FailureKind::Cut),
    ] {
        let server = ModelServer::in_order(vec![answer]);
        let failure = open(at(Kind::Openai, &server)).models().await.expect_err("no list");
        assert_eq!(failure.kind, kind, "{failure:?}");
    }
}

#[tokio::test]
async fn a_list_without_end_is_not_read_to_its_end() {
    let piece = || Do::Write(vec![b' '; 1 << 20]);
    let server = ModelServer::in_order(vec![Answer::stream((0..64).map(|_| piece()).collect())]);
    let failure = open(at(Kind::Openai, &server)).models().await.expect_err("no list");
    assert_eq!(failure.kind, FailureKind::NotAModel);
}

#[tokio::test]
async fn what_is_known_of_a_model_is_asked_once() {
    let list = answer(
        &json!({ "data": [{ "id": "m-1", "max_model_len": 2048, "supported_parameters": ["tools"] }] }),
    );
    let server = ModelServer::in_order(vec![list]);
    let provider = open(at(Kind::Openai, &server));
    for _ in 0..2 {
        let info = provider.info().await;
        assert_eq!((told(&info), info.tools), (("m-1", Some(2048), true), Some(true)));
    }
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn llama_cpp_tells_the_context_that_it_was_started_with() {
    let answers = vec![
        answer(&json!({ "data": [{ "id": "m-1", "meta": { "n_ctx_train": 131_072 } }] })),
        Answer::error(404, "File Not Found"),
        answer(
            &json!({ "default_generation_settings": { "n_ctx": 4096 }, "chat_template_caps": { "supports_tool_calls": true } }),
        ),
    ];
    let server = ModelServer::in_order(answers);
    let info = open(at(Kind::Openai, &server)).info().await;
    assert_eq!((info.context, info.tools), (Some(4096), Some(true)));
    let lines: Vec<String> = server.requests().into_iter().map(|r| r.line).collect();
    assert_eq!(lines, ["GET /v1/models", "GET /api/v0/models", "GET /props"]);
}

#[tokio::test]
async fn a_server_that_tells_nothing_leaves_the_model_unknown() {
    let server = ModelServer::in_order(vec![Answer::error(500, "x")]);
    let configured = Server { context: Some(77), ..at(Kind::Gemini, &server) };
    let info = open(configured).info().await;
    assert_eq!((told(&info), info.tools), (("m-1", Some(77), true), None));
}

#[tokio::test]
async fn ollamas_cutting_is_told() {
    let shown = answer(&json!({ "model_info": { "x.context_length": 2048 } }));
    let cut = answer(&json!({ "message": { "content": "hi" }, "done": true, "prompt_eval_count": 1900 }));
    let server = ModelServer::in_order(vec![shown, cut]);
    let events = ask_for(&open(at(Kind::Ollama, &server)), &request(&"word ".repeat(4000))).await;
    let remark =
        events.iter().find_map(|e| if let ReplyEvent::Remark(text) = e { Some(text.as_str()) } else { None });
    let remark = remark.expect("it is told");
    assert!(
        remark.starts_with("Ollama cut the conversation to 2,048 tokens: it read 1,900 of about 5,0"),
        "{remark}"
    );
}

#[tokio::test]
async fn a_refused_part_is_left_out_once_and_for_all() {
    let refusal =
        Answer::error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.");
    let server = ModelServer::in_order(vec![refusal, Answer::text("a")]);
    let provider = open(Server { max_output: Some(9), ..at(Kind::Openai, &server) });
    assert_eq!(text(&ask(&provider).await), "a");
    assert_eq!(sent(&server, "max_completion_tokens"), [false, true]);
    // A request that leaving out the part would not change is not sent again.
    let server = ModelServer::in_order(vec![Answer::error(400, "max_tokens is wrong")]);
    assert_eq!(failure(&ask(&open(at(Kind::Openai, &server))).await).kind, FailureKind::BadRequest);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_refusal_of_tools_is_told_as_one() {
    for (kind, status, body) in [
        (Kind::Openai, 400, json!({ "error": { "message": "m-1 does not support tools" } })),
        (Kind::Openai, 500, json!({ "error": { "message": "tools param requires --jinja flag" } })),
        (
            Kind::Gemini,
            400,
            json!({ "error": { "code": 400, "message": "Function calling is not enabled for m-1" } }),
        ),
        (
            Kind::Anthropic,
            400,
            json!({ "error": { "type": "invalid_request_error", "message": "m-1 does not support tool use" } }),
        ),
    ] {
        let server =
            ModelServer::in_order(vec![Answer::status(status, "application/json", &body.to_string())]);
        let events = ask(&open(at(kind, &server))).await;
        assert_eq!(failure(&events).kind, FailureKind::NoTools, "{body}");
        assert_eq!(server.requests().len(), 1);
    }
}

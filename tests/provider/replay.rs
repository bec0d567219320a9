//! Tests recordings of real servers over a real connection, in writes of several sizes.

use super::model_server::{Answer, Do, ModelServer};
use super::*;
use serde_json::Value;
use std::path::Path;

fn kind(api: &str) -> Kind {
    match api {
        "openai-chat" | "openai-completions" => Kind::Openai,
        "openai-responses" => Kind::OpenaiResponses,
        "anthropic" => Kind::Anthropic,
        "gemini" => Kind::Gemini,
        _ => Kind::Ollama,
    }
}

/// The text according to the vendor's library.
fn expected_text(expected: &Value) -> String {
    let blocks = expected["content"].as_array().into_iter().flatten();
    let mut text: String =
        blocks.filter(|b| b["type"] == "text").filter_map(|b| b["text"].as_str()).collect();
    text.extend(["text", "refusal"].iter().filter_map(|field| expected[*field].as_str()));
    text
}

#[tokio::test]
async fn recordings_arrive_as_the_vendors_library_reads_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/streams");
    let index = std::fs::read_to_string(folder.join("index.jsonl")).expect("the index is there");
    let mut read = 0;
    for (count, line) in index.lines().enumerate() {
        let row: Value = serde_json::from_str(line).expect("a line is JSON");
        let (file, expected) = (row["file"].as_str().expect("it names a file"), &row["expected"]);
        if expected["error"].is_string() || file.contains("invalid-json") {
            continue;
        }
        let bytes = std::fs::read(folder.join(file)).expect("the file is there");
        let size = [64, 777, 4096, 1 << 20][count % 4];
        let body = bytes.chunks(size).map(|piece| Do::Write(piece.to_vec())).collect();
        let server = ModelServer::start(vec![Answer::stream(body)]);
        let name = ModelName { provider: "p".into(), model: "m".into() };
        // With a configured context, Ollama is not asked for it.
        let server = Server {
            context: Some(32_768),
            ..Server::new(kind(row["api"].as_str().expect("an interface")), name, server.url())
        };
        let events = ask(&open(server)).await;
        assert_eq!(text(&events), expected_text(expected), "{file}");
        finish(&events);
        let calls = events.iter().filter(|e| matches!(e, ReplyEvent::ToolCall(_))).count();
        let blocks =
            expected["content"].as_array().map(|all| all.iter().filter(|b| b["type"] == "tool_use").count());
        let wanted = blocks.or(expected["tool_calls"].as_array().map(Vec::len)).unwrap_or(0);
        assert_eq!(calls, wanted, "{file}");
        read += 1;
    }
    assert!(read > 200, "{read}");
}

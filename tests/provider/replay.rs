//! Recordings of real servers over a real connection, in writes of every small size.

use super::model_server::{Answer, Do, ModelServer};
use super::*;
use std::path::Path;

#[tokio::test]
async fn recordings_arrive_as_the_vendors_library_reads_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/streams");
    let index = std::fs::read_to_string(folder.join("index.jsonl")).expect("the index is there");
    for (count, line) in index.lines().enumerate() {
        let row: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
        let file = row["file"].as_str().expect("it names a file");
        let bytes = std::fs::read(folder.join(file)).expect("the file is there");
        let size = [64, 777, 4096, 1 << 20][count % 4];
        let body = bytes.chunks(size).map(|piece| Do::Write(piece.to_vec())).collect();
        let server = ModelServer::start(vec![Answer::stream(body)]);
        let events = ask(&provider(&server)).await;
        let expected = |field: &str| row["expected"][field].as_str().unwrap_or_default();
        assert_eq!(text(&events), format!("{}{}", expected("text"), expected("refusal")), "{file}");
        assert_eq!(finish(&events).word.as_deref(), row["expected"]["finish"].as_str(), "{file}");
        let calls = events.iter().filter(|e| matches!(e, ReplyEvent::ToolCall(_))).count();
        assert_eq!(Some(calls), row["expected"]["tool_calls"].as_array().map(Vec::len), "{file}");
    }
}

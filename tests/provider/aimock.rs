//! Tests every wire against a third-party mock server.

use super::*;
use crate::mock::Mock;
use sayso::domain::{FailureKind, FinishReason, Tool, ToolCall};
use serde_json::Value;
use std::time::Instant;

impl Mock {
    fn server(&self, kind: Kind) -> Server {
        let name = ModelName { provider: kind.as_str().into(), model: "m".into() };
        let base = self.url();
        // The mock counts requests by test id.
        let headers = vec![("x-test-id".into(), kind.as_str().into())];
        Server { key: Some(KEY.into()), headers, ..Server::new(kind, name, base) }
    }

    fn provider(&self, kind: Kind) -> Provider {
        open(self.server(kind))
    }

    async fn ask(&self, kind: Kind, text: &str) -> Vec<ReplyEvent> {
        ask_for(&self.provider(kind), &request(text)).await
    }
}

fn tool(name: &str) -> Tool {
    let parameters = r#"{"type":"object","properties":{"code":{"type":"string"},"path":{"type":"string"}}}"#;
    Tool { name: name.into(), description: "Does it.".into(), parameters: parameters.into() }
}

fn calls(events: &[ReplyEvent]) -> Vec<ToolCall> {
    events
        .iter()
        .filter_map(|e| if let ReplyEvent::ToolCall(call) = e { Some(call.clone()) } else { None })
        .collect()
}

#[tokio::test]
#[ignore = "needs aimock (npm)"]
async fn a_turn_with_each_provider() {
    let mock = Mock::start();
    for kind in Kind::OF_SERVERS {
        let events = mock.ask(kind, "plain").await;
        assert_eq!(text(&events), "Here you go:\n\n```python\nprint(1+1)\n```\n", "{kind:?}");
        assert_eq!(finish(&events).reason, FinishReason::Stop, "{kind:?}");
    }
}

#[tokio::test]
#[ignore = "needs aimock (npm)"]
async fn reasoning_of_each_provider() {
    let mock = Mock::start();
    for kind in Kind::OF_SERVERS {
        let events = mock.ask(kind, "think").await;
        let pieces = events
            .iter()
            .filter_map(|e| if let ReplyEvent::Reasoning(t) = e { Some(t.as_str()) } else { None });
        assert_eq!(pieces.collect::<String>(), "2+2 is 4, check.", "{kind:?}");
        assert_eq!(text(&events), "The answer is 4.", "{kind:?}");
    }
}

#[tokio::test]
#[ignore = "needs aimock (npm)"]
async fn tools_in_parallel_and_their_results() {
    let mock = Mock::start();
    for kind in Kind::OF_SERVERS {
        let provider = mock.provider(kind);
        let mut asked = ModelRequest { tools: vec![tool("run_code"), tool("read_file")], ..request("both") };
        let events = ask_for(&provider, &asked).await;
        let made = calls(&events);
        let told: Vec<_> = made
            .iter()
            .map(|call| (call.name.as_str(), serde_json::from_str::<Value>(&call.arguments).expect("JSON")))
            .collect();
        let expected = [
            ("run_code", serde_json::json!({ "language": "python", "code": "1" })),
            ("read_file", serde_json::json!({ "path": "a" })),
        ];
        assert_eq!(told, expected, "{kind:?}");
        assert!(!made[0].id.is_empty() && made[0].id != made[1].id, "{kind:?}: {made:?}");
        assert_eq!(finish(&events).reason, FinishReason::ToolCalls, "{kind:?}");
        let results: Vec<_> = made.iter().map(|call| Message::result(call.id.clone(), "ok")).collect();
        asked.messages.push(Message { tool_calls: made, ..Message::new(Role::Assistant, "") });
        asked.messages.extend(results);
        let events = ask_for(&provider, &asked).await;
        assert_eq!(text(&events), "done after tool", "{kind:?}");
    }
}

#[tokio::test]
#[ignore = "needs aimock (npm)"]
async fn a_rate_limit_is_waited_for() {
    let mock = Mock::start();
    for kind in Kind::OF_SERVERS {
        let begun = Instant::now();
        let events = mock.ask(kind, "limit").await;
        assert_eq!(text(&events), "after the limit", "{kind:?}");
        let waits = waits(&events);
        assert!(
            waits.len() == 1 && waits[0] >= 1000 && begun.elapsed() >= Duration::from_secs(1),
            "{kind:?} {waits:?}"
        );
    }
}

#[tokio::test]
#[ignore = "needs aimock (npm)"]
async fn a_failure_is_asked_again() {
    let mock = Mock::start();
    for kind in Kind::OF_SERVERS {
        let events = mock.ask(kind, "boom").await;
        assert_eq!((text(&events).as_str(), waits(&events).len()), ("after the failure", 1), "{kind:?}");
    }
}

#[tokio::test]
#[ignore = "needs aimock (npm)"]
async fn a_reply_that_breaks_keeps_what_came() {
    let mock = Mock::start();
    for kind in Kind::OF_SERVERS {
        let events = mock.ask(kind, "cut").await;
        assert_eq!(failure(&events).kind, FailureKind::Cut, "{kind:?}");
        let text = text(&events);
        assert!(text.starts_with("the quick") && text.len() < 440, "{kind:?}: {text:?}");
        assert_eq!(waits(&events), Vec::<u64>::new(), "{kind:?}");
    }
}

#[tokio::test]
#[ignore = "needs aimock (npm)"]
async fn what_can_not_be_read_is_told() {
    let mock = Mock::start();
    for kind in Kind::OF_SERVERS {
        let events = mock.ask(kind, "broken").await;
        assert_eq!(failure(&events).kind, FailureKind::Malformed, "{kind:?}");
    }
}

#[tokio::test]
#[ignore = "needs aimock (npm)"]
async fn a_stall_is_told() {
    let mock = Mock::start();
    for kind in Kind::OF_SERVERS {
        let server = Server { timeouts: short(), ..mock.server(kind) };
        let events = ask_for(&open(server), &request("stall")).await;
        assert_eq!(failure(&events).kind, FailureKind::TimedOut, "{kind:?}");
    }
}

#[tokio::test]
#[ignore = "needs aimock (npm)"]
async fn a_reply_cut_by_its_length_says_so() {
    let mock = Mock::start();
    // For Ollama the mock always gives the reason `stop`.
    for kind in Kind::OF_SERVERS.into_iter().filter(|kind| *kind != Kind::Ollama) {
        let events = mock.ask(kind, "len").await;
        assert_eq!(finish(&events).reason, FinishReason::Length, "{kind:?}: {events:?}");
    }
}

//! Tests faults of servers: what the person is told, what is retried, and when.

use super::model_server::{Answer, Do, ModelServer, delta, event, finish as done};
use super::*;
use sayso::domain::{Departure, FailureKind, FinishReason};
use std::time::Instant;

/// Only system services could listen on this port; a port that was free a moment ago may already be another test's.
const SILENT: &str = "127.0.0.1:1";

async fn told(answers: Vec<Answer>) -> (ModelServer, Vec<ReplyEvent>) {
    let server = ModelServer::start(answers);
    let events = ask(&provider(&server)).await;
    (server, events)
}

#[tokio::test]
async fn a_host_without_a_name_is_told_in_the_words_of_the_interface() {
    let events = ask(&provider_at("http://name.invalid", Timeouts::default())).await;
    assert_eq!(failure(&events).message, "Cannot reach name.invalid: name not found.");
    assert_eq!(failure(&events).kind, FailureKind::NameNotFound);
    assert_eq!(events.len(), 1, "nothing was sent, nothing is asked again: {events:?}");
}

#[tokio::test]
async fn a_port_where_nobody_listens_is_told() {
    let events = ask(&provider_at(&format!("http://{SILENT}"), Timeouts::default())).await;
    let message = &failure(&events).message;
    assert_eq!(*message, format!("Cannot reach {SILENT}: connection refused."));
    assert_eq!(events.len(), 1);
}

#[tokio::test]
async fn what_went_out_is_counted_and_told_and_nothing_else_is() {
    let counted = |host: &str| sayso::provider::requests_sent().local.get(host).copied().unwrap_or_default();
    let events = ask(&provider_at(&format!("http://{SILENT}"), Timeouts::default())).await;
    assert_eq!((failure(&events).departure, counted(SILENT)), (Departure::Never, 0));
    for answer in [Answer::error(401, "no"), Answer::stream(vec![Do::Write(delta("half of ")), Do::Cut])] {
        let (server, events) = told(vec![answer]).await;
        let host = server.url().trim_start_matches("http://").trim_end_matches("/v1").to_owned();
        assert_eq!((failure(&events).departure, counted(&host)), (Departure::Sent, 1), "{host}");
    }
    assert!(sayso::provider::requests_sent().remote.is_empty(), "all of these servers are on this computer");
}

#[tokio::test]
async fn what_is_given_up_while_it_is_sent_is_counted() {
    for of_models in [true, false] {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let host = listener.local_addr().expect("a listener has an address").to_string();
        let (arrived, mut arrives) = mpsc::channel(1);
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a connection");
            let _ = std::io::Read::read(&mut stream, &mut [0; 64]);
            let _ = arrived.blocking_send(stream);
        });
        let provider = provider_at(&format!("http://{host}"), Timeouts::default());
        let (out, events) = mpsc::channel(8);
        let request = request("hello");
        let asking = async {
            if of_models {
                let _ = provider.models().await;
            } else {
                provider.ask(&request, &out).await;
            }
        };
        let stream = tokio::select! {
            () = asking => panic!("nothing was answered"),
            stream = tokio::time::timeout(DEADLINE, arrives.recv()) => stream.expect("it arrives"),
        };
        let counted = sayso::provider::requests_sent().local.get(&host).copied();
        assert_eq!((counted, stream.is_some()), (Some(1), true), "{of_models}");
        drop(events);
    }
}

#[tokio::test]
async fn tls_to_a_server_without_it_is_told() {
    let server = ModelServer::start(vec![Answer::text("a")]);
    let events = ask(&provider_at(&server.url().replace("http:", "https:"), Timeouts::default())).await;
    assert_eq!(failure(&events).kind, FailureKind::Tls, "{events:?}");
}

#[tokio::test]
async fn what_can_not_succeed_is_sent_once() {
    for (status, kind) in [
        (400, FailureKind::BadRequest),
        (401, FailureKind::Refused),
        (403, FailureKind::Refused),
        (404, FailureKind::NotFound),
        (422, FailureKind::BadRequest),
    ] {
        let said = format!("no, {KEY} is wrong\u{1b}[2J");
        let (server, events) = told(vec![Answer::error(status, &said)]).await;
        assert_eq!((failure(&events).kind, failure(&events).status), (kind, Some(status)));
        assert_eq!(server.requests().len(), 1);
        assert!(failure(&events).hint.contains("no, [key] is wrong[2J"), "{:?}", failure(&events).hint);
    }
}

#[tokio::test]
async fn recorded_errors_are_told_apart() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/http-errors.json");
    let text = std::fs::read_to_string(path).expect("the fixture is there");
    let all: Vec<serde_json::Value> = serde_json::from_str(&text).expect("it is JSON");
    let ours: Vec<_> = all.iter().filter(|e| e["api"] == "openai-chat" && e["status"] != 429).collect();
    assert!(ours.len() >= 3);
    for error in ours {
        let status = error["status"].as_u64().expect("a status") as u16;
        let body = error["body"].as_str().expect("a body");
        let (server, events) = told(vec![Answer::status(status, "application/json", body)]).await;
        let kind = if status == 404 { FailureKind::NotFound } else { FailureKind::BadRequest };
        assert_eq!(failure(&events).kind, kind, "{error}");
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn retry_after_is_obeyed_and_counted_down() {
    let busy = || Answer::error(429, "slow down").header("retry-after", "1");
    let (server, events) = told(vec![busy(), Answer::text("now")]).await;
    assert_eq!(text(&events), "now");
    let ReplyEvent::Retrying { attempt, of, wait_ms, failure } = &events[0] else { panic!("{events:?}") };
    assert_eq!((*attempt, *of, failure.message.as_str()), (1, 5, "Rate limit."));
    assert!((1000..1300).contains(wait_ms), "{wait_ms}");
    let requests = server.requests();
    assert!(requests[1].at - requests[0].at >= Duration::from_secs(1), "not a moment earlier");
}

#[tokio::test]
async fn retry_after_as_a_date_is_measured_by_the_servers_clock() {
    let busy = Answer::error(503, "busy")
        .header("date", "Wed, 21 Oct 2015 07:28:00 GMT")
        .header("retry-after", "Wed, 21 Oct 2015 07:28:01 GMT");
    let (_, events) = told(vec![busy, Answer::text("now")]).await;
    assert!((1000..1300).contains(&waits(&events)[0]), "{events:?}");
}

#[tokio::test]
async fn a_server_that_asks_for_an_hour_is_not_waited_for() {
    let (server, events) = told(vec![Answer::error(429, "later").header("retry-after", "3600")]).await;
    assert_eq!(failure(&events).message, "Rate limit. The server asks to wait 1 h 0 min.");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_used_up_quota_is_not_asked_again() {
    let body = r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#;
    let (server, events) = told(vec![Answer::status(429, "application/json", body)]).await;
    assert_eq!(failure(&events).kind, FailureKind::RateLimit);
    assert_eq!(server.requests().len(), 1);
    // The same inside a stream that began with 200.
    let error = event(&serde_json::from_str(body).expect("the error is JSON"));
    let (server, events) = told(vec![Answer::stream(vec![Do::Write(error)])]).await;
    assert_eq!((failure(&events).kind, server.requests().len()), (FailureKind::RateLimit, 1));
    assert!(failure(&events).message.ends_with("Not sent again."), "{events:?}");
}

#[tokio::test]
async fn failing_servers_are_asked_again_with_growing_waits() {
    let answers =
        vec![Answer::error(500, "x"), Answer::error(502, "x"), Answer { status: 0, ..Answer::text("") }];
    let (server, events) = told(answers.into_iter().chain([Answer::text("there")]).collect()).await;
    assert_eq!(text(&events), "there");
    let waits = waits(&events);
    assert!(waits.len() == 3 && waits.windows(2).all(|w| w[0] < w[1]), "{waits:?}");
    let requests = server.requests();
    for (pair, wait) in requests.windows(2).zip(waits) {
        assert!(pair[1].at - pair[0].at >= Duration::from_millis(wait));
    }
}

#[tokio::test]
async fn asking_again_ends() {
    let busy = Answer::error(503, "x").header("retry-after-ms", "1");
    let (server, events) = told(vec![busy]).await;
    assert_eq!((server.requests().len(), waits(&events).len()), (6, 5));
    assert_eq!(failure(&events).message, "openai is overloaded (503). Asked again 5 times without success.");
}

#[tokio::test]
async fn a_model_that_is_loaded_is_waited_for() {
    let body = r#"{"error":{"message":"Loading model","type":"unavailable_error","code":503}}"#;
    let loading = Answer::status(503, "application/json", body).header("retry-after-ms", "5");
    let (_, events) = told(vec![loading, Answer::text("ready")]).await;
    let ReplyEvent::Retrying { failure, .. } = &events[0] else { panic!("{events:?}") };
    assert!(failure.message.ends_with("is still loading the model (503)."), "{failure:?}");
    assert_eq!(text(&events), "ready");
}

#[tokio::test]
async fn a_server_that_does_not_know_stream_options_is_asked_without() {
    let refusal = Answer::error(400, "Unrecognized request argument supplied: stream_options");
    let server = ModelServer::start(vec![refusal, Answer::text("a"), Answer::text("b")]);
    let provider = provider(&server);
    assert_eq!(text(&ask(&provider).await), "a");
    assert_eq!(text(&ask(&provider).await), "b");
    assert_eq!(sent(&server, "stream_options"), [true, false, false]);
}

#[tokio::test]
async fn a_cut_stream_keeps_what_came_and_is_not_asked_again() {
    let (server, events) = told(vec![Answer::stream(vec![Do::Write(delta("half of ")), Do::Cut])]).await;
    assert_eq!(text(&events), "half of ");
    assert_eq!(failure(&events).kind, FailureKind::Cut);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn an_error_before_the_first_word_is_asked_again_and_one_behind_it_is_not() {
    let error = event(&serde_json::json!({ "error": { "message": "overloaded", "code": 503 } }));
    let early = Answer::stream(vec![Do::Write(error.clone())]);
    let (server, events) = told(vec![early, Answer::text("fine")]).await;
    assert_eq!((text(&events).as_str(), server.requests().len()), ("fine", 2));
    let late = Answer::stream(vec![Do::Write(delta("a")), Do::Write(error)]);
    let (server, events) = told(vec![late]).await;
    assert_eq!((failure(&events).kind, server.requests().len()), (FailureKind::Server, 1));
    assert_eq!(text(&events), "a");
}

#[tokio::test]
async fn an_error_inside_a_stream_is_asked_again_as_one_outside_of_it() {
    let failed = |error: serde_json::Value| {
        Answer::stream(vec![Do::Write(event(&serde_json::json!({ "error": error })))])
    };
    let busy = failed(serde_json::json!({
        "code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED", "details": [{ "retryDelay": "1s" }],
    }));
    let (_, events) = told(vec![busy, Answer::text("now")]).await;
    assert!((1000..1300).contains(&waits(&events)[0]), "{events:?}");
    assert_eq!(text(&events), "now");
    let (server, events) =
        told(vec![failed(serde_json::json!({ "code": 501, "message": "no streams here" }))]).await;
    assert_eq!((failure(&events).status, server.requests().len()), (Some(501), 1));
    let part = failed(
        serde_json::json!({ "code": 400, "message": "Unrecognized request argument supplied: stream_options" }),
    );
    let (server, events) = told(vec![part, Answer::text("without")]).await;
    assert_eq!(text(&events), "without");
    assert_eq!(sent(&server, "stream_options"), [true, false]);
}

#[tokio::test]
async fn a_call_that_breaks_off_is_not_asked_for_again() {
    let piece = |text: &str| {
        let call = serde_json::json!({ "index": 0, "function": { "name": "", "arguments": text } });
        event(&serde_json::json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] } }] }))
    };
    let (server, events) = told(vec![Answer::stream(vec![Do::Write(piece("{\"code\": \"")), Do::Cut])]).await;
    assert_eq!((failure(&events).kind, server.requests().len()), (FailureKind::Cut, 1));
    assert!(!failure(&events).message.contains("kept"), "{events:?}");

    let long = piece(&"x".repeat(1 << 20));
    let (server, events) =
        told(vec![Answer::stream((0..10).map(|_| Do::Write(long.clone())).collect())]).await;
    assert_eq!(server.requests().len(), 1);
    assert_eq!(failure(&events).message, "The reply is longer than 8 MiB: the rest was not read.");
}

#[tokio::test]
async fn pages_are_told_apart_from_models() {
    let page = "<!doctype html><title>Sign in</title>";
    let (server, events) = told(vec![Answer::status(200, "text/html", page)]).await;
    assert_eq!(failure(&events).kind, FailureKind::NotAModel);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_whole_completion_instead_of_a_stream_is_taken() {
    let body = r#"{"choices":[{"message":{"content":"whole"},"finish_reason":"stop"}]}"#;
    for content_type in ["application/json", "text/event-stream"] {
        let (_, events) = told(vec![Answer::status(200, content_type, body)]).await;
        assert_eq!((text(&events).as_str(), finish(&events).reason), ("whole", FinishReason::Stop));
    }
}

#[tokio::test]
async fn a_reply_without_an_end_is_incomplete() {
    let (_, events) = told(vec![Answer::stream(vec![Do::Write(delta("a"))])]).await;
    assert_eq!(finish(&events).reason, FinishReason::Incomplete);
}

#[tokio::test]
async fn a_server_that_never_closes_after_its_last_word_does_not_hold_the_turn() {
    let (_, events) =
        told(vec![Answer::stream(vec![Do::Write(delta("a")), Do::Write(done("stop")), Do::Hang])]).await;
    assert_eq!(finish(&events).reason, FinishReason::Stop);
}

/// Short time limits except for the first piece, which a server on a busy machine may send late.
fn short_once_begun() -> Timeouts {
    Timeouts { first_token: DEADLINE, ..short() }
}

#[tokio::test]
async fn silence_is_told_before_and_inside_of_a_reply() {
    let server = ModelServer::start(vec![Answer::stream(vec![Do::Hang])]);
    let events = ask(&provider_at(&server.url(), short())).await;
    assert_eq!(failure(&events).kind, FailureKind::TimedOut);
    assert!(failure(&events).message.starts_with("No reply from 127.0.0.1:"), "{events:?}");
    let server = ModelServer::start(vec![Answer::stream(vec![Do::Write(delta("a")), Do::Hang])]);
    let events = ask(&provider_at(&server.url(), short_once_begun())).await;
    assert_eq!((text(&events).as_str(), failure(&events).kind), ("a", FailureKind::TimedOut));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn signs_of_life_alone_do_not_hold_the_turn_for_ever() {
    let alive: Vec<Do> = (0..4_000)
        .flat_map(|_| [Do::Write(b": ping\n\n".to_vec()), Do::Pause(Duration::from_millis(20))])
        .collect();
    let server = ModelServer::start(vec![Answer::stream(alive)]);
    let begin = Instant::now();
    let events = ask(&provider_at(&server.url(), short())).await;
    assert_eq!(failure(&events).kind, FailureKind::TimedOut);
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    // The time is that of the whole wait, not of what was left of it after the last sign.
    let message = &failure(&events).message;
    let seconds = message.split(" within ").nth(1).and_then(|rest| rest.strip_suffix(" s.")?.parse().ok());
    let waited: f64 = seconds.expect("a time in seconds");
    assert!(waited >= short().first_token.as_secs_f64() - 0.05, "{message}");
}

#[tokio::test]
async fn an_error_that_drips_is_not_read_to_its_end() {
    let mut body = vec![Do::Write(b"{\"error\":{\"message\":\"no such thing".to_vec())];
    let drop = || [Do::Write(b".".to_vec()), Do::Pause(Duration::from_millis(20))];
    body.extend((0..4_000).flat_map(|_| drop()));
    let server =
        ModelServer::start(vec![Answer { status: 404, body, ..Answer::status(404, "text/plain", "") }]);
    let begin = Instant::now();
    let events = ask(&provider_at(&server.url(), short_once_begun())).await;
    assert_eq!(failure(&events).status, Some(404));
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}

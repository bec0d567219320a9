//! Tests what is sent, and that a request can be cancelled.

use super::model_server::{Answer, Do, ModelServer, delta};
use super::*;

#[tokio::test]
async fn a_request_is_a_streamed_chat_completion() {
    let server = ModelServer::start(vec![Answer::text("Hello there, this is a reply.")]);
    let events = ask(&provider(&server)).await;
    assert_eq!(text(&events), "Hello there, this is a reply.");
    assert!(events.contains(&ReplyEvent::Sent));
    let sent = &server.requests()[0];
    assert_eq!(sent.line, "POST /v1/chat/completions");
    assert_eq!(sent.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(sent.header("content-type"), Some("application/json"));
    assert_eq!(
        sent.json(),
        serde_json::json!({
            "model": "gpt-x",
            "messages": [{ "role": "system", "content": "be kind" }, { "role": "user", "content": "hello" }],
            "stream": true,
            "stream_options": { "include_usage": true },
        })
    );
}

#[tokio::test]
async fn the_connection_is_used_again() {
    let server = ModelServer::start(vec![Answer::text("a")]);
    let provider = provider(&server);
    for _ in 0..3 {
        assert_eq!(text(&ask(&provider).await), "a");
    }
    assert_eq!((server.requests().len(), server.connections()), (3, 1));
}

#[tokio::test]
async fn dropping_the_request_closes_the_connection() {
    for begun in [true, false] {
        let mut body = vec![Do::Hang];
        if begun {
            body.insert(0, Do::Write(delta("first words")));
        }
        let server = ModelServer::start(vec![Answer::stream(body)]);
        let (out, mut events) = mpsc::channel(8);
        let provider = provider(&server);
        let asking = tokio::spawn(async move { provider.ask(&request("hello"), &out).await });
        let expected = if begun { ReplyEvent::Delta("first words".into()) } else { ReplyEvent::Sent };
        while events.recv().await.expect("it begins") != expected {}
        asking.abort();
        tokio::task::spawn_blocking(move || server.wait_until_left()).await.expect("the server saw it");
    }
}

#[tokio::test]
async fn when_nobody_listens_the_connection_closes() {
    let server = ModelServer::start(vec![Answer::stream(vec![Do::Hang])]);
    let (out, mut events) = mpsc::channel(8);
    let provider = provider(&server);
    let asking = tokio::spawn(async move { provider.ask(&request("hello"), &out).await });
    assert_eq!(events.recv().await, Some(ReplyEvent::Sent));
    drop(events);
    tokio::time::timeout(DEADLINE, asking).await.expect("it ends").expect("without a panic");
    tokio::task::spawn_blocking(move || server.wait_until_left()).await.expect("the server saw it");
}

#[tokio::test]
async fn a_key_does_not_follow_to_another_origin() {
    let other = ModelServer::start(vec![Answer::text("caught")]);
    for status in [301, 302, 303, 307, 308] {
        let to = format!("{}/v1/chat/completions", other.url());
        let server =
            ModelServer::start(vec![Answer::status(status, "text/plain", "").header("location", &to)]);
        let events = ask(&provider(&server)).await;
        let told = &failure(&events).message;
        assert!(told.contains(&format!("sends on to {to} ({status})")), "{told}");
        assert_eq!(server.requests().len(), 1);
    }
    assert_eq!(other.requests().len(), 0);
}

#[tokio::test]
async fn a_redirect_to_another_path_of_the_same_origin_is_followed() {
    let moved = Answer::status(307, "text/plain", "").header("location", "/elsewhere");
    let server = ModelServer::start(vec![moved, Answer::text("here")]);
    assert_eq!(text(&ask(&provider(&server)).await), "here");
    let requests = server.requests();
    assert_eq!(requests[1].line, "POST /elsewhere");
    assert_eq!(requests[1].body, requests[0].body);
}

#[tokio::test]
async fn further_headers_are_sent_and_may_replace_the_key() {
    let server = ModelServer::start(vec![Answer::text("a")]);
    let name = ModelName { provider: "azure".into(), model: "m".into() };
    let headers =
        vec![("Api-Key".into(), "zzzz-secret".into()), ("Authorization".into(), "Basic abcd".into())];
    let key = Some(KEY.into());
    let provider = open(Server { key, headers, ..Server::new(Kind::Openai, name, server.url()) });
    assert!(!format!("{provider:?}").contains("zzzz"), "{provider:?}");
    ask(&provider).await;
    let sent = &server.requests()[0];
    assert_eq!(
        (sent.header("api-key"), sent.header("authorization")),
        (Some("zzzz-secret"), Some("Basic abcd"))
    );
}

#[test]
fn what_can_not_be_sent_is_refused_at_once() {
    let choice = |base_url: &str, key: &str, header: (&str, &str)| {
        let name = ModelName { provider: "p".into(), model: "m".into() };
        let (key, headers) = (Some(key.to_owned().into()), vec![(header.0.into(), header.1.into())]);
        ProviderSetup::Server(Server { key, headers, ..Server::new(Kind::Openai, name, base_url) })
    };
    for (base_url, key, header, told) in [
        ("localhost:1", "k", ("a", "b"), "the address `localhost:1` has no http:// or https:// in front"),
        ("http://h", "secret\nkey", ("a", "b"), "the key for p holds"),
        ("http://h", "k", ("a b", "secret"), "the header `a b` of p can't be sent"),
        ("http://h", "k", ("a", "secret\r\nx: y"), "the header `a` of p can't be sent"),
    ] {
        let error = Provider::new(choice(base_url, key, header)).expect_err("it is refused");
        assert!(error.to_string().starts_with(told), "{error}");
        assert!(!format!("{error} {error:?} {}", error.hint()).contains("secret"), "{error:?}");
    }
}

//! Tests models over real connections: what is sent, what arrives, what is retried and what is not.
// Helpers of tests fail like tests.
#![allow(clippy::expect_used, clippy::panic)]

#[path = "../support/aimock.rs"]
mod mock;
#[path = "../support/model_server.rs"]
mod model_server;

mod aimock;
mod failures;
mod kinds;
mod network;
mod replay;
mod requests;
mod tour;

use model_server::{DEADLINE, ModelServer};
use sayso::config::{FormatKind as Kind, Timeouts};
use sayso::domain::{
    Finish, Message, ModelName, ModelRequest, Purpose, ReplyEvent, ReplyFailure, Role, StepId,
};
use sayso::provider::{Provider, ProviderSetup, Server};
use std::time::Duration;
use tokio::sync::mpsc;

const KEY: &str = "sk-test-0123456789abcdef";

fn provider_at(base_url: &str, timeouts: Timeouts) -> Provider {
    let name = ModelName { provider: "openai".into(), model: "gpt-x".into() };
    open(Server { key: Some(KEY.into()), timeouts, ..Server::new(Kind::Openai, name, base_url) })
}

fn open(server: Server) -> Provider {
    Provider::new(ProviderSetup::Server(server)).expect("the settings are good")
}

fn provider(server: &ModelServer) -> Provider {
    provider_at(&server.url(), Timeouts::default())
}

fn request(text: &str) -> ModelRequest {
    let messages = vec![Message::new(Role::System, "be kind"), Message::new(Role::User, text)];
    ModelRequest::new(StepId(1), Purpose::Answer, messages)
}

/// All events of one request.
async fn ask(provider: &Provider) -> Vec<ReplyEvent> {
    ask_for(provider, &request("hello")).await
}

/// All events of this request.
async fn ask_for(provider: &Provider, request: &ModelRequest) -> Vec<ReplyEvent> {
    let (out, mut events) = mpsc::channel(64);
    let (provider, request) = (provider.clone(), request.clone());
    let asking = tokio::spawn(async move { provider.ask(&request, &out).await });
    let mut all = Vec::new();
    let deadline = tokio::time::Instant::now() + DEADLINE;
    while let Some(event) = tokio::time::timeout_at(deadline, events.recv()).await.expect("the reply ends") {
        all.push(event);
    }
    asking.await.expect("asking does not panic");
    let last = |e: &&ReplyEvent| matches!(e, ReplyEvent::Finished(_) | ReplyEvent::Failed(_));
    assert_eq!(all.iter().filter(last).count(), 1, "one end: {all:?}");
    assert!(all.last().as_ref().is_some_and(last), "the end is last: {all:?}");
    assert!(!format!("{all:?}").contains(&KEY[8..]), "no key in any event: {all:?}");
    all
}

fn text(events: &[ReplyEvent]) -> String {
    events.iter().filter_map(|e| if let ReplyEvent::Delta(t) = e { Some(t.as_str()) } else { None }).collect()
}

fn failure(events: &[ReplyEvent]) -> &ReplyFailure {
    match events.last() {
        Some(ReplyEvent::Failed(failure)) => failure,
        other => panic!("no failure: {other:?}"),
    }
}

fn finish(events: &[ReplyEvent]) -> &Finish {
    match events.last() {
        Some(ReplyEvent::Finished(finish)) => finish,
        other => panic!("not finished: {other:?}"),
    }
}

/// The announced waits, in milliseconds.
fn waits(events: &[ReplyEvent]) -> Vec<u64> {
    events
        .iter()
        .filter_map(|e| if let ReplyEvent::Retrying { wait_ms, .. } = e { Some(*wait_ms) } else { None })
        .collect()
}

/// Which of the requests had this field.
fn sent(server: &ModelServer, field: &str) -> Vec<bool> {
    server.requests().iter().map(|request| request.json().get(field).is_some()).collect()
}

fn short() -> Timeouts {
    Timeouts {
        connect: Duration::from_millis(300),
        first_token: Duration::from_millis(400),
        silence: Duration::from_millis(200),
    }
}

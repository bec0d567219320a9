//! Tests playing a story: pace, pieces, failures, cancelling.

use super::*;
use crate::domain::{Message, Purpose, ReplyFailure, Role, StepId};
use proptest::prelude::*;
use tokio::sync::mpsc;

fn player(story: &str) -> ScriptedProvider {
    let name = ModelName { provider: "demo".into(), model: "test".into() };
    ScriptedProvider::new(name, Script::parse(story, "test").unwrap())
}

async fn play(player: &ScriptedProvider, prompt: &str) -> Vec<ReplyEvent> {
    let message = Message::new(Role::User, prompt);
    let request = ModelRequest::new(StepId(1), Purpose::Answer, vec![message]);
    let (out, mut events) = mpsc::channel(16);
    let mut all = Vec::new();
    let playing = async move {
        player.play(&request, &out).await;
    };
    let reading = async {
        while let Some(event) = events.recv().await {
            all.push(event);
        }
    };
    tokio::join!(playing, reading);
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

#[tokio::test]
async fn a_reply_comes_in_small_pieces_and_ends() {
    let events =
        play(&player("[[reply]]\ntext='''\nOne two three, vier fünf 六七。'''\nrepeat=40\n"), "x").await;
    assert_eq!(text(&events), "One two three, vier fünf 六七。".repeat(40));
    assert!(events.len() > 20);
    assert!(matches!(events.last(), Some(ReplyEvent::Finished(f)) if f.reason == FinishReason::Stop));
}

#[tokio::test]
async fn the_tempo_is_kept() {
    let words = "word ".repeat(100);
    let mut most = 0;
    // A player that the system held up sends everything due at once; then the test plays again.
    for _ in 0..20 {
        let begin = Instant::now();
        let events = play(&player(&format!("pace=500\n[[reply]]\ntext='{words}'\n")), "x").await;
        let time = begin.elapsed();
        assert!(time >= Duration::from_millis(190), "100 tokens at 500 a second took {time:?}");
        assert_eq!(text(&events), words);
        most = most.max(events.len());
        if most > 10 {
            break;
        }
    }
    assert!(most > 10, "in pieces: {most}");
}

#[tokio::test]
async fn a_pause_and_a_cut_stand_where_they_are_told() {
    let story = player("[[reply]]\ntext='äbcdef'\nstall_ms=50\nstall_after=3\ncut_after=5\n");
    let begin = Instant::now();
    let events = play(&story, "x").await;
    assert!(begin.elapsed() >= Duration::from_millis(50));
    assert_eq!(text(&events), "äbcd");
    assert_eq!(failure(&events).kind, FailureKind::Cut);
}

#[tokio::test]
async fn too_many_requests_count_down_and_go_on() {
    let story = player("[[reply]]\nerror={status=429,retry_after=0.05,times=2}\ntext='now'\n");
    let begin = Instant::now();
    let events = play(&story, "x").await;
    let waits: Vec<_> = events
        .iter()
        .filter_map(|e| match e {
            ReplyEvent::Retrying { attempt, of, wait_ms, failure } => {
                Some((*attempt, *of, *wait_ms, failure.message.as_str()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(waits, [(1, 5, 50, "Rate limit."), (2, 5, 50, "Rate limit.")]);
    assert_eq!(text(&events), "now");
    assert!(begin.elapsed() >= Duration::from_millis(100));
}

#[tokio::test]
async fn failures_have_the_words_of_the_interface() {
    for (story, kind, message) in [
        ("offline", FailureKind::NameNotFound, "Cannot reach api.example.com: name not found."),
        ("401", FailureKind::Refused, "The key for openai was refused (401). Not sent again."),
        ("overflow", FailureKind::Overflow, "This chat needs 34,100 of 32,768 tokens. Nothing was sent."),
    ] {
        let player = player(Script::shipped(story).unwrap());
        let events = play(&player, "x").await;
        assert_eq!((failure(&events).kind, failure(&events).message.as_str()), (kind, message));
        assert_eq!(events.len(), 1);
        assert!(
            matches!(play(&player, "x").await.last(), Some(ReplyEvent::Finished(_))),
            "asked again it answers"
        );
    }
}

#[tokio::test]
async fn calls_of_tools_and_counts_come_behind_the_text() {
    let story = "[[reply]]\ntext='t'\nreasoning='r'\ntool_calls=[{name='f',arguments={a=1}}]\nusage={input=5,output=6}\n";
    let events = play(&player(story), "x").await;
    let call =
        ToolCall { id: "call_1".into(), name: "f".into(), arguments: "{\"a\":1}".into(), signature: None };
    let usage = crate::domain::Usage { input: Some(5), output: Some(6), ..Default::default() };
    assert_eq!(
        events,
        [
            ReplyEvent::Sent,
            ReplyEvent::Reasoning("r".into()),
            ReplyEvent::Delta("t".into()),
            ReplyEvent::ToolCall(call),
            ReplyEvent::Usage(usage),
            ReplyEvent::Finished(Finish { reason: FinishReason::ToolCalls, word: Some("tool_calls".into()) }),
        ]
    );
}

#[tokio::test]
async fn a_story_that_is_over_says_so() {
    let player = player("[[reply]]\ntext='a'\n");
    play(&player, "x").await;
    assert_eq!(failure(&play(&player, "x").await).kind, FailureKind::NoReply);
}

proptest! {
    #[test]
    fn tokens_are_never_empty_and_make_up_the_text(text in "[a-zäß漢😀 .,\n(]{0,60}") {
        let (mut rest, mut count) = (text.as_str(), 0);
        while !rest.is_empty() {
            let length = token(rest);
            prop_assert!(length > 0 && rest.is_char_boundary(length));
            rest = &rest[length..];
            count += 1;
        }
        prop_assert!(count <= text.chars().count());
    }
}

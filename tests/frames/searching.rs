//! The list of sessions also finds what was said and done in them: beneath the names, each with its place and its line.

use super::scene::Scene;
use super::{drawn, snapshots};
use sayso::domain::{BlockId, Timestamp};
use sayso::driver::{
    FilterError, Job, JobResult, Notification, PlaceKind, SessionHit, SessionPlace, SessionsFound, Summary,
};
use sayso::tui::ui_command::{Exit, UiCommand};
use std::path::PathBuf;

fn session(name: &str, cwd: &str) -> Summary {
    Summary {
        id: format!("id-{name}"),
        name: name.into(),
        path: format!("/sessions/{name}.jsonl").into(),
        cwd: cwd.into(),
        messages: 9,
        blocks: 3,
        ..Summary::default()
    }
}

const HERE: &str = "/home/ada/data/sales";

fn hit(name: &str, kind: PlaceKind, block: Option<u32>, line: &str) -> SessionHit {
    let place = SessionPlace { kind, block: block.map(BlockId), message: 4 };
    SessionHit { session: session(name, HERE), place, at: Timestamp(0), line: line.into() }
}

fn told(scene: &mut Scene, found: JobResult) {
    scene.step(|screen, ctx| screen.told(Notification::Job(found), ctx));
    scene.frame();
}

/// The list with three sessions, in which `words` is typed; the jobs that were asked for with the last letter.
fn typed(words: &str) -> (Scene, Vec<UiCommand>) {
    let mut scene = Scene::worked();
    scene.type_text("/resume");
    scene.press(&["enter"]);
    let all = ["sales-q3", "merge-costs", "notes"].map(|name| session(name, HERE));
    told(&mut scene, JobResult::Sessions(all.to_vec()));
    let letters: Vec<String> = words.chars().map(String::from).collect();
    let asked = letters.iter().map(|letter| scene.press(&[letter])).last().unwrap_or_default();
    (scene, asked)
}

fn found(text: &str, hits: Vec<SessionHit>) -> JobResult {
    JobResult::SessionHits(text.into(), Ok(SessionsFound { hits, ..SessionsFound::default() }))
}

fn hits() -> Vec<SessionHit> {
    vec![
        hit("sales-q3", PlaceKind::Block, Some(3), "df = pd.merge(left, right, on='region')"),
        hit(
            "sales-q3",
            PlaceKind::Output,
            Some(3),
            "merge: 18,240 rows \u{1b}[2J\u{202e}of 18,260, which is fewer than the table on the left had before it was joined",
        ),
        hit("notes", PlaceKind::Prompt, None, "why does the merge lose rows?"),
    ]
}

#[test]
fn what_is_in_sessions_stands_beneath_their_names() {
    snapshots("10_sessions_found", || {
        let (mut scene, _) = typed("merge");
        told(&mut scene, found("merge", hits()));
        scene.press(&["down", "down"]);
        scene
    });
}

#[test]
fn each_letter_asks_and_only_the_answer_to_what_stands_there_is_shown() {
    let (mut scene, asked) = typed("merge");
    let search = asked.iter().rev().find_map(|wish| match wish {
        UiCommand::Job(Job::SearchSessions(text, folder)) => Some((text.clone(), folder.clone())),
        _ => None,
    });
    assert_eq!(search, Some(("merge".into(), Some(PathBuf::from(HERE)))), "{asked:?}");
    told(&mut scene, found("merg", hits()));
    assert!(!drawn(&mut scene, 100, 30).contains("pd.merge"), "an answer to something else");
    told(&mut scene, found("merge", hits()));
    assert!(drawn(&mut scene, 100, 30).contains("pd.merge"));
    scene.type_text("d");
    assert!(!drawn(&mut scene, 100, 30).contains("pd.merge"));
    assert!(drawn(&mut scene, 100, 30).contains("Looking into the sessions."));
    told(&mut scene, found("merged", Vec::new()));
    assert!(drawn(&mut scene, 100, 30).contains("No session matches."));
}

#[test]
fn enter_opens_the_session_at_the_place() {
    let (mut scene, _) = typed("merge");
    told(&mut scene, found("merge", hits()));
    let wishes = scene.press(&["down", "down", "enter"]);
    let Some(UiCommand::Leave(Exit::OpenSession(path, Some(place)))) = wishes.last() else {
        panic!("{wishes:?}")
    };
    assert_eq!(path, &PathBuf::from("/sessions/sales-q3.jsonl"));
    assert_eq!((place.kind, place.block), (PlaceKind::Output, Some(BlockId(3))));
    // The name alone opens it at its end.
    let (mut scene, _) = typed("merge");
    told(&mut scene, found("merge", hits()));
    let wishes = scene.press(&["enter"]);
    assert!(matches!(wishes.last(), Some(UiCommand::Leave(Exit::OpenSession(_, None)))), "{wishes:?}");
}

#[test]
fn a_search_that_is_typed_opens_the_list_over_all_folders_and_a_filter_that_means_nothing_is_told() {
    let mut scene = Scene::worked();
    let text = "merge language:python";
    scene.type_text(&format!("/search {text}"));
    let asked = scene.press(&["enter"]);
    let search = asked.iter().find_map(|wish| match wish {
        UiCommand::Job(Job::SearchSessions(text, folder)) => Some((text.clone(), folder.clone())),
        _ => None,
    });
    assert_eq!(search, Some((text.into(), None)), "{asked:?}");
    let all = ["sales-q3", "merge-costs"].map(|name| session(name, "/elsewhere"));
    told(&mut scene, JobResult::Sessions(all.to_vec()));
    told(&mut scene, found(text, hits()));
    let seen = drawn(&mut scene, 100, 30);
    assert!(
        seen.contains("pd.merge") && seen.contains("merge-costs"),
        "names are found by the words alone: {seen}"
    );
    let wrong = FilterError::Moment("soon".into());
    scene.type_text(" since:soon");
    told(&mut scene, JobResult::SessionHits(format!("{text} since:soon"), Err(wrong)));
    let seen = drawn(&mut scene, 100, 30);
    assert!(seen.contains("\"soon\" is no date and no age") && !seen.contains("pd.merge"), "{seen}");
}

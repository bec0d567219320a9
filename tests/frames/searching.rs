//! The list of sessions also finds what was said and done in them: below the names, each match with its place
//! and line.

use super::scene::Scene;
use super::{assert_screen, assert_shown, assert_text, drawn, snapshots};
use sayso::domain::{BlockId, BranchPoint, Notice, Timestamp};
use sayso::driver::{
    FilterError, Job, JobResult, LocationKind, Notification, SessionHit, SessionLocation, SessionsFound,
    Summary,
};
use sayso::tui::setup::FoundLocation;
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

fn hit(name: &str, kind: LocationKind, block: Option<u32>, line: &str) -> SessionHit {
    let place = SessionLocation { kind, block: block.map(BlockId), message: 4 };
    SessionHit { session: session(name, HERE), place, at: Timestamp(0), line: line.into(), also: 0 }
}

pub(super) fn told(scene: &mut Scene, found: JobResult) {
    scene.job_ended(found);
    scene.frame();
}

/// The list with three sessions, after typing `words`; with the jobs requested by the last letter.
fn typed(words: &str) -> (Scene, Vec<UiCommand>) {
    let mut scene = Scene::worked();
    scene.enter("/resume");
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
        hit("sales-q3", LocationKind::Block, Some(3), "df = pd.merge(left, right, on='region')"),
        hit(
            "sales-q3",
            LocationKind::Output,
            Some(3),
            "merge: 18,240 rows \u{1b}[2J\u{202e}of 18,260, which is fewer than the table on the left had before it was joined",
        ),
        hit("notes", LocationKind::Prompt, None, "why does the merge lose rows?"),
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
    assert_screen(&mut scene, 100, 30, &["Looking into the sessions."], &["pd.merge"]);
    told(&mut scene, found("merged", Vec::new()));
    assert!(drawn(&mut scene, 100, 30).contains("No session matches."));
}

#[test]
fn enter_opens_the_session_at_the_place() {
    let (mut scene, _) = typed("merge");
    told(&mut scene, found("merge", hits()));
    let commands = scene.press(&["down", "down", "enter"]);
    let Some(UiCommand::Leave(Exit::OpenSession(path, Some(opened)))) = commands.last() else {
        panic!("{commands:?}")
    };
    assert_eq!(path, &PathBuf::from("/sessions/sales-q3.jsonl"));
    assert_eq!((opened.place.kind, opened.place.block), (LocationKind::Output, Some(BlockId(3))));
    assert_eq!(opened.words, "merge");
    // The name alone opens the session at its end.
    let (mut scene, _) = typed("merge");
    told(&mut scene, found("merge", hits()));
    let commands = scene.press(&["enter"]);
    assert!(matches!(commands.last(), Some(UiCommand::Leave(Exit::OpenSession(_, None)))), "{commands:?}");
}

#[test]
fn a_search_that_is_typed_opens_the_list_over_all_folders_and_a_filter_that_means_nothing_is_told() {
    let mut scene = Scene::worked();
    let text = "merge language:python";
    let asked = scene.enter(&format!("/search {text}"));
    let search = asked.iter().find_map(|wish| match wish {
        UiCommand::Job(Job::SearchSessions(text, folder)) => Some((text.clone(), folder.clone())),
        _ => None,
    });
    assert_eq!(search, Some((text.into(), None)), "{asked:?}");
    let all = ["sales-q3", "merge-costs"].map(|name| session(name, "/elsewhere"));
    told(&mut scene, JobResult::Sessions(all.to_vec()));
    told(&mut scene, found(text, hits()));
    // Names are found by the words alone.
    assert_screen(&mut scene, 100, 30, &["pd.merge", "merge-costs"], &[]);
    let wrong = FilterError::Moment("soon".into());
    scene.type_text(" since:soon");
    told(&mut scene, JobResult::SessionHits(format!("{text} since:soon"), Err(wrong)));
    assert_screen(&mut scene, 100, 30, &["\"soon\" is no date and no age"], &["pd.merge"]);
}

fn shown_at(scene: &mut Scene, kind: LocationKind, block: Option<u32>, message: u64) -> String {
    let place = SessionLocation { kind, block: block.map(BlockId), message };
    let found = FoundLocation { place, words: "needleword".into() };
    scene.step(|screen, ctx| screen.show_place(&found, ctx));
    drawn(scene, 100, 30)
}

#[test]
fn a_place_is_opened_at_the_line_that_was_found_which_is_marked() {
    let lines = |what: &str, line: usize| -> String {
        (1..=300).map(|n| format!("{what} {n}{}\n\n", if n == line { " NEEDLEWORD" } else { "" })).collect()
    };
    let mut scene = Scene::new();
    scene.ask("Count.");
    let code = lines("# row", 200).replace("\n\n", "\n");
    scene.reply(&format!("{}```python\n{code}```\n", lines("Paragraph", 60)));
    scene.ran(1, 10, &lines("line", 120));
    scene.reply("Done.");
    let seen = shown_at(&mut scene, LocationKind::Reply, None, 2);
    assert!(seen.contains("Paragraph 60 NEEDLEWORD"), "{seen}");
    let seen = shown_at(&mut scene, LocationKind::Block, Some(1), 2);
    assert!(seen.contains("# row 200 NEEDLEWORD"), "{seen}");
    let seen = shown_at(&mut scene, LocationKind::Output, Some(1), 2);
    assert!(seen.contains("line 120 NEEDLEWORD"), "{seen}");
    assert!(scene.screen.panes.has_marked_pattern(), "it is marked");
}

#[test]
fn a_place_or_words_that_are_not_there_are_told() {
    let mut scene = Scene::answered("Count the needlewords.", "```python\nprint(1)\n```\n");
    scene.ran(1, 10, "1 NEEDLEWORD\n");
    scene.reply("Done.");
    let seen = shown_at(&mut scene, LocationKind::Output, Some(1), 0);
    assert!(!seen.contains("Not found"), "{seen}");
    for (kind, block, message, told) in [
        (LocationKind::Output, Some(9), 0, "There is no block 9 in this session."),
        (LocationKind::Prompt, None, 9, "There is no message 9 in this session."),
        (LocationKind::Block, Some(1), 0, "Not found in block 1: needleword"),
        (LocationKind::Reply, None, 3, "Not found in message 3, a reply: needleword"),
    ] {
        let seen = shown_at(&mut scene, kind, block, message);
        assert!(seen.contains(told), "{told}: {seen}");
        // A notice of the opening session does not replace it.
        let notice = Notification::Notice(Notice::info("Variables are not kept."));
        scene.step(|screen, ctx| screen.notified(notice, ctx));
        assert_shown(&mut scene, 100, 30, &format!("{told} Variables are not kept."));
    }
}

#[test]
fn a_place_in_code_that_waits_moves_no_focus_to_where_letters_decide() {
    crate::scene::acted((80, 24), || {
        let mut scene = Scene::answered("Count.", "```python\nNEEDLEWORD = 1\n```\n");
        let place = SessionLocation { kind: LocationKind::Block, block: Some(BlockId(1)), message: 2 };
        let found = FoundLocation { place, words: "needleword".into() };
        scene.frame();
        scene.step(|screen, ctx| screen.show_place(&found, ctx));
        let seen = drawn(&mut scene, 80, 24);
        assert_eq!(scene.screen.panes.focus, sayso::tui::widgets::layout::Pane::Message, "{seen}");
        assert!(seen.contains("Found in the code of block 1: Tab to Code."), "{seen}");
    });
}

/// The session that a command deletes.
fn deleted(commands: &[UiCommand]) -> Option<&PathBuf> {
    commands.iter().find_map(|wish| match wish {
        UiCommand::Job(Job::Delete(path)) => Some(path),
        _ => None,
    })
}

#[test]
fn the_mark_stays_on_the_session_whatever_comes_and_goes() {
    let (mut scene, _) = typed("e");
    scene.press(&["down"]);
    let chosen = |scene: &mut Scene| {
        let seen = drawn(scene, 100, 30);
        seen.split("preview: ").nth(1).and_then(|rest| rest.split_whitespace().next()).map(str::to_owned)
    };
    let meant = chosen(&mut scene).expect("a session");
    // A new name is started and given up: the filter typed before still applies.
    scene.press(&["ctrl-r", "esc"]);
    assert_eq!(chosen(&mut scene).as_ref(), Some(&meant));
    assert!(drawn(&mut scene, 100, 30).contains("> e"), "the filter stays");
    told(&mut scene, found("e", hits()));
    scene.press(&["esc"]);
    assert_eq!(chosen(&mut scene).as_ref(), Some(&meant), "the filter goes, the mark stays");
    let others = ["new-one", "sales-q3", "merge-costs", "notes"].map(|name| session(name, HERE));
    told(&mut scene, JobResult::Sessions(others.to_vec()));
    assert_eq!(chosen(&mut scene).as_ref(), Some(&meant), "one came before it");
    scene.press(&["del"]);
    assert!(drawn(&mut scene, 100, 30).contains(&format!("{meant}: 9 messages, 3 blocks.")));
}

#[test]
fn the_row_does_not_say_that_a_search_goes_on_once_it_is_over() {
    let (mut scene, _) = typed("zzz");
    scene.press(&["enter"]);
    told(&mut scene, found("zzz", Vec::new()));
    let seen = drawn(&mut scene, 100, 30);
    assert!(!seen.contains("Looking into the sessions."), "{seen}");
    assert_eq!(seen.matches("No session matches.").count(), 2, "in the list, and in the row\n{seen}");
}

#[test]
fn enter_leaves_for_no_new_session_where_words_found_none() {
    let (mut scene, _) = typed("zzz");
    let left = |commands: &[UiCommand]| commands.iter().any(|wish| matches!(wish, UiCommand::Leave(_)));
    assert!(!left(&scene.press(&["enter"])), "before anything was found");
    assert!(drawn(&mut scene, 140, 40).matches("Looking into the sessions.").count() > 1, "Enter says so");
    let wrong = FilterError::Moment("soon".into());
    told(&mut scene, JobResult::SessionHits("zzz".into(), Err(wrong)));
    assert!(!left(&scene.press(&["enter"])));
    assert!(drawn(&mut scene, 140, 40).matches("\"soon\" is no date and no age").count() > 1);
    told(&mut scene, found("zzz", Vec::new()));
    assert!(!left(&scene.press(&["enter"])));
    assert_screen(&mut scene, 100, 30, &["No session matches. Esc clears.", "Esc clear"], &[]);
    // An entry chosen by the cursor is the one meant.
    scene.press(&["esc"]);
    assert!(drawn(&mut scene, 100, 30).contains("Esc back"));
    scene.press(&["up"]);
    assert!(left(&scene.press(&["enter"])), "{}", drawn(&mut scene, 100, 30));
}

#[test]
fn del_tells_what_it_frees_and_takes_one_letter_more() {
    let (mut scene, _) = typed("notes");
    let path = PathBuf::from("/sessions/notes.jsonl");
    told(&mut scene, JobResult::Preview(path.clone(), vec!["you    hello".into()], 63 << 20));
    assert_eq!(deleted(&scene.press(&["del"])), None);
    assert_screen(&mut scene, 100, 30, &["notes: 9 messages, 3 blocks.", "This frees 66 MB."], &[]);
    assert_eq!(deleted(&scene.press(&["enter"])), None, "Enter keeps it");
    scene.press(&["del"]);
    assert_eq!(deleted(&scene.press_alone("d")), Some(&path));
}

#[test]
fn a_session_that_is_open_is_told_and_not_deleted() {
    let mut scene = Scene::worked();
    let own = scene.state().transcript().header.as_ref().map(|header| header.id.0.clone());
    scene.enter("/resume");
    let here = Summary { id: own.expect("it has one"), blocks: 1, ..session("this-one", HERE) };
    let elsewhere = Summary { locked: Some(77), ..session("other-one", HERE) };
    let branch = Summary { branch_of: Some("id-other-one".into()), ..session("third", HERE) };
    told(&mut scene, JobResult::Sessions(vec![here, elsewhere, branch]));
    let seen = drawn(&mut scene, 100, 30);
    assert!(seen.contains("1 block  ") && seen.contains("open here"), "{seen}");
    assert_text(&seen, &["└ third", "filters: folder: since: until: language: outcome: model:"], &[]);
    assert_eq!(deleted(&scene.press(&["del"])), None);
    assert!(drawn(&mut scene, 100, 30).contains("This session is open here."));
    scene.press(&["down", "del"]);
    assert!(drawn(&mut scene, 100, 30).contains("other-one is open in another sayso (process 77)."));
}

#[test]
fn a_filter_alone_tells_places() {
    let (mut scene, _) = typed("outcome:failed");
    told(&mut scene, found("outcome:failed", hits()));
    assert_screen(&mut scene, 100, 30, &["pd.merge"], &["merge-costs"]);
}

#[test]
fn status_tells_where_a_branch_is_from_and_what_is_assumed_of_a_context_that_is_not_known() {
    let mut scene = Scene::branch("0198-one");
    scene.enter("/status");
    let seen = drawn(&mut scene, 140, 40);
    assert!(seen.contains("Branch        of session 0198-one, which stays as it is"), "{seen}");
    assert_text(&seen, &["131,072", "are assumed, a longer chat is told shorter"], &[]);
}

fn branched(commands: &[UiCommand]) -> BranchPoint {
    match commands.last() {
        Some(UiCommand::Leave(Exit::Branch(point))) => *point,
        _ => panic!("{commands:?}"),
    }
}

#[test]
fn a_branch_begins_at_a_message_that_is_chosen_by_its_words() {
    let mut scene = Scene::worked();
    scene.ask("And the costs?");
    scene.reply("They rise.");
    scene.enter("/fork");
    let points = ["message 1    Load sales.csv", "message 2    And the costs?", "block 1      ls -la"];
    assert_screen(&mut scene, 100, 30, &points, &[]);
    assert_shown(&mut scene, 100, 30, "Behind all that is there.");
    scene.press(&["up"]);
    assert!(drawn(&mut scene, 100, 30).contains("Before this message, which stands in Message then."));
    assert_eq!(branched(&scene.press(&["enter"])), BranchPoint::Prompt(2));
    // By some of its words.
    scene.enter("/fork");
    assert_eq!(branched(&scene.enter("revenue")), BranchPoint::Prompt(1));
    // Without another choice, it continues from here.
    scene.type_text("/fork");
    assert_eq!(branched(&scene.press(&["enter", "enter"])), BranchPoint::End);
}

#[test]
fn the_key_for_a_branch_works_in_the_conversation_too() {
    let mut scene = Scene::worked();
    scene.screen.panes.focus = sayso::tui::widgets::layout::Pane::Chat;
    scene.frame();
    scene.settle();
    assert!(scene.press(&["B"]).is_empty());
    assert_screen(&mut scene, 100, 30, &["Go on in a branch", "Before this block, which waits again."], &[]);
    assert!(matches!(branched(&scene.press(&["enter"])), BranchPoint::Block(_)), "the marked one");
    assert!(scene.screen.panes.composer.is_empty(), "nothing was typed");
}

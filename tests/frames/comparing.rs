//! Trees of branches in the list of sessions, and two sessions side by side.

use super::scene::{Scene, report};
use super::searching::told;
use super::{assert_screen, assert_shown, assert_text, drawn, snapshots, snapshots_after};
use sayso::domain::*;
use sayso::driver::{Job, JobResult, SessionComparison, Summary};
use sayso::engine::{ComparedSession, Comparison};
use sayso::tui::ui_command::UiCommand;
use std::path::PathBuf;
use std::sync::Arc;

const HERE: &str = "/home/ada/data/sales";

fn session(id: &str, name: &str, of: Option<(&str, BranchPlace)>) -> Summary {
    Summary {
        id: id.into(),
        name: name.into(),
        path: format!("/sessions/{id}.jsonl").into(),
        cwd: HERE.into(),
        branch_of: of.map(|(of, _)| of.into()),
        branch_at: of.map(|(_, at)| at),
        messages: 9,
        blocks: 3,
        ..Summary::default()
    }
}

/// Newest first; `01` is the open session.
fn family() -> Vec<Summary> {
    let block = |number| BranchPlace::Block(BlockId(number));
    let all = [
        session("04", "median", Some(("02", block(3)))),
        session("09", "notes", None),
        session("02", "sales-q3-2", Some(("01", BranchPlace::Message(2)))),
        session("03", "by week \u{202e}", Some(("01", block(12)))),
        session("08", "orphan", Some(("gone", BranchPlace::Message(1)))),
        session("01", "sales-q3", None),
    ];
    let newest = |(behind, one): (i64, Summary)| Summary { modified: Timestamp(9_000_000 - behind), ..one };
    (0..).zip(all).map(newest).collect()
}

fn listed() -> Scene {
    let mut scene = Scene::worked();
    scene.enter("/resume");
    told(&mut scene, JobResult::Sessions(family()));
    scene
}

fn compared(commands: &[UiCommand]) -> Option<&PathBuf> {
    commands.iter().find_map(|wish| match wish {
        UiCommand::Job(Job::Compare(path)) => Some(path),
        _ => None,
    })
}

#[test]
fn branches_stand_below_what_they_left() {
    snapshots("10_sessions_tree", listed);
}

#[test]
fn nothing_is_chosen_before_the_sessions_are_listed() {
    let mut scene = Scene::worked();
    scene.enter("/resume");
    let commands = scene.press(&["enter"]);
    assert!(commands.is_empty(), "no session begins: {commands:?}");
    told(&mut scene, JobResult::Sessions(family()));
    assert_shown(&mut scene, 100, 30, "preview: median");
}

#[test]
fn the_newest_session_is_chosen_wherever_it_stands_and_a_filter_makes_one_list() {
    let mut scene = listed();
    let seen = drawn(&mut scene, 100, 30);
    assert!(seen.contains("preview: median") && seen.contains("│ └ median"), "{seen}");
    assert_text(&seen, &["at block 3", "origin gone", "A branch of sales-q3-2, from block 3 on."], &[]);
    scene.type_text("median");
    assert_screen(&mut scene, 100, 30, &[" of sales-q3-2"], &["└ median"]);
    scene.press(&["esc"]);
    // What was chosen stays.
    assert_screen(&mut scene, 100, 30, &["> ", "preview: median"], &[]);
}

#[test]
fn the_list_compares_what_is_chosen_with_what_is_open() {
    let mut scene = listed();
    assert_screen(&mut scene, 100, 30, &["Enter open", "Del delete"], &[]);
    assert_eq!(compared(&scene.press(&["ctrl-o"])), Some(&PathBuf::from("/sessions/04.jsonl")));
    told(&mut scene, compared_with("04"));
    assert!(drawn(&mut scene, 100, 30).contains("sales-q3 and sales-q3-2"));
    scene.press(&["esc", "up", "up"]);
    // This session is open, so it can neither be opened nor deleted.
    assert_screen(&mut scene, 100, 30, &["preview: sales-q3 ", "rename"], &["Enter open", "Del delete"]);
    assert_eq!(compared(&scene.press(&["ctrl-o"])), None);
    assert!(drawn(&mut scene, 140, 40).contains("This session is open here. Choose another one"));
}

fn file(id: &str) -> PathBuf {
    format!("/sessions/{id}.jsonl").into()
}

fn compared_with(id: &str) -> JobResult {
    JobResult::Compared(file(id), Ok(comparison()))
}

fn failed_with(id: &str) -> JobResult {
    JobResult::Compared(file(id), Err("Not compared: the other session is gone.".into()))
}

/// Both lists that can compare, and the key that does it in each.
fn lists() -> Vec<(Scene, &'static str)> {
    let mut of_the_tree = Scene::worked();
    of_the_tree.enter("/compare");
    told(&mut of_the_tree, JobResult::Sessions(family()));
    vec![(listed(), "ctrl-o"), (of_the_tree, "enter")]
}

#[test]
fn one_comparison_at_a_time_is_asked_for_and_its_view_opens_once() {
    for (mut scene, key) in lists() {
        assert_eq!(compared(&scene.press(&[key])), Some(&file("04")));
        assert!(drawn(&mut scene, 140, 40).contains("Comparing."), "{key}");
        assert_eq!(compared(&scene.press(&["down", key, key, "up", key])), None, "{key}");
        // The result of a job from another list is ignored.
        told(&mut scene, compared_with("02"));
        assert!(drawn(&mut scene, 140, 40).contains("Comparing."), "{key}");
        (0..3).for_each(|_| told(&mut scene, compared_with("04")));
        assert!(drawn(&mut scene, 140, 40).contains("the same up to"), "{key}");
        scene.press(&["esc"]);
        assert!(!drawn(&mut scene, 140, 40).contains("the same up to"), "{key}: one view lies on the other");
        assert_eq!(compared(&scene.press(&[key])), Some(&file("04")), "{key}");
        told(&mut scene, failed_with("04"));
        assert_eq!(compared(&scene.press(&[key])), Some(&file("04")), "{key}");
    }
}

#[test]
fn a_comparison_does_not_open_over_a_question_or_a_name_that_is_typed() {
    for (key, stays) in [("del", "Delete this session?"), ("ctrl-r", "new name:")] {
        let mut scene = listed();
        scene.press(&["ctrl-o", key]);
        told(&mut scene, compared_with("04"));
        let seen = drawn(&mut scene, 140, 40);
        assert!(seen.contains(stays) && !seen.contains("the same up to"), "{key}: {seen}");
        assert!(seen.contains("Not shown over what stands here. Ask for it once more."), "{key}: {seen}");
        scene.press(&["esc"]);
        assert_eq!(compared(&scene.press(&["ctrl-o"])), Some(&file("04")), "{key}");
    }
}

/// Two sessions with the same beginning; the right one has another question, and each has its own results.
fn comparison() -> Arc<SessionComparison> {
    let at = |entry| (Timestamp(0), entry);
    let block = |id: u32, source: &str| {
        Entry::Block(Block {
            id: BlockId(id),
            step: StepId(1),
            kind: BlockKind::Code { language: Some(Language::python()) },
            origin: Origin::fence("python", 0..1),
            versions: vec![Version {
                revision: Revision(1),
                source: Arc::from(source),
                language: Some(Language::python()),
                whole: true,
            }],
            placed: Vec::new(),
        })
    };
    let ran = |id: u32, output: &str| Entry::Ran {
        block: BlockId(id),
        run: RunId(id),
        report: Box::new(report(output, 10)),
    };
    let begin = [
        at(Entry::Prompt("Load sales.csv.".into())),
        at(block(1, "import pandas as pd\n")),
        at(ran(1, "ok\n")),
    ];
    let side = |prompt: &str, source: &str, output: &str| {
        let own = [at(Entry::Prompt(prompt.into())), at(block(2, source)), at(ran(2, output))];
        [&begin[..], &own[..]].concat()
    };
    let rows = |lines: &str| (0..60).map(|row| format!("row {row}: {lines}\n")).collect::<String>();
    let left = side(
        "The mean by region.",
        "result = df.groupby(\"region\")[\"revenue\"].mean().sort_values(ascending=False)\nprint(result)\n",
        &rows("18,240"),
    );
    let right = side(
        "The median by region.",
        "result = df.groupby(\"region\")[\"revenue\"].median().sort_values(ascending=False)\nprint(result)\n",
        &format!("\u{1b}[2J{}", rows("18,240").replace("row 7: 18,240", "row 7: 9")),
    );
    let of = |label, id, branch_of, entries| ComparedSession { label, id, branch_of, entries };
    let comparison =
        Comparison::of(of("sales-q3", "01", None, &left), of("sales-q3-2", "02", Some("01"), &right));
    let labels = ["sales-q3".to_owned(), "sales-q3-2".to_owned()];
    Arc::new(SessionComparison { labels, comparison, damage: Vec::new() })
}

fn beside() -> Scene {
    let mut scene = Scene::worked();
    scene.enter("/compare");
    told(&mut scene, JobResult::Sessions(family()));
    scene.press(&["enter"]);
    told(&mut scene, compared_with("04"));
    scene
}

#[test]
fn what_it_can_be_compared_with() {
    snapshots_after("21_compare", Scene::worked, |scene| {
        scene.enter("/compare");
        told(scene, JobResult::Sessions(family()));
    });
}

#[test]
fn two_sessions_side_by_side() {
    snapshots("21_compare_beside", beside);
}

#[test]
fn the_newest_other_of_the_tree_is_offered_and_this_one_is_not_compared_with_itself() {
    let mut scene = Scene::worked();
    let asked = scene.enter("/compare");
    assert!(asked.iter().any(|wish| matches!(wish, UiCommand::Job(Job::Sessions))), "{asked:?}");
    assert!(drawn(&mut scene, 100, 30).contains("Looking for sessions."));
    told(&mut scene, JobResult::Sessions(family()));
    let seen = drawn(&mut scene, 100, 30);
    assert!(!seen.contains("notes") && !seen.contains("orphan"), "they are of other trees: {seen}");
    assert_eq!(compared(&scene.press(&["enter"])), Some(&PathBuf::from("/sessions/04.jsonl")));
    // A failure is shown, and another session can be chosen.
    told(&mut scene, failed_with("04"));
    assert!(drawn(&mut scene, 140, 40).contains("Not compared: the other session is gone."));
    assert_eq!(compared(&scene.press(&["down", "enter"])), Some(&PathBuf::from("/sessions/03.jsonl")));
    told(&mut scene, failed_with("03"));
    scene.press(&["up", "up", "up"]);
    assert_eq!(compared(&scene.press(&["enter"])), None);
    assert!(drawn(&mut scene, 140, 40).contains("That is this session."));
}

#[test]
fn words_behind_the_command_are_typed_and_without_branches_all_others_are_offered() {
    let mut scene = Scene::worked();
    scene.enter("/compare notes");
    let all: Vec<Summary> = family().into_iter().filter(|one| one.branch_of.is_none()).collect();
    told(&mut scene, JobResult::Sessions(all));
    assert_screen(&mut scene, 100, 30, &["> notes", "It has no branches"], &[]);
    assert_eq!(compared(&scene.press(&["enter"])), Some(&PathBuf::from("/sessions/09.jsonl")));
}

#[test]
fn a_comparison_is_scrolled_its_differences_are_found_and_a_narrow_one_is_one_column() {
    let mut scene = beside();
    assert_screen(&mut scene, 140, 40, &["the same up to 1 message and 1 block", " ≠ "], &["\u{1b}"]);
    scene.press(&["G"]);
    assert_screen(&mut scene, 140, 40, &["(20 lines more)"], &["the same up to"]);
    scene.press(&["g"]);
    assert_screen(&mut scene, 140, 12, &["sales-q3"], &["row 7"]);
    scene.press(&["n", "n", "n", "n", "n", "n"]);
    assert_screen(&mut scene, 140, 12, &["row 7: 18,240", "row 7: 9"], &[]);
    scene.press(&["N", "N", "N", "N", "N", "N", "N"]);
    // The first one.
    assert_screen(&mut scene, 140, 12, &["The mean by region."], &["the same up to"]);
    scene.press(&["g"]);
    assert_screen(&mut scene, 50, 24, &["< sales-q3", "> sales-q3-2"], &["≠"]);
    scene.press(&["q"]);
    assert!(drawn(&mut scene, 100, 30).contains("Compare this session with"), "back in the list");
}

//! Undoing the changes of a run: what is shown before and after it, the list of changes, the question.

use super::scene::{CODE, Scene, USAGE, confined, inspection, report, sent};
use super::{SIZES, assert_text, drawn, snapshots};
use sayso::domain::*;
use sayso::driver::{Job, JobResult};
use sayso::engine::{Command, Inspection, Settings};
use sayso::tui::ui_command::UiCommand;
use sayso::tui::widgets::layout::Pane;

fn record() -> Sha256 {
    Sha256::of(b"record")
}

fn cover() -> UndoCover {
    UndoCover { large: 3, secret: 1, names: vec![".env".into()], ..UndoCover::default() }
}

/// The inspection of a block in the sandbox, with what would be remembered before it.
fn found(cover: UndoCover) -> Inspection {
    Inspection { undo: Some(cover), ..inspection(confined("python"), Vec::new()) }
}

fn change(number: u32, path: &str, change: &'static str, bytes: u64, standing: UndoState) -> UndoChange {
    UndoChange { number, path: path.into(), change, bytes, standing }
}

fn changes() -> Vec<UndoChange> {
    vec![
        change(0, ".env", "deleted", 61, UndoState::NoCopy),
        change(2, "out/charts/north \u{202e}and\nsouth.png", "deleted", 48_000, UndoState::Done),
        change(3, "out/revenue.png", "created", 52_000, UndoState::Done),
        change(4, "report.md", "changed", 912, UndoState::ChangedSince),
        change(5, "sales.csv", "changed", 18_400, UndoState::Done),
        change(6, "top3.csv", "created", 61, UndoState::TakenBack),
    ]
}

/// Block 3 ran and changed files; its output has the focus.
fn ran() -> Scene {
    ran_under(Settings::default())
}

fn ran_under(settings: Settings) -> Scene {
    let mut scene = Scene::with(settings);
    scene.first_step(USAGE);
    scene.pass(5_000);
    scene.reply(&format!("```python\n{CODE}```\n"));
    scene.inspected(3, found(cover()));
    let file = |path: &str, change: &str, bytes| FileChange::new(path, change, bytes);
    let undo = Some(UndoNote { cover: cover(), record: Some(record()), changes: 6 });
    let files = vec![file("out/revenue.png", "created", 52_000), file("sales.csv", "changed", 18_400)];
    let report = report("done\n", 1_200);
    scene.ran_with(3, RunReport { receipt: Receipt { files, undo, ..report.receipt.clone() }, ..report });
    scene.reply("Done.");
    scene.go_to(Pane::Output);
    scene
}

fn listed() -> Scene {
    listed_in(ran())
}

fn listed_in(mut scene: Scene) -> Scene {
    let commands = scene.press_alone("u");
    assert!(matches!(&commands[..], [UiCommand::Job(Job::Changes(of))] if *of == record()), "{commands:?}");
    scene.job_ended(JobResult::Changes(record(), Ok(changes())));
    scene
}

#[test]
fn the_approval_says_what_can_be_taken_back() {
    let at_code = |cover| {
        let mut scene = Scene::waiting_with(found(cover));
        scene.focus(Pane::Code);
        scene
    };
    for (cover, told) in [
        (UndoCover::default(), "Undo  all"),
        (UndoCover { large: 3, ..UndoCover::default() }, "Undo       without 3 large files"),
        (UndoCover::none("this session is not saved"), "Undo       none: this session is not saved"),
    ] {
        let text = drawn(&mut at_code(cover), 140, 40);
        assert!(text.contains(told), "{told}\n{text}");
    }
    snapshots("31_undo_told", || at_code(cover()));
}

#[test]
fn what_a_run_changed_is_listed_and_taken_back_after_a_question() {
    snapshots("31b_undo_receipt", ran);
    snapshots("31c_undo_list", listed);
    let asked = || {
        let mut scene = listed();
        assert!(scene.press_alone("t").is_empty(), "it is asked first");
        scene
    };
    snapshots("31d_undo_asked", asked);
    let mut scene = asked();
    let undo = Command::Undo { run: RunId(3), changes: vec![2, 3, 5], kind: UndoKind::Undo };
    assert_eq!(*sent(&scene.press_alone("t")), undo);
    assert!(scene.screen.overlays.is_empty());
}

/// Directions that no change supports are not offered.
#[test]
fn only_the_ways_that_there_are_stand_in_the_list() {
    for (standing, back, again) in [
        (UndoState::Done, true, false),
        (UndoState::TakenBack, false, true),
        (UndoState::NoCopy, false, false),
    ] {
        let mut scene = ran();
        scene.press_alone("u");
        let found = JobResult::Changes(record(), Ok(vec![change(1, "a.csv", "changed", 9, standing)]));
        scene.job_ended(found);
        let screen = drawn(&mut scene, 140, 40);
        let offers = |key: &str| screen.matches(key).count();
        // In the box, and in the last row of the screen.
        let times = |is_there: bool| if is_there { 2 } else { 0 };
        assert_eq!(
            (offers("t take back"), offers("m make again")),
            (times(back), times(again)),
            "{standing:?}\n{screen}"
        );
    }
}

#[test]
fn only_picked_ones_are_taken_and_a_safe_answer_takes_none() {
    let mut scene = listed();
    for key in ["down", "space", "down", "down", "down", "space"] {
        assert!(scene.press_alone(key).is_empty(), "{key}");
    }
    scene.press_alone("t");
    let undo = Command::Undo { run: RunId(3), changes: vec![3], kind: UndoKind::Undo };
    assert_eq!(*sent(&scene.press_alone("t")), undo);

    // An undone change is redone; one that can't be redone is not picked.
    let mut scene = listed();
    for key in ["space", "a", "m"] {
        assert!(scene.press_alone(key).is_empty(), "{key}");
    }
    let redo = Command::Undo { run: RunId(3), changes: vec![6], kind: UndoKind::Redo };
    assert_eq!(*sent(&scene.press_alone("m")), redo);

    for key in ["w", "esc", "enter"] {
        let mut scene = listed();
        scene.press_alone("t");
        assert!(scene.press_alone(key).is_empty(), "{key}");
    }
}

#[test]
fn enter_shows_a_change_and_a_typed_command_only_opens_the_list() {
    let mut scene = listed();
    scene.press_alone("down");
    let commands = scene.press_alone("enter");
    assert!(matches!(&commands[..], [UiCommand::Job(Job::ChangeTexts(_, 2, _))]), "{commands:?}");
    let text = "--- before the run\n+++ after the run\n@@ -1 +1 @@\n-a\n+b\n";
    scene.job_ended(JobResult::ChangeTexts("a.txt".into(), text.into()));
    assert!(drawn(&mut scene, 100, 30).contains("+++ after the run"));

    let mut scene = ran();
    scene.screen.panes.focus = Pane::Message;
    scene.type_text("/undo");
    let commands = scene.press_alone("enter");
    assert!(matches!(&commands[..], [UiCommand::Job(Job::Changes(_))]), "{commands:?}");
}

/// A list of changes would be closed at once: both the key and the command say that nothing is undone during a
/// run.
#[test]
fn under_a_run_no_list_is_opened_and_it_is_said_why() {
    let told = "A run goes on: what it did can be taken back once it has ended.";
    for by_key in [true, false] {
        let mut scene = ran();
        scene.ask("Again.");
        scene.proposed(4, "python", "work()");
        scene.running(4, "at it\n", 500);
        scene.frame();
        assert!(!drawn(&mut scene, 140, 40).contains(told));
        let commands = if by_key {
            scene.screen.panes.focus = Pane::Output;
            scene.press_alone("u")
        } else {
            scene.screen.panes.focus = Pane::Message;
            scene.type_text("/undo");
            scene.press_alone("enter")
        };
        assert!(commands.is_empty() && scene.screen.overlays.is_empty(), "{commands:?}");
        let text = drawn(&mut scene, 140, 40);
        assert!(text.contains(told) && !text.contains("The block has changed"), "by key {by_key}: {text}");
    }
}

/// In a read-only session changes are listed; undoing one is refused with a reason.
#[test]
fn what_is_only_read_is_listed_and_nothing_is_taken_back() {
    let mut scene = listed_in(ran_under(Settings { reads_only: true, ..Settings::default() }));
    for key in ["t", "m"] {
        assert!(scene.press_alone(key).is_empty(), "{key}");
        assert_text(
            &drawn(&mut scene, 140, 40),
            &["This session is open for reading only: nothing can be taken back here"],
            &["Take back 3 changes"],
        );
    }
}

/// What can't be known yet is not told.
#[test]
fn before_the_changes_are_known_nothing_is_said_about_them() {
    let mut scene = ran();
    scene.press_alone("u");
    for key in ["t", "m"] {
        assert!(scene.press_alone(key).is_empty(), "{key}");
        assert_eq!(scene.note_text(), "Looking at what changed.", "{key}");
    }
    let all = vec![change(1, "a.csv", "changed", 9, UndoState::TakenBack)];
    scene.job_ended(JobResult::Changes(record(), Ok(all)));
    assert!(scene.press_alone("t").is_empty());
    assert!(scene.note_text().starts_with("Nothing of this can be taken back now."), "{}", scene.note_text());
}

/// The name of a file is seen where its path does not fit, and all of the path where the window has room.
#[test]
fn files_of_a_deep_folder_are_told_apart() {
    let folder = "services/billing/src/main/java/com/example/billing/invoices/export";
    let names = ["InvoiceExporterFactory.java", "InvoiceExporterRegistry.java"];
    let all = || -> Vec<UndoChange> {
        let numbered = (0..).zip(names);
        numbered
            .map(|(at, name)| change(at, &format!("{folder}/{name}"), "changed", 900, UndoState::Done))
            .collect()
    };
    for (width, height) in SIZES {
        let mut scene = ran();
        scene.press_alone("u");
        scene.job_ended(JobResult::Changes(record(), Ok(all())));
        let text = drawn(&mut scene, width, height);
        for name in names {
            assert!(text.contains(&format!("/{name}")), "{name}: {text}");
            assert_eq!(text.contains(&format!("{folder}/{name}")), width >= 140, "{text}");
        }
    }
}

#[test]
fn a_record_that_is_not_kept_any_more_is_told() {
    let mut scene = ran();
    scene.press_alone("u");
    let found = JobResult::Changes(
        record(),
        Err("the list of its changes is not kept any more: newer ones took its room".into()),
    );
    scene.job_ended(found);
    assert!(drawn(&mut scene, 80, 24).contains("the list of its changes is not kept any more"));
}

#[test]
fn what_was_dropped_for_newer_copies_is_told_in_the_list() {
    let mut scene = ran();
    scene.press_alone("u");
    let all = vec![
        change(0, "old.csv", "changed", 61, UndoState::Dropped),
        change(1, "sales.csv", "changed", 18_400, UndoState::Done),
    ];
    scene.job_ended(JobResult::Changes(record(), Ok(all)));
    let text = drawn(&mut scene, 100, 30);
    for part in ["copy dropped", "Of 1 change no copy is kept any more", "newer ones took the room"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    scene.press_alone("space");
    scene.frame();
    assert!(drawn(&mut scene, 100, 30).contains("[x] ~ sales.csv"), "what is kept can be taken back still");
}

//! What the screen says about keys: each key once, and only where it works.

use super::scene::{Scene, engine_commands, failure, findings, inspection, report, terms};
use super::{SIZES, assert_screen, assert_shown, assert_text, drawn};
use sayso::domain::{Departure, FailureKind, Outcome, RunReport};
use sayso::engine::Command;
use sayso::tui::overlays::ask::Ask;
use sayso::tui::overlays::confirm::Confirm;
use sayso::tui::widgets::layout::Pane;

/// A small harmless block waits, all of it seen, with the focus on it.
fn at_block() -> Scene {
    let mut scene = super::behaviour::ready();
    scene.pass(2_000);
    scene
}

/// The last row, which names the keys.
fn keys(screen: &str) -> &str {
    screen.lines().rev().nth(1).expect("a last row")
}

/// The whole help, opened by its key, in a window large enough for it.
fn help(scene: &mut Scene) -> String {
    scene.press(&["f1"]);
    drawn(scene, 140, 120)
}

#[test]
fn a_key_is_told_once_at_the_conversation_during_a_run() {
    let mut scene = Scene::in_run("North\n", 1_000);
    scene.screen.panes.focus = Pane::Chat;
    for (width, height) in SIZES {
        let screen = drawn(&mut scene, width, height);
        let keys = keys(&screen);
        assert_eq!(keys.matches("follow").count(), 1, "{keys}");
    }
}

#[test]
fn help_scrolls_back_from_its_end_at_the_first_key() {
    let mut scene = at_block();
    scene.press(&["f1"]);
    assert_screen(&mut scene, 80, 24, &["Here: ", "rows below"], &["rows above"]);
    scene.press(&["G"]);
    assert_screen(&mut scene, 80, 24, &["rows above", "keymap.toml"], &["rows below"]);
    scene.press(&["k"]);
    assert_screen(&mut scene, 80, 24, &["rows above", "rows below"], &["keymap.toml"]);
}

#[test]
fn help_scrolls_in_a_terminal_of_any_size() {
    for (width, height) in [(1, 1), (2, 2), (5, 3), (20, 4)] {
        let mut scene = at_block();
        scene.press(&["f1"]);
        drawn(&mut scene, width, height);
        scene.press(&["j", "G", "k"]);
        drawn(&mut scene, width, height);
    }
}

#[test]
fn help_in_the_editor_names_what_its_keys_do_there() {
    let mut scene = at_block();
    scene.press(&["e"]);
    scene.wait(600);
    assert!(scene.screen.panes.code.edits());
    let told = help(&mut scene);
    assert_eq!(told.matches(" redo ").count(), 1, "{told}");
    assert_text(&told, &["Tab         indent", "Everywhere", "Ctrl-Z      suspend"], &["next pane"]);
    // Ctrl-] goes to a bracket here, but the other key for handing over is free.
    assert!(told.contains("Ctrl-]      to the other bracket") && told.contains("  Ctrl-5      "), "{told}");
    // Where Tab goes to the next pane, the help says so.
    let mut scene = at_block();
    assert!(help(&mut scene).contains("Tab         next pane"));
}

#[test]
fn help_over_the_panes_names_no_key_of_the_panes() {
    let mut scene = at_block();
    scene.press(&["f2"]);
    let told = help(&mut scene);
    assert_text(&told, &["Everywhere", "Ctrl-Z      suspend"], &["previous pane", "F2          commands"]);
}

#[test]
fn help_over_a_list_names_the_keys_that_the_list_has() {
    let others = ["scope", "rename", "compare sessions", "delete (asks)", "test connection"];
    let mut scene = super::behaviour::welcome();
    scene.press(&["?"]);
    let told = drawn(&mut scene, 140, 120);
    assert!(others.iter().all(|words| !told.contains(words)), "{told}");
    // Nothing can be typed there.
    assert_text(&told, &["1-6         choose", "q           quit", "Enter       take"], &[]);
    assert_text(&told, &[], &["cut word", "select all", "paste a key"]);
    scene.press(&["esc", "down", "down", "?"]);
    assert!(drawn(&mut scene, 140, 120).contains("k           paste a key"));
    // The list of sessions has these keys.
    let mut scene = Scene::worked();
    scene.enter("/resume");
    let told = help(&mut scene);
    assert!(others[..4].iter().all(|words| told.contains(words)), "{told}");
    assert!(!told.contains("test connection") && told.contains("cut word"), "{told}");
}

#[test]
fn help_over_the_problems_says_that_saving_is_tried_again_where_it_was() {
    let mut scene = Scene::worked();
    scene.disk_fails();
    scene.go_to(Pane::Output);
    assert_text(&help(&mut scene), &["w           try saving again"], &["save elsewhere"]);
    scene.press(&["esc"]);
    scene.pass(2_000);
    let commands = engine_commands(&scene.press(&["w"]));
    assert!(commands.contains(&Command::RetryStore), "{commands:?}");
}

#[test]
fn help_over_a_reply_that_was_cut_names_the_letter_that_ends_the_turn() {
    let mut scene = Scene::at_work();
    scene.fail(failure(FailureKind::Cut, "The reply was cut.", Departure::Sent));
    scene.go_to(Pane::Output);
    assert_text(&help(&mut scene), &["Here: Problems", "e           end here"], &[]);
}

#[test]
fn help_over_the_box_for_the_word_says_that_letters_are_text_there() {
    let mut scene = super::behaviour::reviewing();
    scene.see_everything();
    scene.press(&["a"]);
    assert!(scene.screen.top::<Confirm>().is_some());
    assert_text(&help(&mut scene), &["Here: Writing"], &[]);
}

#[test]
fn a_box_and_the_last_row_name_a_key_once() {
    for (width, height) in SIZES {
        let mut scene = at_block();
        scene.press(&["r"]);
        scene.pass(100);
        let screen = drawn(&mut scene, width, height);
        assert!(screen.contains("Reject block 3"), "{screen}");
        for words in ["reject and send", "Esc back"] {
            assert_eq!(screen.matches(words).count(), 1, "{words}\n{screen}");
        }
        let mut scene = Scene::worked();
        let ask = Ask::new("Open outside?", vec!["It was made by a run.".into()], 'w', "leave it closed");
        scene.screen.open(ask.or('o', "open it", Vec::new()));
        let screen = drawn(&mut scene, width, height);
        for words in ["leave it closed", "open it"] {
            assert_eq!(screen.matches(words).count(), 1, "{words}\n{screen}");
        }
        assert_eq!(keys(&screen).trim(), "Esc back");
    }
}

/// If a box can't show all of its answers, the last row names them.
#[test]
fn the_answers_of_a_question_are_told_however_long_it_is() {
    let mut scene = Scene::worked();
    let ask = Ask::new("Open outside?", vec!["A line.".into(); 60], 'w', "leave it closed");
    scene.screen.open(ask.or('o', "open it", Vec::new()));
    let screen = drawn(&mut scene, 80, 24);
    assert_eq!(keys(&screen).trim(), "w leave it closed  o open it  Esc back");
}

#[test]
fn keys_are_said_to_be_open_only_where_they_decide() {
    for (width, height) in SIZES {
        let mut scene = at_block();
        // A window of another size starts the quiet time again.
        drawn(&mut scene, width, height);
        scene.pass(2_000);
        assert_shown(&mut scene, width, height, "seen 1/1  keys open");
        scene.press(&["?"]);
        assert!(!drawn(&mut scene, width, height).contains("keys open"), "help is over it");
        scene.press(&["esc"]);
        scene.screen.panes.focus = Pane::Message;
        scene.pass(2_000);
        let screen = drawn(&mut scene, width, height);
        assert!(!screen.contains("keys open") && !screen.contains("locked"), "{screen}");
        // Where only one pane is shown, the title of the block is not visible.
        assert!(width == 80 || screen.contains("seen 1/1 "), "{screen}");
    }
}

#[test]
fn the_pager_offers_the_next_match_once_something_was_looked_for() {
    let mut scene = Scene::worked();
    scene.go_to(Pane::Output);
    scene.press(&["x"]);
    let before = drawn(&mut scene, 140, 40);
    assert!(keys(&before).contains("/ find") && !keys(&before).contains("n next"), "{before}");
    scene.press(&["/"]);
    scene.enter("o");
    let after = drawn(&mut scene, 140, 40);
    assert!(keys(&after).contains("n next  N previous"), "{after}");
}

#[test]
fn an_empty_message_is_not_offered_to_be_sent() {
    for (width, height) in SIZES {
        for begin in [Scene::new as fn() -> Scene, super::screens::opening] {
            let mut scene = begin();
            let empty = drawn(&mut scene, width, height);
            assert!(!empty.contains("Enter send") && keys(&empty).contains("twice quit"), "{empty}");
            scene.type_text("a");
            assert!(keys(&drawn(&mut scene, width, height)).contains("Enter send"));
        }
    }
}

/// Other keys than the shipped ones, for everything that panes and the status row name a key for.
const OWN_KEYS: &str = r#"bind = [
  { context = "review", keys = ["d"], action = "review.edit", help = "edit" },
  { context = "review", keys = ["c"], action = "review.reject", help = "reject" },
  { context = "review", keys = ["w"], action = "review.skip", help = "skip" },
  { context = "review", keys = ["o"], action = "review.finding-next", help = "finding" },
  { context = "review", keys = ["u"], action = "review.rights", help = "rights" },
  { context = "review", keys = ["D"], action = "review.language", help = "language" },
  { context = "review", keys = ["C"], action = "hunk.next", help = "hunk" },
  { context = "review", keys = ["W"], action = "hunk.drop", help = "drop" },
  { context = "done", keys = ["c"], action = "output.open", help = "open" },
  { context = "done", keys = ["d"], action = "output.write", help = "write" },
  { context = "done", keys = ["W"], action = "block.again", help = "again" },
]"#;

/// Draws a scene under the shipped keys, then under other ones.
fn under_both(mut scene: Scene) -> [String; 2] {
    let shipped = drawn(&mut scene, 140, 40);
    scene.bind_keys(OWN_KEYS);
    // Another size, so that all of it is laid out anew.
    drawn(&mut scene, 130, 40);
    [shipped, drawn(&mut scene, 140, 40)]
}

#[test]
fn panes_and_status_name_the_keys_that_are_bound() {
    let at_waiting = |mut scene: Scene| {
        scene.focus(Pane::Code);
        scene.see_everything();
        scene
    };
    let mut unnamed = Scene::worked();
    unnamed.reply("```\nls\n```\n");
    unnamed.inspect(3, Vec::new());
    let mut found = findings();
    found[0].forbidden = true;
    let denied = at_waiting(Scene::waiting_with(inspection(terms("python"), found)));
    let not_run = |outcome: Outcome| {
        let mut scene = Scene::asked();
        scene.ran_with(1, RunReport { outcome, ..report("", 100) });
        scene.screen.panes.focus = Pane::Output;
        scene
    };
    let not_started = not_run(Outcome::NotStarted("no space left".into()));
    // Its block waits again already.
    let refused = drawn(&mut not_run(Outcome::Refused("it changed".into())), 140, 40);
    assert!(refused.contains("Nothing ran.") && !refused.contains("puts it back"), "{refused}");
    let mut images = super::images::drawn_by_a_run();
    drawn(&mut images, 140, 40);
    images.press(&["g"]);
    let shown = vec![
        (Scene::waiting(), "f = next finding", "o = next finding"),
        (
            super::hunks::review(&super::hunks::old(), &super::hunks::new()),
            "h next  x drop it",
            "C next  W drop it",
        ),
        (at_waiting(unnamed), "names no language. l chooses one.", "names no language. D chooses one."),
        (denied, "e edits it, r rejects.", "d edits it, c rejects."),
        (images, "   o open   w save", "   c open   d save"),
        (not_started, "Nothing ran. R puts it back for review.", "Nothing ran. W puts it back for review."),
    ];
    for (scene, shipped, own) in shown {
        let [before, after] = under_both(scene);
        assert!(before.contains(shipped) && !before.contains(own), "{shipped}\n{before}");
        assert!(after.contains(own) && !after.contains(shipped), "{own}\n{after}");
    }
}

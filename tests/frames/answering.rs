//! Overlays that take an answer: text that comes all at once, and a window that changes while one is open.

use super::behaviour::ready;
use super::rules::clean;
use super::scene::{Scene, acted, decide, engine_commands, finding};
use super::typing::{At, made};
use super::{assert_screen, assert_text, drawn};
use proptest::prelude::*;
use sayso::domain::*;
use sayso::engine::Command;
use sayso::tui::overlays::always::Always;
use sayso::tui::overlays::confirm::Confirm;
use sayso::tui::ui_command::UiCommand;
use sayso::tui::widgets::layout::Pane;

/// A block of one line waits, and all of it was seen. Its finding takes one row at 80 columns, and two at 60.
pub fn found(severity: Severity) -> Scene {
    let message = "deletes a folder: /srv/data/reports/2026/old (not there)";
    let mut inspection = clean("bash");
    inspection.review.findings.push(finding("sh.x", severity, (1, 1..2), message));
    let mut scene = Scene::answered("go", "```bash\nls\n```\n");
    scene.inspected(1, inspection);
    scene.see_block();
    scene
}

/// The box for the typed word, or the choice of a rule, over that block.
fn opened(severity: Severity) -> Scene {
    let mut scene = found(severity);
    decide(&mut scene, key_of(severity));
    let is_open = match severity {
        Severity::High => scene.screen.top::<Confirm>().is_some(),
        _ => scene.screen.top::<Always>().is_some(),
    };
    assert!(is_open, "{:?}", scene.screen.note);
    scene
}

/// The key that opens it.
fn key_of(severity: Severity) -> &'static str {
    if severity == Severity::High { "a" } else { "A" }
}

/// Answers it as a person does: types the word, or marks a rule and confirms it.
fn answered(scene: &mut Scene, severity: Severity) -> Vec<Command> {
    if severity == Severity::High {
        return engine_commands(&scene.enter("run"));
    }
    decide(scene, "1");
    scene.pass(1_000);
    decide(scene, "A")
}

/// Keys that arrive all at once, as from a terminal that does not mark a paste.
pub fn burst(scene: &mut Scene, keys: &[&str]) -> Vec<UiCommand> {
    scene.wait(1_000);
    keys.iter().flat_map(|key| scene.key(key)).collect()
}

#[test]
fn a_lock_is_told_over_a_choice_only_while_it_holds() {
    let mut scene = opened(Severity::Medium);
    // Each key begins the quiet time anew.
    decide(&mut scene, "1");
    scene.pass(300);
    decide(&mut scene, "A");
    assert_screen(&mut scene, 100, 30, &["Not yet: ", " without a key."], &[]);
    scene.wait(4_000);
    assert_screen(&mut scene, 100, 30, &["Always"], &["Not yet: "]);
}

#[test]
fn a_pasted_word_approves_nothing_and_stays_nowhere() {
    crate::at_every_size(|| {
        let mut scene = opened(Severity::High);
        let commands = burst(&mut scene, &["r", "u", "n", "enter"]);
        assert_eq!(engine_commands(&commands), []);
        assert_eq!(scene.note_text(), "That looked like a paste. Nothing was decided.");
        assert!(scene.screen.top::<Confirm>().is_some());
        // Without a line end the word is pasted too, and an Enter that comes later does not make it typed.
        assert!(burst(&mut scene, &["r", "u", "n"]).is_empty());
        scene.pass(1_000);
        assert_eq!(engine_commands(&scene.press(&["enter"])), []);
        assert_eq!(scene.note_text(), "The word has to be typed letter by letter. Nothing was decided.");
        // Taking back the loss of it brings nothing back.
        let mut scene = opened(Severity::High);
        scene.type_text("run");
        scene.paste("run");
        scene.pass(1_000);
        assert_eq!(engine_commands(&scene.press(&["ctrl-_", "enter"])), []);
        // A line end that comes with the last letter is no Enter of a person.
        let mut scene = opened(Severity::High);
        scene.type_text("ru");
        assert_eq!(engine_commands(&burst(&mut scene, &["n", "enter"])), []);
    });
}

#[test]
fn the_end_of_a_text_whose_beginning_came_at_once_is_not_the_word() {
    let mut scene = opened(Severity::High);
    assert!(burst(&mut scene, &["d", "o", "n", "t", "space"]).is_empty());
    assert_eq!(engine_commands(&scene.enter("run")), []);

    let mut scene = opened(Severity::High);
    scene.type_text("dont ");
    scene.paste("x");
    assert_eq!(engine_commands(&scene.enter("run")), []);

    let mut scene = opened(Severity::High);
    burst(&mut scene, &["r", "u", "n"]);
    assert_eq!(engine_commands(&scene.press(&["enter"])), []);
    assert_eq!(scene.note_text(), "The word has to be typed letter by letter. Nothing was decided.");

    let mut scene = opened(Severity::High);
    burst(&mut scene, &["r", "u", "n"]);
    scene.press(&["ctrl-u"]);
    assert!(!engine_commands(&scene.enter("run")).is_empty(), "deleted and typed");

    // A letter typed over all of it deletes it; over a part of it, it does not.
    for (selected, counts) in [(3, true), (2, false)] {
        let mut scene = opened(Severity::High);
        scene.paste("abc");
        scene.press(&vec!["shift-left"; selected]);
        scene.pass(1_000);
        scene.type_text("run");
        if !counts {
            scene.press(&["home", "del"]);
        }
        assert_eq!(!engine_commands(&scene.press(&["enter"])).is_empty(), counts, "{selected} selected");
    }
    // What comes at once is a paste, over a selection too.
    let mut scene = opened(Severity::High);
    scene.paste("abc");
    scene.press(&["shift-left", "shift-left", "shift-left"]);
    burst(&mut scene, &["r", "u", "n"]);
    scene.pass(1_000);
    assert_eq!(engine_commands(&scene.press(&["enter"])), []);
    assert_eq!(scene.note_text(), "The word has to be typed letter by letter. Nothing was decided.");
    // A pasted line has its end with it, which the field does not show.
    let mut scene = opened(Severity::High);
    scene.paste("run\n");
    scene.pass(1_000);
    assert_eq!(engine_commands(&scene.press(&["enter"])), []);
    assert_eq!(scene.note_text(), "The word has to be typed letter by letter. Nothing was decided.");
}

#[test]
fn a_line_end_that_is_pasted_behind_text_takes_no_answer() {
    let mut scene = ready();
    decide(&mut scene, "r");
    assert!(!scene.screen.overlays.is_empty());
    assert_eq!(burst(&mut scene, &["n", "o", "enter"]).len(), 0);
    assert_eq!(scene.note_text(), "That looked like a paste. Nothing was decided.");
    scene.pass(1_000);
    let rejected = engine_commands(&scene.press(&["enter"]));
    let [Command::Decide { decision: Decision::Reject(why), .. }] = &rejected[..] else {
        panic!("{rejected:?}")
    };
    assert_eq!(why, "no", "the text stays, and Enter sends it");

    let mut scene = made(At::Idle);
    scene.screen.panes.focus = Pane::Message;
    let leaves = |wishes: &[UiCommand]| wishes.iter().any(|wish| matches!(wish, UiCommand::Leave(_)));
    assert!(!leaves(&burst(&mut scene, &["/", "q", "u", "i", "t", "enter"])));
    assert!(!scene.screen.overlays.is_empty());
    scene.pass(1_000);
    assert!(leaves(&scene.press(&["enter"])));
}

#[test]
fn another_width_locks_an_open_answer_until_all_is_seen_again() {
    for severity in [Severity::High, Severity::Info] {
        let mut scene = acted((80, 24), || opened(severity));
        drawn(&mut scene, 60, 14);
        assert!(
            scene.note_text().starts_with("Width changed: 1 line"),
            "{severity:?}: {}",
            scene.note_text()
        );
        scene.pass(1_000);
        assert_eq!(answered(&mut scene, severity), [], "{severity:?}");
        assert!(scene.screen.overlays.is_empty(), "{severity:?}");
        assert!(scene.note_text().contains("1 line not shown"), "{severity:?}: {}", scene.note_text());
        scene.see_everything();
        decide(&mut scene, key_of(severity));
        scene.pass(1_000);
        let decided = answered(&mut scene, severity);
        assert!(matches!(&decided[..], [Command::Decide { .. }]), "{severity:?}: {decided:?}");
    }
}

#[test]
fn what_a_size_refused_is_not_said_at_another() {
    let mut scene = found(Severity::Info);
    drawn(&mut scene, 40, 12);
    scene.pass(1_000);
    decide(&mut scene, "a");
    assert!(scene.note_text().starts_with("Window too small"), "{}", scene.note_text());
    drawn(&mut scene, 80, 24);
    assert!(!scene.note_text().contains("too small"), "{}", scene.note_text());
}

/// Each of its lines with a finding takes several rows of the box.
#[test]
fn the_box_for_the_word_tells_what_it_hides() {
    acted((80, 24), || {
        let line = format!("rm -rf ~/old # {}", "long ".repeat(40));
        let mut inspection = clean("bash");
        let findings = (1..=8).map(|line| finding("sh.x", Severity::High, (line, 1..2), "deletes a folder"));
        inspection.review.findings.extend(findings);
        let mut scene = Scene::answered("go", &format!("```bash\n{}```\n", format!("{line}\n").repeat(8)));
        scene.inspected(1, inspection);
        scene.see_block();
        decide(&mut scene, "a");
        let screen = drawn(&mut scene, 80, 24);
        assert!(screen.contains("Block 1 has 8 HIGH findings:") && screen.contains("line 1 "), "{screen}");
        let is_cut = |row: &str| row.contains("long long") && row.contains("...");
        assert_eq!(screen.lines().filter(|row| is_cut(row)).count(), 4, "{screen}");
        assert_text(&screen, &["and 4 more", "Type  run  and press Enter"], &["above"]);
        assert_screen(&mut scene, 80, 16, &["rows above", "Type  run  and press Enter"], &[]);
    });
}

/// What happens while the box for the typed word is open.
#[derive(Clone, Debug)]
enum BoxStep {
    /// A key, so many milliseconds after what came before it.
    Key(&'static str, u64),
    Paste,
    Size(u16, u16),
}

/// The word with its Enter, at any speed; other letters, pastes and sizes between.
fn box_steps() -> impl Strategy<Value = Vec<BoxStep>> {
    let gap = || proptest::sample::select(vec![0u64, 5, 29, 30, 31, 80, 400]);
    let keys = |gaps: Vec<u64>| -> Vec<BoxStep> {
        ["r", "u", "n", "enter"].into_iter().zip(gaps).map(|(key, gap)| BoxStep::Key(key, gap)).collect()
    };
    let slow = || proptest::sample::select(vec![31u64, 80, 400]);
    let sizes = vec![(60, 14), (80, 24), (52, 30), (140, 40)];
    let part = prop_oneof![
        2 => proptest::collection::vec(gap(), 4).prop_map(keys),
        2 => proptest::collection::vec(slow(), 4).prop_map(keys),
        1 => (proptest::sample::select(vec!["x", "r", "backspace"]), gap())
            .prop_map(|(key, gap)| vec![BoxStep::Key(key, gap)]),
        1 => Just(vec![BoxStep::Paste]),
        2 => proptest::sample::select(sizes).prop_map(|(width, height)| vec![BoxStep::Size(width, height)]),
    ];
    proptest::collection::vec(part, 1..5).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The word approves only where Enter did not come with its letters, and all was seen at the
    /// width of that moment.
    #[test]
    fn the_word_approves_only_typed_and_with_all_seen(steps in box_steps()) {
        let mut scene = acted((80, 24), || opened(Severity::High));
        scene.pass(1_000);
        let mut last = None;
        for step in steps {
            match step {
                BoxStep::Size(width, height) => drop(drawn(&mut scene, width, height)),
                BoxStep::Paste => {
                    scene.paste("run");
                    last = Some(scene.at);
                }
                BoxStep::Key(name, gap) => {
                    scene.wait(gap);
                    let seen = scene.screen.guard.rows().is_all_seen();
                    let burst = last.is_some_and(|last| scene.at.duration_since(last).as_millis() < 30);
                    last = Some(scene.at);
                    let decided = engine_commands(&scene.key(name));
                    prop_assert!(decided.is_empty() || (name == "enter" && seen && !burst), "{decided:?}");
                }
            }
            if scene.screen.top::<Confirm>().is_none() {
                break;
            }
        }
    }
}

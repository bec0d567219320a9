//! Blocks that were proposed together: the conversation shows the one being decided.

use super::scene::{Scene, confined, inspection};
use super::{SIZES, assert_screen, assert_shown, assert_text, drawn};
use sayso::domain::*;
use sayso::tui::widgets::layout::Pane;

/// Two blocks, with much text between and after them.
fn two() -> Scene {
    let mut scene = Scene::new();
    let lines: String = (1..40).map(|n| format!("- point {n} of it\n")).collect();
    scene.ask("Load sales.csv, then list what is there.");
    scene.reply(&format!(
        "First the file.\n\n```python\ndf.info()\n```\n\n{lines}\n```bash\nls out\n```\n\nThat is all of it.\n"
    ));
    scene.inspected(1, inspection(confined("python"), Vec::new()));
    scene.frame();
    scene
}

/// A file with a program in it, whose fence ended that of the file.
const TORN: &str =
    "```markdown path=README.md\n# Sales\n\n```python\nprint(1)\n```\n\nThen:\n\n```bash\nls out\n```\n";

#[test]
fn a_part_of_a_torn_text_is_edited_or_rejected() {
    for size in SIZES {
        let mut scene = super::scene::acted(size, || {
            let mut scene = Scene::new();
            scene.ask("Write a readme.");
            scene.reply(TORN);
            scene.decide(1, Decision::Skip);
            scene.inspected(2, inspection(confined("bash"), Vec::new()));
            scene.see_block();
            scene
        });
        assert_shown(&mut scene, size.0, size.1, "a locked");
        assert!(super::scene::decide(&mut scene, "a").is_empty() && scene.screen.overlays.is_empty());
        let note = scene.note_text();
        assert_eq!(note, "Block 2 may be only a part of its text. e edits it, r rejects.");
        assert_shown(&mut scene, size.0, size.1, "of its text. e edits it, r rejects.");
    }
}

fn decide(scene: &mut Scene) {
    scene.decide(1, Decision::Skip);
    scene.inspected(2, inspection(confined("bash"), Vec::new()));
    scene.frame();
}

#[test]
fn chat_shows_the_block_that_is_decided_now() {
    for size in SIZES {
        let mut scene = super::scene::acted(size, two);
        scene.screen.panes.focus = Pane::Chat;
        let screen = drawn(&mut scene, size.0, size.1);
        assert_text(&screen, &["block 1  python", "First the file.", "[WAITING]"], &["That is all of it."]);
        decide(&mut scene);
        assert_screen(&mut scene, size.0, size.1, &["block 2  bash"], &["First the file."]);
        // A person who reads further is not moved back, and the end is followed again.
        scene.decide(2, Decision::Skip);
        scene.replied(ReplyEvent::Delta("And now?".into()));
        assert_screen(&mut scene, size.0, size.1, &["And now?", "follow"], &[]);
    }
}

#[test]
fn a_person_who_scrolls_stays_where_that_leads() {
    for size in SIZES {
        let mut scene = super::scene::acted(size, two);
        scene.screen.panes.focus = Pane::Chat;
        drawn(&mut scene, size.0, size.1);
        scene.press(&["G"]);
        assert_shown(&mut scene, size.0, size.1, "That is all of it.");
        scene.press(&["k", "k", "k"]);
        let before = drawn(&mut scene, size.0, size.1);
        decide(&mut scene);
        let after = drawn(&mut scene, size.0, size.1);
        let said = |screen: &str| -> Vec<String> {
            screen
                .lines()
                .filter(|row| row.contains("point "))
                .map(|row| row.chars().take(30).collect())
                .collect()
        };
        assert!(!said(&before).is_empty());
        assert_eq!(said(&before), said(&after), "{before}\n{after}");
    }
}

#[test]
fn a_person_who_went_to_the_end_stays_there_at_another_height() {
    for size in SIZES {
        let mut scene = super::scene::acted(size, two);
        scene.screen.panes.focus = Pane::Chat;
        drawn(&mut scene, size.0, size.1);
        scene.press(&["G"]);
        for height in [size.1, size.1 - 1, size.1 + 2] {
            assert_shown(&mut scene, size.0, height, "That is all of it.");
        }
    }
}

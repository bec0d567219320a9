//! Searching in all panes, with counts and marks, and returning to the places before.

use super::scene::{Scene, TABLE, report};
use super::{assert_screen, assert_shown, assert_text, drawn, snapshots};
use sayso::domain::*;
use sayso::tui::theme::{Depth, Theme};
use sayso::tui::widgets::layout::Pane;

/// A session whose second run printed much.
fn printed(text: &str) -> Scene {
    let mut scene = Scene::one_ran();
    scene.ran(2, 800, text);
    scene.reply("It holds 18,240 rows by region.");
    scene.frame();
    scene
}

fn searching(scene: &mut Scene, text: &str) {
    scene.frame();
    scene.press(&["ctrl-f"]);
    scene.type_text(text);
}

/// The status row of the screen.
fn told(scene: &mut Scene) -> String {
    let screen = drawn(scene, 140, 40);
    screen.lines().nth(38).unwrap().trim().to_owned()
}

#[test]
fn an_expression_stands_in_all_panes_at_every_size() {
    snapshots("15_find_expression", || {
        let mut scene = printed(&format!("{TABLE}region Nord\nregion S\u{fc}d\n"));
        searching(&mut scene, "re.?ion");
        scene.press(&["ctrl-r", "up"]);
        scene
    });
}

#[test]
fn counts_are_of_each_pane_and_keys_go_through_them() {
    let mut scene = printed("region a\nRegion b\n");
    searching(&mut scene, "region");
    assert_eq!(told(&mut scene), "5 of 5   Chat 3  Code 0  Output 2");
    scene.press(&["up"]);
    assert!(told(&mut scene).starts_with("4 of 5"));
    scene.press(&["enter", "enter"]);
    assert!(told(&mut scene).starts_with("1 of 5"), "it begins anew behind the last");
    scene.press(&["tab"]);
    assert!(told(&mut scene).contains("1 of 3   Chat 3  Code 0  Output 2   only Chat"));
    scene.press(&["tab"]);
    assert!(told(&mut scene).contains("2 of 2   Chat 3  Code 0  Output 2   only Output"));
    scene.press(&["tab"]);
    assert!(told(&mut scene).starts_with("5 of 5"));
    // A typed capital letter makes case matter.
    scene.press(&["ctrl-u"]);
    scene.type_text("Region");
    assert_eq!(told(&mut scene), "1 of 1   Chat 0  Code 0  Output 1");
}

#[test]
fn a_broken_expression_says_where_and_what_is_nowhere_is_told() {
    let mut scene = printed("x\n");
    searching(&mut scene, "re(gion");
    assert_eq!(told(&mut scene), "No matches for re(gion.");
    scene.press(&["ctrl-r"]);
    assert_eq!(told(&mut scene), "Broken expression at column 3: unclosed group.");
    scene.type_text("|x)");
    assert_eq!(told(&mut scene), "3 of 3   Chat 3  Code 0  Output 0");
}

#[test]
fn esc_puts_every_pane_back_and_n_goes_on_from_there() {
    let lines: String = (0..500).map(|n| format!("line {n}\n")).collect();
    for (width, height) in super::SIZES {
        let mut scene = printed(&format!("needle\n{lines}"));
        scene.screen.panes.focus = Pane::Output;
        drawn(&mut scene, width, height);
        scene.press(&["b", "b"]);
        let before = drawn(&mut scene, width, height);
        scene.press(&["/"]);
        scene.type_text("needle");
        assert_screen(&mut scene, width, height, &["needle", "1 of 1"], &[]);
        scene.press(&["esc"]);
        assert_eq!(drawn(&mut scene, width, height), before);
        scene.press(&["n"]);
        assert_screen(&mut scene, width, height, &[" needle", "1 of 1"], &[]);
    }
}

#[test]
fn the_code_of_another_block_is_shown_and_the_one_before_comes_back() {
    let mut scene = Scene::waiting();
    scene.focus(Pane::Code);
    for (width, height) in super::SIZES {
        drawn(&mut scene, width, height);
        scene.press(&["space"]);
        let before = drawn(&mut scene, width, height);
        scene.press(&["ctrl-f"]);
        scene.type_text("df.info");
        scene.press(&["tab"]);
        while !drawn(&mut scene, width, height).contains("only Code") {
            scene.press(&["tab"]);
        }
        assert_shown(&mut scene, width, height, "Block 2 python");
        scene.press(&["esc"]);
        // The block has to be looked at again, as its title says; its rows are the same as before.
        let rows = |screen: &str| {
            screen.lines().skip(2).filter(|row| row.contains(" │ ")).map(str::to_owned).collect()
        };
        let (now, then): (Vec<String>, Vec<String>) =
            (rows(&drawn(&mut scene, width, height)), rows(&before));
        assert_eq!(now, then, "{width}x{height}");
    }
}

#[test]
fn a_search_that_was_left_unfinished_goes_on_in_portions_until_another_key_comes() {
    let mut scene = Scene::new();
    for _ in 0..13 {
        // Each takes a portion of its own.
        scene.ask(&format!("zq {}", "word ".repeat(7_000)));
        scene.reply("Yes.");
    }
    scene.focus(Pane::Chat);
    scene.frame();
    scene.press(&["/"]);
    scene.type_text("zq");
    scene.press(&["esc"]);
    let pressed = |scene: &mut Scene, name: &str| {
        scene.pass(100);
        scene.key(name);
        scene.note_text().to_owned()
    };
    let portions = |scene: &mut Scene| {
        for _ in 0..40 {
            scene.pass(1);
        }
        scene.note_text().to_owned()
    };
    let note = pressed(&mut scene, "n");
    assert!(note.starts_with("Searching   Chat "), "{note}");
    // A person who reads on is not taken elsewhere.
    assert_eq!((pressed(&mut scene, "k"), portions(&mut scene)), (String::new(), String::new()));
    let note = pressed(&mut scene, "n");
    assert!(note.starts_with("Searching   Chat "), "{note}");
    let note = portions(&mut scene);
    assert!(note.starts_with("1 of 13   Chat 13"), "{note}");
}

/// What is told of `needle` in this output once all portions of it were looked through.
fn told_of_needles(printed: &str) -> String {
    let mut scene = Scene::asked();
    let mut output = OutputBuffer::new(64 << 20);
    output.push(Stream::Stdout, printed.as_bytes());
    scene.ran(1, 100, "x\n");
    scene.ran_with(2, RunReport { output, ..report("", 800) });
    scene.frame();
    searching(&mut scene, "needle");
    for _ in 0..100 {
        scene.pass(1);
    }
    told(&mut scene)
}

#[test]
fn a_million_lines_are_looked_through_in_portions() {
    let text: String = (0..1_000_000).map(|n| format!("{n} needle\n")).collect();
    assert_text(&told_of_needles(&text), &["Output first 2,000", "x finds in all output"], &[]);
}

/// All matches are there, as many as are kept: none was left out.
#[test]
fn as_many_matches_as_are_kept_are_not_called_the_first_ones() {
    for (lines, told_of) in [(2_000, "Output 2,000"), (2_001, "Output first 2,000")] {
        assert_text(&told_of_needles(&"needle\n".repeat(lines)), &[told_of], &[]);
    }
}

#[test]
fn the_match_that_one_is_at_looks_otherwise_in_every_depth() {
    use ratatui::style::Modifier;
    for depth in [Depth::True, Depth::Mono] {
        let mut scene = printed("region a\nregion b\n");
        scene.theme = Theme::load("terminal", depth, |_| None).unwrap().theme;
        searching(&mut scene, "region");
        let (buffer, _) = super::frame(&mut scene, 140, 40);
        let looks: Vec<Modifier> = buffer
            .content
            .windows(6)
            .filter(|cells| cells.iter().map(|c| c.symbol()).collect::<String>() == "region")
            .map(|cells| cells[0].modifier)
            .collect();
        let reversed = looks.iter().filter(|look| look.contains(Modifier::REVERSED)).count();
        assert_eq!((looks.len() > 3, reversed), (true, 1), "{depth:?} {looks:?}");
    }
}

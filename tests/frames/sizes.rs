//! Any state at any size, from one cell to more than any screen has: nothing panics, nothing stands outside, and no cell
//! holds what a terminal would obey.

use super::scene::{Scene, report};
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use sayso::tui::screen::{Ctx, Screen};
use sayso::tui::view;
use sayso::tui::widgets::look::{Glyphs, Look};
use sayso::tui::widgets::words::Locale;
use unicode_width::UnicodeWidthStr as _;

/// What a model or a program may say to make a screen lie.
const HOSTILE: &str = "\x1b[2J\x1b]52;c;aGk=\x07 \u{202e}gnp.exe\u{202c} a\rb \u{200b}\u{e0041}日本語👩‍🚀🇩🇪 e\u{301}\u{301} \
                       ﷽ \u{9b}31m\u{7f}\u{0} | x | y |\n|---|---|\n| 1 | \x1b[8mhidden |\n";

/// Keys that open, close, move and type; most of the names are no text in a pane.
const KEYS: &[&str] = &[
    "tab",
    "tab",
    "esc",
    "enter",
    "space",
    "up",
    "down",
    "left",
    "right",
    "pgup",
    "pgdn",
    "backspace",
    "f1",
    "f2",
    "ctrl-y",
    "ctrl-f",
    "ctrl-g",
    "ctrl-r",
    "ctrl-l",
    "ctrl-c",
    "alt-up",
    "a",
    "A",
    "e",
    "r",
    "s",
    "v",
    "p",
    "t",
    "f",
    "j",
    "k",
    "g",
    "G",
    "i",
    "z",
    "m",
    "n",
    "/",
    ":",
    "?",
    "x",
    "V",
    "Q",
    "J",
    "1",
    "2",
    "日",
    "é",
];

/// Sessions at many points of their life.
fn scene(which: usize) -> Scene {
    let mut scene = match which {
        0 => Scene::new(),
        1 => Scene::asked(),
        2 => Scene::at_work(),
        3 => Scene::worked(),
        4 | 5 => Scene::waiting(),
        6 => {
            let mut scene = Scene::waiting();
            scene.running(3, HOSTILE, 1_500);
            scene
        }
        7 => {
            let mut scene = Scene::waiting();
            scene.ran_with(3, report(&HOSTILE.repeat(30), 10));
            scene
        }
        _ => {
            let mut scene = Scene::worked();
            scene.ask(HOSTILE);
            scene.streaming(&format!("{HOSTILE}\n```python\nprint('{HOSTILE}')\n```\n{HOSTILE}"));
            scene
        }
    };
    scene.frame();
    scene
}

/// Draws at this size and looks at every cell.
fn look_at(scene: &mut Scene, (width, height): (u16, u16)) -> Result<(), TestCaseError> {
    scene.screen.resized((width, height), scene.at);
    scene.settle();
    scene.step(Screen::arrange);
    let place = Locale { home: Some("/home/ada".into()), ..Locale::default() };
    let look =
        Look { theme: &scene.theme, glyphs: Glyphs::LINES, place: &place, now: scene.now, motion: true };
    let ctx = Ctx { state: scene.engine.state(), look, at: scene.at };
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    let made = view::draw(&scene.screen, ctx.state, ctx.at, &mut buffer, look);
    prop_assert_eq!(buffer.content.len(), usize::from(width) * usize::from(height));
    if let Some(cursor) = made.cursor {
        prop_assert!(cursor.x < width && cursor.y < height, "the cursor is outside: {cursor}");
    }
    for y in 0..height {
        for x in 0..width {
            let symbol = buffer[(x, y)].symbol();
            let obeyed = |c: char| {
                c.is_control()
                    || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
            };
            prop_assert!(!symbol.chars().any(obeyed), "{symbol:?} at {x},{y} of {width}x{height}");
            let end = usize::from(x) + symbol.width().max(1);
            prop_assert!(end <= usize::from(width), "{symbol:?} at {x},{y} goes beyond {width} columns");
        }
    }
    Ok(())
}

fn cases() -> u32 {
    let all = std::env::var_os("SAYSO_TEST_CASES").is_some_and(|value| value == "all");
    if all { 256 } else { 32 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_state_at_any_size_stays_inside_and_harmless(
        which in 0..9usize,
        keys in proptest::collection::vec(proptest::sample::select(KEYS), 0..25),
        sizes in proptest::collection::vec(
            prop_oneof![
                4 => (1..140u16, 1..50u16),
                2 => (1..60u16, 1..14u16),
                1 => (1..=500u16, 1..=200u16),
            ],
            1..6,
        ),
    ) {
        let mut scene = scene(which);
        let mut keys = keys.into_iter();
        for size in sizes {
            look_at(&mut scene, size)?;
            for key in keys.by_ref().take(5) {
                scene.press(&[key]);
            }
            look_at(&mut scene, size)?;
        }
    }
}

#[test]
fn the_smallest_and_the_largest() {
    for which in 0..9 {
        for size in [(1, 1), (1, 200), (500, 1), (2, 2), (49, 12), (50, 11), (50, 12), (500, 200)] {
            let mut scene = scene(which);
            look_at(&mut scene, size).unwrap();
        }
    }
}

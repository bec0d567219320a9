//! In any state, with anything open and after any keys: at every size a frame is drawn, and each of its cells
//! contains one character that a terminal draws and none that it obeys.

use super::frame;
use super::scene::{Scene, confined, inspection, report};
use super::selecting::mouse;
use super::typing::{At, made};
use crossterm::event::{MouseButton, MouseEventKind};
use proptest::prelude::*;
use sayso::domain::*;
use sayso::tui::widgets::layout::Pane;
use strum::VariantArray as _;
use unicode_width::UnicodeWidthStr as _;

/// Text that programs and models may print.
const HOSTILE: &str = "a\u{1b}[31mb\u{1b}[2J \u{7f}\u{9b}5n \u{202e}cba\u{2066} zero\u{200b}width \u{e0041}\u{feff}\r\
                       \u{1b}]52;c;aGk=\u{7} 漢字\t漢 e\u{301}\u{301}\u{301} 👩\u{200d}💻 \u{fe0f}\u{ad}\u{2028}x \u{0}";

/// One thing that a person does.
#[derive(Clone, Debug)]
enum Step {
    Key(&'static str),
    /// A key pressed alone, as one that decides must be.
    Alone(&'static str),
    Mouse(MouseEventKind, u16, u16),
    Paste,
    Size(u16, u16),
    Pass(u64),
}

const KEYS: &str = "ctrl-f x / n N ctrl-r tab shift-tab esc enter up down left right pgup pgdn g G w % 5 z m V Q v p \
                    t f e f1 f2 : ? i < > - + [ ] y ctrl-u ctrl-y ctrl-l ctrl-c ctrl-g alt-up backspace space a A r \
                    s J 日 é";

fn size() -> impl Strategy<Value = (u16, u16)> {
    prop_oneof![
        3 => (1u16..=500, 1u16..=200),
        3 => (45u16..150, 10u16..45),
        2 => (1u16..20, 1u16..20),
        1 => Just((1, 1)),
        1 => Just((500, 200)),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let left = MouseButton::Left;
    let kinds = vec![
        MouseEventKind::Down(left),
        MouseEventKind::Drag(left),
        MouseEventKind::Up(left),
        MouseEventKind::ScrollDown,
        MouseEventKind::ScrollUp,
    ];
    prop_oneof![
        8 => proptest::sample::select(KEYS.split(' ').collect::<Vec<_>>()).prop_map(Step::Key),
        2 => proptest::sample::select(vec!["a", "A", "r", "e", "s", "t", "J", "ctrl-y", "esc"]).prop_map(Step::Alone),
        4 => (proptest::sample::select(kinds), 0u16..160, 0u16..60)
            .prop_map(|(kind, column, row)| Step::Mouse(kind, column, row)),
        1 => Just(Step::Paste),
        2 => size().prop_map(|(width, height)| Step::Size(width, height)),
        2 => (1u64..1_500).prop_map(Step::Pass),
    ]
}

/// Checks the cells of a frame.
fn check(scene: &mut Scene, (width, height): (u16, u16)) -> Result<(), TestCaseError> {
    let (buffer, made) = frame(scene, width, height);
    for (at, cell) in buffer.content.iter().enumerate() {
        let (x, symbol) = (at % usize::from(width), cell.symbol());
        let obeyed = |c: char| {
            c.is_control()
                || matches!(c, '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
                || matches!(c, '\u{ad}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
        };
        prop_assert!(!symbol.chars().any(obeyed), "{symbol:?} at {x} of {width}x{height}");
        prop_assert!(x + symbol.width() <= usize::from(width), "{symbol:?} at {x} of {width}x{height}");
    }
    if let Some(cursor) = made.cursor {
        prop_assert!(cursor.x < width && cursor.y < height, "{cursor:?} of {width}x{height}");
    }
    Ok(())
}

/// Puts hostile text into everything that is shown: prompt, prose, code, output, value.
fn hostile(mut scene: Scene) -> Scene {
    if scene.state().phase() == &sayso::engine::Phase::Idle && !sayso::tui::screen::has_problem(scene.state())
    {
        scene.ask(HOSTILE);
        scene.reply(&format!(
            "{HOSTILE}\n\n| {HOSTILE} | b |\n|---|---|\n| 漢 | d |\n\n```python\n{HOSTILE}\n{HOSTILE}\n```\n"
        ));
        if let Some(block) = scene.state().waiting().map(|item| item.block.id.0) {
            scene.inspect(block, Vec::new());
            let value = Some(HOSTILE.to_owned());
            scene.running(block, HOSTILE, 1_500);
            scene.frame();
            scene.ended(RunReport { value, ..report(&format!("{HOSTILE}\n").repeat(30), 100) });
            scene.reply(HOSTILE);
            scene.ask(HOSTILE);
            scene.streaming(&format!("{HOSTILE}\n```python\nprint('{HOSTILE}')\n```\n{HOSTILE}"));
        }
    }
    scene
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if std::env::var_os("SAYSO_TEST_CASES").is_some() { 400 } else { 60 }))]

    #[test]
    fn every_frame_is_whole(
        phase in proptest::sample::select(At::VARIANTS.to_vec()),
        with_hostile in any::<bool>(),
        first in size(),
        open in proptest::sample::select(vec!["", "ctrl-f", "x", "f1", "f2", "a", "A", "r", "e", "t", "J"]),
        steps in proptest::collection::vec(step(), 0..14),
    ) {
        let mut scene = made(phase);
        if with_hostile {
            scene = hostile(scene);
        }
        let mut at = first;
        check(&mut scene, at)?;
        match open {
            "x" => scene.screen.panes.focus = Pane::Output,
            "a" | "A" | "r" | "e" | "t" | "J" => scene.screen.panes.focus = Pane::Code,
            _ => {}
        }
        scene.frame();
        if !open.is_empty() {
            scene.pass(1_000);
            scene.press(&[open]);
            check(&mut scene, at)?;
        }
        for step in steps {
            match step {
                Step::Key(name) => {
                    scene.pass(60);
                    scene.key(name);
                }
                Step::Alone(name) => {
                    scene.pass(1_000);
                    scene.press(&[name]);
                }
                Step::Mouse(kind, column, row) => drop(mouse(&mut scene, kind, (column, row))),
                Step::Paste => {
                    scene.paste(HOSTILE);
                }
                Step::Size(width, height) => at = (width, height),
                Step::Pass(ms) => scene.pass(ms),
            }
            check(&mut scene, at)?;
        }
    }
}

/// The boxes that decide about a block are among the screens drawn.
#[test]
fn what_is_decided_in_a_box_opens_it() {
    for (name, title) in [("a", "Type"), ("A", "Always"), ("r", "Reject"), ("t", "Limits"), ("e", "EDITING")]
    {
        let mut scene = match name {
            // A block with a high finding can have no rule.
            "A" => Scene::waiting_with(inspection(confined("python"), Vec::new())),
            _ => Scene::waiting(),
        };
        scene.see_block();
        scene.press(&[name]);
        let text = super::drawn(&mut scene, 140, 40);
        assert!(text.contains(title), "{name}: {text}");
        check(&mut scene, (60, 14)).unwrap();
    }
}

#[test]
fn the_smallest_and_the_largest() {
    for phase in At::VARIANTS {
        for size in [(1, 1), (1, 200), (500, 1), (2, 2), (49, 12), (50, 11), (50, 12), (500, 200)] {
            check(&mut made(*phase), size).unwrap();
            check(&mut hostile(made(*phase)), size).unwrap();
        }
    }
}

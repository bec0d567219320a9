//! Selecting with the mouse: the selected text is the original text, however it is wrapped.

use super::scene::{CODE, Scene};
use super::{drawn, frame};
use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::style::Modifier;
use sayso::domain::*;
use sayso::tui::ui_command::UiCommand;
use sayso::tui::widgets::layout::Pane;

pub(super) fn mouse(scene: &mut Scene, kind: MouseEventKind, (column, row): (u16, u16)) -> Vec<UiCommand> {
    let event = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
    scene.step(|screen, ctx| screen.mouse(event, ctx))
}

pub(super) fn down(scene: &mut Scene, at: (u16, u16)) -> Vec<UiCommand> {
    mouse(scene, MouseEventKind::Down(MouseButton::Left), at)
}

pub(super) fn drag(scene: &mut Scene, at: (u16, u16)) -> Vec<UiCommand> {
    mouse(scene, MouseEventKind::Drag(MouseButton::Left), at)
}

pub(super) fn up(scene: &mut Scene, at: (u16, u16)) -> Vec<UiCommand> {
    mouse(scene, MouseEventKind::Up(MouseButton::Left), at)
}

pub(super) fn click(scene: &mut Scene, at: (u16, u16)) -> Vec<UiCommand> {
    down(scene, at);
    up(scene, at)
}

/// The copied text; there may be no other command.
fn copied(commands: Vec<UiCommand>) -> Option<String> {
    let mut commands = commands.into_iter();
    let text = commands.next().map(|wish| match wish {
        UiCommand::Copy(text) => text,
        other => panic!("{other:?}"),
    });
    assert!(commands.next().is_none());
    text
}

/// The cell where a text begins on screen.
pub(super) fn place(screen: &str, text: &str) -> (u16, u16) {
    let (y, row) = screen
        .lines()
        .enumerate()
        .find(|(_, row)| row.contains(text))
        .unwrap_or_else(|| panic!("{text}:\n{screen}"));
    let before = &row[..row.find(text).unwrap()];
    (u16::try_from(unicode_width::UnicodeWidthStr::width(before)).unwrap(), u16::try_from(y).unwrap())
}

/// Drags from the beginning of one text to the beginning of another.
fn dragged(scene: &mut Scene, size: (u16, u16), from: &str, to: &str) -> Option<String> {
    let screen = drawn(scene, size.0, size.1);
    let (from, to) = (place(&screen, from), place(&screen, to));
    assert!(down(scene, from).is_empty() && drag(scene, to).is_empty());
    copied(up(scene, to))
}

fn reviewing(size: (u16, u16)) -> Scene {
    let mut scene = Scene::waiting();
    scene.screen.resized(size, scene.at);
    scene.focus(Pane::Code);
    drawn(&mut scene, size.0, size.1);
    scene
}

#[test]
fn code_is_taken_without_gutter_findings_and_wraps() {
    for size in super::SIZES {
        let mut scene = reviewing(size);
        scene.press(&["f"]);
        // The finding below the line is not part of the text.
        let text = dragged(&mut scene, size, "old.exists", "old.mkdir").unwrap();
        assert_eq!(text, "old.exists():\n    shutil.rmtree(old)\n", "{size:?}");
    }
    let long = format!("print('{}')", "wide 漢字 and\ttab ".repeat(12));
    let mut scene = Scene::worked();
    scene.reply(&format!("```python\n{long}\nend = 1\n```\n"));
    scene.inspect(3, Vec::new());
    scene.focus(Pane::Code);
    let text = dragged(&mut scene, (100, 30), "print('", "end = 1").unwrap();
    assert_eq!(text, format!("{long}\n"));
}

#[test]
fn prose_is_taken_as_lines_and_output_with_its_tabs() {
    let mut scene = Scene::one_ran();
    scene.ran(2, 800, "a\tb 漢\nsecond line\n");
    scene.reply("It holds rows.");
    for size in [(140, 40), (100, 30), (80, 24)] {
        scene.screen.panes.focus = Pane::Chat;
        let text = dragged(&mut scene, size, "read the file", "block 1").unwrap();
        let whole =
            "read the file, group by region and month, remove the old chart folder and save one plot.\n  ";
        assert_eq!(text, whole, "{size:?}");
        scene.screen.panes.focus = Pane::Output;
        let text = dragged(&mut scene, size, "b 漢", "line").unwrap();
        assert_eq!(text, "b 漢\nsecond ");
        // Backwards gives the same; a selection from the tab on contains the tab.
        let screen = drawn(&mut scene, size.0, size.1);
        let (end, start) = (place(&screen, "cond line"), place(&screen, "b 漢"));
        down(&mut scene, end);
        drag(&mut scene, (start.0 - 3, start.1));
        assert_eq!(copied(up(&mut scene, end)).as_deref(), Some("\tb 漢\nse"));
    }
}

#[test]
fn two_presses_take_a_word_and_three_a_line() {
    let mut scene = reviewing((140, 40));
    let at = place(&drawn(&mut scene, 140, 40), "to_period");
    for taken in [None, Some("to_period"), Some("df['month'] = pd.to_datetime(df['date']).dt.to_period('M')")]
    {
        scene.pass(50);
        let text = copied(click(&mut scene, (at.0 + 2, at.1)));
        match taken {
            Some(taken) => assert!(text.as_deref().is_some_and(|text| text.contains(taken)), "{text:?}"),
            None => assert_eq!(text, None),
        }
    }
    // Much later it is a single click again.
    scene.pass(1_000);
    assert_eq!(copied(click(&mut scene, (at.0 + 2, at.1))), None);
}

#[test]
fn what_is_selected_is_seen_and_stays_when_output_comes() {
    let reversed = |scene: &mut Scene| {
        let (buffer, _) = frame(scene, 140, 40);
        let cells = buffer.content.iter().filter(|cell| cell.modifier.contains(Modifier::REVERSED));
        cells.map(|cell| cell.symbol().to_owned()).collect::<String>()
    };
    let mut scene = Scene::one_ran();
    scene.running(2, "one\ntwo\nthree\n", 100);
    scene.screen.panes.focus = Pane::Output;
    let screen = drawn(&mut scene, 140, 40);
    let before = reversed(&mut scene);
    let (from, to) = (place(&screen, "two"), place(&screen, "three"));
    down(&mut scene, from);
    drag(&mut scene, (to.0 + 2, to.1));
    assert_eq!(reversed(&mut scene), format!("{before}twoth"));
    let more: String = (0..30_000).map(|n| format!("more {n}\n")).collect();
    let run = scene.state().live().run.as_ref().unwrap().run;
    scene.step(|screen, _| screen.panes.output.push(run, Stream::Stdout, more.as_bytes()));
    drawn(&mut scene, 140, 40);
    // The pane followed its end: the selection is above the screen, and unchanged.
    assert_eq!(copied(up(&mut scene, (to.0 + 2, to.1))).as_deref(), Some("two\nth"));
    scene.press(&["g"]);
    assert_eq!(reversed(&mut scene), before, "a key lets it go");
}

#[test]
fn beyond_the_edge_the_pane_scrolls() {
    let lines: String = (0..200).map(|n| format!("line {n:03}\n")).collect();
    let mut scene = Scene::one_ran();
    scene.ran(2, 800, &lines);
    scene.screen.panes.focus = Pane::Output;
    drawn(&mut scene, 140, 40);
    scene.press(&["g"]);
    let from = place(&drawn(&mut scene, 140, 40), "line 001");
    down(&mut scene, from);
    drag(&mut scene, (from.0, 39));
    for _ in 0..40 {
        scene.pass(60);
    }
    let text = copied(up(&mut scene, (from.0, 39))).unwrap();
    assert!(text.starts_with("line 001\nline 002\n") && text.lines().count() > 50, "{text}");
    assert!(scene.screen.next_deadline().is_none_or(|at| at > scene.at), "nothing scrolls any more");
}

#[test]
fn a_drag_decides_and_opens_nothing_and_a_click_does_what_it_did() {
    let mut scene = reviewing((140, 40));
    scene.see_everything();
    let screen = drawn(&mut scene, 140, 40);
    let (block, away) = (place(&screen, "block 1"), place(&screen, "model  10:41"));
    down(&mut scene, block);
    drag(&mut scene, away);
    assert!(copied(up(&mut scene, away)).is_some());
    assert_eq!(scene.screen.panes.code.subject(), Some(BlockId(3)), "the block was not opened");
    // A drag from a button to a text, and back, does nothing.
    let approve = scene.screen.hits.buttons.first().unwrap().clone();
    let button = (approve.columns.start, approve.row);
    down(&mut scene, away);
    drag(&mut scene, button);
    let commands = up(&mut scene, button);
    assert!(copied(commands).is_some() && scene.screen.overlays.is_empty());
    down(&mut scene, button);
    drag(&mut scene, away);
    assert!(up(&mut scene, away).is_empty() && scene.screen.overlays.is_empty());
    // A drag that comes back to where it began has selected nothing, and is no click.
    scene.pass(1_000);
    down(&mut scene, block);
    drag(&mut scene, (block.0 + 1, block.1));
    drag(&mut scene, block);
    assert!(up(&mut scene, block).is_empty());
    assert_eq!(scene.screen.panes.code.subject(), Some(BlockId(3)), "the block was not opened");
    // A click.
    scene.pass(1_000);
    assert!(click(&mut scene, block).is_empty());
    assert_eq!(scene.screen.panes.code.subject(), Some(BlockId(1)));
    assert!(CODE.lines().count() > 20);
}

#[test]
fn it_looks_the_same_at_every_size() {
    for (width, height) in super::SIZES {
        let mut scene = reviewing((width, height));
        let from = place(&drawn(&mut scene, width, height), "read_csv");
        down(&mut scene, from);
        drag(&mut scene, (from.0 + 4, from.1 + 1));
        let (buffer, _) = frame(&mut scene, width, height);
        let rows: Vec<String> = (0..height)
            .map(|y| {
                let marked =
                    (0..width).map(|x| &buffer[(x, y)]).filter(|c| c.modifier.contains(Modifier::REVERSED));
                marked.map(|cell| cell.symbol().to_owned()).collect::<String>()
            })
            .filter(|row| row.contains("csv") || row.contains("df["))
            .collect();
        insta::assert_snapshot!(format!("20_selected_{width}x{height}"), rows.join("\n"));
    }
}

/// A long message, of which the last lines are shown.
fn long_message() -> (Scene, String) {
    let mut scene = Scene::waiting();
    let lines: Vec<String> = (10..40).map(|n| format!("first{n} second{n}")).collect();
    scene.screen.panes.composer.set(&lines.join("\n"));
    scene.screen.panes.focus = Pane::Message;
    let screen = drawn(&mut scene, 100, 30);
    assert!(screen.contains("second39") && !screen.contains("second10"), "{screen}");
    (scene, screen)
}

/// The number of the first visible line of the long message.
fn first_shown(screen: &str) -> usize {
    (10..40).find(|n| screen.contains(&format!("second{n}"))).unwrap()
}

#[test]
fn a_message_that_scrolls_stays_where_it_is_under_the_mouse() {
    let (mut scene, screen) = long_message();
    let top = first_shown(&screen);
    let word = place(&screen, &format!("second{top}"));
    for _ in 0..2 {
        click(&mut scene, word);
        assert_eq!(first_shown(&drawn(&mut scene, 100, 30)), top);
    }
    assert_eq!(scene.screen.panes.composer.field.selected(), Some(format!("second{top}")));
    // A sideways drag selects what it covers, however many events the mouse sends.
    let (mut scene, _) = long_message();
    down(&mut scene, word);
    for column in 1..=6 {
        drag(&mut scene, (word.0 + column, word.1));
        assert_eq!(first_shown(&drawn(&mut scene, 100, 30)), top);
    }
    assert_eq!(scene.screen.panes.composer.field.selected().as_deref(), Some("second"));
}

#[test]
fn a_message_scrolls_as_far_as_its_cursor_asks_for() {
    let (mut scene, screen) = long_message();
    let top = first_shown(&screen);
    let shown = 40 - top;
    for up in 1..=shown {
        scene.press(&["up"]);
        let first = first_shown(&drawn(&mut scene, 100, 30));
        assert_eq!(first, if up < shown { top } else { top - 1 }, "{up}");
    }
    scene.screen.panes.composer.set("one\ntwo\nthree");
    assert!(drawn(&mut scene, 100, 30).contains("> one"), "a shorter text is shown whole");
}

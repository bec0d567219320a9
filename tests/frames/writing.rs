//! Editable texts: typed text is visible at every length, selections are highlighted, defaults are replaced by
//! typing, the keys of vim show their mode and decide nothing, the mouse works inside texts.

use super::pickers::copied;
use super::scene::{Scene, sent_edit};
use super::selecting::{click, down, drag, place, up};
use super::{SIZES, assert_screen, assert_shown, drawn};
use sayso::engine::Command;
use sayso::tui::overlays::limits::LimitsForm;
use sayso::tui::setup::Setup;
use sayso::tui::ui_command::{EditTarget, UiCommand};
use sayso::tui::widgets::layout::Pane;

const CODE: &str = "for i in range(3):\n    print(i)\n    print('done')\n";

fn vim() -> Setup {
    Setup { vim: true, ..Setup::default() }
}

/// A block waits and was seen; it has the focus.
fn at_block(setup: Setup) -> Scene {
    let mut scene = Scene::set_up(setup);
    scene.ask("count");
    scene.reply(&format!("```python\n{CODE}```\n"));
    scene.inspect(1, Vec::new());
    scene.screen.resized((140, 40), scene.at);
    scene.screen.panes.focus = Pane::Code;
    scene.see_everything();
    scene.pass(1_000);
    scene
}

/// The block in the editor.
fn editing(setup: Setup) -> Scene {
    let mut scene = at_block(setup);
    press(&mut scene, "e");
    scene.wait(600);
    assert!(scene.screen.panes.code.edits());
    scene
}

fn press(scene: &mut Scene, key: &str) -> Vec<UiCommand> {
    let mut commands = scene.press(&[key]);
    scene.pass(500);
    commands.extend(scene.take_commands());
    commands
}

fn press_each(scene: &mut Scene, keys: &[&str]) -> Vec<UiCommand> {
    keys.iter().flat_map(|key| press(scene, key)).collect()
}

fn edited(scene: &mut Scene) -> String {
    scene.screen.panes.code.editor().unwrap().text()
}

#[test]
fn what_is_typed_is_seen_with_its_cursor_at_every_length() {
    for (width, height) in SIZES.into_iter().chain([(120, 36)]) {
        for letter in ['Ѧ', '漢'] {
            let mut scene = Scene::new();
            for length in 1..=200usize {
                scene.type_text(&letter.to_string());
                let text = drawn(&mut scene, width, height);
                let cursor = text.rsplit_once("(cursor ").map(|(_, at)| at.trim_end_matches(')').to_owned());
                let cursor = cursor.unwrap_or_else(|| panic!("{length} at {width}: no cursor"));
                let row: usize = cursor.split_once(',').unwrap().1.parse().unwrap();
                let seen = text.lines().take(row + 1).collect::<String>().matches(letter).count();
                assert_eq!(seen, length, "{length} of {letter} at {width}\n{text}");
            }
        }
    }
}

#[test]
fn an_offered_text_gives_way_to_what_is_typed_and_a_move_keeps_it() {
    let value = |scene: &mut Scene| scene.screen.top::<LimitsForm>().unwrap().rows[0].field.text();
    let mut scene = at_block(Setup::default());
    press(&mut scene, "t");
    scene.wait(500);
    let before = value(&mut scene);
    assert!(!before.is_empty());
    scene.type_text("5");
    assert_eq!(value(&mut scene), "5");
    press(&mut scene, "ctrl-_");
    assert_eq!(value(&mut scene), before, "it comes back");
    press(&mut scene, "end");
    scene.type_text("5");
    assert_eq!(value(&mut scene), format!("{before}5"));
}

#[test]
fn the_editor_selects_finds_replaces_and_comments() {
    let mut scene = editing(Setup::default());
    press(&mut scene, "ctrl-f");
    scene.type_text("print");
    insta::assert_snapshot!("writing_find_100x30", drawn(&mut scene, 100, 30));
    press(&mut scene, "tab");
    scene.type_text("say");
    press(&mut scene, "enter");
    assert!(edited(&mut scene).contains("    say(i)\n    print"));
    press(&mut scene, "ctrl-r");
    assert!(edited(&mut scene).contains("    say(i)\n    say('done')"));
    press(&mut scene, "esc");
    press_each(&mut scene, &["ctrl-home", "ctrl-space", "down", "down", "ctrl-t"]);
    assert_eq!(edited(&mut scene), "# for i in range(3):\n#     say(i)\n    say('done')\n");
    press_each(&mut scene, &["ctrl-_", "ctrl-_", "ctrl-_"]);
    assert_eq!(edited(&mut scene), CODE);
    press(&mut scene, "ctrl-o");
    scene.type_text("2");
    press(&mut scene, "enter");
    press_each(&mut scene, &["ctrl-]", "ctrl-space", "ctrl-]"]);
    assert_eq!(copied(&press(&mut scene, "ctrl-x")), "(i");
}

/// Replacing uses the text in the find box, whatever was searched for before.
#[test]
fn what_the_find_box_shows_is_what_is_replaced() {
    let mut scene = editing(Setup::default());
    press(&mut scene, "ctrl-f");
    scene.type_text("print");
    press(&mut scene, "enter");
    press_each(&mut scene, &["ctrl-home", "ctrl-space", "right", "right", "right", "ctrl-\\"]);
    assert_shown(&mut scene, 100, 30, "find > for");
    scene.type_text("bar");
    press(&mut scene, "ctrl-r");
    assert_eq!(edited(&mut scene), CODE.replace("for", "bar"));
    press_each(
        &mut scene,
        &["esc", "ctrl-_", "ctrl-home", "ctrl-space", "right", "right", "right", "ctrl-\\"],
    );
    scene.type_text("bar");
    press(&mut scene, "enter");
    assert_eq!(edited(&mut scene), CODE, "the first Enter shows what it is about");
    assert_shown(&mut scene, 100, 30, "Match 1 of 1.");
    press(&mut scene, "enter");
    assert_eq!(edited(&mut scene), CODE.replace("for", "bar"));
}

#[test]
fn what_was_found_before_is_not_replaced_under_a_broken_pattern() {
    let mut scene = editing(Setup::default());
    press_each(&mut scene, &["ctrl-f", "ctrl-t"]);
    scene.type_text("print(");
    press(&mut scene, "tab");
    scene.type_text("say");
    let selected = scene.screen.panes.code.editor().unwrap().field.selected();
    for key in ["enter", "ctrl-r", "ctrl-n", "ctrl-p"] {
        press(&mut scene, key);
        assert_eq!(edited(&mut scene), CODE, "{key}");
        assert_eq!(scene.screen.panes.code.editor().unwrap().field.selected(), selected, "{key}");
        assert!(drawn(&mut scene, 100, 30).contains("unclosed group"));
    }
}

/// Only its line ends differ: this counts as a change, and is shown as one.
#[test]
fn other_ends_of_lines_are_a_change() {
    let mut scene = editing(Setup::default());
    scene.step(|screen, ctx| screen.from_editor(EditTarget::EditMode, CODE.replace('\n', "\r\n"), ctx));
    assert_shown(&mut scene, 100, 30, "you changed the ends of lines");
    assert_eq!(scene.screen.unsent_text(), CODE.replace('\n', "\r\n"));
    assert_eq!(sent_edit(&press(&mut scene, "esc")), CODE.replace('\n', "\r\n"));
}

/// The cost of a frame grows neither with matches below the pane nor with the square of the matches in it.
#[test]
fn a_line_of_many_matches_is_drawn_and_replaced() {
    let mut scene = editing(Setup::default());
    let many = "漢,".repeat(50_000);
    scene.paste(&format!("{many}\n"));
    press(&mut scene, "ctrl-home");
    press(&mut scene, "ctrl-f");
    scene.type_text(",");
    let text = drawn(&mut scene, 100, 30);
    assert!(text.contains("Match 1 of 50000."), "{text}");
    assert_eq!(text.lines().filter(|row| row.contains(&"漢,".repeat(29))).count(), 15, "{text}");
    press(&mut scene, "tab");
    scene.type_text(";");
    press(&mut scene, "ctrl-r");
    assert!(edited(&mut scene).starts_with(&many.replace(',', ";")));
}

#[test]
fn lines_above_fill_the_room_where_a_long_paste_was_undone() {
    let mut scene = editing(Setup::default());
    let all = drawn(&mut scene, 80, 24);
    press(&mut scene, "ctrl-end");
    scene.paste(&"x = 1\n".repeat(5_000));
    assert!(!drawn(&mut scene, 80, 24).contains("for i in range(3)"));
    press(&mut scene, "ctrl-_");
    let lines = |screen: &str| screen.matches(" │ ").count();
    let undone = drawn(&mut scene, 80, 24);
    assert!(undone.contains("for i in range(3)"), "{undone}");
    assert_eq!(lines(&undone), lines(&all), "{undone}");
}

#[test]
fn vim_says_its_mode_and_decides_nothing() {
    let mut scene = editing(vim());
    for (width, height) in SIZES {
        insta::assert_snapshot!(format!("writing_vim_{width}x{height}"), drawn(&mut scene, width, height));
    }
    let keys =
        ["j", "d", "d", "a", "r", "s", "A", "x", "esc", "Z", "Z", "v", "j", "y", "p", "u", "u", "u", "u"];
    let all = press_each(&mut scene, &keys);
    assert!(all.is_empty(), "{all:?}");
    assert!(drawn(&mut scene, 100, 30).contains("EDITING NORMAL"));
    assert_eq!(edited(&mut scene), CODE);
    press(&mut scene, ":");
    scene.type_text("w");
    press(&mut scene, "enter");
    assert!(scene.screen.panes.code.edits(), "it is a number or nothing");
    press(&mut scene, "esc");
    press_each(&mut scene, &["g", "g", "c", "w"]);
    scene.type_text("while");
    assert!(drawn(&mut scene, 100, 30).contains("EDITING INSERT"));
    press(&mut scene, "esc");
    assert!(scene.screen.panes.code.edits(), "first it means normal mode");
    assert!(sent_edit(&press(&mut scene, "esc")).starts_with("while i in range"));
}

#[test]
fn vim_in_message_begins_with_text_and_sends_by_enter() {
    let mut scene = Scene::set_up(vim());
    scene.frame();
    assert!(drawn(&mut scene, 100, 30).contains("Message INSERT"));
    scene.type_text("one two");
    press(&mut scene, "esc");
    assert!(drawn(&mut scene, 100, 30).contains("Message NORMAL"));
    scene.type_text("bcwthree");
    assert_eq!(scene.screen.panes.composer.full_text(), "one three");
    press(&mut scene, "esc");
    scene.type_text("u");
    assert_eq!(scene.screen.panes.composer.full_text(), "one two");
    let sent = press(&mut scene, "enter");
    assert!(matches!(sent.as_slice(), [UiCommand::Send(Command::Submit(_))]), "{sent:?}");
    scene.type_text("text again");
    assert_eq!(scene.screen.panes.composer.full_text(), "text again");
}

#[test]
fn an_older_message_that_vim_or_a_cut_changed_stays() {
    for (setup, keys) in [
        (vim(), ["esc", "k", "d", "w", "j"].as_slice()),
        (vim(), &["esc", "k", "v", "l", "ctrl-x", "j"]),
        (Setup::default(), &["up", "ctrl-home", "ctrl-space", "right", "right", "ctrl-x", "down"]),
    ] {
        let mut scene = Scene::set_up(setup);
        scene.frame();
        scene.screen.panes.composer.remember("one two".into());
        let mut changed = String::new();
        for key in keys {
            changed = scene.screen.panes.composer.full_text();
            press(&mut scene, key);
        }
        assert!(!changed.is_empty() && changed != "one two", "{keys:?}: {changed}");
        assert_eq!(scene.screen.panes.composer.full_text(), changed, "{keys:?}");
    }
}

#[test]
fn ctrl_y_is_the_key_of_the_block_in_every_mode() {
    for mode in ["", "v", "i"] {
        let mut scene = at_block(vim());
        scene.screen.panes.focus = Pane::Message;
        scene.type_text("x");
        press(&mut scene, "esc");
        scene.type_text(mode);
        press(&mut scene, "ctrl-y");
        assert_eq!(scene.screen.panes.focus, Pane::Code, "{mode}");
        assert_eq!(scene.screen.panes.composer.full_text(), "x", "{mode}");
    }
}

#[test]
fn the_mouse_puts_the_cursor_and_selects() {
    let mut scene = editing(Setup::default());
    let (x, y) = place(&drawn(&mut scene, 140, 40), "print(i)");
    click(&mut scene, (x + 6, y));
    assert_eq!(scene.screen.panes.code.editor().unwrap().field.cursor().byte, 10);
    scene.pass(1_000);
    click(&mut scene, (x + 2, y));
    click(&mut scene, (x + 2, y));
    let selected = |scene: &mut Scene| scene.screen.panes.code.editor().unwrap().field.selected();
    assert_eq!(selected(&mut scene).as_deref(), Some("print"));
    click(&mut scene, (x + 2, y));
    assert_eq!(selected(&mut scene).as_deref(), Some("    print(i)"));
    scene.pass(1_000);
    down(&mut scene, (x, y));
    drag(&mut scene, (x + 5, y + 1));
    up(&mut scene, (x + 5, y + 1));
    assert_eq!(selected(&mut scene).as_deref(), Some("print(i)\n    print"));
    press(&mut scene, "del");
    assert_eq!(edited(&mut scene), "for i in range(3):\n    ('done')\n");

    scene.screen.panes.focus = Pane::Message;
    scene.type_text("some words here");
    let (x, y) = place(&drawn(&mut scene, 140, 40), "some words here");
    scene.pass(1_000);
    click(&mut scene, (x + 6, y));
    click(&mut scene, (x + 6, y));
    scene.type_text("things");
    assert_eq!(scene.screen.panes.composer.full_text(), "some things here");
}

#[test]
fn the_mouse_writes_in_the_fields_of_what_stands_over_the_panes() {
    // Two fields: a click goes to the one that is clicked.
    let mut scene = editing(Setup::default());
    press(&mut scene, "ctrl-f");
    scene.type_text("alpha beta");
    let (x, y) = place(&drawn(&mut scene, 100, 30), "alpha beta");
    click(&mut scene, (x + 2, y));
    scene.type_text("X");
    let by = place(&drawn(&mut scene, 100, 30), "replace > ");
    click(&mut scene, (by.0 + 14, by.1));
    scene.type_text("gamma");
    assert_screen(&mut scene, 100, 30, &["find > alXpha beta", "replace > gamma"], &[]);
    scene.pass(1_000);
    click(&mut scene, (x + 7, y));
    click(&mut scene, (x + 7, y));
    scene.type_text("word");
    assert!(drawn(&mut scene, 100, 30).contains("find > alXpha word"));
    down(&mut scene, (x, y));
    drag(&mut scene, (x + 7, y + 3));
    up(&mut scene, (x + 7, y + 3));
    scene.type_text("a ");
    assert!(drawn(&mut scene, 100, 30).contains("find > a word"));
    // A suggested default is kept when the cursor is moved into it.
    let mut scene = at_block(Setup::default());
    press(&mut scene, "t");
    let (x, y) = place(&drawn(&mut scene, 100, 30), "60 s");
    click(&mut scene, (x + 1, y));
    scene.type_text("5");
    assert_shown(&mut scene, 100, 30, "650 s");
    // The field in the message box.
    let mut scene = Scene::new();
    press(&mut scene, "ctrl-f");
    scene.type_text("needle");
    let (x, y) = place(&drawn(&mut scene, 100, 30), "needle");
    click(&mut scene, (x + 4, y));
    scene.type_text("d");
    assert!(drawn(&mut scene, 100, 30).contains("needdle"));
}

#[test]
fn up_goes_by_rows_before_it_goes_to_older_messages() {
    let mut scene = Scene::new();
    scene.screen.panes.composer.remember("an older message".into());
    scene.type_text(&"0123456789".repeat(12));
    drawn(&mut scene, 80, 24);
    press(&mut scene, "up");
    assert_eq!(scene.screen.panes.composer.full_text().len(), 120, "still the same message");
    let width = 120 - scene.screen.panes.composer.field.cursor().byte;
    assert!((60..80).contains(&width), "{width}");
    press(&mut scene, "up");
    assert_eq!(scene.screen.panes.composer.full_text(), "an older message");
}

#[test]
fn a_long_block_is_edited_by_what_is_seen() {
    let mut scene = editing(Setup::default());
    let code = "print('a line of some length')\n".repeat(50_000);
    scene.paste(&code);
    scene.press(&["ctrl-end"]);
    scene.type_text(" x = 1");
    assert_screen(&mut scene, 100, 30, &["x = 1", "line 50004 col 7"], &[]);
}

//! A run with its own terminal: its rights, and who gets the keys while it runs.

use super::rules::{clean, shell, told};
use super::scene::{Scene, confined, inspection, report, sent};
use super::selecting::mouse;
use super::{assert_screen, assert_shown, drawn, snapshots};
use crossterm::event::{MouseButton, MouseEventKind};
use sayso::domain::*;
use sayso::driver::Notification;
use sayso::engine::Command;
use sayso::tui::screen::Screen;
use sayso::tui::ui_command::UiCommand;
use sayso::tui::widgets::layout::Pane;

/// A block of bash waits, and the person wants a terminal for it.
fn wanted() -> Scene {
    let mut scene = Scene::new();
    scene.ask("Ask me for my name.");
    scene.proposed(1, "bash", "read -p 'Name? ' name\necho \"Hello $name.\"");
    scene.review();
    scene.frame();
    assert_eq!(*sent(&scene.press(&["T"])), Command::ToggleTerminal(BlockId(1)));
    scene.command(Command::ToggleTerminal(BlockId(1)));
    let mut terms = confined("bash");
    terms.rights.terminal = true;
    scene.inspected(1, inspection(terms, Vec::new()));
    scene.frame();
    scene
}

/// The texts about the waiting block name it only once.
#[test]
fn a_block_is_not_named_twice() {
    let mut scene = wanted();
    let notice = Notice::info("Block 1 would have its own terminal. T goes back.");
    scene.step(|screen, ctx| screen.notified(Notification::Notice(notice), ctx));
    assert_shown(&mut scene, 100, 30, "Block 1 waits.  It would have its own terminal. T goes back.");
}

/// The program asks for input.
fn asking() -> Scene {
    let mut scene = wanted();
    scene.see_everything();
    scene.running(1, "Name? ", 3_000);
    scene.frame();
    scene
}

/// A screen painted by a program: rows of text; a row that begins with `#` is reversed.
fn painted(rows: &[&str], cursor: (u16, u16), is_alternate: bool) -> RunEvent {
    let row = |text: &&str| {
        let mut pen = Pen::default();
        pen.obey(if text.starts_with('#') { b"7" } else { b"0" });
        let cells = text.trim_start_matches('#').chars().flat_map(|character| {
            let width = if character == '漢' { 2 } else { 1 };
            let cell = ScreenCell { character, marks: None, width, pen };
            let half = (width == 2).then(|| ScreenCell { width: 0, ..ScreenCell::blank(pen) });
            std::iter::once(cell).chain(half)
        });
        std::sync::Arc::new(cells.collect::<Vec<_>>())
    };
    RunEvent::Screen(Box::new(TerminalScreen {
        rows: rows.iter().map(row).collect(),
        cursor: Some(cursor),
        is_alternate,
        application_cursor: is_alternate,
        bracketed_paste: is_alternate,
        mouse: MouseReports::None,
        mouse_in_numbers: false,
    }))
}

/// An editor that paints the whole screen.
fn editing() -> Scene {
    let mut scene = asking();
    let rows = [
        "# note.txt   [modified]        ",
        "1 Hello 漢 Ada",
        "2 \u{1b}]0;title\u{7}\u{202e}bidi",
        "~",
        "~",
        "#^X leave",
    ];
    scene.run(painted(&rows, (1, 12), true));
    scene.frame();
    scene
}

fn typed(commands: &[UiCommand]) -> Vec<u8> {
    let bytes = commands.iter().filter_map(|wish| match wish {
        UiCommand::Control(RunId(1), RunControl::Type(bytes)) => Some(bytes.clone()),
        _ => None,
    });
    bytes.flatten().collect()
}

#[test]
fn terminal_in_the_rights() {
    snapshots("04h_terminal", wanted);
}

#[test]
fn keys_handed_over() {
    snapshots("05d_keys_handed_over", || asking().pressed(&["ctrl-]"]));
    snapshots("05e_asks_and_keys_are_here", asking);
}

#[test]
fn a_screen_that_a_program_paints() {
    snapshots("05f_full_screen", || editing().pressed(&["ctrl-]"]));
    snapshots("05g_full_screen_and_keys_are_here", editing);
}

/// A program that prints lines is shown as a screen while it has the keys; otherwise its lines are shown, and
/// can be scrolled.
#[test]
fn lines_are_a_screen_while_the_keys_are_with_the_program() {
    let mut scene = asking();
    scene.run(painted(&["a screen", "Name? "], (1, 6), false));
    assert!(!drawn(&mut scene, 100, 30).contains("a screen"));
    scene.press(&["ctrl-]"]);
    assert_screen(&mut scene, 100, 30, &["a screen"], &["no cursor"]);
    scene.press(&["ctrl-]"]);
    assert!(!drawn(&mut scene, 100, 30).contains("a screen"));
    // After its end, its lines are shown.
    scene.press(&["ctrl-]"]);
    scene.ended(report("Name? Ada\r\n", 3_000));
    assert_screen(&mut scene, 100, 30, &["DONE 0", "Name?"], &["a screen"]);
}

#[test]
fn a_program_that_is_known_to_wait_says_so() {
    let mut scene = asking();
    scene.screen.show_note(Notice::info("Approved once at 12:00:00.").into());
    assert!(drawn(&mut scene, 80, 24).contains("Approved once"));
    scene.run(RunEvent::Asks(true));
    for (width, height) in [(140, 40), (100, 30), (80, 24)] {
        assert_shown(&mut scene, width, height, "It waits for input: Ctrl-] types.");
    }
    scene.run(RunEvent::Asks(false));
    assert!(!drawn(&mut scene, 80, 24).contains("waits for input"));
}

#[test]
fn keys_are_sent_as_the_program_wants_them() {
    let mut scene = asking();
    scene.press(&["ctrl-]"]);
    assert_eq!(typed(&scene.press(&["up", "f1", "home"])), b"\x1b[A\x1bOP\x1b[H");
    scene.run(painted(&["x"], (0, 0), true));
    assert_eq!(typed(&scene.press(&["up", "home", "alt-b"])), b"\x1bOA\x1bOH\x1bb");
    let pasted = scene.paste("one\ntwo\u{1b}[201~");
    assert_eq!(typed(&pasted), b"\x1b[200~one\rtwo[201~\x1b[201~");
}

/// The mouse belongs to the program on its screen while the program has the keys and asks for the mouse;
/// everywhere else it belongs to sayso.
#[test]
fn the_mouse_goes_to_a_program_that_asks_for_it() {
    let mut scene = asking();
    let asks = |scene: &mut Scene, mouse| {
        let RunEvent::Screen(mut screen) = painted(&["one", "two"], (1, 0), true) else { unreachable!() };
        (screen.mouse, screen.mouse_in_numbers) = (mouse, true);
        scene.run(RunEvent::Screen(screen));
        drawn(scene, 140, 40);
    };
    let mouse = |scene: &mut Scene, kind, at| typed(&mouse(scene, kind, at));
    let (down, up) = (MouseEventKind::Down(MouseButton::Left), MouseEventKind::Up(MouseButton::Left));
    asks(&mut scene, MouseReports::Drags);
    let area = scene.screen.arrangement.output.unwrap().inner;
    let place = (area.x + 4, area.y + 2);
    assert_eq!(mouse(&mut scene, down, place), b"", "the keys are here");
    mouse(&mut scene, up, place);
    scene.press(&["ctrl-]"]);
    assert_eq!(mouse(&mut scene, down, place), b"\x1b[<0;5;3M");
    let drag = MouseEventKind::Drag(MouseButton::Left);
    let last = format!("\x1b[<32;1;{}M", area.height);
    assert_eq!(mouse(&mut scene, drag, (0, 39)), last.as_bytes(), "at the edge");
    assert_eq!(mouse(&mut scene, up, place), b"\x1b[<0;5;3m");
    assert_eq!(mouse(&mut scene, MouseEventKind::ScrollDown, place), b"\x1b[<65;5;3M");
    for (kind, place) in [(down, (2, 4)), (up, place), (drag, place), (MouseEventKind::ScrollUp, (2, 4))] {
        assert_eq!(mouse(&mut scene, kind, place), b"", "not on its screen, or not begun there");
    }
    asks(&mut scene, MouseReports::None);
    assert_eq!(mouse(&mut scene, down, place), b"", "it asks no more");
    mouse(&mut scene, up, place);
    // The program stops asking while a button is down: the release still ends the drag.
    asks(&mut scene, MouseReports::Drags);
    mouse(&mut scene, down, place);
    asks(&mut scene, MouseReports::None);
    mouse(&mut scene, up, place);
    asks(&mut scene, MouseReports::Drags);
    for (kind, place) in [(down, (2, 4)), (drag, place), (up, place)] {
        assert_eq!(mouse(&mut scene, kind, place), b"", "that began elsewhere");
    }
    asks(&mut scene, MouseReports::Buttons);
    assert_eq!(mouse(&mut scene, down, place), b"\x1b[<0;5;3M");
    scene.ended(report("", 3_000));
    assert_eq!(mouse(&mut scene, up, place), b"", "it has ended");
}

/// A person who thinks before typing is not hurried; the time shown is the time counted.
#[test]
fn the_limit_counts_what_is_computed_while_the_keys_are_with_the_program() {
    let mut scene = asking();
    let counted = |scene: &mut Scene| {
        let commands = scene.step(Screen::settle);
        commands.into_iter().find_map(|wish| match wish {
            UiCommand::Control(RunId(1), RunControl::Count(what)) => Some(what),
            _ => None,
        })
    };
    assert_eq!(counted(&mut scene), None);
    assert!(drawn(&mut scene, 140, 40).contains("3.0 s of 60 s"));
    scene.key("ctrl-]");
    assert_eq!(counted(&mut scene), Some(CountedTime::Computing));
    assert_eq!(counted(&mut scene), None, "it is told once");
    assert!(drawn(&mut scene, 140, 40).contains("of 60 s   118"), "what counts is told by what counts it");
    scene.run(RunEvent::Counts(CountedTime::Computing));
    scene.run(RunEvent::Usage { rss_bytes: 118 << 20, cpu_ms: 4_300 });
    scene.pass(90_000);
    assert_shown(&mut scene, 140, 40, "0.3 s of 60 s computed");
    scene.key("ctrl-]");
    assert_eq!(counted(&mut scene), Some(CountedTime::Passing));
    scene.run(RunEvent::Counts(CountedTime::Passing));
    scene.pass(5_000);
    assert_screen(&mut scene, 140, 40, &["5.0 s of 60 s"], &["computed"]);
    scene.key("ctrl-]");
    counted(&mut scene);
    scene.ended(report("Name? Ada\r\n", 3_000));
    assert_eq!(counted(&mut scene), None, "nothing runs");
}

/// Nothing that a program painted reaches the person's terminal as a sequence, in any cell.
#[test]
fn nothing_painted_is_obeyed() {
    let mut scene = editing();
    let text = drawn(&mut scene, 140, 40);
    assert!(text.contains("2 ?]0;title??bidi"), "{text}");
    assert!(!text.chars().any(|c| c.is_control() && c != '\n' || c == '\u{202e}'));
}

#[test]
fn keys_go_to_the_program_and_come_back_by_one_key() {
    let mut scene = asking();
    assert_eq!(typed(&scene.press(&["A"])), b"", "nothing is handed over by itself");
    scene.press(&["ctrl-]"]);
    assert_eq!(
        typed(&scene.press(&["A", "a", "y", "enter", "ctrl-c", "esc", "tab", "ctrl-y"])),
        b"Aay\r\x03\x1b\t\x19"
    );
    let pasted = scene.paste("one\ntwo\u{1b}[A\u{3}");
    assert_eq!(typed(&pasted), b"one\rtwo[A");
    assert!(drawn(&mut scene, 80, 24).contains("Ctrl-] takes the keys back"));
    scene.press(&["ctrl-]"]);
    assert!(!scene.screen.forwards_keys());
    assert_eq!(typed(&scene.press(&["b"])), b"");
    assert_eq!(scene.screen.panes.composer.full_text(), "Ab", "letters are text where the keys come back");
}

#[test]
fn what_is_typed_on_after_the_end_decides_and_sends_nothing() {
    let mut scene = asking();
    scene.press(&["ctrl-]"]);
    scene.ended(report("Name? \r\n", 3_000));
    scene.proposed(2, "bash", "rm -rf build");
    scene.frame();
    scene.wait(3_000);
    for key in ["a", "y", "enter", "ctrl-y", "ctrl-y", "ctrl-c", "esc", "tab", "a"] {
        let commands = scene.press(&[key]);
        assert!(
            commands.iter().all(|wish| matches!(wish, UiCommand::Send(Command::OnScreen { .. }))),
            "{key}: {commands:?}"
        );
        scene.wait(1_000);
    }
    let commands = scene.paste("a\n");
    assert!(commands.is_empty(), "{commands:?}");
    assert!(drawn(&mut scene, 80, 24).contains("Block 1 has ended: they go nowhere."));
    scene.press(&["ctrl-]"]);
    assert!(!scene.screen.forwards_keys());
    assert_eq!(scene.screen.panes.focus, Pane::Message);
    assert!(scene.state().waiting().is_some_and(|item| item.block.id == BlockId(2)), "it still waits");
    assert_eq!(scene.screen.panes.composer.full_text(), "");
}

#[test]
fn keys_are_not_handed_over_beneath_what_is_open() {
    let mut scene = asking();
    scene.press(&["f1"]);
    assert!(!scene.screen.overlays.is_empty());
    scene.press(&["ctrl-]"]);
    assert!(!scene.screen.forwards_keys());
    assert_eq!(typed(&scene.press(&["b"])), b"");
    scene.press(&["esc", "ctrl-]"]);
    assert!(scene.screen.forwards_keys());
}

#[test]
fn the_key_that_was_shipped_always_takes_the_keys_back() {
    let mut scene = asking();
    scene.press(&["ctrl-]"]);
    let bound = "[[bind]]\ncontext = \"everywhere\"\nkeys = [\"ctrl-t\"]\naction = \"run.type\"\n";
    scene.bind_keys(bound);
    scene.press(&["ctrl-]"]);
    assert!(!scene.screen.forwards_keys());
}

#[test]
fn nothing_starts_by_itself_while_the_keys_are_away() {
    let mut scene = shell();
    scene.ran_by_rule(1, RuleScope::Clean, "total 12\n");
    let mut own = confined("python");
    own.rights.terminal = true;
    scene.inspected(2, inspection(own, Vec::new()));
    scene.running(2, "Name? ", 100);
    scene.frame();
    scene.press(&["ctrl-]"]);
    assert!(scene.screen.forwards_keys());
    scene.ended(report("Name? \r\n", 3_000));
    scene.reply("```bash\nls\n```\n");
    scene.inspected(3, clean("bash"));
    scene.frame();

    assert_eq!(told(&mut scene), []);
    assert!(drawn(&mut scene, 140, 40).contains("they go nowhere. Block 3 waits."));
    scene.press(&["ctrl-]", "ctrl-y"]);
    scene.frame();
    assert!(matches!(told(&mut scene)[..], [Command::OnScreen { block: BlockId(3), seen: true, .. }]));
}

//! Leaving: by command, by signal, by a closing terminal. The terminal is restored.

use crate::model_server::{Answer, Do, ModelServer, delta};
use crate::models::{asking, configure};
use crate::plain::{answer_then, ask, in_lines};
use crate::terminal::{PATIENCE, Setup, Terminal};
use crate::{approve_then, play, ran, say_then, session_with};
use std::path::Path;
use std::time::{Duration, Instant};

const TALK: &str = "pace = 0\n[[reply]]\ntext = \"Hello there.\"\n";

/// Checks that every mode that was switched on is switched off at the end.
fn restored(raw: &[u8]) {
    let text = String::from_utf8_lossy(raw);
    // The alternate screen, bracketed paste, the focus, and all mouse modes.
    for mode in [1049, 2004, 1004, 1000, 1002, 1003, 1006] {
        let (on, off) = (format!("\x1b[?{mode}h"), format!("\x1b[?{mode}l"));
        if let Some(last_on) = text.rfind(&on) {
            assert!(text.rfind(&off).is_some_and(|last_off| last_off > last_on), "{off:?} is missing");
        }
    }
    assert!(text.rfind("\x1b[?25h") > text.rfind("\x1b[?25l"), "the cursor is on again");
}

#[test]
fn quitting_names_the_session() {
    let (_home, mut terminal) = crate::played(TALK);
    say_then(&terminal, "hello", "Hello there.");
    terminal.enter("/quit");
    assert_eq!(terminal.wait_exit(), 0);
    assert!(terminal.screen().contains("Session saved. Continue: sayso resume"), "{}", terminal.screen());
    restored(&terminal.raw());
}

#[test]
fn quitting_during_a_reply_keeps_what_came_and_what_was_queued_and_sends_nothing_more() {
    for hangs_up in [false, true] {
        let home = tempfile::tempdir().expect("a home");
        let reply = Answer::stream(vec![Do::Write(delta("Once upon a time")), Do::Hang]);
        let server = ModelServer::start(vec![reply]);
        configure(home.path(), "", "");
        let mut terminal = asking(home.path(), &server).start();
        say_then(&terminal, "hello", "Once upon a time");
        terminal.enter_then("and then", "queued, sent");
        if hangs_up {
            terminal.signal("HUP");
        } else {
            terminal.enter("/quit");
        }
        terminal.wait_exit();
        let file = session_with(home.path(), r#""kind":"turn_end""#);
        assert!(file.contains("Once upon a time") && !file.contains("and then"), "{file}");

        let mut again = asking(home.path(), &server);
        again.args.insert(0, "resume".into());
        again.args.insert(1, "--last".into());
        let terminal = again.start();
        terminal.wait_for_each(&["Once upon a time", "and then"]);
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn two_interrupts_in_idle_quit() {
    let (_home, mut terminal) = crate::played(TALK);
    terminal.wait_ready();
    terminal.press_then("Ctrl-C", "Ctrl-C again within 2 s quits.");
    // A later one counts as a first one again.
    terminal.press_until_true("Ctrl-C", |screen| !screen.contains("F1 help"));
    terminal.wait_exit();
    restored(&terminal.raw());
}

#[test]
fn signals_restore_the_terminal() {
    for name in ["TERM", "HUP"] {
        let (_home, mut terminal) = crate::played(TALK);
        terminal.wait_ready();
        assert!(!terminal.is_cooked());
        terminal.signal(name);
        terminal.wait_exit();
        assert!(terminal.is_cooked(), "{name}");
        restored(&terminal.raw());
    }
}

/// Starts it as a job of a shell, which carries out these commands once Ctrl-Z has suspended the job.
fn suspended(home: &Path, commands: &str) -> Terminal {
    let script = format!("set -m; \"$0\" \"$@\"; echo at the shell; {commands}");
    let terminal = play(home, TALK).through(&["bash", "-c", &script]).start();
    say_then(&terminal, "hello", "Hello there.");
    session_with(home, "Hello there.");
    terminal.press("Ctrl-Z");
    terminal.wait_written("at the shell", 1);
    terminal
}

#[test]
fn suspended_it_ends_by_a_signal_and_leaves_the_terminal_to_the_shell() {
    for name in ["TERM", "HUP"] {
        let home = tempfile::tempdir().expect("a home");
        // The shell continues a job that it sends one of these signals.
        let commands = format!(
            "was=$(stty -g); kill -{name} %1; wait -f %1; test \"$(stty -g)\" = \"$was\" && echo as it was"
        );
        let terminal = suspended(home.path(), &commands);
        terminal.wait_written("as it was", 1);
        let raw = terminal.raw();
        restored(&raw);
        let text = String::from_utf8_lossy(&raw);
        let (_, after) = text.split_once("at the shell").expect("it was written");
        assert!(after.contains("Session saved. Continue: sayso resume"), "{name}: {after}");
        assert!(!after.contains('\x1b'), "{name}: {after:?}");
    }
}

/// The system stops a program that changes the terminal's settings in the background.
#[test]
fn suspended_in_line_mode_it_ends_by_a_signal_too() {
    let home = tempfile::tempdir().expect("a home");
    let script = "set -m; \"$0\" \"$@\"; kill -TERM %1; wait -f %1; echo it ended";
    let terminal = in_lines(home.path(), TALK).through(&["bash", "-c", script]).start();
    terminal.wait_for("You:");
    ask(&terminal, "hello", "Model: Hello there.");
    terminal.press("Ctrl-Z");
    terminal.wait_written("it ended", 1);
    let screen = terminal.screen();
    assert!(screen.contains("Session saved. Continue: sayso resume"), "{screen}");
}

/// What was typed while the shell had the terminal must not decide.
#[test]
fn in_the_background_line_mode_asks_nothing_until_it_has_the_terminal() {
    let home = tempfile::tempdir().expect("a home");
    let (long, block) = ("So it goes on. ".repeat(40), "```bash\ntouch ran-1\n```");
    let story = format!("pace = 40\n[[reply]]\ntext = '''\nHello there. {long}\n\n{block}\n'''\n");
    let typed = home.path().join("typed");
    let script = format!(
        "set -m; \"$0\" \"$@\"; bg %1; wait %1; echo stopped again; until test -e {}; do sleep 0.1; done; fg %1",
        typed.display()
    );
    let terminal = in_lines(home.path(), &story).through(&["bash", "-c", &script]).start();
    terminal.wait_for("You:");
    answer_then(&terminal, "hello", "Model: Hello there.");
    terminal.press("Ctrl-Z");
    terminal.wait_written("stopped again", 1);
    terminal.enter("approve");
    std::fs::write(&typed, "").expect("a file");
    terminal.wait_for("Type approve");
    let raw = terminal.raw();
    let text = String::from_utf8_lossy(&raw);
    let (background, _) = text.split_once("stopped again").expect("it was written");
    assert!(!background.contains("Type approve"), "{background:?}");
    terminal.pause(Duration::from_secs(1));
    assert!(!ran(home.path(), 1), "{}", terminal.screen());
}

/// A shell leaves the terminal with the settings that it uses itself.
#[test]
fn a_key_is_not_shown_after_line_mode_was_suspended_either() {
    let home = tempfile::tempdir().expect("a home");
    let script = "set -m; \"$0\" \"$@\"; stty echo; echo at the shell; fg %1";
    let terminal = in_lines(home.path(), TALK).through(&["bash", "-c", script]).start();
    terminal.wait_for("You:");
    answer_then(&terminal, "/key openai", "Paste the key for openai");
    terminal.pause(Duration::from_millis(400));
    terminal.press("Ctrl-Z");
    terminal.wait_written("at the shell", 1);
    terminal.pause(Duration::from_secs(2));
    terminal.type_text("sk-typed");
    terminal.pause(Duration::from_millis(400));
    assert!(!String::from_utf8_lossy(&terminal.raw()).contains("sk-typed"), "{}", terminal.screen());
}

#[test]
fn continued_in_the_background_it_is_suspended_again_until_it_is_in_the_foreground() {
    let home = tempfile::tempdir().expect("a home");
    let mut terminal = suspended(home.path(), "bg %1; wait %1; echo stopped again; fg %1");
    terminal.wait_written("stopped again", 1);
    let raw = terminal.raw();
    let text = String::from_utf8_lossy(&raw);
    let (_, after) = text.split_once("at the shell").expect("it was written");
    let (background, _) = after.split_once("stopped again").expect("it was written");
    assert!(!background.contains('\x1b'), "{background:?}");
    terminal.wait_written("\x1b[?1049h", 2);
    terminal.wait_ready();
    terminal.enter("/quit");
    assert_eq!(terminal.wait_exit(), 0);
    restored(&terminal.raw());
}

#[test]
fn what_a_run_changed_is_recorded_although_the_terminal_was_closed_meanwhile() {
    let block = "touch made.txt; printf 'it %s\\n' runs; sleep 600";
    let story = format!(
        "pace = 0\n[[reply]]\ntext = '''\n```bash\n{block}\n```\n'''\n[[reply]]\ntext = 'nobody asks for this'\n"
    );
    let (home, mut terminal) = crate::asked(&story);
    approve_then(&terminal, 1, "it runs");
    terminal.signal("HUP");
    terminal.wait_exit();
    let file = session_with(home.path(), r#""kind":"run""#);
    assert!(file.contains(r#""path":"made.txt","change":"created""#), "{file}");
    assert!(!file.contains("nobody asks"), "{file}");
}

#[test]
fn idle_draws_nothing() {
    crate::at_every_size(|| {
        let (_home, terminal) = crate::played(TALK);
        terminal.wait_ready();
        // Results that arrive after the first frame are still drawn.
        let until = Instant::now() + PATIENCE;
        while terminal.writes_more_than(terminal.written(), Duration::from_secs(3)) {
            assert!(Instant::now() < until, "{}", terminal.screen());
        }
    });
}

#[test]
fn the_welcome_comes_without_a_provider() {
    crate::at_every_size(|| {
        let home = tempfile::tempdir().expect("a home");
        let terminal = Setup::new(home.path(), &[]).start();
        terminal.wait_for_each(&["Where should answers come from?", "sent nothing to another computer"]);
        terminal.press("Enter");
        terminal.wait_ready();
    });
}

/// The interrupt and quit keys signal all programs of the terminal: sayso ignores those pressed in the editor.
#[test]
fn what_interrupts_or_quits_an_editor_neither_clears_the_draft_nor_leaves() {
    // The editor keeps running; the shell that started it gets the same signal.
    let editor = "A=1; f() { sh -c 'trap \"\" INT QUIT; echo in-the-editor; read x; echo edited >> \"$0\"' \"$1\"; }; f";
    for plain in [false, true] {
        let home = tempfile::tempdir().expect("a home");
        let setup = if plain { in_lines(home.path(), TALK) } else { play(home.path(), TALK) };
        let terminal = setup.env("EDITOR", editor).start();
        if plain {
            terminal.wait_for("You:");
            terminal.pause(Duration::from_millis(400));
            terminal.type_text("/edit\r");
        } else {
            terminal.wait_ready();
            terminal.type_text_then("draft ", "draft");
            terminal.press("\x07");
        }
        terminal.wait_for("in-the-editor");
        terminal.press("Ctrl-C");
        terminal.press("\x1c");
        terminal.press_then("Enter", "edited");
        // sayso still runs, and has the text from the editor.
        terminal.pause(Duration::from_millis(400));
        // What it prints leaves the text on screen.
        terminal.type_text(if plain { "/recipe\r" } else { "and more" });
        terminal.wait_for(if plain { "  debug: " } else { "and more" });
        assert!(terminal.screen().contains("edited"), "{}", terminal.screen());
    }
}

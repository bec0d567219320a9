//! Recipes in a real terminal: a form filled in by keys, blocks that wait for the person, rounds in the
//! conversation, the end.

use crate::terminal::{PATIENCE, Setup, Terminal};
use crate::{approve, approve_then, session, session_with, story};
use std::path::{Path, PathBuf};

/// The folder that a demo works in.
fn demo_folder(home: &Path) -> PathBuf {
    let demos = std::fs::read_dir(home.join("sayso/demo")).expect("demos");
    demos.flatten().next().expect("the demo's folder").path()
}

/// The program with these arguments, without a sandbox: this does not test how code is confined.
fn start(home: &Path, args: &[&str]) -> Terminal {
    Setup::new(home, &[&["--sandbox", "off"], args].concat()).start()
}

#[test]
fn a_story_begins_with_its_form_and_each_block_waits() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = start(home.path(), &["--demo", "debug"]);
    terminal.wait_for_each(&["Which file fails?", "report.py"]);
    let file = || std::fs::read_to_string(demo_folder(home.path()).join("report.py")).expect("the file");
    let before = file();
    // Enter goes from field to field, and starts the recipe after the last.
    terminal.press_until("Enter", "Block 1");
    approve_then(&terminal, 1, "debug 2/3");
    terminal.wait_for("Block 2 waits");
    assert_eq!(file(), before, "the change waits");
    approve(&terminal, 2);
    approve(&terminal, 3);
    let over = |_: &str| session(home.path()).contains(r#""end":"done""#);
    assert!(terminal.holds_within(PATIENCE, over), "it never ended:\n{}", terminal.screen());
    assert!(file().contains(".get("), "the change was agreed to");
}

/// A home with a file, and the options that play one reply in it.
fn one(home: &Path) -> Vec<String> {
    std::fs::write(home.join("one.py"), "print(1)\n").expect("a file");
    let path = story(home, "[[reply]]\ntext = 'It prints one.'\n");
    let text = |path: &Path| path.to_string_lossy().into_owned();
    vec!["--demo".into(), text(&path), "--cwd".into(), text(home), "--recipe".into()]
}

fn begun(home: &Path, more: &[&str]) -> Terminal {
    let args = one(home);
    let args: Vec<&str> = args.iter().map(String::as_str).chain(more.iter().copied()).collect();
    start(home, &args)
}

#[test]
fn what_was_written_whole_on_the_command_line_begins_at_once() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = begun(home.path(), &["explain", "--input", "file=one.py"]);
    terminal.wait_for("It prints one.");
}

#[test]
fn what_was_not_written_is_asked_for() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = begun(home.path(), &["tdd", "--input", "target=one.py"]);
    terminal.wait_for_each(&["What should it do?", "one.py"]);
    terminal.type_text("one(): the number 1");
    terminal.press_until("Enter", "tdd 1/3");
    session_with(home.path(), "one(): the number 1");
}

//! Recipes in a real terminal: a form filled by keys, blocks that wait for the person, rounds in the conversation, the end.

use crate::terminal::{Setup, Terminal};
use crate::{approve, story};
use std::path::{Path, PathBuf};

/// The folder that a demo works in.
fn demo_folder(home: &Path) -> PathBuf {
    let demos = std::fs::read_dir(home.join("sayso/demo")).expect("demos");
    demos.flatten().next().expect("the demo's folder").path()
}

/// The program with these arguments, without a sandbox: what is tested here is not how code is confined.
fn start(home: &Path, args: &[&str]) -> Terminal {
    Setup::new(home, &[&["--sandbox", "off"], args].concat()).start()
}

#[test]
fn a_story_begins_with_its_form_and_each_block_waits() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = start(home.path(), &["--demo", "debug"]);
    terminal.wait_for("Which file fails?");
    terminal.wait_for("report.py");
    let file = || std::fs::read_to_string(demo_folder(home.path()).join("report.py")).expect("the file");
    let before = file();
    // Enter goes from field to field, and begins behind the last.
    terminal.press_until("Enter", "Block 1");
    approve(&terminal, 1);
    terminal.wait_for("reproduced");
    terminal.wait_for("Block 2");
    assert_eq!(file(), before, "the change waits");
    approve(&terminal, 2);
    approve(&terminal, 3);
    terminal.wait_for("What was wrong");
    assert!(file().contains(".get("), "the change was agreed to");
}

#[test]
fn what_was_written_on_the_command_line_begins_at_once_and_the_rest_is_asked_for() {
    let home = tempfile::tempdir().expect("a home");
    let path = story(home.path(), "[[reply]]\ntext = 'It prints one.'\n").to_string_lossy().into_owned();
    std::fs::write(home.path().join("one.py"), "print(1)\n").expect("a file");
    let cwd = home.path().to_string_lossy().into_owned();
    let args = ["--demo", &path, "--cwd", &cwd, "--recipe"];
    let whole = start(home.path(), &[&args[..], &["explain", "--input", "file=one.py"]].concat());
    whole.wait_for("It prints one.");
    drop(whole);
    let asks = start(home.path(), &[&args[..], &["tdd", "--input", "target=one.py"]].concat());
    asks.wait_for("What should it do?");
    asks.wait_for("one.py");
    asks.type_text("one(): the number 1");
    asks.press_until("Enter", "Test-driven: one(): the number 1");
}

//! Recipes in a real terminal: a form filled by keys, blocks that wait, rounds in the conversation, the end.

use crate::terminal::{Setup, Terminal};
use std::path::{Path, PathBuf};

/// The folder that a demo works in.
fn demo_folder(home: &Path) -> PathBuf {
    let demos = std::fs::read_dir(home.join("sayso/demo")).expect("demos");
    demos.flatten().next().expect("the demo's folder").path()
}

fn start(home: &Path, args: &[&str]) -> Terminal {
    Setup::new(home, args).start()
}

#[test]
fn a_story_begins_with_its_form_and_explains() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = start(home.path(), &["--demo", "explain"]);
    terminal.wait_for("Which file?");
    terminal.wait_for("tidy.sh");
    terminal.press("Ctrl-Enter");
    terminal.press_until("Enter", "Nothing ran.");
}

#[test]
fn what_is_missing_is_asked_for_and_what_is_there_begins_at_once() {
    let home = tempfile::tempdir().expect("a home");
    let story = crate::story(home.path(), "[[reply]]\ntext = 'It prints one.'\n");
    std::fs::write(home.path().join("one.py"), "print(1)\n").expect("a file");
    let story = story.to_string_lossy().into_owned();
    let cwd = home.path().to_string_lossy().into_owned();
    let args = ["--demo", &story, "--cwd", &cwd, "--recipe", "explain"];
    let whole = [&args[..], &["--input", "file=one.py"]].concat();
    start(home.path(), &whole).wait_for("Nothing ran.");
}

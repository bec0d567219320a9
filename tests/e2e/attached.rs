//! Files that a message names: completed from some letters, sent to the model, recorded, the same after a
//! resume.

use crate::terminal::Setup;
use crate::{play, session_with};

/// The model's answer is text that is only in the file.
const STORY: &str = r#"
pace = 40
[[reply]]
when = "the-word-of-the-file"
text = "It was told."
"#;

#[test]
fn a_file_is_found_told_and_told_again_after_a_resume() {
    let home = tempfile::tempdir().expect("a home");
    let setup = play(home.path(), STORY);
    let work = home.path().join("work");
    std::fs::create_dir_all(work.join("src")).expect("made");
    std::fs::write(work.join("src/words.txt"), "the-word-of-the-file\n").expect("written");
    std::fs::write(work.join(".gitignore"), "*.log\n").expect("written");
    std::fs::write(work.join("words.log"), "no").expect("written");
    let mut terminal = setup.start();
    terminal.wait_ready();
    terminal.type_text("What is in @wrds");
    terminal.wait_for_each(&["1 of 2 files.", "src/words.txt"]);
    terminal.press_then("Tab", "What is in @src/words.txt");
    terminal.press("Enter");
    terminal.wait_for_each(&["with: src/words.txt 21 B", "It was told."]);
    session_with(home.path(), "the-word-of-the-file");
    // A missing file keeps the message in the box.
    terminal.enter_then("And @gone.txt ", "There is no file gone.txt here.");
    terminal.signal("KILL");
    terminal.wait_exit();
    // The recorded text is sent again, whatever the file contains now.
    std::fs::write(work.join("src/words.txt"), "other\n").expect("written");
    let terminal = crate::play_again(home.path(), &["resume", "--last"]).start();
    terminal.wait_for("with: src/words.txt 21 B");
}

/// A notebook as other programs write it; its outputs did not come from runs here.
const NOTEBOOK: &str = r##"{"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": {"name": "python3", "language": "python"}},
"cells": [
 {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["# Sums"]},
 {"cell_type": "code", "id": "b", "metadata": {}, "execution_count": 1, "outputs": [], "source": ["open('ran-1', 'w').close(); x = 40"]},
 {"cell_type": "code", "id": "c", "metadata": {}, "execution_count": 2, "outputs": [], "source": ["open('ran-2', 'w').close(); x + 2"]}]}"##;

#[test]
fn a_file_is_opened_as_a_session_whose_blocks_wait_without_any_model() {
    let home = tempfile::tempdir().expect("a home");
    let work = home.path().join("work");
    std::fs::create_dir_all(&work).expect("made");
    std::fs::write(work.join("sums.ipynb"), NOTEBOOK).expect("written");
    let from = work.join("sums.ipynb");
    let args = ["--plain", "--sandbox", "off", "--from", &from.to_string_lossy()];
    let mut terminal = crate::at_work(home.path(), &args).env("TERM", "dumb").start();
    terminal.wait_for_each(&["# Sums", "Origin: cell 2 of sums.ipynb"]);
    assert!(!work.join("ran-1").exists(), "opening it decides nothing");
    super::plain::approve(&terminal);
    terminal.wait_for("Origin: cell 3 of sums.ipynb");
    assert!(work.join("ran-1").exists() && !work.join("ran-2").exists());
    super::plain::answer(&terminal, "reject");
    session_with(home.path(), "\"end\":\"answered\"");
    assert!(!work.join("ran-2").exists());
    terminal.signal("TERM");
    terminal.wait_exit();
    // A file without blocks is refused before anything opens.
    std::fs::write(work.join("words.md"), "only words").expect("written");
    let words = work.join("words.md");
    let mut terminal = Setup::new(home.path(), &["--from", &words.to_string_lossy()]).start();
    terminal.wait_for("no block in it is in a language that can be run");
    terminal.wait_exit();
}

//! Files that a message names: found by some letters, told to the model, written down, the same after a resume.

use crate::terminal::Setup;
use crate::{play, session_with};

/// The model answers what stands in the file and nowhere else.
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
    terminal.wait_for("Enter send");
    terminal.type_text("What is in @wrds");
    terminal.wait_for("1 of 2 files.");
    terminal.wait_for("src/words.txt");
    terminal.press("Tab");
    terminal.wait_for("What is in @src/words.txt");
    terminal.press("Enter");
    terminal.wait_for("with: src/words.txt 21 B");
    terminal.wait_for("It was told.");
    session_with(home.path(), "the-word-of-the-file");
    // A file that is not there keeps the message.
    terminal.type_text("And @gone.txt ");
    terminal.press("Enter");
    terminal.wait_for("There is no file gone.txt here.");
    terminal.signal("KILL");
    terminal.wait_exit();
    // What was told is told again, whatever the file holds by now.
    std::fs::write(work.join("src/words.txt"), "other\n").expect("written");
    let story = home.path().join("story.toml").to_string_lossy().into_owned();
    let cwd = work.to_string_lossy().into_owned();
    let terminal = Setup::new(home.path(), &["resume", "--last", "--demo", &story, "--cwd", &cwd]).start();
    terminal.wait_for("with: src/words.txt 21 B");
}

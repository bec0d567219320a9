//! A session survives `kill -9` in every phase, and says truly what is gone.

use crate::terminal::{Setup, Terminal};
use crate::{approve, play, ran, session};
use std::path::Path;

const STORY: &str = r#"
pace = 40
[[reply]]
when = "hello"
text = "A first answer."
[[reply]]
when = "go"
text = """
The code comes after these words, which take a moment to arrive so that a phase lasts.

```python
open("ran-1", "w").close()
print("it runs", flush=True)
import time; time.sleep(30)
```
"""
"#;

fn resume(home: &Path) -> Terminal {
    let story = home.join("story.toml").to_string_lossy().into_owned();
    let cwd = home.join("work").to_string_lossy().into_owned();
    Setup::new(home, &["resume", "--last", "--demo", &story, "--cwd", &cwd]).start()
}

fn kill(terminal: &mut Terminal) {
    terminal.signal("KILL");
    terminal.wait_exit();
}

#[test]
fn killed_while_idle() {
    let home = tempfile::tempdir().expect("a home");
    let mut terminal = play(home.path(), STORY).start();
    terminal.wait_for("Enter send");
    terminal.type_text("hello");
    terminal.press("Enter");
    terminal.wait_for("A first answer.");
    terminal.wait_for("Idle");
    kill(&mut terminal);
    let terminal = resume(home.path());
    terminal.wait_for("A first answer.");
}

#[test]
fn killed_while_the_reply_streams() {
    let home = tempfile::tempdir().expect("a home");
    let mut terminal = play(home.path(), STORY).start();
    terminal.wait_for("Enter send");
    terminal.type_text("please go");
    terminal.press("Enter");
    terminal.wait_for("The code comes");
    kill(&mut terminal);
    let terminal = resume(home.path());
    terminal.wait_for("please go");
    assert!(!ran(home.path(), 1));
}

#[test]
fn killed_while_a_block_waits() {
    let home = tempfile::tempdir().expect("a home");
    let mut terminal = play(home.path(), STORY).start();
    terminal.wait_for("Enter send");
    terminal.type_text("go");
    terminal.press("Enter");
    terminal.wait_for("Block 1 waits");
    kill(&mut terminal);
    let terminal = resume(home.path());
    terminal.wait_for("WAITING");
    assert!(!ran(home.path(), 1), "a resumed block waits, it does not run");
    approve(&terminal, 1);
    terminal.wait_for("it runs");
    assert!(ran(home.path(), 1));
}

#[test]
fn killed_while_a_block_runs() {
    let home = tempfile::tempdir().expect("a home");
    let mut terminal = play(home.path(), STORY).start();
    terminal.wait_for("Enter send");
    terminal.type_text("go");
    terminal.press("Enter");
    approve(&terminal, 1);
    terminal.wait_for("it runs");
    kill(&mut terminal);
    std::fs::remove_file(home.path().join("work/ran-1")).expect("it ran");
    let terminal = resume(home.path());
    terminal.wait_for("LOST");
    terminal.holds_within(std::time::Duration::from_millis(500), |_| false);
    assert!(!ran(home.path(), 1), "a lost run is never run again by itself");
    assert!(session(home.path()).contains(r#""kind":"resumed""#));
}

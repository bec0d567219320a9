//! Checks that need bytes of a real terminal: what is written while nothing happens, without colours, for a terminal that
//! knows ASCII alone, and for text that tries to act on the terminal.

use crate::{play, to_code};
use std::time::Duration;

const WAITS: &str = r#"
pace = 0
[[reply]]
when = "go"
text = """
Some *words*, and `code`.

```python
print("forty", 40 + 2)
raise SystemExit(1)
```
"""
"#;

fn waiting(home: &std::path::Path, env: &[(&str, &str)]) -> crate::terminal::Terminal {
    let setup = env.iter().fold(play(home, WAITS), |setup, (name, value)| setup.env(name, value));
    let terminal = setup.start();
    terminal.wait_for("Enter send");
    terminal.type_text("go");
    terminal.press("Enter");
    terminal.wait_for("Block 1 waits");
    terminal
}

/// Check 02: also while a block waits, its keys open, nothing is written and no thread wakes.
#[test]
fn a_block_that_waits_draws_nothing() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = waiting(home.path(), &[]);
    to_code(&terminal);
    terminal.wait_for("keys open");
    terminal.pause(Duration::from_secs(2));
    let (written, woken) = (terminal.written(), wakeups(terminal.pid()));
    terminal.pause(Duration::from_secs(2));
    assert_eq!(terminal.written(), written, "{}", terminal.screen());
    assert_eq!(wakeups(terminal.pid()), woken, "a thread woke");
}

/// Times that any thread of a process went to sleep so far: each is a wake-up.
fn wakeups(pid: u32) -> u64 {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let of = |task: std::path::PathBuf| {
        let status = std::fs::read_to_string(task.join("status")).ok()?;
        let line = status.lines().find(|l| l.starts_with("voluntary_ctxt_switches"))?;
        line.split_whitespace().last()?.parse::<u64>().ok()
    };
    tasks.filter_map(|task| of(task.path())).sum()
}

/// The numbers of all sequences that set how text looks.
fn styles(raw: &[u8]) -> Vec<u32> {
    let text = String::from_utf8_lossy(raw);
    let mut found = Vec::new();
    for rest in text.split("\x1b[").skip(1) {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != ';' && c != ':').unwrap_or(rest.len());
        if rest[end..].starts_with('m') {
            found.extend(rest[..end].split([';', ':']).filter_map(|n| n.parse::<u32>().ok()));
        }
    }
    found
}

/// Check "no colour": states are words, and no sequence sets a colour.
#[test]
fn without_colours_none_is_written_and_all_is_said() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = waiting(home.path(), &[("NO_COLOR", "1")]);
    terminal.wait_for("WAITING");
    terminal.press_until("Ctrl-Y", "again approves");
    crate::approve(&terminal, 1);
    terminal.wait_for("FAILED 1");
    let styles = styles(&terminal.raw());
    let colours: Vec<_> =
        styles.iter().filter(|n| matches!(n, 30..=38 | 40..=48 | 90..=97 | 100..=107)).collect();
    assert!(colours.is_empty() && !styles.is_empty(), "{colours:?}");
}

/// The same of a terminal that knows ASCII alone: `TERM=vt100`, `LANG=C`.
#[test]
fn where_only_ascii_is_known_only_ascii_is_written() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = waiting(home.path(), &[("TERM", "vt100"), ("LANG", "C")]);
    crate::approve(&terminal, 1);
    terminal.wait_for("FAILED 1");
    let raw = terminal.raw();
    let strange: String = String::from_utf8_lossy(&raw).chars().filter(|c| !c.is_ascii()).collect();
    assert!(strange.is_empty(), "{strange}");
}

/// A block and its output that try to clear the screen, to write the clipboard and to turn text round.
const HOSTILE: &str = "
pace = 0
[[reply]]
when = \"go\"
text = \"\"\"
```python
x = 1  # \\u202e hidden \\u0007
print('\\\\x1b[2J\\\\x1b]52;c;aGFjaw==\\\\x07 still here \\\\r over')
```
\"\"\"
";

/// Check "hostile text": it is shown as text, the clipboard is left alone, and the line has its finding.
#[test]
fn hostile_text_is_text() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = play(home.path(), HOSTILE).size(140, 40).start();
    terminal.wait_for("Enter send");
    terminal.type_text("go");
    terminal.press("Enter");
    terminal.wait_for("Block 1 waits");
    terminal.wait_for("hidden character");
    crate::approve(&terminal, 1);
    terminal.wait_for("still here");
    terminal.wait_for("DONE");
    let raw = terminal.raw();
    let has = |bytes: &[u8]| raw.windows(bytes.len()).any(|window| window == bytes);
    assert!(!has(b"\x1b]52") && !has(b"\x1b[2J") && !has("\u{202e}".as_bytes()), "{}", terminal.screen());
}

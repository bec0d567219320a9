//! The terminal in a folder full of traps: it opens, shows blocks, copies and edits, and starts none of them.

use crate::{play, say_then, terminal::Setup};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

const RUST: &str = r#"
pace = 0
[[reply]]
when = "go"
text = """
Here it is.

```rust
fn main() { println!("hello"); }
```
"""
"#;

/// Puts programs that leave a mark when started into a folder.
fn traps(home: &Path, folder: &Path) {
    std::fs::create_dir_all(folder).expect("a folder");
    for name in [
        "rustc", "python", "python3", "bwrap", "sh", "tmux", "xclip", "wl-copy", "vi", "vim", "evil-ed",
        "less",
    ] {
        let mark = home.join("mark");
        let text = format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\necho 9.9\n", mark.display());
        let path = folder.join(name);
        std::fs::write(&path, text).expect("a trap");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a program");
    }
}

fn clean(home: &Path) {
    let mark = home.join("mark");
    assert!(!mark.exists(), "{}", std::fs::read_to_string(mark).unwrap_or_default());
}

#[test]
fn a_folder_full_of_traps_is_opened_and_nothing_of_it_starts() {
    let home = tempfile::tempdir().expect("a home");
    let work = home.path().join("work");
    traps(home.path(), &work.join("bin"));
    traps(home.path(), &work.join(".venv/bin"));
    traps(home.path(), &work);
    let evil = format!("[toolchain]\npath = \"{}\"\n", work.display());
    std::fs::write(work.join("rust-toolchain.toml"), evil).expect("a file");
    let path = format!(
        "{}:.::bin:{}:{}",
        work.join("bin").display(),
        work.display(),
        std::env::var("PATH").unwrap()
    );
    let dressed = |setup: Setup<'_>| {
        let setup = setup.env("PATH", &path).env("TMUX", "/tmp/none,1,0").env("DISPLAY", ":9");
        setup.env("WAYLAND_DISPLAY", "none").env("EDITOR", "evil-ed").env("PAGER", "less").start()
    };
    let terminal = dressed(play(home.path(), RUST));
    say_then(&terminal, "go", "Block 1");
    clean(home.path());
    // The editor named in the environment exists only in the folder; Ctrl-G in the message asks for it.
    terminal.press_until("\x07", "can't be started");
    clean(home.path());
}

#[test]
fn the_bare_terminal_starts_nothing_of_the_folder() {
    let home = tempfile::tempdir().expect("a home");
    let work = home.path().join("work");
    traps(home.path(), &work.join("bin"));
    traps(home.path(), &work.join("venv/bin"));
    let (bin, venv) = (work.join("bin").display().to_string(), work.join("venv").display().to_string());
    let path = format!("{venv}/bin:{bin}:.:{}", std::env::var("PATH").unwrap());
    let setup = Setup { cwd: work.clone(), ..Setup::new(home.path(), &[]) };
    let terminal = setup.env("PATH", &path).env("VIRTUAL_ENV", &venv).start();
    terminal.wait_for("only after you approve it");
    clean(home.path());
}

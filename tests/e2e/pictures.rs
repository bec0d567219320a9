//! Pictures that the terminal itself draws: by the protocol that it says it knows, or that the person names; only in view.

use crate::terminal::{Setup, Terminal};
use std::path::Path;
use std::time::Duration;

/// A run that made a picture, in a terminal of this kind.
fn drawn(home: &Path, config: &str, env: &[(&str, &str)]) -> Terminal {
    let work = home.join("work");
    std::fs::create_dir_all(&work).expect("a working folder");
    std::fs::create_dir_all(home.join("sayso")).expect("a folder");
    std::fs::write(home.join("sayso/config.toml"), config).expect("a configuration");
    let setup = Setup::new(home, &["--demo", "files", "--cwd", &work.to_string_lossy()]).size(140, 40);
    let terminal = env.iter().fold(setup, |setup, (name, value)| setup.env(name, value)).start();
    terminal.wait_ready();
    terminal.type_text("go");
    terminal.press("Enter");
    crate::approve(&terminal, 1);
    terminal.wait_for("demo-picture.png");
    terminal
}

fn count(terminal: &Terminal, begin: &str) -> usize {
    terminal.raw().windows(begin.len()).filter(|bytes| *bytes == begin.as_bytes()).count()
}

/// Waits until it was written so often.
fn wait_count(terminal: &Terminal, begin: &str, wanted: usize) {
    for _ in 0..300 {
        if count(terminal, begin) >= wanted {
            return;
        }
        terminal.pause(Duration::from_millis(100));
    }
    panic!("{begin:?} {wanted} times: {}", terminal.screen());
}

#[test]
fn the_terminal_draws_what_a_run_made_and_takes_it_away_beneath_an_overlay() {
    let kitty = ("\x1b_Ga=p,", "", &[("TERM", "xterm-kitty")][..]);
    let iterm = ("\x1b]1337;File=inline=1;", "", &[("TERM_PROGRAM", "iTerm.app")][..]);
    let sixel = ("\x1bP0;1;0q", "[ui]\nimages = \"sixel\"\n", &[][..]);
    for (begin, config, env) in [kitty, iterm, sixel] {
        let home = tempfile::tempdir().expect("a home");
        let terminal = drawn(home.path(), config, env);
        wait_count(&terminal, begin, 1);
        terminal.press_until("F1", "Help");
        if begin.starts_with("\x1b_G") {
            wait_count(&terminal, "\x1b_Ga=d,d=I,", 1);
        }
        let drawn = count(&terminal, begin);
        terminal.press("Esc");
        wait_count(&terminal, begin, drawn + 1);
    }
}

#[test]
fn half_blocks_are_drawn_where_nothing_else_is_known_and_off_is_off() {
    let has_blocks = |screen: &str| screen.contains('▀') || screen.contains('█');
    let plain = ("", &[][..], true);
    let between = ("", &[("TERM", "xterm-kitty"), ("TMUX", "/tmp/t,1,0")][..], true);
    let off = ("[ui]\nimages = \"off\"\n", &[("TERM", "xterm-kitty")][..], false);
    for (config, env, blocks) in [plain, between, off] {
        let home = tempfile::tempdir().expect("a home");
        let terminal = drawn(home.path(), config, env);
        if blocks {
            terminal.wait_true(has_blocks);
        } else {
            terminal.wait_for("not drawn: images are off");
            assert!(!has_blocks(&terminal.screen()), "{}", terminal.screen());
        }
        for begin in ["\x1b_Ga=", "\x1b]1337", "\x1bP0;1;0q"] {
            assert_eq!(count(&terminal, begin), 0, "{begin:?}");
        }
    }
}

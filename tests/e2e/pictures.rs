//! Pictures that the terminal itself draws: by the protocol that it says it knows, or that the person names; only in view.

use crate::terminal::{Setup, Terminal};
use std::path::Path;

/// A run that made a picture, in a terminal of this kind.
fn drawn(home: &Path, config: &str, env: &[(&str, &str)]) -> Terminal {
    let work = home.join("work");
    std::fs::create_dir_all(&work).expect("a working folder");
    std::fs::create_dir_all(home.join("sayso")).expect("a folder");
    std::fs::write(home.join("sayso/config.toml"), config).expect("a configuration");
    let setup = Setup::new(home, &["--demo", "files", "--cwd", &work.to_string_lossy()]).size(140, 40);
    let terminal = env.iter().fold(setup, |setup, (name, value)| setup.env(name, value)).start();
    crate::say(&terminal, "go");
    crate::approve(&terminal, 1);
    terminal.wait_for("demo-picture.png");
    terminal
}

fn count(terminal: &Terminal, begin: &str) -> usize {
    terminal.raw().windows(begin.len()).filter(|bytes| *bytes == begin.as_bytes()).count()
}

#[test]
fn the_terminal_draws_what_a_run_made_and_takes_it_away_beneath_an_overlay() {
    let kitty = ("\x1b_Ga=p,", "", &[("TERM", "xterm-kitty")][..]);
    let iterm = ("\x1b]1337;File=inline=1;", "", &[("TERM_PROGRAM", "iTerm.app")][..]);
    let sixel = ("\x1bP0;1;0q", "[ui]\nimages = \"sixel\"\n", &[][..]);
    for (begin, config, env) in [kitty, iterm, sixel] {
        let home = tempfile::tempdir().expect("a home");
        let terminal = drawn(home.path(), config, env);
        terminal.wait_written(begin, 1);
        let before = count(&terminal, begin);
        terminal.press_until("F1", "Help");
        if begin.starts_with("\x1b_G") {
            terminal.wait_written("\x1b_Ga=d,d=I,", 1);
        }
        assert_eq!(count(&terminal, begin), before, "nothing is drawn over the overlay: {begin:?}");
        terminal.press("Esc");
        terminal.wait_written(begin, before + 1);
    }
}

#[test]
fn half_blocks_are_drawn_where_nothing_else_is_known_and_off_is_off() {
    let has_blocks = |screen: &str| screen.contains('▀') || screen.contains('█');
    let plain = ("", &[][..], true);
    let between = ("", &[("TERM", "xterm-kitty"), ("TMUX", "/tmp/t,1,0")][..], true);
    let half = ("[ui]\nimages = \"half\"\n", &[("TERM", "xterm-kitty")][..], true);
    let off = ("[ui]\nimages = \"off\"\n", &[("TERM", "xterm-kitty")][..], false);
    for (config, env, blocks) in [plain, between, half, off] {
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

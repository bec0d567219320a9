//! The person's own themes: entries without effect are reported, and themes are found without being configured.

use crate::terminal::Setup;
use std::path::Path;

/// A theme with two entries without effect.
const MINE: &str =
    "inherits = \"ink\"\n[slots]\n\"ui.nowhere\" = { fg = \"red\" }\n\"ui.text\" = { fg = \"reddish\" }\n";
const TOLD: &str = "theme mine, line 3: there is no slot `ui.nowhere`; 1 more: sayso config check";

fn write(home: &Path) {
    let own = home.join("sayso/themes");
    std::fs::create_dir_all(&own).expect("a folder");
    std::fs::write(own.join("mine.toml"), MINE).expect("a theme");
}

#[test]
fn what_the_theme_in_use_says_in_vain_is_told_at_the_start() {
    let home = tempfile::tempdir().expect("a home");
    write(home.path());
    crate::write_config(home.path(), "ui.theme = \"mine\"\n");
    Setup::new(home.path(), &["--demo"]).start().wait_for(TOLD);
}

#[test]
fn a_theme_that_was_written_just_now_is_listed_and_taken_and_what_it_says_in_vain_told() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = Setup::new(home.path(), &["--demo"]).start();
    terminal.wait_ready();
    write(home.path());
    terminal.enter_then("/theme mine", TOLD);
    terminal.enter("/theme");
    terminal.wait_true(|s| s.lines().any(|row| row.contains(" mine  in use")));
}

//! Each provider in the terminal, against a third-party mock server: what the person sees on success and on
//! failure.

use crate::mock::Mock;
use crate::say;
use crate::terminal::{Setup, Terminal};
use crate::{approve, session_with};
use std::path::Path;

const KINDS: [&str; 5] = ["openai", "openai-responses", "anthropic", "gemini", "ollama"];

/// A terminal that talks to the mock server over this wire format, in this dialect.
fn asking(home: &Path, mock: &Mock, kind: &str, dialect: &str) -> Terminal {
    crate::write_config(home, format!("dialect = \"{dialect}\"\n"));
    let key = "sk-test-0123456789abcdef";
    Setup::new(home, &["--model", &format!("{kind}/m"), "--base-url", &mock.url()])
        .env("OPENAI_API_KEY", key)
        .env("ANTHROPIC_API_KEY", key)
        .env("GEMINI_API_KEY", key)
        .start()
}

#[test]
#[ignore = "needs aimock (npm)"]
fn a_turn_with_each_provider() {
    for kind in KINDS {
        let (home, mock) = (tempfile::tempdir().expect("a home"), Mock::start());
        let terminal = asking(home.path(), &mock, kind, "fences");
        say(&terminal, "plain");
        terminal.wait_for("Here you go:");
        approve(&terminal, 1);
        terminal.wait_for("All is done.");
        session_with(home.path(), "print(1+1)");
    }
}

#[test]
#[ignore = "needs aimock (npm)"]
fn tools_in_parallel_with_each_provider() {
    for kind in KINDS {
        let (home, mock) = (tempfile::tempdir().expect("a home"), Mock::start());
        std::fs::write(home.path().join("a"), "the text of a\n").expect("a file");
        let terminal = asking(home.path(), &mock, kind, "tools");
        say(&terminal, "both");
        approve(&terminal, 1);
        approve(&terminal, 2);
        terminal.wait_for("done after tool");
        session_with(home.path(), "the text of a");
    }
}

#[test]
#[ignore = "needs aimock (npm)"]
fn what_goes_wrong_is_told_in_words() {
    for kind in KINDS {
        let (home, mock) = (tempfile::tempdir().expect("a home"), Mock::start());
        let terminal = asking(home.path(), &mock, kind, "fences");
        say(&terminal, "limit");
        terminal.wait_for("Rate limit. Next try in");
        terminal.wait_for("after the limit");
        say(&terminal, "boom");
        terminal.wait_for("Next try in");
        terminal.wait_for("after the failure");
        say(&terminal, "cut");
        terminal.wait_for("the quick brown fox");
        terminal.wait_for("r go on");
        drop(terminal);
        let home = tempfile::tempdir().expect("a home");
        let terminal = asking(home.path(), &mock, kind, "fences");
        say(&terminal, "broken");
        terminal.wait_for("r retry");
        terminal.wait_for("answered with what can't be read.");
    }
}

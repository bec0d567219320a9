//! Each provider in the terminal, against a third-party mock server: what the person sees on success and on
//! failure.

use crate::mock::Mock;
use crate::terminal::{Setup, Terminal};
use crate::{approve, approve_then, session_with};
use crate::{say, say_then};
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
        say_then(&terminal, "plain", "Here you go:");
        approve_then(&terminal, 1, "All is done.");
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
        approve_then(&terminal, 2, "done after tool");
        session_with(home.path(), "the text of a");
    }
}

#[test]
#[ignore = "needs aimock (npm)"]
fn what_goes_wrong_is_told_in_words() {
    for kind in KINDS {
        let (home, mock) = (tempfile::tempdir().expect("a home"), Mock::start());
        let terminal = asking(home.path(), &mock, kind, "fences");
        say_then(&terminal, "limit", "Rate limit. Next try in");
        terminal.wait_for("after the limit");
        say_then(&terminal, "boom", "Next try in");
        terminal.wait_for("after the failure");
        say_then(&terminal, "cut", "the quick brown fox");
        terminal.wait_for("r go on");
        drop(terminal);
        let home = tempfile::tempdir().expect("a home");
        let terminal = asking(home.path(), &mock, kind, "fences");
        say_then(&terminal, "broken", "r retry");
        terminal.wait_for("answered with what can't be read.");
    }
}

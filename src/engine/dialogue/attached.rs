//! Tests of messages with files of the person: what the model is sent, what is recorded, what a resumed session sends.

use super::*;
use crate::domain::{AttachedFile, FailureKind, Prompt};

fn file(path: &str, text: &str) -> AttachedFile {
    AttachedFile { path: path.into(), bytes: text.len() as u64, text: text.into(), masked: false }
}

fn asked(d: &mut Dialogue, text: &str, files: &[AttachedFile]) -> String {
    d.command(Command::Submit(Prompt { text: text.into(), files: files.to_vec() }))
}

const TOLD: &str = "explain @a.py\n\n[File a.py of the working folder, 6 B, which the person gave with this \
    message.]\n```py\nx = 1\n```";

#[test]
fn the_text_of_a_file_goes_with_the_message_and_names_no_session() {
    let mut d = Dialogue::new();
    asked(&mut d, "explain @a.py", &[file("a.py", "x = 1\n")])
        .is("+prompt, +named explain-py, ask s1 | replying s1");
    assert_eq!(d.told(), TOLD);
}

#[test]
fn a_resumed_session_tells_the_same() {
    let mut d = Dialogue::new();
    asked(&mut d, "explain @a.py", &[file("a.py", "x = 1\n")]);
    d.reply("It is 1.");
    d.reopen();
    d.user("and now?");
    assert_eq!(d.request()[0].text, TOLD);
}

#[test]
fn queued_messages_go_out_with_their_files_and_the_newer_text_of_a_file_counts() {
    let mut d = Dialogue::after_prompt("x");
    asked(&mut d, "see @a @b", &[file("a", "earlier"), file("b", "1")]);
    asked(&mut d, "rather @a", &[file("a", "later")]);
    d.reply("Done.");
    let told = d.told();
    assert!(told.starts_with("see @a @b\n\nrather @a\n\n[File b "), "{told}");
    assert!(told.contains("later") && !told.contains("earlier"), "{told}");
}

#[test]
fn a_message_that_failed_is_asked_again_with_its_files() {
    let mut d = Dialogue::new();
    asked(&mut d, "explain @a.py", &[file("a.py", "x = 1\n")]);
    d.fail(FailureKind::Server);
    d.command(Command::Retry);
    assert_eq!(d.told(), TOLD);
}

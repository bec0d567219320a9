//! A missing image, in a real terminal with a real container engine: asked for, tried, reported.

use crate::{approve_then, one_block, play, say, session, to_code};

/// A registry that refuses connections: this test pulls nothing from anywhere.
const IMAGE: &str = "127.0.0.1:1/sayso/none:1";

#[test]
#[ignore = "needs a container engine in DOCKER_HOST"]
fn a_pull_is_asked_for_and_when_it_fails_the_block_still_waits() {
    let host = std::env::var("DOCKER_HOST").expect("DOCKER_HOST is not set");
    let home = tempfile::tempdir().expect("a home");
    let story = one_block("python", "print(1)");
    let mut setup = play(home.path(), &story).env("DOCKER_HOST", &host).size(140, 40);
    setup.args.extend(["--executor".into(), format!("container:{IMAGE}")]);
    let terminal = setup.start();
    say(&terminal, "go");
    terminal.wait_true(|s| s.contains("nothing is started") && s.contains(IMAGE));
    approve_then(&terminal, 2, "could not be fetched");
    to_code(&terminal);
    terminal.wait_for("Block 1 waits");
    let file = session(home.path());
    assert!(file.contains(r#""what":"pull""#) && file.contains(r#""executor":"engine""#), "{file}");
    assert_eq!(file.matches(r#""kind":"block""#).count(), 2, "it is offered once:\n{file}");
}

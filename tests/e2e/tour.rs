//! The guided tour is played once from its first prompt to its last stop, by what its own words say and nothing else.

use crate::terminal::{PATIENCE, Setup, Terminal};
use crate::{is_decided, session_so_far};
use std::path::Path;
use std::time::{Duration, Instant};

/// More stops than the tour has.
const MOST: usize = 14;

/// The newest reply of the model that says where to go next, or that this was the last stop.
fn words_of_the_tour(home: &Path, after: usize) -> (usize, String) {
    let until = Instant::now() + PATIENCE;
    loop {
        let file = session_so_far(home).unwrap_or_default();
        let replies: Vec<String> = file
            .lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
            .filter(|entry| entry["kind"] == "reply")
            .filter_map(|entry| Some(entry["text"].as_str()?.to_owned()))
            .filter(|text| text.contains("Next, type `") || text.contains("last stop of the tour"))
            .collect();
        if replies.len() > after {
            return (replies.len(), replies.last().cloned().expect("a reply"));
        }
        assert!(Instant::now() < until, "the tour does not go on: {file}");
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

/// Goes to the block that waits as the tour says, and does there what its words asked for.
fn at_the_block(terminal: &Terminal, mut block: u32, words: &str) -> u32 {
    terminal.wait_for(&format!("Block {block} waits"));
    terminal.press("Ctrl-Y");
    terminal.wait_for("again approves");
    if words.contains("reject it (`r`)") {
        terminal.press_until("r", "Reject block");
        terminal.type_text("another way");
        terminal.press("Enter");
        block += 1;
        terminal.wait_for(&format!("Block {block} waits"));
        terminal.press("Ctrl-Y");
        terminal.wait_for("again approves");
    } else if words.contains("edit it (`e`) and") {
        terminal.press_until("e", "EDITING");
        terminal.press("Esc");
        terminal.wait_gone("EDITING");
    }
    let until = Instant::now() + PATIENCE;
    loop {
        terminal.press("Ctrl-Y");
        if terminal.holds_within(Duration::from_millis(700), |s| is_decided(s, block)) {
            break;
        }
        if terminal.screen().contains("not shown") {
            terminal.press("Space");
        }
        assert!(Instant::now() < until, "the block could not be approved:\n{}", terminal.screen());
    }
    if terminal.screen().contains("Waiting for the word run") {
        terminal.type_text("run");
        terminal.press("Enter");
    }
    block
}

#[test]
fn the_tour_leads_to_its_end_by_its_own_words() {
    let home = tempfile::tempdir().expect("a home");
    let terminal = Setup::new(home.path(), &["--demo"]).start();
    // The first prompt is suggested in the message box, and its key is told.
    terminal.wait_for("try: sum of 1 to 10");
    terminal.wait_for("Tab take");
    terminal.press("Tab");
    terminal.wait_for("> sum of 1 to 10");
    terminal.press("Enter");
    let (mut told, mut words, mut block) = (0, String::new(), 1);
    for _ in 0..MOST {
        block = at_the_block(&terminal, block, &words) + 1;
        (told, words) = words_of_the_tour(home.path(), told);
        if words.contains("last stop of the tour") {
            return;
        }
        let next = words.split("Next, type `").nth(1).and_then(|rest| rest.split('`').next());
        terminal.wait_for("Enter send");
        terminal.type_text(next.expect("the next prompt"));
        terminal.press("Enter");
    }
    panic!("the tour did not come to its end:\n{}", terminal.screen());
}

//! Checks recorded replies of small models to sayso's own prompts: `cargo bench --bench replies`. It counts by model
//! and prompt how many replies have a block, how many of those are closed and name a language that can be run, and
//! how many run successfully. `replies/README.md` says where the replies come from.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // a test that can't go on fails by panicking

use sayso::domain::{BlockKind, Dialect, Languages};
use sayso::engine::reply::{Proposal, Segment, parse};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

const RECORDED: &str = include_str!("replies/recorded.jsonl");
const DATA: &str =
    "city,population,price\nParis,2100000,12.5\nRome,2800000,9.0\nOslo,700000,21.0\nBern,134000,17.5\n";

#[derive(Default)]
struct BlockActivity {
    replies: usize,
    tokens: u64,
    found: usize,
    closed: usize,
    runnable: usize,
    ran: usize,
}

fn main() {
    let mut shares: BTreeMap<(String, String), BlockActivity> = BTreeMap::new();
    for line in RECORDED.lines() {
        let reply: Value = serde_json::from_str(line).expect("an object");
        let text = |member: &str| reply[member].as_str().expect("a text").to_owned();
        let share = shares.entry((text("model"), text("prompt"))).or_default();
        share.replies += 1;
        share.tokens += reply["input"].as_u64().expect("a number");
        let languages = Languages::default();
        let segments = parse(&text("text"), Dialect::Fences, &languages, reply["finish"] == "stop");
        let blocks: Vec<Proposal> = segments
            .into_iter()
            .filter_map(|segment| if let Segment::Block(block) = segment { Some(block) } else { None })
            .collect();
        let Some(first) = blocks.first() else { continue };
        share.found += 1;
        share.closed += usize::from(blocks.iter().all(|block| block.closed));
        let known = |block: &Proposal| match block.kind() {
            BlockKind::Code { language } => {
                language.is_some_and(|name| languages.find(name.as_str()).is_some())
            }
            _ => true,
        };
        share.runnable += usize::from(blocks.iter().all(known));
        share.ran += usize::from(runs(first));
    }
    println!(
        "of replies: with a block, all closed, all of a language that runs, the first one ran well; tokens sent"
    );
    for ((model, prompt), share) in shares {
        let BlockActivity { replies, tokens, found, closed, runnable, ran } = share;
        println!(
            "{model:20} {prompt:16} {found:3} of {replies}  {closed:3}  {runnable:3}  {ran:3}  {:5}",
            tokens / replies as u64
        );
    }
}

/// Whether this block succeeds in the sandbox, in a fresh folder with the data of the tasks. A block that writes a
/// file does not count.
fn runs(block: &Proposal) -> bool {
    let BlockKind::Code { language: Some(language) } = block.kind() else { return false };
    let home = tempfile::tempdir().expect("a home");
    let write = |path: &Path, text: &str| std::fs::write(path, text).expect("written");
    let work = home.path().join("work");
    std::fs::create_dir_all(&work).expect("a folder");
    std::fs::create_dir_all(home.path().join("sayso")).expect("a folder");
    write(&home.path().join("sayso/config.toml"), "[limits]\nwall = 5\n");
    write(&work.join("data.csv"), DATA);
    let ending = if language.as_str() == "bash" { "sh" } else { "py" };
    let file = home.path().join(format!("block.{ending}"));
    write(&file, &block.source);
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_sayso"))
        .args(["exec", "--json", "--language", language.as_str()])
        .arg(&file)
        .env("SAYSO_HOME", home.path().join("sayso"))
        .current_dir(&work)
        .output()
        .expect("the program runs");
    done.status.success()
}

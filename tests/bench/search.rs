//! Measures what a search over many sessions costs: the first one, which reads them all; one after a session changed;
//! and later ones, for a rare word, a common one, a phrase, a prefix and a filter. Measured from outside, start of
//! the program included.
//!
//! `cargo bench --bench search`. `SAYSO_BENCH_PART=100` does a hundredth of the work, as a quick test.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // a bench that can't go on fails by panicking

use sayso::domain::{
    Block, BlockId, BlockKind, Entry, Finish, FinishReason, Header, Language, Origin, Outcome, OutputBuffer,
    Revision, RunId, RunReport, SessionId, StepId, Stream, Timestamp, Usage, Version,
};
use sayso::store::Store;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// The size of all sessions together, in bytes.
const ALL: u64 = 1_000_000_000;
/// Turns of a session; each has a prompt, a reply, a block and its output.
const TURNS: u32 = 40;
/// The size of the vocabulary.
const WORDS: u64 = 40_000;
/// Searches of each kind.
const ROUNDS: usize = 15;

fn main() {
    let part: u64 = std::env::var("SAYSO_BENCH_PART").ok().and_then(|n| n.parse().ok()).unwrap_or(1).max(1);
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("sayso/sessions");
    let count = make(&folder, ALL / part);
    println!("{count} sessions, {} MB", size(&folder, "jsonl") / 1_000_000);
    let (first, _) = search(home.path(), &["needle-in-17"]);
    println!("the first search, which reads them all: {:.1} s", first.as_secs_f64());
    println!("what it keeps: {} MB", size(&folder.join("index"), "db") / 1_000_000);
    let last = folder.join(format!("{}.jsonl", name(count - 1)));
    let (store, _) = Store::open(&last).unwrap();
    store.append(Entry::Prompt("one thing more".into()), Timestamp(0));
    wait(store.close()).unwrap();
    let (after, _) = search(home.path(), &["needle-in-17"]);
    println!("one after a session went on: {:.0} ms", ms(after));
    for (what, words) in [
        ("a rare word", &["needle-in-17"][..]),
        ("a common word", &["w1 "]),
        ("three common words", &["w1", "w2", "w3 "]),
        ("a phrase of words that stand within most others", &["w1 w2"]),
        ("a phrase of common words", &["w200 w300"]),
        ("a beginning", &["w1"]),
        ("a beginning, rare", &["need"]),
        ("nothing that is there", &["nowhere"]),
        ("a common word where it failed", &["w1 ", "--outcome", "failed"]),
        ("a common word in a folder", &["w1 ", "--folder", "/work/3"]),
        ("a common word in no such folder", &["w1 ", "--folder", "/nowhere"]),
        ("a common word of a language that is not there", &["w1 ", "--language", "cobol"]),
    ] {
        let mut times: Vec<Duration> = (0..ROUNDS).map(|_| search(home.path(), words).0).collect();
        times.sort();
        let (_, hits) = search(home.path(), words);
        println!(
            "{what}: {:.1} ms (at most {:.1}), {hits} hits",
            ms(times[ROUNDS / 2]),
            ms(times[ROUNDS - 1])
        );
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Searches; returns the time from start to end, and the number of hits.
fn search(home: &Path, words: &[&str]) -> (Duration, usize) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sayso"));
    command
        .args(["sessions", "search", "--json"])
        .args(words)
        .env("HOME", home)
        .env("SAYSO_HOME", home.join("sayso"));
    let began = Instant::now();
    let done = command.output().unwrap();
    let time = began.elapsed();
    let out = String::from_utf8(done.stdout).unwrap();
    (time, out.matches("\"place\"").count())
}

fn size(folder: &Path, ending: &str) -> u64 {
    let files = std::fs::read_dir(folder).unwrap().flatten();
    let wanted = files.filter(|file| file.path().extension().is_some_and(|found| found == ending));
    wanted.map(|file| file.metadata().unwrap().len()).sum()
}

fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

// --- the sessions ---------------------------------------------------------------------------------------------------

/// Pseudo-random numbers, the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    /// A text of so many words; few words are frequent.
    fn text(&mut self, words: u64) -> String {
        let mut text = String::new();
        for n in 0..words {
            let bound = self.roll(WORDS) + 1;
            let word = self.roll(bound);
            let word = self.roll(word + 1);
            text.push_str(&format!("w{word}{}", if n % 12 == 11 { '\n' } else { ' ' }));
        }
        text
    }
}

fn name(number: u64) -> String {
    format!("s-{number:06}")
}

/// Writes sessions of so many bytes together; returns their number.
fn make(folder: &Path, bytes: u64) -> u64 {
    let (mut dice, mut written, mut number) = (Dice(1), 0, 0);
    while written < bytes {
        let header = Header {
            id: SessionId(name(number)),
            name: format!("session {number}"),
            created: Timestamp(1_767_225_600_000),
            cwd: format!("/work/{}", number % 50).into(),
            model: None,
            program: "bench".into(),
            branch_of: None,
        };
        let store = Store::create(folder, header);
        for turn in 1..=TURNS {
            let mark = if turn == 1 { format!("needle-in-{number} ") } else { String::new() };
            for entry in turn_of(&mut dice, turn, &mark) {
                store.append(entry, Timestamp(1_767_225_600_000 + i64::from(turn)));
            }
        }
        wait(store.close()).unwrap();
        written += std::fs::metadata(store.path()).unwrap().len();
        number += 1;
    }
    number
}

fn turn_of(dice: &mut Dice, turn: u32, mark: &str) -> Vec<Entry> {
    let (block, run) = (BlockId(turn), RunId(turn));
    let language = Some(Language::python());
    let version = Version {
        revision: Revision(1),
        language: language.clone(),
        whole: true,
        source: dice.text(150).into(),
    };
    let proposed = Block {
        id: block,
        step: StepId(turn),
        kind: BlockKind::Code { language },
        origin: Origin::fence("python", 0..0),
        versions: vec![version],
        placed: Vec::new(),
    };
    let mut output = OutputBuffer::new(1 << 20);
    let printed = dice.roll(4000);
    output.push(Stream::Stdout, dice.text(printed).as_bytes());
    let outcome = if turn.is_multiple_of(10) { Outcome::Failed } else { Outcome::Ok };
    let report = RunReport { output, ..RunReport::bare(outcome) };
    let reply = Entry::Reply {
        step: StepId(turn),
        text: dice.text(250),
        reasoning: String::new(),
        tool_calls: Vec::new(),
        kept: Vec::new(),
        finish: Finish { reason: FinishReason::Stop, word: None },
        usage: Usage::default(),
    };
    vec![
        Entry::Prompt(format!("{mark}{}", dice.text(30)).into()),
        reply,
        Entry::Block(proposed),
        Entry::Ran { run, block, report: Box::new(report) },
    ]
}

//! Measures what a person waits for, from outside on a pseudo-terminal: `cargo bench --bench terminal`.
//!
//! The program is the one that cargo built for benches (optimised). Figures are medians over several starts; one
//! thread writes keys and reads the screen's bytes, so nothing else adds time. Processor time is the scheduler's own
//! account of all threads, memory is the proportional set size.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // a test that can't go on fails by panicking

#[path = "terminal/growth.rs"]
mod growth;
#[path = "terminal/probe.rs"]
mod probe;
#[path = "terminal/server.rs"]
mod server;

use probe::{Probe, READY, Row, median, percentile};
use std::path::Path;
use std::time::{Duration, Instant};

const TALK: &str = "pace = 0\n[[reply]]\ntext = \"Hello there.\"\n";

/// A bench: returns its rows of the table.
type Bench = fn() -> Vec<Row>;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let all: [(&str, Bench); 11] = [
        ("start", start),
        ("idle", idle),
        ("echo", echo),
        ("stream", stream),
        ("latency", latency),
        ("approve", approve),
        ("resume", resume),
        ("entries", growth::entries),
        ("lines", growth::lines),
        ("printed", growth::printed),
        ("edited", growth::edited),
    ];
    println!("{:<52} {:>12} {:>12} {:>12}", "what", "median", "goal", "worst");
    for (name, bench) in all {
        if wanted.is_empty() || wanted.iter().any(|w| name.contains(w.as_str())) {
            for row in bench() {
                println!("{row}");
            }
        }
    }
}

fn start() -> Vec<Row> {
    let (mut very_first, mut first, mut usable, mut cpu) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..15 {
        let home = tempfile::tempdir().expect("a home");
        // The very first start creates the key of sessions and waits until it is on the disk.
        let began = Instant::now();
        Probe::story(home.path(), TALK, &[]).until(READY);
        very_first.push(ms(began.elapsed()));
        let began = Instant::now();
        let mut probe = Probe::story(home.path(), TALK, &[]);
        probe.until(READY);
        first.push(ms(began.elapsed()));
        probe.send(b"Q");
        probe.until("Q");
        usable.push(ms(began.elapsed()));
        cpu.push(probe.cpu_ms());
    }
    vec![
        Row::new("first frame", "ms", &first, 8.0),
        Row::new("first frame of the very first start", "ms", &very_first, f64::NAN),
        Row::new("usable: a key is echoed", "ms", &usable, 35.0),
        Row::new("processor time until usable", "ms", &cpu, 25.0),
    ]
}

fn idle() -> Vec<Row> {
    let home = tempfile::tempdir().expect("a home");
    let mut probe = Probe::story(home.path(), TALK, &[]);
    probe.until(READY);
    probe.drain(Duration::from_secs(2));
    let (wakes, memory, own) = (probe.wakeups(), probe.memory_mb("Pss:"), probe.memory_mb("Anonymous:"));
    let written = probe.drain(Duration::from_secs(5));
    let woken = probe.wakeups().saturating_sub(wakes);
    vec![
        Row::single("idle: memory of its own, without pages of the program's file", "MB", own, f64::NAN),
        Row::new("idle: memory", "MB", &[memory], 10.0),
        Row::new("idle: wake-ups in 5 s", "", &[woken as f64], 0.0),
        Row::new("idle: bytes written in 5 s", "B", &[written as f64], 0.0),
    ]
}

fn echo() -> Vec<Row> {
    let home = tempfile::tempdir().expect("a home");
    let mut probe = Probe::story(home.path(), TALK, &[]);
    probe.until(READY);
    probe.drain(Duration::from_millis(500));
    let before = probe.cpu_ms();
    let times = echoes(&mut probe, 200);
    let cpu = (probe.cpu_ms() - before) / times.len() as f64;
    vec![
        Row::new("key to echo", "ms", &times, 0.9),
        Row::single("key to echo, 95th percentile", "ms", percentile(&times, 0.95), 3.0),
        Row::single("processor time a key", "ms", cpu, 0.2),
    ]
}

/// Types letters one after the other; measures the time until each is drawn.
fn echoes(probe: &mut Probe, count: usize) -> Vec<f64> {
    let mut times = Vec::new();
    for n in 0..count {
        if n % 30 == 29 {
            // A message that wraps redraws earlier letters: begin a new one.
            probe.send(b"\x15");
            probe.drain(Duration::from_millis(40));
        }
        // Letters that never end an escape sequence, so that one in the output is one on the screen.
        let letter = [b"wyzgk"[n % 5]];
        let began = Instant::now();
        probe.send(&letter);
        probe.until(std::str::from_utf8(&letter).expect("a letter"));
        times.push(ms(began.elapsed()));
        probe.drain(Duration::from_millis(12));
    }
    times
}

fn stream() -> Vec<Row> {
    let mut rows = Vec::new();
    for (tokens, goal) in [(2_000usize, 60.0), (20_000, 400.0)] {
        let home = tempfile::tempdir().expect("a home");
        let text = reply_of(tokens);
        let story = format!("pace = 0\n[[reply]]\nwhen = \"go\"\ntext = '''{text}\n\nThe very end.'''\n");
        let mut probe = Probe::story(home.path(), &story, &[]);
        probe.until(READY);
        probe.drain(Duration::from_millis(300));
        let before = probe.cpu_ms();
        probe.send(b"go");
        probe.drain(Duration::from_millis(50));
        probe.send(b"\r");
        probe.until("very end");
        probe.drain(Duration::from_millis(500));
        let cpu = probe.cpu_ms() - before;
        rows.push(Row::single(&format!("processor time of {tokens} tokens"), "ms", cpu, goal));
        if tokens == 20_000 {
            rows.push(Row::single("memory after 20000 tokens", "MB", probe.memory_mb("Pss:"), 25.0));
        }
    }
    rows
}

/// A reply with prose, lists and code without language to run, of about so many tokens (four characters each).
fn reply_of(tokens: usize) -> String {
    let part = "A paragraph of plain words that says something about the **numbers** and the `names` in the file, \
                long enough to wrap at every width.\n\n- one thing\n- another thing with `code`\n\n\
                ```json\n{\"rows\": [1, 2, 3], \"name\": \"sales\"}\n```\n\n";
    part.repeat(tokens * 4 / part.len() + 1)
}

fn latency() -> Vec<Row> {
    let (mut leaving, mut first, mut last, mut typed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..7 {
        let home = tempfile::tempdir().expect("a home");
        let server = server::Server::start(if round == 0 { 300 } else { 20 });
        let mut probe = Probe::model(home.path(), &server.address());
        probe.until(READY);
        probe.drain(Duration::from_millis(200));
        probe.send(b"hello");
        probe.drain(Duration::from_millis(50));
        let entered = Instant::now();
        probe.send(b"\r");
        let asked = server.asked();
        leaving.push(ms(asked.saturating_duration_since(entered)));
        probe.until("alpha");
        first.push(ms(Instant::now().saturating_duration_since(server.word())));
        if round == 0 {
            typed = echoes(&mut probe, 60);
        }
        probe.until("omega");
        last.push(ms(Instant::now().saturating_duration_since(server.word())));
    }
    vec![
        Row::new("Enter to the request's leaving", "ms", &leaving, 10.0),
        Row::new("first word arrived to on screen", "ms", &first, 5.0),
        Row::new("last word, and the end behind it, to on screen", "ms", &last, 5.0),
        Row::new("key to echo while a reply streams", "ms", &typed, 0.9),
    ]
}

const RUNS: &str = r#"
pace = 0
[[reply]]
when = "go"
text = """
```python
print("mark" + "er1")
```

```python
print("mark" + "er2")
```

```python
print("mark" + "er3")
```
"""
"#;

/// Selects the waiting block, approves it with its key and the typed word, and returns the time from the last Enter
/// to its output.
fn approved(probe: &mut Probe, marker: &str) -> f64 {
    probe.drain(Duration::from_millis(300));
    // The first press selects the block; a later one approves it, once the terminal has answered and everything was
    // seen.
    loop {
        probe.send(b"\x19");
        if probe.comes("Type  run", Duration::from_millis(1600)) {
            break;
        }
    }
    for key in [b"r", b"u", b"n"] {
        probe.drain(Duration::from_millis(60));
        probe.send(key);
    }
    probe.drain(Duration::from_millis(60));
    let began = Instant::now();
    probe.send(b"\r");
    probe.until(marker);
    ms(began.elapsed())
}

fn approve() -> Vec<Row> {
    let (mut cold, mut warm) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        let home = tempfile::tempdir().expect("a home");
        let mut probe = Probe::story(home.path(), RUNS, &["--sandbox", "off"]);
        probe.until(READY);
        probe.send(b"go");
        probe.drain(Duration::from_millis(50));
        probe.send(b"\r");
        probe.until("WAITING");
        cold.push(approved(&mut probe, "marker1"));
        for marker in ["marker2", "marker3"] {
            warm.push(approved(&mut probe, marker));
        }
    }
    let sync = median(&probe::disk_sync_ms(20));
    vec![
        Row::new("approval to output, first block (its kernel starts with it)", "ms", &cold, 60.0),
        Row::new("approval to output, warm kernel", "ms", &warm, 10.0 + sync),
        Row::single("  of that the disk's sync, measured apart", "ms", sync, f64::NAN),
    ]
}

fn resume() -> Vec<Row> {
    let mut times = Vec::new();
    for _ in 0..7 {
        let home = tempfile::tempdir().expect("a home");
        probe::long_session(&home.path().join("sayso"), 2_000, 0);
        let began = Instant::now();
        let mut probe = Probe::resumed(home.path());
        probe.until("omega");
        times.push(ms(began.elapsed()));
    }
    let size = std::fs::metadata(env!("CARGO_BIN_EXE_sayso")).map_or(0, |m| m.len()) as f64 / 1e6;
    vec![
        Row::new("session of 2000 messages: last one on screen", "ms", &times, 40.0),
        Row::single("size of the program", "MB", size, 15.0),
    ]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The program's data folder in a home.
pub fn home_of(home: &Path) -> std::path::PathBuf {
    home.join("sayso")
}

//! Measures what sessions of any size cost, from outside on a pseudo-terminal and by subcommands, start included:
//! opening, memory, a key, the request, search, list and appending, each at 10, 1,000 and 100,000 messages, at a
//! gigabyte and at 10,000 runs; listing many sessions; copying and restoring 10,000 files.
//!
//! `cargo bench --bench sessions` prints the tables of `docs/figures.md`; words after `--` select some (`sizes`,
//! `list`, `undo`). `SAYSO_BENCH_PART=100` does a hundredth of the work, as a quick test.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // a bench that can't go on fails by panicking

#[allow(dead_code)] // other benches use the rest of it
#[path = "terminal/probe.rs"]
mod probe;
#[path = "../support/recorded_run.rs"]
mod recorded_run;
#[allow(dead_code)]
#[path = "terminal/server.rs"]
mod server;
#[path = "sessions/session_files.rs"]
mod session_files;
#[path = "sessions/undo.rs"]
mod undo;

use probe::{Probe, READY, median};
use sayso::domain::{Entry, Timestamp};
use sayso::store::{Seal, Store};
use session_files::Size;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// How often a short measurement is repeated.
const ROUNDS: usize = 9;
/// The number of sessions in the long list.
const MANY: usize = 5_000;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let all: [(&str, fn()); 3] = [("sizes", sizes), ("list", list_of_many), ("undo", undo::undo)];
    for (name, bench) in all {
        if wanted.is_empty() || wanted.iter().any(|w| name.contains(w.as_str())) {
            bench();
        }
    }
}

/// The divisor of the work.
fn part() -> usize {
    std::env::var("SAYSO_BENCH_PART").ok().and_then(|n| n.parse().ok()).unwrap_or(1).max(1)
}

/// The measurements of a session of one size, each with its name, in the order of the table.
type Figures = Vec<(&'static str, String)>;

fn sizes() {
    let all = Size::all(part());
    let columns: Vec<Figures> = all.iter().map(of_size).collect();
    let names: Vec<&str> = all.iter().map(|size| size.name).collect();
    println!("| what | {} |", names.join(" | "));
    println!("|---|{}", "---|".repeat(names.len()));
    for (row, (what, _)) in columns[0].iter().enumerate() {
        let figures: Vec<&str> = columns.iter().map(|column| column[row].1.as_str()).collect();
        println!("| {what} | {} |", figures.join(" | "));
    }
}

fn of_size(size: &Size) -> Figures {
    let home = tempfile::tempdir().unwrap();
    let path = session_files::session(home.path(), size);
    let bytes = std::fs::metadata(&path).unwrap().len();
    let mut figures: Figures = vec![("its file", words_of_bytes(bytes as f64))];
    let (first, again) =
        (command(home.path(), &["sessions", "list"]), || command(home.path(), &["sessions", "list"]));
    figures.push(("list, first", time(first)));
    figures.push(("list", time(medians(again))));
    let opened: Vec<Opened> = (0..size.rounds).map(|_| open(home.path(), size)).collect();
    let of = |figure: fn(&Opened) -> f64| median(&opened.iter().map(figure).collect::<Vec<_>>());
    figures.push(("open: its end on screen", time(of(|opened| opened.shown))));
    figures.push(("open: all of it checked", time(of(|opened| opened.usable))));
    figures.push(("memory, at most while it opens", format!("{:.0} MB", of(|opened| opened.peak))));
    figures.push(("memory then", format!("{:.0} MB", of(|opened| opened.memory))));
    figures.push(("key to echo", time(of(|opened| opened.echo))));
    figures.push(("Enter to the request, or its refusal", time(of(|opened| opened.leaving))));
    let search = || command(home.path(), &["sessions", "search", "--json", "needle"]);
    figures.push(("search, first: all is read", time(search())));
    figures.push(("search", time(medians(search))));
    figures.push(("append, and on the disk", time(append(home.path(), &path))));
    figures
}

/// The measurements of opening a session.
struct Opened {
    shown: f64,
    usable: f64,
    peak: f64,
    memory: f64,
    echo: f64,
    leaving: f64,
}

fn open(home: &Path, size: &Size) -> Opened {
    let server = server::Server::start(3);
    let began = Instant::now();
    let mut probe = Probe::resumed_at(home, &server.address());
    probe.until("omega");
    let shown = ms(began.elapsed());
    // This text appears only after the whole session was read and checked.
    while !probe.comes(READY, Duration::from_millis(100)) {
        assert!(began.elapsed() < Duration::from_secs(600), "it is never open");
    }
    let usable = ms(began.elapsed());
    probe.drain(Duration::from_millis(800));
    let (peak, memory) = (probe.peak_mb(), probe.memory_mb("Pss:"));
    probe.send(b"\x15");
    probe.drain(Duration::from_millis(300));
    let mut echoes = Vec::new();
    for n in 0..25 {
        let letter = [b"wyzgk"[n % 5]];
        let began = Instant::now();
        probe.send(&letter);
        probe.until(std::str::from_utf8(&letter).unwrap());
        echoes.push(ms(began.elapsed()));
        probe.drain(Duration::from_millis(15));
    }
    probe.send(b"\x15");
    probe.drain(Duration::from_millis(100));
    probe.send(b"hello");
    probe.drain(Duration::from_millis(100));
    let entered = Instant::now();
    probe.send(b"\r");
    let leaving = if size.fits {
        ms(server.asked().saturating_duration_since(entered))
    } else {
        probe.until("chat needs");
        ms(entered.elapsed())
    };
    Opened { shown, usable, peak, memory, echo: median(&echoes), leaving }
}

/// Measures appending and syncing a prompt, without opening the session in a terminal.
fn append(home: &Path, path: &Path) -> f64 {
    let seal = Seal::make(&home.join("sayso")).unwrap();
    let (store, loaded) = Store::open_with(path, Some(&seal)).unwrap();
    drop(loaded);
    let times: Vec<f64> = (0..50)
        .map(|n| {
            let began = Instant::now();
            store.append(Entry::Prompt(format!("one thing more, {n}").into()), Timestamp(n));
            wait(store.sync()).unwrap();
            ms(began.elapsed())
        })
        .collect();
    wait(store.close()).unwrap();
    median(&times)
}

fn list_of_many() {
    let home = tempfile::tempdir().unwrap();
    let count = MANY / part();
    for number in 0..count {
        session_files::small(home.path(), number);
    }
    let list = || command(home.path(), &["sessions", "list"]);
    let first = list();
    println!("| list of {count} sessions, first | {} |", time(first));
    println!("| list of {count} sessions | {} |", time(medians(list)));
}

/// Runs a subcommand; returns its time from start to end.
fn command(home: &Path, args: &[&str]) -> f64 {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sayso"));
    command.args(args).current_dir(home).env("HOME", home).env("SAYSO_HOME", home.join("sayso"));
    let began = Instant::now();
    let done = command.output().unwrap();
    let time = ms(began.elapsed());
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    time
}

fn medians(act: impl Fn() -> f64) -> f64 {
    median(&(0..ROUNDS).map(|_| act()).collect::<Vec<_>>())
}

fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Formats a time: `0.52 ms`, `14 ms`, `3.1 s`.
fn time(ms: f64) -> String {
    match ms {
        ms if ms < 10.0 => format!("{ms:.2} ms"),
        ms if ms < 1_000.0 => format!("{ms:.0} ms"),
        ms => format!("{:.1} s", ms / 1e3),
    }
}

fn words_of_bytes(bytes: f64) -> String {
    match bytes {
        bytes if bytes < 1e6 => format!("{:.0} KB", bytes / 1e3),
        bytes => format!("{:.0} MB", bytes / 1e6),
    }
}

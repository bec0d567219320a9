//! Measures what a run costs: its start in a warm and in a cold kernel compared with the bare interpreter, the
//! overhead of the sandbox, a gigabyte of output, many names and large frames, and whether ten thousand blocks in one
//! session leave anything behind.
//!
//! `cargo bench --bench runs [-- NAME…]`. For `frame`, `SAYSO_TEST_DATA_PYTHON` names a Python with pandas and
//! polars. `SAYSO_BENCH_PART=100` does a hundredth of the work, as a quick test.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // a bench that can't go on fails by panicking

use sayso::domain::Masker;
use sayso::domain::{
    Approval, BlockId, Grantor, Language, Languages, Limits, Outcome, Revision, RunControl, RunEvent, RunId,
    RunReport, RunRequest, SandboxLevel, Stream, Timestamp,
};
use sayso::exec::{DisabledLayers, Executor, SandboxRequest, Setup};
use sayso::workspace::auto_run::AutoRunFiles;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let part: u32 = std::env::var("SAYSO_BENCH_PART").ok().and_then(|n| n.parse().ok()).unwrap_or(1).max(1);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let asked = |name: &str| wanted.is_empty() || wanted.iter().any(|word| name.contains(word.as_str()));
    if asked("warm") {
        runtime.block_on(warm(rounds(300, part)));
    }
    if asked("between") {
        runtime.block_on(between(rounds(100, part)));
    }
    if asked("cold") {
        runtime.block_on(cold(rounds(40, part)));
    }
    if asked("sandbox") {
        runtime.block_on(sandbox(rounds(60, part)));
    }
    if asked("ends") {
        runtime.block_on(ends(rounds(40, part)));
    }
    if asked("flood") {
        runtime.block_on(flood(1_000_000_000 / u64::from(part)));
    }
    if asked("names") {
        runtime.block_on(names(rounds(400, part)));
        names_in_full(rounds(200, part));
    }
    if asked("frame") {
        runtime.block_on(frame(rounds(40, part), 10_000_000 / part));
    }
    if asked("blocks") {
        runtime.block_on(blocks(rounds(10_000, part)));
    }
}

fn rounds(all: u32, part: u32) -> u32 {
    (all / part).max(5)
}

// --- running blocks
// -------------------------------------------------------------------------------------------------

struct BenchExecutor {
    executor: Executor,
    folder: tempfile::TempDir,
    next: AtomicU32,
}

fn python() -> PathBuf {
    std::env::var_os("SAYSO_TEST_PYTHON").map_or_else(|| "/usr/bin/python3".into(), PathBuf::from)
}

impl BenchExecutor {
    fn new(level: SandboxLevel) -> Self {
        Self::of(level, python())
    }

    fn of(level: SandboxLevel, python: PathBuf) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = std::fs::canonicalize(folder.path()).unwrap();
        std::fs::create_dir(base.join("work")).unwrap();
        let executor = Executor::new(Setup {
            helper: sayso::exec::HelperFile::at(env!("CARGO_BIN_EXE_sayso").as_ref()).unwrap(),
            cwd: base.join("work"),
            blobs: base.join("blobs"),
            languages: Languages::default(),
            environment: Vec::new(),
            python: Some(python),
            limits: Limits { wall_ms: 600_000, output_file_bytes: 0, memory_bytes: 0, ..Limits::default() },
            sandbox: SandboxRequest { level, ..SandboxRequest::default() },
            worked: Vec::new(),
            without: DisabledLayers::default(),
            home: std::env::var_os("HOME").map(PathBuf::from),
            own: Vec::new(),
            masker: Masker::default(),
        });
        Self { executor, folder, next: AtomicU32::new(1) }
    }

    /// Runs a block as the program does: terms, approval, order, report. Returns the time from the order to the
    /// report, the time to the first output, and the report.
    async fn run(&self, language: &str, source: &str) -> (Duration, Option<Duration>, RunReport) {
        let request = self.request(language, source, None).await;
        let (sender, mut receiver) = mpsc::channel(64);
        let since = Instant::now();
        self.executor.start(request, sender);
        let mut first = None;
        while let Some((_, event)) = receiver.recv().await {
            match event {
                RunEvent::Output(_) => {
                    first.get_or_insert_with(|| since.elapsed());
                }
                RunEvent::Ended(report) => {
                    assert_eq!(report.outcome, Outcome::Ok, "{:?}", report.error);
                    return (since.elapsed(), first, *report);
                }
                _ => {}
            }
        }
        panic!("no end")
    }

    /// The request for a block, with this time limit in milliseconds or the default one.
    async fn request(&self, language: &str, source: &str, wall_ms: Option<u64>) -> RunRequest {
        let limits = wall_ms.map(|wall_ms| Limits { wall_ms, ..Limits::default() });
        let terms = self.executor.terms(&Language(language.into()), limits).await.unwrap();
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        let by = Grantor::Person { typed: false };
        let approval = Approval::grant(RunId(n), (BlockId(n), Revision(1)), source, terms, by, Timestamp(0));
        RunRequest::new(approval, Arc::from(source)).unwrap()
    }

    /// Runs a block that prints something and never ends, calls `stop` at its first output, and returns the time from
    /// then to its report.
    async fn end(&self, request: RunRequest, stop: impl Fn(&Executor, RunId)) -> Duration {
        let run = request.approval().run();
        let (sender, mut receiver) = mpsc::channel(64);
        self.executor.start(request, sender);
        let mut since = None;
        while let Some((_, event)) = receiver.recv().await {
            match (event, since) {
                (RunEvent::Output(_), None) => {
                    since = Some(Instant::now());
                    stop(&self.executor, run);
                }
                (RunEvent::Ended(report), Some(since)) => {
                    assert!(matches!(report.outcome, Outcome::Interrupted | Outcome::TimedOut), "{report:?}");
                    return since.elapsed();
                }
                _ => {}
            }
        }
        panic!("no end")
    }
}

/// The time of a program started directly.
fn bare(program: &Path, args: &[&str]) -> Duration {
    let since = Instant::now();
    let done = Command::new(program).args(args).stdout(Stdio::piped()).output().unwrap();
    assert!(done.status.success());
    since.elapsed()
}

fn median(mut all: Vec<Duration>) -> Duration {
    all.sort();
    all.get(all.len() / 2).copied().unwrap_or_default()
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn line(what: &str, time: Duration, against: Option<(&str, Duration)>) {
    let ratio = against.map(|(name, other)| {
        format!(
            "   {:6.2} x {name} ({:.2} ms)",
            time.as_secs_f64() / other.as_secs_f64().max(1e-9),
            ms(other)
        )
    });
    println!("{what:<44} {:9.2} ms{}", ms(time), ratio.unwrap_or_default());
}

// --- the benches ----------------------------------------------------------------------------------------------------

async fn warm(rounds: u32) {
    println!("\n# Warm kernel: from the order to the result, median of {rounds}");
    let python = python();
    let started = median((0..rounds.min(40)).map(|_| bare(&python, &["-c", "print(6 * 7)"])).collect());
    let shop = BenchExecutor::new(SandboxLevel::Workspace);
    shop.run("python", "x = 6").await;
    let (mut values, mut printed, mut first) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let (time, _, report) = shop.run("python", "x * 7").await;
        assert_eq!(report.value.as_deref(), Some("42"));
        values.push(time);
        let (time, output, _) = shop.run("python", "print(x * 7)").await;
        printed.push(time);
        first.push(output.unwrap_or(time));
    }
    line("a value", median(values), Some(("python3 -c", started)));
    line("a print, to its first output", median(first), None);
    line("a print, to its end", median(printed), Some(("python3 -c", started)));
    shop.executor.close().await;
}

/// Measures what a block costs when earlier blocks defined many names.
async fn names(rounds: u32) {
    println!("\n# A block in a kernel with many names, median of {rounds}");
    let mut few = None;
    for count in [20, 200, 2_000, 20_000] {
        let shop = BenchExecutor::new(SandboxLevel::Workspace);
        let made = format!("for n in range({count}): globals()[f'v{{n}}'] = [n, 'text'] if n % 3 else n");
        shop.run("python", &made).await;
        let mut all = Vec::new();
        for _ in 0..rounds {
            all.push(shop.run("python", "v0 += 1").await.0);
        }
        let time = median(all);
        line(&format!("{count} names"), time, few.map(|few| ("20 names", few)));
        few.get_or_insert(time);
        shop.executor.close().await;
    }
}

/// Measures the same through the whole program: files of one `sayso exec`, each of which changes one of the names.
fn names_in_full(files: u32) {
    println!("\n# The same as files of `sayso exec`, each, the best of 3 with {files}");
    let home = tempfile::tempdir().unwrap();
    let mut few = None;
    for count in [20, 2_000] {
        let made = format!("for n in range({count}): globals()[f'v{{n}}'] = [n, 'text'] if n % 3 else n");
        let first = home.path().join(format!("make-{count}.py"));
        std::fs::write(&first, made).unwrap();
        let rest: Vec<PathBuf> = (0..files).map(|n| home.path().join(format!("change-{n}.py"))).collect();
        for file in &rest {
            std::fs::write(file, "v0 += 1\n").unwrap();
        }
        let taken = |files: &[PathBuf]| {
            let since = Instant::now();
            let output = Command::new(env!("CARGO_BIN_EXE_sayso"))
                .args(["exec", "--json"])
                .arg(&first)
                .args(files)
                .env("SAYSO_HOME", home.path().join("sayso"))
                .current_dir(home.path())
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            since.elapsed()
        };
        let best = |files: &[PathBuf]| (0..3).map(|_| taken(files)).min().unwrap_or_default();
        let time = best(&rest).saturating_sub(best(&[])) / files.max(1);
        line(&format!("{count} names"), time, few.map(|few| ("20 names", few)));
        few.get_or_insert(time);
    }
}

/// Measures what it costs if a block's value is an existing frame of so many rows.
async fn frame(rounds: u32, rows: u32) {
    let Some(python) = std::env::var_os("SAYSO_TEST_DATA_PYTHON").map(PathBuf::from) else {
        println!("\n# A large frame: not looked at, SAYSO_TEST_DATA_PYTHON names no Python");
        return;
    };
    println!("\n# A frame of {rows} rows as the value of a block, once it is made, median of {rounds}");
    for (library, made, size) in [
        (
            "pandas",
            "import pandas\nframe = pandas.DataFrame({c: range(ROWS) for c in 'abc'})",
            "[ROWS rows x",
        ),
        (
            "polars",
            "import polars\nframe = polars.DataFrame({c: range(ROWS) for c in 'abc'})",
            "shape: (ROWS",
        ),
    ] {
        let shop = BenchExecutor::of(SandboxLevel::Workspace, python.clone());
        shop.run("python", &made.replace("ROWS", &rows.to_string())).await;
        let mut nothing = Vec::new();
        for _ in 0..rounds {
            nothing.push(shop.run("python", "None").await.0);
        }
        let nothing = median(nothing);
        let (first, _, report) = shop.run("python", "frame").await;
        let value = report.value.unwrap_or_default();
        let wanted = size.replace("ROWS", &rows.to_string());
        assert!(value.replace(['_', ','], "").contains(&wanted), "{library}: {value}");
        let mut all = Vec::new();
        for _ in 0..rounds {
            all.push(shop.run("python", "frame").await.0);
        }
        line(&format!("{library}, the first time"), first, Some(("None", nothing)));
        line(
            &format!("{library}, then; {} bytes are kept", value.len()),
            median(all),
            Some(("None", nothing)),
        );
        shop.executor.close().await;
    }
}

/// Measures the work between runs: stopping and resuming the kernel, and scanning the folder for names that programs
/// obey.
async fn between(rounds: u32) {
    const FOLDERS: u32 = 2_000;
    println!("\n# Between runs, in a folder of {FOLDERS} folders, median of {rounds}");
    let shop = BenchExecutor::new(SandboxLevel::Workspace);
    let work = std::fs::canonicalize(shop.folder.path()).unwrap().join("work");
    for n in 0..FOLDERS {
        let folder = work.join(format!("{}/{}", n / 50, n % 50));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("a.py"), "").unwrap();
    }
    shop.run("python", "x = 6").await;
    let (mut runs, mut before, mut after) = (Vec::new(), Vec::new(), Vec::new());
    let mut known = AutoRunFiles::default().scan(vec![work.clone()]);
    // A scan lists again whatever changed right before it.
    std::thread::sleep(Duration::from_millis(100));
    known = known.rescan();
    for _ in 0..rounds {
        let since = Instant::now();
        let look = known.rescan();
        before.push(since.elapsed());
        runs.push(shop.run("python", "x * 7").await.0);
        let since = Instant::now();
        known = look.rescan();
        assert!(known.changes_since(&look).is_empty());
        after.push(since.elapsed());
    }
    line("a run, with its stop and its going on", median(runs), None);
    line("the look before it (beside the disk's sync)", median(before), None);
    line("the look after it", median(after), None);
    shop.executor.close().await;
}

async fn cold(rounds: u32) {
    println!("\n# Cold start: a new session, from nothing to the first result, median of {rounds}");
    for (language, source, program, args) in [
        ("python", "print(6 * 7)", python(), ["-c", "print(6 * 7)"]),
        ("bash", "echo 42", PathBuf::from("/bin/bash"), ["-c", "echo 42"]),
    ] {
        let started = median((0..rounds).map(|_| bare(&program, &args)).collect());
        let mut times = Vec::new();
        for _ in 0..rounds {
            let since = Instant::now();
            let shop = BenchExecutor::new(SandboxLevel::Workspace);
            shop.run(language, source).await;
            times.push(since.elapsed());
            shop.executor.close().await;
        }
        line(language, median(times), Some(("bare", started)));
    }
}

async fn sandbox(rounds: u32) {
    println!("\n# The sandbox: a program of its own, from the order to its end, median of {rounds}");
    let started = median((0..rounds).map(|_| bare(Path::new("/bin/bash"), &["-c", "echo 42"])).collect());
    let mut times = Vec::new();
    for level in [SandboxLevel::Off, SandboxLevel::Workspace] {
        let shop = BenchExecutor::new(level);
        shop.run("bash", "echo 42").await;
        let mut all = Vec::new();
        for _ in 0..rounds {
            all.push(shop.run("bash", "echo 42").await.0);
        }
        times.push(median(all));
        shop.executor.close().await;
    }
    let [off, on] = times[..] else { return };
    line("off", off, Some(("bare bash", started)));
    line("workspace", on, Some(("off", off)));
}

/// Measures the time from a stop to the report.
async fn ends(rounds: u32) {
    println!("\n# Ends: from the stop to the report, median of {rounds}");
    let deaf = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nprint('on')\nwhile True: pass";
    let shop = BenchExecutor::new(SandboxLevel::Workspace);
    for (language, loops) in
        [("python", "print('on')\nwhile True: pass"), ("bash", "echo on; while :; do :; done")]
    {
        let (mut interrupted, mut killed) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            let request = shop.request(language, loops, None).await;
            interrupted
                .push(shop.end(request, |executor, run| executor.control(run, RunControl::Interrupt)).await);
            let request = shop.request(language, loops, None).await;
            killed.push(shop.end(request, |executor, run| executor.control(run, RunControl::Kill)).await);
        }
        line(&format!("{language}: interrupted"), median(interrupted), None);
        line(&format!("{language}: killed"), median(killed), None);
    }
    // The run's clock starts a little before its output, so the measured time is a little shorter than limit and end
    // together.
    for (what, source) in [("in a loop", "print('on')\nwhile True: pass"), ("deaf to interrupts", deaf)] {
        let mut all = Vec::new();
        for _ in 0..rounds.min(10) {
            let request = shop.request("python", source, Some(500)).await;
            all.push(shop.end(request, |_, _| {}).await);
        }
        line(&format!("python, {what}: a limit of 500 ms"), median(all), None);
    }
    shop.executor.close().await;
}

async fn flood(bytes: u64) {
    println!("\n# Output: {} MB through one run", bytes / 1_000_000);
    let shop = BenchExecutor::new(SandboxLevel::Workspace);
    shop.run("bash", "echo 42").await;
    let source = format!("head -c {bytes} /dev/zero");
    let script = format!("{source} | cat > /dev/null");
    let piped = bare(Path::new("/bin/bash"), &["-c", script.as_str()]);
    // Resets the peak of memory.
    let counted = std::fs::write("/proc/self/clear_refs", "5").is_ok();
    let before = memory("VmRSS");
    let (time, first, report) = shop.run("bash", &source).await;
    assert_eq!(report.output.total(Stream::Stdout), bytes);
    let peak = memory("VmHWM");
    line("to its end", time, Some(("through a pipe", piped)));
    line("to its first output", first.unwrap_or_default(), None);
    let word = if counted { "peak" } else { "peak since the start" };
    println!("memory of sayso: {} MiB before, {} MiB {word}", before >> 20, peak >> 20);
    shop.executor.close().await;
}

/// The resources of a session at one moment.
#[derive(Clone, Copy, Debug)]
struct Held {
    processes: usize,
    descriptors: usize,
    files: usize,
    own_bytes: u64,
    kernel_bytes: u64,
}

impl Held {
    fn now(shop: &BenchExecutor, kernel: i32) -> Self {
        let own = i32::try_from(std::process::id()).unwrap();
        Self {
            processes: below(own).len(),
            descriptors: std::fs::read_dir("/proc/self/fd").unwrap().count(),
            files: files(shop.folder.path()) + files(&std::env::temp_dir()),
            own_bytes: memory("VmRSS"),
            kernel_bytes: status(kernel, "VmRSS"),
        }
    }
}

async fn blocks(rounds: u32) {
    println!("\n# {rounds} small blocks in one session");
    let shop = BenchExecutor::new(SandboxLevel::Workspace);
    shop.run("python", "total = 0").await;
    let slice = (rounds / 10).max(2);
    let (mut first, mut last) = (Vec::new(), Vec::new());
    let mut early = None;
    for n in 0..rounds {
        let source = match n % 4 {
            0 => format!("total += {n}"),
            1 => "print(total)".to_owned(),
            2 => format!("f{} = lambda: {n}", n % 50),
            _ => "total".to_owned(),
        };
        let (time, ..) = shop.run("python", &source).await;
        if n < slice {
            first.push(time);
        } else if n >= rounds - slice {
            last.push(time);
        }
        if n + 1 == slice {
            early = Some(Held::now(&shop, kernel_of(&shop)));
        }
    }
    let (first, last) = (median(first), median(last));
    line(&format!("the last {slice}, each"), last, Some((&format!("the first {slice}"), first)));
    let (early, late) = (early.unwrap(), Held::now(&shop, kernel_of(&shop)));
    println!("                   {:>14} {:>14}", format!("after {slice}"), format!("after {rounds}"));
    for (name, a, b) in [
        ("processes", early.processes as u64, late.processes as u64),
        ("descriptors", early.descriptors as u64, late.descriptors as u64),
        ("files", early.files as u64, late.files as u64),
        ("sayso, KiB", early.own_bytes >> 10, late.own_bytes >> 10),
        ("kernel, KiB", early.kernel_bytes >> 10, late.kernel_bytes >> 10),
    ] {
        println!("{name:<18} {a:>14} {b:>14}");
    }
    assert!(late.processes <= early.processes, "processes are left");
    assert!(late.descriptors <= early.descriptors + 2, "descriptors are left");
    shop.executor.close().await;
    let own = i32::try_from(std::process::id()).unwrap();
    assert!(below(own).is_empty(), "processes outlive the session");
}

// --- resources of the system
// ----------------------------------------------------------------------------------------

fn status(pid: i32, name: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap_or_default();
    line.split_whitespace().next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) * 1024
}

fn memory(name: &str) -> u64 {
    status(i32::try_from(std::process::id()).unwrap(), name)
}

/// The living descendants of a process.
fn below(root: i32) -> Vec<i32> {
    let parents: Vec<(i32, i32)> = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter_map(|pid| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            let mut rest = stat.rsplit(')').next()?.split_whitespace();
            let state = rest.next()?.to_owned();
            let parent = rest.next()?.parse().ok()?;
            (state != "Z").then_some((pid, parent))
        })
        .collect();
    let mut found = vec![root];
    let mut at = 0;
    while let Some(pid) = found.get(at).copied() {
        found.extend(parents.iter().filter(|(_, parent)| *parent == pid).map(|(child, _)| *child));
        at += 1;
    }
    found.split_off(1)
}

/// The largest process below this one: the kernel.
fn kernel_of(_: &BenchExecutor) -> i32 {
    let own = i32::try_from(std::process::id()).unwrap();
    below(own).into_iter().max_by_key(|pid| status(*pid, "VmRSS")).unwrap_or(0)
}

/// Counts the files and folders below a folder; in the folder for temporary files only those of sayso.
fn files(folder: &Path) -> usize {
    let all = *folder != *std::env::temp_dir();
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries
        .filter(|entry| all || entry.file_name().to_string_lossy().starts_with("sayso-"))
        .map(|entry| {
            1 + if entry.path().is_dir() && !entry.path().is_symlink() { files(&entry.path()) } else { 0 }
        })
        .sum()
}

//! Runs the program on a pseudo-terminal; one thread drives and times it.

#[path = "../../support/answer.rs"]
mod answer;

pub use answer::READY;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::fmt;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// One line of the table.
pub struct Row {
    what: String,
    unit: &'static str,
    median: f64,
    worst: f64,
    goal: f64,
}

impl Row {
    pub fn new(what: &str, unit: &'static str, values: &[f64], goal: f64) -> Self {
        let worst = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self { what: what.into(), unit, median: median(values), worst, goal }
    }

    pub fn single(what: &str, unit: &'static str, value: f64, goal: f64) -> Self {
        Self::new(what, unit, &[value], goal)
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, unit, median, worst, goal } = self;
        let goal = if goal.is_nan() { "-".into() } else { format!("{goal:.2} {unit}") };
        let verdict = if self.goal.is_nan() || *median <= self.goal { "" } else { "  missed" };
        write!(
            f,
            "{what:<52} {:>12} {goal:>12} {:>12}{verdict}",
            format!("{median:.2} {unit}"),
            format!("{worst:.2} {unit}")
        )
    }
}

pub fn median(values: &[f64]) -> f64 {
    percentile(values, 0.5)
}

pub fn percentile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = ((sorted.len().saturating_sub(1)) as f64 * share).round() as usize;
    sorted.get(at).copied().unwrap_or(f64::NAN)
}

/// How long anything may take before the bench gives up.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Probe {
    bytes: Receiver<Vec<u8>>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    screen: vt100::Parser,
    /// The bytes of an unfinished escape sequence.
    rest: Vec<u8>,
    master: Box<dyn MasterPty + Send>,
}

impl Probe {
    /// Plays a story.
    pub fn story(home: &Path, story: &str, more: &[&str]) -> Self {
        let path = home.join("story.toml");
        std::fs::write(&path, story).expect("the story");
        let mut args = vec![
            "--demo".to_string(),
            path.to_string_lossy().into_owned(),
            "--cwd".into(),
            home.to_string_lossy().into_owned(),
        ];
        args.extend(more.iter().map(ToString::to_string));
        Self::start(home, &args)
    }

    /// Talks to a model server.
    pub fn model(home: &Path, address: &str) -> Self {
        let args = ["--model", "openai/test", "--base-url", address].map(String::from);
        Self::start(home, &args)
    }

    /// Opens the newest session.
    pub fn resumed(home: &Path) -> Self {
        Self::resumed_at(home, "http://127.0.0.1:9/v1")
    }

    /// Opens the newest session, and talks to a model server.
    pub fn resumed_at(home: &Path, address: &str) -> Self {
        let args = ["resume", "--last", "--model", "openai/test", "--base-url", address].map(String::from);
        Self::start(home, &args)
    }

    fn start(home: &Path, args: &[String]) -> Self {
        let size = PtySize { rows: 40, cols: 140, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_sayso"));
        command.args(args);
        command.cwd(home);
        command.env_clear();
        command.env("PATH", std::env::var("PATH").unwrap_or_default());
        command.env("HOME", home);
        command.env("SAYSO_HOME", home.join("sayso"));
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        command.env("OPENAI_API_KEY", "bench");
        let child = pair.slave.spawn_command(command).expect("the program starts");
        drop(pair.slave);
        let keys = pair.master.take_writer().expect("a writer");
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let (sender, bytes) = channel();
        std::thread::spawn(move || {
            let mut buffer = vec![0u8; 64 << 10];
            while let Ok(count) = reader.read(&mut buffer) {
                if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { bytes, keys, child, screen: answer::screen(40, 140), rest: Vec::new(), master: pair.master }
    }

    pub fn send(&mut self, keys: &[u8]) {
        self.keys.write_all(keys).expect("keys are read");
        self.keys.flush().expect("keys are read");
    }

    fn take(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        let answers = answer::process(&mut self.screen, &mut self.rest);
        if !answers.is_empty() {
            self.send(&answers);
        }
    }

    /// Reads until the program has written this text. If the text is spread over cells of which only some were
    /// redrawn, it is searched on the screen.
    pub fn until(&mut self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.bytes.recv_timeout(left) {
                Ok(bytes) => {
                    let written = count_of(&bytes, text.as_bytes()) > 0;
                    self.take(&bytes);
                    if written || (text.len() > 1 && self.screen.screen().contents().contains(text)) {
                        return;
                    }
                }
                Err(error) => panic!("`{text}` did not come ({error}):\n{}", self.screen.screen().contents()),
            }
        }
    }

    /// Changes the size to these columns and rows.
    pub fn resize(&mut self, (cols, rows): (u16, u16)) {
        let some = |n: u16| std::num::NonZeroU16::new(n).expect("a size");
        self.screen.screen_mut().set_size(some(rows), some(cols));
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        self.master.resize(size).expect("the terminal resizes");
    }

    /// Reads until this text is on the screen, but no longer than `time`; returns whether it appeared.
    pub fn comes(&mut self, text: &str, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        loop {
            if self.screen.screen().contents().contains(text) {
                return true;
            }
            match self.bytes.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.take(&bytes),
                Err(_) => return false,
            }
        }
    }

    /// Reads for this time; returns the number of bytes.
    pub fn drain(&mut self, time: Duration) -> usize {
        let deadline = Instant::now() + time;
        let mut count = 0;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.bytes.recv_timeout(left) {
                Ok(bytes) => {
                    count += bytes.len();
                    self.take(&bytes);
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return count,
            }
        }
    }

    fn pid(&self) -> u32 {
        self.child.process_id().expect("it runs")
    }

    fn tasks(&self) -> impl Iterator<Item = std::path::PathBuf> {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.pid())).expect("its threads");
        tasks.flatten().map(|t| t.path())
    }

    /// Processor time of all threads so far.
    pub fn cpu_ms(&self) -> f64 {
        let ns: u64 = self
            .tasks()
            .filter_map(|t| {
                std::fs::read_to_string(t.join("schedstat")).ok()?.split(' ').next()?.parse::<u64>().ok()
            })
            .sum();
        ns as f64 / 1e6
    }

    /// How often a thread went to sleep so far: each time is followed by a wake-up.
    pub fn wakeups(&self) -> u64 {
        self.tasks()
            .filter_map(|t| {
                let status = std::fs::read_to_string(t.join("status")).ok()?;
                let line = status.lines().find(|l| l.starts_with("voluntary_ctxt_switches"))?;
                line.split_whitespace().last()?.parse::<u64>().ok()
            })
            .sum()
    }

    /// The most memory that it ever had in use.
    #[allow(dead_code)] // only the bench of sessions uses it
    pub fn peak_mb(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).expect("its memory");
        let line = status.lines().find(|l| l.starts_with("VmHWM:")).expect("its most memory");
        line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).unwrap_or(f64::NAN) / 1024.0
    }

    /// The memory that the system reports: `Pss:` is the proportional set size, `Anonymous:` the memory without a
    /// file.
    pub fn memory_mb(&self, what: &str) -> f64 {
        let rollup =
            std::fs::read_to_string(format!("/proc/{}/smaps_rollup", self.pid())).expect("its memory");
        let line = rollup.lines().find(|l| l.starts_with(what)).expect("a sum");
        line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).unwrap_or(f64::NAN) / 1024.0
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn count_of(bytes: &[u8], needle: &[u8]) -> usize {
    bytes.windows(needle.len()).filter(|w| *w == needle).count()
}

/// How long a small write takes to reach the disk on which the benches keep their sessions.
pub fn disk_sync_ms(count: usize) -> Vec<f64> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut file = std::fs::File::create(folder.path().join("probe")).expect("a file");
    (0..count)
        .map(|_| {
            file.write_all(&[b'x'; 600]).expect("written");
            let began = Instant::now();
            file.sync_data().expect("synced");
            began.elapsed().as_secs_f64() * 1e3
        })
        .collect()
}

/// Writes a session of so many messages into a program's home, each answer with so many extra paragraphs.
pub fn long_session(home: &Path, messages: usize, paragraphs: usize) {
    use sayso::domain::{Entry, Finish, FinishReason, Header, SessionId, StepId, Timestamp, TurnEnd, Usage};
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let header = Header {
            id: SessionId("01900000-0000-7000-8000-000000000000".into()),
            name: "long".into(),
            created: Timestamp(0),
            // The folder in which the program starts; in another one it would ask where to continue.
            cwd: home.parent().unwrap_or(home).to_path_buf(),
            model: None,
            program: "bench".into(),
            branch_of: None,
        };
        let store = sayso::store::Store::create(&home.join("sessions"), header);
        for n in 0..messages / 2 {
            let at = Timestamp(n as i64 * 1000);
            store.append(Entry::Prompt(format!("Question {n}: what is it about?").into()), at);
            let end = if n + 1 == messages / 2 { "omega" } else { "and so on" };
            let more =
                "A line of *words* with `code`, long enough to be wrapped where the window is narrow.\n\n";
            let text = format!(
                "{}An answer with **some** words and `code`, number {n}, {end}.\n\n- one\n- two\n",
                more.repeat(paragraphs)
            );
            let finish = Finish { reason: FinishReason::Stop, word: None };
            let step = StepId(n as u32 + 1);
            let reply = Entry::Reply {
                step,
                text,
                reasoning: String::new(),
                tool_calls: vec![],
                kept: vec![],
                finish,
                usage: Usage::default(),
            };
            store.append(reply, at);
            store.append(Entry::TurnEnd(TurnEnd::Answered), at);
        }
        store.close().await.expect("the session is written");
    });
}

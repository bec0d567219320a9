//! Ten realistic tasks, on a real terminal against a model server: which keys a person presses for each block,
//! and how long the program makes them wait by design. `cargo test --test e2e tasks -- --nocapture` prints the
//! figures.
//!
//! Wall-clock times are printed and never asserted. The number of keys is asserted; the waiting times by design
//! are covered by the guard's own tests, with a simulated clock.

mod decisions;
mod programs;
mod tables;

use crate::model_server::ModelServer;
use crate::terminal::{PATIENCE, Terminal};
use crate::{is_in_code, session_so_far};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What approving a block took.
struct Decision {
    keys: usize,
    /// The time from the notice that the block waits to the record of its approval.
    took: Duration,
}

/// A task: a folder with files, a scripted model, a terminal.
pub struct Task {
    name: &'static str,
    home: tempfile::TempDir,
    server: ModelServer,
    terminal: Terminal,
    began: Instant,
    /// All keys except those of messages to the model.
    keys: usize,
    decisions: Vec<Decision>,
}

/// What a task starts with.
pub struct Plan {
    name: &'static str,
    home: tempfile::TempDir,
    args: Vec<String>,
    env: Vec<(String, String)>,
}

impl Plan {
    pub fn new(name: &'static str) -> Self {
        let home = tempfile::tempdir().expect("a home");
        std::fs::create_dir(home.path().join("work")).expect("a working folder");
        Self { name, home, args: Vec::new(), env: Vec::new() }
    }

    /// Adds a file to the working folder.
    pub fn file(self, name: &str, text: &str) -> Self {
        std::fs::write(self.home.path().join("work").join(name), text).expect("a file");
        self
    }

    /// Adds an argument.
    pub fn arg(mut self, text: &str) -> Self {
        self.args.push(text.into());
        self
    }

    /// Adds an environment variable.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Starts the program; the model gives these replies in order.
    pub fn start(self, replies: &[&str]) -> Task {
        let server = ModelServer::replying(replies);
        let args = ["--model", "openai/one", "--base-url", &server.v1()];
        let mut setup = crate::at_work(self.home.path(), &args).size(100, 30);
        setup.args.extend(self.args);
        setup.env.extend(self.env);
        let terminal = setup.start();
        let (keys, decisions, began) = (0, Vec::new(), Instant::now());
        Task { name: self.name, server, terminal, began, keys, decisions, home: self.home }
    }
}

impl Task {
    /// Sends a message to the model.
    pub fn say(&self, text: &str) {
        self.terminal.wait_ready();
        self.terminal.type_text(text);
        self.terminal.press("Enter");
    }

    /// Presses a key that is counted.
    pub fn press(&mut self, key: &str) {
        self.keys += 1;
        self.terminal.press(key);
    }

    /// Goes to the waiting block; returns when the notice appeared that it waits.
    pub fn go_to(&mut self, block: u32) -> Instant {
        self.terminal.wait_for(&format!("Block {block} waits"));
        let began = Instant::now();
        // As fast as people are: a key within 30 ms of another is a paste.
        self.terminal.pause(Duration::from_millis(100));
        let before = self.terminal.written();
        self.press("Ctrl-Y");
        // If the block has the focus already, a note says what to press; the second press counts from the
        // moment in which the first one was read.
        self.terminal.writes_more_than(before, Duration::from_secs(5));
        self.terminal.wait_true(is_in_code);
        began
    }

    /// Approves the waiting block as its screen says: Ctrl-Y goes to it, and, after it was shown, Ctrl-Y
    /// approves.
    pub fn approve(&mut self, block: u32) {
        let before = self.keys;
        let began = self.go_to(block);
        let there = Instant::now();
        assert!(self.terminal.holds_within(PATIENCE, all_seen), "never seen:\n{}", self.terminal.screen());
        // The second press counts no sooner than 300 ms after the first.
        self.terminal.pause(Duration::from_millis(310).saturating_sub(there.elapsed()));
        self.press("Ctrl-Y");
        let keys = self.keys - before;
        let decision = format!(r#""block":{block},"#);
        // Without a sandbox each run takes its typed word: those keys are not counted.
        let asks = |s: &str| s.contains("Type  run");
        self.wait_for_disk(&decision, |s| asks(s) || self.has_decided(&decision));
        if asks(&self.terminal.screen()) {
            crate::type_word(&self.terminal);
        }
        self.recorded(&decision);
        self.decisions.push(Decision { keys, took: began.elapsed() });
    }

    /// Waits until a decision that contains this is in the session file.
    fn recorded(&self, part: &str) {
        self.wait_for_disk(part, |_| self.has_decided(part));
    }

    /// Waits for a condition on the disk, which can't be signalled: checks it again and again.
    fn wait_for_disk(&self, part: &str, condition: impl Fn(&str) -> bool) {
        let until = Instant::now() + PATIENCE;
        while !self.terminal.holds_within(Duration::from_millis(10), &condition) {
            assert!(Instant::now() < until, "no decision with {part}:\n{}", self.terminal.screen());
        }
    }

    /// Whether a decision that contains this is in the session file.
    fn has_decided(&self, part: &str) -> bool {
        let file = session_so_far(self.home.path()).unwrap_or_default();
        file.lines().any(|line| line.contains(r#""kind":"decision""#) && line.contains(part))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join("work").join(name)
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// The last message to the model in a request.
    pub fn told(&self, request: usize) -> String {
        self.server.wait_for_requests(request + 1)[request].last_message()
    }

    /// Waits for the model's last words, prints the figures, and checks the number of keys.
    pub fn ends_with(&self, text: &str) {
        self.terminal.wait_for(text);
        let Self { name, keys, decisions, began, .. } = self;
        let longest = decisions.iter().map(|d| d.took).max().unwrap_or_default();
        println!(
            "task {name:<28} {} blocks, {keys} keys, longest from waiting to approved {:.2} s, {:.1} s in all",
            decisions.len(),
            longest.as_secs_f64(),
            began.elapsed().as_secs_f64()
        );
        for (n, decision) in decisions.iter().enumerate() {
            assert!(decision.keys <= 2, "approval {} took {} keys", n + 1, decision.keys);
        }
    }
}

/// Whether all lines of the block were shown long enough: `seen 7/7`.
fn all_seen(screen: &str) -> bool {
    let Some(rest) = screen.split("seen ").nth(1) else { return false };
    let number = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>();
    let seen = number(rest);
    let of = rest.get(seen.len()..).and_then(|rest| rest.strip_prefix('/')).map(number);
    !seen.is_empty() && of == Some(seen)
}

/// Whether a file exists and contains this.
pub fn holds(path: &Path, text: &str) -> bool {
    std::fs::read_to_string(path).is_ok_and(|found| found.contains(text))
}

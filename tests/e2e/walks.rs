//! Random walks: thousands of keys, pastes, clicks and resizes at speed, on the real program with a real
//! sandbox. Checks that it only ends by its own keys, redraws on request, does not grow, shows on the terminal
//! what it means to show, and runs nothing that was not approved.
//!
//! A walk is determined by its seed. By default it is short; `SAYSO_TEST_WALKS=N` makes N walks of ten thousand
//! steps, five at a time.

use crate::terminal::Terminal;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Steps between two checks.
const EVERY: usize = 500;
/// How long the program may take to redraw on request, on a busy machine.
const REDRAW: Duration = Duration::from_secs(20);
/// Longer than the program waits for the rest of a key, and than the time between two keys of a paste.
const SETTLED: Duration = Duration::from_millis(400);
/// Longer than anything changes by itself after a key: the keys of a block open.
const QUIET: Duration = Duration::from_millis(1100);
/// Ends whatever an odd piece began: a paste, a string; and the Ctrl-S stop of a terminal whose program has
/// restored it and is about to end.
const ENDS: &[u8] = b"\x1b[201~\x1b\\\x11";
/// Longer than the pieces of one redrawing are apart.
const REDRAWN: Duration = Duration::from_millis(50);
/// No step takes this long unless the program no longer reads keys.
const STUCK: Duration = Duration::from_secs(60);
/// The allowed growth after the first frame: caches are bounded, and so is a chat of this length.
const GROWTH_KB: u64 = 160 << 10;

/// Numbers that depend on their seed alone (splitmix64).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }

    /// One of the parts of a text that stand between these characters.
    fn part<'a>(&mut self, text: &'a str, between: char) -> &'a str {
        self.of(&text.split(between).collect::<Vec<_>>())
    }
}

/// Keys other than letters, as terminals send them, with blanks between them. Not Ctrl-Z: nobody would resume the program.
const KEYS: &str = "\
     \r \r \t \x1b[Z \x1b \x7f \x1b[A \x1b[B \x1b[C \x1b[D \x1b[H \x1b[F \x1b[5~ \x1b[6~ \x1b[2~ \
     \x1b[3~ \x1bOP \x1bOQ \x1bOR \x1b[15~ \x1b[21~ \x01 \x02 \x03 \x04 \x05 \x06 \x07 \x08 \n \x0b \
     \x0c \x0e \x0f \x10 \x11 \x12 \x13 \x14 \x15 \x16 \x17 \x18 \x19 \x19 \x1f \x1bb \x1by \x1b\r \
     \x1b[1;2C \x1b[1;5D \x1b[1;3A \x00 \x1c \x1d \x1e";
/// Sequences that terminals send, and some that none sends, with blanks between them.
const ODD: &str = "\
     \x1b[I \x1b[O \x1b[12;40R \x1b[?62;22c \x1b[ \x1bO \x1b]11;rgb:0000/0000/0000\x07 \x1b] \x1bP \
     \x1b_G\x1b\\ \x1b[999~ \x1b[<0;5 \x1b[200~ \x1b[201~ \x1b[?2026;2$y \x1b[57358u";
/// Lines to type, with bars between them.
const LINES: &str = "\
     go on|more|/model|/vars|/theme|/keys|/status|/rules|/steps|/resume|/find x|/help|/queue|/limits|\
     /rerun 1|/restart|/copy|/rename walk|/cost|/recipe|/new|/quit|/nonsense|!echo mine|see @story|\
     日本語のテキスト 👩‍🚀|/provider|/rebuild";
/// Texts to paste.
const PASTES: &[&str] = &[
    "a",
    "aaaa",
    "run\r",
    "\x19",
    "one\ntwo\nthree\nfour\nfive",
    "e\u{301}\u{202e}hidden\u{200b}",
    "\t\t- x\r\n",
    "👩‍🚀🇩🇪 ﷽ नमस्ते",
    "\x1b[2J\x1b]0;title\x07",
];

/// A story in which every message brings blocks, each with a mark of its own.
fn story() -> String {
    let mut text = String::from("pace = 0\n");
    for reply in 0..400 {
        let code = match reply % 8 {
            0 | 4 | 7 => format!(
                "```python\nopen('ran-{reply}', 'w').close()\nprint('mark', {reply})\n{reply} * 2\n```"
            ),
            1 | 5 => format!(
                "```bash\ntouch ran-{reply}; echo mark {reply}\n```\n\nAnd then\n\n```bash\ntouch ran-{reply}b\n```"
            ),
            2 | 6 => format!(
                "```python\nopen('ran-{reply}', 'w').close()\nimport time\nfor n in range(40):\n    print('wide 日本語', n, 'x' * n)\n    \
                 time.sleep(0.01)\n```"
            ),
            _ => format!(
                "| a | b |\n|---|---|\n| {reply} | 👩‍🚀 |\n\n```bash\ntouch ran-{reply}\nrm -rf ./gone-{reply}\n```"
            ),
        };
        text.push_str(&format!("[[reply]]\ntext = '''\nReply *{reply}* with `words`.\n\n{code}\n'''\n"));
    }
    text
}

/// A walk in progress.
struct Walk {
    seed: u64,
    chance: Chance,
    home: tempfile::TempDir,
    terminal: Terminal,
    size: (u16, u16),
    /// Memory after the first frame.
    begun_kb: u64,
    most_kb: u64,
    /// How often the keys of the walk quit the program.
    left: usize,
    /// How often `work` reached a decision.
    worked: usize,
}

impl Walk {
    fn begin(seed: u64) -> Self {
        let home = tempfile::tempdir().expect("a home");
        super::story(home.path(), &story());
        let terminal = start(home.path(), (100, 30), &[]);
        let mut walk = Self {
            seed,
            chance: Chance(seed),
            home,
            terminal,
            size: (100, 30),
            begun_kb: 0,
            most_kb: 0,
            left: 0,
            worked: 0,
        };
        walk.began();
        walk
    }

    fn began(&mut self) {
        let drawn = self.terminal.holds_within(REDRAW, |s| !s.trim().is_empty());
        assert!(drawn, "{}: no first frame", self.seed);
        self.begun_kb = resident_kb(self.terminal.pid());
    }

    /// Does one step: a key, several, a paste, a click, a resize.
    fn step(&mut self) {
        let chance = &mut self.chance;
        match chance.below(1000) {
            0..550 => {
                let letter = (b'!' + chance.below(94) as u8) as char;
                self.terminal.send(letter.to_string().as_bytes());
            }
            550..850 => self.terminal.send(chance.part(KEYS, ' ').as_bytes()),
            850..880 => self.terminal.send(b" "),
            880..900 => self.terminal.send(chance.part(ODD, ' ').as_bytes()),
            900..920 => {
                let pasted = chance.of(PASTES);
                self.terminal.paste(pasted);
            }
            920..930 => self.terminal.send(chance.of(PASTES).repeat(20).as_bytes()),
            930..960 => self.click(),
            960..985 => self.resize(),
            985..995 => self.terminal.send(chance.part(KEYS, ' ').repeat(3).as_bytes()),
            995..997 => self.say(),
            _ => self.work(),
        }
    }

    fn click(&mut self) {
        let (x, y) = (self.chance.below(self.size.0.into()) + 1, self.chance.below(self.size.1.into()) + 1);
        let (button, end) =
            [(0, 'M'), (0, 'm'), (32, 'M'), (64, 'M'), (65, 'M'), (2, 'M')][self.chance.below(6)];
        self.terminal.send(format!("\x1b[<{button};{x};{y}{end}").as_bytes());
    }

    fn resize(&mut self) {
        let size = match self.chance.below(4) {
            // Below the smallest size, down to almost nothing.
            0 => (self.chance.below(60) + 2, self.chance.below(14) + 1),
            1 => *self.chance.of(&[&(80, 24), &(100, 30), &(140, 40), &(50, 12), &(49, 12)]),
            _ => (self.chance.below(200) + 2, self.chance.below(60) + 1),
        };
        self.size = (size.0 as u16, size.1 as u16);
        self.terminal.resize(self.size.0, self.size.1);
    }

    /// Types a line like a person, after keys that lead to the message.
    fn say(&mut self) {
        self.terminal.pause(Duration::from_millis(60));
        self.terminal.send(b"\x1b");
        self.terminal.pause(Duration::from_millis(120));
        self.terminal.send(b"\x15");
        for letter in self.chance.part(LINES, '|').chars() {
            self.terminal.pause(Duration::from_millis(35));
            self.terminal.send(letter.to_string().as_bytes());
        }
        self.terminal.pause(Duration::from_millis(60));
        self.terminal.send(b"\r");
    }

    /// Works like a person: closes whatever is open, sends a message, and decides about the resulting block.
    /// Chance determines whether there is one, and whether it can be decided about.
    fn work(&mut self) {
        if self.size.0 < 100 || self.size.1 < 30 {
            self.size = (100, 30);
            self.terminal.resize(100, 30);
        }
        self.terminal.send(ENDS);
        for _ in 0..3 {
            self.terminal.pause(Duration::from_millis(120));
            self.terminal.send(b"\x1b");
        }
        if !self.terminal.screen().contains(" waits") {
            self.terminal.pause(Duration::from_millis(120));
            self.terminal.send(b"\x15");
            self.slowly("go on\r");
            self.terminal.holds_within(Duration::from_secs(2), |screen| screen.contains(" waits"));
        }
        let waited = self.decided();
        // Directly after Esc it would be another key.
        self.terminal.pause(SETTLED);
        self.terminal.send(b"\x19");
        self.terminal.pause(Duration::from_millis(900));
        match self.chance.below(6) {
            0 => {
                self.terminal.send(b"r");
                self.terminal.pause(Duration::from_millis(700));
                self.slowly("not this\r");
            }
            1 => self.terminal.send(b"s"),
            _ => {
                self.terminal.send(b"\x19");
                self.terminal.pause(Duration::from_millis(400));
                if self.terminal.screen().contains("Type  run") {
                    self.slowly("run\r");
                }
            }
        }
        // A decision is on disk before it has effects.
        let until = Instant::now() + Duration::from_secs(1);
        while self.decided() == waited && Instant::now() < until {
            self.terminal.pause(Duration::from_millis(50));
        }
        self.worked += usize::from(self.decided() > waited);
    }

    /// Types at the pace of a hand.
    fn slowly(&mut self, text: &str) {
        for letter in text.chars() {
            self.terminal.pause(Duration::from_millis(60));
            self.terminal.send(letter.to_string().as_bytes());
        }
    }

    /// How many decisions the session files contain.
    fn decided(&self) -> usize {
        let files = super::session_files(self.home.path());
        let text = files.iter().filter_map(|file| std::fs::read_to_string(file).ok());
        text.map(|text| text.matches("\"decision\":").count()).sum()
    }

    /// Checks that the program lives, redraws on request, and has not grown; or that its own keys quit it.
    fn look(&mut self) {
        if let Some(code) = self.terminal.ended() {
            assert_eq!(code, 0, "{}: it ended badly:\n{}", self.seed, self.terminal.screen());
            self.left += 1;
            let sessions = super::session_files(self.home.path());
            // Without a message there is no session to resume.
            let anew = sessions.is_empty() || self.left.is_multiple_of(2);
            let again: &[&str] = if anew { &[] } else { &["resume", "--last"] };
            self.terminal = start(self.home.path(), self.size, again);
            return self.began();
        }
        self.terminal.send(ENDS);
        self.terminal.pause(SETTLED);
        let before = self.terminal.written();
        self.terminal.press("Ctrl-L");
        let drawn = self.terminal.writes_more_than(before, REDRAW);
        // Its terminal is closed slightly before the process ends.
        let until = Instant::now() + REDRAW;
        while !drawn && self.terminal.ended().is_none() && Instant::now() < until {
            self.terminal.pause(Duration::from_millis(20));
        }
        if self.terminal.ended() == Some(0) {
            return;
        }
        assert!(drawn, "{}: Ctrl-L drew nothing at {:?}:\n{}", self.seed, self.size, self.terminal.screen());
        let now = resident_kb(self.terminal.pid());
        self.most_kb = self.most_kb.max(now.saturating_sub(self.begun_kb));
        assert!(self.most_kb < GROWTH_KB, "{}: it grew by {} KB", self.seed, self.most_kb);
    }

    /// Checks that the screen after all the small changes equals a complete redraw.
    fn compare(&mut self) {
        let quiet = |terminal: &Terminal, time: Duration| {
            let until = Instant::now() + REDRAW;
            loop {
                let written = terminal.written();
                if !terminal.writes_more_than(written, time) && has_nothing_to_do(terminal.pid()) {
                    return true;
                }
                if Instant::now() > until {
                    return false;
                }
            }
        };
        // An inspection asks other programs. One whose end was not drawn is found nevertheless: this ends.
        let until = Instant::now() + REDRAW;
        while self.terminal.screen().contains("checking") && Instant::now() < until {
            self.terminal.pause(Duration::from_millis(20));
        }
        // A key without effect, so that the effects of earlier keys are complete.
        self.terminal.send(ENDS);
        self.terminal.pause(SETTLED);
        // Once more behind what ended meanwhile: its end is told until the next key.
        for time in [QUIET, SETTLED] {
            self.terminal.send(b"\x1b[34~");
            // A counter of seconds is never quiet.
            if !quiet(&self.terminal, time) || self.terminal.ended().is_some() {
                return;
            }
        }
        let (before, screen, written) =
            (self.terminal.painted(), self.terminal.screen(), self.terminal.written());
        self.terminal.press("Ctrl-L");
        if !self.terminal.writes_more_than(written, REDRAW) {
            return;
        }
        let mut different = None;
        // What a job finds late may change the screen while it is waited for, so it is looked at soon, too.
        for time in [REDRAWN, QUIET] {
            if !quiet(&self.terminal, time) || self.terminal.ended().is_some() {
                return;
            }
            different = different_row(&before, &self.terminal.painted());
            if different.is_none() {
                return;
            }
        }
        if let Some((drawn, meant)) = different {
            let now = self.terminal.screen();
            panic!(
                "{}: the screen was not as it was meant:\n{drawn}\n{meant}\n{screen}\n-- drawn anew:\n{now}",
                self.seed
            );
        }
    }
}

/// The first row that differs, on both screens. A minute may have passed in between.
fn different_row(before: &[String], now: &[String]) -> Option<(String, String)> {
    let differ = |(drawn, meant): &(&String, &String)| {
        drawn != meant && (without_ages(drawn) != without_ages(meant) || !has_age(meant))
    };
    before.iter().zip(now).find(differ).map(|(drawn, meant)| (drawn.clone(), meant.clone()))
}

const AGES: [&str; 2] = ["min", "h"];

/// Whether a row says how long ago something was.
fn has_age(row: &str) -> bool {
    row.split_whitespace().any(|word| word == "now" || AGES.contains(&word))
}

/// The words of a row without how long ago something was.
fn without_ages(row: &str) -> Vec<&str> {
    let mut words: Vec<&str> = Vec::new();
    for word in row.split_whitespace().filter(|word| *word != "now") {
        if !AGES.contains(&word) {
            words.push(word);
        } else if words.last().is_some_and(|number| number.parse::<u32>().is_ok()) {
            words.pop();
        }
    }
    words
}

fn start(home: &Path, (columns, rows): (u16, u16), args: &[&str]) -> Terminal {
    // Random input must not reach anybody outside.
    let nowhere = "http://127.0.0.1:9";
    let setup = crate::play_again(home, args).size(columns, rows).env("EDITOR", "true").env("PAGER", "cat");
    setup.env("HTTPS_PROXY", nowhere).env("HTTP_PROXY", nowhere).env("https_proxy", nowhere).start()
}

fn resident_kb(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
}

/// Whether all threads of a program and of those that it started are idle: one that writes nothing may only be slow.
fn has_nothing_to_do(pid: u32) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    threads.map(|thread| thread.path()).all(|thread| {
        let read = |name: &str| std::fs::read_to_string(thread.join(name)).unwrap_or_default();
        let works = read("stat").rsplit_once(") ").is_some_and(|(_, state)| state.starts_with(['R', 'D']));
        !works
            && read("children")
                .split_whitespace()
                .filter_map(|child| child.parse().ok())
                .all(has_nothing_to_do)
    })
}

/// Checks that every mark in the folder belongs to an approved text. Returns how many there are.
fn nothing_ran_unapproved(walk: &Walk) -> usize {
    // The program still runs: what ran by now was approved by now, so the disk is searched for the approval
    // after this.
    let made = std::fs::read_dir(walk.home.path().join("work")).expect("the folder").flatten();
    let made: Vec<String> = made.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let (mut approved, mut texts) = (BTreeSet::new(), Vec::new());
    for file in super::session_files(walk.home.path()) {
        // The last line may be incomplete, even within a character.
        let text = String::from_utf8_lossy(&std::fs::read(file).expect("a session")).into_owned();
        for entry in text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()) {
            if entry["decision"] == "approve" {
                approved.extend(entry["sha256"].as_str().map(str::to_owned));
            }
            let versions = entry["versions"].as_array().into_iter().flatten();
            texts.extend(versions.filter_map(|version| version["source"].as_str()).map(str::to_owned));
            texts.extend(entry["source"].as_str().map(str::to_owned));
        }
    }
    let hash = |text: &str| Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    texts.retain(|text| approved.contains(&hash(text)));
    let mut marks = 0;
    for name in made {
        if name.starts_with("ran-") {
            marks += 1;
            let known = texts.iter().any(|text| makes(text, &name));
            assert!(known, "{}: {name} was made by what nobody approved", walk.seed);
        }
    }
    marks
}

/// Whether a text names this file: `ran-10` does not name `ran-1`.
fn makes(text: &str, name: &str) -> bool {
    let goes_on = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    text.match_indices(name).any(|(at, _)| !text.get(at + name.len()..).is_some_and(goes_on))
}

#[test]
fn a_file_is_made_by_the_text_that_names_it() {
    assert!(makes("open('ran-1', 'w')", "ran-1"));
    assert!(makes("ran-10 ran-1", "ran-1"));
    assert!(!makes("open('ran-10', 'w'); ran-1b", "ran-1"));
}

/// Ends a program that reads no keys any more; otherwise the test would write for ever and report nothing.
fn watch(pid: &AtomicU32, steps: &AtomicUsize) {
    let mut last = (0, Instant::now());
    loop {
        std::thread::park_timeout(Duration::from_millis(500));
        match (pid.load(Ordering::Relaxed), steps.load(Ordering::Relaxed)) {
            (0, _) => return,
            (_, step) if step != last.0 => last = (step, Instant::now()),
            (pid, step) if last.1.elapsed() > STUCK => {
                println!("process {pid} reads no keys any more, step {step}");
                let _ = std::process::Command::new("kill").args(["-KILL", &pid.to_string()]).status();
                return;
            }
            _ => {}
        }
    }
}

/// The result of a walk.
#[derive(Clone, Copy, Debug, Default)]
struct Came {
    /// Blocks that ran.
    ran: usize,
    /// Decisions that were meant.
    worked: usize,
}

/// Runs a walk from its seed to its end.
fn walk(seed: u64, steps: usize) -> Came {
    let began = Instant::now();
    let mut walk = Walk::begin(seed);
    let (pid, step) = (AtomicU32::new(walk.terminal.pid()), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| watch(&pid, &step));
        let done = catch_unwind(AssertUnwindSafe(|| {
            for n in 1..=steps {
                step.store(n, Ordering::Relaxed);
                walk.step();
                if n % EVERY == 0 {
                    walk.look();
                    pid.store(walk.terminal.pid(), Ordering::Relaxed);
                } else {
                    let gap = [0, 0, 1, 2][walk.chance.below(4)];
                    walk.terminal.pause(Duration::from_millis(gap));
                }
                if n % (EVERY * 4) == 0 {
                    walk.compare();
                }
            }
        }));
        pid.store(0, Ordering::Relaxed);
        if let Err(failure) = done {
            resume_unwind(failure);
        }
    });
    let marks = nothing_ran_unapproved(&walk);
    println!(
        "walk {seed}: {steps} steps in {:.0} s, left {} times, grew {} MB, {} decisions meant, {marks} blocks ran, all approved",
        began.elapsed().as_secs_f64(),
        walk.left,
        walk.most_kb >> 10,
        walk.worked
    );
    Came { ran: marks, worked: walk.worked }
}

#[test]
fn random_walks_end_in_nothing_that_was_not_meant() {
    let number = |name| std::env::var(name).ok().map(|value| value.parse::<u64>().expect("a number"));
    let (long, first) = (number("SAYSO_TEST_WALKS"), number("SAYSO_TEST_SEED").unwrap_or(1));
    let (walks, steps) = long.map_or((1, 1_000), |walks| (walks, 10_000));
    let mut all_came = Came::default();
    for pair in (first..first + walks).collect::<Vec<u64>>().chunks(5) {
        std::thread::scope(|scope| {
            let walks: Vec<_> = pair.iter().map(|seed| scope.spawn(move || walk(*seed, steps))).collect();
            for walk in walks {
                let came = walk.join().unwrap_or_else(|failure| resume_unwind(failure));
                all_came = Came { ran: all_came.ran + came.ran, worked: all_came.worked + came.worked };
            }
        });
    }
    // Each long walk calls `work` some thirty times, but a block can be decided about in only a part of them.
    let least = if long.is_some() { walks as usize } else { 0 };
    let enough = all_came.ran >= least && all_came.worked >= least;
    assert!(enough, "where next to nothing ran next to nothing was shown: {all_came:?}");
}

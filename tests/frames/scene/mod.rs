//! A session in the middle of its life, built from the same entries that a session file holds.

use sayso::domain::*;
use sayso::engine::state::{InspectionResult, LiveReply, LiveRun};
use sayso::engine::transcript::Item;
use sayso::engine::{Phase, State};
use sayso::tui::keymap::Keymap;
use sayso::tui::screen::{Ctx, Screen};
use sayso::tui::setup::Cloud;
use sayso::tui::setup::Setup;
use sayso::tui::theme::{Depth, Theme};
use sayso::tui::widgets::look::{Glyphs, Look};
use sayso::tui::widgets::words::Locale;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub const CODE: &str = "import pandas as pd, shutil
from pathlib import Path

df = pd.read_csv('sales.csv')
df['month'] = pd.to_datetime(df['date']).dt.to_period('M')
by_region = df.groupby(['region', 'month'])['revenue'].sum()
print(by_region.unstack().tail(3))

old = Path('out/charts')
if old.exists():
    shutil.rmtree(old)
old.mkdir(parents=True)

ax = by_region.unstack(0).plot(figsize=(9, 4))
ax.set_title('Revenue by region')
ax.figure.savefig('out/charts/revenue.png', dpi=150)

top = by_region.groupby('region').sum().nlargest(3)
for name, value in top.items():
    print(f'{name:<12}{value:>14,.0f}')

top.to_csv('out/top3.csv')
print(len(df), 'rows read')
print(df['date'].min(), df['date'].max())
";

/// A screen with its session and its clock.
pub struct Scene {
    pub screen: Screen,
    pub state: State,
    pub theme: Theme,
    pub now: Timestamp,
    pub at: Instant,
    /// What came of the passing of time, and was not taken yet.
    wishes: Vec<sayso::tui::ui_command::UiCommand>,
}

/// 10:41 on a day in 2026, UTC.
pub const MORNING: i64 = 1_790_073_660_000;

impl Scene {
    /// A session where two blocks have run.
    pub fn new() -> Self {
        Self::set_up(Setup { cwd: "/home/ada/data/sales".into(), ..Setup::default() })
    }

    pub fn set_up(setup: Setup) -> Self {
        let at = Instant::now();
        let keymap = Keymap::load(None).unwrap();
        let mut scene = Self {
            screen: Screen::new(setup, keymap, (140, 40), at),
            state: State::default(),
            theme: Theme::terminal(Depth::True),
            now: Timestamp(MORNING),
            at,
            wishes: Vec::new(),
        };
        scene.record(Entry::Header(Header {
            id: SessionId("01".into()),
            name: "sales-q3".into(),
            created: scene.now,
            cwd: "/home/ada/data/sales".into(),
            model: Some(ModelName { provider: "ollama".into(), model: "qwen3-coder".into() }),
            program: "0.1.0".into(),
        }));
        scene
    }

    /// The same after a first turn.
    pub fn worked() -> Self {
        let mut scene = Self::new();
        scene.record(Entry::Prompt(
            "Load sales.csv, plot revenue by region per month, clear the old charts first.".into(),
        ));
        scene.reply(
            "I will read the file, group by region and month, remove the old chart folder and save one plot.\n\n\
             ```bash\nls -la\n```\n\n```python\ndf.info()\n```\n",
            &[("bash", "ls -la\n"), ("python", "df.info()\n")],
        );
        scene.ran(1, 100, "total 12\n");
        scene.ran(
            2,
            800,
            "<class 'pandas.core.frame.DataFrame'>\nRangeIndex: 18240 entries\ndate, region, product, revenue, units\n",
        );
        scene.state.live.kernel = Some(KernelRef { generation: 1, variables: 14, goes_on: false });
        scene
    }

    /// The same with block 3 waiting.
    pub fn waiting() -> Self {
        let mut scene = Self::worked();
        scene.pass(5_000);
        scene.reply(&format!("```python\n{CODE}```\n"), &[("python", CODE)]);
        scene.inspect(3, findings());
        scene.decide(3);
        scene
    }

    pub fn record(&mut self, entry: Entry) {
        self.state.transcript.apply(&entry, self.now);
    }

    /// A whole reply with its blocks, in the order of their fences.
    pub fn reply(&mut self, text: &str, blocks: &[(&str, &str)]) {
        let step = StepId(self.state.transcript.items.len() as u32);
        self.record(Entry::Reply {
            step,
            text: text.into(),
            reasoning: String::new(),
            tool_calls: Vec::new(),
            kept: Vec::new(),
            finish: Finish { reason: FinishReason::Stop, word: None },
            usage: Usage { input: Some(12_000), output: Some(412), ..Usage::default() },
        });
        let mut from = 0;
        for (language, source) in blocks {
            let start = from + text[from..].find("```").unwrap();
            let end = start + 3 + text[start + 3..].find("```").unwrap() + 3;
            from = end;
            let id = BlockId(self.state.transcript.blocks.len() as u32 + 1);
            let language = Some(Language((*language).into())).filter(|l| !l.0.is_empty());
            self.record(Entry::Block(Block {
                id,
                step,
                kind: BlockKind::Code { language: language.clone() },
                origin: Origin {
                    dialect: Dialect::Fences,
                    info: String::new(),
                    range: start..end,
                    closed: true,
                    call: None,
                    note: None,
                    own: false,
                },
                versions: vec![Version {
                    revision: Revision(1),
                    source: Arc::from(*source),
                    language,
                    whole: true,
                }],
            }));
        }
    }

    pub fn terms(language: &str) -> Terms {
        let kernel = language == "python";
        Terms {
            language: Language(language.into()),
            executor: if kernel { ExecutorKind::Kernel } else { ExecutorKind::Subprocess },
            interpreter: PathBuf::from("/usr/bin/python3.12"),
            version: Some("3.12.4".into()),
            kernel: kernel.then_some(KernelRef { generation: 1, variables: 14, goes_on: false }),
            cwd: "/home/ada/data/sales".into(),
            rights: Rights {
                network: true,
                environment: ["PATH", "HOME", "LANG", "LC_ALL", "TERM", "TZ"].map(String::from).to_vec(),
                sandbox: SandboxReport {
                    memory: Enforcement::Watched,
                    processes: Enforcement::Watched,
                    files: Enforcement::Enforced,
                    ..SandboxReport::default()
                },
                ..Rights::default()
            },
            limits: Limits::default(),
            shared: None,
            target: None,
        }
    }

    /// The review of a block has arrived.
    pub fn inspect(&mut self, block: u32, findings: Vec<Finding>) {
        let item = &self.state.transcript.blocks[&BlockId(block)];
        let current = item.block.current();
        let language = current.language.as_ref().map_or("python", |l| l.as_str()).to_owned();
        let inspected = InspectionResult {
            revision: current.revision,
            review: Review { findings, ..Review::default() },
            terms: Ok(Self::terms(&language)),
            reach: sayso::domain::Reach::default(),
            refused: Vec::new(),
            before: None,
            lacking: Vec::new(),
            image: None,
            venv: None,
        };
        self.state.live.blocks.entry(BlockId(block)).or_default().inspected = Some(inspected);
    }

    /// A sandbox confines a block to the working folder.
    pub fn confine(&mut self, block: u32) {
        let live = self.state.live.blocks.get_mut(&BlockId(block)).unwrap();
        let terms = live.inspected.as_mut().unwrap().terms.as_mut().unwrap();
        terms.rights.network = false;
        terms.rights.write = vec!["/home/ada/data/sales".into()];
        let sandbox = &mut terms.rights.sandbox;
        sandbox.level = SandboxLevel::Workspace;
        (sandbox.network_blocked, sandbox.writes_confined, sandbox.reads_confined) = (true, true, true);
        sandbox.contained = true;
    }

    pub fn decide(&mut self, block: u32) {
        self.state.phase = Phase::Deciding(BlockId(block));
    }

    pub fn approve(&mut self, block: u32) -> RunId {
        let run = RunId(block);
        let item = &self.state.transcript.blocks[&BlockId(block)];
        let current = item.block.current().clone();
        let language = current.language.as_ref().map_or("python", |l| l.as_str()).to_owned();
        let terms = Self::terms(&language);
        self.record(Entry::Approved {
            run,
            block: BlockId(block),
            revision: current.revision,
            sha256: Sha256::of(current.source.as_bytes()),
            terms,
            by: Grantor::Person { typed: false },
        });
        run
    }

    pub fn report(output: &str, wall_ms: u64) -> RunReport {
        let mut captured = OutputBuffer::new(1 << 20);
        captured.push(Stream::Stdout, output.as_bytes());
        RunReport {
            outcome: Outcome::Ok,
            receipt: Receipt {
                wall_us: wall_ms * 1000,
                cpu_us: wall_ms * 950,
                peak_rss_bytes: 164 << 20,
                processes: 1,
                exit_code: Some(0),
                ..Receipt::default()
            },
            output: captured,
            blob: None,
            value: None,
            error: None,
            images: Vec::new(),
            kernel: KernelFate::Kept(KernelRef { generation: 1, variables: 14, goes_on: false }),
            cwd: None,
        }
    }

    pub fn ran(&mut self, block: u32, wall_ms: u64, output: &str) {
        self.ran_with(block, Self::report(output, wall_ms));
    }

    pub fn ran_with(&mut self, block: u32, report: RunReport) {
        let run = self.approve(block);
        self.record(Entry::Ran { run, block: BlockId(block), report: Box::new(report) });
    }

    /// A run goes on.
    pub fn running(&mut self, block: u32, output: &str, ms: u64) {
        let run = self.approve(block);
        let mut captured = OutputBuffer::new(1 << 20);
        captured.push(Stream::Stdout, output.as_bytes());
        self.state.live.run = Some(LiveRun {
            run,
            block: BlockId(block),
            since: self.now,
            started: true,
            output: captured,
            images: Vec::new(),
            interrupted: None,
            killed: false,
            rss_bytes: 118 << 20,
            cpu_ms: 4_000,
            wall_ms: 60_000,
        });
        self.state.phase = Phase::Running(run);
        self.now = self.now.plus(ms);
    }

    /// A reply streams in.
    pub fn streaming(&mut self, text: &str) {
        let mut parser = sayso::engine::reply::Parser::new(Dialect::Fences, &Languages::default());
        parser.push(text);
        let step = StepId(99);
        self.state.live.reply = Some(LiveReply {
            step,
            text: text.into(),
            segments: parser.segments().to_vec(),
            since: self.now,
            first_at: Some(self.now),
            usage: Some(Usage { output: Some(412), ..Usage::default() }),
            ..LiveReply::default()
        });
        self.state.phase = Phase::Replying(step);
        self.now = self.now.plus(6_000);
    }

    /// Passes time.
    pub fn pass(&mut self, ms: u64) {
        self.at += Duration::from_millis(ms);
        self.now = self.now.plus(ms);
        let (_, wishes) = self.step(sayso::tui::screen::Screen::tick);
        self.wishes.extend(wishes);
    }

    pub fn settle(&mut self) {
        self.step(sayso::tui::screen::Screen::settle);
    }

    /// Arranges the screen as a frame does, so that keys find it as it is seen.
    pub fn frame(&mut self) {
        self.settle();
        self.step(sayso::tui::screen::Screen::arrange);
        for query in self.screen.guard.queries(self.at) {
            self.screen.guard.fence_answered(query.place(), self.at);
        }
    }

    /// Takes what came of the passing of time.
    pub fn take_wishes(&mut self) -> Vec<sayso::tui::ui_command::UiCommand> {
        std::mem::take(&mut self.wishes)
    }

    /// A key, as it is read now; no time passes.
    pub fn key(&mut self, name: &str) -> Vec<sayso::tui::ui_command::UiCommand> {
        let event = key(name);
        self.step(|screen, ctx| screen.key(&event, ctx))
    }

    /// Waits until what is held back counts: the hold passes, and the terminal answers at once.
    fn hold_out(&mut self) {
        if self.screen.guard.held().is_some() {
            self.pass(401);
            self.frame();
            self.pass(1);
        }
    }

    /// Presses keys by their names: `a`, `ctrl-c`, `enter`. Each a tenth of a second after the other; what is held back
    /// is waited out.
    pub fn press(&mut self, keys: &[&str]) -> Vec<sayso::tui::ui_command::UiCommand> {
        let mut wishes = Vec::new();
        for name in keys {
            self.pass(100);
            wishes.extend(self.key(name));
            self.hold_out();
            wishes.extend(self.take_wishes());
            self.frame();
        }
        wishes
    }

    pub fn type_text(&mut self, text: &str) {
        for c in text.chars() {
            let name = if c == ' ' { "space".to_owned() } else { c.to_string() };
            self.press(&[&name]);
        }
    }

    pub fn step<T>(&mut self, step: impl FnOnce(&mut Screen, Ctx<'_>) -> T) -> T {
        let place = Locale { home: Some("/home/ada".into()), ..Locale::default() };
        let look =
            Look { theme: &self.theme, glyphs: Glyphs::LINES, place: &place, now: self.now, motion: true };
        step(&mut self.screen, Ctx { state: &self.state, look, at: self.at })
    }

    /// The items of the conversation, for those who want to add some.
    pub fn items(&mut self) -> &mut Vec<Item> {
        &mut self.state.transcript.items
    }
}

/// Providers in the cloud, one of them with a key.
pub fn clouds() -> Vec<Cloud> {
    let cloud = |provider: &str, title: &str, place: &str, kept: Option<&str>| Cloud {
        provider: provider.into(),
        title: title.into(),
        place: place.into(),
        kept: kept.map(Into::into),
    };
    vec![
        cloud("openai", "OpenAI", "OPENAI_API_KEY", None),
        cloud("anthropic", "Anthropic", "ANTHROPIC_API_KEY", Some("ANTHROPIC_API_KEY")),
        cloud("gemini", "Gemini", "GEMINI_API_KEY", None),
    ]
}

pub fn findings() -> Vec<Finding> {
    let finding = |severity, line, message: &str| Finding {
        rule: "py.x".into(),
        severity,
        place: Place { line, column: 1, end_line: line, end_column: 20 },
        message: message.into(),
        forbidden: false,
    };
    vec![
        finding(Severity::High, 11, "deletes a folder: out/charts (3 files, 1.2 MB)"),
        finding(Severity::Medium, 22, "overwrites a file: out/top3.csv (61 B now)"),
    ]
}

use sayso::domain::Place;

/// A key by its name.
pub fn key(name: &str) -> crossterm::event::KeyEvent {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
    let (mut modifiers, mut rest) = (KeyModifiers::NONE, name);
    for (prefix, modifier) in
        [("ctrl-", KeyModifiers::CONTROL), ("alt-", KeyModifiers::ALT), ("shift-", KeyModifiers::SHIFT)]
    {
        if let Some(cut) = rest.strip_prefix(prefix) {
            modifiers |= modifier;
            rest = cut;
        }
    }
    let code = match rest {
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "tab" => KeyCode::Tab,
        "space" => KeyCode::Char(' '),
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "pgup" => KeyCode::PageUp,
        "pgdn" => KeyCode::PageDown,
        "backspace" => KeyCode::Backspace,
        "f1" => KeyCode::F(1),
        "f2" => KeyCode::F(2),
        other => KeyCode::Char(other.chars().next().unwrap()),
    };
    KeyEvent::new(code, modifiers)
}

impl Scene {
    /// Pages through the block until every row was on screen long enough, and lets the quiet time pass.
    pub fn see_everything(&mut self) {
        for _ in 0..60 {
            self.pass(400);
            self.frame();
            if self.screen.guard.rows().all() {
                break;
            }
            self.press(&["space"]);
        }
        assert!(self.screen.guard.rows().all(), "not everything can be shown");
        self.pass(1_000);
    }
}

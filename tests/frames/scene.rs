//! A session in the middle of its life: a real engine fed with events, a screen that reads its state, and a
//! clock.
//!
//! No test sets a state directly. Everything on screen results from what the person, the model and the runs
//! reported to the engine, so a frame can't show anything that the engine would not reach. The events are in
//! `dialogue`, their values in `values`, keys and time in `keys`, recipes in `recipe`.

mod dialogue;
mod keys;
pub mod recipe;
mod values;

pub use keys::{decide, decided, engine_commands, key_name, sent, sent_edit};
pub use values::{
    clouds, confined, failure, finding, findings, image, inspection, name_not_found, report, terms, writing,
};

use sayso::domain::*;
use sayso::engine::{Engine, Inspection, Settings, State};
use sayso::tui::keymap::Keymap;
use sayso::tui::screen::Screen;
use sayso::tui::setup::Setup;
use sayso::tui::theme::{Depth, Theme};
use sayso::tui::ui_command::UiCommand;
use sayso::tui::widgets::layout::Pane;
use std::cell::Cell;
use std::sync::Arc;
use std::time::Instant;

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

/// What block 2 prints.
pub const TABLE: &str = "<class 'pandas.core.frame.DataFrame'>\nRangeIndex: 18240 entries\ndate, region, product, revenue, units\n";

/// The reply with which the model ends the first turn.
pub const ANSWER: &str = "It holds 18,240 rows. Shall I make the plot now?";

/// The tokens of a reply, unless a test gives others.
pub const USAGE: Usage =
    Usage { input: Some(12_000), output: Some(412), cached: None, cache_written: None, reasoning: None };

/// 10:41 on a day in 2026, UTC.
const MORNING: i64 = 1_790_073_660_000;

thread_local! {
    /// The size with which scenes of this thread start: columns, then rows.
    static SIZE: Cell<(u16, u16)> = const { Cell::new((140, 40)) };
}

/// Runs a scenario in a terminal of this size, from its beginning.
pub fn acted<T>(size: (u16, u16), act: impl FnOnce() -> T) -> T {
    let before = SIZE.replace(size);
    let result = act();
    SIZE.set(before);
    result
}

/// The size with which scenes of this thread start.
pub fn size() -> (u16, u16) {
    SIZE.get()
}

/// A screen with its session and its clock.
pub struct Scene {
    pub screen: Screen,
    /// The engine whose state the screen reads.
    pub engine: Engine,
    pub theme: Theme,
    pub now: Timestamp,
    pub at: Instant,
    /// Commands that resulted from passing time, and were not taken yet.
    commands: Vec<UiCommand>,
    /// What the engine ordered and what was not answered yet.
    orders: dialogue::Orders,
}

impl Scene {
    /// A new session.
    pub fn new() -> Self {
        Self::with(Settings::default())
    }

    /// A new session under these settings.
    pub fn with(settings: Settings) -> Self {
        let setup = Setup { cwd: "/home/ada/data/sales".into(), ..Setup::default() };
        Self::begin(setup, settings, scripted())
    }

    pub fn set_up(setup: Setup) -> Self {
        Self::begin(setup, Settings::default(), scripted())
    }

    /// A new session with everything that it can start with.
    pub fn begin(setup: Setup, settings: Settings, model: ModelName) -> Self {
        let at = Instant::now();
        let mut scene = Self {
            screen: Screen::new(setup, Arc::new(Keymap::load(None).unwrap()), SIZE.get(), at),
            engine: Engine::new(settings),
            theme: Theme::terminal(Depth::True),
            now: Timestamp(MORNING),
            at,
            commands: Vec::new(),
            orders: dialogue::Orders::default(),
        };
        scene.start(Header {
            id: SessionId("01".into()),
            name: "sales-q3".into(),
            created: scene.now,
            cwd: "/home/ada/data/sales".into(),
            model: Some(model),
            program: "0.1.0".into(),
            branch_of: None,
        });
        scene
    }

    /// A session that branched off another one.
    pub fn branch(of: &str) -> Self {
        let mut scene = Self::new();
        let origin = BranchOrigin { session: SessionId(of.into()), entries: 7, at: None };
        let header = scene.state().transcript().header.clone().unwrap();
        scene.start(Header { branch_of: Some(origin), ..header });
        scene
    }

    pub fn state(&self) -> &State {
        self.engine.state()
    }

    /// A new session with a message of the person and the reply to it.
    pub fn answered(message: &str, reply: &str) -> Self {
        let mut scene = Self::new();
        scene.ask(message);
        scene.reply(reply);
        scene
    }

    /// A session in its first turn: two blocks wait.
    pub fn asked() -> Self {
        let mut scene = Self::new();
        scene.first_reply(USAGE);
        scene
    }

    /// The first block has run, and the second one waits.
    pub fn one_ran() -> Self {
        let mut scene = Self::asked();
        scene.ran(1, 100, "total 12\n");
        scene
    }

    /// Both blocks have run: the model is asked what comes next.
    pub fn at_work() -> Self {
        let mut scene = Self::new();
        scene.first_step(USAGE);
        scene
    }

    /// A session after its first turn.
    pub fn worked() -> Self {
        let mut scene = Self::at_work();
        scene.reply(ANSWER);
        scene
    }

    /// In the first turn, with block 3 waiting.
    pub fn waiting() -> Self {
        Self::waiting_with(inspection(terms("python"), findings()))
    }

    /// The same with this inspection of block 3.
    pub fn waiting_with(found: Inspection) -> Self {
        let mut scene = Self::at_work();
        scene.pass(5_000);
        scene.reply(&format!("```python\n{CODE}```\n"));
        scene.inspected(3, found);
        scene
    }

    /// Block 3 has been running for so many milliseconds, and has printed this.
    pub fn in_run(output: &str, ms: u64) -> Self {
        let mut scene = Self::waiting();
        scene.frame();
        scene.running(3, output, ms);
        scene
    }

    /// Block 3 has run with this report; its output has the focus.
    pub fn ended_with(report: RunReport) -> Self {
        let mut scene = Self::waiting();
        scene.frame();
        scene.ran_with(3, report);
        scene.settle();
        scene.screen.panes.focus = Pane::Output;
        scene
    }

    /// The first message and its reply.
    pub fn first_reply(&mut self, usage: Usage) {
        self.ask("Load sales.csv, plot revenue by region per month, clear the old charts first.");
        self.reply_of(
            "I will read the file, group by region and month, remove the old chart folder and save one plot.\n\n\
             ```bash\nls -la\n```\n\n```python\ndf.info()\n```\n",
            usage,
        );
    }

    /// The first message, its reply, and the runs of both of its blocks.
    pub fn first_step(&mut self, usage: Usage) {
        self.first_reply(usage);
        self.first_runs();
    }

    /// Both blocks of the first reply run.
    pub fn first_runs(&mut self) {
        self.ran(1, 100, "total 12\n");
        self.ran(2, 800, TABLE);
    }
}

/// Tests script its replies; the size of its context is unknown, so no share of it can be shown.
pub fn scripted() -> ModelName {
    ModelName { provider: "scripted".into(), model: "qwen3-coder".into() }
}

//! The session machine: events in, effects out. Pure: no clock, no file, no process, no network, no chance.

pub mod effect;
pub mod event;
pub mod reply;
pub mod state;
pub mod transcript;

pub use effect::Effect;
pub use event::{Command, Event, Inspection, StoreEvent};
pub use state::{Phase, State};
pub use transcript::Transcript;

use crate::domain::{Dialect, Entry, Languages, Limits, Moment, Policy};

/// What the engine has to know beforehand. All of it comes from the configuration or the command line.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How many steps a turn may take before it asks.
    pub step_limit: u32,
    /// How often the same text may be proposed in a turn before it asks.
    pub repeat_limit: u32,
    /// How the model is told to hand over code.
    pub dialect: Dialect,
    /// The languages that can be run.
    pub languages: Languages,
    /// The system prompt, complete.
    pub system_prompt: String,
    /// When to ask. `Policy::Ask` in the terminal.
    pub policy: Policy,
    /// The limits of a run where the person chose no others.
    pub limits: Limits,
    /// Bytes of one run's output that are sent to the model, head and tail.
    pub output_to_model: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            step_limit: 12,
            repeat_limit: 3,
            dialect: Dialect::default(),
            languages: Languages::default(),
            system_prompt: String::new(),
            policy: Policy::Ask,
            limits: Limits::default(),
            output_to_model: 16 << 10,
        }
    }
}

/// The machine.
#[derive(Debug)]
pub struct Engine {
    settings: Settings,
    state: State,
}

impl Engine {
    /// A machine for a new session; the driver records the header.
    pub fn new(settings: Settings) -> Self {
        Self { settings, state: State::default() }
    }

    /// A machine that goes on with a session: its entries are folded, runs without an end become LOST, an undecided
    /// block waits again. Effects: `Record(Resumed)`, `Inspect` of the waiting block, notices.
    pub fn resume(settings: Settings, entries: &[(Moment, Entry)], now: Moment) -> (Self, Vec<Effect>) {
        let mut engine = Self::new(settings);
        for (at, entry) in entries {
            engine.state.transcript.apply(entry, *at);
        }
        let _ = now;
        (engine, Vec::new())
    }

    /// Takes one event; returns what has to be done, in this order.
    pub fn handle(&mut self, event: Event, now: Moment) -> Vec<Effect> {
        let _ = (event, now, &self.settings);
        Vec::new()
    }

    /// What there is to know.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What it was told beforehand.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}

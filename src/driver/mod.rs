//! The hallway: feeds events to the engine and performs its effects with the rooms of I/O.
//!
//! A front door owns the [`Driver`], sends it commands, waits for [`Driver::next`] and borrows the state for drawing:
//! no lock, no clone, no mirror. The driver decides nothing: what happens next is the engine's business. It owns the
//! clock and the tasks.

pub mod catalogue;
mod clock;
mod consult;
mod errands;
mod files;
mod images;
mod inspect;
mod learn;
mod new_recipe;
mod open;
mod perform;
mod recipes;
mod sources;
mod update;

pub use crate::store::index::Summary;
pub use crate::workspace::instructions::Held;
pub use clock::Clock;
pub use errands::{Errand, Found};
pub use inspect::{review_in_time, review_with_links};
pub use update::{Told, Update};

use crate::domain::{
    Departed, ModelInfo, ModelName, Moment, NotedInstructions, Notice, ReplyEvent, RunEvent, RunId,
    RunReport, StepId,
};
use crate::engine::provenance::Earlier;
use crate::engine::{Command, Effect, Engine, Event, Phase, State, StoreEvent};
use crate::exec::{self, Executor};
use crate::provider::{self, Provider};
use crate::recipe::Recipe;
use crate::review::Scope;
use crate::store::{Draft, Store};
use crate::workspace::changes;
use crate::workspace::instructions::{self, Search};
use sources::{Signal, Sources};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;

/// When texts were gathered: at which version of the transcript, before which step, with which instructions.
type Stamp = (u64, StepId, Vec<NotedInstructions>);

/// Makes a provider for a model that the person chose; given by the composition root, which knows the configuration.
pub type Connect = Arc<dyn Fn(&ModelName) -> Result<Provider, String> + Send + Sync>;

/// Lays what the configuration says of a model over what is told of it.
pub type Informed = Arc<dyn Fn(ModelInfo) -> ModelInfo + Send + Sync>;

/// What a driver is put together from.
pub struct Parts {
    /// The machine, new or resumed.
    pub engine: Engine,
    /// What the machine ordered when it was resumed; empty for a new session.
    pub effects: Vec<Effect>,
    /// The session file.
    pub store: Store,
    /// What carries out runs.
    pub executor: Executor,
    /// The source of replies, where one is chosen.
    pub provider: Option<Provider>,
    /// Makes another source of replies.
    pub connect: Connect,
    /// The providers that can be asked for their models.
    pub catalogue: catalogue::Catalogue,
    /// What the review has to know of this place.
    pub scope: Scope,
    /// The recipes that can be begun, in the order of their list.
    pub recipes: Vec<Recipe>,
    /// The folder of the person's own recipes.
    pub own_recipes: PathBuf,
    /// The file that the person's functions are saved to.
    pub functions: PathBuf,
    /// The folder that holds all sessions.
    pub sessions: PathBuf,
    /// Where files of instructions are looked for.
    pub instructions: Search,
    /// Lays what the configuration says of a model over what is told of it.
    pub informed: Informed,
    /// The clock.
    pub clock: Clock,
}

/// Performs effects, feeds events.
pub struct Driver {
    engine: Engine,
    store: Store,
    executor: Executor,
    provider: Option<Provider>,
    connect: Connect,
    catalogue: catalogue::Catalogue,
    scope: Scope,
    recipes: Vec<Recipe>,
    own_recipes: PathBuf,
    functions: PathBuf,
    sessions: PathBuf,
    instructions: Search,
    /// Whether a run began in this process.
    ran: bool,
    informed: Informed,
    clock: Clock,
    sources: Sources,
    /// Whether it was asked what is known of the model; not before a front door could have drawn.
    learned: bool,
    /// What was told of files of instructions that can not be used.
    told: Vec<crate::domain::Notice>,
    /// The working folder as it stood before the run that goes on.
    looked: Arc<Mutex<Option<(RunId, changes::Look)>>>,
    /// Where the paths lead that blocks name.
    seen: inspect::AllSeen,
    /// The newest run that was to be stopped; it may not have started yet.
    stopped: Arc<Mutex<Option<RunId>>>,
    /// The texts that blocks could have their words from, and when they were gathered.
    earlier: Option<(Stamp, Arc<Earlier>)>,
    /// What is being typed.
    draft: Draft,
    /// What has been told since the front door was told last.
    update: Update,
}

impl Driver {
    /// Puts a driver together and performs what the engine ordered on resuming. Must be called inside a runtime.
    pub fn new(parts: Parts) -> Self {
        let draft = parts.store.draft(parts.scope.masker.clone());
        let mut driver = Self {
            draft,
            engine: parts.engine,
            store: parts.store,
            executor: parts.executor,
            provider: parts.provider,
            connect: parts.connect,
            catalogue: parts.catalogue,
            scope: parts.scope,
            recipes: parts.recipes,
            own_recipes: parts.own_recipes,
            functions: parts.functions,
            sessions: parts.sessions,
            instructions: parts.instructions,
            ran: false,
            informed: parts.informed,
            clock: parts.clock,
            sources: Sources::new(),
            learned: false,
            told: Vec::new(),
            looked: Arc::default(),
            stopped: Arc::default(),
            seen: Arc::default(),
            earlier: None,
            update: Update::default(),
        };
        driver.perform(parts.effects);
        driver.take_known();
        driver
    }

    /// What there is to know of the session.
    pub fn state(&self) -> &State {
        self.engine.state()
    }

    /// The moment that the clock shows.
    pub fn now(&self) -> Moment {
        self.clock.now()
    }

    /// The file of the session.
    pub fn session_path(&self) -> PathBuf {
        self.store.path()
    }

    /// The folder in which runs start.
    pub fn cwd(&self) -> &std::path::Path {
        &self.scope.cwd
    }

    /// Whether all of the session until now is on the disk: its room was asked, and the file is there.
    pub async fn is_saved(&self) -> bool {
        self.store.sync().await.is_ok() && self.store.path().is_file()
    }

    /// Which requests went out of this process until now.
    pub fn departed(&self) -> Departed {
        provider::departed().and(exec::departed())
    }

    /// Whether a source of replies is chosen.
    pub fn has_provider(&self) -> bool {
        self.provider.is_some()
    }

    /// Takes another source of replies from here on and notes it in the session.
    pub fn use_provider(&mut self, provider: Provider) {
        let name = provider.name().clone();
        self.provider = Some(provider);
        self.learn_model();
        if self.state().transcript.model.as_ref() != Some(&name) {
            self.send(Command::UseModel(name));
        }
    }

    /// Sends a wish of the person; the state shows its consequences when this returns.
    pub fn send(&mut self, command: Command) {
        if matches!(command, Command::Submit(_)) {
            self.read_instructions();
        }
        self.feed(Event::User(command));
    }

    /// Waits until something has happened, takes in all that is ready, and tells what it was. May be dropped while it
    /// waits: nothing is lost.
    pub async fn next(&mut self) -> Update {
        if !self.learned {
            self.learn_model();
            self.look_for_instructions();
        }
        if self.update.is_empty() {
            let signal = self.sources.wait(&self.store, &self.executor).await;
            self.take(signal);
        }
        // A flood is taken in portions, so that the front door can draw in between.
        for _ in 0..64 {
            let Some(signal) = self.sources.ready() else { break };
            self.take(signal);
        }
        std::mem::take(&mut self.update)
    }

    /// Ends what goes on, syncs the session file and leaves no process behind. A run that goes on is interrupted and
    /// reads LOST when the session is opened again, if it does not end in time.
    ///
    /// # Errors
    /// When the end of the session could not be written: it is lost.
    pub async fn close(mut self) -> Result<(), String> {
        self.sources.drop_reply();
        // There is no time left for looking at what an interrupted run changed: its end has to be written down.
        self.looked.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.executor.close().await;
        // What the executor told while it was closing belongs into the session file.
        while let Some(signal) = self.sources.ready() {
            self.take(signal);
        }
        if self.ran {
            let search = self.instructions.clone();
            // Without it the next session asks once more.
            let _ = tokio::task::spawn_blocking(move || instructions::runs_are_over(&search)).await;
        }
        self.store.close().await.map_err(|error| {
            tracing::error!(%error, "the session file could not be closed");
            error.to_string()
        })
    }

    fn take(&mut self, signal: Signal) {
        match signal {
            Signal::Reply(step, event) => self.take_reply(step, event),
            Signal::Run(run, event) => self.take_run(run, event),
            Signal::Event(event) => self.feed(event),
            Signal::Errand(found) => self.update.told.push(Told::Found(found)),
            Signal::Masked(what) => self.tell_masked(what),
            Signal::StoreFailed(why) => self.feed(Event::Store(StoreEvent::Failed(why))),
            Signal::KernelDied(why) => self.feed(Event::KernelDied(why)),
        }
    }

    fn take_reply(&mut self, step: StepId, event: ReplyEvent) {
        let summary = matches!(self.state().phase, Phase::Compacting(_));
        let told = match &event {
            // A summary is no part of the conversation.
            ReplyEvent::Delta(_) | ReplyEvent::Reasoning(_) | ReplyEvent::Failed(_) if summary => None,
            ReplyEvent::Delta(text) => Some(Told::Delta(step, text.clone())),
            ReplyEvent::Reasoning(text) => Some(Told::Reasoning(step, text.clone())),
            ReplyEvent::Retrying { attempt, of, wait_ms, failure } => Some(Told::Retrying {
                attempt: *attempt,
                of: *of,
                wait_ms: *wait_ms,
                failure: failure.clone(),
            }),
            ReplyEvent::Failed(failure) => Some(Told::Failed(failure.clone())),
            _ => None,
        };
        self.update.streaming |= matches!(event, ReplyEvent::Delta(_) | ReplyEvent::Reasoning(_));
        self.update.told.extend(told);
        self.feed(Event::Reply(step, event));
    }

    /// What was masked in the session file: the screen shows it, the file does not.
    fn tell_masked(&mut self, what: String) {
        self.update.told.push(Told::Notice(Notice::warn(what)));
        self.update.urgent = true;
    }

    /// Keeps what is being typed, so that it outlives this process; an empty text removes it. Only told to the log when
    /// it can't be written: who types has other things to see.
    pub fn keep_draft(&mut self, text: &str) {
        if let Err(error) = self.draft.keep(text) {
            tracing::warn!(%error, "the draft can't be written");
        }
    }

    /// What was being typed when an earlier process ended without warning.
    pub fn take_draft(&mut self) -> Option<String> {
        self.draft.take_up()
    }

    /// Waits until all that was recorded so far is on the disk, and tells what was masked in it.
    ///
    /// # Errors
    /// Why it is not; everything is kept in memory.
    pub async fn saved(&mut self) -> Result<(), String> {
        let saved = self.store.sync().await.map_err(|error| error.to_string());
        for what in self.store.masked_so_far() {
            self.tell_masked(what);
        }
        saved
    }

    /// What happened and was not told by [`Driver::next`] yet, where nobody asks for a next one.
    pub fn rest(&mut self) -> Vec<Told> {
        std::mem::take(&mut self.update.told)
    }

    /// The files that a run changed are looked for before its end is told.
    fn look_for_changes(&mut self, run: RunId, mut report: Box<RunReport>) -> Option<Box<RunReport>> {
        let looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some((_, look)) = looked.filter(|(of, _)| *of == run) else { return Some(report) };
        let inbox = self.inbox();
        tokio::task::spawn_blocking(move || {
            report.receipt.files = look.changes();
            let _ = inbox.blocking_send(Signal::Run(run, RunEvent::Ended(report)));
        });
        None
    }

    fn take_run(&mut self, run: RunId, event: RunEvent) {
        let event = match event {
            RunEvent::Ended(report) => match self.look_for_changes(run, report) {
                Some(report) => RunEvent::Ended(report),
                None => return,
            },
            other => other,
        };
        match &event {
            RunEvent::Output(chunk) => {
                self.update.streaming = true;
                self.update.told.push(Told::Output(run, chunk.clone()));
            }
            RunEvent::Usage { .. } => self.update.streaming = true,
            RunEvent::Ended(_) => self.sources.drop_run(),
            _ => {}
        }
        self.feed(Event::Run(run, event));
    }

    fn feed(&mut self, event: Event) {
        let quiet = matches!(
            event,
            Event::Reply(_, ReplyEvent::Delta(_) | ReplyEvent::Reasoning(_))
                | Event::Run(_, RunEvent::Output(_) | RunEvent::Usage { .. })
        );
        self.update.urgent |= !quiet;
        let effects = self.engine.handle(event, self.clock.now());
        self.perform(effects);
    }

    /// A sender for events of tasks.
    fn inbox(&self) -> mpsc::Sender<Signal> {
        self.sources.inbox()
    }
}

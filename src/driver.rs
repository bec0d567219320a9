//! The runtime: feeds events to the engine and performs its effects with the I/O rooms.
//!
//! A front end owns the [`Driver`], sends it commands, awaits [`Driver::next`] and borrows the state for drawing: no
//! lock, no clone, no mirror. The driver makes no decisions; the engine does. The driver owns the clock and the tasks.
//! The engine receives one event at a time, and never while effects are being performed: `rooms`, which performs them,
//! has no access to the engine.

mod after_run;
mod block_paths;
pub mod catalogue;
mod clock;
mod comparison;
mod edits;
pub(crate) mod export;
mod files;
mod images;
mod inspect;
mod inspect_files;
mod inspect_text;
mod job;
mod jobs;
mod learn;
mod links;
mod new_recipe;
mod newest;
mod open;
mod opinion;
mod perform;
mod recipes;
pub(crate) mod reminder;
mod review_time;
mod rooms;
mod runs;
mod session_file;
mod shutdown;
mod signals;
mod sources;
#[cfg(test)]
mod tests;
mod undo;
mod undo_runs;
mod update;
mod written_pictures;

pub use crate::store::index::Summary;
pub(crate) use crate::store::index::{SessionTree, TreeRow, TreeSigns};
pub(crate) use crate::store::search::SearchWords;
pub(crate) use crate::store::search::filters::{
    has_any as search_has_filters, names as search_filter_names, names_folder as search_names_folder,
    words as words_of_search,
};
pub use crate::store::search::{
    FilterError, LocationKind, SearchHit as SessionHit, SearchQuery as SessionSearch,
    SearchResults as SessionsFound, SessionLocation,
};
pub use crate::workspace::instructions::HeldFile;
pub(crate) use crate::workspace::undo::{UndoConfig, UndoLimits};
pub use crate::workspace::{AttachedFileError, FolderFiles, PathOfFile};
pub use clock::Clock;
use clock::SessionClock;
pub use comparison::SessionComparison;
pub(crate) use comparison::{ComparableSession, comparable, compare_sessions, own_id};
pub(crate) use job::StoreKey;
pub use job::{Job, JobResult};
pub(crate) use recipes::MAX_RECIPE_INPUT;
pub use recipes::{FunctionFiles, RecipeBook};
pub(crate) use review_time::review_in_time;
pub use update::{Notification, Update};

use crate::domain::{
    ModelInfo, ModelName, ReplyEvent, RequestCounts, RunControl, RunEvent, RunId, SandboxReport, Timestamp,
};
use crate::engine::{Command, Effect, Engine, Event, State};
use crate::exec::{self, Executor, ExecutorError};
use crate::provider::{self, ConnectError, Provider};
use crate::review::Scope;
use crate::store::{Draft, Store};
use crate::workspace::held_path::Folder;
use crate::workspace::instructions::InstructionSearch;
use newest::NewestOnly;
use rooms::IoRooms;
use sources::Sources;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Connects to a model that the person chose. The composition root supplies it, because it knows the configuration.
pub(crate) type Connect = Arc<dyn Fn(&ModelName) -> Result<Provider, ConnectError> + Send + Sync>;

/// Overrides what a server reports about a model with what the configuration says.
pub(crate) type ModelInfoOverride = Arc<dyn Fn(ModelInfo) -> ModelInfo + Send + Sync>;

/// Parses a search over the sessions: words, and filters by folder, date, language, outcome and model.
pub(crate) type ReadSearch = Arc<dyn Fn(&str) -> Result<SessionSearch, FilterError> + Send + Sync>;

/// The parts from which a [`Driver`] is made.
pub struct DriverParts {
    /// The session machine, new or resumed.
    pub engine: Engine,
    /// The effects that the engine ordered on resuming; empty for a new session.
    pub effects: Vec<Effect>,
    /// The session file.
    pub store: Store,
    /// What carries out runs.
    pub executor: Executor,
    /// The source of replies, if one is chosen.
    pub provider: Option<Provider>,
    /// Connects to another source of replies.
    pub connect: Connect,
    /// The providers that can list their models.
    pub catalogue: catalogue::Catalogue,
    /// Writes a pasted key into the person's file of keys.
    pub store_key: StoreKey,
    /// What the review has to know about this session's folder.
    pub scope: Scope,
    /// The recipes that can be started, in the order of their list.
    pub recipes: RecipeBook,
    /// The files of the person's functions, to which new ones are saved.
    pub functions: FunctionFiles,
    /// The folder that holds all sessions.
    pub sessions: PathBuf,
    /// Parses a search over the sessions.
    pub read_search: ReadSearch,
    /// Where to look for instruction files.
    pub instructions: InstructionSearch,
    /// Overrides what a server reports about a model with what the configuration says.
    pub model_overrides: ModelInfoOverride,
    /// Where and how much is copied for undo before runs; `None` if the session is not saved.
    pub undo: Option<UndoConfig>,
    /// The clock.
    pub clock: Clock,
}

/// Performs effects, feeds events.
pub struct Driver {
    engine: Engine,
    rooms: IoRooms,
    catalogue: catalogue::Catalogue,
    store_key: StoreKey,
    read_search: ReadSearch,
    functions: FunctionFiles,
    draft: Draft,
    /// Counts searches over the sessions: a new one cancels the one before.
    searches: NewestOnly,
    comparisons: Arc<comparison::ComparisonQueue>,
}

impl Driver {
    /// Makes a driver and performs the effects that the engine ordered on resuming. Must be called inside a runtime.
    pub fn new(parts: DriverParts) -> Self {
        let draft = parts.store.draft(parts.scope.masker.clone());
        let working = Folder::find(&parts.scope.cwd).map(Arc::new);
        let rooms = IoRooms {
            store: parts.store,
            executor: parts.executor,
            provider: parts.provider,
            recipes: parts.recipes,
            connect: parts.connect,
            scope: parts.scope,
            sessions: parts.sessions,
            instructions: parts.instructions,
            instructions_timeout: learn::INSTRUCTIONS_TIMEOUT,
            model_overrides: parts.model_overrides,
            clock: SessionClock::new(parts.clock),
            sources: Sources::new(),
            queued_events: VecDeque::new(),
            not_switched: None,
            runs_lock: None,
            model_queried: false,
            asked_at_first: false,
            reported_notices: Vec::new(),
            before_run: Arc::default(),
            unscanned: None,
            auto_run: Arc::default(),
            revertible_runs: Arc::default(),
            undo: Arc::new(undo::UndoRoom::new(parts.undo)),
            last_checked_entry: 0,
            stopped: Arc::default(),
            seen_paths: Arc::default(),
            block_paths: block_paths::HeldBlockPaths::default(),
            working,
            earlier_texts: None,
            update: Update::default(),
        };
        let mut driver = Self {
            draft,
            searches: NewestOnly::default(),
            comparisons: Arc::default(),
            engine: parts.engine,
            rooms,
            catalogue: parts.catalogue,
            store_key: parts.store_key,
            read_search: parts.read_search,
            functions: parts.functions,
        };
        driver.rooms.perform(parts.effects, driver.engine.state());
        driver.rooms.take_known(driver.engine.state());
        driver.process_events();
        driver
    }

    /// The session's state, for drawing.
    pub(crate) fn state(&self) -> &State {
        self.engine.state()
    }

    /// The current time by the session's clock.
    pub(crate) fn now(&self) -> Timestamp {
        self.rooms.clock.now()
    }

    /// Controls a run beside the engine: its terminal, and what its time limit counts.
    pub(crate) fn control_run(&self, run: RunId, control: RunControl) {
        self.rooms.executor.control(run, control);
    }

    /// The sandbox, as its tests found it.
    pub(crate) async fn sandbox(&self) -> Result<SandboxReport, ExecutorError> {
        self.rooms.executor.sandbox().await
    }

    /// The requests that this process has sent so far.
    pub(crate) fn requests_sent() -> RequestCounts {
        provider::requests_sent().and(exec::requests_sent())
    }

    /// Whether a source of replies is chosen.
    pub(crate) fn has_provider(&self) -> bool {
        self.rooms.provider.is_some()
    }

    /// Uses another source of replies from now on and records this in the session.
    pub(crate) fn use_provider(&mut self, provider: Provider) {
        let name = provider.name().clone();
        self.rooms.provider = Some(provider);
        self.rooms.learn_model(self.engine.state());
        self.feed(Event::ModelSwitched(name));
    }

    /// Sets how long prompts wait for instruction files, for front ends without anyone at the screen.
    pub(crate) fn set_instructions_timeout(&mut self, timeout: Duration) {
        self.rooms.instructions_timeout = timeout;
    }

    /// Sends a command of the person; when this returns, the state shows the result.
    pub fn send(&mut self, command: Command) {
        if matches!(command, Command::Submit(_)) {
            self.ask_at_first();
            self.rooms.read_instructions();
        }
        self.feed(Event::User(command));
    }

    /// Waits until something happens, processes everything that is ready, and reports what it was. Cancel-safe.
    pub async fn next(&mut self) -> Update {
        if !self.rooms.asked_at_first {
            self.rooms.find_instructions();
        }
        self.ask_at_first();
        if self.rooms.update.is_empty() {
            let signal = self.rooms.wait().await;
            self.handle_signal(signal);
        }
        // A flood is processed in portions, so that the front end can draw in between.
        for _ in 0..64 {
            let Some(signal) = self.rooms.sources.ready() else { break };
            self.handle_signal(signal);
        }
        std::mem::take(&mut self.rooms.update)
    }

    /// Asks once for what the first request has to know, without waiting for it.
    fn ask_at_first(&mut self) {
        if std::mem::replace(&mut self.rooms.asked_at_first, true) {
            return;
        }
        if !self.rooms.model_queried {
            self.rooms.learn_model(self.engine.state());
        }
        self.rooms.learn_kernels(self.engine.state());
        self.process_events();
    }

    /// Notifications that [`Driver::next`] has not returned yet, for a front end that will not call it again.
    pub(crate) fn remaining_notifications(&mut self) -> Vec<Notification> {
        std::mem::take(&mut self.rooms.update.notifications)
    }

    /// Passes an event to the engine and performs the effects, then does the same for events that came up meanwhile.
    fn feed(&mut self, event: Event) {
        self.rooms.queued_events.push_back(event);
        self.process_events();
    }

    /// The only place that passes events to the engine: one at a time, each with all its effects.
    fn process_events(&mut self) {
        while let Some(event) = self.rooms.queued_events.pop_front() {
            self.rooms.update.urgent |= !is_quiet(&event);
            let effects = self.engine.handle(event, self.rooms.clock.now());
            self.rooms.perform(effects, self.engine.state());
            self.rooms.clock.time(self.engine.state().is_active());
        }
        self.rooms.tell_saved(self.engine.state());
    }
}

/// Whether such events come in floods and can be drawn at the rate for streams.
fn is_quiet(event: &Event) -> bool {
    matches!(
        event,
        Event::Reply(_, ReplyEvent::Delta(_) | ReplyEvent::Reasoning(_))
            | Event::Run(_, RunEvent::Output(_) | RunEvent::Screen(_) | RunEvent::Usage { .. })
    )
}

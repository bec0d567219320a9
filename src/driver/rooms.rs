//! The I/O rooms and the work in progress in them: everything that performing effects needs.
//!
//! Nothing here has access to the engine. The code that performs an effect can read the session's state. Immediate
//! consequences wait in [`IoRooms::queued_events`] until all effects of the current event are performed; results of slow
//! work arrive through [`IoRooms::inbox`].

use super::block_paths::HeldBlockPaths;
use super::clock::SessionClock;
use super::inspect_text::EarlierTexts;
use super::links::AllSeenPaths;
use super::recipes::RecipeBook;
use super::sources::{Signal, Sources};
use super::undo::{FolderCopies, UndoRoom};
use super::{Connect, ModelInfoOverride, Update};
use crate::domain::{NotedInstructions, Notice, RunId, RunReport, StepId};
use crate::engine::{Event, Phase, State, StoreEvent};
use crate::exec::Executor;
use crate::provider::Provider;
use crate::review::Scope;
use crate::store::Store;
use crate::workspace::FileError;
use crate::workspace::auto_run::AutoRunFiles;
use crate::workspace::changes::ChangeWatch;
use crate::workspace::held_path::Folder;
use crate::workspace::instructions::{InstructionSearch, RunsMark};
use crate::workspace::protected_files::ProtectedFiles;
use crate::workspace::undo_auto_run::RevertibleChange;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc;

/// What the earlier texts of a session depend on: they are gathered again when any of this differs.
#[derive(PartialEq)]
pub(super) struct TextsVersion {
    /// The version of the transcript.
    pub(super) transcript: u64,
    /// The step before which the texts were said, printed and read.
    pub(super) step: StepId,
    /// The instructions in use, which may have changed since the session recorded them.
    pub(super) instructions: Vec<NotedInstructions>,
}

/// The state of the files right before a run, to find out afterwards what the run changed.
pub(super) struct StateBeforeRun {
    pub(super) run: RunId,
    /// The scan of the folders; `None`: it broke off.
    pub(super) watch: Option<ChangeWatch>,
    pub(super) protected: ProtectedFiles,
    /// The copies for undo.
    pub(super) copies: FolderCopies,
}

/// Everything that performing effects needs.
pub(super) struct IoRooms {
    pub(super) store: Store,
    pub(super) executor: Executor,
    pub(super) provider: Option<Provider>,
    pub(super) connect: Connect,
    pub(super) recipes: RecipeBook,
    pub(super) scope: Scope,
    pub(super) sessions: PathBuf,
    pub(super) instructions: InstructionSearch,
    /// How long a prompt waits for the instructions.
    pub(super) instructions_timeout: Duration,
    pub(super) model_overrides: ModelInfoOverride,
    pub(super) clock: SessionClock,
    pub(super) sources: Sources,
    /// Events for the engine that came up while effects were performed.
    pub(super) queued_events: VecDeque<Event>,
    /// Why the model that was named is not in use, until the session says which one is.
    pub(super) not_switched: Option<Notice>,
    /// The sign that a run began in this session, for the known instruction files.
    pub(super) runs_lock: Option<RunsMark>,
    /// Whether the provider was asked about the model.
    pub(super) model_queried: bool,
    /// Whether everything that the first request has to know was asked for; this waits until the front end could have
    /// drawn, or until the first message.
    pub(super) asked_at_first: bool,
    /// The problems with instruction files that were reported so far.
    pub(super) reported_notices: Vec<Notice>,
    /// The state of the files before the current run.
    pub(super) before_run: Arc<Mutex<Option<StateBeforeRun>>>,
    /// The run that has ended, and its report without what it changed, while a worker looks for that.
    pub(super) unscanned: Option<(RunId, Box<RunReport>)>,
    /// Names in the folder that programs obey by themselves, as of the end of the latest run.
    pub(super) auto_run: Arc<Mutex<AutoRunFiles>>,
    /// Where the paths that blocks name lead.
    pub(super) seen_paths: AllSeenPaths,
    /// The places that blocks about files would act on.
    pub(super) block_paths: HeldBlockPaths,
    /// The working folder, held open since the session began; files that the person saves are written through it.
    pub(super) working: Result<Arc<Folder>, FileError>,
    /// The copies and records for undo.
    pub(super) undo: Arc<UndoRoom>,
    /// What the latest runs did to auto-run names, to be undone.
    pub(super) revertible_runs: Arc<Mutex<RevertibleRuns>>,
    /// The last run that was told to stop; it may not have started yet.
    pub(super) stopped: Arc<Mutex<Option<RunId>>>,
    /// The texts that words of blocks may come from, and when they were gathered.
    pub(super) earlier_texts: Option<(TextsVersion, Arc<EarlierTexts>)>,
    /// The number of entries at the last check whether all are on disk.
    pub(super) last_checked_entry: u64,
    /// Notifications since the front end received the last ones.
    pub(super) update: Update,
}

/// Runs, oldest first, with the changes to auto-run names that can be undone.
pub(super) type RevertibleRuns = VecDeque<(RunId, Vec<RevertibleChange>)>;

impl IoRooms {
    /// Waits for the next signal. Cancel-safe.
    pub(super) async fn wait(&mut self) -> Signal {
        self.sources.wait(&self.store, &self.executor).await
    }

    /// After a turn, tells the engine when all of it is on disk: only then does the screen say that it is saved.
    pub(super) fn tell_saved(&mut self, state: &State) {
        let recorded = state.live.recorded;
        if state.phase != Phase::Idle || recorded == self.last_checked_entry {
            return;
        }
        self.last_checked_entry = recorded;
        let (store, inbox) = (self.store.clone(), self.inbox());
        tokio::spawn(async move {
            if store.sync().await.is_ok() {
                let _ = inbox.send(Signal::Event(Event::Store(StoreEvent::Saved(recorded)))).await;
            }
        });
    }

    /// A sender by which tasks report events.
    pub(super) fn inbox(&self) -> mpsc::Sender<Signal> {
        self.sources.inbox()
    }
}

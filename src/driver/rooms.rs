//! The rooms of I/O, and what is under way in them: what effects are performed with.
//!
//! Nothing in here can reach the engine. Who performs an effect sees the session's state; what an effect leads to at once
//! waits in [`Rooms::waiting`] until all effects of the event at hand are performed, what takes time arrives by
//! [`Rooms::inbox`].

use super::inspect::EarlierTexts;
use super::links::AllSeen;
use super::places::HeldFolders;
use super::recipes::RecipeBook;
use super::sources::{Signal, Sources};
use super::undo::{FolderCopies, UndoRoom};
use super::{Clock, Connect, ModelInfoOverride, Update};
use crate::domain::{NotedInstructions, Notice, RunId, StepId};
use crate::engine::{Event, Phase, State, StoreEvent};
use crate::exec::Executor;
use crate::provider::Provider;
use crate::review::Scope;
use crate::store::Store;
use crate::workspace::FileError;
use crate::workspace::changes;
use crate::workspace::instructions::InstructionSearch;
use crate::workspace::obeyed::ObeyedFiles;
use crate::workspace::place::Folder;
use crate::workspace::protected::ProtectedFiles;
use crate::workspace::take_back::TakenChange;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc;

/// When texts were gathered: at which version of the transcript, before which step, with which instructions.
pub(super) type LookVersion = (u64, StepId, Vec<NotedInstructions>);

/// Of which run, the working folder, the files that the recipe protects, and what is remembered of what it may change.
pub(super) type FolderBefore = (RunId, Option<changes::FolderLook>, ProtectedFiles, FolderCopies);

/// What effects are performed with.
pub(super) struct Rooms {
    pub(super) store: Store,
    pub(super) executor: Executor,
    pub(super) provider: Option<Provider>,
    pub(super) connect: Connect,
    pub(super) recipes: RecipeBook,
    pub(super) scope: Scope,
    pub(super) sessions: PathBuf,
    pub(super) instructions: InstructionSearch,
    /// How long a prompt waits for them.
    pub(super) instructions_timeout: Duration,
    pub(super) informed: ModelInfoOverride,
    pub(super) clock: Clock,
    pub(super) sources: Sources,
    /// What the engine is told next: it came up while effects were performed.
    pub(super) waiting: VecDeque<Event>,
    /// Whether a run began in this process.
    pub(super) ran: bool,
    /// Whether it was asked what is known of the model; not before a front end could have drawn.
    pub(super) learned: bool,
    /// What was told of files of instructions that can not be used.
    pub(super) told: Vec<Notice>,
    /// How files stood before the run that goes on.
    pub(super) looked: Arc<Mutex<Option<FolderBefore>>>,
    /// The names in it that programs obey by themselves, as they stood after the newest run.
    pub(super) obeyed: Arc<Mutex<ObeyedFiles>>,
    /// Where the paths lead that blocks name.
    pub(super) seen: AllSeen,
    /// The places that blocks about files would act at.
    pub(super) places: HeldFolders,
    /// The working folder, held since the session began here; what the person saves goes there.
    pub(super) working: Result<Arc<Folder>, FileError>,
    /// What runs may change and changed, to be taken back.
    pub(super) undo: Arc<UndoRoom>,
    /// What the newest runs did to obeyed names, to be taken back.
    pub(super) to_take_back: Arc<Mutex<ToTakeBack>>,
    /// The newest run that was to be stopped; it may not have started yet.
    pub(super) stopped: Arc<Mutex<Option<RunId>>>,
    /// The texts that blocks could have their words from, and when they were gathered.
    pub(super) earlier: Option<(LookVersion, Arc<EarlierTexts>)>,
    /// So many entries were asked about whether they are on disk.
    pub(super) asked_saved: u64,
    /// What has been told since the front end was told last.
    pub(super) update: Update,
}

/// Runs, oldest first, with what can be taken back of each.
pub(super) type ToTakeBack = VecDeque<(RunId, Vec<TakenChange>)>;

impl Rooms {
    /// Waits for the next signal. Cancel-safe.
    pub(super) async fn wait(&mut self) -> Signal {
        self.sources.wait(&self.store, &self.executor).await
    }

    /// Once a turn is over, the engine is told when all of it is on disk: the screen says no sooner that it is saved.
    pub(super) fn tell_saved(&mut self, state: &State) {
        let recorded = state.live.recorded;
        if state.phase != Phase::Idle || recorded == self.asked_saved {
            return;
        }
        self.asked_saved = recorded;
        let (store, inbox) = (self.store.clone(), self.inbox());
        tokio::spawn(async move {
            if store.sync().await.is_ok() {
                let _ = inbox.send(Signal::Event(Event::Store(StoreEvent::Saved(recorded)))).await;
            }
        });
    }

    /// A sender for events of tasks.
    pub(super) fn inbox(&self) -> mpsc::Sender<Signal> {
        self.sources.inbox()
    }
}

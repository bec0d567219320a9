//! What the engine is told: wishes of the person and facts from the rooms of I/O.

use super::named::NamedFile;
use super::opened::OpenedFile;
use super::recorded::RecordedBlock;
use super::transcript::Body;
use crate::domain::FileChange;
use crate::domain::{
    Answers, BlockId, Consultation, DeadKernel, Decision, Entry, ImageName, Instructions, Language, Limits,
    ModelInfo, ModelName, OnDisk, Prompt, Reach, RecipeStart, ReplyEvent, Review, Revision, RuleId, RunEvent,
    RunId, StepId, Terms, TimerId, UndoCover, UndoWay,
};
use std::path::PathBuf;
use std::sync::Arc;

/// A wish of the person, sent by a front end.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Ask for something. While a turn is going on it is queued and sent when the turn ends; a turn that is stuck is
    /// ended by it.
    Submit(Prompt),
    /// Propose this command of the person's own, for bash. It waits for a decision like every block: typing it is none.
    /// While a turn is going on it is queued and proposed when the turn ends.
    TypedCommand(String),
    /// Begin with this file of the person's: its blocks wait for decisions like all others. Possible between turns.
    OpenFile(OpenedFile),
    /// Run these files in their order: each was named by the person, which is the decision about it. Possible between turns.
    RunFiles {
        /// The files, in the order in which they run.
        files: Vec<NamedFile>,
        /// The limits of each run, where the person named some.
        limits: Option<Limits>,
        /// Whether images that they lack are fetched first.
        fetch: bool,
    },
    /// Run these bytes again, which a session tells of: the person named it, which is the decision about them. Possible
    /// between turns.
    RunRecorded(Vec<RecordedBlock>),
    /// Decide about a revision of a block. A stale revision is refused with a notice.
    Decide {
        /// The block that is decided about.
        block: BlockId,
        /// The revision that was on screen.
        revision: Revision,
        /// What the person wants.
        decision: Decision,
    },
    /// A front end shows this revision of the block that waits, or hides it again. Where a rule of the person covers
    /// it, the moment before its start runs while it is seen.
    OnScreen {
        /// The block that waits.
        block: BlockId,
        /// The revision on screen.
        revision: Revision,
        /// Whether it is seen now.
        seen: bool,
    },
    /// Don't let the block that a rule covers start by itself: it waits for a decision.
    HoldBack,
    /// Take a rule back: what it covered is asked about again.
    RevokeRule(RuleId),
    /// Skip every block of the reply that is not settled.
    SkipAll,
    /// Choose the language of a block that names none.
    ChooseLanguage {
        /// The block that names none.
        block: BlockId,
        /// The one that its text is read as from here on.
        language: Language,
    },
    /// Change the limits of the block that waits; a new look is asked for.
    SetLimits {
        /// The block that waits.
        block: BlockId,
        /// All limits of its run, the changed ones among them.
        limits: Limits,
    },
    /// Run the block that waits in a new kernel, or in the one that is there again; a new look is asked for.
    Fresh(BlockId),
    /// Run the block that waits in a terminal of its own, or without one again; a new look is asked for.
    Terminal(BlockId),
    /// Take back what the last run of a block did to names that programs obey by themselves.
    TakeBack(BlockId),
    /// Take changes of a run back, or make them again, by their numbers in its record; of none all of them.
    Undo {
        /// The run.
        run: RunId,
        /// The changes.
        changes: Vec<u32>,
        /// Which way.
        way: UndoWay,
    },
    /// Put a settled block back for review (also a LOST one). It runs again only after a new decision. Possible between
    /// turns (what comes of it is told with the next prompt), while a block waits, and when the turn is stuck.
    PutBack(BlockId),
    /// Stop what goes on: the reply (its text is kept), the wait for a retry, the run (an interrupt; the turn moves on
    /// when the run has ended). Never answers a waiting block.
    Stop,
    /// End the run by force; a kernel loses its state.
    Kill,
    /// Start the kernel anew; its variables are lost. Refused while a run goes on.
    RestartKernel,
    /// Rebuild the empty kernel: the person wants to go through these runs of the plan, each to be decided for itself ([`super::rebuild::plan`]).
    Rebuild(Vec<RunId>),
    /// Send the failed request again, also while its repetition is waited for.
    Retry,
    /// Go on after the step limit, a repeated block, or at the session budget (which is raised by its own size).
    Continue,
    /// Don't go on: end the turn.
    EndTurn,
    /// Take the queued prompt back (to edit it), else the newest of the queued commands; it leaves the queue.
    TakeQueued,
    /// Replies come from this model from the next step on.
    UseModel(ModelName),
    /// Give the session a name.
    Rename(String),
    /// Try to write the session file again.
    RetryStore,
    /// Have the model write a summary that stands for the older items in later requests. Possible between turns, and
    /// when the turn is stuck: then the request that did not fit is sent again. `Stop` stops it.
    Compact,
    /// Load what of these only the file has: they are looked at. Answered by [`Event::Loaded`].
    Load(Vec<Body>),
    /// Ask a model what it thinks of the newest revision of a block that waits.
    Consult(BlockId),
    /// Whether the project's files of instructions are told to the model from the next request on.
    UseInstructions(bool),
    /// Answer the form that waits (`Phase::Asking(Question::Form)`). What does not fit is told, and nothing is lost.
    Answer(Answers),
}

/// The places of an edit, found in its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedEdit {
    /// The new text of its files.
    pub text: Arc<str>,
    /// What each file was, in their order.
    pub bases: Vec<OnDisk>,
    /// How the places were found, where they are not as they were written. One line.
    pub note: String,
}

/// Why the places of an edit are not found: one line, for the person and the model. It tells nothing of what stands in a
/// file, which nobody approved to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditFault(pub String);

/// What the driver found out about one revision of a block: the review, and the terms under which it would run.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection {
    /// What the review says.
    pub review: Review,
    /// The terms, or why it can't run here (`node is not installed: …`).
    pub terms: Result<Terms, String>,
    /// What its run reaches, by what enforces it. Where it can't run, nothing is known.
    pub reach: Reach,
    /// What the block would do that the sandbox will refuse, in words: `writes ~/.bashrc: the sandbox will refuse`.
    pub refused: Vec<String>,
    /// What stands in the file that the block would write, where it is text that can be compared.
    pub before: Option<Arc<str>>,
    /// Packages that it needs and that are not there, as far as that is known before it runs.
    pub lacking: Vec<String>,
    /// The container image that it needs and that is not there.
    pub image: Option<ImageName>,
    /// The project's `.venv`, where packages of this block could go, when it is the environment in use.
    pub venv: Option<PathBuf>,
    /// Of an edit that is not placed, or whose files changed since: where its places are now. Nothing else of it counts then.
    pub edit: Option<Result<PlacedEdit, EditFault>>,
    /// What of the files that it may change would be remembered, to be taken back; `None`: it may change none.
    pub undo: Option<UndoCover>,
}

impl Inspection {
    /// A review with its terms, of a block that reaches, lacks and replaces nothing.
    pub fn new(review: Review, terms: Result<Terms, String>) -> Self {
        Self {
            review,
            terms,
            reach: Reach::default(),
            refused: Vec::new(),
            before: None,
            lacking: Vec::new(),
            image: None,
            venv: None,
            edit: None,
            undo: None,
        }
    }
}

/// What the session file's room tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreEvent {
    /// Writing failed: runs are held until it works again. The text says why, without a path's secrets.
    Failed(String),
    /// Writing works again; everything is on disk.
    Recovered,
    /// So many of the entries that were recorded in this process are on disk.
    Saved(u64),
}

/// One input of the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A wish of the person.
    User(Command),
    /// Something of a reply arrived.
    Reply(StepId, ReplyEvent),
    /// A revision was looked at.
    Inspected(BlockId, Revision, Box<Inspection>),
    /// Something of a run arrived.
    Run(RunId, RunEvent),
    /// The time of a timer has come.
    Timer(TimerId),
    /// The session file is written, or can't be.
    Store(StoreEvent),
    /// Replies come from this model from here on: it was chosen outside of the session.
    Provider(ModelName),
    /// What is known of the model that answers from here on.
    Model(Box<ModelInfo>),
    /// A kernel ended while nothing ran.
    KernelDied(DeadKernel),
    /// Something is amiss with the kernel's server, in words: it does not answer at this moment, or output may be missing. The
    /// kernel is not lost yet.
    KernelWarning(String),
    /// The kernel's server answers again, in words.
    KernelBack(String),
    /// The languages for which the Jupyter server has a kernel: it was asked.
    KernelLanguages(Vec<Language>),
    /// The files of instructions that are there, the nearest last. They hold from the next request on.
    Instructions(Vec<Instructions>),
    /// What a recipe needs to begin was found out; the person asked for it. The next turn is its. Refused while a turn
    /// goes on.
    RecipeReady(Box<RecipeStart>),
    /// The answer to `Effect::Consult`.
    Consulted(BlockId, Revision, Box<Consultation>),
    /// The answer to `Effect::TakeBack` and `Effect::Undo`: each file and whether it stands as it was wanted, or why nothing
    /// is known.
    TakenBack(RunId, UndoWay, Result<Vec<TakenBack>, String>),
    /// What was found changed of obeyed names between two runs.
    ChangedMeanwhile(Vec<FileChange>),
    /// The answer to `Effect::Load`.
    Loaded(Vec<LoadedBody>),
}

/// A reply or an output that was read from the file again.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedBody {
    /// Which one it is.
    pub(crate) body: Body,
    /// The entry as it stands there, or why it can't be read.
    pub(crate) result: Result<Entry, String>,
}

/// A file that was to be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenBack {
    pub(crate) path: String,
    /// Whether it stands as before the run, or why not.
    pub(crate) result: Result<(), String>,
}

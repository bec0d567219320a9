//! The engine's inputs: commands of the person and events from the rooms of I/O.

use super::command_line_runs::NamedFile;
use super::inspection::Inspection;
use super::opened_file::OpenedFile;
use super::recorded_runs::RecordedBlock;
use super::transcript::Body;
use crate::domain::FileChange;
use crate::domain::{
    Answers, BlockId, DeadKernel, Decision, Entry, Instructions, Language, Limits, ModelInfo, ModelName,
    OpinionReply, Prompt, RecipeStart, ReplyEvent, Revision, RuleId, RunEvent, RunId, StepId, TimerId,
    UndoKind,
};
use std::path::PathBuf;

/// A command of the person, sent by a front end.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Send this prompt. While a turn is going on, it is queued and sent when the turn ends; a turn that is stuck is
    /// ended by it.
    Submit(Prompt),
    /// Propose this shell command that the person typed. It waits for a decision like every block: typing it is not
    /// one. While a turn is going on it is queued and proposed when the turn ends.
    TypedCommand(String),
    /// Begin a turn with this file of the person: its blocks wait for decisions like all others. Possible between
    /// turns.
    OpenFile(OpenedFile),
    /// Run these files in their order. Naming a file is the decision to run it. Possible between turns.
    RunFiles {
        /// The files, in the order in which they run.
        files: Vec<NamedFile>,
        /// The limits of each run, if the person set some.
        limits: Option<Limits>,
        /// Whether missing container images are fetched first.
        fetch: bool,
    },
    /// Run these bytes, recorded in a session, again. Naming the session is the decision to run them. Possible between
    /// turns.
    RunRecorded(Vec<RecordedBlock>),
    /// Decide about a revision of a block. A stale revision is refused with a notice.
    Decide {
        /// The block to decide about.
        block: BlockId,
        /// The revision that was on screen.
        revision: Revision,
        /// What the person decided.
        decision: Decision,
    },
    /// A front end shows this revision of the block that waits, or hides it. If a rule covers the block, the countdown
    /// to its start runs while it is shown.
    OnScreen {
        /// The block that waits.
        block: BlockId,
        /// The revision on screen.
        revision: Revision,
        /// Whether it is shown.
        seen: bool,
    },
    /// Don't let the block that a rule covers start by itself: it waits for a decision.
    StopCountdown,
    /// Revoke a rule: what it covered needs a decision again.
    RevokeRule(RuleId),
    /// Skip every block of the reply that is not settled.
    SkipAll,
    /// Choose the language of a block that names none.
    ChooseLanguage {
        /// The block that names no language.
        block: BlockId,
        /// The language of its text.
        language: Language,
    },
    /// Change the limits of the block that waits; it is inspected again.
    SetLimits {
        /// The block that waits.
        block: BlockId,
        /// All limits of its run, changed or not.
        limits: Limits,
    },
    /// Run the block that waits in a new kernel, or switch that off again; it is inspected again.
    ToggleNewKernel(BlockId),
    /// Run the block that waits in a terminal of its own, or switch that off again; it is inspected again.
    ToggleTerminal(BlockId),
    /// Undo what the last run of a block did to files that programs obey by themselves.
    UndoAutoRun(BlockId),
    /// Undo changes of a run, or redo them, by their numbers in its record; all if there are none.
    Undo {
        /// The run.
        run: RunId,
        /// The numbers of the changes.
        changes: Vec<u32>,
        /// Undo or redo.
        kind: UndoKind,
    },
    /// Put a settled block back for review (also a LOST one). It runs again only after a new decision. Possible between
    /// turns (the model learns the result with the next prompt), while a block waits, and when the turn is stuck.
    Reopen(BlockId),
    /// Stop what goes on: the reply (its text is kept), the wait for a retry, the run (an interrupt; the turn moves on
    /// when the run has ended). Never decides about a waiting block.
    Stop,
    /// Kill the run; a kernel loses its state.
    Kill,
    /// Restart the kernel; its variables are lost. Refused while a run goes on.
    RestartKernel,
    /// Rebuild the empty kernel: the person wants to go through these runs of the plan, each to be decided by itself
    /// ([`super::rebuild::plan`]).
    Rebuild(Vec<RunId>),
    /// Send the failed request again now, without waiting for the automatic retry.
    Retry,
    /// Go on after the step limit, a repeated block, or the session budget (which is raised by its own size).
    Continue,
    /// Don't go on: end the turn.
    EndTurn,
    /// Take the queued prompt back to edit it, else the newest of the queued commands; it leaves the queue.
    EditQueued,
    /// The person leaves the session: nothing is asked of the model any more, and what is queued stays queued. What came
    /// of a reply is recorded like that of a stopped one, unless a recipe waits for it.
    Leave,
    /// Use this model from the next step on.
    UseModel(ModelName),
    /// Give the session a name.
    Rename(String),
    /// Try to write the session file again.
    RetryStore,
    /// Let the model write a summary that replaces the older items in later requests. Possible between turns, and when
    /// the turn is stuck: then the request that did not fit is sent again. `Stop` stops it.
    Compact,
    /// Load those of these texts that are not in memory: a front end shows them. Answered by [`Event::Loaded`].
    Load(Vec<Body>),
    /// Ask a model for its opinion on the newest revision of a block that waits.
    RequestOpinion(BlockId),
    /// Whether the project's instruction files are sent to the model from the next request on.
    UseInstructions(bool),
    /// Answer the form that waits (`Phase::Asking(Question::Form)`). Answers that don't fit are reported, and none is
    /// lost.
    Answer(Answers),
}

/// News about the session file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreEvent {
    /// Writing failed: no run starts until it works again. The text says why.
    Failed(String),
    /// Writing works again; everything is saved.
    Recovered,
    /// This many of the entries recorded by this process are saved.
    Saved(u64),
}

/// One input of the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A command of the person.
    User(Command),
    /// A part of a reply arrived.
    Reply(StepId, ReplyEvent),
    /// A revision was inspected.
    Inspected(BlockId, Revision, Box<Inspection>),
    /// News of a run.
    Run(RunId, RunEvent),
    /// A timer fired.
    Timer(TimerId),
    /// News about the session file.
    Store(StoreEvent),
    /// This model answers from now on: it was chosen outside of the session, or the one that the session names goes by
    /// this name or can't be used.
    ModelSwitched(ModelName),
    /// The provider of this model is being asked about it; its answer is `ModelInfo`, which comes in any case. A request
    /// that depends on it waits.
    AskingAboutModel(ModelName),
    /// What is known of a model, reported by its provider or configured.
    ModelInfo(Box<ModelInfo>),
    /// A kernel ended while nothing ran.
    KernelDied(DeadKernel),
    /// Something is wrong with the kernel's server, in words: it does not answer now, or output may be missing. The
    /// kernel is not lost yet.
    KernelWarning(String),
    /// The kernel's server answers again, in words.
    KernelBack(String),
    /// The languages for which the Jupyter server said that it has a kernel.
    KernelLanguages(Vec<Language>),
    /// The instruction files that were found, the nearest last. They are used from the next request on.
    Instructions(Vec<Instructions>),
    /// The instruction files that changed since a run began, until the person decides about them.
    HeldInstructions(Vec<PathBuf>),
    /// The driver prepared a recipe that the person asked for. It gets the next turn. Refused while a turn goes on.
    RecipeReady(Box<RecipeStart>),
    /// The answer to `Effect::RequestOpinion`.
    OpinionArrived(BlockId, Revision, Box<OpinionReply>),
    /// The answer to `Effect::UndoAutoRun` and `Effect::Undo`: each file and whether it was restored, or why nothing is
    /// known.
    Undone(RunId, UndoKind, Result<Vec<RestoredFile>, String>),
    /// Files that programs obey by themselves were found changed between two runs.
    ChangedMeanwhile(Vec<FileChange>),
    /// The answer to `Effect::Load`.
    Loaded(Vec<LoadedBody>),
}

/// A reply or an output that was read from the session file again.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedBody {
    /// Which text it is.
    pub(crate) body: Body,
    /// The entry as the file has it, or why it can't be read.
    pub(crate) result: Result<Entry, String>,
}

/// A file that was to be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoredFile {
    pub(crate) path: String,
    /// Whether it was restored, or why not.
    pub(crate) result: Result<(), String>,
}

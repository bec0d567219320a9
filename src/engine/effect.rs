//! What the engine orders. The driver performs it and reports back with events; the engine never waits.

use super::transcript::Body;
use crate::domain::{
    Block, BlockId, Entry, Limits, ModelName, ModelRequest, Notice, Revision, RunId, RunRequest, Sha256,
    StepId, TimerId, UndoWay,
};

/// One output of the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Write this fact to the session file. The engine has applied it already.
    Record(Entry),
    /// Send a request to the model; answers come as `Event::Reply` with its step.
    Ask(Box<ModelRequest>),
    /// Drop the request of this step; nothing more is expected of it.
    CancelAsk(StepId),
    /// Review this revision on a worker and find its terms. Each order is answered exactly once, with its revision, by
    /// `Event::Inspected`: while an order is unanswered the block can't be approved.
    Inspect {
        /// The block with all its versions.
        block: Box<Block>,
        /// The version to look at.
        revision: Revision,
        /// The limits that it would run under, where the person changed them.
        limits: Option<Limits>,
        /// Whether it would run in a new kernel.
        fresh: bool,
        /// Whether it would have a terminal of its own.
        terminal: bool,
        /// Whether the strict list of what is forbidden holds for it, whatever the configuration says.
        strict: bool,
    },
    /// Sync the session file, then carry out the run. If the sync fails, nothing starts:
    /// `Event::Store(Failed)`, then `Event::Run(run, Ended(not started))`.
    StartRun {
        /// The approval, with the bytes that it was given for.
        request: Box<RunRequest>,
        /// Files whose content is hashed right before it and right after it, for the recipe of the turn.
        protected: Vec<String>,
    },
    /// Tell the run, which waits behind this part of its text, to go on, or to end there.
    AfterPart {
        /// The run.
        run: RunId,
        /// The part that is over, from 1.
        part: u32,
        /// Why it ends, for its output; `None`: it goes on.
        ends: Option<String>,
    },
    /// Interrupt the run (SIGINT to its group).
    InterruptRun(RunId),
    /// End the run by force.
    KillRun(RunId),
    /// Put files that programs obey by themselves back to how they stood before this run. Answered by `Event::TakenBack`.
    TakeBack(RunId),
    /// Take changes of a run back, or make them again: those of these numbers in this record, of none all of them.
    /// Answered by `Event::TakenBack`.
    Undo {
        /// The run.
        run: RunId,
        /// The record of its changes.
        record: Sha256,
        /// The changes by their numbers.
        changes: Vec<u32>,
        /// Which way.
        way: UndoWay,
    },
    /// Start the kernel anew (lazily: the old one ends now).
    RestartKernel,
    /// Use another model for the following requests (the newest `Entry::Model` names it).
    SwitchModel,
    /// Fire this timer after so many milliseconds.
    SetTimer(TimerId, u64),
    /// A block of code was seen in the reply that is still being written: an executor for its language may be warmed up.
    Prewarm(crate::domain::Language),
    /// Try to write the session file again.
    RetryStore,
    /// A waiting block is decided for: nothing to do for the rooms, fronts may show it.
    Settled(BlockId),
    /// Ask a model what it thinks of this revision of a block, beside all else that goes on. Answered exactly once by
    /// `Event::Consulted`, in bounded time.
    Consult {
        /// The block that is asked about.
        block: BlockId,
        /// The version of it that the model is shown.
        revision: Revision,
        /// The model to ask; `None`: the one in use.
        model: Option<ModelName>,
        /// What the model is asked.
        request: Box<ModelRequest>,
    },
    /// Read these entries of the file again, each for this part of the conversation: what was read must be what stood there
    /// when the session was opened. Answered by `Event::Loaded`.
    Load(Vec<(Body, u64)>),
    /// Tell the person this line.
    Notify(Notice),
}

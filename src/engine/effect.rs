//! What the engine asks the driver to do. The driver performs it and reports back with events; the engine never waits.

use super::transcript::Body;
use crate::domain::{
    Block, BlockId, Entry, Limits, ModelName, ModelRequest, Notice, Revision, RunId, RunRequest, Sha256,
    StepId, TimerId, UndoKind,
};

/// How the person wants a block to run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunOptions {
    /// The limits of its run, if the person changed them.
    pub limits: Option<Limits>,
    /// Whether it would run in a new kernel.
    pub new_kernel: bool,
    /// Whether it would get a terminal of its own.
    pub terminal: bool,
}

/// One output of the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Write this entry to the session file. The engine has applied it already.
    Record(Entry),
    /// Send a request to the model; the reply arrives as `Event::Reply` with its step.
    Ask(Box<ModelRequest>),
    /// Drop the request of this step; nothing more is expected of it.
    CancelAsk(StepId),
    /// Review this revision on a worker and find its terms. Each order is answered exactly once, with its revision, by
    /// `Event::Inspected`; until then the block can't be approved.
    Inspect {
        /// The block with all its versions.
        block: Box<Block>,
        /// The version to inspect.
        revision: Revision,
        /// How it would run.
        options: RunOptions,
        /// Whether the strict list of forbidden things applies to it, whatever the configuration says.
        strict: bool,
    },
    /// Sync the session file, then start the run. If the sync fails, nothing starts: `Event::Store(Failed)`, then
    /// `Event::Run(run, Ended(not started))`.
    StartRun {
        /// The approval, with the approved bytes.
        request: Box<RunRequest>,
        /// Files to hash right before and right after the run, for the recipe of the turn.
        protected: Vec<String>,
    },
    /// A run waits after this part of its text: let it go on, or end it there.
    AfterPart {
        /// The run.
        run: RunId,
        /// The part that has finished, from 1.
        part: u32,
        /// Why the run ends, for its output; `None`: it goes on.
        ends: Option<String>,
    },
    /// Interrupt the run (SIGINT to its group).
    InterruptRun(RunId),
    /// End the run by force.
    KillRun(RunId),
    /// Restore files that programs obey by themselves to what they were before this run. Answered by
    /// `Event::Undone`.
    UndoAutoRun(RunId),
    /// Undo changes of a run, or redo them: those with these numbers in this record, or all if there are none. Answered
    /// by `Event::Undone`.
    Undo {
        /// The run.
        run: RunId,
        /// The record of its changes.
        record: Sha256,
        /// The numbers of the changes.
        changes: Vec<u32>,
        /// Undo or redo.
        kind: UndoKind,
    },
    /// Restart the kernel: the old one ends now, the new one starts when it is needed.
    RestartKernel,
    /// Use another model for the following requests (the newest `Entry::Model` names it).
    SwitchModel,
    /// Fire this timer after this many milliseconds.
    SetTimer(TimerId, u64),
    /// An executor for this language may be started ahead of time: a block of code in it is being written or waits.
    Prewarm(crate::domain::Language),
    /// Try to write the session file again.
    RetryStore,
    /// A block was decided about: the driver releases what it holds for the block (open folders, copies for undo),
    /// unless it was approved.
    Settled(BlockId),
    /// Ask a model for an opinion on this revision of a block, while everything else goes on. Answered exactly once by
    /// `Event::OpinionArrived`, in bounded time.
    RequestOpinion {
        /// The block in question.
        block: BlockId,
        /// The version that the model is shown.
        revision: Revision,
        /// The model to ask; `None`: the one in use.
        model: Option<ModelName>,
        /// What the model is asked.
        request: Box<ModelRequest>,
    },
    /// Read these entries of the session file again, each for this part of the conversation. What is read has to be
    /// what the file had when the session was opened. Answered by `Event::Loaded`.
    Load(Vec<(Body, u64)>),
    /// Show the person this line.
    Notify(Notice),
}

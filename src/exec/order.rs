//! What an executor can be ordered to do: the orders that its thread takes, one after the other.

use super::backend::MissingPart;
use super::executor_error::ExecutorError;
use crate::domain::{
    CountedTime, InstallInto, Interpreter, Language, Limits, Reach, RunEvent, RunId, RunRequest,
    SandboxReport, Terms,
};
use tokio::sync::{mpsc, oneshot};

/// Where terms are told, or why nothing can run.
pub(super) type OrderReply<T> = oneshot::Sender<Result<T, ExecutorError>>;

/// An order to the thread of an executor.
pub(super) enum ExecutorOrder {
    /// Tell the terms of a block.
    Terms(Language, Option<Limits>, OrderReply<Terms>),
    /// Under which terms would a block run in a new kernel?
    FreshTerms(Language, Option<Limits>, OrderReply<Terms>),
    /// Tell the terms of a file of functions in this language.
    LoadTerms(Language, Option<Limits>, OrderReply<Terms>),
    /// Tell the terms of an installation, by this program of this machine.
    InstallTerms(Language, Box<(Option<Interpreter>, InstallInto)>, Option<Limits>, OrderReply<Terms>),
    /// Tell the terms under which an image would be pulled for this language.
    PullTerms(Language, Option<Limits>, OrderReply<Terms>),
    /// Tell which packages a text of Python lacks.
    Lacking(String, Vec<String>, oneshot::Sender<Vec<String>>),
    /// Tell the terms under which a block with these would run in a terminal of its own.
    TerminalTerms(Box<Terms>, OrderReply<Terms>),
    /// Tell what a run under these terms reaches.
    Reach(Box<Terms>, oneshot::Sender<Reach>),
    /// Tell what is enforced on runs.
    Sandbox(OrderReply<SandboxReport>),
    /// Tell what there is.
    Found(oneshot::Sender<Vec<Interpreter>>),
    /// Tell what of this language is missing, so that it could be fetched.
    Missing(Language, oneshot::Sender<Option<MissingPart>>),
    /// Fetch it, telling the progress.
    Fetch(MissingPart, mpsc::Sender<String>, OrderReply<()>),
    /// Carry out a run.
    Start(Box<RunRequest>, mpsc::Sender<(RunId, RunEvent)>),
    /// Type this into the terminal of the run.
    Type(RunId, Vec<u8>),
    /// The terminal of the run has so many rows and columns from now on.
    Resize(RunId, u16, u16),
    /// The time limit of the run, which has a terminal of its own, counts this from now on, and begins anew.
    Count(RunId, CountedTime),
    /// The run, which waits behind this part of its text, goes on, or ends there for this reason.
    AfterPart(RunId, u32, Option<String>),
    Interrupt(RunId),
    /// End the run by force.
    Kill(RunId),
    /// Get ready for this language.
    Warm(Language),
    RestartKernel,
    Close,
}

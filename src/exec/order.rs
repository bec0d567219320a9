//! The orders that the thread of an executor carries out one after the other.

use super::backend::MissingPart;
use super::executor_error::ExecutorError;
use crate::domain::{
    InstallInto, Interpreter, Language, Limits, Reach, RunControl, RunEvent, RunId, RunRequest,
    SandboxReport, Terms,
};
use tokio::sync::{mpsc, oneshot};

/// The reply to an order, with the error if it fails.
pub(super) type OrderReply<T> = oneshot::Sender<Result<T, ExecutorError>>;

/// What terms are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermsFor {
    /// Code, as blocks usually run.
    Usual,
    /// Code in a new kernel; an error where blocks of the language share none.
    NewKernel,
    /// Loading a file of the person's functions.
    Load,
    /// Installing packages for the language.
    Install(InstallInto),
    /// Pulling an image for blocks in the language, by the engine that would run them.
    Pull,
}

pub(super) struct TermsRequest {
    pub(super) language: Language,
    pub(super) purpose: TermsFor,
    /// The program that would install, if packages are installed on this machine.
    pub(super) installer: Option<Interpreter>,
    /// Other limits than the usual ones.
    pub(super) limits: Option<Limits>,
}

/// An order to the thread of an executor.
pub(super) enum ExecutorOrder {
    /// Compute the terms of what a block would do.
    Terms(Box<TermsRequest>, OrderReply<Terms>),
    /// Find out which packages a Python source lacks.
    MissingPackages(String, Vec<String>, oneshot::Sender<Vec<String>>),
    /// Compute the terms with a terminal for the run.
    TerminalTerms(Box<Terms>, OrderReply<Terms>),
    /// Compute what a run under these terms can reach.
    Reach(Box<Terms>, oneshot::Sender<Reach>),
    /// Report what is enforced on runs.
    Sandbox(OrderReply<SandboxReport>),
    Interpreters(oneshot::Sender<Vec<Interpreter>>),
    /// Find out what has to be fetched for this language.
    MissingImage(Language, oneshot::Sender<Option<MissingPart>>),
    /// Fetch it, and send lines of progress.
    Fetch(MissingPart, mpsc::Sender<String>, OrderReply<()>),
    /// Carry out a run.
    Start(Box<RunRequest>, mpsc::Sender<(RunId, RunEvent)>),
    Control(RunId, RunControl),
    /// Prepare for this language.
    Warm(Language),
    RestartKernel,
    Close,
}

//! What carries out runs: this machine, a container engine, Jupyter kernels. What they have in common stands here.
//!
//! `serve` follows the run that goes on: its clock, its output, its report. What is special about each is behind
//! [`Backend`], in rooms of their own (`local`, `container`, `jupyter`). Nothing here decides whether something runs.

use super::executor_error::ExecutorError;
use super::helper_wire::{ResourceUse, RestState};
use super::kernel_wire::{FrameToken, RunSummary};
use super::receipt::ExitKind;
use super::sandbox::refused::ClosedPlaces;
use crate::domain::{
    BlockId, Chunk, CountedTime, InstallInto, Interpreter, KernelFate, Language, Limits, Reach, RunEvent,
    SandboxReport, Stream, Terms,
};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::{mpsc, oneshot};

/// Something that has to be fetched over the network before a block can run, which is asked for first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingPart {
    /// What it is, by the name under which it is fetched: an image.
    pub name: String,
}

/// Something that is being fetched.
pub(super) type Fetch = Pin<Box<dyn Future<Output = Result<(), ExecutorError>>>>;

/// A block on its way to a backend.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(crate) block: BlockId,
    /// The terms that were approved, and hold.
    pub(crate) terms: Terms,
    /// Its name in messages: `block 3`, or the file that the person named.
    pub(crate) label: String,
    pub(crate) source: Arc<str>,
    pub(crate) token: FrameToken,
}

/// Who ends a run at its time limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LimitEnforcer {
    /// Its helper, on this machine. The clock runs from the start of the helper's work.
    Helper,
    /// The loop. The clock runs from when the code was handed over.
    Loop {
        /// Whether an interrupt can be lost on its way, so that it has to be repeated.
        loses_interrupts: bool,
    },
}

/// What a backend tells of the run that goes on.
#[derive(Debug)]
pub(super) enum BackendEvent {
    /// What is passed on as it is: that it started, what it printed, what it uses, its variables and functions.
    Run(RunEvent),
    /// It made an image, which goes to a file first: a name for it, its type, its bytes.
    Image(String, &'static str, Vec<u8>),
    /// A part of its text is over, and waits for [`Backend::after_part`].
    PartEnded(u32),
    Ended(Box<RunEnd>),
}

#[derive(Debug)]
pub(super) struct RunEnd {
    pub(crate) end: EndCause,
    /// What it used, as far as it is known.
    pub(crate) used: ResourceUse,
    /// How its kernel stands after it; `None` where nothing of it is left, or nobody stops it.
    pub(crate) rest: Option<RestState>,
    /// What became of the kernel.
    pub(crate) kernel: KernelFate,
    /// The folder in which the next block would start.
    pub(crate) cwd: Option<PathBuf>,
    /// When its code was over, where its end is told later than that.
    pub(crate) over: Option<Instant>,
    /// The limit that it passed, in words.
    pub(crate) limit: Option<String>,
    /// Whether its helper ended it at its time limit.
    pub(crate) out_of_time: bool,
    /// Whether its program was never built: the compiler refused the text.
    pub(crate) unbuilt: bool,
    /// What the sandbox closed for it.
    pub(crate) closed: Option<ClosedPlaces>,
    /// How often the connection to its kernel was lost while it ran.
    pub(crate) connection_losses: u32,
}

/// How a run came to its end.
#[derive(Debug)]
pub(super) enum EndCause {
    /// The kernel finished the block and goes on.
    Block(RunSummary),
    Program(ExitKind),
    /// The process of the kernel ended under the run; why it could not be spoken to any more, where that came first.
    Kernel(ExitKind, Option<String>),
    /// What carried it out died, or is out of reach; the cause.
    Died(String),
    /// It was ended at a limit, in words.
    Limit(String),
    /// It could not be started, and why.
    NotStarted(String),
    /// Its code went to no kernel, whatever was done to it, and why.
    NotSent(String),
    /// Python ended before it was a kernel; the cause, where it said nothing itself.
    NotReady(String),
}

impl RunEnd {
    /// An end of which no more is known.
    pub(super) fn of(end: EndCause) -> Self {
        Self {
            end,
            used: ResourceUse::default(),
            rest: None,
            kernel: KernelFate::None,
            cwd: None,
            over: None,
            limit: None,
            out_of_time: false,
            unbuilt: false,
            closed: None,
            connection_losses: 0,
        }
    }
}

impl BackendEvent {
    /// The run printed something.
    pub(super) fn printed(stream: Stream, bytes: Vec<u8>) -> Self {
        Self::Run(RunEvent::Output(Chunk { stream, bytes }))
    }
}

impl From<RunEvent> for BackendEvent {
    fn from(event: RunEvent) -> Self {
        Self::Run(event)
    }
}

impl From<RunEnd> for BackendEvent {
    fn from(ended: RunEnd) -> Self {
        Self::Ended(Box::new(ended))
    }
}

/// What is special about one kind of executor. One run at a time; the caller sees to that.
pub(super) trait Backend {
    /// The terms under which a block would run.
    async fn terms(&mut self, language: &Language, limits: Limits) -> Result<Terms, ExecutorError>;
    /// The same, in a kernel that nothing was in before; the one that is there ends when the run begins.
    async fn fresh_terms(&mut self, language: &Language, limits: Limits) -> Result<Terms, ExecutorError>;
    /// The terms under which what was approved with these would run now.
    async fn terms_again(&mut self, approved: &Terms, _source: &str) -> Result<Terms, ExecutorError> {
        in_that_kernel(self, approved).await
    }
    /// The same terms with a terminal of its own, which not everything that carries out runs can give.
    fn with_terminal(&self, _terms: Terms) -> Result<Terms, ExecutorError> {
        Err(ExecutorError::NoTerminal)
    }
    /// Types into the terminal of the run.
    fn type_in(&mut self, _bytes: &[u8]) {}
    /// Gives the terminal of the run so many rows and columns.
    fn resize(&mut self, _rows: u16, _columns: u16) {}
    /// The time limit of the run, which has a terminal of its own, counts this from now on, and begins anew.
    fn count(&mut self, _what: CountedTime) {}
    /// What a run under these terms reaches.
    async fn reach(&mut self, terms: &Terms) -> Reach;
    /// What is enforced on runs.
    async fn sandbox(&mut self) -> Result<SandboxReport, ExecutorError>;
    /// Who ends runs at their time limit.
    fn watch(&self) -> LimitEnforcer;
    /// Begins a run under its terms, or refuses when they do not hold any more. From now on until [`BackendEvent::Ended`] it is
    /// told of by [`Backend::hear`].
    async fn begin(&mut self, job: Job);
    /// Waits for something to tell. Safe to cancel.
    async fn hear(&mut self) -> BackendEvent;
    /// Interrupts the run; a kernel keeps its state.
    fn interrupt(&mut self);
    /// Tells the run, which waits behind this part of its text, whether it goes on.
    fn after_part(&mut self, _part: u32, _goes_on: bool) {}
    /// Whether the run was heard of since it was interrupted, so that the interrupt need not be repeated.
    fn has_answered(&self) -> bool {
        false
    }
    /// Ends the run by force; its end is heard then.
    fn kill(&mut self);
    /// The run is not waited for any longer: its end, where that is not heard next.
    fn give_up(&mut self) -> Option<RunEnd> {
        Some(RunEnd::of(EndCause::Died("what carried it out does not end, or is out of reach".into())))
    }
    /// Gets ready for a language.
    async fn warm(&mut self, language: &Language);
    /// Whether it may get ready while a run goes on.
    fn warms_beside_runs(&self) -> bool {
        false
    }
    /// Ends the kernel while nothing runs.
    async fn restart(&mut self);
    /// What of this language has to be fetched first.
    async fn missing(&mut self, _language: &Language) -> Option<MissingPart> {
        None
    }
    /// Whether files of the person's functions can be loaded here.
    fn loads_functions(&self) -> bool;
    /// The terms under which packages for this language would be installed: by this program, where those of this machine
    /// are used, and where to.
    async fn install_terms(
        &mut self,
        language: &Language,
        by: (Option<Interpreter>, InstallInto),
        limits: Limits,
    ) -> Result<Terms, ExecutorError>;
    /// Answers which packages a text of Python lacks, now or later; not at all where that can't be known.
    fn lacking(&mut self, _source: &str, _packages: &[String], _reply: oneshot::Sender<Vec<String>>) {}
    /// The terms under which an image would be pulled for this language.
    async fn pull_terms(&mut self, _language: &Language, _limits: Limits) -> Result<Terms, ExecutorError> {
        Err(ExecutorError::NoEngine)
    }
    /// How it is fetched; the future lives by itself.
    async fn fetch(&mut self, missing: MissingPart, _progress: mpsc::Sender<String>) -> Fetch {
        Box::pin(std::future::ready(Err(ExecutorError::NotFetched(missing.name))))
    }
    async fn found(&mut self) -> Vec<Interpreter>;
    /// Ends everything that was started.
    async fn close(&mut self);
}

/// Whether what was approved is for the kernel after the one that is there, of this generation.
pub(super) fn wants_next_kernel(there: Option<u32>, approved: &Terms) -> bool {
    let next = there.and_then(|generation| generation.checked_add(1));
    next.is_some() && next == approved.kernel.map(|kernel| kernel.generation)
}

/// The terms under which a block would run now, in the kernel that was approved: the one that is there, or the next.
pub(super) async fn in_that_kernel<B: Backend + ?Sized>(
    backend: &mut B,
    approved: &Terms,
) -> Result<Terms, ExecutorError> {
    let now = backend.terms(&approved.language, approved.limits).await?;
    if wants_next_kernel(now.kernel.map(|kernel| kernel.generation), approved) {
        return backend.fresh_terms(&approved.language, approved.limits).await;
    }
    Ok(now)
}

//! Defines what all backends (this machine, a container engine, Jupyter kernels) have in common.
//!
//! `serve` follows the current run: its clock, its output, its report. What differs is behind [`Backend`], in `local`,
//! `container` and `jupyter`. Nothing here decides whether something runs.

use super::executor_error::ExecutorError;
use super::helper_wire::{PauseState, ResourceUse};
use super::kernel_wire::{self, FrameToken, KernelMessage, RunSummary};
use super::receipt::ExitKind;
use super::sandbox::refusals::ClosedPlaces;
use crate::domain::sentences::rights;
use crate::domain::{
    BlockId, Chunk, CountedTime, InstallInto, Interpreter, KernelFate, KernelRef, Language, Limits, Reach,
    RunEvent, SandboxReport, SharedState, Stream, Terms,
};
use std::path::{Component, Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::{mpsc, oneshot};

/// Something that has to be fetched over the network before a block can run. The person is asked first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingPart {
    /// The name under which it is fetched: that of an image.
    pub name: String,
}

/// Whether what runs with this reach can have this working folder. A run names the folder in which the next one starts
/// and whose changes are looked for, so the word of a run opens no folder that is closed to it.
pub(super) fn may_start_in(reach: &Reach, cwd: &Path) -> bool {
    let is_plain = cwd.is_absolute() && !cwd.components().any(|part| part == Component::ParentDir);
    let end = std::fs::canonicalize(cwd).unwrap_or_else(|_| cwd.into());
    is_plain && !reach.through(cwd, &end, Reach::reads).is_closed()
}

pub(super) type Fetch = Pin<Box<dyn Future<Output = Result<(), ExecutorError>>>>;

/// A run as a backend begins it: the approved bytes, and the terms under which they run.
#[derive(Clone, Debug)]
pub(super) struct BackendRun {
    pub(crate) block: BlockId,
    /// The approved terms, which still hold.
    pub(crate) terms: Terms,
    /// Its name in messages: `block 3`, or the name of the person's file.
    pub(crate) label: String,
    pub(crate) source: Arc<str>,
    pub(crate) token: FrameToken,
}

impl BackendRun {
    /// The order by which a Python kernel gets it: to run a block, or to load a file of functions. Errors in such a file
    /// name the file, not the block.
    pub(super) fn kernel_order(&self) -> Vec<u8> {
        let source = self.source.as_bytes();
        let Some(file) = &self.terms.target else {
            return kernel_wire::run(&self.token, &self.label, source);
        };
        let name = file.path.file_name().map(|name| name.to_string_lossy());
        kernel_wire::load(&self.token, name.as_deref().unwrap_or(&self.label), source, &file.path)
    }
}

/// Takes over what a Python kernel said of itself at the end of a block. The folder in which the next one would start
/// stays if that run may not start in the new one.
pub(super) fn note_summary(
    done: &RunSummary,
    reach: &Reach,
    state: &mut KernelRef,
    shared: &mut SharedState,
    cwd: &mut PathBuf,
) {
    state.variables = done.variables;
    shared.changed.clone_from(&done.found);
    match &done.cwd {
        Some(now) if may_start_in(reach, now) => cwd.clone_from(now),
        Some(_) => shared.changed.push(rights::IN_CLOSED_FOLDER.into()),
        None => {}
    }
}

/// Who ends a run at its time limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LimitEnforcer {
    /// The helper, on this machine. The clock starts when the helper begins its work.
    Helper,
    /// The loop in `serve`. The clock starts when the code was handed over.
    Loop {
        /// Whether an interrupt can get lost, so that it has to be repeated.
        loses_interrupts: bool,
    },
}

/// What a backend reports about the current run.
#[derive(Debug)]
pub(super) enum BackendEvent {
    /// An event that is passed on unchanged: that it started, what it printed, what it uses, its variables and
    /// functions.
    Run(RunEvent),
    /// It made an image, which is first saved to a file: a name for it, its type, its bytes.
    Image(String, &'static str, Vec<u8>),
    /// A part of its source has ended; the run waits for [`Backend::after_part`].
    PartEnded(u32),
    Ended(Box<RunEnd>),
}

#[derive(Debug)]
pub(super) struct RunEnd {
    pub(crate) end: EndCause,
    /// What it used, as far as it is known.
    pub(crate) used: ResourceUse,
    /// The state of its kernel after the run; `None` if nothing of it is left, or nothing stops it between runs.
    pub(crate) pause: Option<PauseState>,
    pub(crate) kernel: KernelFate,
    /// The folder in which the next block would start.
    pub(crate) cwd: Option<PathBuf>,
    /// When its code ended, if that is reported later than it happened.
    pub(crate) over: Option<Instant>,
    /// The limit that it exceeded, in words.
    pub(crate) limit: Option<String>,
    /// Whether its helper ended it at its time limit.
    pub(crate) out_of_time: bool,
    /// Whether the compiler refused the source, so that no program was built.
    pub(crate) unbuilt: bool,
    /// The paths that the sandbox blocked for it.
    pub(crate) closed: Option<ClosedPlaces>,
    /// How often the connection to its kernel was lost during the run.
    pub(crate) connection_losses: u32,
}

#[derive(Debug)]
pub(super) enum EndCause {
    /// The kernel finished the block and stays alive.
    Block(RunSummary),
    Program(ExitKind),
    /// The process of the kernel ended during the run. The text says why the connection broke, if it broke before that.
    Kernel(ExitKind, Option<String>),
    /// The process or service that ran it died or is unreachable; the cause.
    Died(String),
    /// It was ended at a limit; the limit in words.
    Limit(String),
    /// It could not be started; the reason.
    NotStarted(String),
    /// Its code was not sent to any kernel; the reason.
    NotSent(String),
    /// Python ended before it was a kernel; the cause, if Python did not print one.
    NotReady(String),
}

impl RunEnd {
    /// An end of which nothing else is known.
    pub(super) fn of(end: EndCause) -> Self {
        Self {
            end,
            used: ResourceUse::default(),
            pause: None,
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
    pub(super) fn printed(stream: Stream, bytes: Vec<u8>) -> Self {
        Self::Run(RunEvent::Output(Chunk::new(stream, bytes)))
    }

    /// What a Python kernel says of its block before the end of it; `None` for anything else.
    pub(super) fn of_kernel(said: KernelMessage) -> Option<Self> {
        Some(match said {
            KernelMessage::Image { name, mime, bytes } => Self::Image(name, mime, bytes),
            KernelMessage::PartEnded(part) => Self::PartEnded(part),
            KernelMessage::Variables(variables) => RunEvent::Variables(variables).into(),
            KernelMessage::Functions(functions) => RunEvent::Functions(functions).into(),
            _ => return None,
        })
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

/// What one kind of executor does in its own way. The caller makes sure that there is only one run at a time.
pub(super) trait Backend {
    /// The terms under which a block would run, in a new kernel if one is wanted: then the current kernel ends when the
    /// run begins.
    async fn terms(
        &mut self,
        language: &Language,
        limits: Limits,
        new_kernel: bool,
    ) -> Result<Terms, ExecutorError>;
    /// The terms under which a run with these approved terms would run now.
    async fn terms_again(&mut self, approved: &Terms, _source: &str) -> Result<Terms, ExecutorError> {
        in_that_kernel(self, approved).await
    }
    /// The same terms with a terminal for the run. Fails if the backend has no terminals.
    fn with_terminal(&self, _terms: Terms) -> Result<Terms, ExecutorError> {
        Err(ExecutorError::NoTerminal)
    }
    /// Types into the terminal of the run.
    fn type_in(&mut self, _bytes: &[u8]) {}
    /// Sets the size of the run's terminal.
    fn resize(&mut self, _rows: u16, _columns: u16) {}
    /// Sets what the time limit of a run with a terminal counts, and starts the count anew.
    fn set_counted_time(&mut self, _what: CountedTime) {}
    /// What a run under these terms reaches.
    async fn reach(&mut self, terms: &Terms) -> Reach;
    /// What is enforced on runs.
    async fn sandbox(&mut self) -> Result<SandboxReport, ExecutorError>;
    /// Who ends runs at their time limit.
    fn watch(&self) -> LimitEnforcer;
    /// Begins a run under its terms, or refuses if they no longer hold. From now on [`Backend::next_event`] returns its
    /// events, up to [`BackendEvent::Ended`].
    async fn begin(&mut self, job: BackendRun);
    /// Waits for the next event of the run. Safe to cancel.
    async fn next_event(&mut self) -> BackendEvent;
    /// Interrupts the run; a kernel keeps its state.
    fn interrupt(&mut self);
    /// Answers the run that waits after this part of its source: whether it continues.
    fn after_part(&mut self, _part: u32, _goes_on: bool) {}
    /// Whether anything arrived from the run since it was interrupted, so that the interrupt need not be repeated.
    fn has_answered(&self) -> bool {
        false
    }
    /// Kills the run. Its end still arrives through [`Backend::next_event`].
    fn kill(&mut self);
    /// Stops waiting for the run. Returns its end, or `None` if the end arrives next through [`Backend::next_event`].
    fn give_up(&mut self) -> Option<RunEnd> {
        Some(RunEnd::of(EndCause::Died("what carried it out does not end, or is out of reach".into())))
    }
    /// Prepares for a language.
    async fn warm(&mut self, language: &Language);
    /// Whether it may prepare for a language while a run is going on.
    fn warms_beside_runs(&self) -> bool {
        false
    }
    /// Ends the kernel. Called only while nothing runs.
    async fn restart(&mut self);
    /// What has to be fetched before blocks of this language can run.
    async fn missing_image(&mut self, _language: &Language) -> Option<MissingPart> {
        None
    }
    /// Whether files of the person's functions can be loaded here.
    fn loads_functions(&self) -> bool {
        true
    }
    /// The terms under which packages for this language would be installed: by this program if one of this machine is
    /// used, and into which place.
    async fn install_terms(
        &mut self,
        language: &Language,
        by: (Option<Interpreter>, InstallInto),
        limits: Limits,
    ) -> Result<Terms, ExecutorError>;
    /// Replies, now or later, which packages a Python source lacks. Drops `reply` if that can't be found out.
    fn missing_packages(
        &mut self,
        _source: &str,
        _packages: &[String],
        _reply: oneshot::Sender<Vec<String>>,
    ) {
    }
    /// The terms under which an image would be pulled for this language.
    async fn pull_terms(&mut self, _language: &Language, _limits: Limits) -> Result<Terms, ExecutorError> {
        Err(ExecutorError::NoEngine)
    }
    /// Returns the future that fetches it. The future does not borrow the backend.
    async fn fetch(&mut self, missing: MissingPart, _progress: mpsc::Sender<String>) -> Fetch {
        Box::pin(std::future::ready(Err(ExecutorError::NotFetched(missing.name))))
    }
    async fn interpreters(&mut self) -> Vec<Interpreter>;
    /// Ends everything that was started.
    async fn close(&mut self);
}

/// Waits for this, or for ever if there is nothing to wait for.
pub(super) async fn or_never<T>(work: Option<impl Future<Output = T>>) -> T {
    match work {
        Some(work) => work.await,
        None => std::future::pending().await,
    }
}

/// Whether the approved terms are for the kernel after the current one, whose generation is `there`.
pub(super) fn wants_next_kernel(there: Option<u32>, approved: &Terms) -> bool {
    let next = there.and_then(|generation| generation.checked_add(1));
    next.is_some() && next == approved.kernel.map(|kernel| kernel.generation)
}

/// The terms under which a block would run now in the approved kernel: the current one or the next.
pub(super) async fn in_that_kernel<B: Backend + ?Sized>(
    backend: &mut B,
    approved: &Terms,
) -> Result<Terms, ExecutorError> {
    let now = backend.terms(&approved.language, approved.limits, false).await?;
    if wants_next_kernel(now.kernel.map(|kernel| kernel.generation), approved) {
        return backend.terms(&approved.language, approved.limits, true).await;
    }
    Ok(now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Reachability, ReachablePath};
    use crate::test_folder::TestFolder;

    #[test]
    fn a_run_names_no_folder_that_is_closed_to_it() {
        let folder = TestFolder::new();
        for name in ["work/sub", "secret"] {
            std::fs::create_dir_all(folder.at(name)).unwrap();
        }
        std::os::unix::fs::symlink(folder.at("secret"), folder.at("work/away")).unwrap();
        for own_tree in [false, true] {
            let reach = Reach {
                places: vec![ReachablePath::to_write(folder.at("work"))],
                read: Reachability::No,
                own_tree,
                ..Reach::default()
            };
            let may = |name: &str| may_start_in(&reach, &folder.at(name));
            let all = ["work", "work/sub", "work/away", "work/../secret", "secret"].map(may);
            assert_eq!(all, [true, true, false, false, false], "{own_tree}");
            assert!(!may_start_in(&reach, Path::new("work")));
        }
        assert!(may_start_in(&Reach::open(), &folder.at("secret")));
    }
}

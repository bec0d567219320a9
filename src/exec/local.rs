//! Runs blocks on this machine: in the kernel, or as a program for each block of another language, each under its
//! helper.
//!
//! All children are started on the thread of the loop, because the parent-death signal of the system is tied to the
//! thread that started a child. Pure parts are elsewhere: `plan`, the wires, `environment`, `shell_state`.

mod ask;
mod backend;
mod end;
mod install;
mod kernel_limits;
mod kernel_start;
mod messages;
mod program_start;
mod terms;

use super::Setup;
use super::backend::{BackendEvent, BackendRun};
use super::environment::{self, Environment};
use super::helper_wire::{HelperOrder, PauseState};
use super::interpreters::Finder;
use super::kernel::Kernel;
use super::kernel_wire::{FrameToken, RunSummary};
use super::process::Process;
use super::project_tools::ProjectTools;
use super::sandbox::refusals::ClosedPlaces;
use super::sandbox::{Sandbox, SandboxError, Scratch};
use super::shell_state::ShellState;
use super::watch::WatchedDescriptor;
use crate::domain::{BlockId, Chunk, Limits, RunEvent, Stream};
use crate::exec::KernelNotice;
use crate::launch::PrivateFolder;
use ask::PackageQuestion;
use std::collections::VecDeque;
use std::fs::File;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc;

/// The backend for this machine.
pub(super) struct Local {
    setup: Arc<Setup>,
    finder: Arc<Finder>,
    notices: mpsc::Sender<KernelNotice>,
    environment: Environment,
    kernel: Option<Kernel>,
    /// The limits for the next kernel, high enough for every run that was approved.
    kernel_limits: Limits,
    generation: u32,
    shell: ShellState,
    run: Option<LocalRun>,
    asking: PackageQuestion,
    /// How many kernels in a row ended before they were ready.
    never_ready: u32,
    /// The project's programs; searched when first needed.
    tools: Option<ProjectTools>,
    /// Where programs are built if no sandbox provides a folder.
    built: Option<PrivateFolder>,
    /// Locks the folder of packages, once it exists.
    held: Option<File>,
    /// The private folders of the next installation.
    to_install: Option<Scratch>,
    /// Prepared when first needed.
    sandbox: Option<Result<Sandbox, SandboxError>>,
    /// Events that `next_event` returns next.
    queue: VecDeque<BackendEvent>,
    /// The program of the last run, which may take a while to end; its report is sent first.
    leaving: Option<RunHost>,
}

/// The process in which a run takes place.
enum RunHost {
    /// The kernel, which outlives it.
    Kernel,
    /// A program of its own. A shell, or another program that reports something at its end, also has a file for that.
    Program(Box<Process>, Option<File>),
}

struct LocalRun {
    host: RunHost,
    block: BlockId,
    /// Its language, for the state of shells.
    language: String,
    /// The token of its messages on the kernel's control socket.
    token: FrameToken,
    /// What the kernel reported at the end of the block.
    done: Option<RunSummary>,
    over: Option<Instant>,
    /// Why the control socket failed, if it did before the kernel ended.
    broken: Option<String>,
    /// Its memory limit; 0 for none.
    memory_bytes: u64,
    /// The limit that it exceeded.
    limit: Option<String>,
    /// Whether its helper ended it at its time limit.
    out_of_time: bool,
    /// The paths that the sandbox blocks for it.
    closed: Option<ClosedPlaces>,
    /// The state of the kernel after it.
    pause: Option<PauseState>,
}

/// A descriptor to wait on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SourceFile {
    Pipe(Stream),
    Control,
    KernelHelper,
    ProgramHelper,
    Asked,
    AskedHelper,
}

impl LocalRun {
    fn new(host: RunHost, job: &BackendRun, closed: Option<ClosedPlaces>) -> Self {
        Self {
            host,
            block: job.block,
            language: job.terms.language.as_str().to_owned(),
            token: job.token,
            done: None,
            over: None,
            broken: None,
            memory_bytes: job.terms.limits.memory_bytes,
            limit: None,
            out_of_time: false,
            closed,
            pause: None,
        }
    }

    fn is_in_kernel(&self) -> bool {
        matches!(self.host, RunHost::Kernel)
    }
}

impl Local {
    /// A backend that has not started anything yet.
    pub(super) fn new(setup: Arc<Setup>, finder: Arc<Finder>, notices: mpsc::Sender<KernelNotice>) -> Self {
        let environment = environment::allowed(std::env::vars_os(), &setup.environment);
        let shell = ShellState::new(setup.cwd.clone());
        let kernel_limits = setup.limits;
        Self {
            setup,
            finder,
            notices,
            environment,
            kernel: None,
            kernel_limits,
            generation: 0,
            shell,
            run: None,
            asking: PackageQuestion::default(),
            never_ready: 0,
            tools: None,
            built: None,
            held: None,
            to_install: None,
            sandbox: None,
            queue: VecDeque::new(),
            leaving: None,
        }
    }

    /// All descriptors to wait on.
    fn sources(&self) -> Vec<WatchedDescriptor<'_, SourceFile>> {
        let mut sources = Vec::new();
        let mut watch = |what, fd, writes| sources.push(WatchedDescriptor { what, fd, writes });
        let kernels = [
            (&self.kernel, SourceFile::Control, SourceFile::KernelHelper),
            (&self.asking.python, SourceFile::Asked, SourceFile::AskedHelper),
        ];
        for (kernel, control, helper) in kernels {
            if let Some(kernel) = kernel {
                watch(control, kernel.control(), kernel.has_unsent());
                if let Some(socket) = kernel.process.link.socket() {
                    watch(helper, socket, false);
                }
            }
        }
        if let Some(process) = self.process() {
            for (stream, fd) in process.pipes.open() {
                watch(SourceFile::Pipe(stream), fd, process.pipes.has_unsent_keys());
            }
            if let Some(socket) = process.link.socket().filter(|_| !self.runs_in_kernel()) {
                watch(SourceFile::ProgramHelper, socket, false);
            }
        }
        sources
    }

    /// Handles what is available on one descriptor.
    fn on_ready(&mut self, source: SourceFile) {
        match source {
            SourceFile::Pipe(stream) => {
                let chunk = self.process_mut().and_then(|process| {
                    process.pipes.type_in(&[]);
                    process.pipes.take(stream)
                });
                self.print(chunk);
            }
            SourceFile::Control => self.on_kernel_messages(),
            SourceFile::KernelHelper => self.on_kernel_helper(),
            SourceFile::ProgramHelper => self.on_program_helper(),
            SourceFile::Asked => self.on_asked_message(),
            SourceFile::AskedHelper => self.on_asked_helper(),
        }
    }

    fn runs_in_kernel(&self) -> bool {
        self.run.as_ref().is_some_and(LocalRun::is_in_kernel)
    }

    /// The process of the current run.
    fn process(&self) -> Option<&Process> {
        match &self.run.as_ref()?.host {
            RunHost::Program(process, _) => Some(process),
            RunHost::Kernel => self.kernel.as_ref().map(|kernel| &kernel.process),
        }
    }

    fn process_mut(&mut self) -> Option<&mut Process> {
        match &mut self.run.as_mut()?.host {
            RunHost::Program(process, _) => Some(process),
            RunHost::Kernel => self.kernel.as_mut().map(|kernel| &mut kernel.process),
        }
    }

    /// Sends an order to the helper of the current run.
    fn order(&self, order: &HelperOrder) {
        if let Some(process) = self.process() {
            process.link.order(order);
        }
    }

    /// Passes on output of the current run.
    fn print(&mut self, chunks: impl IntoIterator<Item = Chunk>) {
        for chunk in chunks {
            let shown = match self.process_mut() {
                Some(process) => process.names.pass(chunk),
                None => vec![chunk],
            };
            for chunk in shown {
                self.show(chunk);
            }
        }
    }

    /// Passes on output in which paths are already replaced by labels: to the screen of its terminal if it has one, and
    /// to the kept output.
    fn show(&mut self, mut chunk: Chunk) {
        if let Some(process) = self.process_mut()
            && let Some(screen) = &mut process.screen
        {
            chunk.bytes = screen.take_in(&chunk.bytes);
            process.pipes.type_in(&screen.answers());
            let now = RunEvent::Screen(Box::new(screen.screen()));
            self.queue.push_back(now.into());
        }
        if !chunk.bytes.is_empty() {
            self.queue.push_back(RunEvent::Output(chunk).into());
        }
    }
}

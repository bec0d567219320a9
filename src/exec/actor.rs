//! The one long-lived thread of the executor: it starts every helper, owns the kernel, and follows the run that goes on.
//!
//! It sleeps in one `poll` over all it has to hear: orders, the kernel, the program, their output. Children are started
//! here and nowhere else, because the system's parent-death signal looks at the thread that started a child.

mod begin;
mod end;
mod hear;
mod install;
mod room;

pub use begin::differs;

use super::Setup;
use super::environment::{self, Environment};
use super::helper_wire::Order;
use super::interpreters::Finder;
use super::kernel::Kernel;
use super::kernel_wire::Token;
use super::packages;
use super::process::Process;
use super::run::{Carrier, End, Run};
use super::sandbox::Sandbox;
use super::shell_state::ShellState;
use crate::domain::{
    InstallInto, Interpreter, Language, Limits, Reach, RunEvent, RunId, RunRequest, SandboxReport, Stream,
    Terms,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{PipeReader, Read as _};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Instant;
use tokio::sync::{mpsc, oneshot};

/// An order to the thread.
pub enum Command {
    /// Tell the terms of an installation.
    InstallTerms(
        Box<(Language, Interpreter, InstallInto)>,
        Option<Limits>,
        oneshot::Sender<Result<Terms, String>>,
    ),
    /// Tell which packages a text of Python lacks.
    Lacking(String, Vec<String>, oneshot::Sender<Vec<String>>),
    /// Tell the terms of a block.
    Terms(Box<(Language, Interpreter)>, Option<Limits>, oneshot::Sender<Result<Terms, String>>),
    /// Tell what the sandbox holds.
    Sandbox(oneshot::Sender<Result<SandboxReport, String>>),
    /// Tell what a run under these terms reaches.
    Reach(Box<Terms>, oneshot::Sender<Reach>),
    /// Carry out a run.
    Start(Box<RunRequest>, mpsc::Sender<(RunId, RunEvent)>),
    /// SIGINT to the group of the run.
    Interrupt(RunId),
    /// End the run by force.
    Kill(RunId),
    /// Get ready for this language.
    Warm(Language),
    /// End the kernel.
    RestartKernel,
    /// End everything.
    Close,
}

/// The thread's own state.
pub struct Actor {
    setup: Arc<Setup>,
    finder: Arc<Finder>,
    commands: Receiver<Command>,
    bell: PipeReader,
    deaths: mpsc::Sender<String>,
    environment: Environment,
    kernel: Option<Kernel>,
    /// What the next kernel is started with: room for the widest run that was approved.
    kernel_limits: Limits,
    generation: u32,
    shell: ShellState,
    run: Option<Run>,
    /// A question to the kernel about packages that is not answered yet.
    asked: Option<(Token, oneshot::Sender<Vec<String>>)>,
    /// Kernels in a row that ended before they were ready.
    never_ready: u32,
    /// Prepared at the first need.
    sandbox: Option<Result<Sandbox, String>>,
}

/// Something that can be waited on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Bell,
    Pipe(Stream),
    Control,
    KernelHelper,
    ProgramHelper,
}

impl Actor {
    /// A thread's state before it has done anything.
    pub fn new(
        setup: Arc<Setup>,
        finder: Arc<Finder>,
        commands: Receiver<Command>,
        bell: PipeReader,
        deaths: mpsc::Sender<String>,
    ) -> Self {
        let environment = environment::allowed(std::env::vars_os(), &setup.environment);
        let shell = ShellState::new(setup.cwd.clone());
        let kernel_limits = setup.limits;
        Self {
            setup,
            finder,
            commands,
            bell,
            deaths,
            environment,
            kernel: None,
            kernel_limits,
            generation: 0,
            shell,
            run: None,
            asked: None,
            never_ready: 0,
            sandbox: None,
        }
    }

    /// Serves until it is closed, or nobody can give orders any more.
    pub fn serve(mut self) {
        while self.turn() {}
        self.end_everything();
    }

    /// Waits and does what there is to do; false when it is over.
    fn turn(&mut self) -> bool {
        for source in self.wait() {
            match source {
                Source::Bell => {
                    if !self.obey_all() {
                        return false;
                    }
                }
                Source::Pipe(stream) => self.read(stream),
                Source::Control => self.kernel_said(),
                Source::KernelHelper => self.kernel_told(),
                Source::ProgramHelper => self.program_told(),
            }
        }
        self.on_time();
        true
    }

    fn wait(&self) -> Vec<Source> {
        let mut sources = vec![(Source::Bell, PollFd::new(&self.bell, PollFlags::IN))];
        if let Some(kernel) = &self.kernel {
            let flags = if kernel.has_unsent() { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
            sources.push((Source::Control, PollFd::from_borrowed_fd(kernel.control(), flags)));
            if let Some(socket) = kernel.process.link.socket() {
                sources.push((Source::KernelHelper, PollFd::from_borrowed_fd(socket, PollFlags::IN)));
            }
        }
        if let Some(run) = &self.run {
            let process = match (&run.carrier, &self.kernel) {
                (Carrier::Program(process, _), _) => Some(&**process),
                (Carrier::Kernel, Some(kernel)) => Some(&kernel.process),
                (Carrier::Kernel, None) => None,
            };
            if let Some(Process { link, pipes, .. }) = process {
                let ends = [(Stream::Stdout, &pipes.stdout), (Stream::Stderr, &pipes.stderr)];
                for (stream, fd) in ends {
                    if let Some(fd) = fd {
                        sources.push((Source::Pipe(stream), PollFd::new(fd, PollFlags::IN)));
                    }
                }
                if let (Carrier::Program(..), Some(socket)) = (&run.carrier, link.socket()) {
                    sources.push((Source::ProgramHelper, PollFd::from_borrowed_fd(socket, PollFlags::IN)));
                }
            }
        }
        let timeout = self.run.as_ref().map(|run| {
            let due = run.outbox.due().map_or(run.give_up, |at| at.min(run.give_up));
            let rest = due.saturating_duration_since(Instant::now());
            Timespec { tv_sec: rest.as_secs() as i64, tv_nsec: i64::from(rest.subsec_nanos()) }
        });
        let (sources, mut fds): (Vec<Source>, Vec<PollFd<'_>>) = sources.into_iter().unzip();
        if poll(&mut fds, timeout.as_ref()).is_err() {
            return Vec::new();
        }
        let ready = |fd: &PollFd<'_>| !fd.revents().is_empty();
        sources.into_iter().zip(&fds).filter(|(_, fd)| ready(fd)).map(|(source, _)| source).collect()
    }

    fn on_time(&mut self) {
        let now = Instant::now();
        let Some(run) = &mut self.run else { return };
        run.outbox.pass_on(now);
        if now >= run.give_up {
            // A process that hangs in the system can't be ended; the run can.
            run.pressed.out_of_time |= !run.pressed.killed;
            self.finish(End::Lost("its process does not end".into()));
        }
    }

    fn obey_all(&mut self) -> bool {
        let mut rings = [0u8; 64];
        // Each order rings once; a read takes several rings, and all orders are taken then.
        let _ = self.bell.read(&mut rings);
        loop {
            match self.commands.try_recv() {
                Ok(Command::Close) | Err(TryRecvError::Disconnected) => return false,
                Ok(command) => self.obey(command),
                Err(TryRecvError::Empty) => return true,
            }
        }
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Terms(what, limits, reply) => {
                let (language, interpreter) = *what;
                let limits = limits.unwrap_or(self.setup.limits);
                let _ = reply.send(self.terms(&language, &interpreter, limits));
            }
            Command::InstallTerms(what, limits, reply) => {
                let (language, installer, into) = *what;
                let limits = limits.unwrap_or(Limits { wall_ms: packages::WALL_MS, ..self.setup.limits });
                let _ = reply.send(self.install_terms(&language, (&installer, into), limits));
            }
            Command::Lacking(source, packages, reply) => self.ask_kernel(&source, &packages, reply),
            Command::Sandbox(reply) => {
                let report = self.sandbox().map(|sandbox| sandbox.report().clone());
                let _ = reply.send(report);
            }
            Command::Reach(terms, reply) => {
                let _ = reply.send(self.reach(&terms).unwrap_or_default());
            }
            Command::Start(request, out) => self.start(&request, out),
            Command::Interrupt(id) => {
                if let Some(run) = self.run.as_mut().filter(|run| run.id == id) {
                    run.pressed.interrupted = true;
                    self.order(&Order::Interrupt);
                }
            }
            Command::Kill(id) => {
                if let Some(run) = self.run.as_mut().filter(|run| run.id == id) {
                    run.pressed_kill();
                    self.order(&Order::Kill);
                }
            }
            Command::Warm(language) => self.warm(&language),
            Command::RestartKernel => {
                if !self.run.as_ref().is_some_and(|run| matches!(run.carrier, Carrier::Kernel)) {
                    self.end_kernel();
                    self.kernel_limits = self.setup.limits;
                }
            }
            Command::Close => {}
        }
    }

    /// An order to the helper of the run that goes on.
    fn order(&self, order: &Order) {
        match (self.run.as_ref().map(|run| &run.carrier), &self.kernel) {
            (Some(Carrier::Program(process, _)), _) => process.link.order(order),
            (Some(Carrier::Kernel), Some(kernel)) => kernel.process.link.order(order),
            _ => {}
        }
    }

    fn read(&mut self, stream: Stream) {
        let Some(run) = &mut self.run else { return };
        let pipes = match (&mut run.carrier, &mut self.kernel) {
            (Carrier::Program(process, _), _) => &mut process.pipes,
            (Carrier::Kernel, Some(kernel)) => &mut kernel.process.pipes,
            (Carrier::Kernel, None) => return,
        };
        run.capture.read(pipes, stream, &mut run.outbox);
    }
}

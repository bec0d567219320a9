//! The one long-lived thread of the executor: it starts every helper, owns the kernel, and follows the run that goes on.
//!
//! It sleeps in one `poll` over all it has to hear: orders, the kernel, the program, their output. Children are started
//! here and nowhere else, because the system's parent-death signal looks at the thread that started a child.

use super::environment;
use super::error::ExecError;
use super::helper_wire::{Order, Told};
use super::interpreters::Finder;
use super::kernel::Kernel;
use super::kernel_wire::{Said, Token};
use super::outbox::Outbox;
use super::plan::{self, Given};
use super::process::{self, Process};
use super::receipt::{Ending, cause_of_death};
use super::run::{Carrier, End, Run, nothing};
use super::shell_state::ShellState;
use super::{Setup, blob};
use crate::domain::{
    ExecutorKind, Interpreter, KernelFate, KernelRef, Language, Limits, Outcome, Rights, RunEvent, RunId,
    RunRequest, SandboxReport, Stream, Terms,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::ffi::OsString;
use std::io::{PipeReader, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// How long a kernel may take to leave in good order.
const FAREWELL: Duration = Duration::from_millis(1000);
/// The most that a shell may write about its state.
const STATE_LIMIT: usize = 4 << 20;

/// An order to the thread.
pub enum Command {
    /// Tell the terms of a block.
    Terms(Language, Interpreter, Option<Limits>, oneshot::Sender<Terms>),
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
    environment: Vec<(OsString, OsString)>,
    kernel: Option<Kernel>,
    generation: u32,
    shell: ShellState,
    run: Option<Run>,
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
        Self {
            setup,
            finder,
            commands,
            bell,
            deaths,
            environment,
            kernel: None,
            generation: 0,
            shell,
            run: None,
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
            if let Some(Process { link, pipes }) = process {
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

    // --- orders ---

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
            Command::Terms(language, interpreter, limits, reply) => {
                let limits = limits.unwrap_or(self.setup.limits);
                let _ = reply.send(self.terms(&language, &interpreter, limits));
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

    fn terms(&self, language: &Language, interpreter: &Interpreter, limits: Limits) -> Terms {
        let persistent = self.is_kernel(language);
        let next = KernelRef { generation: self.generation + 1, variables: 0 };
        let (executor, kernel, cwd) = if persistent {
            let kernel = self.kernel.as_ref().map_or(next, |kernel| kernel.state);
            let cwd = self.kernel.as_ref().map_or(&self.setup.cwd, |kernel| &kernel.cwd);
            (ExecutorKind::Kernel, Some(kernel), cwd)
        } else if language.as_str() == "bash" {
            (ExecutorKind::Subprocess, None, &self.shell.cwd)
        } else {
            (ExecutorKind::Subprocess, None, &self.setup.cwd)
        };
        Terms {
            language: language.clone(),
            executor,
            interpreter: self
                .kernel
                .as_ref()
                .filter(|_| persistent)
                .map_or_else(|| interpreter.path.clone(), |kernel| kernel.interpreter.clone()),
            version: interpreter.version.clone(),
            kernel,
            cwd: cwd.clone(),
            rights: Rights {
                read: Vec::new(),
                write: Vec::new(),
                network: true,
                environment: self.environment.iter().map(|(n, _)| n.to_string_lossy().into_owned()).collect(),
                sandbox: SandboxReport::default(),
            },
            limits,
        }
    }

    fn is_kernel(&self, language: &Language) -> bool {
        language.as_str() == "python"
            && self.finder.languages().0.iter().any(|entry| entry.name == *language && entry.persistent)
    }

    fn warm(&mut self, language: &Language) {
        let Ok(interpreter) = self.finder.find(language) else { return };
        let may = self.finder.may_start(&interpreter.path);
        if self.is_kernel(language) && self.kernel.is_none() && may {
            let _ = self.start_kernel(&interpreter);
        }
    }

    fn start_kernel(&mut self, interpreter: &Interpreter) -> Result<(), ExecError> {
        let mut env = self.environment.clone();
        if let Some(folder) = self.folder_for_matplotlib() {
            plan::set(&mut env, "MPLCONFIGDIR", folder);
        }
        let (helper, cwd) = (&self.setup.helper, &self.setup.cwd);
        let kernel = Kernel::start(helper, &interpreter.path, cwd, env, self.generation + 1)?;
        self.generation += 1;
        self.kernel = Some(kernel);
        Ok(())
    }

    /// matplotlib keeps a cache under the home folder; where that can't be written, it gets a place beside the session.
    fn folder_for_matplotlib(&self) -> Option<PathBuf> {
        let home = self.environment.iter().find(|(name, _)| name == "HOME").map(|(_, value)| value);
        let writable =
            home.is_some_and(|home| rustix::fs::access(home, rustix::fs::Access::WRITE_OK).is_ok());
        (!writable).then(|| self.setup.blobs.join("matplotlib"))
    }

    // --- a run ---

    fn start(&mut self, request: &RunRequest, out: mpsc::Sender<(RunId, RunEvent)>) {
        let approval = request.approval();
        let outbox = Outbox::new(approval.run(), out);
        let limits = approval.terms().limits;
        if let Err(outcome) = self.check(request) {
            return outbox.finish(nothing(outcome, limits));
        }
        let token: Token = match blob::random() {
            Ok(token) => token,
            Err(error) => return outbox.finish(nothing(Outcome::NotStarted(error.to_string()), limits)),
        };
        let label = format!("block {}", approval.block());
        let begun = if approval.terms().executor == ExecutorKind::Kernel {
            self.begin_in_kernel(request, &label, token)
        } else {
            self.begin_program(request, &label)
        };
        match begun {
            Ok(carrier) => {
                let mut run = Run::new(request, carrier, token, outbox, &self.setup.blobs);
                if matches!(run.carrier, Carrier::Kernel) && self.kernel.as_ref().is_some_and(|k| k.ready) {
                    run.tell_started();
                }
                self.run = Some(run);
            }
            Err(error) => outbox.finish(nothing(Outcome::NotStarted(error.to_string()), limits)),
        }
    }

    /// Whether the run may start: nothing else runs, and all holds that was approved.
    fn check(&self, request: &RunRequest) -> Result<(), Outcome> {
        let approved = request.approval().terms();
        if self.run.is_some() {
            return Err(Outcome::Refused("another run goes on: wait for its end".into()));
        }
        let interpreter = self.finder.find(&approved.language).map_err(Outcome::NotStarted)?;
        let now = self.terms(&approved.language, &interpreter, approved.limits);
        if let Some(why) = differs(&now, approved) {
            return Err(Outcome::Refused(format!(
                "{why} since it was approved: look again and decide again"
            )));
        }
        plan::refuses(approved.language.as_str(), request.source())
            .map_or(Ok(()), |why| Err(Outcome::Refused(why)))
    }

    fn begin_in_kernel(
        &mut self,
        request: &RunRequest,
        label: &str,
        token: Token,
    ) -> Result<Carrier, ExecError> {
        let terms = request.approval().terms();
        if self.kernel.is_none() {
            let path = terms.interpreter.clone();
            self.start_kernel(&Interpreter { language: terms.language.clone(), path, version: None })?;
        }
        let kernel = self.kernel.as_mut().ok_or(ExecError::Ended)?;
        kernel.process.link.order(&Order::Begin { wall_ms: terms.limits.wall_ms });
        kernel.run(&token, label, request.source().as_bytes());
        Ok(Carrier::Kernel)
    }

    fn begin_program(&mut self, request: &RunRequest, label: &str) -> Result<Carrier, ExecError> {
        let terms = request.approval().terms();
        let language = terms.language.as_str();
        let env = match (&self.shell.env, language) {
            (Some(env), "bash") => env.clone(),
            _ => self.environment.clone(),
        };
        let mut state = None;
        let invocation = plan::subprocess(language, &terms.interpreter, label, &terms.cwd, env);
        let process = process::start(&self.setup.helper, invocation, |given| match given {
            Given::State => {
                let file = process::empty()?;
                let copy = file.try_clone()?;
                state = Some(file);
                Ok(OwnedFd::from(copy))
            }
            _ => process::sealed(request.source().as_bytes()),
        })?;
        process.link.order(&Order::Begin { wall_ms: terms.limits.wall_ms });
        Ok(Carrier::Program(Box::new(process), state))
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

    // --- what is heard ---

    fn kernel_said(&mut self) {
        let Some(kernel) = &mut self.kernel else { return };
        kernel.send();
        match kernel.receive() {
            Ok(said) => said.into_iter().for_each(|(token, said)| self.on_said(token, said)),
            Err(error) => {
                // Its helper tells how it ended. If it lives on without this socket, it is of no use.
                let why = match error {
                    ExecError::Ended => "the kernel's control channel was closed".to_string(),
                    other => other.to_string(),
                };
                if let Some(run) = self.run.as_mut().filter(|run| matches!(run.carrier, Carrier::Kernel)) {
                    run.broken.get_or_insert(why);
                }
                self.kernel_is_cut_off();
            }
        }
    }

    /// The control socket is of no use any more. Mostly the process has died, and its helper is about to tell how; one
    /// that lives on is made to end.
    fn kernel_is_cut_off(&mut self) {
        if self.helper_speaks_within(Duration::from_millis(100)) {
            // It died: that is the cause, not the socket.
            if let Some(run) = &mut self.run {
                run.broken = None;
            }
        } else if let Some(kernel) = &self.kernel {
            kernel.process.link.order(&Order::Kill);
            self.helper_speaks_within(Duration::from_secs(2));
        }
        self.kernel_told();
    }

    /// Waits for the kernel's helper.
    fn helper_speaks_within(&self, patience: Duration) -> bool {
        let Some(socket) = self.kernel.as_ref().and_then(|kernel| kernel.process.link.socket()) else {
            return true;
        };
        let timeout =
            Timespec { tv_sec: patience.as_secs() as i64, tv_nsec: i64::from(patience.subsec_nanos()) };
        poll(&mut [PollFd::from_borrowed_fd(socket, PollFlags::IN)], Some(&timeout))
            .is_ok_and(|count| count > 0)
    }

    fn on_said(&mut self, token: Token, said: Said) {
        if let Said::Hello { version } = said {
            if let Some(kernel) = &mut self.kernel {
                kernel.ready = true;
            }
            self.finder.learn(&Language::python(), version);
            if let Some(run) = self.run.as_mut().filter(|run| matches!(run.carrier, Carrier::Kernel)) {
                run.tell_started();
            }
            return;
        }
        // What carries another mark comes from an earlier run, or from somebody else.
        let Some(run) = self.run.as_mut().filter(|run| run.token == token && !run.is_done()) else { return };
        match said {
            Said::Image { name, png } => {
                if let Some(kernel) = &mut self.kernel {
                    run.capture.drain(&mut kernel.process.pipes, &mut run.outbox);
                }
                run.keep_image(name, &png);
            }
            Said::Variables(variables) => run.outbox.tell(RunEvent::Variables(variables)),
            Said::Done(done) => {
                if let Some(kernel) = &mut self.kernel {
                    kernel.state.variables = done.variables;
                    kernel.cwd = done.cwd.clone().unwrap_or_else(|| kernel.cwd.clone());
                }
                run.set_done(*done);
                self.order(&Order::End);
            }
            Said::Hello { .. } => {}
        }
    }

    fn kernel_told(&mut self) {
        let Some(kernel) = &mut self.kernel else { return };
        match kernel.process.link.receive() {
            Ok(told) => told.into_iter().for_each(|told| self.on_told(told, true)),
            Err(error) => self.kernel_ended(End::Lost(error.to_string()), error.to_string()),
        }
    }

    fn program_told(&mut self) {
        let Some(Run { carrier: Carrier::Program(process, _), .. }) = &mut self.run else { return };
        match process.link.receive() {
            Ok(told) => told.into_iter().for_each(|told| self.on_told(told, false)),
            Err(error) => self.finish(End::Lost(error.to_string())),
        }
    }

    fn on_told(&mut self, told: Told, by_kernel: bool) {
        let run = self.run.as_mut().filter(|run| matches!(run.carrier, Carrier::Kernel) == by_kernel);
        match (told, run) {
            (Told::Spawned { .. }, Some(run)) if !by_kernel => run.tell_started(),
            (Told::Usage { rss_bytes, cpu_us }, Some(run)) => {
                run.outbox.hint(RunEvent::Usage { rss_bytes, cpu_ms: cpu_us / 1000 });
            }
            (Told::OutOfTime, Some(run)) if !run.is_done() => run.pressed.out_of_time = true,
            (Told::Finished(used), Some(run)) if run.is_done() => self.finish(End::Block(used)),
            (Told::NotSpawned(why), _) if by_kernel => self.kernel_ended(End::NotStarted(why.clone()), why),
            (Told::NotSpawned(why), Some(_)) => self.finish(End::NotStarted(why)),
            (Told::Exited { code, signal, used }, _) => {
                let ending = Ending { code, signal };
                if by_kernel {
                    self.kernel_ended(End::Process(ending, used), cause_of_death(ending));
                } else {
                    self.finish(End::Process(ending, used));
                }
            }
            _ => {}
        }
    }

    // --- ends ---

    /// The kernel's process is gone: under a run, or while nothing ran.
    fn kernel_ended(&mut self, end: End, cause: String) {
        let in_run = self.run.as_ref().is_some_and(|run| matches!(run.carrier, Carrier::Kernel));
        if !in_run {
            self.kernel = None;
            let _ = self.deaths.try_send(cause);
            return;
        }
        let ready = self.kernel.as_ref().is_some_and(|kernel| kernel.ready);
        let end = match end {
            End::Process(..) if !ready => {
                if let (Some(run), Some(kernel)) = (&mut self.run, &mut self.kernel) {
                    run.capture.drain(&mut kernel.process.pipes, &mut run.outbox);
                }
                let said = self.run.as_ref().and_then(|run| run.capture.last_error_line());
                End::NotStarted(format!("Python could not be started as a kernel: {}", said.unwrap_or(cause)))
            }
            end => end,
        };
        self.finish(end);
    }

    /// Ends the run: the last output, the state that stays, the report.
    fn finish(&mut self, end: End) {
        let Some(mut run) = self.run.take() else { return };
        run.stop_clock();
        match &mut run.carrier {
            Carrier::Kernel => {
                if let Some(kernel) = &mut self.kernel {
                    run.capture.drain(&mut kernel.process.pipes, &mut run.outbox);
                }
                if matches!(end, End::Block(_)) {
                    let (fate, cwd) = match &self.kernel {
                        Some(kernel) => (KernelFate::Kept(kernel.state), Some(kernel.cwd.clone())),
                        None => (KernelFate::None, None),
                    };
                    run.finish(end, fate, cwd);
                } else {
                    let kernel = self.kernel.take();
                    let fate = match (&end, kernel.as_ref()) {
                        (End::NotStarted(_), _) | (_, None) => KernelFate::None,
                        (_, Some(kernel)) => KernelFate::Lost(kernel.state),
                    };
                    drop(kernel);
                    run.finish(end, fate, Some(self.setup.cwd.clone()));
                }
            }
            Carrier::Program(process, state) => {
                run.capture.drain(&mut process.pipes, &mut run.outbox);
                if let Some(written) = state.take().and_then(read_state) {
                    self.shell.update(&written);
                }
                let cwd = if run.language == "bash" { &self.shell.cwd } else { &self.setup.cwd };
                let cwd = Some(cwd.clone());
                if matches!(end, End::Lost(_)) {
                    // The helper may need a while to end what does not want to: the report comes first.
                    let carrier = std::mem::replace(&mut run.carrier, Carrier::Kernel);
                    run.finish(end, KernelFate::None, cwd);
                    drop(carrier);
                } else {
                    run.finish(end, KernelFate::None, cwd);
                }
            }
        }
    }

    /// Asks the kernel to leave, waits a little, then makes it.
    fn end_kernel(&mut self) {
        let Some(mut kernel) = self.kernel.take() else { return };
        kernel.quit();
        let until = Instant::now() + FAREWELL;
        loop {
            let rest = until.saturating_duration_since(Instant::now());
            let Some(socket) = kernel.process.link.socket().filter(|_| !rest.is_zero()) else { return };
            let timeout = Timespec { tv_sec: rest.as_secs() as i64, tv_nsec: i64::from(rest.subsec_nanos()) };
            let _ = poll(&mut [PollFd::from_borrowed_fd(socket, PollFlags::IN)], Some(&timeout));
            match kernel.process.link.receive() {
                Ok(told) if told.iter().any(|t| matches!(t, Told::Exited { .. } | Told::NotSpawned(_))) => {
                    return;
                }
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }

    fn end_everything(&mut self) {
        if let Some(run) = &mut self.run {
            run.pressed_kill();
            self.order(&Order::Kill);
        }
        while self.run.is_some() {
            for source in self.wait() {
                match source {
                    Source::Pipe(stream) => self.read(stream),
                    Source::Control => self.kernel_said(),
                    Source::KernelHelper => self.kernel_told(),
                    Source::ProgramHelper => self.program_told(),
                    Source::Bell => {
                        // Orders that come now find nobody.
                        let _ = self.bell.read(&mut [0u8; 64]);
                    }
                }
            }
            self.on_time();
        }
        self.end_kernel();
        while let Ok(command) = self.commands.try_recv() {
            if let Command::Start(request, out) = command {
                let limits = request.approval().terms().limits;
                let outbox = Outbox::new(request.approval().run(), out);
                outbox.finish(nothing(Outcome::NotStarted("sayso is ending".into()), limits));
            }
        }
    }
}

/// What of the terms is not as it was approved.
fn differs(now: &Terms, approved: &Terms) -> Option<String> {
    if now.same_as(approved) {
        return None;
    }
    let generation = |terms: &Terms| terms.kernel.map_or(0, |k| k.generation);
    Some(if now.interpreter != approved.interpreter || now.executor != approved.executor {
        format!("the interpreter changed to {}", now.interpreter.display())
    } else if generation(now) != generation(approved) {
        format!("the kernel changed (it was k{}, it is k{})", generation(approved), generation(now))
    } else if now.cwd != approved.cwd {
        format!("the folder changed from {} to {}", approved.cwd.display(), now.cwd.display())
    } else {
        "what it may do changed".to_string()
    })
}

/// What a shell wrote about its state, from the start of the file.
fn read_state(file: std::fs::File) -> Option<Vec<u8>> {
    let size = usize::try_from(file.metadata().ok()?.len()).ok()?.min(STATE_LIMIT);
    let mut written = vec![0; size];
    file.read_exact_at(&mut written, 0).ok()?;
    Some(written)
}

//! Runs blocks in containers, on a Docker or Podman engine on this machine or behind `DOCKER_HOST`.
//!
//! Python has one kernel in one container for the whole session; every other language gets a container for each block.
//! All containers are restricted in the same way (`plan`), verify that from inside before they accept code, end when
//! sayso ends, and carry a label. Pure parts: `plan`, `address`, `bridge_wire`. A container never gets the socket of
//! the engine.

mod access;
mod address;
mod backend;
mod bridge_wire;
mod command;
mod discovery;
mod engine;
mod error;
mod grants;
mod kernel;
mod owner;
mod plan;
mod program;
mod pull_progress;
mod running_container;
mod shell;
mod tunnel;

use super::Setup;
use super::backend::{BackendEvent, BackendRun, EndCause, RunEnd, may_start_in};
use super::helper_wire::{PauseState, ResourceUse};
use super::kernel_wire::KernelMessage;
use crate::config::ContainerExecutor;
use crate::domain::sentences::rights;
use crate::domain::{DeadKernel, ExecutorKind, KernelFate, KernelRef, Language, Limits, RunEvent, Terms};
use crate::exec::KernelNotice;
use crate::text::number::memory;
use access::{EngineAccess, LanguageFacts, is_kernel, is_shell};
use bridge_wire::BridgeMessage;
pub(super) use discovery::discover;
use engine::ContainerEngine;
pub(super) use error::ContainerError;
use kernel::{ContainerKernel, KernelEnd, KernelEvent};
use program::{ContainerProgram, ProgramStart};
use shell::ContainerShell;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// How long the engine may take to remove the last containers. What is left then is removed at the next start.
const REMOVAL_TIMEOUT: Duration = Duration::from_secs(10);

/// The containers of one session.
pub(super) struct Containers {
    access: EngineAccess,
    kernel: Option<ContainerKernel>,
    generation: u32,
    containers: u32,
    program: Option<ContainerProgram>,
    /// The state that the last bash block left.
    shell: Option<ContainerShell>,
    /// The block that runs in the kernel.
    job: Option<KernelBlock>,
    /// Events that `next_event` returns next.
    queue: VecDeque<BackendEvent>,
    notices: mpsc::Sender<KernelNotice>,
    removals: Vec<JoinHandle<()>>,
}

struct KernelBlock {
    job: BackendRun,
    started: bool,
    done: Option<super::kernel_wire::RunSummary>,
}

impl Containers {
    /// The containers of one session. Does not contact the engine yet. `image` is for all languages.
    pub(super) fn new(
        setup: Arc<Setup>,
        config: ContainerExecutor,
        image: Option<String>,
        notices: mpsc::Sender<KernelNotice>,
    ) -> Self {
        Self {
            access: EngineAccess::new(setup, config, image),
            kernel: None,
            generation: 0,
            containers: 0,
            program: None,
            shell: None,
            job: None,
            queue: VecDeque::new(),
            notices,
            removals: Vec::new(),
        }
    }

    /// The engine. While a kernel exists, the engine it runs on is returned without a check.
    async fn engine(&mut self) -> Result<Rc<ContainerEngine>, ContainerError> {
        self.access.engine(self.kernel.is_some()).await
    }

    async fn language_facts(
        &mut self,
        language: &Language,
        limits: &Limits,
    ) -> Result<LanguageFacts, ContainerError> {
        self.access.language_facts(language, limits, self.kernel.is_some()).await
    }

    fn name(&mut self, what: &str) -> String {
        self.containers += 1;
        format!("sayso-{}-{what}{}", self.access.session, self.containers)
    }

    fn start_kernel(&mut self, known: &LanguageFacts) {
        let name = self.name("kernel");
        self.generation += 1;
        let image = (known.image.id.as_str(), known.image.display_name());
        self.kernel =
            Some(ContainerKernel::start(known.engine.clone(), &known.frame, image, name, self.generation));
    }

    fn terms_of(
        &self,
        known: &LanguageFacts,
        language: &Language,
        limits: Limits,
        new_kernel: bool,
    ) -> Terms {
        let kernel = self.kernel.as_ref().filter(|_| is_kernel(&known.entry) && !new_kernel);
        let goes_on = !known.frame.able.pauses;
        let next = KernelRef { generation: self.generation + 1, variables: 0, keeps_running: goes_on };
        // A kernel keeps its image, whatever the name of the image means now.
        let image = kernel.map_or_else(|| known.image.display_name(), |kernel| kernel.image.clone());
        let program = if is_kernel(&known.entry) { "python3" } else { known.entry.command.as_str() };
        let shell =
            self.shell.as_ref().filter(|shell| is_shell(&known.entry) && shell.is_of(&known.image.id));
        let start = || shell.map_or_else(|| known.frame.cwd(), ContainerShell::cwd);
        let of_shell = || shell.and_then(|shell| shell.shared(&known.usual()));
        Terms {
            language: language.clone(),
            executor: ExecutorKind::Container,
            interpreter: PathBuf::from(format!("{image}:{program}")),
            version: None,
            kernel: is_kernel(&known.entry).then(|| kernel.map_or(next, |kernel| kernel.state)),
            shared: kernel.map_or_else(of_shell, |kernel| kernel.shared.if_any()),
            target: None,
            cwd: kernel.map_or_else(start, |kernel| kernel.cwd.clone()),
            rights: known.frame.rights().into(),
            limits,
        }
    }

    /// Ends the run in the kernel.
    fn end_in_kernel(&mut self, end: EndCause, used: ResourceUse) {
        if self.job.take().is_none() {
            return;
        }
        let pause = self.kernel.as_ref().and_then(|kernel| kernel.pause);
        let (kernel, cwd) = match &self.kernel {
            Some(kernel) => (KernelFate::Kept(kernel.state), Some(kernel.cwd.clone())),
            None => (KernelFate::None, None),
        };
        self.queue.push_back(RunEnd { used, pause, kernel, cwd, ..RunEnd::of(end) }.into());
    }

    fn on_kernel(&mut self, heard: KernelEvent) {
        match heard {
            KernelEvent::Said(_, KernelMessage::Hello { .. }) => {
                // A later one comes from a block.
                if let Some(kernel) = self.kernel.as_mut().filter(|kernel| !kernel.ready) {
                    kernel.ready = true;
                    self.tell_started();
                }
            }
            KernelEvent::Said(token, said) => {
                // A message with another token comes from an earlier run, or from somebody else.
                let Some(job) = self.job.as_mut().filter(|j| j.job.token == token && j.done.is_none()) else {
                    return;
                };
                match said {
                    KernelMessage::Image { name, mime, bytes } => {
                        self.queue.push_back(BackendEvent::Image(name, mime, bytes));
                    }
                    KernelMessage::PartEnded(part) => {
                        self.queue.push_back(BackendEvent::PartEnded(part));
                    }
                    KernelMessage::Variables(variables) => {
                        self.queue.push_back(RunEvent::Variables(variables).into());
                    }
                    KernelMessage::Done(done) => {
                        if let Some(kernel) = &mut self.kernel {
                            kernel.state.variables = done.variables;
                            kernel.shared.changed.clone_from(&done.found);
                            match &done.cwd {
                                Some(cwd) if may_start_in(&kernel.reach, cwd) => kernel.cwd.clone_from(cwd),
                                Some(_) => kernel.shared.changed.push(rights::IN_CLOSED_FOLDER.into()),
                                None => {}
                            }
                            kernel.end_run();
                        }
                        job.done = Some(*done);
                    }
                    KernelMessage::Functions(functions) => {
                        self.queue.push_back(RunEvent::Functions(functions).into());
                    }
                    KernelMessage::Hello { .. } | KernelMessage::Waiting | KernelMessage::Lacking(_) => {}
                }
            }
            KernelEvent::Told(told) => self.on_bridge_message(told),
            KernelEvent::Resting(still) => {
                if let Some(kernel) = &mut self.kernel {
                    kernel.pause = Some(PauseState { still, threads: 0 });
                    kernel.state.keeps_running |= !still;
                }
            }
            KernelEvent::Gone(gone) => self.on_kernel_end(gone),
        }
    }

    fn on_bridge_message(&mut self, told: BridgeMessage) {
        match told {
            BridgeMessage::Output(stream, bytes) if self.job.is_some() => {
                self.queue.push_back(BackendEvent::printed(stream, bytes));
            }
            BridgeMessage::Usage { rss_bytes, cpu_us } => {
                self.queue.push_back(RunEvent::Usage { rss_bytes, cpu_ms: cpu_us / 1000 }.into());
            }
            BridgeMessage::Finished(used) => {
                if let Some(done) = self.job.as_mut().and_then(|job| job.done.take()) {
                    self.end_in_kernel(EndCause::Block(done), used);
                }
            }
            _ => {}
        }
    }

    fn on_kernel_end(&mut self, gone: KernelEnd) {
        let Some(kernel) = self.kernel.take() else { return };
        let lost = KernelFate::Lost(kernel.state);
        self.track_removal(kernel.close());
        let job = self.job.take();
        let (end, used, fate) = match gone {
            KernelEnd::NotStarted(why) => {
                (EndCause::NotStarted(why), ResourceUse::default(), KernelFate::None)
            }
            KernelEnd::OutOfMemory(used) => (
                EndCause::Limit(format!(
                    "memory, {}",
                    memory(match self.access.setup.limits.memory_bytes {
                        0 => self.access.config.memory,
                        limit => self.access.config.memory.min(limit),
                    })
                )),
                used,
                lost,
            ),
            KernelEnd::Died(why, used) => (EndCause::Died(why), used, lost),
        };
        let end = match (job, end) {
            // The block had already finished; what ended the kernel came after it.
            (Some(KernelBlock { done: Some(done), .. }), _) => EndCause::Block(done),
            (Some(_), end) => end,
            (None, EndCause::Limit(what)) => return self.died(format!("over its limit: {what}")),
            (None, EndCause::Died(why) | EndCause::NotStarted(why)) => return self.died(why),
            (None, _) => return self.died(String::new()),
        };
        self.queue.push_back(RunEnd { used, kernel: fate, ..RunEnd::of(end) }.into());
    }

    fn died(&self, cause: String) {
        let _ = self.notices.try_send(KernelNotice::Died(DeadKernel::of_python(cause)));
    }

    fn tell_started(&mut self) {
        let ready = self.kernel.as_ref().is_some_and(|kernel| kernel.ready);
        if let Some(job) = self.job.as_mut().filter(|job| ready && !job.started) {
            job.started = true;
            self.queue.push_back(RunEvent::Started.into());
        }
    }

    /// Begins a run whose image and command were found when its terms were computed, and still hold.
    fn begin_known(&mut self, known: &LanguageFacts, job: BackendRun) {
        known.engine.count();
        if !is_kernel(&known.entry) {
            let name = self.name("block");
            let shell = is_shell(&known.entry).then(|| self.shell_of(known));
            let start = ProgramStart {
                image: &known.image.id,
                name,
                command: &command::of(&known.entry, &job.label),
                shell: shell.map(|shell| (shell.cwd(), shell.variables(&known.usual()))),
            };
            self.program = Some(ContainerProgram::start(known.engine.clone(), &known.frame, start, &job));
            return;
        }
        let wanted = job.terms.kernel.map(|kernel| kernel.generation);
        if let Some(old) = self.kernel.take_if(|kernel| Some(kernel.state.generation) != wanted) {
            // The person asked for a new kernel.
            self.track_removal(old.close());
        }
        if self.kernel.is_none() {
            self.start_kernel(known);
        }
        if let Some(kernel) = &mut self.kernel {
            kernel.shared.add(job.block);
            match &job.terms.target {
                Some(file) => kernel.load(&job.token, &job.label, job.source.as_bytes(), &file.path),
                None => kernel.run(&job.token, &job.label, job.source.as_bytes()),
            }
        }
        self.job = Some(KernelBlock { job, started: false, done: None });
        self.tell_started();
    }
}

impl Containers {
    /// The shell state of this image. State that was left by another image is dropped.
    fn shell_of(&mut self, known: &LanguageFacts) -> &ContainerShell {
        let image = known.image.id.as_str();
        self.shell = self.shell.take().filter(|shell| shell.is_of(image));
        self.shell.get_or_insert_with(|| ContainerShell::new(image, &known.frame))
    }

    fn track_removal(&mut self, work: JoinHandle<()>) {
        self.removals.retain(|work| !work.is_finished());
        self.removals.push(work);
    }

    fn refuse(&mut self, why: String) {
        self.queue.push_back(RunEnd::of(EndCause::NotStarted(why)).into());
    }
}

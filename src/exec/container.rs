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
mod kernel_events;
mod owner;
mod plan;
mod program;
mod pull_progress;
mod running_container;
mod shell;
mod tunnel;

use super::Setup;
use super::backend::{BackendEvent, BackendRun, EndCause, RunEnd};
use crate::config::ContainerExecutor;
use crate::domain::{ExecutorKind, KernelRef, Language, Limits, RunEvent, Terms};
use crate::exec::KernelNotice;
use access::{EngineAccess, LanguageFacts, is_kernel, is_shell};
pub(super) use discovery::discover;
use engine::ContainerEngine;
pub(super) use error::ContainerError;
use kernel::ContainerKernel;
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
            kernel.run(&job);
        }
        self.job = Some(KernelBlock { job, started: false, done: None });
        self.tell_started();
    }

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

//! Jupyter kernels: those that are installed on this machine, and those of a Jupyter Server, JupyterHub or Enterprise
//! Gateway, which is how runs reach a cluster.
//!
//! A session has one kernel for each language, as far as there are kernels. Each has a task of its own that drains its
//! sockets (`local`, `far`); what its messages amount to is read here. The local sandbox does not apply to either. Pure
//! parts: `message`, `zmtp`, `reading`, `html`.

mod available;
mod backend;
mod block;
mod error;
mod far;
mod held;
mod html;
mod local;
mod look;
mod message;
mod reading;
mod ready;
mod server;
mod sockets;
mod specs;
mod talk;
mod token;
mod variables;
mod zmtp;

use super::backend::{BackendEvent, EndCause, RunEnd, wants_next_kernel};
use super::helper_wire::RestState;
use super::{KernelNotice, Setup, environment};
use crate::config::JupyterExecutor;
use crate::domain::sentences::running::STOPPED_BEFORE_START;
use crate::domain::{
    DeadKernel, ExecutorKind, KernelFate, KernelRef, Language, Limits, Rights, RunEvent, SharedState, Stream,
    Terms,
};
use available::AvailableKernels;
use block::JupyterBlock;
pub(super) use error::JupyterError;
pub(super) use look::{found, languages_here};
use reading::{AwaitedReply, ReplyReader};
use specs::Spec;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use talk::{KernelNews, KernelOrder, MessageIds, NewsSender};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// How much longer is waited for what is missing of an end: for the last output, and for the reply.
const IDLE_TIMEOUT: Duration = Duration::from_secs(2);
const REPLY_TIMEOUT: Duration = Duration::from_secs(10);
/// The same after a connection was lost: what came meanwhile may be gone.
const AFTER_LOSS_TIMEOUT: Duration = Duration::from_secs(5);
/// How long kernels may take to leave.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(20);

/// What is told of a block whose end fell into a lost connection.
const UNHEARD: &str = "the connection was lost while the block ran; the kernel is idle and keeps its state, but how the \
                       block ended was not heard";
/// What the person is told where a kernel asks for input.
const NO_INPUT: &str = "The kernel asked for input. A block can't ask for anything while it runs: put the value into \
                        the code, or ask for it in the conversation.\n";

/// The Jupyter kernels of one session.
pub(super) struct Jupyter {
    available: AvailableKernels,
    ids: Rc<MessageIds>,
    kernels: BTreeMap<String, StartedKernel>,
    generations: BTreeMap<String, u32>,
    number: u32,
    news: mpsc::Receiver<(u32, KernelNews)>,
    outlet: mpsc::Sender<(u32, KernelNews)>,
    block: Option<JupyterBlock>,
    /// The end of a block whose kernel is being brought to a stand: it is told once it stands.
    resting: Option<RunEnd>,
    queue: VecDeque<BackendEvent>,
    notices: mpsc::Sender<KernelNotice>,
    leaving: Vec<JoinHandle<()>>,
}

/// A kernel that was started.
struct StartedKernel {
    number: u32,
    language: Language,
    generation: u32,
    ready: bool,
    /// Its server can't be reached at this moment.
    lost: bool,
    /// The version of its language, as it told.
    version: Option<String>,
    /// How many variables it told of last.
    variables: u32,
    /// The blocks that were in it.
    shared: SharedState,
    orders: mpsc::UnboundedSender<KernelOrder>,
    work: JoinHandle<()>,
}

impl Jupyter {
    /// Jupyter kernels; nothing is reached or started yet. `wanted` names the kernel to use.
    pub(super) fn new(
        setup: Arc<Setup>,
        config: JupyterExecutor,
        wanted: Option<String>,
        notices: mpsc::Sender<KernelNotice>,
    ) -> Self {
        let (outlet, news) = mpsc::channel(256);
        Self {
            available: AvailableKernels::new(setup, config, wanted),
            ids: Rc::new(MessageIds::new()),
            kernels: BTreeMap::new(),
            generations: BTreeMap::new(),
            number: 0,
            news,
            outlet,
            block: None,
            resting: None,
            queue: VecDeque::new(),
            notices,
            leaving: Vec::new(),
        }
    }

    fn terms_of(&self, spec: &Spec, language: &Language, limits: Limits, fresh: bool) -> Terms {
        let next = self.generations.get(&spec.name).copied().unwrap_or(0) + 1;
        let kernel = self.kernels.get(&spec.name).filter(|_| !fresh);
        let generation = kernel.map_or(next, |kernel| kernel.generation);
        let (interpreter, cwd, env) = match &self.available.server {
            Some(server) => {
                (format!("{} at {}", spec.name, server.shown()), "(on the server)".into(), Vec::new())
            }
            None => {
                let program = spec.argv.first().cloned().unwrap_or_default();
                let names = self
                    .available
                    .environment(spec)
                    .into_iter()
                    .map(|(name, _)| name.to_string_lossy().into_owned());
                (format!("{}:{program}", spec.name), self.available.setup.cwd.clone(), names.collect())
            }
        };
        Terms {
            language: language.clone(),
            executor: ExecutorKind::Jupyter,
            interpreter: PathBuf::from(interpreter),
            version: kernel.and_then(|kernel| kernel.version.clone()),
            kernel: Some(kernel.map_or_else(|| self.empty(generation), |kernel| self.reference(kernel))),
            shared: kernel.and_then(|kernel| kernel.shared.told()),
            target: None,
            cwd,
            rights: Rights {
                python: None,
                terminal: false,
                read: Vec::new(),
                write: Vec::new(),
                network: true,
                environment: env,
                sandbox: self.available.report(),
            }
            .into(),
            limits,
        }
    }

    fn start_kernel(&mut self, spec: &Spec, language: &Language) {
        self.number += 1;
        let generation = self.generations.entry(spec.name.clone()).or_default();
        *generation += 1;
        let outlet = NewsSender { number: self.number, news: self.outlet.clone() };
        let (orders, receiver) = mpsc::unbounded_channel();
        let patience = Duration::from_secs(self.available.config.start);
        let work = match &self.available.server {
            Some(server) => {
                let reconnect = Duration::from_secs(self.available.config.reconnect);
                let start =
                    far::ServerStart { server: server.clone(), name: spec.name.clone(), patience, reconnect };
                tokio::task::spawn_local(far::carry(start, self.ids.clone(), receiver, outlet))
            }
            None => {
                let start = local::LocalStart {
                    helper: self.available.setup.helper.clone(),
                    limits: self.available.setup.limits,
                    cwd: self.available.setup.cwd.clone(),
                    env: environment::allowed(std::env::vars_os(), &self.available.setup.environment),
                    spec: spec.clone(),
                    patience,
                };
                tokio::task::spawn_local(local::carry(start, self.ids.clone(), receiver, outlet))
            }
        };
        let kernel = StartedKernel {
            number: self.number,
            language: language.clone(),
            generation: *generation,
            ready: false,
            lost: false,
            version: None,
            variables: 0,
            shared: SharedState::default(),
            orders,
            work,
        };
        self.kernels.insert(spec.name.clone(), kernel);
    }

    fn fate(&self, name: &str) -> KernelFate {
        let reference = |kernel: &StartedKernel| KernelFate::Kept(self.reference(kernel));
        self.kernels.get(name).map_or(KernelFate::None, reference)
    }

    /// The kernel that is there, with the variables that it told of.
    fn reference(&self, kernel: &StartedKernel) -> KernelRef {
        KernelRef { variables: kernel.variables, ..self.empty(kernel.generation) }
    }

    /// A kernel of this generation that nothing was in. One of a server can't be stopped from here.
    fn empty(&self, generation: u32) -> KernelRef {
        KernelRef { generation, variables: 0, goes_on: self.available.server.is_some() }
    }

    fn end_block(&mut self, end: impl FnOnce(ReplyReader) -> EndCause, kernel: KernelFate) {
        let Some(block) = self.block.take() else { return };
        let cwd = self.available.server.is_none().then(|| self.available.setup.cwd.clone());
        let connection_losses = block.losses;
        let ended = RunEnd { cwd, connection_losses, ..RunEnd::of(end(block.reading)) };
        let stays = self.kernels.get(&block.kernel).filter(|_| matches!(kernel, KernelFate::Kept(_)));
        let stops = stays.filter(|_| self.available.server.is_none());
        match stops.map(|kernel| kernel.orders.send(KernelOrder::Rest)) {
            Some(Ok(())) => self.resting = Some(RunEnd { kernel, ..ended }),
            _ => self.queue.push_back(RunEnd { kernel, ..ended }.into()),
        }
    }

    /// The kernel of the block that ended stands still, or is not there any more.
    fn on_resting(&mut self, still: bool) {
        if let Some(ended) = self.resting.take() {
            self.queue.push_back(RunEnd { rest: Some(RestState { still, threads: 0 }), ..ended }.into());
        }
    }

    /// Whether the block is over, or what is missing of its end may take a while longer.
    fn look_at_end(&mut self) {
        let Some(block) = &mut self.block else { return };
        let patience = match block.reading.missing() {
            AwaitedReply::Both => return,
            AwaitedReply::Idle => IDLE_TIMEOUT,
            // Behind an interrupt it may never come.
            AwaitedReply::Reply if block.reading.is_interrupted() => IDLE_TIMEOUT,
            AwaitedReply::Reply => REPLY_TIMEOUT,
            AwaitedReply::Nothing if self.ask_variables() => return,
            AwaitedReply::Nothing if self.waits_for_variables() => return,
            AwaitedReply::Nothing => return self.end_of_block(),
        };
        block.until.get_or_insert_with(|| Instant::now() + patience);
    }

    /// The block ends as it told.
    fn end_of_block(&mut self) {
        let fate = self.block.as_ref().map_or(KernelFate::None, |block| self.fate(&block.kernel));
        self.end_block(|reading| EndCause::Block(reading.done()), fate);
    }

    /// What was missing did not come.
    fn give_up_waiting(&mut self) {
        let Some(block) = &self.block else { return };
        let fate = self.fate(&block.kernel);
        let nothing = block.reading.missing() == AwaitedReply::Both;
        self.end_block(
            |reading| if nothing { EndCause::Died(UNHEARD.into()) } else { EndCause::Block(reading.done()) },
            fate,
        );
    }

    fn on_news(&mut self, number: u32, news: KernelNews) {
        let found = self.kernels.iter().find(|(_, kernel)| kernel.number == number);
        let Some(name) = found.map(|(name, _)| name.clone()) else { return };
        let running = self.block.as_ref().is_some_and(|block| block.kernel == name);
        match news {
            KernelNews::Ready(version) => {
                if let Some(kernel) = self.kernels.get_mut(&name) {
                    kernel.ready = true;
                    kernel.version = version;
                }
            }
            KernelNews::Sent => self.on_sent(&name),
            KernelNews::NotSent if running => {
                let fate = self.fate(&name);
                self.end_block(|_| EndCause::NotSent(STOPPED_BEFORE_START.into()), fate);
            }
            KernelNews::NotSent => {}
            KernelNews::Message(message) if message.kind() == "input_request" => {
                if let Some(kernel) = self.kernels.get(&name).filter(|_| running) {
                    let answer = far::no_input(&self.ids, &message);
                    let _ = kernel.orders.send(KernelOrder::Send(Box::new(answer)));
                }
                if running {
                    self.queue.push_back(BackendEvent::printed(Stream::Stderr, NO_INPUT.into()));
                }
            }
            KernelNews::Message(message) if running && self.take_variables(&message) => {}
            KernelNews::Message(message) => {
                if let Some(block) = self.block.as_mut().filter(|_| running) {
                    let heard = block.reading.take(&message);
                    if !heard.is_empty() {
                        block.until = None;
                        block.hear(Instant::now());
                    }
                    self.queue.extend(heard);
                    self.look_at_end();
                }
            }
            KernelNews::Receiving => {
                // The reply may overtake a large output: what still comes is waited for.
                if let Some(block) = self.block.as_mut().filter(|_| running)
                    && block.reading.missing() == AwaitedReply::Idle
                {
                    block.until = None;
                    self.look_at_end();
                }
            }
            KernelNews::Printed(stream, bytes) if running => {
                self.queue.push_back(BackendEvent::printed(stream, bytes));
            }
            KernelNews::Printed(..) => {}
            KernelNews::Reconnecting => {
                if let Some(kernel) = self.kernels.get_mut(&name) {
                    kernel.lost = true;
                }
                self.report_lost(running);
                if let Some(block) = self.block.as_mut().filter(|block| running && block.sent) {
                    block.losses = block.losses.saturating_add(1);
                    block.until = None;
                }
            }
            KernelNews::Reconnected { busy } => {
                if let Some(kernel) = self.kernels.get_mut(&name) {
                    kernel.lost = false;
                }
                self.report_reconnected(running);
                if let Some(block) = self.block.as_mut().filter(|block| running && block.losses > 0 && !busy)
                {
                    block.until = Some(Instant::now() + AFTER_LOSS_TIMEOUT);
                }
            }
            KernelNews::Resting(still) => self.on_resting(still),
            KernelNews::NotStarted(why) | KernelNews::Gone(why) => self.kernel_gone(&name, running, why),
        }
    }

    /// The block has gone to its kernel: it runs, and its clock does.
    fn on_sent(&mut self, name: &str) {
        if let Some(block) = self.block.as_mut().filter(|block| block.kernel == name)
            && let Some(kernel) = self.kernels.get_mut(name)
        {
            block.sent = true;
            kernel.shared.ran(block.block);
            self.queue.push_back(RunEvent::Started.into());
        }
    }

    /// Its server can't be reached at this moment: what follows from that, and what can be done.
    fn report_lost(&mut self, running: bool) {
        let words = format!(
            "The Jupyter server {} does not answer. The connection is tried again for {} s: see whether the server runs",
            self.available.place(),
            self.available.config.reconnect
        );
        self.warn(words + if running { ", or stop the block." } else { "." });
    }

    /// Its server answers again. What the block printed meanwhile may be gone: a server that was held up sends it into the
    /// connection that was given up, and nothing in what comes later tells that something is missing.
    fn report_reconnected(&mut self, running: bool) {
        let words = format!("The Jupyter server {} answers again.", self.available.place());
        if self.block.as_ref().is_some_and(|block| running && block.losses > 0) {
            self.warn(words + " What the block printed meanwhile may be missing.");
        } else {
            let _ = self.notices.try_send(KernelNotice::Back(words));
        }
    }

    fn warn(&self, words: String) {
        let _ = self.notices.try_send(KernelNotice::Warning(words));
    }

    fn kernel_gone(&mut self, name: &str, running: bool, why: String) {
        let Some(kernel) = self.kernels.remove(name) else { return };
        let known = kernel.ready.then(|| self.reference(&kernel));
        self.leaving.push(kernel.work);
        if self.resting.is_some() {
            self.on_resting(true);
        }
        if running {
            let was_sent = self.block.as_ref().is_some_and(|block| block.sent);
            let end = if was_sent { EndCause::Died } else { EndCause::NotSent };
            self.end_block(|_| end(why), known.map_or(KernelFate::None, KernelFate::Lost));
        } else {
            let dead = DeadKernel { language: kernel.language, cause: why };
            let _ = self.notices.try_send(KernelNotice::Died(dead));
        }
    }

    fn order(&self, order: KernelOrder) {
        let kernel = self.block.as_ref().and_then(|block| self.kernels.get(&block.kernel));
        if let Some(kernel) = kernel {
            let _ = kernel.orders.send(order);
        }
    }

    fn end_kernel(&mut self, name: &str) {
        if let Some(kernel) = self.kernels.remove(name) {
            let _ = kernel.orders.send(KernelOrder::End);
            self.leaving.push(kernel.work);
        }
    }

    fn end_all(&mut self) {
        for name in self.kernels.keys().cloned().collect::<Vec<_>>() {
            self.end_kernel(&name);
        }
        self.leaving.retain(|work| !work.is_finished());
    }

    /// Whether a run would still be under these terms.
    fn terms_hold(&self, spec: &Spec, approved: &Terms) -> bool {
        let there = self.kernels.get(&spec.name).map(|kernel| kernel.generation);
        let fresh = wants_next_kernel(there, approved);
        self.terms_of(spec, &approved.language, approved.limits, fresh).same_as(approved)
    }
}

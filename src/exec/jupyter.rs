//! Runs blocks in Jupyter kernels: those installed on this machine, and those of a Jupyter Server, JupyterHub or
//! Enterprise Gateway, which is how runs reach a cluster.
//!
//! A session has one kernel for each language, as far as kernels exist. Each kernel has a task that reads its sockets
//! (`local`, `remote`); `news` and `block_end` handle what arrives. The local sandbox applies to neither kind. Pure
//! parts: `message`, `zmtp`, `reading`, `html`.

mod available;
mod backend;
mod block;
mod block_end;
mod discovery;
mod error;
mod html;
mod local;
mod message;
mod news;
mod reading;
mod ready;
mod remote;
mod send_queue;
mod server;
mod sockets;
mod specs;
mod talk;
mod token;
mod variables;
mod zmtp;

use super::backend::{BackendEvent, RunEnd, wants_next_kernel};
use super::{KernelNotice, Setup, environment};
use crate::config::JupyterExecutor;
use crate::domain::{ExecutorKind, KernelFate, KernelRef, Language, Limits, Rights, SharedState, Terms};
use available::AvailableKernels;
use block::JupyterBlock;
pub(super) use discovery::{discover, languages_here};
pub(super) use error::JupyterError;
use specs::Spec;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use talk::{KernelNews, KernelOrder, MessageIds, NewsSender};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(20);

/// The Jupyter kernels of one session.
pub(super) struct Jupyter {
    available: AvailableKernels,
    ids: Rc<MessageIds>,
    kernels: BTreeMap<String, StartedKernel>,
    generations: BTreeMap<String, u32>,
    number: u32,
    news: mpsc::Receiver<(u32, KernelNews)>,
    news_sender: mpsc::Sender<(u32, KernelNews)>,
    block: Option<JupyterBlock>,
    /// The end of a block while its kernel, which is named, is being stopped. Sent once that kernel stands still.
    pausing: Option<(String, RunEnd)>,
    queue: VecDeque<BackendEvent>,
    notices: mpsc::Sender<KernelNotice>,
    leaving: Vec<JoinHandle<()>>,
}

struct StartedKernel {
    number: u32,
    language: Language,
    generation: u32,
    ready: bool,
    /// Whether its server can't be reached now.
    lost: bool,
    /// The version of its language, as it reported.
    version: Option<String>,
    /// The number of its variables, as last reported.
    variables: u32,
    /// The blocks that ran in it.
    shared: SharedState,
    orders: mpsc::UnboundedSender<KernelOrder>,
    work: JoinHandle<()>,
}

impl Jupyter {
    /// Contacts and starts nothing yet. `wanted` names the kernel to use.
    pub(super) fn new(
        setup: Arc<Setup>,
        config: JupyterExecutor,
        wanted: Option<String>,
        notices: mpsc::Sender<KernelNotice>,
    ) -> Self {
        let (news_sender, news) = mpsc::channel(256);
        Self {
            available: AvailableKernels::new(setup, config, wanted),
            ids: Rc::new(MessageIds::new()),
            kernels: BTreeMap::new(),
            generations: BTreeMap::new(),
            number: 0,
            news,
            news_sender,
            block: None,
            pausing: None,
            queue: VecDeque::new(),
            notices,
            leaving: Vec::new(),
        }
    }

    fn terms_of(&self, spec: &Spec, language: &Language, limits: Limits, new_kernel: bool) -> Terms {
        let next = self.generations.get(&spec.name).copied().unwrap_or(0) + 1;
        let kernel = self.kernels.get(&spec.name).filter(|_| !new_kernel);
        let generation = kernel.map_or(next, |kernel| kernel.generation);
        let (interpreter, cwd, env) = match &self.available.server {
            Some(server) => {
                (format!("{} at {}", spec.name, server.redacted()), "(on the server)".into(), Vec::new())
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
            shared: kernel.and_then(|kernel| kernel.shared.if_any()),
            target: None,
            cwd,
            rights: Rights {
                network: true,
                environment: env,
                sandbox: self.available.report(),
                ..Rights::default()
            }
            .into(),
            limits,
        }
    }

    fn start_kernel(&mut self, spec: &Spec, language: &Language) {
        self.number += 1;
        let generation = self.generations.entry(spec.name.clone()).or_default();
        *generation += 1;
        let news_sender = NewsSender { number: self.number, news: self.news_sender.clone() };
        let (orders, receiver) = mpsc::unbounded_channel();
        let patience = Duration::from_secs(self.available.config.start);
        let work = match &self.available.server {
            Some(server) => {
                let reconnect = Duration::from_secs(self.available.config.reconnect);
                let start = remote::ServerStart {
                    server: server.clone(),
                    name: spec.name.clone(),
                    patience,
                    reconnect,
                };
                tokio::task::spawn_local(remote::drive_kernel(start, self.ids.clone(), receiver, news_sender))
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
                tokio::task::spawn_local(local::drive_kernel(start, self.ids.clone(), receiver, news_sender))
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

    /// The reference to a running kernel, with the number of its variables.
    fn reference(&self, kernel: &StartedKernel) -> KernelRef {
        KernelRef { variables: kernel.variables, ..self.empty(kernel.generation) }
    }

    /// The reference to a new kernel of this generation. A kernel on a server can't be stopped between runs.
    fn empty(&self, generation: u32) -> KernelRef {
        KernelRef { generation, variables: 0, keeps_running: self.available.server.is_some() }
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

    /// Whether the terms of a run would still be the approved ones.
    fn terms_hold(&self, spec: &Spec, approved: &Terms) -> bool {
        let there = self.kernels.get(&spec.name).map(|kernel| kernel.generation);
        let new_kernel = wants_next_kernel(there, approved);
        self.terms_of(spec, &approved.language, approved.limits, new_kernel).same_as(approved)
    }
}

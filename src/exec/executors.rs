//! Executors beside the local one: a container engine, Jupyter kernels. What they have in common stands here.
//!
//! Each has a thread of its own with a small runtime, so that its output is taken whatever the front does. The desk
//! passes orders to it; `serve` follows the run that goes on: its clock, its output, its report. What is special about
//! containers and about Jupyter is behind [`Backend`], in rooms of their own. Nothing here decides whether something runs.

mod pull;
mod run;
mod serve;

use super::helper_wire::Used;
use super::kernel_wire::{Done, Token};
use super::receipt::Ending;
use super::{Setup, outbox::Outbox};
use crate::config::{ExecutorChoice, Executors};
use crate::domain::{
    Function, Interpreter, KernelFate, Language, Limits, Outcome, Reach, RunEvent, RunId, RunRequest,
    SandboxReport, Stream, Terms, Variable,
};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::{mpsc, oneshot};

/// An order to the thread of an executor.
pub enum Order {
    /// Tell the terms of a block.
    Terms(Language, Option<Limits>, oneshot::Sender<Result<Terms, String>>),
    /// Tell what a run under these terms reaches.
    Reach(Box<Terms>, oneshot::Sender<Reach>),
    /// Carry out a run.
    Start(Box<RunRequest>, mpsc::Sender<(RunId, RunEvent)>),
    /// Interrupt the run.
    Interrupt(RunId),
    /// End the run by force.
    Kill(RunId),
    /// Get ready for this language.
    Warm(Language),
    /// End the kernel.
    RestartKernel,
    /// Tell what of this language is missing, so that it could be fetched.
    Missing(Language, oneshot::Sender<Option<Missing>>),
    /// Tell the terms under which an image would be pulled for this language.
    PullTerms(Language, Option<Limits>, oneshot::Sender<Result<Terms, String>>),
    /// Tell the terms of a file of functions in this language.
    LoadTerms(Language, Option<Limits>, oneshot::Sender<Result<Terms, String>>),
    /// Tell why packages can't be installed.
    NoPackages(Language, oneshot::Sender<String>),
    /// Fetch it, telling the progress.
    Fetch(Missing, mpsc::Sender<String>, oneshot::Sender<Result<(), String>>),
    /// Tell what is enforced on runs.
    Sandbox(oneshot::Sender<Result<SandboxReport, String>>),
    /// Tell what there is.
    Found(oneshot::Sender<Vec<Interpreter>>),
    /// End everything.
    Close,
}

/// Something that has to be fetched over the network before a block can run, which is asked for first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// What it is, by the name under which it is fetched: an image.
    pub name: String,
}

/// A block on its way to a backend.
#[derive(Clone, Debug)]
pub struct Job {
    /// The terms that were approved, and hold.
    pub terms: Terms,
    /// Its name in messages, `block 3`.
    pub label: String,
    /// The approved bytes.
    pub source: Arc<str>,
    /// Its mark.
    pub token: Token,
}

/// How a run came to its end.
#[derive(Debug)]
pub enum End {
    /// The kernel finished the block and goes on.
    Block(Done),
    /// The program ended.
    Program(Ending),
    /// What carried it out died, or is out of reach; the cause.
    Died(String),
    /// It was ended at a limit, in words.
    Limit(String),
    /// It could not be started, and why.
    NotStarted(String),
}

/// What a backend tells.
#[derive(Debug)]
pub enum Heard {
    /// The program has the code.
    Started,
    /// It printed something.
    Output(Stream, Vec<u8>),
    /// It made an image: a name for it, its type, its bytes.
    Image(String, String, Vec<u8>),
    /// What it uses at the moment: bytes, milliseconds.
    Usage(u64, u64),
    /// The variables after the block.
    Variables(Vec<Variable>),
    /// The functions of a file that was loaded.
    Functions(Vec<Function>),
    /// The run is over.
    Ended(Box<Ended>),
    /// A kernel died while nothing ran, and of what.
    Died(String),
}

/// The end of a run.
#[derive(Debug)]
pub struct Ended {
    /// How it came.
    pub end: End,
    /// What it used, as far as it is known.
    pub used: Used,
    /// What became of the kernel.
    pub kernel: KernelFate,
    /// The folder in which the next block would start.
    pub cwd: Option<PathBuf>,
}

/// Something that is being fetched.
pub type Fetch = Pin<Box<dyn Future<Output = Result<(), String>>>>;

/// What is special about one kind of executor. One run at a time; the caller sees to that.
pub trait Backend {
    /// The terms under which a block would run.
    async fn terms(&mut self, language: &Language, limits: Limits) -> Result<Terms, String>;
    /// What a run under these terms reaches.
    async fn reach(&mut self, terms: &Terms) -> Reach;
    /// What is enforced on runs.
    async fn sandbox(&mut self) -> Result<SandboxReport, String>;
    /// Begins a run under its terms, or refuses when they do not hold any more. From now on until [`Heard::Ended`] it is
    /// told of by [`Backend::hear`].
    async fn begin(&mut self, job: Job);
    /// Waits for something to tell. Safe to cancel.
    async fn hear(&mut self) -> Heard;
    /// Interrupts the run; a kernel keeps its state.
    fn interrupt(&mut self);
    /// Whether an interrupt can be lost on its way, so that it has to be repeated.
    fn loses_interrupts(&self) -> bool {
        false
    }
    /// Whether the run was heard of since it was interrupted, so that the interrupt need not be repeated.
    fn has_answered(&self) -> bool {
        false
    }
    /// Ends the run by force; its end is heard then.
    fn kill(&mut self);
    /// Gets ready for a language.
    async fn warm(&mut self, language: &Language);
    /// Ends the kernel while nothing runs.
    async fn restart(&mut self);
    /// What of this language has to be fetched first.
    async fn missing(&mut self, language: &Language) -> Option<Missing>;
    /// Whether files of the person's functions can be loaded here.
    fn loads_functions(&self) -> bool;
    /// Why packages can't be installed for this language here, and what to do instead.
    fn no_packages(&self, language: &Language) -> String;
    /// The terms under which an image would be pulled for this language.
    async fn pull_terms(&mut self, language: &Language, limits: Limits) -> Result<Terms, String>;
    /// How it is fetched; the future lives by itself.
    async fn fetch(&mut self, missing: Missing, progress: mpsc::Sender<String>) -> Fetch;
    /// What there is.
    async fn found(&mut self) -> Vec<Interpreter>;
    /// Ends everything that was started.
    async fn close(&mut self);
}

/// Passes orders to an executor that is not the local one. Nothing is started before the first order.
#[derive(Debug)]
pub struct Desk {
    choice: ExecutorChoice,
    executors: Executors,
    setup: Arc<Setup>,
    deaths: mpsc::Sender<String>,
    thread: Mutex<Thread>,
}

/// The thread that does the work.
#[derive(Debug, Default)]
enum Thread {
    #[default]
    Asleep,
    Awake(mpsc::UnboundedSender<Order>, JoinHandle<()>),
    Closed,
}

impl Desk {
    /// A desk for an executor; `None` for the local one.
    pub fn new(
        choice: &ExecutorChoice,
        executors: &Executors,
        setup: Arc<Setup>,
        deaths: mpsc::Sender<String>,
    ) -> Option<Self> {
        if *choice == ExecutorChoice::Local {
            return None;
        }
        let (choice, executors) = (choice.clone(), executors.clone());
        Some(Self { choice, executors, setup, deaths, thread: Mutex::default() })
    }

    /// See [`super::Executor::terms`].
    pub async fn terms(&self, language: &Language, limits: Option<Limits>) -> Result<Terms, String> {
        self.ask(|reply| Order::Terms(language.clone(), limits, reply))
            .await
            .unwrap_or_else(|| Err("sayso is ending: nothing runs any more".into()))
    }

    /// See [`super::Executor::load_terms`].
    pub async fn load_terms(&self, language: &Language, limits: Option<Limits>) -> Result<Terms, String> {
        self.ask(|reply| Order::LoadTerms(language.clone(), limits, reply))
            .await
            .unwrap_or_else(|| Err("sayso is ending: nothing runs any more".into()))
    }

    /// See [`super::Executor::pull_terms`].
    pub async fn pull_terms(&self, language: &Language, limits: Option<Limits>) -> Result<Terms, String> {
        self.ask(|reply| Order::PullTerms(language.clone(), limits, reply))
            .await
            .unwrap_or_else(|| Err("sayso is ending: nothing runs any more".into()))
    }

    /// See [`super::Executor::start`].
    pub fn start(&self, request: RunRequest, out: mpsc::Sender<(RunId, RunEvent)>) {
        if let Err(Order::Start(request, out)) = self.order(Order::Start(Box::new(request), out)) {
            let outcome = Outcome::NotStarted("sayso is ending: nothing runs any more".into());
            let report = super::run::nothing(outcome, request.approval().terms().limits);
            Outbox::new(request.approval().run(), out).finish(report);
        }
    }

    /// Gives an order that has no answer.
    pub fn give(&self, order: Order) {
        let _ = self.order(order);
    }

    /// Gives an order and waits for its answer; `None` when everything has ended.
    pub async fn ask<T>(&self, order: impl FnOnce(oneshot::Sender<T>) -> Order) -> Option<T> {
        let (reply, answer) = oneshot::channel();
        self.order(order(reply)).ok()?;
        answer.await.ok()
    }

    /// See [`super::Executor::close`].
    pub async fn close(&self) {
        let thread = std::mem::replace(&mut *self.thread(), Thread::Closed);
        if let Thread::Awake(orders, thread) = thread {
            let _ = orders.send(Order::Close);
            let _ = tokio::task::spawn_blocking(move || thread.join()).await;
        }
    }

    fn order(&self, order: Order) -> Result<(), Order> {
        let mut thread = self.thread();
        if matches!(*thread, Thread::Asleep) {
            match self.wake() {
                Some((orders, handle)) => *thread = Thread::Awake(orders, handle),
                None => return Err(order),
            }
        }
        match &*thread {
            Thread::Awake(orders, _) => orders.send(order).map_err(|error| error.0),
            Thread::Asleep | Thread::Closed => Err(order),
        }
    }

    fn thread(&self) -> std::sync::MutexGuard<'_, Thread> {
        self.thread.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self) -> Option<(mpsc::UnboundedSender<Order>, JoinHandle<()>)> {
        let (sender, orders) = mpsc::unbounded_channel();
        let (choice, executors) = (self.choice.clone(), self.executors.clone());
        let (setup, deaths) = (self.setup.clone(), self.deaths.clone());
        let work = move || {
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
                return;
            };
            // Tasks that live by themselves stay on this thread, and end with it.
            let tasks = tokio::task::LocalSet::new();
            tasks.block_on(&runtime, serve_choice(choice, executors, setup, orders, deaths));
        };
        let handle = std::thread::Builder::new().name("executor".into()).spawn(work).ok()?;
        Some((sender, handle))
    }
}

/// Serves the executor that was chosen, or tells that this program was built without it.
async fn serve_choice(
    choice: ExecutorChoice,
    executors: Executors,
    setup: Arc<Setup>,
    orders: mpsc::UnboundedReceiver<Order>,
    deaths: mpsc::Sender<String>,
) {
    match choice {
        #[cfg(feature = "docker")]
        ExecutorChoice::Container(image) => {
            let backend = super::container::Containers::new(setup.clone(), executors.container, image);
            serve::serve(backend, setup, orders, deaths).await;
        }
        #[cfg(feature = "jupyter")]
        ExecutorChoice::Jupyter(kernel) => {
            let backend = super::jupyter::Jupyter::new(setup.clone(), executors.jupyter, kernel);
            serve::serve(backend, setup, orders, deaths).await;
        }
        #[allow(unreachable_patterns)] // with all features, only the local one is left
        other => refuse_all(&other, orders).await,
    }
}

async fn refuse_all(choice: &ExecutorChoice, mut orders: mpsc::UnboundedReceiver<Order>) {
    let why = format!("this sayso was built without the executor {choice}");
    while let Some(order) = orders.recv().await {
        match order {
            Order::Terms(_, _, reply) | Order::PullTerms(_, _, reply) | Order::LoadTerms(_, _, reply) => {
                drop(reply.send(Err(why.clone())));
            }
            Order::Sandbox(reply) => drop(reply.send(Err(why.clone()))),
            Order::Start(request, out) => {
                let report =
                    super::run::nothing(Outcome::NotStarted(why.clone()), request.approval().terms().limits);
                Outbox::new(request.approval().run(), out).finish(report);
            }
            Order::Close => return,
            _ => {}
        }
    }
}

/// The variables of this process that a program elsewhere is given: those that the person declared, by name, and nothing
/// that only makes sense here.
pub fn declared_environment(setup: &Setup) -> super::environment::Environment {
    super::environment::allowed(std::env::vars_os(), &setup.environment)
        .into_iter()
        .filter(|(name, _)| setup.environment.iter().any(|declared| name == declared.as_str()))
        .collect()
}

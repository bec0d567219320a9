//! Execution: carries out approved runs, each under a helper process that supervises it.
//!
//! What it does: finds interpreters, tells the terms of a run beforehand, refuses runs whose terms no longer hold, hands
//! over exactly the approved bytes, streams output, ends what has to end, and tells what was used. What it does not do:
//! decide whether something runs (the engine), keep sessions (the store), read the clock for anybody else.
//!
//! One thread (`actor`) does all of it; what stands here passes orders to it. Pure parts: `plan`, `frames`, the two
//! wires, `environment`, `shell_state`, `receipt`, and most of `sandbox`.

use crate::config::{ExecutorChoice, Executors};
use crate::domain::{
    InstallInto, Interpreter, Language, Languages, Limits, Masker, Outcome, Pixels, Reach, RunEvent, RunId,
    RunRequest, SandboxReport, Terms,
};
use crate::launch::{Ground, Launcher};
use actor::{Actor, Command};
use asking::Asker;
use executors::{Desk as Other, Order};
pub use interpreters::on_path;
use interpreters::{Finder, Place};
pub use sandbox::{Wish, Without};
use std::io::{PipeWriter, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::{mpsc, oneshot};

mod actor;
mod asking;
mod blob;
mod capture;
pub mod cgroup;
#[cfg(feature = "docker")]
mod container;
mod environment;
mod error;
mod executors;
pub mod found;
mod frames;
pub mod helper;
mod helper_file;
mod helper_wire;
pub mod images;
mod interpreters;
#[cfg(feature = "jupyter")]
mod jupyter;
mod kernel;
mod kernel_wire;
mod languages;
mod ledger;
mod link;
mod outbox;
pub mod packages;
mod pictures;
mod plan;
mod process;
mod receipt;
mod run;
mod sandbox;
mod shell_state;
mod supervisor;
mod tree;

pub use executors::Missing;
pub use helper_file::HelperFile;
pub use ledger::departed;

/// What an executor has to know beforehand.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The program that answers to `__run`: sayso itself.
    pub helper: HelperFile,
    /// The folder in which the first block of each executor starts.
    pub cwd: PathBuf,
    /// Where large outputs and images are put; made when needed, 0700, its files 0600.
    pub blobs: PathBuf,
    /// The languages that can be run.
    pub languages: Languages,
    /// Names of environment variables that programs get beside the usual ones.
    pub environment: Vec<String>,
    /// The Python to use, where the person chose one.
    pub python: Option<PathBuf>,
    /// The limits of a run that were not chosen otherwise.
    pub limits: Limits,
    /// How runs are to be confined.
    pub sandbox: Wish,
    /// Layers that are left out, in tests.
    pub without: Without,
    /// The person's home folder, which runs do not see.
    pub home: Option<PathBuf>,
    /// Folders of sayso's own: no run may write them.
    pub own: Vec<PathBuf>,
    /// Who masks what is written; it learns what only an executor knows and nobody may read.
    pub masker: Masker,
}

/// From now on a write beyond the limit on the size of files fails instead of ending this process. What this process
/// starts is not changed by it.
pub fn outlive_file_limit() {
    // The signal is caught, not ignored: a program that is started has its usual way with it. Where it can't be caught,
    // all is as it was.
    let _ = signal_hook::flag::register(nix::libc::SIGXFSZ, Arc::default());
}

impl Setup {
    /// The programs that sayso may start by itself, as they are found now: outside of all that runs may write.
    pub fn launcher(&self) -> Launcher {
        let mut own = self.own.clone();
        own.push(self.blobs.clone());
        Launcher::of_process(Ground::new(&self.cwd, self.home.as_deref(), &self.sandbox.write, &own))
    }
}

/// Where a program is that a shell finds by this name; links are resolved as they are for interpreters.
pub fn program(name: &str) -> Option<PathBuf> {
    interpreters::program(name)
}

/// Carries out runs, one at a time. Cheap to clone; making one starts nothing and touches no disk.
#[derive(Clone, Debug)]
pub struct Executor {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    setup: Arc<Setup>,
    finder: Arc<Finder>,
    asker: Arc<Asker>,
    thread: Mutex<Thread>,
    /// Where runs are carried out instead, when another executor than the local one was chosen.
    other: Option<Other>,
    deaths: tokio::sync::Mutex<mpsc::Receiver<String>>,
    death: mpsc::Sender<String>,
}

/// The thread that does the work.
#[derive(Debug, Default)]
enum Thread {
    /// Nothing was ordered yet.
    #[default]
    Asleep,
    /// It takes orders.
    Awake(Desk),
    /// It has ended everything.
    Closed,
}

/// Where orders are given. When it is dropped, the thread ends everything and itself.
#[derive(Debug)]
struct Desk {
    orders: std::sync::mpsc::Sender<Command>,
    bell: PipeWriter,
    thread: JoinHandle<()>,
}

impl Executor {
    /// The local executor; it has not started anything yet.
    pub fn new(setup: Setup) -> Self {
        Self::of(setup, &ExecutorChoice::Local, &Executors::default())
    }

    /// The executor that was chosen; it has not started or reached anything yet.
    pub fn of(setup: Setup, choice: &ExecutorChoice, executors: &Executors) -> Self {
        let setup = Arc::new(setup);
        let launcher = setup.launcher();
        let asker = Arc::new(Asker::new(setup.clone(), launcher.clone()));
        let place = Place {
            cwd: setup.cwd.clone(),
            home: setup.home.clone(),
            python: setup.python.clone(),
            launcher,
        };
        let finder = Finder::new(setup.languages.clone(), place, asker.clone());
        let (death, deaths) = mpsc::channel(8);
        let other = Other::new(choice, executors, setup.clone(), death.clone());
        Self {
            inner: Arc::new(Inner {
                setup,
                finder: Arc::new(finder),
                asker,
                thread: Mutex::default(),
                other,
                deaths: tokio::sync::Mutex::new(deaths),
                death,
            }),
        }
    }

    /// The terms under which a block in this language would run now.
    ///
    /// # Errors
    /// In words, with what to do, when it can't run here.
    pub async fn terms(&self, language: &Language, limits: Option<Limits>) -> Result<Terms, String> {
        if let Some(other) = &self.inner.other {
            return other.terms(language, limits).await;
        }
        let interpreter = match self.inner.finder.known_already(language) {
            Some(known) => known,
            None => {
                let (finder, language) = (self.inner.finder.clone(), language.clone());
                let found = tokio::task::spawn_blocking(move || finder.find(&language)).await;
                found.map_err(|error| error.to_string())??
            }
        };
        let (reply, answer) = oneshot::channel();
        let ended = || "sayso is ending: nothing runs any more".to_string();
        self.order(Command::Terms(Box::new((language.clone(), interpreter)), limits, reply))
            .map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
    }

    /// What a run under these terms reaches, by what its helper would be handed. Nothing is known where nothing is told.
    pub async fn reach(&self, terms: &Terms) -> Reach {
        let terms = Box::new(terms.clone());
        if let Some(other) = &self.inner.other {
            return other.ask(|reply| Order::Reach(terms, reply)).await.unwrap_or_default();
        }
        let (reply, answer) = oneshot::channel();
        match self.order(Command::Reach(terms, reply)) {
            Ok(()) => answer.await.unwrap_or_default(),
            Err(_) => Reach::default(),
        }
    }

    /// The terms under which a file of the person's functions would be loaded now, but for the file itself.
    ///
    /// # Errors
    /// In words, with what to do, when none can be loaded here.
    pub async fn load_terms(&self, language: &Language, limits: Option<Limits>) -> Result<Terms, String> {
        match &self.inner.other {
            Some(other) => other.load_terms(language, limits).await,
            None => self.terms(language, limits).await,
        }
    }

    /// Whether runs are processes of this machine, so that its sandbox is what confines them.
    pub fn is_local(&self) -> bool {
        self.inner.other.is_none()
    }

    /// What the sandbox holds, by the result of its tests. They are made at the first question or run, in some 50 ms.
    ///
    /// # Errors
    /// In words, with what to do, when what was asked for can't be had.
    pub async fn sandbox(&self) -> Result<SandboxReport, String> {
        if let Some(other) = &self.inner.other {
            let report = other.ask(Order::Sandbox).await;
            return report.unwrap_or_else(|| Err("sayso is ending: nothing runs any more".into()));
        }
        let (reply, answer) = oneshot::channel();
        let ended = || "sayso is ending: nothing runs any more".to_string();
        self.order(Command::Sandbox(reply)).map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
    }

    /// The terms under which packages for this language would be installed now: by which program, and where to.
    ///
    /// # Errors
    /// In words, with what to do, when none can be installed here.
    pub async fn install_terms(
        &self,
        language: &Language,
        into: InstallInto,
        limits: Option<Limits>,
    ) -> Result<Terms, String> {
        if let Some(other) = &self.inner.other {
            let why = other.ask(|reply| Order::NoPackages(language.clone(), reply)).await;
            return Err(why.unwrap_or_else(|| "sayso is ending: nothing runs any more".into()));
        }
        let (finder, wanted) = (self.inner.finder.clone(), language.clone());
        let found = tokio::task::spawn_blocking(move || finder.installer(&wanted, into)).await;
        let installer = found.map_err(|error| error.to_string())??;
        let (reply, answer) = oneshot::channel();
        let ended = || "sayso is ending: nothing runs any more".to_string();
        self.order(Command::InstallTerms(Box::new((language.clone(), installer, into)), limits, reply))
            .map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
    }

    /// The terms under which an image would be pulled for a block in this language: by which engine.
    ///
    /// # Errors
    /// In words, with what to do, where no engine pulls any.
    pub async fn pull_terms(&self, language: &Language, limits: Option<Limits>) -> Result<Terms, String> {
        match &self.inner.other {
            Some(other) => other.pull_terms(language, limits).await,
            None => Err("images are pulled by container engines only: choose --executor container".into()),
        }
    }

    /// The project's `.venv`, where packages could go that the person sends there: when it is the environment in use.
    pub async fn project_venv(&self) -> Option<PathBuf> {
        if self.inner.other.is_some() {
            return None;
        }
        let finder = self.inner.finder.clone();
        tokio::task::spawn_blocking(move || finder.project_venv()).await.ok().flatten()
    }

    /// The packages that a text of Python needs and that the kernel does not have: by what it imports, and by the
    /// `packages` that were asked for with it. Nothing of the text is run. Empty where that can't be known now.
    pub async fn lacking(&self, source: &str, packages: &[String]) -> Vec<String> {
        if self.inner.other.is_some() {
            return Vec::new();
        }
        let (reply, answer) = oneshot::channel();
        let asked = Command::Lacking(source.to_owned(), packages.to_vec(), reply);
        if self.order(asked).is_err() {
            return Vec::new();
        }
        let patience = tokio::time::timeout(std::time::Duration::from_secs(3), answer).await;
        patience.ok().and_then(Result::ok).unwrap_or_default()
    }

    /// The program that runs this language on this machine, where there is one, and the name by which a shell finds it.
    pub async fn interpreter(&self, language: &Language) -> Option<(Interpreter, Option<String>)> {
        let (finder, language) = (self.inner.finder.clone(), language.clone());
        let look = move || finder.find(&language).ok().map(|found| (found, finder.called(&language)));
        tokio::task::spawn_blocking(look).await.ok()?
    }

    /// Whether the Python of this machine has a module. The module is not loaded; a Python that lies in the working folder
    /// is not started. What is not known in ten seconds counts as not there.
    pub async fn python_has(&self, module: &'static str) -> bool {
        let finder = self.inner.finder.clone();
        tokio::task::spawn_blocking(move || finder.python_has(module)).await.unwrap_or(false)
    }

    /// Carries out a run. [`RunEvent::Ended`] arrives exactly once and last, whatever happens.
    pub fn start(&self, request: RunRequest, out: mpsc::Sender<(RunId, RunEvent)>) {
        if let Some(other) = &self.inner.other {
            return other.start(request, out);
        }
        if let Err(Command::Start(request, out)) = self.order(Command::Start(Box::new(request), out)) {
            let outcome = Outcome::NotStarted("sayso is ending: nothing runs any more".into());
            let report = run::nothing(outcome, request.approval().terms().limits);
            outbox::Outbox::new(request.approval().run(), out).finish(report);
        }
    }

    /// Sends SIGINT to the group of this run; a kernel keeps its state.
    pub fn interrupt(&self, run: RunId) {
        if let Some(other) = &self.inner.other {
            return other.give(Order::Interrupt(run));
        }
        let _ = self.order(Command::Interrupt(run));
    }

    /// Ends this run by force; a kernel loses its state.
    pub fn kill(&self, run: RunId) {
        if let Some(other) = &self.inner.other {
            return other.give(Order::Kill(run));
        }
        let _ = self.order(Command::Kill(run));
    }

    /// Gets ready for a block in this language: finds the interpreter, starts the empty kernel. Nothing that lies in the
    /// working folder is started.
    pub fn warm(&self, language: &Language) {
        if let Some(other) = &self.inner.other {
            return other.give(Order::Warm(language.clone()));
        }
        let _ = self.order(Command::Warm(language.clone()));
    }

    /// Ends the kernel; the next block starts a new one. Does nothing while a run goes on in it.
    pub fn restart_kernel(&self) {
        if let Some(other) = &self.inner.other {
            return other.give(Order::RestartKernel);
        }
        let _ = self.order(Command::RestartKernel);
    }

    /// Resolves with the cause when a kernel dies while nothing runs. Safe to cancel.
    pub async fn deaths(&self) -> String {
        match self.inner.deaths.lock().await.recv().await {
            Some(cause) => cause,
            None => std::future::pending().await,
        }
    }

    /// The interpreters on this machine, with their versions where they may be asked.
    pub async fn found(&self) -> Vec<Interpreter> {
        if let Some(other) = &self.inner.other {
            return other.ask(Order::Found).await.unwrap_or_default();
        }
        let finder = self.inner.finder.clone();
        tokio::task::spawn_blocking(move || finder.all()).await.unwrap_or_default()
    }

    /// What installs packages here, `uv`, `pip` and `npm`, and where each is.
    pub async fn installers(&self) -> Vec<(&'static str, Option<PathBuf>)> {
        let finder = self.inner.finder.clone();
        tokio::task::spawn_blocking(move || finder.installers()).await.unwrap_or_default()
    }

    /// What has to be fetched over the network before blocks in this language can run: an image. Fetching is asked for
    /// first; until then [`Executor::terms`] tells that it is missing.
    pub async fn missing(&self, language: &Language) -> Option<Missing> {
        let other = self.inner.other.as_ref()?;
        other.ask(|reply| Order::Missing(language.clone(), reply)).await.flatten()
    }

    /// Fetches what is missing; lines of progress arrive on the way.
    ///
    /// # Errors
    /// In words, with what to do, when it can't be fetched.
    pub async fn fetch(&self, missing: Missing, progress: mpsc::Sender<String>) -> Result<(), String> {
        let Some(other) = &self.inner.other else { return Ok(()) };
        let done = other.ask(|reply| Order::Fetch(missing, progress, reply)).await;
        done.unwrap_or_else(|| Err("sayso is ending: nothing is fetched any more".into()))
    }

    /// The programs that sayso may start by itself, as they were found at the start.
    pub fn launcher(&self) -> Launcher {
        self.inner.finder.launcher().clone()
    }

    /// The pixels of a picture that a run made, in at most so many, decoded by a confined process.
    ///
    /// # Errors
    /// In words, when it can't be decoded.
    pub async fn pixels(&self, bytes: Vec<u8>, width: u32, height: u32) -> Result<Pixels, String> {
        let asker = self.inner.asker.clone();
        let decode = move || pictures::decode(&asker.cell(), &bytes, width, height);
        tokio::task::spawn_blocking(decode).await.unwrap_or_else(|error| Err(error.to_string()))
    }

    /// Ends everything that was started: no process, descriptor or temporary file is left.
    pub async fn close(&self) {
        if let Some(other) = &self.inner.other {
            other.close().await;
        }
        let Thread::Awake(desk) = std::mem::replace(&mut *self.thread(), Thread::Closed) else { return };
        let _ = desk.give(Command::Close);
        let Desk { thread, .. } = desk;
        let _ = tokio::task::spawn_blocking(move || thread.join()).await;
    }

    /// Gives an order to the thread, which is started for the first one; gives it back when everything has ended.
    fn order(&self, command: Command) -> Result<(), Command> {
        let mut thread = self.thread();
        if matches!(*thread, Thread::Asleep) {
            match self.inner.wake() {
                Some(desk) => *thread = Thread::Awake(desk),
                None => return Err(command),
            }
        }
        match &*thread {
            Thread::Awake(desk) => desk.give(command),
            Thread::Asleep | Thread::Closed => Err(command),
        }
    }

    fn thread(&self) -> std::sync::MutexGuard<'_, Thread> {
        self.inner.thread.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn wake(&self) -> Option<Desk> {
        let (listener, bell) = std::io::pipe().ok()?;
        // A full bell rings already: nobody waits to ring it once more.
        rustix::io::ioctl_fionbio(&bell, true).ok()?;
        let (orders, commands) = std::sync::mpsc::channel();
        let actor =
            Actor::new(self.setup.clone(), self.finder.clone(), commands, listener, self.death.clone());
        let thread = std::thread::Builder::new().name("exec".into()).spawn(move || actor.serve()).ok()?;
        Some(Desk { orders, bell, thread })
    }
}

impl Desk {
    fn give(&self, command: Command) -> Result<(), Command> {
        self.orders.send(command).map_err(|error| error.0)?;
        let _ = (&self.bell).write(&[1]);
        Ok(())
    }
}

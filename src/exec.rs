//! Execution: carries out approved runs, each under a helper process that supervises it.
//!
//! It finds interpreters, computes the terms of a run before it is approved, refuses a run whose terms no longer hold,
//! hands over exactly the approved bytes, streams output, enforces limits, and reports what the run used. It does not
//! decide whether something runs (the engine does), keep sessions (the store does), or read the clock for anybody else.
//!
//! One thread does the work. [`Executor`] sends orders to it (`worker`); its loop follows the current run (`serve`,
//! `run`), and a `backend` carries the run out: `local`, `container` or `jupyter`. Pure parts: `plan`, `frames`, the
//! wires, `environment`, `shell_state`, `receipt`, and most of `sandbox`.

use crate::config::{ExecutorChoice, Executors};
use crate::domain::{
    Language, Limits, Pixels, Reach, RunControl, RunEvent, RunId, RunRequest, SandboxReport, Terms,
    UndrawnReason,
};
use asking::Asker;
pub(crate) use interpreters::versions_by_files;
use interpreters::{Finder, ProgramPaths};
pub use interpreters::{on_path, program};
use order::{ExecutorOrder, TermsRequest};
pub use sandbox::{DisabledLayers, SandboxRequest};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, mpsc};
use worker::{Worker, WorkerStart};

mod asking;
mod backend;
mod blob;
mod capture;
pub mod cgroup;
#[cfg(feature = "docker")]
mod container;
pub(crate) mod discovery;
mod entry;
mod environment;
mod error;
mod event_sender;
mod executor_error;
mod frames;
pub mod helper;
mod helper_file;
pub mod helper_part;
mod helper_wire;
pub mod images;
mod interpreters;
mod julia;
#[cfg(feature = "jupyter")]
mod jupyter;
mod kernel;
mod kernel_notice;
mod kernel_wire;
mod languages;
mod ledger;
mod link;
mod local;
mod memory_file;
mod node_modules;
mod order;
mod outbox;
mod own_names;
pub mod packages;
mod pictures;
mod pipes;
mod plan;
mod process;
mod programs;
mod project_tools;
mod pull;
mod receipt;
mod run;
mod sandbox;
mod serve;
mod settings_file;
mod setup;
mod shell_state;
mod supervisor;
mod terminal;
mod tree;
mod watch;
mod worker;

pub(crate) use backend::MissingPart;
pub use executor_error::ExecutorError;
pub use helper_file::HelperFile;
pub use kernel_notice::KernelNotice;
pub use ledger::requests_sent;
pub use order::TermsFor;
pub(crate) use plan::refuses;
pub(crate) use run::images::keep_written;
pub use setup::Setup;

/// From now on, a write beyond the limit on file size fails instead of ending this process. Programs that this process
/// starts are not affected.
pub fn outlive_file_limit() {
    // The signal is caught, not ignored, because a started program would inherit "ignored". If it can't be caught,
    // nothing changes.
    let _ = signal_hook::flag::register(nix::libc::SIGXFSZ, Arc::default());
}

/// Carries out runs, one at a time. Cheap to clone. Making one starts nothing and does not touch the disk.
#[derive(Clone, Debug)]
pub struct Executor {
    inner: Arc<ExecutorInner>,
}

#[derive(Debug)]
struct ExecutorInner {
    finder: Arc<Finder>,
    asker: Arc<Asker>,
    decoder: pictures::Decoder,
    worker: Worker,
    notices: Mutex<mpsc::Receiver<KernelNotice>>,
}

impl Executor {
    /// The local executor. It has not started anything yet.
    pub fn new(setup: Setup) -> Self {
        Self::of(setup, &ExecutorChoice::Local, &Executors::default())
    }

    /// The executor that was chosen. It has not started or contacted anything yet.
    pub fn of(setup: Setup, choice: &ExecutorChoice, executors: &Executors) -> Self {
        let setup = Arc::new(setup);
        let launcher = setup.launcher();
        let asker = Arc::new(Asker::new(setup.clone(), launcher.clone()));
        let place = ProgramPaths {
            cwd: setup.cwd.clone(),
            home: setup.home.clone(),
            python: setup.python.clone(),
            launcher,
        };
        let finder = Arc::new(Finder::new(setup.languages.clone(), place, asker.clone()));
        let (sender, notices) = mpsc::channel(8);
        let (choice, executors) = (choice.clone(), executors.clone());
        let worker =
            Worker::new(WorkerStart { choice, executors, setup, finder: finder.clone(), notices: sender });
        let (decoder, notices) = (pictures::Decoder::default(), Mutex::new(notices));
        Self { inner: Arc::new(ExecutorInner { finder, asker, decoder, worker, notices }) }
    }

    /// Whether runs are processes of this machine, and so confined by its sandbox.
    pub(crate) fn is_local(&self) -> bool {
        self.inner.worker.is_local()
    }

    /// The terms under which a block in this language would run now.
    ///
    /// # Errors
    /// When it can't run here.
    pub async fn terms(&self, language: &Language, limits: Option<Limits>) -> Result<Terms, ExecutorError> {
        self.terms_for(language, TermsFor::Usual, limits).await
    }

    /// The terms under which this would be carried out now. To load functions, they do not contain the file itself.
    ///
    /// # Errors
    /// When it can't be carried out here.
    pub async fn terms_for(
        &self,
        language: &Language,
        purpose: TermsFor,
        limits: Option<Limits>,
    ) -> Result<Terms, ExecutorError> {
        let wanted = language.clone();
        let installer = match purpose {
            TermsFor::Install(into) => {
                self.here(move |finder| finder.installer(&wanted, into)).await.transpose()?
            }
            TermsFor::Pull => None,
            TermsFor::Usual | TermsFor::NewKernel | TermsFor::Load => {
                self.find(language).await?;
                None
            }
        };
        let request = Box::new(TermsRequest { language: language.clone(), purpose, installer, limits });
        self.inner.worker.try_ask(|reply| ExecutorOrder::Terms(request, reply)).await
    }

    /// These terms, with a terminal of its own for the run.
    ///
    /// # Errors
    /// When the backend can't give a run a terminal.
    pub async fn terminal_terms(&self, terms: Terms) -> Result<Terms, ExecutorError> {
        self.inner.worker.try_ask(|reply| ExecutorOrder::TerminalTerms(Box::new(terms), reply)).await
    }

    /// Controls a run. Does nothing if it has ended.
    pub fn control(&self, run: RunId, control: RunControl) {
        self.inner.worker.send(ExecutorOrder::Control(run, control));
    }

    /// What a run under these terms can reach, computed from what its helper would be given. Empty if the executor does
    /// not answer.
    pub async fn reach(&self, terms: &Terms) -> Reach {
        let terms = Box::new(terms.clone());
        self.inner.worker.ask(|reply| ExecutorOrder::Reach(terms, reply)).await.unwrap_or_default()
    }

    /// What the sandbox enforces, by the result of its self-tests. The first call or the first run makes them; they
    /// take some 50 ms.
    ///
    /// # Errors
    /// When the requested sandbox can't be set up.
    pub async fn sandbox(&self) -> Result<SandboxReport, ExecutorError> {
        self.inner.worker.try_ask(ExecutorOrder::Sandbox).await
    }

    /// The packages that this Python source needs and the kernel lacks: those that it imports, and the `packages`
    /// requested with it. Runs nothing of the source. Empty if that can't be found out now.
    pub async fn missing_packages(&self, source: &str, packages: &[String]) -> Vec<String> {
        let (source, packages) = (source.to_owned(), packages.to_vec());
        let asked = self.inner.worker.ask(|reply| ExecutorOrder::MissingPackages(source, packages, reply));
        tokio::time::timeout(Duration::from_secs(3), asked).await.ok().flatten().unwrap_or_default()
    }

    /// What has to be fetched over the network before blocks in this language can run: an image. The person is asked
    /// before it is fetched; until then [`Executor::terms`] fails because it is missing.
    pub async fn missing_image(&self, language: &Language) -> Option<MissingPart> {
        self.inner.worker.ask(|reply| ExecutorOrder::MissingImage(language.clone(), reply)).await.flatten()
    }

    /// Fetches what is missing, and sends lines of progress meanwhile.
    ///
    /// # Errors
    /// When it can't be fetched.
    pub async fn fetch(
        &self,
        missing: MissingPart,
        progress: mpsc::Sender<String>,
    ) -> Result<(), ExecutorError> {
        let done = self.inner.worker.ask(|reply| ExecutorOrder::Fetch(missing, progress, reply)).await;
        done.unwrap_or(Err(ExecutorError::Ending("is fetched")))
    }

    /// Carries out a run. [`RunEvent::Ended`] arrives exactly once and last, whatever happens.
    pub fn start(&self, request: RunRequest, out: mpsc::Sender<(RunId, RunEvent)>) {
        self.inner.worker.start(request, out);
    }

    /// Prepares for a block in this language: finds the interpreter, and starts an empty kernel. Starts nothing that
    /// lies in the working folder.
    pub fn warm(&self, language: &Language) {
        self.inner.worker.send(ExecutorOrder::Warm(language.clone()));
    }

    /// Ends the kernel; the next block starts a new one. Does nothing while a run goes on.
    pub fn restart_kernel(&self) {
        self.inner.worker.send(ExecutorOrder::RestartKernel);
    }

    /// Resolves when something happens to a kernel while no run is in it. Safe to cancel.
    pub async fn kernel_notice(&self) -> KernelNotice {
        match self.inner.notices.lock().await.recv().await {
            Some(event) => event,
            None => std::future::pending().await,
        }
    }

    /// Ends everything that was started. Leaves no process, descriptor or temporary file behind.
    pub async fn close(&self) {
        self.inner.worker.close().await;
    }

    /// Decodes a picture that a run made to at most this many pixels. A confined process does it, for one picture at a
    /// time.
    ///
    /// # Errors
    /// Why the picture can't be drawn.
    pub async fn pixels(&self, bytes: Vec<u8>, width: u32, height: u32) -> Result<Pixels, UndrawnReason> {
        let asker = self.inner.asker.clone();
        let decode = move || {
            let cell = asker.enclosure().ok_or(UndrawnReason::Unknown)?;
            pictures::decode(&cell, &bytes, width, height)
        };
        self.inner.decoder.pixels(decode).await
    }
}

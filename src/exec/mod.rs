//! Execution: carries out approved runs, each under a helper process that supervises it.
//!
//! What it does: finds interpreters, tells the terms of a run beforehand, refuses runs whose terms no longer hold, hands
//! over exactly the approved bytes, streams output, ends what has to end, and tells what was used. What it does not do:
//! decide whether something runs (the engine), keep sessions (the store), read the clock for anybody else.

use crate::domain::{
    Captured, Interpreter, KernelFate, Language, Languages, Limits, Outcome, Receipt, RunEvent, RunId,
    RunReport, RunRequest, Terms,
};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;

pub mod helper;

/// What an executor has to know beforehand.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The program that answers to `__run`: sayso itself.
    pub helper: PathBuf,
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
}

/// Carries out runs, one at a time. Cheap to clone; making one starts nothing and touches no disk.
#[derive(Clone, Debug)]
pub struct Executor {
    setup: Arc<Setup>,
}

impl Executor {
    /// An executor that has not started anything yet.
    pub fn new(setup: Setup) -> Self {
        Self { setup: Arc::new(setup) }
    }

    /// The terms under which a block in this language would run now.
    ///
    /// # Errors
    /// In words, with what to do, when it can't run here.
    pub async fn terms(&self, language: &Language, limits: Option<Limits>) -> Result<Terms, String> {
        let _ = (limits, &self.setup);
        Err(format!("{language} can't run yet"))
    }

    /// Carries out a run. [`RunEvent::Ended`] arrives exactly once and last, whatever happens.
    pub fn start(&self, request: RunRequest, out: mpsc::Sender<(RunId, RunEvent)>) {
        let report = RunReport {
            outcome: Outcome::NotStarted("runs are not built yet".into()),
            receipt: Receipt::default(),
            output: Captured::default(),
            blob: None,
            value: None,
            error: None,
            images: Vec::new(),
            kernel: KernelFate::None,
            cwd: None,
        };
        let _ = out.try_send((request.approval().run(), RunEvent::Ended(Box::new(report))));
    }

    /// Sends SIGINT to the group of this run; a kernel keeps its state.
    pub fn interrupt(&self, run: RunId) {
        let _ = run;
    }

    /// Ends this run by force; a kernel loses its state.
    pub fn kill(&self, run: RunId) {
        let _ = run;
    }

    /// Gets ready for a block in this language: finds the interpreter, starts the empty kernel.
    pub fn warm(&self, language: &Language) {
        let _ = language;
    }

    /// Ends the kernel; the next block starts a new one.
    pub fn restart_kernel(&self) {}

    /// Resolves with the cause when a kernel dies while nothing runs. Safe to cancel.
    pub async fn deaths(&self) -> String {
        std::future::pending().await
    }

    /// The interpreters on this machine, with their versions.
    pub async fn found(&self) -> Vec<Interpreter> {
        Vec::new()
    }

    /// Ends everything that was started: no process, descriptor or temporary file is left.
    pub async fn close(&self) {}
}

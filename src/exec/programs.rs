//! What an executor knows of the programs of this machine: interpreters, what installs packages, modules of Python.

use super::interpreters::Finder;
use super::order::ExecutorOrder;
use super::{Executor, ExecutorError};
use crate::domain::{Interpreter, Language};
use crate::launch::Launcher;
use std::path::PathBuf;

impl Executor {
    /// The interpreters that runs would find, with their versions where they may be asked.
    pub async fn found(&self) -> Vec<Interpreter> {
        match self.here(Finder::all).await {
            Some(found) => found,
            None => self.inner.worker.ask(ExecutorOrder::Found).await.unwrap_or_default(),
        }
    }

    /// The project's `.venv`, where packages could go that the person sends there: when it is the environment in use.
    pub async fn project_venv(&self) -> Option<PathBuf> {
        self.here(Finder::project_venv).await.flatten()
    }

    /// What installs packages here, `uv`, `pip` and `npm`, and where each is.
    pub(crate) async fn installers(&self) -> Vec<(&'static str, Option<PathBuf>)> {
        self.look(Finder::installers).await.unwrap_or_default()
    }

    /// The program that runs this language on this machine, where there is one, and the name by which a shell finds it.
    pub(crate) async fn interpreter(&self, language: &Language) -> Option<(Interpreter, Option<String>)> {
        let language = language.clone();
        let look = move |finder: &Finder| {
            finder.find(&language).ok().map(|found| (found, finder.command_name(&language)))
        };
        self.look(look).await.flatten()
    }

    /// The words in front of a file of TypeScript, where it is run on this machine.
    pub(crate) async fn typescript(&self) -> Option<Vec<String>> {
        self.look(Finder::typescript).await.flatten()
    }

    /// Whether the Python of this machine has a module. The module is not loaded; a Python that lies in the working folder
    /// is not started. What is not known in ten seconds counts as not there.
    pub(crate) async fn python_has(&self, module: String) -> bool {
        self.look(move |finder| finder.python_has(&module)).await.unwrap_or(false)
    }

    /// Whether Python may have this module: what is installed beside its environment is not looked at.
    pub(crate) async fn python_may_have(&self, module: String) -> bool {
        self.look(move |finder| finder.python_may_have(&module)).await.unwrap_or(false)
    }

    /// The programs that sayso may start by itself, as they were found at the start.
    pub(crate) fn launcher(&self) -> Launcher {
        self.inner.finder.launcher().clone()
    }

    /// Finds the interpreter of a language where runs are processes of this machine. It may have to be asked, which is not
    /// done on the thread that follows a run.
    pub(super) async fn find(&self, language: &Language) -> Result<(), ExecutorError> {
        let language = language.clone();
        self.here(move |finder| finder.find(&language)).await.transpose().map(drop)
    }

    /// Looks for programs where runs are processes of this machine; `None` where they are elsewhere.
    pub(super) async fn here<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Finder) -> T + Send + 'static,
    ) -> Option<T> {
        if self.is_local() { self.look(look).await } else { None }
    }

    /// Looks for programs of this machine, on a worker.
    async fn look<T: Send + 'static>(&self, look: impl FnOnce(&Finder) -> T + Send + 'static) -> Option<T> {
        let finder = self.inner.finder.clone();
        tokio::task::spawn_blocking(move || look(&finder)).await.ok()
    }
}

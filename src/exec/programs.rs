//! The parts of [`Executor`] that look for programs of this machine: interpreters, package managers, modules of Python.

use super::interpreters::Finder;
use super::order::ExecutorOrder;
use super::{Executor, ExecutorError};
use crate::domain::{Interpreter, Language};
use crate::launch::Launcher;
use std::path::PathBuf;

impl Executor {
    /// The interpreters that runs would use, with their versions if those can be found out.
    pub async fn interpreters(&self) -> Vec<Interpreter> {
        match self.here(Finder::all).await {
            Some(found) => found,
            None => self.inner.worker.ask(ExecutorOrder::Interpreters).await.unwrap_or_default(),
        }
    }

    /// The project's `.venv`, if it is the environment in use, so that the person can choose to install packages there.
    pub async fn project_venv(&self) -> Option<PathBuf> {
        self.here(Finder::project_venv).await.flatten()
    }

    /// The programs that install packages, `uv`, `pip` and `npm`, with their paths.
    pub(crate) async fn installers(&self) -> Vec<(&'static str, Option<PathBuf>)> {
        self.search(Finder::installers).await.unwrap_or_default()
    }

    /// The interpreter of this language on this machine, and the name by which a shell finds it.
    pub(crate) async fn interpreter(&self, language: &Language) -> Option<(Interpreter, Option<String>)> {
        let language = language.clone();
        let find = move |finder: &Finder| {
            finder.find(&language).ok().map(|found| (found, finder.command_name(&language)))
        };
        self.search(find).await.flatten()
    }

    /// The command that runs a TypeScript file on this machine, without the file.
    pub(crate) async fn typescript(&self) -> Option<Vec<String>> {
        self.search(Finder::typescript).await.flatten()
    }

    /// Whether the Python of this machine has a module. The module is not imported, and a Python in the working folder
    /// is not started. False if that is not known within ten seconds.
    pub(crate) async fn python_has(&self, module: String) -> bool {
        self.search(move |finder| finder.python_has(&module)).await.unwrap_or(false)
    }

    /// Whether Python may have this module: also true if its environment is open to packages that are not searched.
    pub(crate) async fn python_may_have(&self, module: String) -> bool {
        self.search(move |finder| finder.python_may_have(&module)).await.unwrap_or(false)
    }

    /// The programs that sayso may start by itself.
    pub(crate) fn launcher(&self) -> Launcher {
        self.inner.finder.launcher().clone()
    }

    /// Finds the interpreter of a language if runs are processes of this machine. It may have to be queried, which must
    /// not happen on the thread that follows a run.
    pub(super) async fn find(&self, language: &Language) -> Result<(), ExecutorError> {
        let language = language.clone();
        self.here(move |finder| finder.find(&language)).await.transpose().map(drop)
    }

    /// Looks for programs if runs are processes of this machine; `None` if they run elsewhere.
    pub(super) async fn here<T: Send + 'static>(
        &self,
        by: impl FnOnce(&Finder) -> T + Send + 'static,
    ) -> Option<T> {
        if self.is_local() { self.search(by).await } else { None }
    }

    /// Looks for programs of this machine, on a worker thread.
    async fn search<T: Send + 'static>(&self, by: impl FnOnce(&Finder) -> T + Send + 'static) -> Option<T> {
        let finder = self.inner.finder.clone();
        tokio::task::spawn_blocking(move || by(&finder)).await.ok()
    }
}

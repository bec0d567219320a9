//! Why an executor does not do what it is asked for, in words that say what to do next.

#![allow(missing_docs)] // A line that would only repeat a text is left out.

#[cfg(feature = "docker")]
use super::container::ContainerError;
#[cfg(feature = "jupyter")]
use super::jupyter::JupyterError;
use super::sandbox::SandboxError;
use crate::domain::{BlockTextError, Language};
use std::path::PathBuf;

/// Why a block can't run here, or packages, images and files of functions can't come here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExecutorError {
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[cfg(feature = "docker")]
    #[error(transparent)]
    Container(#[from] ContainerError),
    #[cfg(feature = "jupyter")]
    #[error(transparent)]
    Jupyter(#[from] JupyterError),
    /// The approved text does not say what is meant.
    #[error(transparent)]
    Unclear(#[from] BlockTextError),
    #[error("the Python that is set, {}, is not there: set another one", .0.display())]
    NoChosenPython(PathBuf),
    #[error("{0} is not installed: install it, or choose another language")]
    NotInstalled(String),
    /// None of the programs that run the language is there, or new enough.
    #[error("{language} needs one of {programs}: none is installed. Install one, or choose another language")]
    NoneInstalled {
        language: Language,
        /// The programs, with the version that is needed where an older one is there.
        programs: String,
    },
    #[error("{0} can't be run: no interpreter is configured for it")]
    NoInterpreter(Language),
    /// Packages go beside the session, and the only pip is the project's.
    #[error(
        "the project's own Python installs into its .venv only: send the packages there, or choose another Python (python = \
         PATH)"
    )]
    ProjectPip,
    #[error("neither uv nor pip is there for {}: install uv, or the package python3-pip", .0.display())]
    NoPip(PathBuf),
    #[error("npm is not installed: install it")]
    NoNpm,
    #[error("packages for {0} can't be installed from here")]
    NoInstaller(Language),
    #[error(
        "the project has no .venv that is the environment in use: take the line out of the list, and they go beside the \
         session"
    )]
    NoVenv,
    #[error(
        "the limit on {0} is higher than its kernel was started with, and can't be raised in it: K runs the block in a \
         new kernel, t sets a lower limit"
    )]
    KernelLimit(&'static str),
    #[error("{0} blocks start anew each time: there is no kernel to replace. K goes back")]
    NoKernel(Language),
    #[error(
        "files of functions are loaded into sayso's own kernels only, here or in a container: leave --functions out, or \
         choose another executor"
    )]
    NoFunctions,
    #[error("images are pulled by container engines only: choose --executor container")]
    NoEngine,
    #[error("{0} can't be fetched")]
    NotFetched(String),
    /// What was left out of this program.
    #[error("this sayso was built without {0}")]
    NotBuilt(String),
    /// Everything was ended; what is not done any more.
    #[error("sayso is ending: nothing {0} any more")]
    Ending(&'static str),
}

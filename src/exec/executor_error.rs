//! Why an executor does not do what it is asked for, in words that say what to do next.

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
    /// The sandbox does not stand, and nothing runs without it.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The container engine does not do it.
    #[cfg(feature = "docker")]
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// The Jupyter server does not do it.
    #[cfg(feature = "jupyter")]
    #[error(transparent)]
    Jupyter(#[from] JupyterError),
    /// The approved text does not say what is meant.
    #[error(transparent)]
    Unclear(#[from] BlockTextError),
    /// The person set this path, so that no other Python is taken in its place.
    #[error("the Python that is set, {}, is not there: set another one", .0.display())]
    NoChosenPython(PathBuf),
    /// The one program that runs the language is not on the `PATH`.
    #[error("{0} is not installed: install it, or choose another language")]
    NotInstalled(String),
    /// None of the programs that run the language is there, or new enough.
    #[error("{language} needs one of {programs}: none is installed. Install one, or choose another language")]
    NoneInstalled {
        /// The language of the block.
        language: Language,
        /// The programs, with the version that is needed where an older one is there.
        programs: String,
    },
    /// Neither sayso nor the configuration knows a program for the language.
    #[error("{0} can't be run: no interpreter is configured for it")]
    NoInterpreter(Language),
    /// Packages go beside the session, and the only pip is the project's.
    #[error(
        "the project's own Python installs into its .venv only: send the packages there, or choose another Python (python = \
         PATH)"
    )]
    ProjectPip,
    /// A terminal is asked for, and what carries out the block gives none.
    #[error(
        "it would have no terminal of its own here: only blocks that run as programs of this machine can. T takes the wish back"
    )]
    NoTerminal,
    /// This interpreter has no module `pip`.
    #[error("neither uv nor pip is there for {}: install uv, or the package python3-pip", .0.display())]
    NoPip(PathBuf),
    /// Packages for JavaScript are asked for.
    #[error("npm is not installed: install it")]
    NoNpm,
    /// The language has no installer that sayso starts.
    #[error("packages for {0} can't be installed from here")]
    NoInstaller(Language),
    /// The list says `into: .venv`.
    #[error(
        "the project has no .venv that is the environment in use: take the line out of the list, and they go beside the \
         session"
    )]
    NoVenv,
    /// The limit, by its name on screen: a process can lower its own limits and not raise them.
    #[error(
        "the limit on {0} is higher than its kernel was started with, and can't be raised in it: K runs the block in a \
         new kernel, t sets a lower limit"
    )]
    KernelLimit(&'static str),
    /// A new kernel is asked for, for a language that has none.
    #[error("{0} blocks start anew each time: there is no kernel to replace. K goes back")]
    NoKernel(Language),
    /// Functions were named for an executor whose kernels are not sayso's.
    #[error(
        "files of functions are loaded into sayso's own kernels only, here or in a container: leave --functions out, or \
         choose another executor"
    )]
    NoFunctions,
    /// An image is asked for, and no container engine is chosen.
    #[error("images are pulled by container engines only: choose --executor container")]
    NoEngine,
    /// Something of this kind was to be fetched that is neither a package nor an image.
    #[error("{0} can't be fetched")]
    NotFetched(String),
    /// What was left out of this program.
    #[error("this sayso was built without {0}")]
    NotBuilt(String),
    /// Everything was ended; what is not done any more.
    #[error("sayso is ending: nothing {0} any more")]
    Ending(&'static str),
}

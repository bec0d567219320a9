//! Why an executor refuses a request. Each text says what to do next.

#[cfg(feature = "docker")]
use super::container::ContainerError;
#[cfg(feature = "jupyter")]
use super::jupyter::JupyterError;
use super::sandbox::SandboxError;
use crate::domain::{BlockTextError, Language};
use std::path::PathBuf;

/// Why a block can't run, or why packages, images or files of functions can't be fetched or loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExecutorError {
    /// The sandbox can't be set up, and nothing runs without it.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The container engine refuses or fails.
    #[cfg(feature = "docker")]
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// The Jupyter server refuses or fails.
    #[cfg(feature = "jupyter")]
    #[error(transparent)]
    Jupyter(#[from] JupyterError),
    /// The approved text is not clear.
    #[error(transparent)]
    Unclear(#[from] BlockTextError),
    /// The Python that the person set does not exist. No other Python is used in its place.
    #[error("the Python that is set, {}, is not there: set another one", .0.display())]
    NoChosenPython(PathBuf),
    /// The one program that runs the language is not on the `PATH`.
    #[error("{0} is not installed: install it, or choose another language")]
    NotInstalled(String),
    /// None of the programs that run the language is installed in a version that is new enough.
    #[error("{language} needs one of {programs}: none is installed. Install one, or choose another language")]
    NoneInstalled {
        /// The language of the block.
        language: Language,
        /// The programs, with the required version where an older one is installed.
        programs: String,
    },
    /// Neither sayso nor the configuration knows a program for the language.
    #[error("{0} can't be run: no interpreter is configured for it")]
    NoInterpreter(Language),
    /// The packages are to be installed beside the session, but the only pip is the project's.
    #[error(
        "the project's own Python installs into its .venv only: send the packages there, or choose another Python (python = \
         PATH)"
    )]
    ProjectPip,
    /// A terminal was asked for, but the backend has none.
    #[error(
        "it would have no terminal of its own here: only blocks that run as programs of this machine can. T takes the wish back"
    )]
    NoTerminal,
    /// This interpreter has no module `pip`.
    #[error("neither uv nor pip is there for {}: install uv, or the package python3-pip", .0.display())]
    NoPip(PathBuf),
    /// Packages for JavaScript were asked for, but npm is not installed.
    #[error("npm is not installed: install it")]
    NoNpm,
    /// sayso starts no installer for the language.
    #[error("packages for {0} can't be installed from here")]
    NoInstaller(Language),
    /// The list says `into: .venv`, but there is no such environment.
    #[error(
        "the project has no .venv that is the environment in use: take the line out of the list, and they go beside the \
         session"
    )]
    NoVenv,
    /// This limit (its name on screen) is above that of the kernel. A process can only lower its own limits.
    #[error(
        "the limit on {0} is higher than its kernel was started with, and can't be raised in it: K runs the block in a \
         new kernel, t sets a lower limit"
    )]
    KernelLimit(&'static str),
    /// A new kernel was asked for, but the language has none.
    #[error("{0} blocks start anew each time: there is no kernel to replace. K goes back")]
    NoKernel(Language),
    /// Files of functions were named for an executor whose kernels are not sayso's own.
    #[error(
        "files of functions are loaded into sayso's own kernels only, here or in a container: leave --functions out, or \
         choose another executor"
    )]
    NoFunctions,
    /// An image was asked for, but no container engine is chosen.
    #[error("images are pulled by container engines only: choose --executor container")]
    NoEngine,
    /// Something was to be fetched that is neither a package nor an image.
    #[error("{0} can't be fetched")]
    NotFetched(String),
    /// The feature was left out of this build.
    #[error("this sayso was built without {0}")]
    NotBuilt(String),
    /// The executor was closed; the text says what no longer happens.
    #[error("sayso is ending: nothing {0} any more")]
    Ending(&'static str),
    /// The thread of the executor panicked. It is not started again: the generations of its kernels went with it.
    #[error(
        "the executor broke off inside sayso, and nothing runs any more: open the session again; the log tells more"
    )]
    BrokeOff,
}

impl ExecutorError {
    /// Whether a folder that the person named for runs is the reason.
    pub(crate) fn is_about_named_folder(&self) -> bool {
        use SandboxError::{KernelFolder, NoFolder, OwnFolder};
        #[cfg(feature = "docker")]
        if matches!(self, Self::Container(ContainerError::Granted { .. })) {
            return true;
        }
        matches!(self, Self::Sandbox(NoFolder(..) | OwnFolder(_) | KernelFolder(_)))
    }
}

#[cfg(all(test, feature = "docker"))]
mod tests {
    use super::*;

    #[test]
    fn a_named_folder_that_no_container_gets_is_the_reason_and_the_working_folder_is_not() {
        let granted = ContainerError::Granted { path: "/gone".into(), why: "not there".into() };
        assert!(ExecutorError::from(granted).is_about_named_folder());
        let working = ContainerError::Folder { path: "/".into(), why: "it is the root" };
        assert!(!ExecutorError::from(working).is_about_named_folder());
    }
}

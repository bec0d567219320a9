//! What can go wrong with Jupyter kernels. Each text says what to do next.

use crate::domain::Language;
use std::path::PathBuf;

/// Why a block can't run in a Jupyter kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JupyterError {
    /// A sandbox was asked for, which Jupyter kernels do not have.
    #[error("{}", crate::domain::sentences::sandbox::JUPYTER_ASKED)]
    Sandbox,
    /// There is no kernel for the language.
    #[error(
        "no Jupyter kernel for {language} was found {place} (there is {there}); install one, for Python: \
         pip install ipykernel, or name another place in [executors.jupyter]"
    )]
    NoKernel {
        language: String,
        /// A phrase for where it was searched.
        place: String,
        there: String,
    },
    /// There is no kernel of this name.
    #[error("there is no Jupyter kernel {name} {place}; there is {there}")]
    NoName {
        name: String,
        /// A phrase for where it was searched.
        place: String,
        there: String,
    },
    /// The named kernel runs another language.
    #[error("the Jupyter kernel {name} runs {own}, not {language}")]
    Language {
        name: String,
        own: String,
        /// The language of the block.
        language: String,
    },
    /// Packages for the language can't be installed on a server from here.
    #[error("packages for {0} are installed on the Jupyter server, not from here")]
    ServerPackages(Language),
    /// Packages can't be installed for a Jupyter kernel on this machine.
    #[error(
        "install them into the environment of the Jupyter kernel, as its pip or npm does it: a kernel's own packages are \
         not sayso's"
    )]
    OwnPackages,
    /// The description of a kernel can't be used.
    #[error("the description of the kernel in {} can't be used: {why}", path.display())]
    Spec { path: PathBuf, why: String },
    /// The kernel could not be started, or was not ready in time.
    #[error("the Jupyter kernel {name} could not be started: {why}")]
    NotStarted { name: String, why: String },
    /// The token is not available.
    #[error("the token of the Jupyter server can't be had: {0}")]
    Token(String),
    /// The server does not answer, or not as expected.
    #[error("the Jupyter server at {url} {why}")]
    Server {
        url: String,
        /// What happened, and what to do.
        why: String,
    },
}

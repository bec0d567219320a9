//! What can go wrong with Jupyter kernels, in words that say what to do next.

use std::path::PathBuf;

/// Why a block can't run in a Jupyter kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum JupyterError {
    /// A sandbox was asked for.
    #[error("{}", crate::domain::sentences::sandbox::JUPYTER_ASKED)]
    Sandbox,
    /// There is no kernel for the language.
    #[error(
        "no Jupyter kernel for {language} was found {place} (there is {there}); install one, for Python: \
         pip install ipykernel, or name another place in [executors.jupyter]"
    )]
    NoKernel {
        /// The language.
        language: String,
        /// Where it was looked for.
        place: String,
        /// What was found.
        there: String,
    },
    /// There is no kernel of this name.
    #[error("there is no Jupyter kernel {name} {place}; there is {there}")]
    NoName {
        /// The name.
        name: String,
        /// Where it was looked for.
        place: String,
        /// What was found.
        there: String,
    },
    /// The kernel speaks another language.
    #[error("the Jupyter kernel {name} runs {own}, not {language}")]
    Language {
        /// The kernel.
        name: String,
        /// Its language.
        own: String,
        /// The language of the block.
        language: String,
    },
    /// Its description can't be used.
    #[error("the description of the kernel in {} can't be used: {why}", path.display())]
    Spec {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// The kernel could not be started, or is not ready in time.
    #[error("the Jupyter kernel {name} could not be started: {why}")]
    NotStarted {
        /// The kernel.
        name: String,
        /// What was seen.
        why: String,
    },
    /// The token can't be had.
    #[error("the token of the Jupyter server can't be had: {0}")]
    Token(String),
    /// The server does not answer, or not as it should.
    #[error("the Jupyter server at {url} {why}")]
    Server {
        /// Its address.
        url: String,
        /// What was seen, and what to do.
        why: String,
    },
}

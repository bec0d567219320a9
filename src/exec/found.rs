//! What runs elsewhere would find: the container engine with its images, the Jupyter kernels. Looks, starts nothing.

use crate::config::{ContainerExecutor, JupyterExecutor};
use crate::launch::Launcher;
use std::path::Path;

/// A container engine that answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundEngine {
    /// Its address.
    pub address: String,
    /// What it calls itself, with its version: `Docker 28.2.2`.
    pub version: String,
    /// The images of the configuration.
    pub images: Vec<FoundImage>,
}

/// An image of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundImage {
    /// Its name.
    pub name: String,
    /// The languages that run in it.
    pub languages: Vec<String>,
    /// The first digits of its id, or why it is not there.
    pub there: Result<String, String>,
}

/// Jupyter kernels that could be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernels {
    /// Where: `on this machine`, `at https://hub.example`.
    pub place: String,
    /// Each with its language.
    pub names: Vec<(String, String)>,
}

/// The container engine, and which images of the configuration it has.
///
/// # Errors
/// In words, with what to do, when there is none or it does not answer.
pub async fn engine(config: &ContainerExecutor, programs: &Launcher) -> Result<FoundEngine, String> {
    #[cfg(feature = "docker")]
    return super::container::found(config, programs).await.map_err(|error| error.to_string());
    #[cfg(not(feature = "docker"))]
    {
        let _ = (config, programs);
        Err("this sayso was built without containers".into())
    }
}

/// The Jupyter kernels of the configuration's server, or of this machine. `python` is the one that is set.
///
/// # Errors
/// In words, with what to do, when a server does not tell them.
pub async fn kernels(
    config: &JupyterExecutor,
    python: Option<&Path>,
    programs: &Launcher,
) -> Result<Kernels, String> {
    #[cfg(feature = "jupyter")]
    return super::jupyter::found(config, python, programs).await.map_err(|error| error.to_string());
    #[cfg(not(feature = "jupyter"))]
    {
        let _ = (config, python, programs);
        Err("this sayso was built without Jupyter kernels".into())
    }
}

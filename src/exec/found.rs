//! What runs elsewhere would find: the container engine with its images, the Jupyter kernels. Looks, starts nothing.

mod answer;

pub(crate) use answer::{FoundEngine, FoundImage, Kernels};

use crate::config::{ContainerExecutor, JupyterExecutor};
use crate::launch::Launcher;
use std::path::Path;

/// The container engine, and which images of the configuration it has.
///
/// # Errors
/// In words, with what to do, when there is none or it does not answer.
pub(crate) async fn engine(config: &ContainerExecutor, programs: &Launcher) -> Result<FoundEngine, String> {
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
pub(crate) async fn kernels(
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

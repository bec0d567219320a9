//! Finds what runs elsewhere could use: the container engine with its images, and Jupyter kernels. Starts nothing.

mod answer;

pub(crate) use answer::{FoundEngine, FoundImage, Kernels};

use super::ExecutorError;
use crate::config::{ContainerExecutor, JupyterExecutor};
use crate::domain::{Language, Languages};
use crate::launch::Launcher;
use std::path::Path;

/// The container engine, and which of the configured images it has.
///
/// # Errors
/// When there is none or it does not answer.
pub(crate) async fn engine(
    config: &ContainerExecutor,
    programs: &Launcher,
) -> Result<FoundEngine, ExecutorError> {
    #[cfg(feature = "docker")]
    return Ok(super::container::discover(config, programs).await?);
    #[cfg(not(feature = "docker"))]
    {
        let _ = (config, programs);
        Err(ExecutorError::NotBuilt("containers".into()))
    }
}

/// Which of these languages a Jupyter kernel of this machine runs, or the `wanted` kernel if one is named. `python` is
/// the Python that the person set.
pub(crate) fn kernel_languages(
    languages: &Languages,
    python: Option<&Path>,
    wanted: Option<&str>,
) -> Vec<Language> {
    #[cfg(feature = "jupyter")]
    return super::jupyter::languages_here(languages, python, wanted);
    #[cfg(not(feature = "jupyter"))]
    {
        let _ = (languages, python, wanted);
        Vec::new()
    }
}

/// The Jupyter kernels of the configured server, or of this machine. `python` is the Python that the person set.
///
/// # Errors
/// When a server does not list its kernels.
pub(crate) async fn kernels(
    config: &JupyterExecutor,
    python: Option<&Path>,
    programs: &Launcher,
) -> Result<Kernels, ExecutorError> {
    #[cfg(feature = "jupyter")]
    return Ok(super::jupyter::discover(config, python, programs).await?);
    #[cfg(not(feature = "jupyter"))]
    {
        let _ = (config, python, programs);
        Err(ExecutorError::NotBuilt("Jupyter kernels".into()))
    }
}

//! Where the layers of Linux are not there: only the limits that the outer tool does not set could be entered, and none
//! are yet. What can't be entered is refused, so that nothing is claimed.

use super::confinement::Confinement;
use super::layer_error::LayerError;

/// Enters a confinement.
///
/// # Errors
/// When it holds a layer that is not for this system.
pub fn enter(confinement: &Confinement) -> Result<(), LayerError> {
    match confinement {
        Confinement { file_rules: Some(_), .. } => Err(LayerError::Landlock("it is for Linux".into())),
        Confinement { calls: Some(_), .. } => Err(LayerError::seccomp("it is for Linux")),
        _ => Ok(()),
    }
}

/// Gives up every system call but those of computing.
///
/// # Errors
/// Always: it is for Linux.
pub(crate) fn only_compute() -> Result<(), LayerError> {
    Err(LayerError::seccomp("it is for Linux"))
}

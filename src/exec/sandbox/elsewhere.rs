//! Replaces `enter` on systems other than Linux, where the layers do not exist: refuses what can't be entered, so that
//! nothing false is claimed. Limits are ignored.

use super::confinement::Confinement;
use super::layer_error::LayerError;

/// Enters a confinement.
///
/// # Errors
/// When it contains a layer that exists only on Linux.
pub fn enter(confinement: &Confinement) -> Result<(), LayerError> {
    match confinement {
        Confinement { file_rules: Some(_), .. } => Err(LayerError::Landlock("it is for Linux".into())),
        Confinement { calls: Some(_), .. } => Err(LayerError::seccomp("it is for Linux")),
        _ => Ok(()),
    }
}

/// Would give up every system call except those for computing.
///
/// # Errors
/// Always: it exists only on Linux.
pub(crate) fn only_compute() -> Result<(), LayerError> {
    Err(LayerError::seccomp("it is for Linux"))
}

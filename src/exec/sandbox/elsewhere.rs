//! Where the layers of Linux are not there: only the limits that the outer tool does not set could be entered, and none
//! are yet. What can't be entered is refused, so that nothing is claimed.

use super::confinement::Confinement;

/// Enters a confinement.
///
/// # Errors
/// When it holds a layer that is not for this system.
pub fn enter(confinement: &Confinement) -> Result<(), String> {
    match confinement {
        Confinement { walls: Some(_), .. } => Err("landlock: it is for Linux".into()),
        Confinement { calls: Some(_), .. } => Err("seccomp: it is for Linux".into()),
        _ => Ok(()),
    }
}

/// Gives up every system call but those of computing.
///
/// # Errors
/// Always: it is for Linux.
pub fn only_compute() -> Result<(), String> {
    Err("seccomp: it is for Linux".into())
}

//! Why there is no control group for runs.

use std::io;

/// What can be done where there is no place for groups.
const REMEDY: &str = "`systemd-run --user --scope -p Delegate=yes sayso` gives it a group of its own";

/// Why groups can't be made or used, as it is told of the layer.
#[derive(Debug, thiserror::Error)]
pub enum CgroupError {
    /// The person does without.
    #[error("left out")]
    LeftOut,
    /// The kernel has none, or has those of version 1.
    #[error("control groups of version 2 are not mounted here")]
    NotMounted,
    /// `/proc/self/cgroup` names no group of version 2.
    #[error("this process is in no group")]
    NoGroup,
    /// The group lies outside of what is mounted, as in a container that has no name space for it.
    #[error("the group of this process is out of sight")]
    OutOfSight,
    /// It is the root: its limits are nobody's to set.
    #[error("the group of this process has no parent")]
    NoParent,
    /// These controllers are lacking.
    #[error("the group of this process has no control of {0}; {REMEDY}")]
    NoControl(String),
    /// A group with processes of its own can't hand control on, and these are not sayso's to move.
    #[error("other processes are in the group of this one; {REMEDY}")]
    Shared,
    /// The system did not let controllers be handed on.
    #[error("the group of this process can't have others ({0}); {REMEDY}")]
    Refused(io::Error),
    /// A file of the group could not be read or written.
    #[error("a group was made and could not be used: {0}")]
    Unusable(#[from] io::Error),
    /// What the process said that should have entered it.
    #[error("a group was made and could not be used: {0}")]
    NotEntered(String),
}

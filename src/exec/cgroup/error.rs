//! Why there is no control group for runs.

use crate::text::system_error::words;
use std::io;

/// What the person can do if no group can be made.
const REMEDY: &str = "`systemd-run --user --scope -p Delegate=yes sayso` gives it a group of its own";

/// Why groups can't be made or used; the text is shown with the layer.
#[derive(Debug, thiserror::Error)]
pub enum CgroupError {
    /// The person switched the layer off.
    #[error("left out")]
    LeftOut,
    /// The kernel has none, or has those of version 1.
    #[error("control groups of version 2 are not mounted here")]
    NotMounted,
    /// `/proc/self/cgroup` names no group of version 2.
    #[error("this process is in no group")]
    NoGroup,
    /// The group lies outside of the mounted hierarchy, as in a container without a cgroup namespace.
    #[error("the group of this process is out of sight")]
    OutOfSight,
    /// The group is the root, whose limits nobody can set.
    #[error("the group of this process has no parent")]
    NoParent,
    /// The group has no control of these controllers.
    #[error("the group of this process has no control of {0}; {REMEDY}")]
    NoControl(String),
    /// A group that contains processes can't delegate controllers, and these processes are not sayso's to move.
    #[error("other processes are in the group of this one; {REMEDY}")]
    Shared,
    /// The system refused to delegate controllers.
    #[error("the group of this process can't have others ({}); {REMEDY}", words(.0))]
    Refused(io::Error),
    /// A file of the group could not be read or written.
    #[error("a group was made and could not be used: {}", words(.0))]
    Unusable(#[from] io::Error),
    /// The process that should have entered the group failed; what it printed.
    #[error("a group was made and could not be used: {0}")]
    NotEntered(String),
}

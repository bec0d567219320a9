//! Why there is no control group for runs.

#![allow(missing_docs)] // A line that would only repeat a text is left out.

use std::io;

/// What can be done where there is no place for groups.
const REMEDY: &str = "`systemd-run --user --scope -p Delegate=yes sayso` gives it a group of its own";

/// Why groups can't be made or used, as it is told of the layer.
#[derive(Debug, thiserror::Error)]
pub enum CgroupError {
    /// The person does without.
    #[error("left out")]
    LeftOut,
    #[error("control groups of version 2 are not mounted here")]
    NotMounted,
    #[error("this process is in no group")]
    NoGroup,
    #[error("the group of this process is out of sight")]
    OutOfSight,
    #[error("the group of this process has no parent")]
    NoParent,
    /// These controllers are lacking.
    #[error("the group of this process has no control of {0}; {REMEDY}")]
    NoControl(String),
    #[error("other processes are in the group of this one; {REMEDY}")]
    Shared,
    #[error("the group of this process can't have others ({0}); {REMEDY}")]
    Refused(io::Error),
    #[error("a group was made and could not be used: {0}")]
    Unusable(#[from] io::Error),
    /// What the process said that should have entered it.
    #[error("a group was made and could not be used: {0}")]
    NotEntered(String),
}

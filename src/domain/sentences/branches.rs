//! Sentences about what a session is a branch of.

use crate::domain::BranchPlace;

/// Where a branch began, to follow the original's name: `, from block 3 on`.
pub(crate) fn place(at: Option<BranchPlace>) -> String {
    at.map_or_else(String::new, |at| format!(", from {at} on"))
}

/// `branch of sales-q3, from block 3 on`; `None`: the original session no longer exists.
pub(crate) fn branch(of: Option<&str>, at: Option<BranchPlace>) -> String {
    format!("branch of {}{}", of.unwrap_or("a session that is gone"), place(at))
}

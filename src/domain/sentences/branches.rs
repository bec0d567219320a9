//! What a session is a branch of.

use crate::domain::BranchPlace;

/// Where a branch left, behind what it is a branch of: `, from block 3 on`.
pub(crate) fn place(at: Option<BranchPlace>) -> String {
    at.map_or_else(String::new, |at| format!(", from {at} on"))
}

/// `branch of sales-q3, from block 3 on`; `None`: what it left is not there any more.
pub(crate) fn branch(of: Option<&str>, at: Option<BranchPlace>) -> String {
    format!("branch of {}{}", of.unwrap_or("a session that is gone"), place(at))
}

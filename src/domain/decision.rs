//! What the person chose, and when they have to be asked.

use super::{Review, Severity};

/// What was chosen for one revision of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Run exactly this, once. `typed` tells that the word `run` was typed for it.
    Approve {
        /// Whether the person typed the word, as high findings and a missing sandbox demand.
        typed: bool,
    },
    /// Replace the text; the new revision is reviewed and asked about again.
    Edit(String),
    /// Don't run it, and tell the model why (empty: no reason was given).
    Reject(String),
    /// Don't run it, and don't speak of it.
    Skip,
}

/// What policy says of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may run without asking.
    Allow,
    /// The person has to be asked.
    Ask,
    /// It may not run until it is edited.
    Deny,
}

/// When to ask. The terminal always asks; `run --approve` and `exec` are granted more by their caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Policy {
    /// Ask for every block.
    #[default]
    Ask,
    /// Blocks without a medium or high finding may run.
    Clean,
    /// Every block may run.
    All,
}

impl Policy {
    /// What this policy says of a block with that review.
    pub fn judge(self, review: &Review) -> Verdict {
        match self {
            _ if review.forbidden() => Verdict::Deny,
            Policy::Ask => Verdict::Ask,
            Policy::Clean if review.gravest() < Some(Severity::Medium) && review.unchecked.is_none() => {
                Verdict::Allow
            }
            Policy::Clean => Verdict::Ask,
            Policy::All => Verdict::Allow,
        }
    }
}

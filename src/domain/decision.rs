//! The decisions that the person makes about a block, and the policy that says when to ask for one.

use super::{BlockId, Review, RuleId, Sha256, Terms};
use serde::{Deserialize, Serialize};

/// A decision about one revision of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Run exactly this text, once.
    Approve {
        /// Whether the person typed the word `run`, as high findings and a missing sandbox demand.
        typed: bool,
    },
    /// Run exactly this text now, and in this session also later blocks that the rule covers.
    Always(RuleScope),
    /// Replace the text; the new revision is reviewed and asked about again.
    Edit(String),
    /// Don't run it, and tell the model why (empty: no reason given).
    Reject(String),
    /// Don't run it, and don't tell the model.
    Skip,
}

/// What a policy says about a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It may run without asking.
    Allow,
    /// The person has to be asked.
    Ask,
    /// It may not run until it is edited.
    Deny,
}

/// When to ask the person. The terminal always asks; `run --approve` and `exec` may allow more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Policy {
    /// Ask for every block.
    #[default]
    Ask,
    /// Blocks that were checked in full and have no medium or high finding may run.
    Clean,
    /// Every block may run.
    All,
}

impl Policy {
    /// Applies the policy to a block with this review.
    pub(crate) fn judge(self, review: &Review) -> Verdict {
        match self {
            _ if review.forbidden() => Verdict::Deny,
            Policy::Ask => Verdict::Ask,
            Policy::Clean if review.is_clean() => Verdict::Allow,
            Policy::Clean => Verdict::Ask,
            Policy::All => Verdict::Allow,
        }
    }
}

/// How far an "always" reaches. There is no wider scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleScope {
    /// The same bytes in the same language and folder, with the same rights.
    SameText,
    /// Blocks of the same language without any finding, with the same rights and no network.
    Clean,
    /// Blocks of any language that only read, where the sandbox enforces it.
    Reading,
}

impl RuleScope {
    /// All scopes, the narrowest first.
    pub(crate) const ALL: [RuleScope; 3] = [RuleScope::SameText, RuleScope::Clean, RuleScope::Reading];
}

/// One "always" that the person granted. It holds until it is revoked, at most as long as the process lives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    #[serde(rename = "rule")]
    pub(crate) id: RuleId,
    pub(crate) scope: RuleScope,
    /// The block at which it was granted.
    pub(crate) block: BlockId,
    pub(crate) sha256: Sha256,
    /// The terms of that block: the rule covers no block with more rights or other limits.
    pub(crate) terms: Terms,
}

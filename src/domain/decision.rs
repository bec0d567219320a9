//! What the person chose, and when they have to be asked.

use super::{BlockId, Review, RuleId, Sha256, Terms};
use serde::{Deserialize, Serialize};

/// What was chosen for one revision of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Run exactly this, once. `typed` tells that the word `run` was typed for it.
    Approve {
        /// Whether the person typed the word, as high findings and a missing sandbox demand.
        typed: bool,
    },
    /// Run exactly this now, and from now on in this session also what the rule covers that comes of it.
    Always(RuleScope),
    /// Replace the text; the new revision is reviewed and asked about again.
    Edit(String),
    /// Don't run it, and tell the model why (empty: no reason was given).
    Reject(String),
    /// Don't run it, and don't speak of it.
    Skip,
}

/// What policy says of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
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
    /// Blocks that were checked in full and have no medium or high finding may run.
    Clean,
    /// Every block may run.
    All,
}

impl Policy {
    /// What this policy says of a block with that review.
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

/// How far an "always" of the person reaches. There is no wider one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleScope {
    /// The same bytes again, in the same language and folder, with the same rights.
    SameText,
    /// Blocks of the same language without any finding, with the same rights and no network.
    Clean,
    /// Blocks of any language that only read, where the sandbox sees to it that they do.
    Reading,
}

impl RuleScope {
    /// All of them, the narrowest first.
    pub(crate) const ALL: [RuleScope; 3] = [RuleScope::SameText, RuleScope::Clean, RuleScope::Reading];
}

/// One "always" that the person granted. It holds until it is revoked, and no longer than the process lives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// Its number on screen.
    #[serde(rename = "rule")]
    pub(crate) id: RuleId,
    /// How far it reaches.
    pub(crate) scope: RuleScope,
    /// The block on which it was granted.
    pub(crate) block: BlockId,
    /// The hash of that block's bytes.
    pub(crate) sha256: Sha256,
    /// The terms of that block: a rule covers nothing that has more rights or other limits.
    pub(crate) terms: Terms,
}

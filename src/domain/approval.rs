//! Proof that somebody decided for a run ([`Approval`]), and the order that can only be made from it ([`RunRequest`]).
//!
//! The fields are private, so what was granted can't be changed afterwards. Only `engine/approval.rs` calls
//! [`Approval::grant`]; `tests/architecture.rs` checks this.

use super::{BlockId, Revision, RuleId, RunId, Sha256, Terms, Timestamp};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Who decided for a run, and how. Session files store it in the fields `by` and `typed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "GrantorWords", try_from = "GrantorWords")]
pub enum Grantor {
    /// The person pressed a key in the review.
    Person {
        /// Whether the person also typed the word `run`.
        typed: bool,
    },
    /// The person named the file on the command line (`sayso exec`).
    CommandLine,
    /// The person gave the flag `run --approve clean|all`.
    Flag,
    /// The person granted an "always" (a rule), and it covers the block.
    Rule(RuleId),
    /// The person approved the same bytes under the same terms earlier in this session, for an earlier kernel.
    Before,
    /// The person approved a plan that names this block and these bytes.
    Plan,
}

impl Grantor {
    /// The value of `by` in session files: `person`, `person-typed`, `named`, `flag`, `rule`, `before`, `plan`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Grantor::Person { typed: false } => "person",
            Grantor::Person { typed: true } => "person-typed",
            Grantor::CommandLine => "named",
            Grantor::Flag => "flag",
            Grantor::Rule(_) => "rule",
            Grantor::Before => "before",
            Grantor::Plan => "plan",
        }
    }

    /// The rule by which the run was granted.
    pub(crate) fn rule(self) -> Option<RuleId> {
        match self {
            Grantor::Rule(rule) => Some(rule),
            _ => None,
        }
    }
}

/// How session files store a [`Grantor`]: its name, and the rule in a field of its own.
#[derive(Serialize, Deserialize)]
struct GrantorWords {
    by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<RuleId>,
}

impl From<Grantor> for GrantorWords {
    fn from(by: Grantor) -> Self {
        Self { by: by.as_str().into(), rule: by.rule() }
    }
}

impl TryFrom<GrantorWords> for Grantor {
    type Error = &'static str;

    fn try_from(words: GrantorWords) -> Result<Self, Self::Error> {
        Ok(match (words.by.as_str(), words.rule) {
            ("person", _) => Grantor::Person { typed: false },
            ("person-typed", _) => Grantor::Person { typed: true },
            ("named", _) => Grantor::CommandLine,
            ("flag", _) => Grantor::Flag,
            ("rule", Some(rule)) => Grantor::Rule(rule),
            ("before", _) => Grantor::Before,
            ("plan", _) => Grantor::Plan,
            _ => return Err("its field \"by\" names nobody who can approve"),
        })
    }
}

/// Proof of a decision to run exactly these bytes under exactly these terms, once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    run: RunId,
    block: BlockId,
    revision: Revision,
    sha256: Sha256,
    terms: Terms,
    by: Grantor,
    at: Timestamp,
}

impl Approval {
    /// Grants a run. Only `engine/approval.rs` may call this.
    pub fn grant(
        run: RunId,
        (block, revision): (BlockId, Revision),
        source: &str,
        terms: Terms,
        by: Grantor,
        at: Timestamp,
    ) -> Self {
        Self { run, block, revision, sha256: Sha256::of(source.as_bytes()), terms, by, at }
    }

    /// The run that this allows.
    pub fn run(&self) -> RunId {
        self.run
    }

    pub(crate) fn block(&self) -> BlockId {
        self.block
    }

    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    /// The hash of the approved bytes.
    pub(crate) fn sha256(&self) -> Sha256 {
        self.sha256
    }

    /// What the run may do, as it was shown.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    pub(crate) fn by(&self) -> Grantor {
        self.by
    }
}

/// The given bytes are not those that were approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the text is not the one that was approved (approved {approved}, given {given})")]
pub struct Mismatch {
    pub(crate) approved: Sha256,
    pub(crate) given: Sha256,
}

/// The order to carry out an approved run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRequest {
    approval: Approval,
    source: Arc<str>,
    name: Option<String>,
}

impl RunRequest {
    /// Joins an approval with the bytes that it was given for.
    ///
    /// # Errors
    /// When these are other bytes.
    pub fn new(approval: Approval, source: Arc<str>) -> Result<Self, Mismatch> {
        let given = Sha256::of(source.as_bytes());
        if given == approval.sha256 {
            Ok(Self { approval, source, name: None })
        } else {
            Err(Mismatch { approved: approval.sha256, given })
        }
    }

    /// The approval that allows this run.
    pub fn approval(&self) -> &Approval {
        &self.approval
    }

    /// Sets the file name that messages use for this text, where the person named a file.
    #[must_use]
    pub fn named(self, name: Option<String>) -> Self {
        Self { name, ..self }
    }

    /// What messages call the text: the name of the file that the person named, else `block` and its number.
    pub fn label(&self) -> String {
        self.name.clone().unwrap_or_else(|| format!("block {}", self.approval.block()))
    }

    /// The bytes that were approved; [`RunRequest::new`] compared their hash.
    pub(crate) fn source(&self) -> &Arc<str> {
        &self.source
    }
}

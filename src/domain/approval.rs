//! The proof that a run was decided for, and the order that can only be made from it.
//!
//! The fields are private: what was granted can't be changed afterwards. [`Approval::grant`] is called in
//! `engine/approval.rs` only; a test of the architecture sees to that.

use super::{BlockId, Revision, RuleId, RunId, Sha256, Terms, Timestamp};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Whose word an approval is. In files these are the fields `by` and `typed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "GrantorWords", try_from = "GrantorWords")]
pub enum Grantor {
    /// The person, by a key in the review; `typed` tells that the word was typed.
    Person {
        /// Whether the word `run` was typed for it.
        typed: bool,
    },
    /// The person, by naming the file on the command line (`sayso exec`).
    Named,
    /// The person, by `run --approve clean|all`.
    Flag,
    /// The person, by an "always" that covers the block.
    Rule(RuleId),
    /// The person, who approved the same bytes under the same terms earlier in this session, for an earlier kernel.
    Before,
    /// The person, who approved a plan that names this block and these bytes.
    Plan,
}

impl Grantor {
    /// The word in session files: `person`, `person-typed`, `named`, `flag`, `rule`, `before`, `plan`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Grantor::Person { typed: false } => "person",
            Grantor::Person { typed: true } => "person-typed",
            Grantor::Named => "named",
            Grantor::Flag => "flag",
            Grantor::Rule(_) => "rule",
            Grantor::Before => "before",
            Grantor::Plan => "plan",
        }
    }

    /// The rule by which it was granted.
    pub(crate) fn rule(self) -> Option<RuleId> {
        match self {
            Grantor::Rule(rule) => Some(rule),
            _ => None,
        }
    }
}

/// A grantor in session files: the word, and the rule beside it.
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
            ("named", _) => Grantor::Named,
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
    /// Grants a run. Stands in `engine/approval.rs` only.
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

    /// The run that it allows.
    pub fn run(&self) -> RunId {
        self.run
    }

    /// The block whose text was approved.
    pub(crate) fn block(&self) -> BlockId {
        self.block
    }

    /// The version of the block.
    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    /// The hash of the bytes.
    pub(crate) fn sha256(&self) -> Sha256 {
        self.sha256
    }

    /// What the run may do, as it was shown.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Who decided.
    pub(crate) fn by(&self) -> Grantor {
        self.by
    }
}

/// The bytes are not those that were approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the text is not the one that was approved (approved {approved}, given {given})")]
pub struct Mismatch {
    /// The hash in the approval.
    pub(crate) approved: Sha256,
    /// The hash of what was given.
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
    /// When the bytes are others.
    pub fn new(approval: Approval, source: Arc<str>) -> Result<Self, Mismatch> {
        let given = Sha256::of(source.as_bytes());
        if given == approval.sha256 {
            Ok(Self { approval, source, name: None })
        } else {
            Err(Mismatch { approved: approval.sha256, given })
        }
    }

    /// The decision that allows this run.
    pub fn approval(&self) -> &Approval {
        &self.approval
    }

    /// The same, for a text that the person named as a file: its messages call it so.
    #[must_use]
    pub fn named(self, name: Option<String>) -> Self {
        Self { name, ..self }
    }

    /// What its messages call the text: the file that the person named, else the block.
    pub fn label(&self) -> String {
        self.name.clone().unwrap_or_else(|| format!("block {}", self.approval.block()))
    }

    /// The bytes that were approved; [`RunRequest::new`] compared their hash.
    pub(crate) fn source(&self) -> &Arc<str> {
        &self.source
    }
}

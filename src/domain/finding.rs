//! The result of a review: findings, effects and traces. It is advice; the person decides, and the sandbox enforces.

use super::word::words;
use super::{TextRange, Trace};
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// How much a finding matters.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; holds up nobody.
    #[default]
    Info,
    /// Worth checking before the decision.
    Medium,
    /// Needs the typed word before it runs. In files, a severity of a later version is read as this.
    #[serde(other)]
    High,
}

words!(Severity);

/// One remark of the review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule that found it: `py.delete-tree`.
    pub rule: String,
    /// How much it matters.
    pub severity: Severity,
    /// Its position in the block's text.
    #[serde(flatten)]
    pub place: TextRange,
    /// What was found, with the concrete object: `deletes a folder: out/charts`.
    pub message: String,
    /// Whether the person's list `review.forbid` forbids it: then the block may not run until it is edited.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forbidden: bool,
}

impl Finding {
    /// A finding about the text as a whole, not forbidden.
    pub(crate) fn new(rule: &str, severity: Severity, message: impl Into<String>) -> Self {
        Self {
            rule: rule.into(),
            severity,
            place: TextRange::default(),
            message: message.into(),
            forbidden: false,
        }
    }
}

/// What a block would do, as far as its text shows. An empty list: nothing of that kind was found.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Effects {
    /// Paths that would be read.
    pub reads: Vec<String>,
    /// Paths that would be written.
    pub writes: Vec<String>,
    /// Paths that would be deleted.
    pub deletes: Vec<String>,
    /// Hosts that would be reached.
    pub hosts: Vec<String>,
    /// Programs that would be started.
    pub programs: Vec<String>,
    /// Packages that would be installed.
    pub packages: Vec<String>,
    /// Names of environment variables that would be read; `*` is all of them.
    pub environment: Vec<String>,
    /// Whether some effect could not be determined.
    pub unknown: bool,
}

/// The review of one version of a block. Findings are sorted by place.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Review {
    /// What the rules found in the text.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// What the block would do.
    pub effects: Effects,
    /// Words of the text that came from an output or a file, in order.
    #[serde(default, deserialize_with = "super::serial::readable", skip_serializing_if = "Vec::is_empty")]
    pub traces: Vec<Trace>,
    /// Why parts were not checked (too large, no grammar for the language); `None` if all was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<String>,
}

impl Review {
    /// The gravest severity among the findings.
    pub(crate) fn gravest(&self) -> Option<Severity> {
        self.findings.iter().map(|f| f.severity).max()
    }

    /// Whether approving takes the typed word: there is a high finding, or not all of the text was checked. Front ends,
    /// rules and plans all use this.
    pub(crate) fn needs_typed_word(&self) -> bool {
        self.unchecked.is_some() || self.gravest() == Some(Severity::High)
    }

    /// Whether all of the text was checked, and no finding is medium or high.
    pub(crate) fn is_clean(&self) -> bool {
        self.unchecked.is_none() && self.gravest() < Some(Severity::Medium)
    }

    /// Whether something in the block is forbidden; the findings say what, and where.
    pub(crate) fn forbidden(&self) -> bool {
        self.findings.iter().any(|f| f.forbidden)
    }

    /// How many findings have this severity.
    pub(crate) fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|f| f.severity == severity).count()
    }
}

//! What the review has to say about a block. Advice: the person decides, the sandbox bars.

use super::{Place, Trace};
use serde::{Deserialize, Serialize};

/// How much a finding matters.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nobody is held up by it.
    #[default]
    Info,
    /// Worth a look before the decision.
    Medium,
    /// Needs the typed word before it runs. In files, also one of a later version.
    #[serde(other)]
    High,
}

impl Severity {
    /// The word in JSON, rules and configuration: `info`, `medium`, `high`.
    pub(crate) fn as_str(self) -> &'static str {
        self.into()
    }
}

/// One remark of the review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule that made it, `py.delete-tree`.
    pub rule: String,
    /// How much it matters.
    pub severity: Severity,
    /// Where it stands in the block's text.
    #[serde(flatten)]
    pub place: Place,
    /// What it is, naming the concrete thing: `deletes a folder: out/charts`.
    pub message: String,
    /// Whether the person's list of forbidden things (`review.forbid`) names it: then the block may not run as it is.
    #[serde(default, skip_serializing_if = "super::serial::is_false")]
    pub forbidden: bool,
}

impl Finding {
    /// A finding about the text as a whole, which nobody forbade.
    pub(crate) fn new(rule: &str, severity: Severity, message: impl Into<String>) -> Self {
        Self {
            rule: rule.into(),
            severity,
            place: Place::default(),
            message: message.into(),
            forbidden: false,
        }
    }
}

/// What a block would do, as far as it can be told from its text. Empty lists: nothing of that kind was seen.
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
    /// Whether something could not be told.
    pub unknown: bool,
}

/// The review of one version of a block. Findings are sorted by place.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Review {
    /// What the rules found in its text.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// What the block would do.
    pub effects: Effects,
    /// Which of its words came from an output or a file, in their order.
    #[serde(default, deserialize_with = "super::serial::readable", skip_serializing_if = "Vec::is_empty")]
    pub traces: Vec<Trace>,
    /// Why parts were not looked at (too large, no grammar for the language), where that is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<String>,
}

impl Review {
    /// The gravest severity among the findings.
    pub(crate) fn gravest(&self) -> Option<Severity> {
        self.findings.iter().map(|f| f.severity).max()
    }

    /// Whether a yes takes the typed word: something grave was found, or not all of it was checked. The one value that
    /// front ends, rules and plans ask.
    pub(crate) fn takes_word(&self) -> bool {
        self.unchecked.is_some() || self.gravest() == Some(Severity::High)
    }

    /// Whether all of it was checked, and nothing was found that deserves a look.
    pub(crate) fn is_clean(&self) -> bool {
        self.unchecked.is_none() && self.gravest() < Some(Severity::Medium)
    }

    /// Whether something in the block is forbidden; the findings tell what, and where.
    pub(crate) fn forbidden(&self) -> bool {
        self.findings.iter().any(|f| f.forbidden)
    }

    /// How many findings have this severity.
    pub(crate) fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|f| f.severity == severity).count()
    }
}

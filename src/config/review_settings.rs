//! Defines the settings of the guard and of reviews, with their defaults.

use super::optional_word::opinion;
use crate::domain::Severity;
use serde::{Deserialize, Serialize};

/// The guard of a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Review", default, deny_unknown_fields)]
pub(crate) struct ReviewSettings {
    /// Milliseconds without a key press before a decision counts.
    pub(crate) arm_ms: u64,
    /// Milliseconds that a line has to be on screen to count as seen.
    pub(crate) seen_ms: u64,
    /// Two keys within this many milliseconds count as a paste.
    pub(crate) burst_ms: u64,
    /// Milliseconds to wait after a letter that decides: another letter within them makes it part of a word.
    pub(crate) hold_ms: u64,
    /// The shipped list of forbidden things that holds in addition to `forbid`.
    pub(crate) profile: Profile,
    /// Modules, calls, programs and rules that are forbidden in blocks.
    pub(crate) forbid: Vec<String>,
    /// Rules that are switched off, by their ids; forbidden things stay forbidden.
    pub(crate) off: Vec<String>,
    /// Rules with a lower severity: `ID=info`, `ID=medium`.
    pub(crate) lower: Vec<String>,
    /// The severity from which a second opinion is requested automatically; `None` (`off`): only when the person asks
    /// for one.
    #[serde(rename = "judge", with = "opinion")]
    pub(crate) opinion: Option<Severity>,
    /// The model for second opinions, `PROVIDER/MODEL`; `None`: the one in use.
    #[serde(rename = "judge_model")]
    pub(crate) opinion_model: Option<String>,
}

/// The shipped lists of forbidden things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Profile {
    /// None.
    #[default]
    Open,
    /// For functions that only work on data: no files, no network, no programs.
    Strict,
}

impl Default for ReviewSettings {
    fn default() -> Self {
        Self {
            arm_ms: 700,
            seen_ms: 300,
            burst_ms: 30,
            hold_ms: 400,
            profile: Profile::default(),
            forbid: Vec::new(),
            off: Vec::new(),
            lower: Vec::new(),
            opinion: None,
            opinion_model: None,
        }
    }
}

//! A second opinion: what a model says of a block before it runs. Advice, marked as a model's; it lowers no finding.

use super::{ModelName, Usage};
use serde::{Deserialize, Serialize};

/// How dangerous a model holds a block to be.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::EnumString,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Risk {
    /// It does nothing that could harm.
    None,
    /// It could harm little, or what can be made anew.
    Low,
    /// It deserves a look.
    Medium,
    /// Much. In files, also one of a later version.
    #[serde(other)]
    High,
}

impl Risk {
    /// All of them, the least first.
    #[cfg(test)]
    pub(crate) const ALL: [Risk; 4] = [Risk::None, Risk::Low, Risk::Medium, Risk::High];

    /// The word in JSON, session files and on screen: `none`, `low`, `medium`, `high`.
    pub(crate) fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What a model says of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opinion {
    /// How dangerous it holds it to be.
    pub(crate) risk: Risk,
    /// Why, in its words.
    #[serde(rename = "said")]
    pub(crate) reason: String,
    /// The lines of the block that it means, from 1, in their order.
    #[serde(default)]
    pub(crate) lines: Vec<u32>,
}

/// What a model says of a block, or why it says nothing, among the fields of a line.
pub(super) mod answer {
    use super::Opinion;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged, expecting = "expected fields \"risk\" and \"said\", or \"failed\"")]
    enum OpinionAnswer {
        Failed { failed: String },
        Said(Opinion),
    }

    pub(in crate::domain) fn serialize<S: Serializer>(
        answer: &Result<Opinion, String>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match answer.clone() {
            Ok(opinion) => OpinionAnswer::Said(opinion),
            Err(failed) => OpinionAnswer::Failed { failed },
        }
        .serialize(serializer)
    }

    pub(in crate::domain) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Result<Opinion, String>, D::Error> {
        Ok(match OpinionAnswer::deserialize(deserializer)? {
            OpinionAnswer::Said(opinion) => Ok(opinion),
            OpinionAnswer::Failed { failed } => Err(failed),
        })
    }
}

/// The answer to a question for a second opinion, before anyone has read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consultation {
    /// Which model was asked.
    pub model: ModelName,
    /// What it said, or why nothing came, in a line.
    pub text: Result<String, String>,
    /// Tokens used, where told.
    pub usage: Usage,
    /// What the provider remarked beside it, each in a line.
    pub remarks: Vec<String>,
}

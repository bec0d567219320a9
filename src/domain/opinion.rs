//! A second opinion: a model's judgement of a block before it runs. Advice, shown as a model's; it lowers no finding.

use super::word::words;
use super::{ModelName, Usage};
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

/// How dangerous the model considers a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, EnumString, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Risk {
    /// It can do no harm.
    None,
    /// It could do little harm, or harm that can be repaired.
    Low,
    /// It should be checked.
    Medium,
    /// It could do much harm. In files, a level of a later version is read as this.
    #[serde(other)]
    High,
}

words!(Risk);

impl Risk {
    /// All levels, the least first.
    #[cfg(test)]
    pub(crate) const ALL: [Risk; 4] = [Risk::None, Risk::Low, Risk::Medium, Risk::High];
}

/// A model's judgement of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opinion {
    pub(crate) risk: Risk,
    /// Why, in the model's words.
    #[serde(rename = "said")]
    pub(crate) reason: String,
    /// The lines of the block that it refers to, from 1, in order.
    #[serde(default)]
    pub(crate) lines: Vec<u32>,
}

/// Serializes an opinion, or the reason why there is none, as fields of a line.
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

/// The unparsed answer to a request for a second opinion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpinionReply {
    /// The model that was asked.
    pub model: ModelName,
    /// The answer, or in one line why there is none.
    pub text: Result<String, String>,
    /// Tokens used, where the provider reported them.
    pub usage: Usage,
    /// Remarks of the provider, one line each.
    pub remarks: Vec<String>,
}

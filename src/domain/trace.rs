//! Where words of a block come from.

use super::{BlockId, TextRange};
use serde::{Deserialize, Serialize};

/// The source of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "from", content = "block", rename_all = "lowercase")]
pub enum TextOrigin {
    /// The person. Never recorded.
    #[serde(skip_deserializing)]
    Person,
    /// The output of a block.
    Output(BlockId),
    /// A file that a block read.
    File(BlockId),
    /// The project: an instruction file that every request carries.
    Project,
    /// A file that the person gave with a message; that does not make its words the person's.
    Given,
    /// The model itself. Never recorded.
    #[serde(skip_deserializing)]
    Model,
}

impl TextOrigin {
    /// The block that brought the text into the session, if a block did.
    pub(crate) fn block(self) -> Option<BlockId> {
        match self {
            TextOrigin::Output(block) | TextOrigin::File(block) => Some(block),
            TextOrigin::Person | TextOrigin::Project | TextOrigin::Given | TextOrigin::Model => None,
        }
    }
}

/// A literal of a block that came from outside (an output, a file or the project's instructions) and not from the
/// person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// Its position in the block.
    #[serde(flatten)]
    pub place: TextRange,
    /// The words that appeared before.
    pub text: String,
    /// Where they appeared first.
    #[serde(flatten)]
    pub from: TextOrigin,
}

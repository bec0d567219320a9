//! Where words of a block come from.

use super::{BlockId, Place};
use serde::{Deserialize, Serialize};

/// Whose words a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "from", content = "block", rename_all = "lowercase")]
pub enum TextOrigin {
    /// The person's: nothing is told of it, and no file says so.
    #[serde(skip_deserializing)]
    Person,
    /// The output of a block that ran.
    Output(BlockId),
    /// A file that a block read.
    File(BlockId),
    /// The project's, in a file of instructions that every request carries.
    Project,
    /// A file that the person gave with a message: its words are not theirs by that.
    Given,
    /// The model itself. No file says so: what nobody else said is not noted.
    #[serde(skip_deserializing)]
    Model,
}

impl TextOrigin {
    /// The block that brought it in, where one did.
    pub(crate) fn block(self) -> Option<BlockId> {
        match self {
            TextOrigin::Output(block) | TextOrigin::File(block) => Some(block),
            TextOrigin::Person | TextOrigin::Project | TextOrigin::Given | TextOrigin::Model => None,
        }
    }
}

/// A literal of a block that came from outside: from an output, a file or the project's
/// instructions, and not from the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// Where it stands in the block.
    #[serde(flatten)]
    pub place: Place,
    /// The words that appeared before.
    pub text: String,
    /// Where it appeared first.
    #[serde(flatten)]
    pub from: TextOrigin,
}

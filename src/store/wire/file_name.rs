//! The name of a file beside a session, as its lines contain it.

use serde::{Deserialize, Serialize};

/// The name of a file in a folder. It contains no path separators, so it can't lead elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct FileName(pub(super) String);

impl TryFrom<String> for FileName {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        let plain = !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\\', '\0']);
        plain.then_some(FileName(name)).ok_or("not the name of a file")
    }
}

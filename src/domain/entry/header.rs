//! The header: the first line of a session file, with the place at which a branch began.

use crate::domain::{BlockId, ModelName, SessionId, Timestamp};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// The first line of a session file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The session's id, which names its file.
    pub id: SessionId,
    /// Its name for people: `sales-q3`.
    #[serde(default)]
    pub name: String,
    /// When it was made.
    pub created: Timestamp,
    /// The working folder in which the session began.
    #[serde(with = "crate::domain::serial::path")]
    pub cwd: PathBuf,
    /// The model at the start, if one was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelName>,
    /// The version of sayso that made the file.
    #[serde(default)]
    pub program: String,
    /// The session that this one branched off, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch_of: Option<BranchOrigin>,
}

impl Header {
    /// The header of a session that has no name and no model, and is no branch.
    pub(crate) fn new(id: SessionId, created: Timestamp, cwd: PathBuf) -> Self {
        let (name, program) = (String::new(), String::new());
        Self { id, name, created, cwd, model: None, program, branch_of: None }
    }
}

/// The session that a branch began from, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchOrigin {
    /// The original session.
    pub session: SessionId,
    /// How many entries of it the branch begins with, without the header.
    pub entries: u64,
    /// The point as it is shown to the person; older files do not have it.
    #[serde(flatten)]
    pub at: Option<BranchPlace>,
}

/// The point at which a branch begins, as shown to the person: the first thing that is different in the branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BranchPlace {
    /// The person's message with this number: the branch has another one, or there was none yet.
    Message(u32),
    /// The decision about this block.
    Block(BlockId),
}

impl fmt::Display for BranchPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(number) => write!(f, "message {number}"),
            Self::Block(block) => write!(f, "block {block}"),
        }
    }
}

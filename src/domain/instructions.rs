//! Words that stand before every conversation: the person's from the configuration, the project's from `AGENTS.md`.

use super::Sha256;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// A file of instructions, as far as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instructions {
    /// Where it lies.
    pub path: PathBuf,
    /// Its text; where the file is too long, its beginning.
    pub text: Arc<str>,
    /// How long the file is, in bytes.
    pub bytes: u64,
    /// Whether the person named it in the configuration; else it was found in the project, and its words are nobody's
    /// but the project's.
    pub own: bool,
}

impl Instructions {
    /// Bytes of the file that are left out because it is too long.
    pub(crate) fn left_out(&self) -> u64 {
        self.bytes.saturating_sub(self.text.len() as u64)
    }

    /// What is noted of it in the session.
    pub(crate) fn noted(&self) -> NotedInstructions {
        NotedInstructions {
            path: self.path.clone(),
            sha256: Sha256::of(self.text.as_bytes()),
            bytes: self.text.len() as u64,
        }
    }
}

/// What a session notes of a file of instructions that a request was sent with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotedInstructions {
    /// Where the file lay.
    #[serde(with = "super::serial::path")]
    pub(crate) path: PathBuf,
    /// The hash of the text that was sent.
    pub(crate) sha256: Sha256,
    /// How many bytes of it were sent.
    pub(crate) bytes: u64,
}

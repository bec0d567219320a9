//! Instructions that precede every conversation: the person's from the configuration, the project's from `AGENTS.md`.

use super::Sha256;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// A file of instructions, as far as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instructions {
    /// Its path.
    pub path: PathBuf,
    /// Its text; if the file is too long, its beginning.
    pub text: Arc<str>,
    /// The size of the file, in bytes.
    pub bytes: u64,
    /// Whether the person named it in the configuration. Otherwise it was found in the project, and its text speaks for
    /// the project, not for the person.
    pub own: bool,
}

impl Instructions {
    /// Bytes that are left out because the file is too long.
    pub(crate) fn left_out(&self) -> u64 {
        self.bytes.saturating_sub(self.text.len() as u64)
    }

    /// What the session records of it.
    pub(crate) fn noted(&self) -> NotedInstructions {
        NotedInstructions {
            path: self.path.clone(),
            sha256: Sha256::of(self.text.as_bytes()),
            bytes: self.text.len() as u64,
        }
    }
}

/// What a session records of an instruction file that was sent with requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotedInstructions {
    #[serde(with = "super::serial::path")]
    pub(crate) path: PathBuf,
    /// The hash of the sent text.
    pub(crate) sha256: Sha256,
    /// How many bytes were sent.
    pub(crate) bytes: u64,
}

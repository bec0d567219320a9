//! What a run used and changed: its receipt, with the files that it created, changed or deleted.

use crate::domain::auto_run::{AutoRunName, OF_GIT, auto_run_name, run_by_tools};
use crate::domain::{Sha256, UndoNote, UnscannedChanges, VariableChanges};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// File extensions of pictures that can be drawn.
const DRAWN_EXTENSIONS: [&str; 4] = ["png", "jpg", "jpeg", "svg"];

/// A file that a run created, changed or deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// Its path; relative if it is in the working folder.
    pub(crate) path: String,
    /// `created`, `changed` or `deleted`.
    pub(crate) change: String,
    /// Its size after the run; 0 for one that was deleted.
    #[serde(default)]
    pub(crate) bytes: u64,
    /// The hash of its content after the run; `None` if it was deleted, is large, holds secrets, or was not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sha256: Option<Sha256>,
    /// Whether git obeys it although its path does not say so: it lies in a folder of git's own with another name.
    #[serde(rename = "git", default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) of_git: bool,
    /// How many names the file has besides this one (hard links). Wherever they are, they show what this one shows.
    #[serde(default, skip_serializing_if = "crate::domain::serial::is_zero")]
    pub(crate) other_names: u32,
}

impl FileChange {
    /// A change without a hash of the content.
    pub fn new(path: impl Into<String>, change: &str, bytes: u64) -> Self {
        Self { path: path.into(), change: change.into(), bytes, sha256: None, of_git: false, other_names: 0 }
    }

    /// What the file is, if programs run or obey it by themselves once somebody opens the folder.
    pub(crate) fn obeyed(&self) -> Option<AutoRunName> {
        auto_run_name(Path::new(&self.path)).or(self.of_git.then_some(OF_GIT))
    }

    /// What the file is, if it is code of the project that tools run by themselves.
    pub(crate) fn run_by_tools(&self) -> Option<AutoRunName> {
        run_by_tools(Path::new(&self.path))
    }

    /// Whether the file exists under the name of a picture that can be drawn; its bytes are not checked.
    pub(crate) fn is_picture(&self) -> bool {
        let end = Path::new(&self.path).extension().and_then(|end| end.to_str());
        let is_known = |end: &str| DRAWN_EXTENSIONS.iter().any(|known| end.eq_ignore_ascii_case(known));
        self.change != "deleted" && end.is_some_and(is_known)
    }
}

/// A file that the turn's recipe protects, with its content right before and right after a run. sayso hashes it itself,
/// independently of the changes in a receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProtectedFile {
    /// Its path; relative if it is in the working folder.
    pub(crate) path: String,
    /// The hash of its content before; `None` if it did not exist or could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<Sha256>,
    /// The hash of its content after; `None` if it no longer exists or could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) after: Option<Sha256>,
}

/// What a run used and changed.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Receipt {
    /// Wall-clock time in microseconds.
    pub wall_us: u64,
    /// Processor time, user and system, in microseconds.
    pub cpu_us: u64,
    /// Peak resident memory in bytes: the measured peak of all its processes together, and at least that of the largest
    /// one. For a kernel: of the kernel's process since its start.
    pub peak_rss_bytes: u64,
    /// How many processes were observed, including the program itself.
    pub processes: u32,
    /// What the block did to the kernel's variables; `None` if its kernel does not report that, or there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variables: Option<VariableChanges>,
    /// Files that changed below the working folder, as far as they were checked.
    pub files: Vec<FileChange>,
    /// What was not checked for changes.
    #[serde(skip_serializing_if = "UnscannedChanges::is_empty")]
    pub not_looked_at: UnscannedChanges,
    /// The files that the turn's recipe protects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub protected: Vec<ProtectedFile>,
    /// The exit status, if the process (or a `SystemExit`) gave one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// What the sandbox refused, as far as the run's own error messages show: `write to ~/.ssh/config`.
    pub refused: Vec<String>,
    /// Threads that the run left in its kernel besides the kernel's own, as counted by its supervisor. They are stopped
    /// until the next block runs.
    #[serde(skip_serializing_if = "crate::domain::serial::is_zero")]
    pub threads: u32,
    /// Whether something of the run could not be stopped, or may have been missed, and may still act.
    #[serde(rename = "moving", skip_serializing_if = "std::ops::Not::not")]
    pub not_stopped: bool,
    /// How often the connection to its kernel was lost during the run: output from that time may be missing.
    #[serde(skip_serializing_if = "crate::domain::serial::is_zero")]
    pub connection_losses: u32,
    /// What is known for undoing its changes; `None` if it could change nothing, or an older sayso ran it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<UndoNote>,
}

impl Receipt {
    /// Processor time in milliseconds.
    pub(crate) fn processor_ms(&self) -> i64 {
        i64::try_from(self.cpu_us / 1000).unwrap_or(i64::MAX)
    }
}

//! What a run may do, within which limits, and what enforces both.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How strongly runs are confined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum SandboxLevel {
    /// Nothing is enforced: a block can do anything that the account can.
    #[default]
    Off,
    /// The working folder can be read and not written.
    ReadOnly,
    /// The working folder can be read and written.
    Workspace,
}

impl SandboxLevel {
    /// The word on screen, in options and in files.
    pub(crate) fn as_str(self) -> &'static str {
        self.into()
    }
}

/// One layer of the sandbox, as found by trying it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    /// Its name, `landlock`.
    pub name: String,
    /// Whether it holds for this run.
    #[serde(default)]
    pub active: bool,
    /// Whether a test from inside saw it hold.
    #[serde(default)]
    pub tested: bool,
    /// Why it does not hold, or what it leaves open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// How a limit of a run is held.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Enforcement {
    /// Nobody looks: a run can go over it.
    #[default]
    None,
    /// Somebody looks often and ends what is over it: a run can be over it for a moment.
    Watched,
    /// The system refuses what would be over it.
    Enforced,
}

impl Enforcement {
    /// The word on screen and in files.
    pub(crate) fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What the sandbox enforces on a run. Each fact is the result of a test from inside, not of an intention.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SandboxReport {
    /// The level that holds.
    pub level: SandboxLevel,
    /// Whether the network can't be reached.
    #[serde(default)]
    pub network_blocked: bool,
    /// Whether writing outside of the folders of [`Rights::write`] fails.
    #[serde(default)]
    pub writes_confined: bool,
    /// Whether the home folder and its secrets can't be read.
    #[serde(default)]
    pub reads_confined: bool,
    /// Whether its processes can't see, signal or outlive what is outside; else they are ended as a group.
    #[serde(default)]
    pub contained: bool,
    /// How the limit on the memory of all its processes together is held.
    #[serde(default, deserialize_with = "super::serial::word_or_default")]
    pub memory: Enforcement,
    /// How the limit on its processes is held.
    #[serde(default, deserialize_with = "super::serial::word_or_default")]
    pub processes: Enforcement,
    /// How the limits on the size of each file and on open files are held.
    #[serde(default, deserialize_with = "super::serial::word_or_default")]
    pub files: Enforcement,
    /// Its layers, outermost first.
    #[serde(default)]
    pub layers: Vec<Layer>,
    /// What the person should know of it: what it leaves open, and what to do.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl SandboxReport {
    /// The names of the layers that hold, `bwrap+landlock+seccomp`.
    pub(crate) fn holding(&self) -> String {
        let names: Vec<&str> = self.layers.iter().filter(|l| l.active).map(|l| l.name.as_str()).collect();
        names.join("+")
    }
}

/// What a run may read, write, reach and see.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Rights {
    /// Folders it may read beside the system's own and those that it may write. At level off nothing is listed: it may
    /// read all that the account can.
    #[serde(default, with = "super::serial::paths")]
    pub read: Vec<PathBuf>,
    /// Folders it may write; none: nothing but what is private to the session. At level off nothing is listed: it may
    /// write all that the account can.
    #[serde(default, with = "super::serial::paths")]
    pub write: Vec<PathBuf>,
    /// Whether the network is open to it.
    #[serde(default)]
    pub network: bool,
    /// The names of the person's environment variables that it is given; what sayso sets by itself (private places, where
    /// tools lie) is not among them.
    #[serde(default)]
    pub environment: Vec<String>,
    /// The Python that it finds as `python3`, where that is not the one of the `PATH`: the project's; or where the
    /// project wants another one. Of an installation by uv: the one that uv asks what it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub python: Option<ProjectPython>,
    /// Whether it has a terminal of its own, into which the person types; both of its streams are that terminal.
    #[serde(rename = "pty", default, skip_serializing_if = "std::ops::Not::not")]
    pub terminal: bool,
    /// What confines it, layer by layer.
    pub sandbox: SandboxReport,
}

/// A Python that stands under its usual names in a run, or that an installer asks what it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectPython {
    /// The interpreter in the project's environment.
    #[serde(with = "super::serial::path")]
    pub path: PathBuf,
    /// Its version by where it lies, `3.12.4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The version that `.python-version` of the project wants, where that is not installed and this one stands in for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
}

/// How much a run may use. Of memory, processes, file size and open files, 0 means: not limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Wall-clock time in milliseconds.
    pub wall_ms: u64,
    /// Bytes kept of each stream, in memory, in the session and in JSON.
    pub kept_bytes: u64,
    /// Bytes of output kept on disk; beyond it the middle is dropped and counted.
    pub output_file: u64,
    /// Bytes of memory of all its processes together.
    #[serde(default)]
    pub memory_bytes: u64,
    /// Processes and threads at the same time.
    #[serde(default)]
    pub processes: u32,
    /// Bytes of each file that it writes.
    #[serde(default)]
    pub file_bytes: u64,
    /// Files that each of its processes has open.
    #[serde(default)]
    pub open_files: u32,
}

impl Limits {
    /// Of each limit the stricter one.
    #[must_use]
    pub(crate) fn at_most(&self, other: &Self) -> Self {
        Self {
            wall_ms: self.wall_ms.min(other.wall_ms),
            kept_bytes: self.kept_bytes.min(other.kept_bytes),
            output_file: self.output_file.min(other.output_file),
            memory_bytes: self.memory_bytes.min(other.memory_bytes),
            processes: self.processes.min(other.processes),
            file_bytes: self.file_bytes.min(other.file_bytes),
            open_files: self.open_files.min(other.open_files),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall_ms: 60_000,
            kept_bytes: 1 << 20,
            output_file: 1 << 30,
            memory_bytes: 2 << 30,
            processes: 256,
            file_bytes: 1 << 30,
            open_files: 1024,
        }
    }
}

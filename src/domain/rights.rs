//! The rights of a run, its limits, and what enforces both.

use super::word::words;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use strum::IntoStaticStr;

/// How strongly runs are confined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum SandboxLevel {
    /// Nothing is enforced: a block can do anything that the account can.
    #[default]
    Off,
    /// Runs can read the working folder but not write it.
    ReadOnly,
    /// Runs can read and write the working folder.
    Workspace,
}

/// One layer of the sandbox, with the result of trying it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    /// Its name: `landlock`.
    pub name: String,
    /// Whether it is in force for this run.
    #[serde(default)]
    pub active: bool,
    /// Whether a test from inside the sandbox confirmed it.
    #[serde(default)]
    pub tested: bool,
    /// Why it is not in force, or what it leaves open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// How a limit of a run is enforced.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Enforcement {
    /// Not at all: a run can exceed it.
    #[default]
    None,
    /// sayso checks often and ends what exceeds it: a run can exceed it for a moment.
    Watched,
    /// The operating system refuses what would exceed it.
    Enforced,
}

words!(SandboxLevel, Enforcement);

/// What the sandbox enforces on a run. Each fact is the result of a test from inside, not an intention.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SandboxReport {
    /// The level that is in force.
    pub level: SandboxLevel,
    /// Whether the network is unreachable.
    #[serde(default)]
    pub network_blocked: bool,
    /// Whether writing outside of the folders of [`Rights::write`] fails.
    #[serde(default)]
    pub writes_confined: bool,
    /// Whether the home folder and its secrets are unreadable.
    #[serde(default)]
    pub reads_confined: bool,
    /// Whether its processes can neither see nor signal nor outlive those outside; else they are ended as a process
    /// group.
    #[serde(default)]
    pub contained: bool,
    /// How the limit on the total memory of its processes is enforced.
    #[serde(default, deserialize_with = "super::serial::word_or_default")]
    pub memory: Enforcement,
    /// How the limit on the number of its processes is enforced.
    #[serde(default, deserialize_with = "super::serial::word_or_default")]
    pub processes: Enforcement,
    /// How the limits on file size and open files are enforced.
    #[serde(default, deserialize_with = "super::serial::word_or_default")]
    pub files: Enforcement,
    /// Its layers, outermost first.
    #[serde(default)]
    pub layers: Vec<Layer>,
    /// What the person should know about it: what it leaves open, and what to do.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl SandboxReport {
    /// The names of the layers in force: `bwrap+landlock+seccomp`.
    pub(crate) fn holding(&self) -> String {
        let names: Vec<&str> = self.layers.iter().filter(|l| l.active).map(|l| l.name.as_str()).collect();
        names.join("+")
    }
}

/// What a run may read, write, reach and see.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Rights {
    /// Folders that it may read, besides the system's and those that it may write. Empty at level off, where it may
    /// read all that the account can.
    #[serde(default, with = "super::serial::paths")]
    pub read: Vec<PathBuf>,
    /// Folders that it may write; empty: only those private to the session. Also empty at level off, where it may write
    /// all that the account can.
    #[serde(default, with = "super::serial::paths")]
    pub write: Vec<PathBuf>,
    /// Whether it may use the network.
    #[serde(default)]
    pub network: bool,
    /// The names of the person's environment variables that it receives. Variables that sayso itself sets (private
    /// folders, locations of tools) are not listed.
    #[serde(default)]
    pub environment: Vec<String>,
    /// The Python that it finds as `python3`, if that is the project's rather than the one on `PATH`, or if the project
    /// wants another version. For an installation by uv: the Python that uv queries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub python: Option<ProjectPython>,
    /// Whether it has a terminal of its own, into which the person types; that terminal replaces both of its streams.
    #[serde(rename = "pty", default, skip_serializing_if = "std::ops::Not::not")]
    pub terminal: bool,
    /// What enforces these rights, layer by layer.
    pub sandbox: SandboxReport,
}

/// Files below the folders that a run may write which have further names (hard links), as far as a short look found
/// some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct HardLinks {
    /// How many were found.
    pub files: u32,
    /// Whether all files were looked at.
    pub all_seen: bool,
}

/// A Python that a run finds under the usual names, or that an installer queries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectPython {
    /// The interpreter in the project's environment.
    #[serde(with = "super::serial::path")]
    pub path: PathBuf,
    /// Its version, judging by its location: `3.12.4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The version that the project's `.python-version` wants, if it is not installed and this one replaces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
}

/// How much a run may use. For memory, processes, file size and open files, 0 means unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Wall-clock time in milliseconds.
    pub wall_ms: u64,
    /// Bytes of each stream that are kept in memory, in the session and in JSON.
    #[serde(rename = "kept_bytes")]
    pub output_kept_bytes: u64,
    /// Bytes of output that are kept on disk; beyond that the middle is dropped and counted.
    #[serde(rename = "output_file")]
    pub output_file_bytes: u64,
    /// Bytes of memory for all its processes together.
    #[serde(default)]
    pub memory_bytes: u64,
    /// Processes and threads at the same time.
    #[serde(default)]
    pub processes: u32,
    /// Bytes of each file that it writes.
    #[serde(default)]
    pub file_bytes: u64,
    /// Open files of each of its processes.
    #[serde(default)]
    pub open_files: u32,
}

impl Limits {
    /// The stricter one of each limit.
    #[must_use]
    pub(crate) fn at_most(&self, other: &Self) -> Self {
        fn stricter<N: Ord + Default>(one: N, other: N) -> N {
            let unlimited = N::default();
            if one == unlimited || other == unlimited { one.max(other) } else { one.min(other) }
        }
        Self {
            wall_ms: self.wall_ms.min(other.wall_ms),
            output_kept_bytes: self.output_kept_bytes.min(other.output_kept_bytes),
            output_file_bytes: self.output_file_bytes.min(other.output_file_bytes),
            memory_bytes: stricter(self.memory_bytes, other.memory_bytes),
            processes: stricter(self.processes, other.processes),
            file_bytes: stricter(self.file_bytes, other.file_bytes),
            open_files: stricter(self.open_files, other.open_files),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall_ms: 60_000,
            output_kept_bytes: 1 << 20,
            output_file_bytes: 1 << 30,
            memory_bytes: 2 << 30,
            processes: 256,
            file_bytes: 1 << 30,
            open_files: 1024,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_limit_is_the_mildest_of_the_limits_that_can_be_absent() {
        let some = Limits::default();
        let none = Limits { memory_bytes: 0, processes: 0, file_bytes: 0, open_files: 0, ..some };
        for (one, other, stricter) in [
            (none, some, some),
            (some, none, some),
            (none, none, none),
            (
                Limits { memory_bytes: 1 << 20, processes: 2, ..some },
                some,
                Limits { memory_bytes: 1 << 20, processes: 2, ..some },
            ),
            // Output that is not kept is less than any.
            (Limits { output_file_bytes: 0, ..some }, some, Limits { output_file_bytes: 0, ..some }),
        ] {
            assert_eq!(one.at_most(&other), stricter);
        }
    }
}

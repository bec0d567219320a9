//! The classes of targets, which say where a target lies or what it is for.

use serde::Deserialize;

/// The class of a target, for paths and hosts alike, so that rules can ask for any of them.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(in crate::review) enum TargetClass {
    /// Below the working folder.
    Inside,
    Outside,
    /// The working folder itself, a folder above it, a home, or the root of the file system: deleting it loses
    /// everything.
    Root,
    /// Below `/etc`, `/usr` and the like.
    System,
    /// The system's folder for temporary files.
    Temp,
    /// A temporary folder or file that the code itself made.
    Scratch,
    /// A file that the code itself wrote before.
    Own,
    /// A folder that a build recreates, or something in it.
    Derived,
    /// A file that the code itself downloaded before.
    Fetched,
    Device,
    /// A device or stream that stores nothing: `/dev/null`.
    Null,
    /// A file that a program reads when it starts.
    Start,
    Secret,
    /// Private, and may contain secrets: `.env`, histories.
    Private,
    Local,
    Remote,
    /// Known only at run time.
    Unknown,
}

impl TargetClass {
    /// Whether the class says what a path is for, rather than where it is.
    pub(in crate::review) fn is_meaning(self) -> bool {
        matches!(self, TargetClass::Start | TargetClass::Secret | TargetClass::Private)
    }
}

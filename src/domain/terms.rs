//! The terms of a run: all that an approval covers beside the bytes, and the files that it binds.

use super::{Common, ExecutorKind, KernelRef, Language, Limits, Rights, Sha256, SharedState};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The terms under which a block would run: all that an approval covers beside the bytes. The executor finds them
/// before the person decides, and refuses the run when they no longer hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// The language that its text is read as.
    pub language: Language,
    /// What would carry it out.
    pub executor: ExecutorKind,
    /// The real executable of the interpreter.
    #[serde(with = "super::serial::path")]
    pub interpreter: PathBuf,
    /// Its version, where known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The kernel that would get it; `None` for a subprocess.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<KernelRef>,
    /// The folder in which it would start: for a kernel or shell, where earlier blocks left it.
    #[serde(with = "super::serial::path")]
    pub cwd: PathBuf,
    /// What it may do.
    pub rights: Common<Rights>,
    /// How much it may use.
    pub limits: Limits,
    /// What it shares with earlier blocks; `None` where it starts anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<SharedState>,
    /// The file or folder that a block which is no code is about, as it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
}

/// The file or folder that a block is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// Its absolute path, links resolved.
    #[serde(with = "super::serial::path")]
    pub path: PathBuf,
    /// The absolute path as it was named, where links lead from it to `path`.
    #[serde(default, with = "super::serial::path_or_none", skip_serializing_if = "Option::is_none")]
    pub link: Option<PathBuf>,
    /// What stands there before the run.
    #[serde(flatten)]
    pub found: OnDisk,
    /// Its size in bytes; only told, an approval does not cover it.
    #[serde(default)]
    pub bytes: u64,
    /// How many folders would have to be made for it.
    #[serde(default)]
    pub folders: u32,
    /// Whether it lies outside of the working folder.
    #[serde(default)]
    pub outside: bool,
    /// The folder that was opened for it: the nearest one that is there. The act goes through it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<FolderId>,
    /// The other files of a block that writes several, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Target>,
}

impl Target {
    /// What stands at this path in the working folder: no link leads to it, and its folder is not opened yet.
    pub fn at(path: impl Into<PathBuf>, found: OnDisk) -> Self {
        let path = path.into();
        Self {
            path,
            link: None,
            found,
            bytes: 0,
            folders: 0,
            outside: false,
            folder: None,
            others: Vec::new(),
        }
    }
}

/// What tells a folder from every other one, whatever path leads to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderId {
    /// The file system that it lies on.
    pub(crate) device: u64,
    /// Its number on that file system, which no other folder has as long as it is there.
    pub(crate) inode: u64,
}

impl Target {
    /// Whether links lead from a name to a place outside of the working folder. A block before this one may have made
    /// them, so that nobody's word for all blocks covers it.
    pub(crate) fn led_outside(&self) -> bool {
        self.all().any(|target| target.outside && target.link.is_some())
    }

    /// It and the others.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Target> {
        std::iter::once(self).chain(&self.others)
    }

    /// Whether what is there now is what was approved.
    pub(crate) fn same_as(&self, approved: &Target) -> bool {
        Self { bytes: 0, ..self.clone() } == Self { bytes: 0, ..approved.clone() }
    }
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "found", rename_all = "lowercase")]
pub enum OnDisk {
    /// No file and no folder has that name.
    Nothing,
    /// A file. The hash of its bytes is known where it would be written over.
    File(#[serde(with = "super::serial::in_sha256")] Option<Sha256>),
    /// A folder: nothing is written in its place.
    Folder,
}

impl Terms {
    /// What ends when a run under these terms is ended by force: the kernel, or the program by its name.
    pub(crate) fn carrier(&self) -> String {
        let program = self.interpreter.file_name().map(|name| name.to_string_lossy().into_owned());
        match (self.kernel, program) {
            (Some(_), _) => "the kernel".into(),
            (None, program) => program.unwrap_or_else(|| self.language.as_str().into()),
        }
    }

    /// What earlier blocks were found to have changed in what it shares with them.
    pub(crate) fn found_changed(&self) -> &[String] {
        self.shared.as_ref().map(|shared| shared.changed.as_slice()).unwrap_or_default()
    }

    /// Whether a run under `self` is what was approved under `approved`. What only informs (the interpreter's version,
    /// the number of variables, which blocks ran before) is left out.
    pub fn same_as(&self, approved: &Terms) -> bool {
        self.language == approved.language
            && self.executor == approved.executor
            && self.interpreter == approved.interpreter
            && self.kernel.map(|k| (k.generation, k.goes_on))
                == approved.kernel.map(|k| (k.generation, k.goes_on))
            && self.found_changed() == approved.found_changed()
            && self.cwd == approved.cwd
            && self.rights == approved.rights
            && self.limits == approved.limits
            && match (&self.target, &approved.target) {
                (Some(now), Some(then)) => now.same_as(then),
                (now, then) => now.is_none() && then.is_none(),
            }
    }
}

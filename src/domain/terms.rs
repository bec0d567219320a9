//! The terms of a run: everything that an approval covers besides the bytes, including the files that it binds.

use super::{
    ExecutorKind, KernelRef, Language, Limits, Rights, SandboxLevel, Sha256, SharedState, SharedValue,
};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The terms under which a block would run: everything that an approval covers besides the bytes. The executor
/// determines them before the person decides, and refuses the run if they no longer hold.
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
    /// The kernel that would run it; `None` for a subprocess.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<KernelRef>,
    /// The folder in which it would start. For a kernel or shell: where earlier blocks left it.
    #[serde(with = "super::serial::path")]
    pub cwd: PathBuf,
    /// What it may do.
    pub rights: SharedValue<Rights>,
    /// How much it may use.
    pub limits: Limits,
    /// What it shares with earlier blocks; `None` if it starts in a new state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<SharedState>,
    /// The file or folder that a block other than code acts on, as it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
}

/// The file or folder that a block acts on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// Its absolute path, with links resolved.
    #[serde(with = "super::serial::path")]
    pub path: PathBuf,
    /// The absolute path as named, if links lead from it to `path`.
    #[serde(default, with = "super::serial::path_or_none", skip_serializing_if = "Option::is_none")]
    pub link: Option<PathBuf>,
    /// What is at the path before the run.
    #[serde(flatten)]
    pub found: OnDisk,
    /// Its size in bytes; only for display, an approval does not cover it.
    #[serde(default)]
    pub bytes: u64,
    /// How many folders would have to be created for it.
    #[serde(default)]
    pub folders: u32,
    /// Whether it lies outside of the working folder.
    #[serde(default)]
    pub outside: bool,
    /// The nearest existing folder above it, which sayso holds open. The act is carried out through it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<FolderId>,
    /// The other files of a block that writes several, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Target>,
}

impl Target {
    /// What is at this path in the working folder: no link leads to it, and its folder is not open yet.
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

    /// Whether links lead from the name to a place outside of the working folder. An earlier block may have made them,
    /// so no rule or flag that covers all blocks covers this one.
    pub(crate) fn led_outside(&self) -> bool {
        self.all().any(|target| target.outside && target.link.is_some())
    }

    /// This target and the others.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Target> {
        std::iter::once(self).chain(&self.others)
    }

    /// Whether this target is the approved one; the size is not compared.
    pub(crate) fn same_as(&self, approved: &Target) -> bool {
        Self { bytes: 0, ..self.clone() } == Self { bytes: 0, ..approved.clone() }
    }
}

/// The identity of a folder, independent of paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderId {
    /// The file system that contains it.
    pub(crate) device: u64,
    /// Its inode number, unique on that file system while the folder exists.
    pub(crate) inode: u64,
}

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "found", rename_all = "lowercase")]
pub enum OnDisk {
    /// No file or folder.
    Nothing,
    /// A file. Its hash is known if it would be overwritten.
    File(#[serde(with = "super::serial::in_sha256")] Option<Sha256>),
    /// A folder, which is never replaced by a file.
    Folder,
}

impl Terms {
    /// Whether a program would start that no sandbox confines. sayso's own actions on files need none.
    pub(crate) fn is_unconfined(&self) -> bool {
        self.executor.starts_programs() && self.rights.sandbox.level == SandboxLevel::Off
    }

    /// What ends when a run under these terms is killed: the kernel, or the program by its name.
    pub(crate) fn carrier(&self) -> String {
        let program = self.interpreter.file_name().map(|name| name.to_string_lossy().into_owned());
        match (self.kernel, program) {
            (Some(_), _) => "the kernel".into(),
            (None, program) => program.unwrap_or_else(|| self.language.as_str().into()),
        }
    }

    /// Changes by earlier blocks to the state that it shares with them.
    pub(crate) fn found_changed(&self) -> &[String] {
        self.shared.as_ref().map(|shared| shared.changed.as_slice()).unwrap_or_default()
    }

    /// Whether a run under `self` is what was approved under `approved`. Fields that are only informative (the
    /// interpreter's version, the number of variables, which blocks ran before) are not compared.
    pub fn same_as(&self, approved: &Terms) -> bool {
        self.language == approved.language
            && self.executor == approved.executor
            && self.interpreter == approved.interpreter
            && self.kernel.map(|k| (k.generation, k.keeps_running))
                == approved.kernel.map(|k| (k.generation, k.keeps_running))
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

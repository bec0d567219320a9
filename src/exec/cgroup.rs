//! Control groups (version 2): if the system lets this account make one, it limits the memory and the number of
//! processes of a whole run, and ends all of them at once.
//!
//! It finds out by trying whether groups can be made, makes one for each helper, sets its limits, reports whether
//! memory ran out, ends its processes, and removes it. It does not ask a service for a group, move processes that are
//! not sayso's, or promise a limit whose write was refused. Everything is a file, so all but the system's own part is
//! tested with folders of plain files.

mod error;
mod group;
mod parent;

pub use error::CgroupError;
pub use group::Group;

use super::helper_file::HelperFile;
pub use super::helper_part::JOIN;
use crate::domain::{Layer, Limits};
use crate::exec::tree::started_at;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder in which groups can be made.
#[derive(Debug)]
pub struct Scope {
    folder: PathBuf,
    helper: HelperFile,
    name: String,
    groups: AtomicU32,
}

impl Scope {
    /// Finds a folder for the groups of this process and tries it: makes a group with limits and lets a process enter
    /// it.
    ///
    /// # Errors
    /// Why groups can't be made.
    pub(crate) fn find(helper: &HelperFile) -> Result<Self, CgroupError> {
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let root = parent::mount_point(&mounts).ok_or(CgroupError::NotMounted)?;
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let scope = Self::at(&root, &own, std::process::id(), helper)?;
        scope.attempt()?;
        Ok(scope)
    }

    /// The folder for the groups of the process `pid`, whose own group `own` names (the text of `/proc/PID/cgroup`).
    fn at(root: &Path, own: &str, pid: u32, helper: &HelperFile) -> Result<Self, CgroupError> {
        let name = format!("{}{pid}-{}", parent::NAME, started_at(pid).unwrap_or(0));
        let folder = parent::prepare(&parent::own_group(root, own)?, pid, &name)?;
        parent::sweep(&folder);
        Ok(Self { folder, helper: helper.clone(), name, groups: AtomicU32::new(0) })
    }

    /// Makes a group with these limits.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn group(&self, limits: &Limits) -> std::io::Result<Group> {
        let number = self.groups.fetch_add(1, Ordering::Relaxed);
        let group = Group::make(&self.folder, &format!("{}-{number}", self.name))?;
        group.set(limits)?;
        Ok(group)
    }

    fn attempt(&self) -> Result<(), CgroupError> {
        let group = self.group(&Limits::default())?;
        let helper = self.helper.program()?;
        let entered = Command::new(helper)
            .args(["__run", JOIN])
            .arg(group.procs_file())
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .output()?;
        if entered.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&entered.stderr);
        Err(CgroupError::NotEntered(said.lines().next().unwrap_or("it could not be entered").to_owned()))
    }
}

/// The entry for this layer in the report of the sandbox. A group was made, given limits and entered, but no limit was
/// seen to hold, so it does not count as tested.
pub fn layer(found: &Result<std::sync::Arc<Scope>, CgroupError>) -> Layer {
    let why = found.as_ref().err().map(ToString::to_string);
    Layer { name: "cgroup".into(), active: found.is_ok(), tested: false, why }
}

#[cfg(test)]
mod tests;

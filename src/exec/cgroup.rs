//! Control groups (version 2): where the system lets this account have one, it holds the memory and the number of
//! processes of a whole run, and ends all of them at once.
//!
//! What it does: finds by trying whether there is a place for groups, makes one for each helper, sets its limits, tells
//! whether memory ran out, ends what is in it, and removes it. What it does not do: ask a service for a place, move
//! processes that are not sayso's, or promise anything where a write was refused. Everything is a file, so all but the
//! system's own part is tested with folders of plain files.

mod error;
mod files;
mod group;
mod place;

pub use error::CgroupError;
pub use group::Group;

use super::helper_file::HelperFile;
pub use super::helper_part::JOIN;
use crate::domain::{Layer, Limits};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A place where groups can be made.
#[derive(Debug)]
pub struct Scope {
    folder: PathBuf,
    helper: HelperFile,
    name: String,
    groups: AtomicU32,
}

impl Scope {
    /// Looks for a place for the groups of this process, and tries it: makes a group with limits, has a process enter
    /// it, ends it.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn find(helper: &HelperFile) -> Result<Self, CgroupError> {
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let root = place::mount_point(&mounts).ok_or(CgroupError::NotMounted)?;
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let scope = Self::at(&root, &own, std::process::id(), helper)?;
        scope.attempt()?;
        Ok(scope)
    }

    /// The place for the groups of the process `pid`, whose own group is told by `own` (`/proc/PID/cgroup`).
    fn at(root: &Path, own: &str, pid: u32, helper: &HelperFile) -> Result<Self, CgroupError> {
        let name = format!("{}{pid}-{}", place::NAME, place::start_time(pid).unwrap_or(0));
        let folder = place::prepare(&place::own_group(root, own)?, pid, &name)?;
        place::sweep(&folder);
        Ok(Self { folder, helper: helper.clone(), name, groups: AtomicU32::new(0) })
    }

    /// A new group under these limits.
    ///
    /// # Errors
    /// When the system refuses it.
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

/// What is told of it among the layers of the sandbox. A group was made, given limits and entered; that a limit holds
/// was not seen.
pub fn layer(found: &Result<std::sync::Arc<Scope>, CgroupError>) -> Layer {
    let why = found.as_ref().err().map(ToString::to_string);
    Layer { name: "cgroup".into(), active: found.is_ok(), tested: false, why }
}

#[cfg(test)]
mod tests;

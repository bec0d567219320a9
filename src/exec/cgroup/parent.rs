//! Finds a folder for groups: the group of this process, if it may have child groups.

use super::CgroupError;
use super::group::{Group, words, write};
use crate::exec::tree::started_at;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Prefix of the names of groups. The process id and the start time of the owner follow.
pub(super) const NAME: &str = "sayso-";
/// Suffix of the name of the child group that sayso itself moves to, because a group with children may have no
/// processes.
const SELF: &str = "-self";
const REQUIRED_CONTROLLERS: [&str; 2] = ["memory", "pids"];
const MAX_LEFTOVERS: usize = 1024;

/// Where the hierarchy is mounted, according to `/proc/self/mountinfo`.
pub(super) fn mount_point(mounts: &str) -> Option<PathBuf> {
    mounts.lines().find_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        let folder = place.split(' ').nth(4).filter(|_| kind.split(' ').next() == Some("cgroup2"))?;
        Some(PathBuf::from(unescaped(folder)))
    })
}

/// Decodes the octal escapes of spaces and the like.
fn unescaped(text: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .iter()
        .fold(text.to_owned(), |text, (code, is)| text.replace(code, is))
}

/// The folder of the group that `/proc/PID/cgroup` names.
pub(super) fn own_group(root: &Path, told: &str) -> Result<PathBuf, CgroupError> {
    let path = told.lines().find_map(|line| line.strip_prefix("0::")).ok_or(CgroupError::NoGroup)?;
    let below = Path::new(path.trim_start_matches('/'));
    if below.components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(CgroupError::OutOfSight);
    }
    Ok(root.join(below))
}

/// Prepares a group to have child groups. Returns the folder to make them in.
pub(super) fn prepare(own: &Path, pid: u32, name: &str) -> Result<PathBuf, CgroupError> {
    // A later session in this process, which has already moved.
    let leaf = format!("{name}{SELF}");
    if own.file_name().is_some_and(|is| *is == *leaf) {
        return own.parent().map(Into::into).ok_or(CgroupError::NoParent);
    }
    let there = words(&own.join("cgroup.controllers"));
    let lacking: Vec<&str> =
        REQUIRED_CONTROLLERS.into_iter().filter(|want| !there.iter().any(|is| is == want)).collect();
    if !lacking.is_empty() {
        return Err(CgroupError::NoControl(lacking.join(" and ")));
    }
    let enabled = words(&own.join("cgroup.subtree_control"));
    if REQUIRED_CONTROLLERS.iter().all(|want| enabled.iter().any(|is| is == want)) {
        return Ok(own.into());
    }
    let others = words(&own.join("cgroup.procs")).iter().any(|is| *is != pid.to_string());
    if others {
        return Err(CgroupError::Shared);
    }
    let leaf = own.join(leaf);
    fs::create_dir(&leaf).map_err(CgroupError::Refused)?;
    let moved = write(&leaf.join("cgroup.procs"), &pid.to_string())
        .and_then(|()| write(&own.join("cgroup.subtree_control"), "+memory +pids"));
    if let Err(error) = moved {
        // Undo the move.
        let _ = write(&own.join("cgroup.procs"), &pid.to_string());
        let _ = fs::remove_dir(&leaf);
        return Err(CgroupError::Refused(error));
    }
    Ok(own.into())
}

/// Removes the groups of owners that have ended, with their processes.
pub(super) fn sweep(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).take(MAX_LEFTOVERS);
    for entry in entries {
        let name = entry.file_name();
        let Some((pid, start)) = name.to_str().and_then(owner) else { continue };
        if started_at(pid) != Some(start) {
            drop(Group { folder: entry.path() });
        }
    }
}

/// The process id and the start time of the owner, from the name of a group.
fn owner(name: &str) -> Option<(u32, u64)> {
    let mut parts = name.strip_prefix(NAME)?.split('-');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

//! Finding a place for groups: the group that this process is in, if it may have groups below it.

use super::CgroupError;
use super::files::{words, write};
use super::group::Group;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// How the names of groups begin; the process id and the start of their owner follow.
pub(super) const NAME: &str = "sayso-";
/// The end of the name of the group that sayso itself moves to: a group that has groups may have no processes.
const SELF: &str = "-self";
/// What has to be there.
const REQUIRED_CONTROLLERS: [&str; 2] = ["memory", "pids"];
const MAX_LEFTOVERS: usize = 1024;

/// Where the hierarchy is mounted, by `/proc/self/mountinfo`.
pub(super) fn mount_point(mounts: &str) -> Option<PathBuf> {
    mounts.lines().find_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        let folder = place.split(' ').nth(4).filter(|_| kind.split(' ').next() == Some("cgroup2"))?;
        Some(PathBuf::from(unescaped(folder)))
    })
}

/// Spaces and the like are written as octal numbers.
fn unescaped(text: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .iter()
        .fold(text.to_owned(), |text, (code, is)| text.replace(code, is))
}

/// The folder of the group that `/proc/PID/cgroup` tells.
pub(super) fn own_group(root: &Path, told: &str) -> Result<PathBuf, CgroupError> {
    let path = told.lines().find_map(|line| line.strip_prefix("0::")).ok_or(CgroupError::NoGroup)?;
    let below = Path::new(path.trim_start_matches('/'));
    if below.components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(CgroupError::OutOfSight);
    }
    Ok(root.join(below))
}

/// Makes a group ready to have groups below it; returns the folder where they are made.
pub(super) fn prepare(own: &Path, pid: u32, name: &str) -> Result<PathBuf, CgroupError> {
    // A later session of this process: it has moved already.
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
        // As it was before.
        let _ = write(&own.join("cgroup.procs"), &pid.to_string());
        let _ = fs::remove_dir(&leaf);
        return Err(CgroupError::Refused(error));
    }
    Ok(own.into())
}

/// Removes groups of owners that are gone, with what is in them.
pub(super) fn sweep(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).take(MAX_LEFTOVERS);
    for entry in entries {
        let name = entry.file_name();
        let Some((pid, start)) = name.to_str().and_then(owner) else { continue };
        if start_time(pid) != Some(start) {
            drop(Group::from_leftover(entry.path()));
        }
    }
}

/// The process id and the start of the owner, from the name of a group.
fn owner(name: &str) -> Option<(u32, u64)> {
    let mut parts = name.strip_prefix(NAME)?.split('-');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// When a process began, in ticks since the system did; `None` when it is gone.
pub(super) fn start_time(pid: u32) -> Option<u64> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let behind = stat.iter().rposition(|b| *b == b')')?;
    let text = std::str::from_utf8(stat.get(behind + 1..)?).ok()?;
    text.split_whitespace().nth(19)?.parse().ok()
}

//! Who may do what with a file or a folder, and what of that another one gets in its place: nobody gets rights that
//! they did not have.

use super::chown_rights::ChownRights;
use super::held_path::open_in;
use rustix::fs::{FileType, Mode, Stat, fgetxattr, fremovexattr, lgetxattr};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
use std::path::Path;

/// The attribute that holds an access list.
pub(super) const ACCESS_LIST: &str = "system.posix_acl_access";
/// The attribute of a folder that holds the access list for what is made in it.
pub(super) const DEFAULT_LIST: &str = "system.posix_acl_default";
/// The most bytes that are read of an access list: more than a hundred entries.
const MAX_LIST_BYTES: usize = 1024;
/// The bit of a folder in which only their owners remove or rename files.
const STICKY: u32 = 0o1000;
/// The bit of a folder that hands on its group to what is made in it.
const SETGID: u32 = 0o2000;
/// The kind of the owner's entry in an access list.
const LIST_OWNER: u8 = 1;

/// The rights on a file or a folder. Two are equal by their modes and the sticky bit: groups and lists can't always be
/// restored.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Access {
    /// The permission bits.
    pub(super) mode: u32,
    /// Whether this is a folder with the sticky bit; records of earlier versions lack it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    sticky: bool,
    /// The group that has the bits of the group; records of earlier versions lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    group: Option<u32>,
    /// What an access list gives at least to everybody but the owner, if there is one. Then the bits of the group are
    /// not its rights but the most that anybody in the list has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    least: Option<u32>,
}

impl PartialEq for Access {
    fn eq(&self, other: &Self) -> bool {
        (self.mode, self.sticky) == (other.mode, other.sticky)
    }
}

impl Eq for Access {}

impl Access {
    /// The rights on an open file or folder.
    pub(super) fn of(file: &File) -> io::Result<Self> {
        let info = file.metadata()?;
        let least = least_of_list(|list| fgetxattr(file, ACCESS_LIST, list));
        let sticky = info.is_dir() && info.mode() & STICKY != 0;
        Ok(Self { mode: info.mode() & 0o777, sticky, group: Some(info.gid()), least })
    }

    /// The rights on an entry of a folder. Nobody asks for the list if only the owner has rights: none can give more.
    #[allow(clippy::useless_conversion)] // the type of this number differs among systems
    pub(super) fn of_entry(folder: &File, name: &OsStr, info: &Stat) -> Self {
        let bits = u32::from(Mode::from_raw_mode(info.st_mode).bits());
        let mode = bits & 0o777;
        let sticky = FileType::from_raw_mode(info.st_mode) == FileType::Directory && bits & STICKY != 0;
        let ask = || {
            // The system tells the attribute under this path even if the file itself may not be opened.
            let path = Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name);
            least_of_list(|list| match lgetxattr(path, ACCESS_LIST, &mut *list) {
                // Without `/proc`, the file itself is asked.
                Err(Errno::NOENT) if cfg!(target_os = "linux") => {
                    let file = open_in(folder, name).map_err(|_| Errno::NODATA)?;
                    fgetxattr(&file, ACCESS_LIST, list)
                }
                read => read,
            })
        };
        Self { mode, sticky, group: Some(info.st_gid), least: (mode & 0o077 != 0).then(ask).flatten() }
    }

    /// Whether these rights were given, as far as that was possible, if the rights are `now` what they are.
    pub(super) fn is_met_by(self, now: Self) -> bool {
        let bounded = Self { mode: self.without_group(), ..self };
        let has_its_list = now.least.is_some() || self.least.is_none();
        self == now || bounded == now && !(has_its_list && self.has_its_group(now.group))
    }

    /// Gives these rights to a file or a folder that was just made. It gets the group if this account may give it.
    pub(super) fn give(self, file: &File) -> io::Result<()> {
        self.give_group(file);
        // Its folder may have handed on a list, which would take effect with the mode. A folder would hand it on, too.
        remove_list(file, ACCESS_LIST)?;
        remove_list(file, DEFAULT_LIST)?;
        self.set_mode(file, 0)
    }

    /// Gives these rights back to a file or a folder that still exists. An access list that it had before stays.
    pub(super) fn give_back(self, file: &File) -> io::Result<()> {
        self.give_group(file);
        if !self.fits_list(file) {
            remove_list(file, ACCESS_LIST)?;
        }
        self.set_mode(file, SETGID)
    }

    /// The most of the mode that gives nobody more than these rights, with the group and the list that the file has.
    pub(super) fn mode_on(self, file: &File) -> io::Result<u32> {
        let has_group = self.has_its_group(Some(file.metadata()?.gid()));
        Ok(if has_group && self.fits_list(file) { self.mode } else { self.without_group() })
    }

    /// The group can be another one afterwards: `chown_rights` tells which can be given. A number that stands for all
    /// unknown groups is not given, because it can be that of a group which had no rights.
    fn give_group(self, file: &File) {
        let is_other = |group: &u32| file.metadata().is_ok_and(|info| info.gid() != *group);
        if let Some(group) = self.group.filter(is_other).filter(|group| ChownRights::knows_group(*group)) {
            let _ = fchown(file, None, Some(group));
        }
    }

    /// Whether this is the group of these rights for certain: behind a number that stands for all unknown groups can
    /// be any of them.
    fn has_its_group(self, group: Option<u32>) -> bool {
        self.group == group && group.is_none_or(ChownRights::knows_group)
    }

    fn fits_list(self, file: &File) -> bool {
        self.least.is_some() == has_list(file, ACCESS_LIST) || self.without_group() == self.mode
    }

    fn without_group(self) -> u32 {
        without_group(self.mode, self.least.unwrap_or(0o7))
    }

    /// A folder keeps those of its special bits that are `left`.
    fn set_mode(self, file: &File, left: u32) -> io::Result<()> {
        let info = file.metadata()?;
        let left = if info.is_dir() { info.mode() & left } else { 0 };
        let sticky = if self.sticky { STICKY } else { 0 };
        file.set_permissions(Permissions::from_mode(self.mode_on(file)? | left | sticky))
    }
}

fn remove_list(file: &File, list: &str) -> io::Result<()> {
    if has_list(file, list) { Ok(fremovexattr(file, list)?) } else { Ok(()) }
}

fn has_list(file: &File, list: &str) -> bool {
    fgetxattr(file, list, [0_u8; 0].as_mut_slice()).is_ok()
}

/// What an access list gives at least to everybody but the owner; `None` without a list. `read` fills a buffer with it.
fn least_of_list(read: impl FnOnce(&mut [u8]) -> rustix::io::Result<usize>) -> Option<u32> {
    let mut list = [0_u8; MAX_LIST_BYTES];
    let length = match read(&mut list) {
        Ok(length) => length,
        // A longer list counts as one that gives somebody nothing.
        Err(Errno::RANGE) => return Some(0),
        Err(_) => return None,
    };
    // Behind the version, each entry has its kind, its rights and an id.
    let entries = list.get(4..length).unwrap_or_default().chunks_exact(8);
    let rights = entries.filter_map(|entry| match entry {
        [kind, _, rights, ..] if *kind != LIST_OWNER => Some(u32::from(*rights)),
        _ => None,
    });
    Some(rights.fold(0o7, |least, rights| least & rights))
}

/// The mode for another group or without the list, of which each entry gives at least `least`. The group and everybody
/// else get what all of them had.
fn without_group(mode: u32, least: u32) -> u32 {
    let all = (mode >> 3) & mode & least & 0o7;
    (mode & 0o700) | (all << 3) | all
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Sets an access list, in the form of the kernel: the owner has `rw-` (of what is made in a folder, `rwx`), the
    /// group nothing, the user 12345 and the mask `rights`, and everybody `others`. Returns false if the file system
    /// has no access lists.
    #[cfg(target_os = "linux")]
    pub(in crate::workspace) fn set_list(path: &Path, attribute: &str, (rights, others): (u16, u16)) -> bool {
        let entries: [(u16, u16, u32); 5] = [
            (0x01, if attribute == DEFAULT_LIST { 7 } else { 6 }, u32::MAX), // the owner
            (0x02, rights, 12_345),
            (0x04, 0, u32::MAX),      // the group
            (0x10, rights, u32::MAX), // the most that users and groups have
            (0x20, others, u32::MAX), // everybody
        ];
        let mut list = 2_u32.to_le_bytes().to_vec();
        for (tag, rights, id) in entries {
            list.extend([tag.to_le_bytes(), rights.to_le_bytes()].concat());
            list.extend(id.to_le_bytes());
        }
        match rustix::fs::setxattr(path, attribute, &list, rustix::fs::XattrFlags::empty()) {
            Err(rustix::io::Errno::OPNOTSUPP) => false,
            set => set.map(|()| true).expect("set"),
        }
    }

    #[test]
    fn without_its_group_a_file_gives_nobody_more() {
        for (mode, wanted) in
            [(0o644, 0o644), (0o640, 0o600), (0o664, 0o644), (0o660, 0o600), (0o755, 0o755), (0o604, 0o600)]
        {
            assert_eq!(without_group(mode, 0o7), wanted, "{mode:o}");
        }
        assert_eq!(without_group(0o644, 0), 0o600, "an entry of the list gives its account nothing");
    }

    #[test]
    fn rights_are_met_by_less_only_where_the_group_or_the_list_is_lost() {
        let own = rustix::process::getegid().as_raw();
        let had = Access { mode: 0o660, sticky: false, group: Some(own), least: None };
        let bounded = Access { mode: 0o600, ..had };
        assert!(had.is_met_by(had) && !had.is_met_by(bounded));
        assert!(had.is_met_by(Access { group: Some(own ^ 1), ..bounded }));
        let listed = Access { least: Some(0), ..had };
        assert!(listed.is_met_by(bounded) && !listed.is_met_by(Access { least: Some(0), ..bounded }));
        assert!(!had.is_met_by(Access { mode: 0o644, group: Some(own ^ 1), ..had }));
    }

    #[test]
    fn what_an_earlier_version_recorded_gives_the_group_no_more_than_everybody() {
        let access: Access = serde_json::from_str(r#"{"mode":432}"#).expect("read");
        let file = tempfile::tempfile().expect("a file");
        access.give(&file).expect("given");
        assert_eq!(file.metadata().expect("there").mode() & 0o777, 0o600);
    }
}

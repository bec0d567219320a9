//! Who may do what with a file or a folder, and what of that another one gets in its place: nobody gets rights that
//! they did not have.

use rustix::fs::{FileType, Mode, Stat, fgetxattr, fremovexattr, lgetxattr};
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
use std::path::Path;

/// The attribute that holds an access list.
pub(super) const ACCESS_LIST: &str = "system.posix_acl_access";

/// The rights on a file or a folder. Two are equal by their modes: groups and lists can't always be restored.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Access {
    /// The permission bits.
    pub(super) mode: u32,
    /// The group that has the bits of the group; records of earlier versions lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    group: Option<u32>,
    /// Whether an access list says more. Then the bits of the group are not its rights but the most that anybody in the
    /// list has.
    #[serde(rename = "list", default, skip_serializing_if = "std::ops::Not::not")]
    has_list: bool,
}

impl PartialEq for Access {
    fn eq(&self, other: &Self) -> bool {
        self.mode == other.mode
    }
}

impl Eq for Access {}

impl Access {
    /// The rights on an open file or folder.
    pub(super) fn of(file: &File) -> io::Result<Self> {
        let info = file.metadata()?;
        Ok(Self { mode: info.mode() & 0o777, group: Some(info.gid()), has_list: has_list(file) })
    }

    /// The rights on an entry of a folder. Nobody asks for the list of a file whose group has the rights of everybody,
    /// because then another file in its place gives the same rights without the list.
    #[allow(clippy::useless_conversion)] // the type of this number differs among systems
    pub(super) fn of_entry(folder: &File, name: &OsStr, info: &Stat) -> Self {
        let mode = u32::from(Mode::from_raw_mode(info.st_mode).bits()) & 0o777;
        let is_folder = FileType::from_raw_mode(info.st_mode) == FileType::Directory;
        let has_list = (is_folder || without_group(mode) != mode) && {
            // The system tells the attribute under this path even if the file itself may not be opened.
            let path = Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name);
            lgetxattr(path, ACCESS_LIST, [0_u8; 0].as_mut_slice()).is_ok()
        };
        Self { mode, group: Some(info.st_gid), has_list }
    }

    /// Whether these rights were given, as far as that was possible, if the rights are `now` what they are.
    pub(super) fn is_met_by(self, now: Self) -> bool {
        let can_be_whole = self.group == now.group && (now.has_list || !self.has_list);
        self == now || !can_be_whole && now.mode == without_group(self.mode)
    }

    /// Gives these rights to a file or a folder that was just made. It gets the group if this account may give it.
    pub(super) fn give(self, file: &File) -> io::Result<()> {
        self.give_group(file);
        // Its folder may have handed on a list, which would take effect with the mode.
        remove_list(file)?;
        self.set_mode(file)
    }

    /// Gives these rights back to a file or a folder that still exists. An access list that it had before stays.
    pub(super) fn give_back(self, file: &File) -> io::Result<()> {
        self.give_group(file);
        if !self.fits_list(file) {
            remove_list(file)?;
        }
        self.set_mode(file)
    }

    /// The most of the mode that gives nobody more than these rights, with the group and the list that the file has.
    pub(super) fn mode_on(self, file: &File) -> io::Result<u32> {
        let has_group = self.group == Some(file.metadata()?.gid());
        Ok(if has_group && self.fits_list(file) { self.mode } else { without_group(self.mode) })
    }

    /// The group can be another one afterwards: `chown_rights` tells which can be given.
    fn give_group(self, file: &File) {
        if file.metadata().is_ok_and(|info| self.group != Some(info.gid())) {
            let _ = fchown(file, None, self.group);
        }
    }

    fn fits_list(self, file: &File) -> bool {
        self.has_list == has_list(file) || without_group(self.mode) == self.mode
    }

    fn set_mode(self, file: &File) -> io::Result<()> {
        file.set_permissions(Permissions::from_mode(self.mode_on(file)?))
    }
}

fn remove_list(file: &File) -> io::Result<()> {
    if has_list(file) { Ok(fremovexattr(file, ACCESS_LIST)?) } else { Ok(()) }
}

fn has_list(file: &File) -> bool {
    fgetxattr(file, ACCESS_LIST, [0_u8; 0].as_mut_slice()).is_ok()
}

/// The mode for another group. That group and everybody else get what both the group and everybody had.
fn without_group(mode: u32) -> u32 {
    let both = (mode >> 3) & mode & 0o7;
    (mode & 0o700) | (both << 3) | both
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Sets an access list, in the form of the kernel: the owner has `rw-`, the group nothing, the user 12345 and the
    /// mask `rights`, and everybody `others`. Returns false if the file system has no access lists.
    #[cfg(target_os = "linux")]
    pub(in crate::workspace) fn set_list(path: &Path, attribute: &str, (rights, others): (u16, u16)) -> bool {
        let entries: [(u16, u16, u32); 5] = [
            (0x01, 6, u32::MAX), // the owner
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
            assert_eq!(without_group(mode), wanted, "{mode:o}");
        }
    }

    #[test]
    fn rights_are_met_by_less_only_where_the_group_or_the_list_is_lost() {
        let had = Access { mode: 0o660, group: Some(1), has_list: false };
        let bounded = Access { mode: 0o600, ..had };
        assert!(had.is_met_by(had) && !had.is_met_by(bounded));
        assert!(had.is_met_by(Access { group: Some(2), ..bounded }));
        let listed = Access { has_list: true, ..had };
        assert!(listed.is_met_by(bounded) && !listed.is_met_by(Access { has_list: true, ..bounded }));
        assert!(!had.is_met_by(Access { mode: 0o644, group: Some(2), has_list: false }));
    }

    #[test]
    fn what_an_earlier_version_recorded_gives_the_group_no_more_than_everybody() {
        let access: Access = serde_json::from_str(r#"{"mode":432}"#).expect("read");
        let file = tempfile::tempfile().expect("a file");
        access.give(&file).expect("given");
        assert_eq!(file.metadata().expect("there").mode() & 0o777, 0o600);
    }
}

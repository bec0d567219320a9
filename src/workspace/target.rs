//! Finds the file or folder that a block is about: where its path really leads, and what exists there now.
//!
//! The place is held open (`held_path`), so that what is shown and approved is the place itself, and the action happens
//! there. Nothing is changed here, and the reading is bounded.

use super::FileError;
use super::access::ACCESS_LIST;
use super::chown_rights::ChownRights;
use super::held_path::{Folder, HeldPath, NameFacts};
use crate::domain::sentences::rights::lost_by_replacing;
use crate::domain::{FileAct, OnDisk, Sha256, Target};
use crate::text::names::first_names;
use crate::text::number::size;
use crate::text::path::normalize;
use rustix::fs::{FileType, Mode};
use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Larger files are not replaced, because they could not be compared in a moment.
pub(super) const MAX_REPLACED_BYTES: u64 = 64 << 20;
/// Larger texts are not shown as a diff.
pub(crate) const MAX_COMPARED_BYTES: u64 = 4 << 20;

/// The most bytes that the system lists of a file's extended attributes.
const MAX_ATTRIBUTE_NAMES_BYTES: usize = 64 << 10;
/// Extended attributes that the system gives to new files by itself.
const SYSTEM_ATTRIBUTES: [&str; 4] =
    ["security.selinux", "security.ima", "security.evm", "com.apple.provenance"];
const MAX_LOST_SHOWN: usize = 4;

/// What exists where a block would act.
#[derive(Debug)]
pub(crate) struct TargetFacts {
    /// The description of the place that is shown and approved.
    pub(crate) target: Target,
    /// The place itself, through which the action happens.
    pub(crate) place: HeldPath,
    /// The present text, if it would be replaced and can be compared.
    pub(crate) before: Option<Arc<str>>,
    /// What else the person should know, one line each: further names, what the file loses, no text to compare.
    pub(crate) remarks: Vec<String>,
}

/// Examines what a file action is about, with paths relative to this folder, and holds the place open.
///
/// # Errors
/// When the path leads nowhere or to a device, or the file can't be replaced.
pub(crate) fn examine(cwd: &Path, home: Option<&Path>, act: &FileAct) -> Result<TargetFacts, FileError> {
    let working = Folder::find(cwd).map_err(|error| FileError::Working(Box::new(error)))?;
    let named = absolute_path(working.path(), home, act.path())?;
    let place = HeldPath::find(&named)?;
    let (plain, path, found) = (normalize(&named), place.path(), place.found().copied());
    let mut seen = TargetFacts {
        target: Target {
            link: (plain != path).then_some(plain),
            outside: !path.starts_with(working.path()),
            found: match (place.name(), found) {
                (None, _) => OnDisk::Folder,
                (Some(_), None) => OnDisk::Nothing,
                (Some(_), Some(_)) => OnDisk::File(None),
            },
            bytes: found.filter(|found| found.kind == FileType::RegularFile).map_or(0, |found| found.bytes),
            folders: place.missing(),
            folder: Some(place.folder().id()),
            others: Vec::new(),
            path,
        },
        place,
        before: None,
        remarks: Vec::new(),
    };
    if let Some(found) = found.filter(|found| found.kind != FileType::RegularFile) {
        return Err(FileError::Kind(act.path().into(), kind(found.kind), "file"));
    }
    match act {
        FileAct::Write { path } => replaceable(path, found, &mut seen)?,
        FileAct::WriteAll { .. } => {}
        FileAct::List { path, .. } if matches!(seen.target.found, OnDisk::File(_)) => {
            return Err(FileError::Kind(path.into(), "a file", "folder"));
        }
        FileAct::Read { path, .. } if seen.target.found == OnDisk::Folder => {
            return Err(FileError::Kind(path.into(), "a folder", "file"));
        }
        _ => {}
    }
    Ok(seen)
}

/// Examines all files that an action is about, in its order; each has a place of its own.
///
/// # Errors
/// As [`examine`]; also when two of its names mean the same file.
pub(crate) fn examine_all(
    cwd: &Path,
    home: Option<&Path>,
    act: &FileAct,
) -> Result<Vec<TargetFacts>, FileError> {
    let acts = act.each();
    let seen = acts.iter().map(|act| examine(cwd, home, act)).collect::<Result<Vec<_>, _>>()?;
    for (at, one) in seen.iter().enumerate() {
        let same = seen.iter().take(at).position(|other| other.target.path == one.target.path);
        let name = |at: usize| acts.get(at).map(|act| act.path().to_owned()).unwrap_or_default();
        if let Some(other) = same {
            return Err(FileError::SameFile(name(other), name(at)));
        }
    }
    Ok(seen)
}

/// Joins the targets to one for approval: the first, with the others in it.
pub(crate) fn join_targets(seen: &[TargetFacts]) -> Option<Target> {
    let (first, others) = seen.split_first()?;
    let others = others.iter().map(|seen| seen.target.clone()).collect();
    Some(Target { others, ..first.target.clone() })
}

/// The absolute path that a name means; links are not followed.
pub(super) fn absolute_path(cwd: &Path, home: Option<&Path>, path: &str) -> Result<PathBuf, FileError> {
    match (path.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            Ok(home.join(rest.trim_start_matches('/')))
        }
        (Some(_), _) => Err(FileError::NoHome(path.to_owned())),
        (None, _) => Ok(cwd.join(path)),
    }
}

fn replaceable(path: &str, found: Option<NameFacts>, seen: &mut TargetFacts) -> Result<(), FileError> {
    if seen.target.found == OnDisk::Folder {
        return Err(FileError::Kind(path.into(), "a folder", "file"));
    }
    let Some(found) = found else {
        return if path.ends_with('/') { Err(FileError::NamesFolder(path.into())) } else { Ok(()) };
    };
    if !found.mode.intersects(Mode::WUSR | Mode::WGRP | Mode::WOTH) {
        return Err(FileError::ReadOnly(path.into()));
    }
    if found.bytes > MAX_REPLACED_BYTES {
        return Err(FileError::Irreplaceable(path.into(), found.bytes));
    }
    let file = seen.place.open()?;
    let info = file.metadata().ok();
    let names = info.as_ref().map_or(0, |info| info.nlink().saturating_sub(1));
    if names > 0 {
        seen.remarks.push(format!(
            "the file has {} more, which keep what stands there now",
            if names == 1 { "1 name".into() } else { format!("{names} names") }
        ));
    }
    let lost = lost_properties(&file, info.as_ref(), seen.place.folder().file());
    if !lost.is_empty() {
        seen.remarks.push(lost_by_replacing(&first_names(&lost, MAX_LOST_SHOWN)));
    }
    let bytes = super::read::whole(file, &seen.target.path, MAX_REPLACED_BYTES)?;
    seen.target.found = OnDisk::File(Some(Sha256::of(&bytes)));
    seen.target.bytes = bytes.len() as u64;
    match String::from_utf8(bytes) {
        Ok(text) if text.len() as u64 <= MAX_COMPARED_BYTES && !text.contains('\0') => {
            seen.before = Some(Arc::from(text));
        }
        _ if seen.target.bytes > MAX_COMPARED_BYTES => seen
            .remarks
            .push(format!("what stands there now ({}) is too large to be compared", size(seen.target.bytes))),
        _ => seen.remarks.push(format!(
            "what stands there now ({}) is no text that can be compared",
            size(seen.target.bytes)
        )),
    }
    Ok(())
}

/// What a file has besides its text, and a new file in its place won't have.
fn lost_properties(file: &File, info: Option<&Metadata>, folder: &File) -> Vec<String> {
    let Some(info) = info else { return Vec::new() };
    let (mode, rights) = (info.mode(), ChownRights::of_process());
    let owner = (!rights.can_be_owner(info.uid())).then(|| "its owner".to_owned());
    // In a folder with a setgid bit, a new file has the group of the folder. Unknown groups all have the same number.
    let is_inherited = ChownRights::knows_group(info.gid())
        && folder.metadata().is_ok_and(|folder| folder.mode() & 0o2000 != 0 && folder.gid() == info.gid());
    let group = (!is_inherited && !rights.can_be_group(info.gid())).then(|| "its group".to_owned());
    let bits = [(0o4000_u32, "its setuid bit"), (0o2000, "its setgid bit"), (0o1000, "its sticky bit")];
    let bits = bits.into_iter().filter(|(bit, _)| mode & bit != 0).map(|(_, name)| name.to_owned());
    let mut list = vec![0_u8; MAX_ATTRIBUTE_NAMES_BYTES];
    // A file system without attributes refuses.
    let length = rustix::fs::flistxattr(file, list.as_mut_slice()).unwrap_or(0);
    let names = list.get(..length).unwrap_or_default().split(|byte| *byte == 0).map(String::from_utf8_lossy);
    let own = names.filter(|name| !name.is_empty() && !SYSTEM_ATTRIBUTES.contains(&&**name));
    let attributes = own.map(|name| match &*name {
        ACCESS_LIST => "its access list".to_owned(),
        name => format!("its attribute {name}"),
    });
    owner.into_iter().chain(group).chain(bits).chain(attributes).collect()
}

/// The hash of an open file; `None` if it can't be read, or is larger than what may be replaced.
pub(super) fn hash(file: File) -> Option<Sha256> {
    super::read::whole(file, Path::new(""), MAX_REPLACED_BYTES).ok().map(|bytes| Sha256::of(&bytes))
}

fn kind(kind: FileType) -> &'static str {
    match kind {
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        _ => "a device",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::{TestFolder, obeying_modes, set_mode};
    use std::os::unix::fs::symlink;

    fn write(path: &str) -> FileAct {
        FileAct::Write { path: path.into() }
    }

    fn see(folder: &TestFolder, path: &str) -> Result<TargetFacts, FileError> {
        examine(&folder.base, None, &write(path))
    }

    #[test]
    fn a_new_file_and_its_folders() {
        let folder = TestFolder::new();
        let seen = see(&folder, "a/b/c.txt").expect("seen");
        assert_eq!(seen.target.path, folder.at("a/b/c.txt"));
        let expected = (OnDisk::Nothing, 2, false);
        assert_eq!((seen.target.found, seen.target.folders, seen.target.outside), expected);
        assert_eq!(seen.target.link, None);
    }

    #[test]
    fn what_stands_there_is_hashed_and_shown() {
        let folder = TestFolder::with(&[("a", "old\n")]);
        let seen = see(&folder, "./x/../a").expect_err("a folder that is not there");
        assert!(seen.to_string().contains(".."), "{seen}");
        let seen = see(&folder, "a").expect("seen");
        assert_eq!(seen.target.found, OnDisk::File(Some(Sha256::of(b"old\n"))));
        assert_eq!((seen.before.as_deref(), seen.target.bytes), (Some("old\n"), 4));
    }

    #[test]
    fn links_are_followed_and_told() {
        let folder = TestFolder::new();
        let other = TestFolder::new();
        symlink(&other.base, folder.at("out")).expect("linked");
        symlink("missing", other.at("dangling")).expect("linked");
        let seen = see(&folder, "out/dangling").expect("seen");
        assert_eq!(seen.target.path, other.at("missing"), "the place that would be written");
        assert!(seen.target.outside && seen.target.link.is_some());
        symlink("b", folder.at("a")).expect("linked");
        symlink("a", folder.at("b")).expect("linked");
        assert!(see(&folder, "a").is_err_and(|why| why.to_string().contains("too many links")));
    }

    #[test]
    fn outside_is_outside_however_it_is_spelled() {
        let folder = TestFolder::new();
        for path in ["../x", "/etc/hosts", "a/../../x"] {
            let seen = examine(&folder.base, None, &FileAct::Read { path: path.into(), from: 1, lines: 1 });
            assert!(seen.map_or(true, |seen| seen.target.outside), "{path}");
        }
        let home = folder.at("home");
        let seen = examine(&folder.base, Some(&home), &write("~/.bashrc")).expect("seen");
        assert!(seen.target.path.ends_with("home/.bashrc"));
        assert!(see(&folder, "~ann/x").is_err());
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let folder = TestFolder::new();
        std::fs::create_dir(folder.at("d")).expect("made");
        set_mode(&folder.file("r", "x"), 0o444);
        assert!(see(&folder, "d").is_err());
        assert!(see(&folder, "new/").is_err());
        assert!(see(&folder, "r").is_err_and(|why| why.to_string().contains("read-only")));
        assert!(see(&folder, "/dev/null").is_err_and(|why| why.to_string().contains("device")));
        assert!(examine(&folder.base, None, &FileAct::List { path: "r".into(), depth: 1 }).is_err());
    }

    #[test]
    fn what_a_new_file_in_its_place_does_not_have_is_told() {
        use rustix::fs::{XattrFlags, fsetxattr};
        let folder = TestFolder::new();
        let path = folder.file("a", "a\n");
        assert_eq!(see(&folder, "a").expect("seen").remarks, [""; 0]);
        set_mode(&path, 0o4755);
        let file = File::open(&path).expect("opened");
        // Not every file system has attributes.
        let is_noted = fsetxattr(&file, "user.note", b"x", XattrFlags::empty()).is_ok();
        let note = if is_noted { ", its attribute user.note" } else { "" };
        let remarks = see(&folder, "a").expect("seen").remarks;
        assert_eq!(remarks, [format!("the file loses its setuid bit{note}")]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn root_that_may_not_give_files_away_is_told_so() {
        let folder = TestFolder::new();
        let path = folder.file("a", "a\n");
        if std::os::unix::fs::chown(&path, Some(1234), Some(2345)).is_err() {
            return; // Only root may do this.
        }
        let remarks = || see(&folder, "a").expect("seen").remarks;
        assert_eq!(remarks(), [""; 0]);
        let wanted = ["the file loses its owner, its group"];
        assert_eq!(obeying_modes(remarks), wanted);
    }

    #[test]
    fn other_names_and_bytes_that_are_no_text_are_told() {
        let folder = TestFolder::new();
        std::fs::write(folder.at("a"), b"\x00\xff").expect("written");
        std::fs::hard_link(folder.at("a"), folder.at("b")).expect("linked");
        let seen = see(&folder, "a").expect("seen");
        assert_eq!((seen.before, seen.remarks.len()), (None, 2), "{:?}", seen.remarks);
    }
}

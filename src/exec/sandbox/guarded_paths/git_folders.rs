//! Finds git's own folders of a working folder, as git finds them, and the folders of hooks that their settings name.
//! What can't be looked into counts as one of them.

use super::is_missing;
use crate::domain::auto_run::OF_GIT;
use crate::domain::git_folder::{
    INNER_FOLDERS, NAMED_BY_CONTENT, gitdir, hooks_folders, hooks_path, is_git_folder, path_in,
};
use rustix::fs::OFlags;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// The most folders of git's own that are protected: a mount each for what is in them. With more, the folders around
/// them are read-only, so that no number of folders that a run made leaves a real one open. Folders of hooks that lie
/// elsewhere are not found then for those that were not looked at, because their settings name them.
pub(super) const MAX_GIT_FOLDERS: usize = 100;
/// The most entries that are read to find them. With more, the same holds.
pub(super) const MAX_ENTRIES: usize = 10_000;
/// Larger settings of git are not read.
const MAX_TEXT_BYTES: u64 = 256 << 10;

/// The folders of git's own that belong to this folder: itself or its `.git` or where that leads, what several
/// worktrees share, and those of submodules and worktrees in them. Also the folders for such ones that can't be looked
/// through, or hold too much.
pub(super) fn git_folders(folder: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let bare = Some(folder.to_path_buf()).filter(|folder| is_gits(folder));
    let mut found: Vec<PathBuf> = bare.into_iter().chain(git_folder_of(folder)).collect();
    let shared: Vec<PathBuf> = found.iter().filter_map(|git| shared_folder(git)).collect();
    found.extend(shared);
    let inner = found.iter().flat_map(|git| INNER_FOLDERS.map(|name| git.join(name)));
    let mut inner: Vec<PathBuf> = inner.collect();
    let mut left = MAX_ENTRIES;
    inner.retain(|inner| !search(inner, &mut found, &mut left));
    (found, inner)
}

/// Adds the folders of git's own below a folder for submodules or worktrees. Returns whether it looked at all of them.
/// A run may have made any folder look like one of git's, so what lies below that is looked at too, but for what git
/// keeps there by the names of branches and hashes.
fn search(inner: &Path, found: &mut Vec<PathBuf>, left: &mut usize) -> bool {
    let mut todo = vec![(inner.to_path_buf(), false)];
    while let Some((folder, is_named_by_content)) = todo.pop() {
        // A submodule's name may be that of such a folder: `modules/logs`.
        let is_inner = INNER_FOLDERS.iter().any(|name| folder.ends_with(name));
        let is_gits = may_be_gits(&folder);
        if is_gits {
            found.extend(shared_folder(&folder).filter(|shared| !found.contains(shared)));
            found.push(folder.clone());
        }
        let Ok(children) = folders_in(&folder, left) else { return false };
        for child in children {
            if is_named_by_content && is_kept_by_content(&child) && !may_be_gits(&child) {
                continue;
            }
            let by_content = NAMED_BY_CONTENT.iter().any(|name| child.ends_with(name));
            todo.push((child, is_gits && !is_inner && by_content));
        }
        if found.len() > MAX_GIT_FOLDERS || *left == 0 {
            return false;
        }
    }
    true
}

/// Whether git itself makes a folder of this name in its `objects`, `logs` or `refs`. Another one may be a submodule's,
/// where a run made the folder around it look like one of git's.
fn is_kept_by_content(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    match folder.parent().and_then(Path::file_name).and_then(OsStr::to_str) {
        Some("objects") => matches!(&*name, "info" | "pack") || is_start_of_hash(&name),
        Some("logs") => name == "refs",
        _ => matches!(&*name, "heads" | "tags" | "remotes"),
    }
}

fn is_start_of_hash(name: &str) -> bool {
    name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether git takes this folder for one of its own. The names are looked up, as git does it: no number of other names
/// hides them.
fn is_gits(folder: &Path) -> bool {
    let names = ["HEAD", "objects", "refs", "commondir"].map(OsStr::new);
    is_git_folder(names.into_iter().filter(|name| may_exist(&folder.join(name))))
}

/// Whether this folder is one of git's own, or was before a run moved something in it away. These files can't be moved.
fn may_be_gits(folder: &Path) -> bool {
    let may_be_file = |name: &str| match fs::symlink_metadata(folder.join(name)) {
        Ok(meta) => !meta.is_dir(),
        Err(error) => !is_missing(&error),
    };
    may_be_file("config") || may_be_file("commondir") || is_gits(folder)
}

/// The folder that a worktree's folder of git's own shares with others.
fn shared_folder(git: &Path) -> Option<PathBuf> {
    text(&git.join("commondir")).and_then(|path| end_of(&git.join(path_in(&path))))
}

/// The folder of git's own of a folder with files: `.git`, or where a link or a file of that name leads.
fn git_folder_of(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(OF_GIT.name);
    if fs::symlink_metadata(&git).ok()?.is_dir() {
        return Some(git);
    }
    let git = end_of(&git)?;
    if git.is_dir() {
        return Some(git);
    }
    end_of(&git.parent()?.join(gitdir(&text(&git)?)?))
}

/// The folders of hooks that the settings of git name, if they exist.
pub(super) fn hooks(folder: &Path, git: &Path) -> Vec<PathBuf> {
    let settings = text(&git.join("config")).unwrap_or_default();
    let home = std::env::home_dir();
    // Git may keep its own folder elsewhere than beside the person's files.
    let own = hooks_path(&settings, home.as_deref()).map(|path| folder.join(path));
    let named = own.into_iter().chain(hooks_folders(git, &settings, home.as_deref()));
    named.filter_map(|hooks| end_of(&hooks)).collect()
}

/// Where a path leads, through all links; `None` if nothing is there. Where a folder on its way can't be looked into,
/// that folder.
fn end_of(path: &Path) -> Option<PathBuf> {
    match fs::canonicalize(path) {
        Ok(end) => Some(end),
        Err(error) if is_missing(&error) => None,
        Err(_) => {
            let around = path.parent()?;
            end_of(&fs::read_link(path).map_or_else(|_| around.into(), |target| around.join(target)))
        }
    }
}

/// The folders in a folder. Each of its entries counts.
///
/// # Errors
/// When the folder exists and can't be read.
fn folders_in(folder: &Path, left: &mut usize) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if is_missing(&error) => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut folders = Vec::new();
    for entry in entries.take(*left) {
        *left -= 1;
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            folders.push(entry.path());
        }
    }
    Ok(folders)
}

/// Whether something may have this name.
fn may_exist(path: &Path) -> bool {
    fs::symlink_metadata(path).map_or_else(|error| !is_missing(&error), |_| true)
}

/// The bytes of a small file; `None` if it can't be read. No later run can make it readable: it or the folder around it
/// is protected. Does not block on a pipe in its place, and follows no link.
fn text(path: &Path) -> Option<Vec<u8>> {
    let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOFOLLOW).bits()).ok()?;
    let file = fs::OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
    let mut bytes = Vec::new();
    file.metadata().ok().filter(fs::Metadata::is_file)?;
    file.take(MAX_TEXT_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

//! Walks all names below some folders, each folder opened relative to its parent, so that swapping one for a link
//! redirects nothing. Reads only names and metadata.

use super::opener::{Node, Opener, node_in};
use crate::workspace::changes::SKIPPED_FOLDERS;
use crate::workspace::held_path::{Folder, folder_in};
use rustix::fs::Dir;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The deepest nesting of folders that is walked; each is held open meanwhile.
const MAX_DEPTH: usize = 100;
/// Folders that tools rebuild, besides [`SKIPPED_FOLDERS`].
const REBUILT_FOLDERS: [&str; 2] = [".venv", ".git/objects"];

#[derive(Debug, Default)]
pub(super) struct WalkResult {
    pub(super) nodes: BTreeMap<PathBuf, Node>,
    /// Folders that were not walked.
    pub(super) left_out: Vec<PathBuf>,
}

impl WalkResult {
    /// Adds single files that the walk did not meet.
    pub(super) fn add(&mut self, files: &[PathBuf]) {
        let mut opener = Opener::default();
        for path in files {
            if !self.nodes.contains_key(path)
                && let Some(node) = opener.node(path)
            {
                self.nodes.insert(path.clone(), node);
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UndoScope {
    /// Everything below these folders.
    Folders(Vec<PathBuf>),
    /// These files, and the folders of their paths that do not exist yet.
    Files(Vec<PathBuf>),
}

impl UndoScope {
    pub(crate) fn of_files(files: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut paths = Vec::new();
        for file in files {
            let missing = file.ancestors().skip(1).take_while(|folder| is_gone(folder));
            paths.extend(missing.map(Path::to_owned));
            paths.push(file);
        }
        UndoScope::Files(paths)
    }

    /// Whether this is one of the folders themselves.
    pub(super) fn is_root(&self, path: &Path) -> bool {
        matches!(self, UndoScope::Folders(roots) if roots.iter().any(|root| root == path))
    }

    /// Whether nothing may be written, so that there is nothing to copy.
    pub(crate) fn is_empty(&self) -> bool {
        let (UndoScope::Folders(paths) | UndoScope::Files(paths)) = self;
        paths.is_empty()
    }
}

/// Why a walk was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WalkError {
    /// There are more names than the limit.
    TooMany,
    /// It took too long: the disk is slow, or remote.
    TooLong,
}

/// Walks these folders and everything below them, except sayso's own folders, until `until` at the latest.
pub(super) fn walk(
    scope: &UndoScope,
    own: &[PathBuf],
    most: usize,
    until: Option<Instant>,
) -> Result<WalkResult, WalkError> {
    let roots = match scope {
        UndoScope::Folders(roots) => roots,
        UndoScope::Files(files) => {
            let mut opener = Opener::default();
            let nodes = files.iter().filter_map(|path| Some((path.clone(), opener.node(path)?))).collect();
            return Ok(WalkResult { nodes, left_out: Vec::new() });
        }
    };
    let mut walk = FolderWalk { found: WalkResult::default(), own, most, until };
    for root in roots {
        match Folder::find(root) {
            Ok(folder) if folder.path() == root && !is_left_out(root) => {
                match folder_in(folder.file(), OsStr::new(".")) {
                    Ok(folder) => walk.folder(&folder, root, 0)?,
                    Err(_) => walk.found.left_out.push(root.clone()),
                }
                if let Some(node) = Opener::default().node(root) {
                    walk.found.nodes.insert(root.clone(), node);
                }
            }
            // A missing folder has nothing in it.
            Err(_) if is_gone(root) => {}
            _ => walk.found.left_out.push(root.clone()),
        }
    }
    // Sorted, so that the order is always the same.
    walk.found.left_out.sort();
    Ok(walk.found)
}

/// Whether a folder is left out because tools rebuild its content.
pub(super) fn is_left_out(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default();
    SKIPPED_FOLDERS.iter().any(|known| name == *known)
        || REBUILT_FOLDERS.iter().any(|known| folder.ends_with(known))
}

pub(super) fn is_gone(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

struct FolderWalk<'a> {
    found: WalkResult,
    own: &'a [PathBuf],
    most: usize,
    until: Option<Instant>,
}

impl FolderWalk<'_> {
    fn folder(&mut self, folder: &File, path: &Path, depth: usize) -> Result<(), WalkError> {
        let Ok(names) = Dir::read_from(folder) else {
            self.found.left_out.push(path.to_owned());
            return Ok(());
        };
        for entry in names.flatten() {
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            if self.found.nodes.len() >= self.most {
                return Err(WalkError::TooMany);
            }
            if self.until.is_some_and(|until| Instant::now() > until) {
                return Err(WalkError::TooLong);
            }
            let Some(node) = node_in(folder, name) else { continue };
            let below = path.join(name);
            let is_folder = matches!(node, Node::Folder(_));
            if is_folder && (is_left_out(&below) || self.own.contains(&below) || depth >= MAX_DEPTH) {
                self.found.left_out.push(below);
                continue;
            }
            self.found.nodes.insert(below.clone(), node);
            if is_folder {
                match folder_in(folder, name) {
                    Ok(folder) => self.folder(&folder, &below, depth + 1)?,
                    Err(_) => self.found.left_out.push(below),
                }
            }
        }
        Ok(())
    }
}

//! Finds what a run changed in the working folder, by comparing two snapshots. They are bounded, and what they do not
//! cover is reported: folders that are too large, folders of caches, changes beyond those that are listed.
//!
//! Files that existed before are compared and listed first, so that new files can't hide a change to them. Changes to
//! auto-run files (`auto_run`) are always listed.

mod snapshot;

use super::auto_run::AutoRunFiles;
use super::stamp::{FileStamp, is_gone};
use super::undo_auto_run;
use crate::domain::{FileChange, UnscannedChanges};
pub(super) use snapshot::SKIPPED_FOLDERS;
use snapshot::{ALWAYS_LISTED, ListingBounds, Snapshot, USUAL_BOUNDS};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const MAX_CHANGES_SHOWN: usize = 50;
/// The most folders that are named among those that were not covered.
const MAX_FOLDERS_SHOWN: usize = 12;
/// Git's object files, which are many and named by their content. Changes to them are reported as one change of this
/// folder.
const OBJECTS: &str = ".git/objects";

#[derive(Clone, Debug)]
pub(crate) struct ChangeWatch {
    /// The first is the working folder.
    folders: Vec<PathBuf>,
    before: Snapshot,
    auto_run: AutoRunFiles,
    /// The bounds of the listing after the run.
    bounds: ListingBounds,
}

#[derive(Clone, Debug)]
pub(crate) struct Changes {
    /// The changed files, auto-run ones first.
    pub(crate) files: Vec<FileChange>,
    /// What was not covered.
    pub(crate) gaps: UnscannedChanges,
    /// The auto-run files as they are now, for the next comparison.
    pub(crate) auto_run: AutoRunFiles,
    /// The changes to auto-run files, so that they can be taken back.
    pub(crate) revertible: Vec<undo_auto_run::RevertibleChange>,
}

/// Takes a snapshot of the working folder and of the folder in which a run starts, and of the auto-run files in all
/// folders that the run may write. `known` are the auto-run files of an earlier snapshot, to save time. Follows no
/// links.
pub(crate) fn begin(
    working: &Path,
    start: &Path,
    written: Vec<PathBuf>,
    known: &AutoRunFiles,
) -> ChangeWatch {
    let mut folders = vec![working.to_path_buf()];
    if !start.starts_with(working) {
        folders.push(start.to_path_buf());
    }
    let before = Snapshot::default().again(&folders, USUAL_BOUNDS);
    ChangeWatch { folders, before, auto_run: known.scan(written), bounds: USUAL_BOUNDS }
}

impl ChangeWatch {
    /// The auto-run files that differ from an earlier snapshot of them; nothing if that one is empty.
    pub(crate) fn changed_since(&self, earlier: &AutoRunFiles) -> Vec<FileChange> {
        let mut changes =
            if earlier.was_scanned() { self.auto_run.changes_since(earlier) } else { Vec::new() };
        changes.retain(|change| change.obeyed().is_some());
        for change in &mut changes {
            change.path = self.display_path(Path::new(&change.path));
        }
        changes
    }

    /// The files that programs obey by themselves.
    pub(crate) fn auto_run_paths(&self) -> Vec<PathBuf> {
        self.auto_run.paths()
    }

    pub(crate) fn changes(&self) -> Changes {
        let auto_run = self.auto_run.rescan();
        let mut files = auto_run.changes_since(&self.auto_run);
        for change in &mut files {
            change.path = self.display_path(Path::new(&change.path));
        }
        let now = self.before.again(&self.folders, self.bounds);
        let mut others = self.compare(&now);
        others.retain(|change| !files.iter().any(|auto_run| auto_run.path == change.path));
        others.sort_by_cached_key(|change| (rank(change), change.path.clone()));
        let more = others.len().saturating_sub(MAX_CHANGES_SHOWN);
        others.truncate(MAX_CHANGES_SHOWN);
        others.sort_by(|a, b| a.path.cmp(&b.path));
        files.append(&mut others);
        let gaps = UnscannedChanges { changes: number(more), ..self.gaps(&now, &auto_run) };
        let revertible = auto_run.revertible(&self.auto_run);
        Changes { files, gaps, auto_run, revertible }
    }

    /// What was not covered, before the run or now.
    fn gaps(&self, now: &Snapshot, auto_run: &AutoRunFiles) -> UnscannedChanges {
        let unread: BTreeSet<&PathBuf> = self.before.unread.iter().chain(&now.unread).collect();
        let mut all: BTreeSet<&PathBuf> = self.before.gaps.iter().chain(&now.gaps).collect();
        all.extend(&unread);
        let mut names: Vec<&PathBuf> = all.iter().copied().collect();
        names.sort_by_key(|path| path.components().count());
        let gaps = UnscannedChanges {
            folders: number(all.len()),
            files: number(unread.len()),
            names: names.into_iter().take(MAX_FOLDERS_SHOWN).map(|path| self.display_path(path)).collect(),
            memory_hidden: auto_run.is_kept_out || self.auto_run.is_kept_out,
            ..UnscannedChanges::default()
        };
        let unreadable: BTreeSet<&PathBuf> = auto_run.unread().chain(self.auto_run.unread()).collect();
        let unreadable = unreadable.into_iter().map(|path| self.display_path(path));
        gaps.with_unknown_names(
            auto_run.is_too_large() || self.auto_run.is_too_large(),
            unreadable.take(MAX_FOLDERS_SHOWN).collect(),
        )
    }

    fn compare(&self, now: &Snapshot) -> Vec<FileChange> {
        let mut changes = Vec::new();
        let mut objects: BTreeMap<PathBuf, u64> = BTreeMap::new();
        let mut tell = |path: &Path, change: &str, stamp: Option<&FileStamp>| {
            let bytes = stamp.map_or(0, |stamp| stamp.size);
            match objects_of(path) {
                Some(folder) => *objects.entry(folder.to_path_buf()).or_default() += bytes,
                None => changes.push(FileChange {
                    other_names: stamp.map_or(0, FileStamp::other_names),
                    ..FileChange::new(self.display_path(path), change, bytes)
                }),
            }
        };
        for (path, stamp) in &now.files {
            match self.before.files.get(path) {
                None if self.before.is_gap(path) => {}
                None => tell(path, "created", Some(stamp)),
                Some(before) if !stamp.is_as(before) => tell(path, "changed", Some(stamp)),
                Some(_) => {}
            }
        }
        let missing = self.before.files.keys().filter(|path| !now.files.contains_key(*path));
        // A file that can't be accessed any more counts as a gap, not as deleted.
        for path in missing.filter(|path| std::fs::symlink_metadata(path).is_err_and(|why| is_gone(&why))) {
            tell(path, "deleted", None);
        }
        let of_objects = objects.into_iter();
        changes.extend(
            of_objects.map(|(path, bytes)| FileChange::new(self.display_path(&path), "changed", bytes)),
        );
        changes
    }

    fn display_path(&self, path: &Path) -> String {
        display_path(self.folders.first().map_or(Path::new(""), PathBuf::as_path), path)
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// A path as it is shown: relative to the working folder if it lies in it.
pub(super) fn display_path(working: &Path, path: &Path) -> String {
    let below = path.strip_prefix(working).unwrap_or(path);
    if below.as_os_str().is_empty() { ".".into() } else { below.to_string_lossy().into_owned() }
}

/// Which changes to keep when not all can be listed, lowest first: changes to existing files, new files, files of
/// tools.
fn rank(change: &FileChange) -> u8 {
    let is_of_tools = change.path.split('/').any(|part| ALWAYS_LISTED.contains(&part));
    match change.change.as_str() {
        _ if is_of_tools => 2,
        "created" => 1,
        _ => 0,
    }
}

/// The folder of git objects that contains this file, if any.
fn objects_of(path: &Path) -> Option<&Path> {
    path.ancestors().skip(1).find(|folder| folder.ends_with(OBJECTS))
}

#[cfg(test)]
mod tests;

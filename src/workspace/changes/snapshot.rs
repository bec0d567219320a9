//! A bounded snapshot of the files in some folders, with the folders that it does not cover.

use crate::workspace::stamp::{FileStamp, Stamping, is_folder, is_gone};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Folders of tools, which are listed within limits of their own, whatever else there is.
pub(super) const ALWAYS_LISTED: [&str; 3] = [".git", ".hg", ".venv"];
/// Folders whose files nobody wrote: caches, packages, build results.
pub(in crate::workspace) const SKIPPED_FOLDERS: [&str; 5] =
    ["node_modules", "target", "__pycache__", ".mypy_cache", ".ipynb_checkpoints"];

/// This many entries are listed however long it takes: a busy machine must not hide what a run did in a small folder.
const MIN_LISTED: usize = 500;
/// The limits of a listing: entries, and time.
pub(super) type ListingBounds = (usize, Duration);
pub(super) const USUAL_BOUNDS: ListingBounds = (5_000, Duration::from_millis(40));
const ALWAYS_LISTED_BOUNDS: ListingBounds = (50_000, Duration::from_millis(250));

#[derive(Clone, Debug, Default)]
pub(super) struct Snapshot {
    pub(super) files: BTreeMap<PathBuf, FileStamp>,
    /// Folders that were not listed, or not completely.
    pub(super) gaps: BTreeSet<PathBuf>,
    /// Mapped files that were not read because they are too large.
    pub(super) unread: BTreeSet<PathBuf>,
}

impl Snapshot {
    /// A new snapshot of these folders, listed within these bounds. Known files are checked first, so that new ones
    /// can't crowd them out. Follows no links.
    pub(super) fn again(&self, roots: &[PathBuf], bounds: ListingBounds) -> Self {
        let mut stamping = Stamping::begin();
        let mut now = Self::default();
        for (path, stamp) in &self.files {
            match stamping.again(stamp, path) {
                Ok(stamp) => drop(now.files.insert(path.clone(), stamp)),
                Err(error) if is_gone(&error) => {}
                Err(_) => drop(now.gaps.insert(path.parent().unwrap_or(path).to_path_buf())),
            }
        }
        let mut walk = SnapshotWalk::new(stamping, now, self);
        for root in roots {
            walk.always
                .extend(ALWAYS_LISTED.iter().map(|name| root.join(name)).filter(|path| is_folder(path)));
        }
        walk.list_always();
        walk.list(roots.iter().cloned().collect(), bounds);
        // The listing may have found more of these folders deeper down.
        walk.list_always();
        walk.stamp_mapped();
        Self { unread: walk.stamping.unread, ..walk.now }
    }

    /// Whether the path lies in a folder that was not covered.
    pub(super) fn is_gap(&self, path: &Path) -> bool {
        !self.gaps.is_empty() && path.ancestors().any(|folder| self.gaps.contains(folder))
    }
}

struct SnapshotWalk<'a> {
    stamping: Stamping,
    now: Snapshot,
    known: &'a Snapshot,
    seen: BTreeSet<PathBuf>,
    /// Folders to list in any case.
    always: Vec<PathBuf>,
    /// New files that are stamped after the listing, as that may take longer than a listing may.
    mapped: Vec<(PathBuf, Metadata)>,
}

impl<'a> SnapshotWalk<'a> {
    fn new(stamping: Stamping, now: Snapshot, known: &'a Snapshot) -> Self {
        Self { stamping, now, known, seen: BTreeSet::new(), always: Vec::new(), mapped: Vec::new() }
    }

    fn stamp_mapped(&mut self) {
        for (path, info) in std::mem::take(&mut self.mapped) {
            let stamp = self.stamping.stamp(&path, &info);
            self.now.files.insert(path, stamp);
        }
    }

    fn list_always(&mut self) {
        let folders = std::mem::take(&mut self.always);
        self.list(folders.into(), ALWAYS_LISTED_BOUNDS);
    }

    /// Lists these folders and those below them, breadth first.
    fn list(&mut self, mut folders: VecDeque<PathBuf>, (most, longest): ListingBounds) {
        let (began, mut entries) = (Instant::now(), 0);
        let is_always = longest == ALWAYS_LISTED_BOUNDS.1;
        while let Some(folder) = folders.pop_front() {
            if !self.seen.insert(folder.clone()) {
                continue;
            }
            let listed = match std::fs::read_dir(&folder) {
                Ok(listed) => listed,
                Err(error) if is_gone(&error) => continue,
                Err(_) => {
                    self.now.gaps.insert(folder);
                    continue;
                }
            };
            for entry in listed.flatten() {
                entries += 1;
                if entries > most || entries > MIN_LISTED && began.elapsed() > longest {
                    self.now.gaps.insert(folder);
                    break;
                }
                let (path, name) = (entry.path(), entry.file_name());
                let is = |names: &[&str]| names.iter().any(|known| name == *known);
                match entry.file_type() {
                    Ok(kind) if !kind.is_dir() => self.keep(path, &entry),
                    Ok(_) if is_always => folders.push_back(path),
                    Ok(_) if is(&ALWAYS_LISTED) => self.always.push(path),
                    Ok(_) if is(&SKIPPED_FOLDERS) => drop(self.now.gaps.insert(path)),
                    Ok(_) => folders.push_back(path),
                    Err(_) => {}
                }
            }
        }
    }

    fn keep(&mut self, path: PathBuf, entry: &std::fs::DirEntry) {
        if self.known.files.contains_key(&path) {
            return;
        }
        match entry.metadata() {
            Ok(info) if self.stamping.is_mapped(&info) => self.mapped.push((path, info)),
            Ok(info) => {
                let stamp = self.stamping.stamp(&path, &info);
                self.now.files.insert(path, stamp);
            }
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_folder_is_listed_whatever_time_it_takes_and_a_large_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_path_buf();
        let listed = || {
            let known = Snapshot::default();
            let mut walk = SnapshotWalk::new(Stamping::begin(), Snapshot::default(), &known);
            walk.list([root.clone()].into(), (5_000, Duration::ZERO));
            (walk.now.files.len(), walk.now.gaps.contains(&root))
        };
        let write = |number: usize| std::fs::write(root.join(number.to_string()), "").unwrap();
        (0..MIN_LISTED).for_each(write);
        assert_eq!(listed(), (MIN_LISTED, false));
        (MIN_LISTED..2 * MIN_LISTED).for_each(write);
        assert_eq!(listed(), (MIN_LISTED, true));
    }
}

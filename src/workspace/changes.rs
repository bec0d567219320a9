//! What a run changed in the working folder: two looks, compared. Bounded: a folder that is too large to be looked at
//! in a moment is not judged at all, rather than wrongly; of the names that programs obey by themselves (`obeyed`) it is.

use super::obeyed::ObeyedFiles;
use crate::domain::FileChange;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// Entries that are looked at.
const MOST_ENTRIES: usize = 5_000;

/// How long a look may take.
const MOST_TIME: Duration = Duration::from_millis(40);

/// Changes that are told.
const MOST_TOLD: usize = 50;

/// Folders whose files are nobody's work: caches and what tools keep.
const PASSED_OVER: [&str; 8] =
    [".git", ".hg", "node_modules", "target", ".venv", "__pycache__", ".mypy_cache", ".ipynb_checkpoints"];

/// A file as it stood: size and time of its last change.
type Stamp = (u64, Option<SystemTime>);

/// A folder as it stood.
#[derive(Clone, Debug)]
pub struct Look {
    folder: PathBuf,
    /// All files; `None` where the folder is too large for that.
    files: Option<Files>,
    obeyed: ObeyedFiles,
}

type Files = BTreeMap<PathBuf, Stamp>;

/// Looks at a folder, and at the names that are obeyed in all folders that a run may write. `known` are such names of an
/// earlier look, for speed. Links are not followed.
pub fn look(folder: &Path, written: Vec<PathBuf>, known: &ObeyedFiles) -> Look {
    Look { folder: folder.to_path_buf(), files: files(folder), obeyed: known.again_of(written) }
}

fn files(folder: &Path) -> Option<Files> {
    let began = Instant::now();
    let mut files = BTreeMap::new();
    let mut seen = 0;
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten().flatten() {
            seen += 1;
            if seen > MOST_ENTRIES || began.elapsed() > MOST_TIME {
                return None;
            }
            let Ok(info) = entry.metadata() else { continue };
            if !info.is_dir() {
                files.insert(entry.path(), (info.len(), info.modified().ok()));
            } else if !PASSED_OVER.iter().any(|name| entry.file_name() == *name) {
                folders.push(entry.path());
            }
        }
    }
    Some(files)
}

impl Look {
    /// What is different now, obeyed names first; and the obeyed names, for the next look.
    pub fn changes(&self) -> (Vec<FileChange>, ObeyedFiles) {
        let now = self.obeyed.again();
        let mut changes = now.changes_since(&self.obeyed);
        for change in &mut changes {
            if let Ok(below) = Path::new(&change.path).strip_prefix(&self.folder) {
                change.path = below.to_string_lossy().into_owned();
            }
        }
        let mut others = match (&self.files, files(&self.folder)) {
            (Some(before), Some(now)) => self.compare(before, &now),
            _ => Vec::new(),
        };
        others.retain(|change| !changes.iter().any(|obeyed| obeyed.path == change.path));
        others.truncate(MOST_TOLD);
        changes.append(&mut others);
        (changes, now)
    }

    fn compare(&self, before: &Files, now: &Files) -> Vec<FileChange> {
        let mut changes: Vec<FileChange> = Vec::new();
        for (path, stamp) in now {
            match before.get(path) {
                None => changes.push(self.change(path, "created", stamp.0)),
                Some(before) if before != stamp => changes.push(self.change(path, "changed", stamp.0)),
                Some(_) => {}
            }
        }
        let gone = before.keys().filter(|path| !now.contains_key(*path));
        changes.extend(gone.map(|path| self.change(path, "deleted", 0)));
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        changes
    }

    fn change(&self, path: &Path, change: &str, bytes: u64) -> FileChange {
        let path = path.strip_prefix(&self.folder).unwrap_or(path).to_string_lossy().into_owned();
        FileChange { path, change: change.into(), bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_changed_and_deleted_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("out/.git")).expect("made");
        for name in ["same", "grown", "gone"] {
            std::fs::write(at(name), "1").expect("written");
        }
        let before = look(folder.path(), vec![folder.path().to_path_buf()], &ObeyedFiles::default());
        std::fs::write(at("grown"), "12").expect("written");
        std::fs::remove_file(at("gone")).expect("deleted");
        std::fs::write(at("out/new.png"), "123").expect("written");
        std::fs::write(at("out/.git/index"), "passed over").expect("written");
        let told: Vec<_> = before.changes().0.into_iter().map(|c| (c.change, c.path, c.bytes)).collect();
        let expected = [("deleted", "gone", 0), ("changed", "grown", 2), ("created", "out/new.png", 3)];
        assert_eq!(told, expected.map(|(change, path, bytes)| (change.into(), path.into(), bytes)));
    }

    #[test]
    fn a_folder_that_is_too_large_is_not_judged() {
        let folder = tempfile::tempdir().expect("a folder");
        for n in 0..=MOST_ENTRIES {
            std::fs::write(folder.path().join(n.to_string()), "").expect("written");
        }
        let before = look(folder.path(), vec![folder.path().to_path_buf()], &ObeyedFiles::default());
        assert_eq!(before.files, None);
        std::fs::write(folder.path().join(".envrc"), "").expect("written");
        std::fs::write(folder.path().join("other"), "").expect("written");
        let told: Vec<_> = before.changes().0.into_iter().map(|c| c.path).collect();
        assert_eq!(told, [".envrc"], "of what is obeyed all is told");
    }
}

//! What a run made or changed of the names that programs start or obey by themselves once somebody opens the folder
//! (`domain/obeyed.rs`), at any depth and never cut: a look before a run and one after it.
//!
//! A folder whose time of change is as before has the same names in it, so that only those that changed are listed again.

use crate::domain::FileChange;
use crate::domain::obeyed::obeyed;
use std::collections::{BTreeMap, HashMap};
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A folder in which nothing is obeyed and much lies.
const OBJECTS: &str = ".git/objects";

/// Folders that are looked at; where there are more (a home, a whole disk), nothing is told of any.
const MOST_FOLDERS: usize = 100_000;

/// How a file or folder stood: its number, size, and times of change (seconds and nanoseconds), of its content and of
/// all that is said of it; the latter can't be set back.
type Stamp = (u64, u64, (i64, i64), (i64, i64));

fn stamp(info: &Metadata) -> Stamp {
    (info.ino(), info.size(), (info.mtime(), info.mtime_nsec()), (info.ctime(), info.ctime_nsec()))
}

/// The obeyed names of a folder as they stood.
#[derive(Clone, Debug, Default)]
pub struct ObeyedFiles {
    root: PathBuf,
    /// Folders with their stamps and the folders in them.
    folders: HashMap<PathBuf, (Stamp, Vec<PathBuf>)>,
    files: BTreeMap<PathBuf, Stamp>,
}

impl ObeyedFiles {
    /// Looks at a folder. Links are not followed.
    pub fn of(root: &Path) -> Self {
        Self::default().again_of(root)
    }

    /// The same folder as it stands now.
    #[must_use]
    pub fn again(&self) -> Self {
        self.again_of(&self.root)
    }

    /// A folder as it stands now; quick where it is the one that these are of.
    #[must_use]
    pub fn again_of(&self, root: &Path) -> Self {
        let mut now = Self { root: root.to_path_buf(), ..Self::default() };
        now.fill(self);
        now
    }

    /// What is new, different or gone since then, by path below the folder.
    pub fn changes_since(&self, before: &Self) -> Vec<FileChange> {
        let mut changes = Vec::new();
        if self.is_too_large() || before.is_too_large() || self.root != before.root {
            return changes;
        }
        for (path, stamp) in &self.files {
            match before.files.get(path) {
                None => changes.push(self.change(path, "created", stamp.1)),
                Some(then) if then != stamp => changes.push(self.change(path, "changed", stamp.1)),
                Some(_) => {}
            }
        }
        let gone = before.files.keys().filter(|path| !self.files.contains_key(*path));
        changes.extend(gone.map(|path| self.change(path, "deleted", 0)));
        changes
    }

    fn is_too_large(&self) -> bool {
        self.folders.len() > MOST_FOLDERS
    }

    fn change(&self, path: &Path, change: &str, bytes: u64) -> FileChange {
        let path = path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned();
        FileChange { path, change: change.into(), bytes }
    }

    fn fill(&mut self, before: &Self) {
        let mut todo = vec![self.root.clone()];
        while let Some(folder) = todo.pop().filter(|_| !self.is_too_large()) {
            let Ok(info) = std::fs::symlink_metadata(&folder) else { continue };
            let stamp = stamp(&info);
            let known = before.folders.get(&folder).filter(|(then, _)| *then == stamp);
            let below = match known {
                Some((_, below)) => {
                    self.keep_files(&folder, before);
                    below.clone()
                }
                None => self.list(&folder),
            };
            todo.extend(below.iter().cloned());
            self.folders.insert(folder, (stamp, below));
        }
    }

    /// The obeyed files right in a folder in which no name changed: their content may have.
    fn keep_files(&mut self, folder: &Path, before: &Self) {
        let below =
            before.files.range(folder.to_path_buf()..).take_while(|(path, _)| path.starts_with(folder));
        for (path, _) in below.filter(|(path, _)| path.parent() == Some(folder)) {
            if let Ok(info) = std::fs::symlink_metadata(path) {
                self.files.insert(path.clone(), stamp(&info));
            }
        }
    }

    /// Lists a folder: keeps the obeyed files in it, and gives the folders in it.
    fn list(&mut self, folder: &Path) -> Vec<PathBuf> {
        let mut below = Vec::new();
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(info) = entry.metadata() else { continue };
            if info.is_dir() {
                if !path.ends_with(OBJECTS) {
                    below.push(path);
                }
            } else if path.strip_prefix(&self.root).is_ok_and(|path| obeyed(path).is_some()) {
                self.files.insert(path, stamp(&info));
            }
        }
        below
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn told(now: &ObeyedFiles, before: &ObeyedFiles) -> Vec<(String, String)> {
        now.changes_since(before).into_iter().map(|c| (c.change, c.path)).collect()
    }

    #[test]
    fn what_is_obeyed_is_told_at_any_depth_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for name in [".git/hooks", ".git/objects/aa", "sub/deep", ".vscode"] {
            fs::create_dir_all(at(name)).expect("made");
        }
        for name in [".envrc", "sub/deep/.envrc", "a.py", ".vscode/tasks.json"] {
            fs::write(at(name), "1").expect("written");
        }
        let before = ObeyedFiles::of(folder.path());
        assert_eq!(told(&before.again(), &before), []);
        fs::write(at("a.py"), "2").expect("written");
        fs::write(at(".git/index"), "2").expect("written");
        fs::write(at("sub/deep/.envrc"), "2").expect("written");
        fs::write(at(".git/commondir"), "2").expect("written");
        fs::remove_file(at(".vscode/tasks.json")).expect("removed");
        fs::create_dir_all(at("new/deeper/.git/hooks")).expect("made");
        fs::write(at("new/deeper/.git/hooks/post-checkout"), "2").expect("written");
        std::os::unix::fs::symlink("/bin/sh", at("sub/.zshenv")).expect("linked");
        let now = before.again();
        let expected = [
            ("created", ".git/commondir"),
            ("created", "new/deeper/.git/hooks/post-checkout"),
            ("created", "sub/.zshenv"),
            ("changed", "sub/deep/.envrc"),
            ("deleted", ".vscode/tasks.json"),
        ];
        assert_eq!(told(&now, &before), expected.map(|(change, path)| (change.into(), path.into())));
        assert_eq!(told(&ObeyedFiles::of(folder.path()), &now), [], "what is kept is what a new look sees");
    }

    #[test]
    fn the_same_size_and_time_hide_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join(".envrc");
        fs::write(&file, "one").expect("written");
        let time = fs::metadata(&file).expect("there").modified().expect("a time");
        let before = ObeyedFiles::of(folder.path());
        fs::write(&file, "two").expect("written");
        fs::File::options().write(true).open(&file).expect("open").set_modified(time).expect("set back");
        assert_eq!(told(&before.again(), &before), [("changed".into(), ".envrc".into())]);
    }

    #[test]
    fn a_folder_that_is_gone_has_nothing() {
        assert_eq!(told(&ObeyedFiles::of(Path::new("/not/there")), &ObeyedFiles::default()), []);
    }
}

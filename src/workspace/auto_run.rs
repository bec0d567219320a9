//! Finds what a run did to auto-run files: names that programs start or obey by themselves once somebody opens the
//! folder (`domain/auto_run.rs`), and what git obeys in folders that are its own by what is in them
//! (`domain/git_folder.rs`). Compares a snapshot before the run with one after it, at any depth and without a limit on
//! the list. Folders that can't be read are recorded.
//!
//! A folder whose change time is as before still has the same names in it, so only folders that changed are listed
//! again. A folder that changed right before it was listed is listed again, too: it may have changed once more in the
//! same tick of the clock.

mod comparison;

use super::read;
use super::stamp::{FileStamp, Stamping, is_folder, is_gone};
use super::undo_auto_run::EntryCopy;
use crate::domain::auto_run::{AutoRunName, auto_run_name, run_by_tools};
use crate::domain::git_folder::{folder_that_obeys, hooks_folders, is_git_folder};
use rustix::fs::{AtFlags, Mode, OFlags};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// A folder with many files, none of which is obeyed.
const OBJECTS: &str = ".git/objects";

/// The most folders that are searched. If there are more (a home, a whole disk), no change is reported at all.
const MAX_FOLDERS: usize = 100_000;

/// A folder as it was listed. Snapshots that find it unchanged share the lists of its content.
#[derive(Clone, Debug)]
struct ListedFolder {
    stamp: FileStamp,
    folders: Arc<[Arc<OsStr>]>,
    /// The auto-run files directly in the folder, and those that git would obey if a folder were its own.
    files: Arc<[PathBuf]>,
    /// Whether it is one of git's own.
    is_gits: bool,
    /// Whether all of its names could be read.
    is_read: bool,
}

impl ListedFolder {
    /// If it could not be read, what was in it before counts as still there: its files are looked at by their names, and
    /// none seems new when the folder can be read again.
    fn with_earlier(mut self, earlier: Option<&Self>) -> Self {
        let Some(earlier) = earlier.filter(|_| !self.is_read) else { return self };
        let files: BTreeSet<_> = self.files.iter().chain(&*earlier.files).cloned().collect();
        let folders: BTreeSet<_> = self.folders.iter().chain(&*earlier.folders).cloned().collect();
        self.files = files.into_iter().collect();
        self.folders = folders.into_iter().collect();
        self.is_gits |= earlier.is_gits;
        self
    }
}

/// A snapshot of the auto-run files below some folders.
#[derive(Clone, Debug, Default)]
pub struct AutoRunFiles {
    roots: Vec<PathBuf>,
    /// When the snapshot was taken; `None` for the empty one of `default()`.
    at: Option<SystemTime>,
    folders: HashMap<Arc<OsStr>, ListedFolder>,
    files: BTreeMap<PathBuf, FileStamp>,
    /// Copies of auto-run files, up to a total size.
    copies: BTreeMap<PathBuf, EntryCopy>,
    copied: usize,
    /// Folders outside of git's own in which its settings say that its hooks are.
    hooks: BTreeSet<PathBuf>,
    /// These folders, and those of earlier snapshots: git obeys their hooks again once earlier settings are restored.
    all_hooks: BTreeSet<PathBuf>,
    /// Folders whose content is not known, or not completely, because the system refused; and mapped files that were
    /// not read.
    unread: BTreeSet<PathBuf>,
    /// Whether a program of a run keeps its memory from being looked at.
    pub(super) is_kept_out: bool,
}

const MAX_COPIED_BYTES: usize = 16 << 20;

/// The most folders of hooks that are remembered in a session.
const MAX_HOOK_FOLDERS: usize = 1000;

/// Larger settings of git are not read.
const MAX_SETTINGS_BYTES: u64 = 256 << 10;

impl AutoRunFiles {
    /// A new snapshot of the same folders.
    #[must_use]
    pub fn rescan(&self) -> Self {
        self.scan(self.roots.clone())
    }

    /// A new snapshot of these folders; quick if they are those of this snapshot. Follows no links.
    #[must_use]
    pub fn scan(&self, mut roots: Vec<PathBuf>) -> Self {
        // A folder inside another one is searched with it.
        roots.sort();
        roots.dedup_by(|inner, outer| inner.starts_with(&*outer));
        let mut stamping = Stamping::begin();
        let at = Some(stamping.moment());
        let mut now = Self { roots, at, is_kept_out: stamping.is_kept_out(), ..Self::default() };
        now.fill(self, &mut stamping);
        now.unread.append(&mut stamping.unread);
        now
    }

    /// The auto-run files, by their absolute paths.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.files.keys().filter(|path| self.is_obeyed(path)).cloned().collect()
    }

    /// Folders whose content is not known, or not completely, and mapped files that were not read.
    pub(super) fn unread(&self) -> impl Iterator<Item = &PathBuf> {
        self.unread.iter()
    }

    /// Whether this is a snapshot of anything.
    pub(crate) fn was_scanned(&self) -> bool {
        self.at.is_some()
    }

    /// Whether there are too many folders, in which case no changes are reported.
    pub(crate) fn is_too_large(&self) -> bool {
        self.folders.len() > MAX_FOLDERS
    }

    fn fill(&mut self, before: &Self, stamping: &mut Stamping) {
        let mut todo: Vec<(Arc<OsStr>, FileStamp)> = Vec::new();
        for root in self.roots.clone() {
            match std::fs::symlink_metadata(&root) {
                Ok(info) => todo.push((root.as_os_str().into(), FileStamp::of(&info))),
                Err(error) => self.note_unread(&root, &error),
            }
        }
        while let Some((name, stamp)) = todo.pop().filter(|_| !self.is_too_large()) {
            let known = before.folders.get(&name);
            let is_same = |then: &&ListedFolder| stamp.is_as(&then.stamp) && then.stamp.is_settled(before.at);
            // What could not be read may be readable by now: the system may have been out of descriptors.
            let known = known.filter(|then| then.is_read).filter(is_same);
            let folder = match known {
                Some(known) => ListedFolder { stamp, ..known.clone() },
                None => self.list(Path::new(&*name), stamp).with_earlier(before.folders.get(&name)),
            };
            if !folder.is_read {
                self.unread.insert(PathBuf::from(&*name));
            }
            let (files, below) = (folder.files.clone(), folder.folders.clone());
            self.folders.insert(name.clone(), folder);
            // Even if no name in a folder changed, the content of its files may have.
            for path in files.iter() {
                self.keep(path, before, stamping);
            }
            todo.extend(self.stamps(Path::new(&*name), &below));
        }
        self.keep_hooks(before, stamping);
    }

    /// Records the hooks in folders that git's settings name, or named before: a run that changes a hook, or one before
    /// it, may lead git elsewhere.
    fn keep_hooks(&mut self, before: &Self, stamping: &mut Stamping) {
        let gits = self.folders.iter().filter(|(_, folder)| folder.is_gits);
        self.hooks = gits.flat_map(|(name, _)| self.hooks_of(Path::new(&**name))).collect();
        self.all_hooks = self.hooks.union(&before.all_hooks).take(MAX_HOOK_FOLDERS).cloned().collect();
        for folder in self.all_hooks.clone() {
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            for path in entries.flatten().map(|entry| entry.path()) {
                if self.files.contains_key(&path) {
                    // It was recorded before its folder was known to be one of hooks.
                    self.keep_copy(&path, before);
                } else if !is_folder(&path) {
                    self.keep(&path, before, stamping);
                }
            }
        }
    }

    /// The folders below a root in which the hooks of this folder of git's may be, besides those of git's own.
    fn hooks_of(&self, git: &Path) -> Vec<PathBuf> {
        let settings = read::bounded_plain(&git.join("config"), MAX_SETTINGS_BYTES).unwrap_or_default();
        let home = std::env::home_dir();
        let named = hooks_folders(git, &settings, home.as_deref());
        let found = named.into_iter().filter_map(|folder| std::fs::canonicalize(folder).ok());
        let below =
            found.filter(|found| self.roots.iter().any(|root| found != root && found.starts_with(root)));
        // What git obeys anyway is recorded as such.
        below.filter(|found| !self.is_obeyed(&found.join("pre-commit"))).collect()
    }

    fn is_git_folder(&self, folder: &Path) -> bool {
        self.folders.get(folder.as_os_str()).is_some_and(|folder| folder.is_gits)
    }

    /// Whether git obeys a file because of the folder in which it lies.
    fn is_gits(&self, path: &Path) -> bool {
        folder_that_obeys(path).is_some_and(|folder| self.is_git_folder(folder))
            || path.parent().is_some_and(|folder| self.all_hooks.contains(folder))
    }

    fn is_obeyed(&self, path: &Path) -> bool {
        self.matches_below_root(path, auto_run_name) || self.is_gits(path)
    }

    fn is_unread(&self, path: &Path) -> bool {
        !self.unread.is_empty() && path.ancestors().any(|folder| self.unread.contains(folder))
    }

    fn note_unread(&mut self, folder: &Path, error: &io::Error) {
        if !is_gone(error) {
            self.unread.insert(folder.to_path_buf());
        }
    }

    /// Whether a path below a root matches. The path of the root itself is not considered.
    fn matches_below_root(&self, path: &Path, what: fn(&Path) -> Option<AutoRunName>) -> bool {
        self.roots.iter().filter_map(|root| path.strip_prefix(root).ok()).any(|path| what(path).is_some())
    }

    /// Records the present state of a file.
    fn keep(&mut self, path: &Path, before: &Self, stamping: &mut Stamping) {
        let now = match before.files.get(path) {
            Some(then) => stamping.again(then, path),
            None => std::fs::symlink_metadata(path).map(|info| stamping.stamp(path, &info)),
        };
        match now {
            Ok(stamp) => {
                self.files.insert(path.to_path_buf(), stamp);
                self.keep_copy(path, before);
            }
            Err(error) => self.note_unread(path.parent().unwrap_or(path), &error),
        }
    }

    /// Keeps a copy of a recorded file if programs obey it.
    fn keep_copy(&mut self, path: &Path, before: &Self) {
        if self.copies.contains_key(path) || !self.is_obeyed(path) {
            return;
        }
        let (now, then) = (self.files.get(path), before.files.get(path));
        let is_same = now.zip(then).is_some_and(|(now, then)| now.is_as(then));
        let copy = before.copies.get(path).filter(|_| is_same).cloned();
        let copy = copy.or_else(|| EntryCopy::of(path, &std::fs::symlink_metadata(path).ok()?));
        if let Some(copy) = copy.filter(|copy| self.copied + copy.size() <= MAX_COPIED_BYTES) {
            self.copied += copy.size();
            self.copies.insert(path.to_path_buf(), copy);
        }
    }

    fn list(&self, folder: &Path, stamp: FileStamp) -> ListedFolder {
        let (mut folders, mut files, mut names) = (Vec::new(), Vec::new(), Vec::new());
        let mut is_read = true;
        let entries = std::fs::read_dir(folder).inspect_err(|error| is_read = is_gone(error));
        for entry in entries.into_iter().flatten() {
            let Ok((kind, entry)) = entry.and_then(|entry| Ok((entry.file_type()?, entry))) else {
                is_read = false;
                continue;
            };
            let path = entry.path();
            names.push(entry.file_name());
            if kind.is_dir() {
                if !path.ends_with(OBJECTS) {
                    folders.push(path.as_os_str().into());
                }
            } else if self.matches_below_root(&path, auto_run_name)
                || self.matches_below_root(&path, run_by_tools)
                || folder_that_obeys(&path).is_some()
            {
                files.push(path);
            }
        }
        let is_gits = is_git_folder(names.iter().map(OsString::as_os_str));
        ListedFolder { stamp, folders: folders.into(), files: files.into(), is_gits, is_read }
    }

    /// The stamps of these subfolders. The folder is opened once, so that the system need not walk the whole path for
    /// each.
    fn stamps(&mut self, folder: &Path, below: &[Arc<OsStr>]) -> Vec<(Arc<OsStr>, FileStamp)> {
        if below.is_empty() {
            return Vec::new();
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = match rustix::fs::open(folder, flags, Mode::empty()) {
            Ok(opened) => opened,
            Err(error) => {
                self.note_unread(folder, &error.into());
                return Vec::new();
            }
        };
        let mut found = Vec::new();
        for path in below {
            let Some(name) = Path::new(&**path).file_name() else { continue };
            match rustix::fs::statat(&opened, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => found.push((path.clone(), FileStamp::of_stat(&stat))),
                Err(error) => self.note_unread(Path::new(&**path), &error.into()),
            }
        }
        found
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::test_folder::TestFolder;
    use std::fs;

    /// The changes between two snapshots, each of something that is obeyed: `created sub/.envrc`.
    pub(super) fn told(now: &AutoRunFiles, before: &AutoRunFiles) -> Vec<String> {
        let below = |path: &str| {
            let mut roots = now.roots.iter().filter_map(|root| Path::new(path).strip_prefix(root).ok());
            roots.next().expect("below a root").to_string_lossy().into_owned()
        };
        let changes = now.changes_since(before);
        assert!(changes.iter().all(|change| change.obeyed().is_some()), "{changes:?}");
        changes.into_iter().map(|change| format!("{} {}", change.change, below(&change.path))).collect()
    }

    pub(in crate::workspace) fn of(folder: &Path) -> AutoRunFiles {
        AutoRunFiles::default().scan(vec![folder.to_path_buf()])
    }

    #[test]
    fn what_is_obeyed_is_told_at_any_depth_and_nothing_else() {
        let folder = TestFolder::new();
        for name in [".git/hooks", ".git/objects/aa"] {
            fs::create_dir_all(folder.at(name)).expect("made");
        }
        for name in [".envrc", "sub/deep/.envrc", "a.py", ".vscode/tasks.json"] {
            folder.file(name, "1");
        }
        let before = of(&folder.base);
        assert_eq!(told(&before.rescan(), &before), [""; 0]);
        for name in ["a.py", ".git/index", "sub/deep/.envrc", ".git/commondir"] {
            folder.file(name, "2");
        }
        fs::remove_file(folder.at(".vscode/tasks.json")).expect("removed");
        folder.file("new/deeper/.git/hooks/post-checkout", "2");
        std::os::unix::fs::symlink("/bin/sh", folder.at("sub/.zshenv")).expect("linked");
        let now = before.rescan();
        let expected = [
            "created .git/commondir",
            "created new/deeper/.git/hooks/post-checkout",
            "created sub/.zshenv",
            "changed sub/deep/.envrc",
            "deleted .vscode/tasks.json",
        ];
        assert_eq!(told(&now, &before), expected);
        assert_eq!(told(&of(&folder.base), &now), [""; 0], "what is kept is what a new look sees");
    }

    #[test]
    fn a_name_that_is_made_in_the_tick_of_a_look_is_told() {
        let folder = TestFolder::new();
        for round in 0..200 {
            folder.file(&format!("{round}.txt"), "");
            let before = of(&folder.base);
            let name = format!("sub-{round}.envrc/.envrc");
            folder.file(&name, "");
            assert_eq!(told(&before.rescan(), &before), [format!("created {name}")], "round {round}");
        }
    }

    #[test]
    fn of_folders_in_each_other_each_thing_is_told_once() {
        let folder = TestFolder::new();
        for name in ["a/b", "c"] {
            fs::create_dir_all(folder.at(name)).expect("made");
        }
        let before = AutoRunFiles::default().scan(["a/b", "c", "a", "a"].map(|name| folder.at(name)).into());
        let files = ["a/b/.envrc", "c/.envrc"].map(|name| folder.file(name, ""));
        let changes = before.rescan().changes_since(&before);
        let paths: Vec<_> = changes.into_iter().map(|change| PathBuf::from(change.path)).collect();
        assert_eq!(paths, files);
    }

    #[test]
    fn a_folder_that_is_gone_has_nothing() {
        assert_eq!(told(&of(Path::new("/not/there")), &AutoRunFiles::default()), [""; 0]);
    }
}

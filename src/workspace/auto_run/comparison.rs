//! Compares two snapshots of auto-run files: what changed, and what of that can be taken back.

use super::AutoRunFiles;
use crate::domain::FileChange;
use crate::domain::auto_run::{auto_run_name, run_by_tools};
use crate::domain::git_folder::folder_that_obeys;
use crate::workspace::stamp::{FileStamp, is_gone};
use crate::workspace::undo_auto_run::{EarlierFile, RevertibleChange};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

impl AutoRunFiles {
    /// The files that were created, changed or deleted since that snapshot, by their absolute paths.
    pub fn changes_since(&self, before: &Self) -> Vec<FileChange> {
        let mut changes = Vec::new();
        if self.is_too_large() || before.is_too_large() || self.roots != before.roots {
            return changes;
        }
        for (path, stamp) in &self.files {
            let kind = match before.files.get(path) {
                // The folder is reported instead: its files may be older than the run.
                None if self.is_in_new_hooks(path, before) => continue,
                None if before.is_unread(path) => "changed",
                None => "created",
                Some(then) if !stamp.is_as(then) => "changed",
                Some(_) => continue,
            };
            changes.extend(self.change(path, kind, Some(stamp), before));
        }
        let gone = before.files.keys().filter(|path| !self.files.contains_key(*path));
        // A file that can't be accessed any more does not count as deleted.
        let gone = gone.filter(|path| std::fs::symlink_metadata(path).is_err_and(|error| is_gone(&error)));
        changes.extend(gone.filter_map(|path| self.change(path, "deleted", None, before)));
        let became_gits = self.became_gits(before, &changes);
        changes.extend(became_gits);
        changes
    }

    /// A change of a file, if programs obey or run it by now or before.
    fn change(
        &self,
        path: &Path,
        kind: &str,
        stamp: Option<&FileStamp>,
        before: &Self,
    ) -> Option<FileChange> {
        let is_named = self.matches_below_root(path, auto_run_name);
        let of_git = !is_named && (self.is_gits(path) || before.is_gits(path));
        let told = is_named || of_git || self.matches_below_root(path, run_by_tools);
        told.then(|| FileChange {
            of_git,
            other_names: stamp.map_or(0, FileStamp::other_names),
            ..FileChange::new(path.to_string_lossy(), kind, stamp.map_or(0, |stamp| stamp.size))
        })
    }

    /// Whether a file only counts because git's settings name its folder by now.
    fn is_in_new_hooks(&self, path: &Path, before: &Self) -> bool {
        let folder = path.parent().unwrap_or(path);
        self.hooks.contains(folder)
            && !before.hooks.contains(folder)
            && !self.matches_below_root(path, auto_run_name)
    }

    /// Folders with files that git obeys only now, because something else changed. A file that is reported itself needs
    /// no report of its folder.
    fn became_gits(&self, before: &Self, changes: &[FileChange]) -> Vec<FileChange> {
        let told: BTreeSet<&str> = changes.iter().map(|change| change.path.as_str()).collect();
        let untold = self.files.keys().filter(|path| !told.contains(&*path.to_string_lossy()));
        let is_new = |folder: &&Path| self.is_git_folder(folder) && !before.is_git_folder(folder);
        let mut new: BTreeSet<&Path> =
            untold.filter_map(|path| folder_that_obeys(path)).filter(is_new).collect();
        new.extend(self.hooks.difference(&before.hooks).map(PathBuf::as_path));
        let report = |folder: &Path| FileChange {
            of_git: true,
            ..FileChange::new(folder.to_string_lossy(), "changed", 0)
        };
        new.into_iter().map(report).collect()
    }

    /// The changes to auto-run files since that snapshot, each ready to be taken back. Files that tools run by
    /// themselves are left out: they are part of the project.
    pub(crate) fn revertible(&self, before: &Self) -> Vec<RevertibleChange> {
        let changes = self.changes_since(before).into_iter().map(|change| PathBuf::from(change.path));
        let is_obeyed = |path: &PathBuf| self.is_obeyed(path) || before.is_obeyed(path);
        // Where nothing could be read, a file may have existed.
        let existed = |path: &Path| before.files.contains_key(path) || before.is_unread(path);
        let own = changes.filter(is_obeyed);
        own.map(|path| RevertibleChange {
            before: existed(&path).then(|| match before.copies.get(&path) {
                Some(copy) => EarlierFile::Kept(copy.clone()),
                None => EarlierFile::NotKept,
            }),
            after: self.files.get(&path).copied(),
            path,
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::{TestFolder, obeying_modes, set_mode};
    use crate::workspace::auto_run::ListedFolder;
    use crate::workspace::auto_run::tests::{of, told};
    use std::fs;
    use std::os::unix::fs::symlink;

    fn git(folder: &TestFolder, at: &str) {
        for name in ["HEAD", "objects/x", "refs/x", "config"] {
            folder.file(&format!("{at}/{name}"), "");
        }
    }

    /// A folder that lacks one file to be git's own, `data/HEAD`, and a snapshot of it.
    fn almost_gits() -> (TestFolder, AutoRunFiles) {
        let folder = TestFolder::new();
        for name in ["data/config", "data/objects/x", "data/refs/x"] {
            folder.file(name, "");
        }
        let before = of(&folder.base);
        (folder, before)
    }

    /// A repository whose hooks are in `tools`.
    fn with_hooks_in_tools() -> TestFolder {
        let folder = TestFolder::new();
        git(&folder, ".git");
        folder.file(".git/config", "[core]\n\thooksPath = tools\n");
        folder.file("tools/pre-commit", "");
        folder
    }

    #[test]
    fn what_git_obeys_is_told_in_submodules_and_in_folders_of_other_names() {
        let folder = TestFolder::new();
        git(&folder, ".git/modules/sub");
        folder.file("src/hooks/use.ts", "");
        folder.file("src/config", "");
        let before = of(&folder.base);
        folder.file(".git/modules/sub/config", "[core]");
        folder.file(".git/modules/sub/hooks/post-checkout", "");
        folder.file("src/hooks/use.ts", "1");
        folder.file("src/config", "1");
        git(&folder, "data");
        folder.file(".git/modules/a/.git", "gitdir: ../../../data");
        symlink("data", folder.at("linked")).expect("linked");
        fs::rename(folder.at("linked"), folder.at("data/.git")).expect("renamed");
        let now = before.rescan();
        let expected = [
            "created .git/modules/a/.git",
            "changed .git/modules/sub/config",
            "created .git/modules/sub/hooks/post-checkout",
            "created data/.git",
            "created data/config",
        ];
        assert_eq!(told(&now, &before), expected);
        assert!(now.revertible(&before).iter().all(|change| change.undo().is_ok()));
        assert!(!folder.at("data/config").exists() && fs::symlink_metadata(folder.at("data/.git")).is_err());
    }

    #[test]
    fn a_folder_that_becomes_gits_is_told_and_what_was_in_it_is_not_removed() {
        let (folder, before) = almost_gits();
        folder.file("data/HEAD", "ref: refs/heads/main");
        let now = before.rescan();
        assert_eq!(told(&now, &before), ["changed data"]);
        assert!(now.revertible(&before).is_empty());
        assert_eq!(told(&now.rescan(), &now), [""; 0]);
    }

    #[test]
    fn no_other_file_hides_that_a_folder_became_gits() {
        let (folder, before) = almost_gits();
        for name in ["data/HEAD", "data/Makefile", "data/hooks/post-checkout"] {
            folder.file(name, "1");
        }
        let changes = before.rescan().changes_since(&before);
        let obeyed: Vec<_> = changes.iter().filter(|change| change.obeyed().is_some()).collect();
        let paths = obeyed.iter().map(|change| PathBuf::from(&change.path)).collect::<BTreeSet<_>>();
        assert_eq!(paths, [folder.at("data"), folder.at("data/hooks/post-checkout")].into());
        assert_eq!(changes.len(), obeyed.len() + 1, "the Makefile is told as well");
    }

    #[test]
    fn hooks_are_told_where_the_settings_say_that_they_are() {
        let folder = with_hooks_in_tools();
        let before = of(&folder.base);
        folder.file("tools/pre-commit", "1");
        folder.file("tools/post-checkout", "1");
        let expected = ["created tools/post-checkout", "changed tools/pre-commit"];
        let now = before.rescan();
        assert_eq!(told(&now, &before), expected);
        folder.file("scripts/mine", "");
        let before = now.rescan();
        folder.file(".git/config", "[core]\n\thooksPath = scripts\n");
        let now = before.rescan();
        assert_eq!(told(&now, &before), ["changed .git/config", "changed scripts"]);
        assert_eq!(now.revertible(&before).len(), 1, "what is older than the run is not removed");
        folder.file(".git/hooks/post-checkout", "");
        let before = now.rescan();
        folder.file(".git/config", "[core]\n\thooksPath = .git/hooks\n");
        assert_eq!(told(&before.rescan(), &before), ["changed .git/config"]);
    }

    #[test]
    fn hooks_are_told_though_the_same_run_leads_git_elsewhere() {
        let folder = with_hooks_in_tools();
        let before = of(&folder.base);
        folder.file("tools/pre-commit", "1");
        folder.file(".git/config", "");
        let now = before.rescan();
        assert_eq!(told(&now, &before), ["changed .git/config", "changed tools/pre-commit"]);
        assert!(now.revertible(&before).iter().all(|change| change.undo().is_ok()));
        assert_eq!(fs::read_to_string(folder.at("tools/pre-commit")).expect("there"), "");
    }

    #[test]
    fn hooks_of_earlier_settings_are_reported_in_later_runs_too() {
        let folder = with_hooks_in_tools();
        let before = of(&folder.base);
        folder.file(".git/config", "");
        let first = before.rescan();
        assert_eq!(told(&first, &before), ["changed .git/config"]);
        folder.file("tools/pre-commit", "1");
        let second = first.rescan();
        assert_eq!(told(&second, &first), ["changed tools/pre-commit"]);
    }

    #[test]
    fn hooks_are_taken_back_also_in_a_folder_called_hooks() {
        for (git_at, settings, hooks) in [
            (".git", "[core]\n\thooksPath = scripts/hooks\n", "scripts/hooks"),
            (".git/modules/lib", "[core]\n\tworktree = ../../../lib\n\thooksPath = hooks\n", "lib/hooks"),
        ] {
            let folder = TestFolder::new();
            git(&folder, git_at);
            folder.file(&format!("{git_at}/config"), settings);
            let hook = folder.file(&format!("{hooks}/pre-commit"), "mine");
            let before = of(&folder.base);
            folder.file(&format!("{hooks}/pre-commit"), "1");
            let now = before.rescan();
            assert_eq!(told(&now, &before), [format!("changed {hooks}/pre-commit")]);
            assert!(now.revertible(&before).iter().all(|change| change.undo().is_ok()));
            assert_eq!(fs::read_to_string(hook).expect("there"), "mine");
        }
    }

    #[test]
    fn a_folder_that_could_not_be_read_is_tried_again_and_nothing_in_it_seems_new() {
        let folder = TestFolder::with(&[("sub/.envrc", "")]);
        let before = of(&folder.base);
        // As when this process is out of descriptors: nothing of the folder changed.
        let mut cut = before.rescan();
        let sub = folder.at("sub");
        let listed = cut.folders.get_mut(sub.as_os_str()).expect("listed");
        let unread = ListedFolder { files: [].into(), is_read: false, ..listed.clone() };
        *listed = unread.with_earlier(before.folders.get(sub.as_os_str()));
        cut.unread.insert(sub);
        let now = cut.rescan();
        assert_eq!((now.unread().count(), told(&now, &cut)), (0, Vec::new()));
        folder.file("sub/.envrc", "1");
        assert_eq!(told(&now.rescan(), &cut), ["changed sub/.envrc"]);
    }

    #[test]
    fn a_folder_that_can_not_be_read_is_recorded() {
        let folder = TestFolder::with(&[("sub/.envrc", "")]);
        let before = of(&folder.base);
        assert_eq!(before.unread().count(), 0);
        folder.file("sub/.envrc", "1");
        folder.file("sub/.zshenv", "1");
        set_mode(&folder.at("sub"), 0o311);
        let (now, told) = obeying_modes(|| {
            let now = before.rescan();
            let told = told(&now, &before);
            (now, told)
        });
        let unread: Vec<_> = now.unread().cloned().collect();
        set_mode(&folder.at("sub"), 0o700);
        // A known name can be looked at still, and a new one can't be found.
        assert_eq!((told, unread), (vec!["changed sub/.envrc".to_owned()], vec![folder.at("sub")]));
        // What may have been there is not removed as if the run had made it.
        let later = now.rescan();
        assert!(later.changes_since(&now).iter().all(|change| change.change == "changed"));
        assert!(later.revertible(&now).iter().all(|change| change.undo().is_err()));
    }
}

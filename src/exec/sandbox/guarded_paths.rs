//! Finds the paths in writable folders that have to stay as they are: names that programs obey by themselves, at the
//! top of each folder, and what git obeys in its own folders, those of submodules and worktrees too. Changes nothing.
//!
//! A run may take away the access to a folder, and a later run may give it back. So only a name that is known to be
//! missing counts as missing. A folder that can't be looked into is protected as a whole.

mod git_folders;

use super::bwrap::{MAX_GUARDED_MOUNTS, are_mountable};
use crate::domain::auto_run::{AUTO_RUN_NAMES, OF_GIT};
use crate::domain::git_folder::OBEYED_BY_GIT;
use git_folders::{git_folders, hooks};
use rustix::io::Errno;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Paths in a writable place that must stay as they are; see [`super::policy::SandboxPolicy::protected`] and
/// [`super::policy::SandboxPolicy::pinned`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GuardedPaths {
    /// Protected names that exist; they must be read-only.
    pub(crate) protected: Vec<PathBuf>,
    /// The folders between them and the writable one; they must not be moved away.
    pub(crate) pinned: Vec<PathBuf>,
}

/// The protected names that now exist in these writable folders. `covered`: files in them that mounts cover. A run must
/// not move such a file with a folder around it: it would be elsewhere in the next run, uncovered.
pub(crate) fn guarded_paths(writable: &[PathBuf], covered: &[PathBuf]) -> GuardedPaths {
    let mut guarded = GuardedPaths::default();
    for folder in writable {
        for auto_run in AUTO_RUN_NAMES {
            guarded.add(folder, &folder.join(auto_run.name));
        }
        let git = folder.join(OF_GIT.name);
        // A folder has to stay writable for git itself; a file in its place leads git to another folder.
        if git.is_file() {
            guarded.add(folder, &git);
        }
        let (folders, too_full) = git_folders(folder);
        let obeyed = folders
            .iter()
            .flat_map(|git| OBEYED_BY_GIT.map(|name| git.join(name)).into_iter().chain(hooks(folder, git)));
        obeyed.chain(too_full).for_each(|path| guarded.add_within(writable, &path));
    }
    for path in covered {
        guarded.add_within(writable, path);
    }
    guarded.protected.retain(|path| !covered.contains(path));
    for list in [&mut guarded.protected, &mut guarded.pinned] {
        list.sort();
        list.dedup();
    }
    if !are_mountable(guarded.protected.iter().chain(&guarded.pinned), MAX_GUARDED_MOUNTS) {
        guarded.close_around(writable);
    }
    // What is read-only can't be moved. A mount that keeps it in place would make it writable.
    let GuardedPaths { protected, pinned } = &mut guarded;
    pinned.retain(|path| !protected.iter().any(|held| path.starts_with(held)));
    guarded
}

impl GuardedPaths {
    /// Protects a path in the innermost of these folders that holds it. It may also lie where runs write nothing.
    fn add_within(&mut self, writable: &[PathBuf], path: &Path) {
        let around = writable.iter().filter(|around| path != around.as_path() && path.starts_with(around));
        if let Some(around) = around.max_by_key(|around| around.components().count()) {
            self.add(around, path);
        }
    }

    /// Protects a path below a writable folder, unless it is missing. If that can't be told, the deepest folder around
    /// it that can be looked at is protected, which may be the writable one.
    fn add(&mut self, folder: &Path, path: &Path) {
        let mut around = path.ancestors().take_while(|at| at.starts_with(folder));
        let found = around.find_map(|at| match fs::symlink_metadata(at) {
            Ok(meta) => Some(Some((at, meta))),
            Err(error) => is_missing(&error).then_some(None),
        });
        let (path, meta) = match found {
            Some(Some(found)) => found,
            Some(None) => return,
            // The folder itself can't be looked at.
            None => return self.protected.push(folder.into()),
        };
        if path == folder {
            return self.protected.push(folder.into());
        }
        let mut between: Vec<&Path> =
            path.ancestors().skip(1).take_while(|parent| *parent != folder).collect();
        // A link leads to another folder, which whoever opened this one may not have meant.
        if between.iter().any(|parent| !fs::symlink_metadata(parent).is_ok_and(|meta| meta.is_dir())) {
            return;
        }
        if meta.is_symlink() {
            // A link can't be covered by a mount, so the folder that contains it becomes read-only.
            if between.is_empty() {
                return;
            }
            self.protected.push(between.remove(0).into());
        } else {
            self.protected.push(path.into());
        }
        // A mount point can't be moved, but the folders above it can.
        self.pinned.extend(between.into_iter().map(Into::into));
    }

    /// Protects whole folders at the top of the writable ones instead of each path in them, so that no number of paths
    /// that a run made is too much for the outer layer.
    fn close_around(&mut self, writable: &[PathBuf]) {
        let top = |path: &PathBuf| {
            let around = writable.iter().filter(|folder| path.starts_with(folder));
            let around = around.max_by_key(|folder| folder.components().count())?;
            let first = path.strip_prefix(around).ok()?.components().next()?;
            Some(around.join(first))
        };
        // A covered socket is not listed, but the folders around it are: whoever moves them uncovers it.
        let closed = self.protected.iter().chain(&self.pinned);
        let tops = closed.map(|path| top(path).unwrap_or_else(|| path.clone()));
        self.protected = tops.collect();
        self.protected.sort();
        self.protected.dedup();
        self.pinned.clear();
    }
}

/// Whether this error says that nothing is there. A link that leads to itself leads nowhere.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        || Errno::from_io_error(error) == Some(Errno::LOOP)
}

#[cfg(test)]
mod tests {
    use super::git_folders::{MAX_ENTRIES, MAX_GIT_FOLDERS};
    use super::*;
    use crate::test_folder::{self, TestFolder, obeying_modes, set_mode};
    use std::os::unix::fs::symlink;

    fn git(folder: &TestFolder, at: &str) {
        for name in ["HEAD", "objects/x", "refs/x", "config", "hooks/x"] {
            folder.file(&format!("{at}/{name}"), "");
        }
    }

    /// A working folder with a repository.
    fn repository() -> TestFolder {
        let folder = TestFolder::new();
        git(&folder, "work/.git");
        folder
    }

    fn guarded(folder: &TestFolder) -> (Vec<String>, Vec<String>) {
        let found = guarded_paths(&[folder.at("work")], &[]);
        let below = |paths: Vec<PathBuf>| -> Vec<String> {
            let name =
                |path: &PathBuf| path.strip_prefix(folder.at("work")).unwrap().to_string_lossy().into();
            paths.iter().map(name).collect()
        };
        (below(found.protected), below(found.pinned))
    }

    #[test]
    fn the_folders_around_what_is_covered_stay_where_they_are() {
        let folder = TestFolder::new();
        folder.file("work/a/b/socket", "");
        folder.file("work/socket", "");
        folder.file("elsewhere/socket", "");
        let covered = ["work/a/b/socket", "work/socket", "elsewhere/socket", "work/gone/socket"];
        let covered = covered.map(|path| folder.at(path));
        let found = guarded_paths(&[folder.at("work")], &covered);
        assert_eq!(found.pinned, [folder.at("work/a"), folder.at("work/a/b")]);
        assert_eq!(found.protected, Vec::<PathBuf>::new());
    }

    #[test]
    fn submodules_and_worktrees_are_protected_as_the_repository_is() {
        let folder = repository();
        git(&folder, "work/.git/modules/lib/sub");
        folder.file("work/.git/worktrees/w/HEAD", "");
        folder.file("work/.git/worktrees/w/commondir", "../..");
        folder.file("work/.git/worktrees/w/gitdir", "");
        let (protected, pinned) = guarded(&folder);
        let expected = [
            ".git/config",
            ".git/hooks",
            ".git/modules/lib/sub/config",
            ".git/modules/lib/sub/hooks",
            ".git/worktrees/w/commondir",
            ".git/worktrees/w/gitdir",
        ];
        assert_eq!(protected, expected);
        let expected = [
            ".git",
            ".git/modules",
            ".git/modules/lib",
            ".git/modules/lib/sub",
            ".git/worktrees",
            ".git/worktrees/w",
        ];
        assert_eq!(pinned, expected);
    }

    #[test]
    fn nothing_that_a_run_makes_or_moves_opens_a_submodule() {
        let folder = repository();
        git(&folder, "work/.git/modules/lib");
        let is_held = |why: &str| {
            let (protected, pinned) = guarded(&folder);
            let held = [".git/modules/lib/config", ".git/modules/lib/hooks"];
            assert!(held.iter().all(|path| protected.contains(&(*path).into())), "{why}: {protected:?}");
            assert!(pinned.contains(&".git/modules/lib".into()), "{why}: {pinned:?}");
        };
        is_held("as git made it");
        fs::rename(folder.at("work/.git/modules/lib/refs"), folder.at("work/.git/modules/lib/r")).unwrap();
        is_held("a name that git looks for is gone");
        folder.file("work/.git/modules/config", "");
        is_held("the folder around it looks like git's");
        git(&folder, "work/.git/modules");
        is_held("it is git's");
        for at in 0..=MAX_ENTRIES {
            fs::File::create(folder.at("work").join(at.to_string())).unwrap();
        }
        is_held("there are many names in the working folder");
    }

    #[test]
    fn a_submodule_is_held_whatever_names_its_path_has() {
        let folder = repository();
        let submodules = ["logs/viewer", "lib/modules/logs/x", "lib/modules/objects", "plain/refs/x/y"];
        for path in submodules.iter().chain(&["lib"]) {
            git(&folder, &format!("work/.git/modules/{path}"));
        }
        for around in ["", "logs/", "plain/", "lib/modules/"] {
            folder.file(&format!("work/.git/modules/{around}config"), "");
            let protected = guarded(&folder).0;
            for path in submodules {
                let hooks = format!(".git/modules/{path}/hooks");
                assert!(protected.contains(&hooks), "{path} after {around}: {protected:?}");
            }
        }
    }

    #[test]
    fn what_git_keeps_by_the_names_of_branches_is_no_submodule() {
        let folder = repository();
        git(&folder, "work/.git/modules/lib");
        for branch in ["refs/heads/my/config", "refs/remotes/origin/config", "logs/refs/heads/my/config"] {
            folder.file(&format!("work/.git/modules/lib/{branch}"), "");
        }
        let protected = guarded(&folder).0;
        let of_submodule = protected.iter().filter(|path| path.starts_with(".git/modules"));
        let expected = [".git/modules/lib/config", ".git/modules/lib/hooks"];
        assert_eq!(of_submodule.collect::<Vec<_>>(), expected.iter().collect::<Vec<_>>());
    }

    /// What is guarded while this folder or file has this mode.
    fn guarded_with_mode(folder: &TestFolder, at: &str, mode: u32) -> (Vec<String>, Vec<String>) {
        let path = folder.at(at);
        let before = test_folder::mode(&path);
        set_mode(&path, mode);
        let found = obeying_modes(|| guarded(folder));
        set_mode(&path, before);
        found
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_folder_without_access_is_protected_as_a_whole() {
        let folder = repository();
        git(&folder, "work/.git/modules/lib");
        folder.file("work/.cargo/config.toml", "");
        folder.file("work/.git/info/attributes", "");
        let (all, _) = guarded(&folder);
        for (at, mode, protected) in [
            ("work/.git", 0o000, ".git"),
            ("work/.git", 0o444, ".git"),
            ("work/.git/info", 0o000, ".git/info"),
            ("work/.git/modules", 0o000, ".git/modules"),
            ("work/.git/modules", 0o444, ".git/modules"),
            ("work/.git/modules", 0o111, ".git/modules"),
            ("work/.git/modules/lib", 0o000, ".git/modules"),
            ("work/.git/modules/lib", 0o111, ".git/modules"),
            ("work/.git/modules/lib/objects", 0o000, ".git/modules"),
            ("work/.cargo", 0o000, ".cargo"),
        ] {
            let (found, pinned) = guarded_with_mode(&folder, at, mode);
            assert!(found.contains(&protected.into()), "{at} {mode:o}: {found:?}");
            assert!(!pinned.iter().any(|path| path.starts_with(protected)), "{at} {mode:o}: {pinned:?}");
            let is_held = |path: &String| found.iter().any(|held| Path::new(path).starts_with(held));
            assert!(all.iter().all(is_held), "{at} {mode:o}: {found:?}");
        }
        for mode in [0o000, 0o444] {
            assert_eq!(guarded_with_mode(&folder, "work", mode), (vec![String::new()], vec![]), "{mode:o}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_a_link_or_a_setting_names_in_a_folder_without_access_is_protected() {
        let folder = TestFolder::new();
        git(&folder, "work/a/data");
        symlink("a/data", folder.at("work/.git")).unwrap();
        for at in ["work/a", "work/a/data"] {
            let found = guarded_with_mode(&folder, at, 0o000);
            assert_eq!(found.0, [at.strip_prefix("work/").unwrap()]);
        }
        fs::remove_file(folder.at("work/.git")).unwrap();
        folder.file("work/.git", "gitdir: a/data\n");
        assert_eq!(guarded_with_mode(&folder, "work/a", 0o000).0, [".git", "a"]);
        folder.file("work/a/data/config", "[core]\n\thooksPath = tools/link/hooks\n");
        folder.file("work/closed/hooks/pre-commit", "");
        fs::create_dir(folder.at("work/tools")).unwrap();
        symlink("../closed", folder.at("work/tools/link")).unwrap();
        let found = guarded_with_mode(&folder, "work/closed", 0o000).0;
        assert!(found.contains(&"closed".into()), "{found:?}");
        let found = guarded_with_mode(&folder, "work/tools", 0o000).0;
        assert!(found.contains(&"tools".into()), "{found:?}");
        fs::remove_file(folder.at("work/tools/link")).unwrap();
        symlink("link", folder.at("work/tools/link")).unwrap();
        assert_eq!(guarded(&folder).0, [".git", "a/data/config", "a/data/hooks"], "a link to itself");
    }

    #[test]
    fn with_too_many_folders_all_of_them_are_read_only() {
        let folder = repository();
        for at in 0..=MAX_GIT_FOLDERS {
            folder.file(&format!("work/.git/modules/{at}/config"), "");
        }
        let (protected, pinned) = guarded(&folder);
        assert!(protected.contains(&".git/modules".into()), "{protected:?}");
        assert_eq!(pinned, [".git"]);
        let folder = repository();
        for at in 0..MAX_ENTRIES {
            folder.file(&format!("work/.git/worktrees/w/{at}"), "");
        }
        assert_eq!(guarded(&folder).0, [".git/config", ".git/hooks", ".git/worktrees"]);
    }

    #[test]
    fn what_is_too_much_for_mounts_is_read_only_as_a_whole() {
        let folder = repository();
        folder.file("work/.envrc", "");
        folder.file("work/.cargo/config.toml", "");
        let deep = vec!["x".repeat(200); 12].join("/");
        for at in 0..MAX_GIT_FOLDERS - 10 {
            folder.file(&format!("work/.git/modules/{at}/{deep}/config"), "");
        }
        let expected: Vec<String> = [".cargo", ".envrc", ".git"].map(String::from).into();
        assert_eq!(guarded(&folder), (expected, Vec::new()));
    }

    #[test]
    fn what_is_too_much_for_mounts_uncovers_no_socket() {
        let folder = TestFolder::with(&[("work/a/real", "")]);
        let mut covered = vec![folder.at("work/a/real")];
        for at in 0..=MAX_GUARDED_MOUNTS / 3 {
            let path = format!("work/d/{at}/x/y/s");
            folder.file(&path, "");
            covered.push(folder.at(&path));
        }
        let found = guarded_paths(&[folder.at("work")], &covered);
        assert_eq!(found.protected, [folder.at("work/a"), folder.at("work/d")]);
        assert_eq!(found.pinned, Vec::<PathBuf>::new());
    }

    #[test]
    fn settings_of_git_make_nothing_writable_in_what_is_protected() {
        let folder = repository();
        folder.file("work/.git/config", "[core]\n\thooksPath = .vscode/a/b\n");
        folder.file("work/.vscode/a/b/pre-commit", "");
        let (protected, pinned) = guarded(&folder);
        assert!(protected.contains(&".vscode".into()) && protected.contains(&".vscode/a/b".into()));
        assert_eq!(pinned, [".git"]);
    }

    #[test]
    fn a_file_or_a_link_leads_to_what_is_protected() {
        let folder = TestFolder::new();
        git(&folder, "work/data");
        folder.file("work/.git", "gitdir: data\n");
        let expected = (vec![".git".into(), "data/config".into(), "data/hooks".into()], vec!["data".into()]);
        assert_eq!(guarded(&folder), expected);
        fs::remove_file(folder.at("work/.git")).unwrap();
        symlink("data", folder.at("work/.git")).unwrap();
        assert_eq!(guarded(&folder).0, ["data/config", "data/hooks"]);
    }

    #[test]
    fn hooks_are_protected_where_the_settings_say_that_they_are() {
        let folder = repository();
        folder.file("work/.git/config", "[core]\n\thooksPath = tools/hooks\n");
        folder.file("work/tools/hooks/pre-commit", "");
        let (protected, pinned) = guarded(&folder);
        assert!(protected.contains(&"tools/hooks".into()), "{protected:?}");
        assert!(pinned.contains(&"tools".into()), "{pinned:?}");
        folder.file("work/.git/config", "[core]\n\thooksPath = ..\n");
        assert_eq!(guarded(&folder).0, [".git/config", ".git/hooks"], "nothing around the folder");
        git(&folder, "work/.git/modules/lib");
        let settings = "[core]\n\tworktree = ../../../lib\n\thooksPath = tools\n";
        folder.file("work/.git/modules/lib/config", settings);
        folder.file("work/lib/tools/pre-commit", "");
        let protected = guarded(&folder).0;
        assert!(protected.contains(&"lib/tools".into()), "of a submodule: {protected:?}");
    }

    #[test]
    fn what_lies_outside_is_left_alone() {
        let folder = TestFolder::new();
        git(&folder, "elsewhere");
        folder.file("work/.git", "gitdir: ../elsewhere\n");
        assert_eq!(guarded(&folder), (vec![".git".into()], vec![]));
    }
}

//! Finds the file that a command name stands for. Starts nothing; `writable` decides whether a path can be trusted.

use rustix::fs::{Access, access};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The file of a command: the path itself if it contains a slash, else the first program of this name on `PATH`.
pub(crate) fn which(command: &Path, path: &OsStr) -> Option<PathBuf> {
    if command.components().count() > 1 {
        return std::path::absolute(command).ok().filter(|file| is_program(file));
    }
    on_path(command, path).next()
}

/// The programs of this name on a `PATH`, in its order. Skips relative and empty entries, whose meaning changes with
/// the folder.
pub(super) fn on_path(name: &Path, path: &OsStr) -> impl Iterator<Item = PathBuf> {
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.map(move |folder| folder.join(name)).filter(|file| is_program(file))
}

/// Whether this is a file that the current user may execute.
pub(crate) fn is_program(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::{TestFolder, set_mode};
    use std::fs;
    use std::os::unix::fs::symlink;

    fn disk(files: &[(&str, u32)]) -> TestFolder {
        let folder = TestFolder::new();
        for (file, mode) in files {
            set_mode(&folder.file(file, ""), *mode);
        }
        folder
    }

    #[test]
    fn a_program_is_a_file_that_one_may_execute() {
        let TestFolder { base, .. } =
            &disk(&[("yes", 0o755), ("plain", 0o644), ("of-others", 0o611), ("of-me", 0o700)]);
        fs::create_dir(base.join("folder")).unwrap();
        symlink(base.join("yes"), base.join("link")).unwrap();
        symlink(base.join("plain"), base.join("to-plain")).unwrap();
        symlink(base.join("gone"), base.join("dangling")).unwrap();
        let is_root = rustix::process::geteuid().is_root();
        let rows = [
            ("yes", true),
            ("of-me", true),
            ("link", true),
            ("plain", false),
            // The bit is set, but not for the current user; root may execute it anyway.
            ("of-others", is_root),
            ("to-plain", false),
            ("dangling", false),
            ("folder", false),
            ("gone", false),
        ];
        for (file, expected) in rows {
            assert_eq!(is_program(&base.join(file)), expected, "{file}");
            assert_eq!(which(Path::new(file), base.as_os_str()).is_some(), expected, "{file} on the PATH");
            assert_eq!(which(&base.join(file), OsStr::new("")).is_some(), expected, "{file} by its place");
        }
    }

    #[test]
    fn the_first_program_wins_and_what_is_none_is_passed_by() {
        let TestFolder { base, .. } =
            &disk(&[("a/tool", 0o644), ("b/tool", 0o755), ("c/tool", 0o755), ("b/only", 0o755)]);
        let path = std::env::join_paths(["a", "b", "c"].map(|folder| base.join(folder))).unwrap();
        assert_eq!(which(Path::new("tool"), &path), Some(base.join("b/tool")));
        assert_eq!(on_path(Path::new("tool"), &path).count(), 2);
        assert_eq!(which(Path::new("other"), &path), None);
        assert_eq!(which(Path::new("tool"), OsStr::new("")), None);
    }

    #[test]
    fn relative_and_empty_entries_are_left_out() {
        let TestFolder { base, .. } = &disk(&[("tool", 0o755)]);
        let up = "../".repeat(40);
        let relative = format!("{up}{}", base.strip_prefix("/").unwrap().display());
        assert!(Path::new(&relative).join("tool").is_file(), "there by this way");
        for path in [relative.clone(), format!(":{relative}"), format!("{relative}:"), ":.:".to_owned()] {
            assert_eq!(which(Path::new("tool"), OsStr::new(&path)), None, "{path}");
        }
        let named = which(&Path::new(&relative).join("tool"), OsStr::new(""));
        assert!(named.is_some_and(|file| file.is_absolute()), "a relative place is made absolute");
    }
}

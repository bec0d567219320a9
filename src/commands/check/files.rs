//! Finds the files to check: every named file, and in named folders every file whose name or first line shows that it
//! holds code.
//!
//! Links to folders are not followed, so that no walk runs in circles; folders of tools are skipped.

use super::pieces::{PieceForm, language_named, shebang_language};
use crate::commands::input::is_stdin;
use crate::domain::Languages;
use crate::report::{Failure, FailureClass};
use crate::review::language_of_extension;
use std::collections::VecDeque;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Folders with code of others, or with the output of tools.
const SKIPPED_FOLDERS: &[&str] =
    &[".git", ".hg", ".svn", "node_modules", "target", "__pycache__", ".venv", "venv", ".tox", ".mypy_cache"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileJob {
    pub(super) path: PathBuf,
    /// The form that the name shows; the first line is considered when the file is read.
    pub(super) form: PieceForm,
    /// Whether the person named the language, which then overrides the file's first line.
    pub(super) chosen: bool,
}

/// The language named on the command line.
pub(super) fn named_language(word: &str, languages: &Languages) -> Result<String, Failure> {
    language_named(word, languages).ok_or_else(|| {
        let mut names: Vec<&str> = languages.0.iter().map(|entry| entry.name.as_str()).collect();
        // These have a grammar even where the configuration runs none of them.
        names.extend(
            ["typescript", "sql"]
                .into_iter()
                .filter(|name| !languages.0.iter().any(|l| l.name.as_str() == *name)),
        );
        Failure::new(FailureClass::Usage, format!("no language {word:?} is known"))
            .hint(format!("Languages: {}, and others by their words.", names.join(", ")))
    })
}

/// The files to check, in the order in which they were named. Lazy: folders are read as the iterator advances.
pub(super) fn gather<'a>(
    named: &'a [PathBuf],
    language: Option<&'a str>,
    languages: &'a Languages,
) -> impl Iterator<Item = FileJob> + 'a {
    named.iter().flat_map(move |path| FileWalk::new(path)).map(move |path| {
        let form = match language {
            Some(word) => PieceForm::Program(named_language(word, languages).ok()),
            None => PieceForm::of_name(&path)
                .unwrap_or_else(|| PieceForm::Program(by_extension(&path, languages))),
        };
        FileJob { path, form, chosen: language.is_some() }
    })
}

fn by_extension(path: &Path, languages: &Languages) -> Option<String> {
    let extension = path.extension()?.to_str()?;
    let configured = languages.by_extension(extension).map(|entry| entry.name.to_string());
    configured.or_else(|| language_of_extension(extension).map(str::to_owned))
}

/// Whether the name or the first line of a file shows that it holds code. It may, if it can't be read.
fn holds_code(path: &Path) -> bool {
    let known = path.extension().and_then(|e| e.to_str()).and_then(language_of_extension);
    if known.is_some() || PieceForm::of_name(path).is_some() {
        return true;
    }
    let mut start = [0; 128];
    let Ok(read) = std::fs::File::open(path).and_then(|mut file| file.read(&mut start)) else { return true };
    let start = start.get(..read).unwrap_or_default();
    shebang_language(&String::from_utf8_lossy(start)).is_some()
}

/// Walks all files below a path; gives the path itself if it is not a folder.
struct FileWalk {
    waiting: VecDeque<PathBuf>,
    /// Whether the next path is the named one, which is always taken.
    first: bool,
}

impl FileWalk {
    fn new(path: &Path) -> Self {
        Self { waiting: VecDeque::from([path.to_owned()]), first: true }
    }

    /// Puts the entries of a folder in front of the queue, sorted by name.
    fn open(&mut self, folder: &Path) -> io::Result<()> {
        let entries = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
        let mut paths = entries.collect::<io::Result<Vec<PathBuf>>>()?;
        paths.sort_unstable();
        for path in paths.into_iter().rev() {
            self.waiting.push_front(path);
        }
        Ok(())
    }
}

impl Iterator for FileWalk {
    type Item = PathBuf;

    fn next(&mut self) -> Option<PathBuf> {
        while let Some(path) = self.waiting.pop_front() {
            let first = std::mem::take(&mut self.first);
            if first && is_stdin(&path) {
                return Some(path);
            }
            // A named link is followed; one found in a folder is not.
            let meta = if first { path.metadata() } else { path.symlink_metadata() };
            match meta {
                Ok(meta) if meta.is_dir() => {
                    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                    // An unreadable folder is reported like an unreadable file.
                    if (first || !SKIPPED_FOLDERS.contains(&name)) && self.open(&path).is_err() {
                        return Some(path);
                    }
                }
                // A pipe or a device is read only if it was named.
                Ok(meta) if first || meta.is_file() => {
                    if first || holds_code(&path) {
                        return Some(path);
                    }
                }
                // What was removed meanwhile is not there to be checked.
                Err(error) if first || error.kind() != io::ErrorKind::NotFound => return Some(path),
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_walked_once_and_links_are_not_followed() {
        let home = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            crate::test_folder::write(&home.path().join(name), "x");
        };
        for name in
            ["b/two.py", "b/notes.txt", "a.sh", "node_modules/x.js", "c/deep/er/three.sql", "d/Makefile"]
        {
            make(name);
        }
        std::fs::write(home.path().join("b/tool"), "#!/bin/sh\n").unwrap();
        std::os::unix::fs::symlink(home.path(), home.path().join("b/round")).unwrap();
        std::os::unix::fs::symlink(home.path().join("a.sh"), home.path().join("b/link.sh")).unwrap();
        let named = [home.path().to_owned()];
        let languages = Languages::default();
        let jobs: Vec<FileJob> = gather(&named, None, &languages).collect();
        let seen: Vec<_> = jobs
            .iter()
            .map(|job| (job.path.strip_prefix(home.path()).unwrap().to_str().unwrap(), job.form.name()))
            .collect();
        assert_eq!(
            seen,
            [
                ("a.sh", Some("bash")),
                ("b/tool", None),
                ("b/two.py", Some("python")),
                ("c/deep/er/three.sql", Some("sql")),
                ("d/Makefile", Some("makefile")),
            ]
        );
    }

    #[test]
    fn what_was_named_is_taken_as_it_is() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("notes.txt"), "x").unwrap();
        let named = [home.path().join("notes.txt"), home.path().join("gone.py"), PathBuf::from("-")];
        let languages = Languages::default();
        let jobs: Vec<FileJob> = gather(&named, None, &languages).collect();
        assert_eq!(jobs.iter().map(|job| job.path.clone()).collect::<Vec<_>>(), named);
        assert!(named_language("pyhton", &languages).is_err());
        assert_eq!(named_language("TS", &languages).unwrap(), "typescript");
    }

    #[test]
    fn what_cant_be_read_in_a_folder_is_given_to_be_reported() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let closed = ["secret", "tool"].map(|name| home.path().join(name));
        std::fs::create_dir(&closed[0]).unwrap();
        std::fs::write(&closed[1], "#!/bin/sh\n").unwrap();
        for path in &closed {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o000)).unwrap();
        }
        // An administrator can read everything.
        if !rustix::process::geteuid().is_root() {
            let named = [home.path().to_owned()];
            let languages = Languages::default();
            let jobs: Vec<PathBuf> = gather(&named, None, &languages).map(|job| job.path).collect();
            assert_eq!(jobs, closed);
        }
        std::fs::set_permissions(&closed[0], std::fs::Permissions::from_mode(0o700)).unwrap();
    }
}

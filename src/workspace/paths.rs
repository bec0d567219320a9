//! Lists the files of a folder that a person may want to name, within limits of number, depth and time. Files that
//! the project's `.gitignore` excludes are left out, and so are hidden folders. No link is followed.
//!
//! Each folder is opened relative to its parent. The patterns of a `.gitignore` are only matched against names.

use super::held_path::{Folder, folder_in, open_in};
use super::listing::{MAX_NAMES, names};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::{AtFlags, FileType, statat};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const MAX_FILES: usize = 20_000;
/// The most names that are checked to find these files.
const MAX_ENTRIES: usize = 100_000;
const MAX_DEPTH: usize = 24;
const LIST_TIMEOUT: Duration = Duration::from_secs(2);
const MAX_PATTERN_BYTES: u64 = 64 << 10;
const PATTERN_FILE: &str = ".gitignore";

/// The files that were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderFiles {
    /// The files, those of upper folders first.
    pub files: Vec<PathOfFile>,
    /// The links that were found, which are not followed.
    pub links: Vec<String>,
    /// Folders that can't be read, so that the files in them are not known.
    pub unread: Vec<String>,
    /// Whether there are more files than were listed.
    pub is_cut: bool,
}

impl FolderFiles {
    /// Notes a folder that is skipped because it can't be read, unless it is gone by now.
    fn note_unread(&mut self, path: &Path, why: ErrorKind) {
        match (why, path.to_str()) {
            (ErrorKind::NotFound, _) => {}
            (ErrorKind::PermissionDenied, Some(path)) => self.unread.push(path.to_owned()),
            // The next try may find more: this process may be out of descriptors.
            _ => self.is_cut = true,
        }
    }
}

/// A file of the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathOfFile {
    /// Its path below the folder.
    pub path: String,
    /// Its size.
    pub bytes: u64,
}

impl AsRef<str> for PathOfFile {
    fn as_ref(&self) -> &str {
        &self.path
    }
}

/// A folder that is still to be listed, with the patterns of the folders above it, the nearest last. It is opened when
/// it is listed: a descriptor for each that waits could be all that the process may have.
struct PendingFolder {
    path: PathBuf,
    patterns: Option<Arc<Patterns>>,
    depth: usize,
}

struct Patterns {
    own: Gitignore,
    above: Option<Arc<Patterns>>,
}

impl Patterns {
    /// Whether a name is excluded. The nearest folder with a matching pattern decides.
    fn leave_out(&self, path: &Path, is_folder: bool) -> bool {
        let mut next = Some(self);
        while let Some(patterns) = next {
            match patterns.own.matched(path, is_folder) {
                Match::None => next = patterns.above.as_deref(),
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
            }
        }
        false
    }
}

/// Lists the files below a folder.
///
/// # Errors
/// When the folder itself can't be read.
pub(crate) fn list(folder: &Folder) -> std::io::Result<FolderFiles> {
    let began = Instant::now();
    let top = folder_in(folder.file(), OsStr::new("."))?;
    let mut found = FolderFiles::default();
    let mut looked = 0;
    let mut waiting = VecDeque::from([PendingFolder { path: PathBuf::new(), patterns: None, depth: 0 }]);
    while let Some(mut at) = waiting.pop_front() {
        let opened = open_below(&top, &at.path).and_then(|folder| Ok((names(&folder)?, folder)));
        let (names, folder) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                found.note_unread(&at.path, error.kind());
                continue;
            }
        };
        found.is_cut |= names.len() >= MAX_NAMES;
        if names.iter().any(|name| name == PATTERN_FILE) {
            at.patterns = own_patterns(&folder, &at).map(Arc::new).or(at.patterns);
        }
        for name in names {
            looked += 1;
            if found.files.len() >= MAX_FILES || looked > MAX_ENTRIES || began.elapsed() > LIST_TIMEOUT {
                found.is_cut = true;
                return Ok(found);
            }
            let path = at.path.join(&name);
            let info = match statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(info) => info,
                // Its names can be read, and nothing else of it.
                Err(Errno::ACCESS) => {
                    found.unread.extend(at.path.to_str().map(str::to_owned));
                    break;
                }
                Err(_) => continue,
            };
            let kind = FileType::from_raw_mode(info.st_mode);
            let is_folder = kind == FileType::Directory;
            let is_out = at.patterns.as_ref().is_some_and(|patterns| patterns.leave_out(&path, is_folder));
            match kind {
                _ if is_out => {}
                // Names that are not Unicode can't be typed.
                FileType::RegularFile => found.files.extend(path.to_str().map(|path| PathOfFile {
                    path: path.to_owned(),
                    bytes: u64::try_from(info.st_size).unwrap_or_default(),
                })),
                FileType::Symlink => found.links.extend(path.to_str().map(str::to_owned)),
                FileType::Directory if name.to_string_lossy().starts_with('.') => {}
                FileType::Directory if at.depth >= MAX_DEPTH => found.is_cut = true,
                FileType::Directory => {
                    let (patterns, depth) = (at.patterns.clone(), at.depth + 1);
                    waiting.push_back(PendingFolder { path, patterns, depth });
                }
                _ => {}
            }
        }
    }
    Ok(found)
}

/// Opens a folder below another one for listing it. No link is followed on the way.
fn open_below(top: &File, path: &Path) -> std::io::Result<File> {
    let mut folder = folder_in(top, OsStr::new("."))?;
    for part in path {
        folder = folder_in(&folder, part)?;
    }
    Ok(folder)
}

/// The patterns of the `.gitignore` in this folder.
fn own_patterns(folder: &File, at: &PendingFolder) -> Option<Patterns> {
    let file = open_in(folder, OsStr::new(PATTERN_FILE)).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MAX_PATTERN_BYTES).read_to_end(&mut bytes).ok()?;
    let mut builder = GitignoreBuilder::new(&at.path);
    for line in String::from_utf8_lossy(&bytes).lines() {
        // Invalid patterns are ignored.
        let _ = builder.add_line(None, line);
    }
    Some(Patterns { own: builder.build().ok()?, above: at.patterns.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::{TestFolder, obeying_modes, set_mode};
    use std::os::unix::fs::symlink;

    fn paths(folder: &Folder) -> Vec<String> {
        list(folder).expect("listed").files.into_iter().map(|file| file.path).collect()
    }

    #[test]
    fn what_is_ignored_hidden_or_linked_is_left_out() {
        let (dir, folder) = TestFolder::held(&[
            (".gitignore", "*.log\n/target/\n!keep.log\nsub/deep/x\n[\n"),
            (".git/config", ""),
            (".env", "A=1"),
            ("a.log", ""),
            ("keep.log", ""),
            ("target/out", ""),
            ("sub/target/in", "123"),
            ("sub/.gitignore", "*.tmp\n!a.log\n"),
            ("sub/b.tmp", ""),
            ("sub/a.log", ""),
            ("sub/deep/x", ""),
            ("sub/deep/y.tmp", ""),
            ("sub/deep/z", ""),
        ]);
        symlink("/etc", dir.at("etc")).expect("a link");
        symlink("a.log", dir.at("link")).expect("a link");
        assert_eq!(
            paths(&folder),
            [".env", ".gitignore", "keep.log", "sub/.gitignore", "sub/a.log", "sub/deep/z", "sub/target/in"]
        );
    }

    #[test]
    fn a_folder_that_can_not_be_read_is_named_and_cuts_nothing() {
        let (dir, folder) = TestFolder::held(&[("a/b", ""), ("db/data/c", ""), ("z", "")]);
        set_mode(&dir.at("db/data"), 0o0);
        let found = obeying_modes(|| list(&folder).expect("listed"));
        set_mode(&dir.at("db/data"), 0o700);
        assert_eq!((found.unread, found.is_cut), (vec!["db/data".to_owned()], false));
        assert_eq!(found.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["z", "a/b"]);
    }

    #[test]
    fn hostile_patterns_and_names_do_no_harm() {
        let pattern = format!("{}\n\\\n{{a,\n!\n**/**/**/**/**/b\n\0\n", "*a".repeat(200));
        let (dir, folder) = TestFolder::held(&[(".gitignore", &pattern), ("e\nvil", "")]);
        dir.file(&"a".repeat(250), "");
        assert!(paths(&folder).contains(&"e\nvil".to_owned()));
        std::fs::remove_file(dir.at(".gitignore")).expect("removed");
        symlink("/dev/zero", dir.at(".gitignore")).expect("a link");
        assert!(!paths(&folder).is_empty());
    }

    #[test]
    fn depth_and_number_are_bounded_and_that_is_told() {
        let deep = format!("{}x", "d/".repeat(MAX_DEPTH + 2));
        let (_dir, folder) = TestFolder::held(&[(&deep, ""), ("near", "")]);
        let found = list(&folder).expect("listed");
        assert!(found.is_cut && found.files.len() == 1, "{found:?}");
        let (dir, folder) = TestFolder::held(&[]);
        for n in 0..MAX_FILES + 5 {
            dir.file(&format!("{}/{n}", n / 4_000), "");
        }
        let found = list(&folder).expect("listed");
        assert!(found.is_cut && found.files.len() == MAX_FILES, "{}", found.files.len());
    }
}

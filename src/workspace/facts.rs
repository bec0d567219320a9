//! What stands at a path that a block would read, write or delete: so that `deletes a folder: out/charts` can say
//! `3 files, 1.2 MB`. Bounded in entries and time: a look must not take longer than the person's.

use super::names;
use std::fmt;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How much may be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Entries of folders.
    pub entries: u64,
    /// Time.
    pub time: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self { entries: 20_000, time: Duration::from_millis(50) }
    }
}

/// What kind of thing stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    Missing,
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link; what it points to was not looked at.
    Link,
    /// A device, a pipe, a socket.
    Other,
}

/// What is known of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The path as it was named.
    pub path: String,
    /// What stands there.
    pub kind: Kind,
    /// Files in it, those in folders below counted; 1 for a file. Links count as files and are not followed.
    pub files: u64,
    /// Bytes of these files.
    pub bytes: u64,
    /// Whether all of it was seen; else there is more.
    pub complete: bool,
}

impl fmt::Display for Facts {
    /// `3 files, 1.2 MB`, `48 KB`, `nothing there`, `more than 20,000 files`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = names::size(self.bytes);
        match self.kind {
            Kind::Missing => f.write_str("nothing there"),
            Kind::File => f.write_str(&size),
            Kind::Link => f.write_str("a link"),
            Kind::Other => f.write_str("no plain file"),
            Kind::Folder if self.files == 0 && self.complete => f.write_str("an empty folder"),
            Kind::Folder => {
                let more = if self.complete { "" } else { "more than " };
                let plural = if self.files == 1 { "" } else { "s" };
                write!(f, "{more}{} file{plural}, {size}", names::count(self.files))
            }
        }
    }
}

/// Looks at a path as a block names it: relative to `cwd`, or below `~`.
pub fn look(path: &str, cwd: &Path, home: Option<&Path>, budget: Budget) -> Facts {
    let place = names::expand(path, cwd, home);
    let mut facts = Facts { path: path.to_owned(), kind: Kind::Missing, files: 0, bytes: 0, complete: true };
    let Ok(meta) = fs::symlink_metadata(&place) else { return facts };
    facts.kind = kind(&meta);
    match facts.kind {
        Kind::Folder => walk(place, budget, &mut facts),
        Kind::File => (facts.files, facts.bytes) = (1, meta.len()),
        _ => {}
    }
    facts
}

fn kind(meta: &Metadata) -> Kind {
    let kind = meta.file_type();
    if kind.is_symlink() {
        Kind::Link
    } else if kind.is_dir() {
        Kind::Folder
    } else if kind.is_file() {
        Kind::File
    } else {
        Kind::Other
    }
}

/// Counts what is in a folder, without following links, until the budget is used up.
fn walk(folder: PathBuf, budget: Budget, facts: &mut Facts) {
    let start = Instant::now();
    let mut seen = 0u64;
    let mut open = vec![folder];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            facts.complete = false;
            continue;
        };
        for entry in entries {
            seen += 1;
            if seen > budget.entries || (seen.is_multiple_of(64) && start.elapsed() > budget.time) {
                facts.complete = false;
                return;
            }
            let Some((path, meta)) = entry.ok().and_then(|e| Some((e.path(), e.metadata().ok()?))) else {
                facts.complete = false;
                continue;
            };
            if kind(&meta) == Kind::Folder {
                open.push(path);
            } else {
                facts.files += 1;
                facts.bytes = facts.bytes.saturating_add(meta.len());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look_in(folder: &Path, path: &str) -> Facts {
        look(path, folder, Some(folder), Budget { time: Duration::from_secs(60), ..Budget::default() })
    }

    #[test]
    fn what_stands_there_is_told_in_words() {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path();
        fs::create_dir_all(at.join("out/charts/deep")).unwrap();
        fs::write(at.join("out/charts/a.png"), vec![0; 1_200_000]).unwrap();
        fs::write(at.join("out/charts/deep/b.png"), vec![0; 34]).unwrap();
        std::os::unix::fs::symlink("/usr", at.join("out/charts/link")).unwrap();
        fs::create_dir(at.join("empty")).unwrap();
        fs::write(at.join("one.txt"), "x").unwrap();
        for (path, words) in [
            ("out/charts", "3 files, 1.2 MB"),
            ("./out/../out/charts/deep", "1 file, 34 B"),
            ("~/one.txt", "1 B"),
            ("none", "nothing there"),
            ("empty", "an empty folder"),
            ("out/charts/link", "a link"),
            ("/dev/null", "no plain file"),
        ] {
            assert_eq!(look_in(at, path).to_string(), words, "{path}");
        }
    }

    #[test]
    fn a_look_is_bounded() {
        let dir = tempfile::tempdir().unwrap();
        for n in 0..50 {
            fs::write(dir.path().join(n.to_string()), "x").unwrap();
        }
        let facts = look(".", dir.path(), None, Budget { entries: 10, time: Duration::from_secs(60) });
        assert_eq!((facts.files, facts.complete), (10, false));
        assert_eq!(facts.to_string(), "more than 10 files, 10 B");
        let facts = look("/proc", dir.path(), None, Budget { entries: u64::MAX, time: Duration::ZERO });
        assert!(!facts.complete);
    }

    #[test]
    fn strange_names_are_no_places() {
        let dir = tempfile::tempdir().unwrap();
        for path in ["", "\0", "a\0b", "~nobody", &"x/".repeat(5000)] {
            let facts = look_in(dir.path(), path);
            assert!(matches!(facts.kind, Kind::Missing | Kind::Folder), "{path:?}");
        }
    }
}

//! Lists a folder for a model, within limits of entries and time. The list says what it leaves out.

use super::held_path::folder_in;
use crate::domain::visible::visible_line;
use crate::text::number::size;
use rustix::fs::{AtFlags, Dir, FileType, readlinkat, statat};
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs::File;
use std::os::unix::ffi::OsStringExt as _;
use std::time::{Duration, Instant};

const MAX_ENTRIES: usize = 2_000;
/// The most names that are read of one folder.
pub(super) const MAX_NAMES: usize = MAX_ENTRIES * 4;
const LIST_TIMEOUT: Duration = Duration::from_secs(2);
/// Folders that are named but not listed: caches and folders of tools.
const SKIPPED_FOLDERS: [&str; 10] = [
    ".git",
    ".hg",
    ".svn",
    "node_modules",
    "target",
    ".venv",
    "venv",
    "__pycache__",
    ".mypy_cache",
    ".ipynb_checkpoints",
];

/// Lists an open folder, `depth` levels deep; the first line gives the totals. Each folder is opened relative to its
/// parent, and links are listed, never followed.
///
/// # Errors
/// When the folder itself can't be read.
pub(crate) fn tree(folder: File, named: &str, depth: u32) -> std::io::Result<String> {
    let (out, began) = (String::new(), Instant::now());
    let mut listing = Listing { out, folders: 0, files: 0, hidden: 0, left_out: false, began };
    let names = names(&folder)?;
    listing.folder(&folder, &names, 0, depth);
    let mut head = format!("{named}: {} folders, {} files", listing.folders, listing.files);
    if listing.hidden > 0 {
        let _ = write!(head, ", {} of them hidden", listing.hidden);
    }
    if listing.left_out {
        let _ = write!(head, "; too many: the rest is left out");
    }
    Ok(format!("{head}\n{}", listing.out))
}

struct Listing {
    out: String,
    folders: usize,
    files: usize,
    hidden: usize,
    left_out: bool,
    began: Instant,
}

impl Listing {
    fn folder(&mut self, folder: &File, names: &[OsString], level: u32, depth: u32) {
        for name in names {
            if self.folders + self.files >= MAX_ENTRIES || self.began.elapsed() > LIST_TIMEOUT {
                self.left_out = true;
                return;
            }
            self.entry(folder, name, level, depth);
        }
    }

    fn entry(&mut self, folder: &File, name: &OsStr, level: u32, depth: u32) {
        let shown = visible_line(&name.to_string_lossy());
        let indent = "  ".repeat(level as usize);
        self.hidden += usize::from(shown.starts_with('.'));
        let Ok(info) = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) else {
            self.files += 1;
            let _ = writeln!(self.out, "{indent}{shown}  (can't be read)");
            return;
        };
        match FileType::from_raw_mode(info.st_mode) {
            FileType::Symlink => {
                self.files += 1;
                let to = readlinkat(folder, name, Vec::new()).unwrap_or_default();
                let _ = writeln!(self.out, "{indent}{shown} -> {}", visible_line(&to.to_string_lossy()));
            }
            FileType::Directory => {
                self.folders += 1;
                self.descend(folder, name, &format!("{indent}{shown}/"), level, depth);
            }
            _ => {
                self.files += 1;
                let bytes = u64::try_from(info.st_size).unwrap_or_default();
                let _ = writeln!(self.out, "{indent}{shown}  {}", size(bytes));
            }
        }
    }

    fn descend(&mut self, folder: &File, name: &OsStr, shown: &str, level: u32, depth: u32) {
        if SKIPPED_FOLDERS.iter().any(|passed| name == *passed) {
            let _ = writeln!(self.out, "{shown}  (not looked into)");
            return;
        }
        let opened = folder_in(folder, name).map_err(std::io::Error::from);
        let read = opened.and_then(|inside| names(&inside).map(|names| (inside, names)));
        match read {
            Ok((_, names)) if level + 1 >= depth => {
                let _ = writeln!(self.out, "{shown}  ({} entries)", names.len());
            }
            Ok((inside, names)) => {
                let _ = writeln!(self.out, "{shown}");
                self.folder(&inside, &names, level + 1, depth);
            }
            Err(error) => {
                let _ = writeln!(self.out, "{shown}  ({})", error.kind());
            }
        }
    }
}

/// The sorted names in a folder.
pub(super) fn names(folder: &File) -> std::io::Result<Vec<OsString>> {
    let entries = Dir::read_from(folder)?.filter_map(Result::ok);
    let names = entries.map(|entry| OsString::from_vec(entry.file_name().to_bytes().to_vec()));
    let mut names: Vec<OsString> = names.filter(|name| name != "." && name != "..").take(MAX_NAMES).collect();
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::TestFolder;

    #[test]
    fn a_folder_is_listed_so_deep() {
        let folder = TestFolder::with(&[("src/deep/x", "1"), ("a.csv", "12"), ("e\nvil", "")]);
        std::fs::create_dir_all(folder.at(".git/objects")).expect("made");
        let told = tree(File::open(&folder.base).expect("opened"), ".", 2).expect("listed");
        assert_eq!(
            told,
            ".: 3 folders, 2 files, 1 of them hidden\n.git/  (not looked into)\na.csv  2 B\ne vil  0 B\nsrc/\n  deep/  (1 entries)\n"
        );
    }

    #[test]
    fn a_folder_that_is_too_large_says_so() {
        let folder = tempfile::tempdir().expect("a folder");
        for n in 0..MAX_ENTRIES + 9 {
            std::fs::write(folder.path().join(n.to_string()), "").expect("written");
        }
        let told = tree(File::open(folder.path()).expect("opened"), ".", 1).expect("listed");
        let head = told.lines().next().unwrap_or("");
        assert!(head.starts_with(".: 0 folders, 2000 files; too many"), "{head}");
    }
}

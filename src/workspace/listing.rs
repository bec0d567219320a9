//! What a folder holds, for a model: bounded in entries and time, with what was not looked into told.

use super::facts::size;
use crate::domain::visible::visible_line;
use std::fmt::Write as _;
use std::fs::DirEntry;
use std::path::Path;
use std::time::{Duration, Instant};

/// Entries that are listed.
const MOST: usize = 2_000;
/// How long the looking may take.
const MOST_TIME: Duration = Duration::from_secs(2);
/// Folders that are named and not looked into: caches and what tools keep.
const PASSED_OVER: [&str; 10] = [
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

/// Lists a folder so many levels deep; the first line says how much there is.
///
/// # Errors
/// When the folder itself can't be read.
pub fn tree(folder: &Path, named: &str, depth: u32) -> std::io::Result<String> {
    let mut listing = Listing { began: Instant::now(), ..Listing::default() };
    listing.folder(&read(folder)?, 0, depth);
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

impl Default for Listing {
    fn default() -> Self {
        Self { out: String::new(), folders: 0, files: 0, hidden: 0, left_out: false, began: Instant::now() }
    }
}

impl Listing {
    fn folder(&mut self, entries: &[DirEntry], level: u32, depth: u32) {
        for entry in entries {
            if self.folders + self.files >= MOST || self.began.elapsed() > MOST_TIME {
                self.left_out = true;
                return;
            }
            self.entry(entry, level, depth);
        }
    }

    fn entry(&mut self, entry: &DirEntry, level: u32, depth: u32) {
        let name = entry.file_name();
        let shown = visible_line(&name.to_string_lossy());
        let indent = "  ".repeat(level as usize);
        self.hidden += usize::from(shown.starts_with('.'));
        let Ok(info) = entry.metadata() else {
            self.files += 1;
            let _ = writeln!(self.out, "{indent}{shown}  (can't be read)");
            return;
        };
        if info.is_symlink() {
            self.files += 1;
            let to = std::fs::read_link(entry.path()).unwrap_or_default();
            let _ = writeln!(self.out, "{indent}{shown} -> {}", visible_line(&to.to_string_lossy()));
        } else if info.is_dir() {
            self.folders += 1;
            self.into(entry, &format!("{indent}{shown}/"), level, depth);
        } else {
            self.files += 1;
            let _ = writeln!(self.out, "{indent}{shown}  {}", size(info.len()));
        }
    }

    fn into(&mut self, entry: &DirEntry, shown: &str, level: u32, depth: u32) {
        let passed_over = PASSED_OVER.iter().any(|name| entry.file_name() == *name);
        if passed_over {
            let _ = writeln!(self.out, "{shown}  (not looked into)");
            return;
        }
        match read(&entry.path()) {
            Ok(inside) if level + 1 >= depth => {
                let _ = writeln!(self.out, "{shown}  ({} entries)", inside.len());
            }
            Ok(inside) => {
                let _ = writeln!(self.out, "{shown}");
                self.folder(&inside, level + 1, depth);
            }
            Err(error) => {
                let _ = writeln!(self.out, "{shown}  ({})", error.kind());
            }
        }
    }
}

/// The entries of a folder in the order of their names.
fn read(folder: &Path) -> std::io::Result<Vec<DirEntry>> {
    let mut entries: Vec<DirEntry> = std::fs::read_dir(folder)?.flatten().take(MOST * 4).collect();
    entries.sort_by_key(DirEntry::file_name);
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_listed_so_deep() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("src/deep")).expect("made");
        std::fs::create_dir_all(at(".git/objects")).expect("made");
        std::fs::write(at("src/deep/x"), "1").expect("written");
        std::fs::write(at("a.csv"), "12").expect("written");
        std::fs::write(at("e\nvil"), "").expect("written");
        let told = tree(folder.path(), ".", 2).expect("listed");
        assert_eq!(
            told,
            ".: 3 folders, 2 files, 1 of them hidden\n.git/  (not looked into)\na.csv  2 B\ne vil  0 B\nsrc/\n  deep/  (1 entries)\n"
        );
    }

    #[test]
    fn a_folder_that_is_too_large_says_so() {
        let folder = tempfile::tempdir().expect("a folder");
        for n in 0..MOST + 9 {
            std::fs::write(folder.path().join(n.to_string()), "").expect("written");
        }
        let told = tree(folder.path(), ".", 1).expect("listed");
        assert!(
            told.starts_with(".: 0 folders, 2000 files; too many"),
            "{}",
            told.lines().next().unwrap_or("")
        );
    }
}

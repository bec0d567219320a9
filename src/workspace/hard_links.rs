//! Counts files below some folders that have further names (hard links): a run that writes into one changes what the
//! other names show, wherever they are. A short look: package managers link whole environments from a store elsewhere,
//! so the first files of each tell enough.

use super::changes::SKIPPED_FOLDERS;
use crate::domain::HardLinks;
use std::fs::DirEntry;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Folders of tools besides [`SKIPPED_FOLDERS`].
const OF_TOOLS: [&str; 3] = [".venv", "venv", "objects"];

/// How much is looked at: files, folders, and the files of one folder.
struct LinkBounds {
    files: usize,
    folders: usize,
    in_one: usize,
}

const OWN: LinkBounds = LinkBounds { files: 4_000, folders: 1_000, in_one: 1_000 };
const TOOLS: LinkBounds = LinkBounds { files: 400, folders: 200, in_one: 100 };

/// The time for all, once the first folders were looked at.
const LONGEST: Duration = Duration::from_millis(40);
const MIN_FOLDERS: usize = 20;

/// Looks for such files below these folders. Follows no links. Blocks, so call it on a worker.
pub(crate) fn find(folders: &[PathBuf]) -> HardLinks {
    let mut walk =
        LinkWalk { began: Instant::now(), opened: 0, tools: Vec::new(), found: HardLinks::default() };
    walk.found.all_seen = true;
    walk.walk(folders.to_vec(), &OWN);
    // Each has its own bounds on files and folders, so that a large one hides no other. The time is for all, and of
    // folders of tools in each other the inner ones are looked at first.
    while let Some(folder) = walk.tools.pop() {
        walk.walk(vec![folder], &TOOLS);
    }
    walk.found
}

struct LinkWalk {
    began: Instant,
    opened: usize,
    /// Folders of tools that are still to be looked at.
    tools: Vec<PathBuf>,
    found: HardLinks,
}

impl LinkWalk {
    /// Walks depth first: in the folders of tools, files lie deep.
    fn walk(&mut self, mut todo: Vec<PathBuf>, bounds: &LinkBounds) {
        let (mut files, mut folders) = (0, 0);
        while let Some(folder) = todo.pop() {
            let is_late = self.opened >= MIN_FOLDERS && self.began.elapsed() > LONGEST;
            if is_late || folders >= bounds.folders || files >= bounds.files {
                self.found.all_seen = false;
                return;
            }
            (folders, self.opened) = (folders + 1, self.opened + 1);
            let Ok(mut entries) = std::fs::read_dir(&folder) else {
                self.found.all_seen = false;
                continue;
            };
            for entry in entries.by_ref().take(bounds.in_one).flatten() {
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() && is_of_tools(&entry) => self.tools.push(entry.path()),
                    Ok(kind) if kind.is_dir() => todo.push(entry.path()),
                    Ok(kind) if kind.is_file() => {
                        files += 1;
                        self.count(&entry.path());
                    }
                    _ => {}
                }
            }
            self.found.all_seen &= entries.next().is_none();
        }
    }

    fn count(&mut self, path: &Path) {
        let has_others = std::fs::symlink_metadata(path).is_ok_and(|info| info.nlink() > 1);
        self.found.files = self.found.files.saturating_add(has_others.into());
    }
}

fn is_of_tools(folder: &DirEntry) -> bool {
    let name = folder.file_name();
    SKIPPED_FOLDERS.iter().chain(&OF_TOOLS).any(|known| name == *known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::TestFolder;

    #[test]
    fn files_of_a_store_elsewhere_are_counted_though_they_lie_deep_among_many() {
        let folder = TestFolder::with(&[("work/a", "")]);
        assert_eq!(find(&[folder.at("work")]), HardLinks { files: 0, all_seen: true });
        let stored = folder.file("store/index.js", "");
        for n in 0..300 {
            folder.file(&format!("work/node_modules/.pnpm/x{n}/node_modules/x/package.json"), "");
        }
        let linked = folder.at("work/web/node_modules/.pnpm/x/node_modules/x");
        std::fs::create_dir_all(&linked).unwrap();
        std::fs::hard_link(stored, linked.join("index.js")).unwrap();
        assert_eq!(find(&[folder.at("work")]), HardLinks { files: 1, all_seen: false });
    }
}

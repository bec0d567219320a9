//! Hashes the files that a run changed, so that a replay notices other bytes of the same length. Bounded; files with
//! secrets are not read, because the hash of a short secret reveals it.

use super::held_path::{Folder, HeldPath};
use super::read;
use crate::domain::{FileChange, Sha256};
use std::path::Path;

/// Larger files are not read.
const MAX_FILE_BYTES: u64 = 16 << 20;
/// Files beyond this total are not read.
const MAX_TOTAL_BYTES: u64 = 64 << 20;

/// Hashes those of the changed files that lie in the folder. Blocks, so call it on a worker.
pub(crate) fn hash(files: &mut [FileChange], folder: &Folder, is_secret: &dyn Fn(&Path) -> bool) {
    // A run may have replaced the folder.
    if !folder.is_in_place() {
        return;
    }
    let mut left = MAX_TOTAL_BYTES;
    for file in files.iter_mut().filter(|file| file.change != "deleted") {
        let path = folder.path().join(&file.path);
        if file.bytes > left.min(MAX_FILE_BYTES) || is_secret(&path) {
            continue;
        }
        if let Some(bytes) = of_file(&path, folder, left.min(MAX_FILE_BYTES)) {
            left = left.saturating_sub(bytes.len() as u64);
            file.sha256 = Some(Sha256::of(&bytes));
        }
    }
}

/// The content of a regular file in this folder, if it has at most `most` bytes. No link is followed out of the
/// folder.
pub(crate) fn of_file(path: &Path, folder: &Folder, most: u64) -> Option<Vec<u8>> {
    let place = HeldPath::find(path).ok()?;
    let is_there = place.found().is_some() && place.path().starts_with(folder.path());
    is_there.then(|| read::held(&place, most).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::{TestFolder, make_pipe};

    #[test]
    fn files_of_the_folder_are_hashed_and_nothing_else() {
        let home = TestFolder::new();
        let work = home.at("work");
        for (path, text) in [("work/a", "one"), ("work/.env", "key"), ("outside", "one")] {
            home.file(path, text);
        }
        std::os::unix::fs::symlink(home.at("outside"), work.join("link")).expect("linked");
        make_pipe(&work.join("pipe"));
        let names = [
            ("a", 3),
            (".env", 3),
            ("link", 3),
            ("../outside", 3),
            ("pipe", 0),
            ("large", MAX_FILE_BYTES + 1),
        ];
        let mut files: Vec<FileChange> =
            names.iter().map(|(name, bytes)| FileChange::new(*name, "created", *bytes)).collect();
        files.push(FileChange::new("a", "deleted", 0));
        hash(&mut files, &Folder::find(&work).expect("held"), &|path| path.ends_with(".env"));
        let known: Vec<&str> =
            files.iter().filter(|file| file.sha256.is_some()).map(|file| file.path.as_str()).collect();
        assert_eq!(known, ["a"]);
        assert_eq!(files[0].sha256, Some(Sha256::of(b"one")));
    }
}

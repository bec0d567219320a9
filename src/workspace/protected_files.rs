//! Hashes the files that a recipe protects, right before a run and right after it. Links are followed, because what
//! matters is the content that is read under the name.

use super::read::open_plain;
use super::undo::hash as hash_within;
use crate::domain::{ProtectedFile, Sha256};
use rustix::fs::OFlags;
use std::path::{Path, PathBuf};

/// Larger files are not hashed: nobody can have agreed to one by reading it.
const MAX_BYTES: u64 = 64 << 20;

/// The files' hashes before a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProtectedFiles {
    folder: PathBuf,
    files: Vec<(String, Option<Sha256>)>,
}

impl ProtectedFiles {
    /// Hashes these files, whose paths are relative to this folder.
    pub(crate) fn of(folder: &Path, paths: Vec<String>) -> Self {
        let hashed = |path: String| {
            let hash = hash(&folder.join(&path));
            (path, hash)
        };
        Self { folder: folder.to_path_buf(), files: paths.into_iter().map(hashed).collect() }
    }

    /// Adds the hashes of the files as they are now.
    pub(crate) fn afterwards(self) -> Vec<ProtectedFile> {
        let Self { folder, files } = self;
        let now = |(path, before): (String, Option<Sha256>)| {
            let after = hash(&folder.join(&path));
            ProtectedFile { path, before, after }
        };
        files.into_iter().map(now).collect()
    }
}

/// The hash of a regular file.
fn hash(path: &Path) -> Option<Sha256> {
    let mut file = open_plain(path, OFlags::empty()).ok()?;
    hash_within(&mut file, MAX_BYTES, |_| Ok(())).ok().map(|(hash, _)| hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn content_is_told_before_and_after_whatever_its_times_say() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for name in ["same", "other", "gone"] {
            fs::write(at(name), "one").expect("written");
        }
        let names = ["same", "other", "gone", "new", "pipe"].map(str::to_owned).to_vec();
        let before = ProtectedFiles::of(folder.path(), names);
        let time = fs::metadata(at("other")).expect("there").modified().expect("a time");
        fs::write(at("other"), "two").expect("written");
        fs::File::options().write(true).open(at("other")).expect("open").set_modified(time).expect("set");
        fs::remove_file(at("gone")).expect("removed");
        fs::write(at("new"), "one").expect("written");
        crate::test_folder::make_pipe(&at("pipe"));
        let (one, two) = (Some(Sha256::of(b"one")), Some(Sha256::of(b"two")));
        let told: Vec<_> = before.afterwards().into_iter().map(|file| (file.before, file.after)).collect();
        assert_eq!(told, [(one, one), (one, two), (one, None), (None, one), (None, None)]);
    }
}

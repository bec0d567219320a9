//! Copies files of the person into a fresh folder. The files themselves are only read; no link is followed, and no
//! existing file is overwritten.

use super::FileError;
use super::held_path::{Folder, HeldPath};
use super::paths::{self, PathOfFile};
use crate::text::number::{grouped, size};
use rustix::fs::FileType;
use std::collections::BTreeMap;
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

const MAX_FILES: usize = 10_000;
const MAX_BYTES: u64 = 1 << 30;

/// Why files can't be copied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CopyError {
    #[error("{} is not below the folder {}: name a file or folder in it", .0.display(), .1.display())]
    Outside(PathBuf, PathBuf),
    #[error("{} leads elsewhere by a link: name what is meant", .0.display())]
    Link(PathBuf),
    #[error("there is no {} in {}", .0.display(), .1.display())]
    Missing(PathBuf, PathBuf),
    #[error("{} is no plain file", .0.display())]
    Special(PathBuf),
    #[error("{} holds more files than can be listed: name those that are needed", .0.display())]
    Cut(PathBuf),
    #[error("{} files of {} are too much to be copied (at most {} of {}): name those that are needed", grouped(*.0 as u64), size(*.1), grouped(MAX_FILES as u64), size(MAX_BYTES))]
    TooMuch(usize, u64),
    #[error("{0}")]
    File(#[from] FileError),
}

/// Why a file in a folder is not copied with the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WhyNotCopied {
    /// The session created it.
    Made,
    /// Its name begins with a dot.
    Hidden,
    /// It may hold keys.
    Secret,
    Link,
    /// It is a folder that can't be read.
    Unread,
}

#[derive(Debug, Default)]
pub(crate) struct ChosenFiles {
    /// The size of each file, by its path below the folder.
    files: BTreeMap<String, u64>,
    /// Files that are copied with an earlier content: that content, and their mode.
    earlier: BTreeMap<String, (Vec<u8>, u32)>,
    /// Files in the copied folders that are left out, and why.
    left_out: Vec<(String, WhyNotCopied)>,
}

impl ChosenFiles {
    pub(crate) fn count(&self) -> usize {
        self.files.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.files.values().sum()
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Adds this file with an earlier content, whether or not it is chosen already or still exists.
    pub(crate) fn add_earlier(&mut self, path: &str, content: Vec<u8>, mode: u32) -> Result<(), CopyError> {
        self.files.insert(path.to_owned(), content.len() as u64);
        self.earlier.insert(path.to_owned(), (content, mode));
        self.check_bounds()
    }

    /// The files in the copied folders that are left out, besides those in `.gitignore` and hidden folders.
    pub(crate) fn left_out(&self) -> impl Iterator<Item = (&str, WhyNotCopied)> {
        self.left_out.iter().map(|(path, why)| (path.as_str(), *why)).filter(|(path, _)| !self.has(path))
    }

    /// Whether a file is copied with an earlier content.
    pub(crate) fn is_earlier(&self, path: &str) -> bool {
        self.earlier.contains_key(path)
    }

    /// Adds a file in the folder, or all files of a folder in it, except those in its `.gitignore` and in hidden
    /// folders.
    ///
    /// # Errors
    /// When it does not exist, is not a regular file, or lies outside the folder.
    pub(crate) fn add(&mut self, folder: &Folder, wanted: &Path) -> Result<(), CopyError> {
        let outside = || CopyError::Outside(wanted.to_owned(), folder.path().to_owned());
        let named = wanted.strip_prefix(folder.path()).unwrap_or(wanted);
        if named.components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir)) {
            return Err(outside());
        }
        let path: PathBuf = folder.path().join(named).components().collect();
        let place = HeldPath::find(&path)?;
        if place.path() != path {
            return Err(CopyError::Link(wanted.to_owned()));
        }
        let below = path.strip_prefix(folder.path()).map_err(|_| outside())?;
        match place.found().filter(|_| place.missing() == 0) {
            Some(found) if found.kind == FileType::RegularFile => {
                let below = below.to_str().ok_or_else(|| CopyError::Special(wanted.to_owned()))?;
                self.files.insert(below.to_owned(), found.bytes);
                self.check_bounds()
            }
            Some(_) => Err(CopyError::Special(wanted.to_owned())),
            None if place.name().is_none() => self.add_all(place.folder(), below, &|_| None),
            None => Err(CopyError::Missing(wanted.to_owned(), folder.path().to_owned())),
        }
    }

    /// Adds the files of a folder, except those for which `why_not` gives a reason; `below` is put in front of their
    /// paths.
    ///
    /// # Errors
    /// When they are too many to be listed or copied, or the folder can't be read.
    pub(crate) fn add_all(
        &mut self,
        folder: &Folder,
        below: &Path,
        why_not: &dyn Fn(&str) -> Option<WhyNotCopied>,
    ) -> Result<(), CopyError> {
        let listed = paths::list(folder).map_err(|error| FileError::io(folder.path(), &error))?;
        if listed.is_cut {
            return Err(CopyError::Cut(folder.path().to_owned()));
        }
        let files = listed
            .files
            .into_iter()
            .filter_map(|PathOfFile { path, bytes }| Some((below.join(path).to_str()?.to_owned(), bytes)));
        for (path, bytes) in files {
            match why_not(&path) {
                None => {
                    self.files.insert(path, bytes);
                }
                Some(why) => self.left_out.push((path, why)),
            }
        }
        let links = listed.links.iter().map(|path| (path, WhyNotCopied::Link));
        let unread = listed.unread.iter().map(|path| (path, WhyNotCopied::Unread));
        let left_out = links.chain(unread);
        self.left_out
            .extend(left_out.filter_map(|(path, why)| Some((below.join(path).to_str()?.to_owned(), why))));
        self.check_bounds()
    }

    fn check_bounds(&self) -> Result<(), CopyError> {
        match (self.count(), self.bytes()) {
            (files, bytes) if files > MAX_FILES || bytes > MAX_BYTES => Err(CopyError::TooMuch(files, bytes)),
            _ => Ok(()),
        }
    }

    /// Copies the files to the same paths below a fresh folder of this process.
    ///
    /// # Errors
    /// When a file is no longer what it was, or the system refuses. Some files may have been copied then.
    pub(crate) fn copy(&self, from: &Folder, into: &Path) -> Result<(), CopyError> {
        if !from.is_in_place() {
            return Err(FileError::Moved(from.path().to_owned()).into());
        }
        let mut rest = MAX_BYTES;
        for path in self.paths() {
            if let Some((content, mode)) = self.earlier.get(path) {
                rest = rest.saturating_sub(write_new(&mut content.as_slice(), &into.join(path), *mode)?);
                continue;
            }
            let source = from.path().join(path);
            let place = HeldPath::find(&source)?;
            if place.path() != source {
                return Err(CopyError::Link(path.into()));
            }
            rest = rest.saturating_sub(copy_one(place.open()?, &into.join(path), rest)?);
        }
        Ok(())
    }
}

/// Copies at most `most` bytes of a file; returns how many.
fn copy_one(from: File, to: &Path, most: u64) -> Result<u64, FileError> {
    let mode = from.metadata().map_err(|error| FileError::io(to, &error))?.permissions().mode();
    write_new(&mut io::Read::take(from, most), to, mode)
}

/// Writes a new file with this mode; returns its size.
fn write_new(from: &mut dyn io::Read, to: &Path, mode: u32) -> Result<u64, FileError> {
    let failed = |error: io::Error| FileError::io(to, &error);
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut new = File::create_new(to).map_err(failed)?;
    let copied = io::copy(from, &mut new).map_err(failed)?;
    new.set_permissions(Permissions::from_mode(mode & 0o777 | 0o600)).map_err(failed)?;
    Ok(copied)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::{TestFolder, make_pipe, mode, obeying_modes, set_mode};
    use std::os::unix::fs::symlink;

    #[test]
    fn what_is_named_is_copied_to_the_same_place_and_may_run_where_it_could() {
        let (dir, from) = TestFolder::held(&[
            ("a.csv", "1"),
            ("lib/x.py", "22"),
            ("lib/.gitignore", "*.log"),
            ("lib/x.log", "3"),
        ]);
        set_mode(&dir.at("a.csv"), 0o755);
        let mut chosen = ChosenFiles::default();
        for named in [PathBuf::from("./a.csv"), from.path().join("lib")] {
            chosen.add(&from, &named).unwrap();
        }
        assert_eq!(chosen.paths().collect::<Vec<_>>(), ["a.csv", "lib/.gitignore", "lib/x.py"]);
        assert_eq!(chosen.left_out().next(), None);
        assert_eq!((chosen.count(), chosen.bytes()), (3, 8));
        let into = tempfile::tempdir().unwrap();
        chosen.copy(&from, into.path()).unwrap();
        assert_eq!(std::fs::read_to_string(into.path().join("lib/x.py")).unwrap(), "22");
        assert_eq!(mode(&into.path().join("a.csv")), 0o755);
        assert!(!into.path().join("lib/x.log").exists());
        let mut earlier = ChosenFiles::default();
        earlier.add(&from, Path::new("a.csv")).unwrap();
        for path in ["a.csv", "gone/b"] {
            earlier.add_earlier(path, b"was".to_vec(), 0o640).unwrap();
        }
        let then = tempfile::tempdir().unwrap();
        earlier.copy(&from, then.path()).unwrap();
        for path in ["a.csv", "gone/b"] {
            assert_eq!(std::fs::read_to_string(then.path().join(path)).unwrap(), "was");
        }
        assert_eq!((earlier.bytes(), earlier.is_earlier("gone/b")), (6, true));
        // An existing file is not overwritten.
        assert!(matches!(chosen.copy(&from, into.path()), Err(CopyError::File(FileError::Io(..)))));
    }

    #[test]
    fn a_folder_that_can_not_be_read_is_left_out_and_the_others_are_copied() {
        let (dir, from) = TestFolder::held(&[("sub/a", "1"), ("sub/db/b", "2")]);
        set_mode(&dir.at("sub/db"), 0o0);
        let mut chosen = ChosenFiles::default();
        let added = obeying_modes(|| chosen.add(&from, Path::new("sub")));
        set_mode(&dir.at("sub/db"), 0o700);
        assert_eq!(added, Ok(()));
        assert_eq!(chosen.paths().collect::<Vec<_>>(), ["sub/a"]);
        assert_eq!(chosen.left_out().collect::<Vec<_>>(), [("sub/db", WhyNotCopied::Unread)]);
    }

    #[test]
    fn nothing_is_copied_from_elsewhere_and_no_link_is_followed() {
        let (dir, from) = TestFolder::held(&[("a", "1"), ("sub/b", "2")]);
        symlink("/etc/hostname", dir.at("link")).unwrap();
        symlink("/etc", dir.at("etc")).unwrap();
        let mut all = ChosenFiles::default();
        let hidden = |path: &str| (path == "a").then_some(WhyNotCopied::Secret);
        all.add_all(&from, Path::new(""), &hidden).unwrap();
        assert_eq!(all.paths().collect::<Vec<_>>(), ["sub/b"]);
        let mut left: Vec<_> = all.left_out().collect();
        left.sort_by_key(|(path, _)| *path);
        assert_eq!(
            left,
            [("a", WhyNotCopied::Secret), ("etc", WhyNotCopied::Link), ("link", WhyNotCopied::Link)]
        );
        let add = |path: &str| ChosenFiles::default().add(&from, Path::new(path)).unwrap_err();
        assert!(matches!(add("../x"), CopyError::Outside(..)));
        assert!(matches!(add("/etc/hostname"), CopyError::Outside(..)));
        assert!(matches!(add("link"), CopyError::Link(_)));
        assert!(matches!(add("etc/hostname"), CopyError::Link(_)));
        assert!(matches!(add("gone"), CopyError::Missing(..)));
        assert!(matches!(add("sub/gone/x"), CopyError::Missing(..)));
        make_pipe(&dir.at("pipe"));
        assert!(matches!(add("pipe"), CopyError::Special(_)));
        // A link that replaces a chosen file later is not followed either.
        let mut chosen = ChosenFiles::default();
        chosen.add(&from, Path::new("a")).unwrap();
        std::fs::remove_file(dir.at("a")).unwrap();
        symlink("/etc/hostname", dir.at("a")).unwrap();
        let into = tempfile::tempdir().unwrap();
        assert!(chosen.copy(&from, into.path()).is_err());
        assert!(!into.path().join("a").exists());
    }
}

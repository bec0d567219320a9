//! What a run can reach of the file system and of the network, as its programs see it. The executor computes this value
//! from what it passes to the helper; everything that describes a run's possibilities reads it here. Pure.

use std::path::{Path, PathBuf};

/// Whether an operation at a path (or on the network) would succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Reachability {
    /// sayso does not prevent it; the account's own rights may.
    Yes,
    /// The sandbox, or whatever carries out the run, prevents it.
    No,
    /// It succeeds, but finds something empty instead of what this computer has there.
    Empty,
    /// Not known.
    #[default]
    Unknown,
}

impl Reachability {
    /// Whether what this computer has there is out of reach.
    pub(crate) fn is_closed(self) -> bool {
        matches!(self, Reachability::No | Reachability::Empty)
    }

    /// Unknown if this is closed but something below is open.
    fn unless_below(self, other: bool) -> Self {
        if self.is_closed() && other { Reachability::Unknown } else { self }
    }
}

/// A file or folder, with everything below it that is not a place of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReachablePath {
    /// Its path, as programs see it.
    pub path: PathBuf,
    /// Whether it can be read. Files below an empty place don't exist.
    pub read: Reachability,
    /// Whether it can be written, and files in it deleted.
    pub write: Reachability,
    /// Whether it is private to the session: what this computer has at the path is not visible.
    pub private: bool,
}

impl ReachablePath {
    /// A place that can be read but not written.
    pub(crate) fn to_read(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), read: Reachability::Yes, write: Reachability::No, private: false }
    }

    pub(crate) fn to_write(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), read: Reachability::Yes, write: Reachability::Yes, private: false }
    }

    /// A place that is hidden behind something empty.
    pub(crate) fn closed(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), read: Reachability::Empty, write: Reachability::No, private: true }
    }
}

/// What a run reaches. The default is unknown in everything, so that nothing is claimed about it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Reach {
    /// The places; the deepest one that contains a path counts.
    pub(crate) places: Vec<ReachablePath>,
    /// Whether paths outside of all places can be read.
    pub(crate) read: Reachability,
    /// Whether paths outside of all places can be written.
    pub(crate) write: Reachability,
    /// Whether the run has a file system of its own: then a path only works if it exists there, whether it is a link or
    /// not. Otherwise paths lead where they lead on this computer, and what counts is whether the end of the path is
    /// open.
    pub(crate) own_tree: bool,
    /// Whether other computers can be reached.
    pub(crate) network: Reachability,
    /// The home folder that programs are given, if it is not the person's.
    pub home: Option<PathBuf>,
}

impl Reach {
    /// The reach of a run that nothing confines.
    pub(crate) fn open() -> Self {
        Self {
            read: Reachability::Yes,
            write: Reachability::Yes,
            network: Reachability::Yes,
            ..Self::default()
        }
    }

    /// Whether this path can be read. Unknown for a closed folder with an open place below: it is visible in part.
    pub fn reads(&self, path: &Path) -> Reachability {
        let can = self.place_of(path).map_or(self.read, |place| match place.read {
            Reachability::Empty if place.path != path => Reachability::No,
            can => can,
        });
        can.unless_below(self.below(path).any(|place| !place.read.is_closed()))
    }

    /// Whether this path can be written or deleted. Unknown for a closed folder with an open place below.
    pub fn writes(&self, path: &Path) -> Reachability {
        let can = self.place_of(path).map_or(self.write, |place| place.write);
        can.unless_below(self.below(path).any(|place| place.write != Reachability::No))
    }

    /// Whether a path is in a place of the session's own, where this computer's files are not visible.
    pub(crate) fn is_private(&self, path: &Path) -> bool {
        self.place_of(path).is_some_and(|place| place.private)
    }

    /// The result of reading or writing by this path; `end` is where its links lead on this computer.
    pub fn through(&self, path: &Path, end: &Path, can: fn(&Self, &Path) -> Reachability) -> Reachability {
        if !self.own_tree {
            return can(self, end);
        }
        // A link in a place of this computer leads to its end; a link in a private place is a different file.
        match can(self, path) {
            can if can.is_closed() || self.is_private(path) => can,
            _ => can(self, end),
        }
    }

    /// The places inside these folders that can't be written although the folders can.
    pub(crate) fn kept_from_writing(&self, folders: &[PathBuf]) -> Vec<&Path> {
        self.paths_inside(folders, |place| place.write == Reachability::No)
    }

    /// The places inside these folders of which nothing can be read.
    pub(crate) fn kept_from_reading(&self, folders: &[PathBuf]) -> Vec<&Path> {
        self.paths_inside(folders, |place| place.read.is_closed())
    }

    fn paths_inside(&self, folders: &[PathBuf], is_kept: impl Fn(&ReachablePath) -> bool) -> Vec<&Path> {
        let is_inside = |path: &Path| folders.iter().any(|f| path.starts_with(f) && path != f);
        let kept = self.places.iter().filter(|place| is_kept(place) && is_inside(&place.path));
        kept.map(|place| place.path.as_path()).collect()
    }

    /// The deepest place that contains a path; of two at the same path the later one.
    fn place_of(&self, path: &Path) -> Option<&ReachablePath> {
        let around = self.places.iter().filter(|place| path.starts_with(&place.path));
        around.max_by_key(|place| place.path.components().count())
    }

    fn below<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a ReachablePath> {
        self.places.iter().filter(move |place| place.path != path && place.path.starts_with(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach() -> Reach {
        Reach {
            places: vec![
                ReachablePath::to_read("/usr"),
                ReachablePath::closed("/home/ann"),
                ReachablePath::to_write("/home/ann/work"),
                ReachablePath::to_read("/home/ann/work/.git/hooks"),
                ReachablePath::closed("/home/ann/work/keys"),
                ReachablePath { private: true, ..ReachablePath::to_write("/tmp") },
            ],
            read: Reachability::No,
            write: Reachability::No,
            own_tree: true,
            network: Reachability::No,
            home: None,
        }
    }

    #[test]
    fn the_deepest_place_counts() {
        let reach = reach();
        for (path, read, write) in [
            ("/usr/bin/env", Reachability::Yes, Reachability::No),
            ("/home/ann/work", Reachability::Yes, Reachability::Yes),
            ("/home/ann/work/a/b.csv", Reachability::Yes, Reachability::Yes),
            ("/home/ann/work/.git/hooks/pre-commit", Reachability::Yes, Reachability::No),
            ("/home/ann/work/.git", Reachability::Yes, Reachability::Yes),
            ("/home/ann/work/keys", Reachability::Empty, Reachability::No),
            ("/home/ann/work/keys/a", Reachability::No, Reachability::No),
            ("/home/ann/.ssh/id", Reachability::No, Reachability::No),
            ("/home/ann/workshop", Reachability::No, Reachability::No),
            ("/tmp/x", Reachability::Yes, Reachability::Yes),
            ("/etc/shadow", Reachability::No, Reachability::No),
            // Parents of an open place.
            ("/home/ann", Reachability::Unknown, Reachability::Unknown),
            ("/home", Reachability::Unknown, Reachability::Unknown),
            ("/", Reachability::Unknown, Reachability::Unknown),
        ] {
            assert_eq!(reach.reads(Path::new(path)), read, "read {path}");
            assert_eq!(reach.writes(Path::new(path)), write, "write {path}");
        }
        assert!(reach.is_private(Path::new("/tmp/x")) && !reach.is_private(Path::new("/home/ann/work/x")));
    }

    #[test]
    fn what_is_kept_inside_of_folders_is_told() {
        let (reach, folders) = (reach(), [PathBuf::from("/home/ann/work")]);
        let kept = reach.kept_from_writing(&folders);
        assert_eq!(kept, [Path::new("/home/ann/work/.git/hooks"), Path::new("/home/ann/work/keys")]);
        assert_eq!(reach.kept_from_reading(&folders), [Path::new("/home/ann/work/keys")]);
    }

    #[test]
    fn nothing_is_known_by_default_and_nothing_is_closed_when_open() {
        let path = Path::new("/etc/shadow");
        assert_eq!(
            (Reach::default().reads(path), Reach::default().network),
            (Reachability::Unknown, Reachability::Unknown)
        );
        assert_eq!(
            (Reach::open().reads(path), Reach::open().writes(path)),
            (Reachability::Yes, Reachability::Yes)
        );
    }
}

//! What a run reaches of the file system and of the network, as its programs see it. The room that enforces it makes
//! this value of what it hands to the helper; whoever says what a run can or can't do reads it here. Pure.

use std::path::{Path, PathBuf};

/// Whether something can be done there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Reachability {
    /// Nothing of ours stands against it. The account's own rights may.
    Yes,
    /// The sandbox, or what else carries the run out, stands against it.
    No,
    /// It goes well, and finds nothing: something empty stands in place of what this computer has.
    Empty,
    /// It can't be told.
    #[default]
    Unknown,
}

impl Reachability {
    /// Whether what this computer has there is out of reach.
    pub(crate) fn is_closed(self) -> bool {
        matches!(self, Reachability::No | Reachability::Empty)
    }

    /// What is said of a place that two things are known of.
    fn unless_below(self, other: bool) -> Self {
        if self.is_closed() && other { Reachability::Unknown } else { self }
    }
}

/// A file or folder, with all that is below it and not a place of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Where it is, as programs see it.
    pub path: PathBuf,
    /// Whether it can be read. What is in something empty is not there.
    pub read: Reachability,
    /// Whether it can be written, and what is in it deleted.
    pub write: Reachability,
    /// Whether it is the session's own: what this computer has at the path is not seen.
    pub private: bool,
}

impl Place {
    /// A place that can be read and not written.
    pub(crate) fn to_read(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), read: Reachability::Yes, write: Reachability::No, private: false }
    }

    /// A place that can be read and written.
    pub(crate) fn to_write(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), read: Reachability::Yes, write: Reachability::Yes, private: false }
    }

    /// A place of which nothing is seen: something empty stands there.
    pub(crate) fn closed(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), read: Reachability::Empty, write: Reachability::No, private: true }
    }
}

/// What a run reaches. The default is one of which nothing is known, so that nothing is said of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Reach {
    /// Places; of those that a path is in, the deepest counts.
    pub(crate) places: Vec<Place>,
    /// Whether what is in none of them can be read.
    pub(crate) read: Reachability,
    /// Whether it can be written.
    pub(crate) write: Reachability,
    /// Whether it has a file system of its own: there a path leads somewhere only if it is there too, link or not. Else
    /// all paths lead where they lead on this computer, and it counts whether the end of them is open.
    pub(crate) own_tree: bool,
    /// Whether other computers can be reached.
    pub(crate) network: Reachability,
    /// What programs are told is their home folder, where that is not the person's.
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

    /// Whether this path can be read. A folder on the way to an open place is seen in part: that can't be told.
    pub fn reads(&self, path: &Path) -> Reachability {
        let can = self.place_of(path).map_or(self.read, |place| match place.read {
            Reachability::Empty if place.path != path => Reachability::No,
            can => can,
        });
        can.unless_below(self.below(path).any(|place| !place.read.is_closed()))
    }

    /// Whether this path can be written, or deleted. What lies above an open place is lost in part: that can't be told.
    pub fn writes(&self, path: &Path) -> Reachability {
        let can = self.place_of(path).map_or(self.write, |place| place.write);
        can.unless_below(self.below(path).any(|place| place.write != Reachability::No))
    }

    /// Whether a path is in a place of the session's own, where this computer's files are not seen.
    pub(crate) fn is_private(&self, path: &Path) -> bool {
        self.place_of(path).is_some_and(|place| place.private)
    }

    /// What reading or writing by this path comes to; `end` is where its links lead on this computer.
    pub fn through(&self, path: &Path, end: &Path, can: fn(&Self, &Path) -> Reachability) -> Reachability {
        if !self.own_tree {
            return can(self, end);
        }
        // A link in a place of this computer leads where it leads; one in a private place is another.
        match can(self, path) {
            can if can.is_closed() || self.is_private(path) => can,
            _ => can(self, end),
        }
    }

    /// The places inside of these folders that can't be written as they can.
    pub(crate) fn kept_from_writing(&self, folders: &[PathBuf]) -> Vec<&Path> {
        let inside = |place: &&Place| folders.iter().any(|f| place.path.starts_with(f) && place.path != *f);
        self.places
            .iter()
            .filter(|p| p.write == Reachability::No)
            .filter(inside)
            .map(|p| p.path.as_path())
            .collect()
    }

    /// The places inside of these folders of which nothing can be read.
    pub(crate) fn kept_from_reading(&self, folders: &[PathBuf]) -> Vec<&Path> {
        let inside = |place: &&Place| folders.iter().any(|f| place.path.starts_with(f) && place.path != *f);
        self.places.iter().filter(|p| p.read.is_closed()).filter(inside).map(|p| p.path.as_path()).collect()
    }

    /// The deepest place that a path is in; of two at one path the later one.
    fn place_of(&self, path: &Path) -> Option<&Place> {
        let around = self.places.iter().filter(|place| path.starts_with(&place.path));
        around.max_by_key(|place| place.path.components().count())
    }

    fn below<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a Place> {
        self.places.iter().filter(move |place| place.path != path && place.path.starts_with(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach() -> Reach {
        Reach {
            places: vec![
                Place::to_read("/usr"),
                Place::closed("/home/ann"),
                Place::to_write("/home/ann/work"),
                Place::to_read("/home/ann/work/.git/hooks"),
                Place::closed("/home/ann/work/keys"),
                Place { private: true, ..Place::to_write("/tmp") },
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
            // On the way to an open place.
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

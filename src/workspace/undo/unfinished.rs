//! What taking back has under way in the person's folders, noted beside the copies before it is there: files under names of
//! sayso's own, and files that are written into because they have several names. A process that is ended in the middle
//! leaves its notes, unlocked; the next one that looks at changes, or takes some back, clears what they tell of.
//!
//! A name alone proves nothing: what is removed is the very file that was made, or one whose content is among the copies.

use super::index::FileKey;
use super::objects::{Objects, hash, plain_file};
use super::opener::{Node, Opener, node_in};
use crate::domain::Sha256;
use crate::workspace::place::open_in;
use rustix::fs::{
    AtFlags, FallocateFlags, FlockOperation, Mode, OFlags, RenameFlags, fallocate, flock, openat,
    renameat_with, unlinkat,
};
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{DirBuilder, File, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes of the notes of one process.
const LARGEST: u64 = 64 << 20;
/// Notes that could not be worked off, because their folder is gone, are kept so long.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// A content, with its hash.
type KnownContent<'a> = (Sha256, &'a [u8]);

/// Something that is under way.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Step {
    /// The file that is meant.
    #[serde(with = "crate::domain::serial::path")]
    path: PathBuf,
    /// The name of sayso's own beside it; empty: it is written into.
    own: String,
    /// The file of that name, or the one that is written into, once it is known.
    file: Option<(u64, u64)>,
    /// What one that is written into held, and what it gets.
    contents: Option<(Sha256, Sha256)>,
}

/// The notes of this process. Dropped, they are gone: all is done.
#[derive(Debug)]
pub(super) struct PutBackNotes {
    notes: File,
    at: PathBuf,
    /// Whether something stays to be cleared.
    stays: Cell<bool>,
}

impl PutBackNotes {
    /// Begins notes of this process, locked as long as it lives.
    pub(super) fn begin(folder: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        loop {
            let at = folder.join(uuid::Uuid::now_v7().simple().to_string());
            let notes = plain_file(&at, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL)?;
            // Who clears may have found it before it was locked, and removed it.
            let is_ours = flock(&notes, FlockOperation::NonBlockingLockExclusive).is_ok();
            if is_ours && notes.metadata()?.nlink() > 0 {
                return Ok(Self { notes, at, stays: Cell::new(false) });
            }
        }
    }

    fn note(&self, step: &Step) -> io::Result<()> {
        let mut line = serde_json::to_vec(step)?;
        line.push(b'\n');
        (&self.notes).write_all(&line)
    }

    /// A file is going to be made under this name beside the one that is meant.
    pub(super) fn makes(&self, path: &Path, own: &str) -> io::Result<()> {
        self.note(&Step { path: path.to_owned(), own: own.to_owned(), file: None, contents: None })
    }

    /// It was made, and is this one.
    pub(super) fn made(&self, path: &Path, own: &str, file: &File) -> io::Result<()> {
        let file = Some(FileKey::of(&file.metadata()?).node());
        self.note(&Step { path: path.to_owned(), own: own.to_owned(), file, contents: None })
    }

    /// The file that is meant is going to have this name for a moment.
    pub(super) fn moves(&self, path: &Path, own: &str) -> io::Result<()> {
        self.note(&Step { path: path.to_owned(), own: own.to_owned(), file: Some((0, 0)), contents: None })
    }

    /// Writes into a file that has other names, too, so that they stay one file. What it held is put back where that fails.
    pub(super) fn write_into(
        &self,
        path: &Path,
        file: &File,
        (old, new): (KnownContent<'_>, KnownContent<'_>),
    ) -> io::Result<()> {
        let node = Some(FileKey::of(&file.metadata()?).node());
        let contents = Some((old.0, new.0));
        self.note(&Step { path: path.to_owned(), own: String::new(), file: node, contents })?;
        // It has its room before the first byte of it goes; where a file system can't, it is tried.
        if new.1.len() > old.1.len() {
            let room = fallocate(file, FallocateFlags::KEEP_SIZE, 0, new.1.len() as u64);
            if let Err(
                errno @ (rustix::io::Errno::NOSPC | rustix::io::Errno::DQUOT | rustix::io::Errno::FBIG),
            ) = room
            {
                return Err(errno.into());
            }
        }
        overwrite(file, new.1).inspect_err(|_| {
            if overwrite(file, old.1).is_err() {
                self.stays.set(true);
            }
        })
    }
}

impl Drop for PutBackNotes {
    fn drop(&mut self) {
        if !self.stays.get() {
            std::fs::remove_file(&self.at).ok();
        }
    }
}

/// Opens a file to be written into, if it is still this one.
pub(super) fn open_to_write(folder: &File, name: &OsStr, known: &File) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let (file, known) = (File::from(openat(folder, name, flags, Mode::empty())?), known.metadata()?);
    let found = file.metadata()?;
    let is_same = (found.dev(), found.ino()) == (known.dev(), known.ino());
    if is_same { Ok(file) } else { Err(io::ErrorKind::AlreadyExists.into()) }
}

fn overwrite(file: &File, bytes: &[u8]) -> io::Result<()> {
    file.write_all_at(bytes, 0)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}

/// Clears what processes left that were ended in the middle. What can't be cleared now is tried again the next time.
pub(super) fn clear(folder: &Path, objects: &Objects) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(notes) = plain_file(&path, OFlags::RDWR) else { continue };
        // Its process lives.
        if flock(&notes, FlockOperation::NonBlockingLockExclusive).is_err() {
            continue;
        }
        let mut text = Vec::new();
        if (&notes).take(LARGEST).read_to_end(&mut text).is_err() {
            continue;
        }
        // What is known of a name last counts; a line that was not written to its end tells nothing.
        let mut steps = BTreeMap::new();
        for step in
            text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Step>(line).ok())
        {
            steps.insert((step.path.clone(), step.own.clone()), step);
        }
        let mut opener = Opener::default();
        let left = steps.into_values().filter(|step| !step.clear(objects, &mut opener)).count();
        let age = notes.metadata().and_then(|info| info.modified()).ok().and_then(|at| at.elapsed().ok());
        if left == 0 || age.is_some_and(|age| age > KEPT) {
            std::fs::remove_file(&path).ok();
        }
    }
}

impl Step {
    /// Clears it; false where its folder can't be reached now.
    fn clear(&self, objects: &Objects, opener: &mut Opener) -> bool {
        let (Ok(folder), Some(name)) = (opener.folder(&self.path), self.path.file_name()) else {
            return false;
        };
        if let Some(contents) = self.contents {
            return self.write_to_the_end(objects, folder, name, contents).is_ok();
        }
        let own = OsStr::new(&self.own);
        let Some(Node::File(key, _)) = node_in(folder, own) else { return true };
        let is_made = match self.file {
            Some(node) => key.node() == node,
            // It was ended before anything was written.
            None => key.size == 0,
        };
        if is_made || open_in(folder, own).is_ok_and(|file| is_kept(file, objects)) {
            return unlinkat(folder, own, AtFlags::empty()).is_ok();
        }
        // Somebody else's, which was to be put back: it gets its name, or keeps this one where that is taken.
        let _ = renameat_with(folder, own, folder, name, RenameFlags::NOREPLACE);
        true
    }

    /// A file in which the beginning is new and the rest old gets back what it held.
    fn write_to_the_end(
        &self,
        objects: &Objects,
        folder: &File,
        name: &OsStr,
        (old, new): (Sha256, Sha256),
    ) -> io::Result<()> {
        let Ok(file) = open_in(folder, name) else { return Ok(()) };
        let info = file.metadata()?;
        if self.file != Some(FileKey::of(&info).node()) {
            return Ok(());
        }
        let (Ok(old), Ok(new)) = (objects.get(old, LARGEST), objects.get(new, LARGEST)) else {
            return Ok(());
        };
        let mut now = Vec::new();
        (&file).take(LARGEST).read_to_end(&mut now)?;
        if now == old || now == new || !is_between(&now, &old, &new) {
            return Ok(());
        }
        file.set_permissions(Permissions::from_mode(info.mode() & 0o777 | 0o200))?;
        let written = open_to_write(folder, name, &file).and_then(|to| overwrite(&to, &old));
        file.set_permissions(Permissions::from_mode(info.mode() & 0o777))?;
        written
    }
}

/// Whether it is what overwriting one with the other leaves when it is ended somewhere.
fn is_between(now: &[u8], old: &[u8], new: &[u8]) -> bool {
    let same = now.iter().zip(new).take_while(|(now, new)| now == new).count();
    now.get(same..).unwrap_or_default() == old.get(same..).unwrap_or_default()
}

fn is_kept(mut file: File, objects: &Objects) -> bool {
    hash(&mut file, LARGEST, |_| Ok(())).is_ok_and(|(sha256, bytes)| objects.holds(sha256, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_half_written_is_known() {
        for (old, new) in [("old text", "new"), ("old", "newer text"), ("same start", "same end"), ("", "x")]
        {
            for at in 0..=new.len() {
                let mut now = old.as_bytes().to_vec();
                now.splice(..at.min(old.len()), new.bytes().take(at));
                assert!(is_between(&now, old.as_bytes(), new.as_bytes()), "{old} {new} {at}");
                now.push(b'!');
                assert!(!is_between(&now, old.as_bytes(), new.as_bytes()), "{old} {new} {at}");
            }
        }
    }

    /// Notes of a process that is gone, of these steps.
    fn left(folder: &Path, steps: &[Step]) {
        let notes = PutBackNotes::begin(folder).unwrap();
        for step in steps {
            notes.note(step).unwrap();
        }
        notes.stays.set(true);
    }

    #[test]
    fn only_what_is_surely_its_own_is_removed() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        let (work, notes) = (base.join("work"), base.join("unfinished"));
        std::fs::create_dir(&work).unwrap();
        let objects = Objects::open(base.join("objects")).unwrap();
        objects.put(b"kept").unwrap();
        let write = |name: &str, text: &str| std::fs::write(work.join(name), text).unwrap();
        let node = |name: &str| Some(FileKey::of(&std::fs::metadata(work.join(name)).unwrap()).node());
        let step = |own: &str, file| Step {
            path: work.join(format!("{own}-meant")),
            own: own.into(),
            file,
            contents: None,
        };
        for (name, text) in [
            (".sayso-made", "half of "),
            (".sayso-empty", ""),
            (".sayso-kept", "kept"),
            (".sayso-other", "somebody's"),
            (".sayso-taken", "somebody's, too"),
            (".sayso-taken-meant", "newer"),
            (".sayso-unnoted", "mine"),
        ] {
            write(name, text);
        }
        std::os::unix::fs::symlink("x", work.join(".sayso-link")).unwrap();
        let steps = [
            step(".sayso-made", node(".sayso-made")),
            step(".sayso-empty", None),
            step(".sayso-kept", Some((0, 0))),
            step(".sayso-other", None),
            step(".sayso-taken", Some((0, 0))),
            step(".sayso-link", None),
        ];
        left(&notes, &steps);
        // Those of a process that lives are left alone.
        let living = PutBackNotes::begin(&notes).unwrap();
        write(".sayso-living", "");
        living.makes(&work.join("x"), ".sayso-living").unwrap();
        clear(&notes, &objects);
        let mut names: Vec<String> = std::fs::read_dir(&work)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort_unstable();
        let stay = [
            ".sayso-link",
            ".sayso-living",
            ".sayso-other-meant",
            ".sayso-taken",
            ".sayso-taken-meant",
            ".sayso-unnoted",
        ];
        assert_eq!(names, stay);
        assert_eq!(std::fs::read_dir(&notes).unwrap().count(), 1, "what is worked off is gone");
        drop(living);
        assert_eq!(std::fs::read_dir(&notes).unwrap().count(), 0);
        // A folder that is away is tried again when it is back.
        write(".sayso-away", "");
        left(&notes, &[step(".sayso-away", None)]);
        std::fs::rename(&work, base.join("away")).unwrap();
        clear(&notes, &objects);
        std::fs::rename(base.join("away"), &work).unwrap();
        clear(&notes, &objects);
        assert!(!work.join(".sayso-away").exists());
    }

    #[test]
    fn a_file_with_several_names_that_is_half_written_gets_back_what_it_held() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        let (path, notes) = (base.join("a"), base.join("unfinished"));
        let objects = Objects::open(base.join("objects")).unwrap();
        let contents = Some((objects.put(b"old text").unwrap(), objects.put(b"new").unwrap()));
        for (now, then) in
            [("nld text", "old text"), ("new text", "old text"), ("new", "new"), ("mine", "mine")]
        {
            std::fs::write(&path, now).unwrap();
            let file = Some(FileKey::of(&std::fs::metadata(&path).unwrap()).node());
            left(&notes, &[Step { path: path.clone(), own: String::new(), file, contents }]);
            clear(&notes, &objects);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), then);
        }
        assert_eq!(std::fs::read_dir(&notes).unwrap().count(), 0);
    }
}

//! Cleans up after processes that were interrupted while taking back, by their notes.

use super::{KnownFile, NotePlace, Step, open_to_write, overwrite};
use crate::domain::Sha256;
use crate::workspace::held_path::open_in;
use crate::workspace::undo::index::FileKey;
use crate::workspace::undo::objects::{Objects, hash, plain_file};
use crate::workspace::undo::opener::{Node, Opener, node_in};
use rustix::fs::{AtFlags, FlockOperation, OFlags, RenameFlags, flock, renameat_with, unlinkat};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::time::Duration;

/// The most bytes that are read of one process's notes.
const MAX_BYTES: u64 = 64 << 20;
/// How long notes are kept that could not be carried out because their folder is gone.
const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 3600);

/// The copies, and the most bytes of one that are written back.
#[derive(Clone, Copy)]
struct Copies<'a> {
    objects: &'a Objects,
    most: u64,
}

/// Cleans up after interrupted processes; files of up to `most` bytes are restored. What can't be cleaned up now is
/// tried again the next time.
pub(in crate::workspace::undo) fn clear(folder: &Path, objects: &Objects, most: u64) {
    let copies = Copies { objects, most };
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(notes) = plain_file(&path, OFlags::RDWR) else { continue };
        // The process of these notes is alive.
        if flock(&notes, FlockOperation::NonBlockingLockExclusive).is_err() {
            continue;
        }
        let mut text = Vec::new();
        if (&notes).take(MAX_BYTES).read_to_end(&mut text).is_err() {
            continue;
        }
        // The last step for a name counts. An incomplete line is ignored.
        let mut steps: BTreeMap<_, (Step, Vec<NotePlace>)> = BTreeMap::new();
        let mut at = 0;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let place = NotePlace { at, bytes: line.len() as u64 };
            at += place.bytes;
            let Ok(step) = serde_json::from_slice::<Step>(line) else { continue };
            let key = (step.path.clone(), step.own.clone());
            let (last, places) = steps.entry(key).or_insert_with(|| (step.clone(), Vec::new()));
            *last = step;
            places.push(place);
        }
        let mut opener = Opener::default();
        let mut left = 0_usize;
        for (step, places) in steps.into_values() {
            match step.clear(copies, &mut opener) {
                // If other steps keep the notes, this one is blanked, so that later changes by somebody else are not
                // undone.
                Ok(()) => places.into_iter().for_each(|place| place.blank(&notes)),
                Err(_) => left += 1,
            }
        }
        let age = notes.metadata().and_then(|info| info.modified()).ok().and_then(|at| at.elapsed().ok());
        if left == 0 || age.is_some_and(|age| age > MAX_AGE) {
            std::fs::remove_file(&path).ok();
        }
    }
}

impl Step {
    /// Cleans up after this step; returns an error if that is not possible now.
    fn clear(&self, copies: Copies<'_>, opener: &mut Opener) -> io::Result<()> {
        let folder = opener.folder(&self.path)?;
        let name = self.path.file_name().ok_or(io::ErrorKind::NotFound)?;
        if let Some(contents) = self.contents {
            return self.write_to_the_end(copies, folder, name, contents);
        }
        let own = OsStr::new(&self.own);
        let Some(there) = node_in(folder, own) else { return Ok(()) };
        let is_known = match (&there, self.file) {
            (Node::File(..), _) if self.is_made(folder, own) => Ok(true),
            // The process was interrupted before it wrote anything.
            (Node::File(key, _), None) if key.size == 0 => Ok(true),
            (Node::File(..), _) => copies.have(folder, own),
            // Only files are created under temporary names, so this existed before and was moved here.
            (_, Some(_)) => Ok(false),
            (_, None) => return Ok(()),
        };
        if is_known.as_ref().is_ok_and(|known| *known) {
            return Ok(unlinkat(folder, own, AtFlags::empty())?);
        }
        // It belongs to somebody else and was to be moved back: give it its name, unless that is taken.
        match renameat_with(folder, own, folder, name, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(()),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        is_known?;
        self.exchange_back(copies, folder, (own, name))
    }

    /// Handles an interruption between the two exchanges of a replacement: the new file has the real name, and the
    /// file that somebody wrote has the temporary one. Gives that file its name back.
    fn exchange_back(
        &self,
        copies: Copies<'_>,
        folder: &File,
        (own, name): (&OsStr, &OsStr),
    ) -> io::Result<()> {
        // If somebody wrote into the new file since, that is newer still, and both files stay.
        let is_ours = |name: &OsStr| io::Result::Ok(self.is_made(folder, name) && copies.have(folder, name)?);
        if !is_ours(name)? {
            return Ok(());
        }
        renameat_with(folder, own, folder, name, RenameFlags::EXCHANGE)?;
        // It is checked again before it is removed, now under a name that nobody else writes to.
        if is_ours(own)? {
            unlinkat(folder, own, AtFlags::empty())?;
        } else {
            renameat_with(folder, own, folder, name, RenameFlags::EXCHANGE)?;
        }
        Ok(())
    }

    /// Whether this name refers to the file that was created.
    fn is_made(&self, folder: &File, name: &OsStr) -> bool {
        matches!(node_in(folder, name), Some(Node::File(key, _)) if self.file == Some(key.node()))
    }

    /// Restores a file that is partly new and partly old to its old content, and sets the mode that belongs to its
    /// content.
    fn write_to_the_end(
        &self,
        copies: Copies<'_>,
        folder: &File,
        name: &OsStr,
        (was, becomes): (KnownFile, KnownFile),
    ) -> io::Result<()> {
        let Some(file) = if_there(open_in(folder, name))? else { return Ok(()) };
        if self.file != Some(FileKey::of(&file)?.node()) {
            return Ok(());
        }
        let mode_now = file.metadata()?.mode();
        // Without the copies, the content can't be judged any more.
        let (Some(old), Some(new)) = (copies.get(was.sha256)?, copies.get(becomes.sha256)?) else {
            return Ok(());
        };
        let mut now = Vec::new();
        (&file).take(copies.most.saturating_add(1)).read_to_end(&mut now)?;
        let set_mode = |mode: u32| file.set_permissions(Permissions::from_mode(mode & 0o777));
        // A mode that somebody chose since stays.
        let is_open = mode_now & 0o777 == was.open_mode(&becomes);
        if now == old || now == new {
            let mode = if now == old { was.mode } else { becomes.mode };
            return if is_open { set_mode(mode) } else { Ok(()) };
        }
        if !is_between(&now, &old, &new) {
            return Ok(());
        }
        // Somebody may have written just this, so the content is stored before it is overwritten.
        copies.objects.put(&now)?;
        copies.objects.sync();
        set_mode(was.open_mode(&becomes))?;
        let written = open_to_write(folder, name, &file).and_then(|to| overwrite(&to, &old));
        set_mode(if is_open { was.mode } else { mode_now })?;
        written
    }
}

impl Copies<'_> {
    /// A content; `None` if there is no copy any more.
    fn get(self, sha256: Sha256) -> io::Result<Option<Vec<u8>>> {
        if_there(self.objects.get(sha256, self.most))
    }

    /// Whether there is a copy of this file's content, however large it is.
    fn have(self, folder: &File, name: &OsStr) -> io::Result<bool> {
        let Some(mut file) = if_there(open_in(folder, name))? else { return Ok(false) };
        let (sha256, bytes) = hash(&mut file, u64::MAX, |_| Ok(()))?;
        Ok(self.objects.holds(sha256, bytes))
    }
}

/// Turns a missing file, or one that is a link by now, into `None`. Other errors may be gone the next time.
fn if_there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether an interrupted overwriting of one text by the other, or an interrupted restoring, can have left this: each
/// byte is from one of the two.
pub(super) fn is_between(now: &[u8], old: &[u8], new: &[u8]) -> bool {
    now.len() >= old.len().min(new.len())
        && now.iter().enumerate().all(|(at, byte)| [old, new].iter().any(|text| text.get(at) == Some(byte)))
}

//! Clears what processes left that were ended in the middle of taking back, by their notes.

use super::{KnownFile, NotePlace, Step, open_to_write, overwrite};
use crate::domain::Sha256;
use crate::workspace::place::open_in;
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

/// Bytes of the notes of one process.
const MAX_BYTES: u64 = 64 << 20;
/// Notes that could not be worked off, because their folder is gone, are kept so long.
const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 3600);

/// The copies, and how many bytes one of them may have to be written from.
#[derive(Clone, Copy)]
struct Copies<'a> {
    objects: &'a Objects,
    most: u64,
}

/// Clears what processes left that were ended in the middle; `most` bytes of a file are put back. What can't be cleared now is
/// tried again the next time.
pub(in crate::workspace::undo) fn clear(folder: &Path, objects: &Objects, most: u64) {
    let copies = Copies { objects, most };
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(notes) = plain_file(&path, OFlags::RDWR) else { continue };
        // Its process lives.
        if flock(&notes, FlockOperation::NonBlockingLockExclusive).is_err() {
            continue;
        }
        let mut text = Vec::new();
        if (&notes).take(MAX_BYTES).read_to_end(&mut text).is_err() {
            continue;
        }
        // What is known of a name last counts; a line that was not written to its end tells nothing.
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
                // Where the notes stay because of another, what somebody writes there meanwhile is not put right again.
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
    /// Clears it; an error where that can't be done now.
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
            // It was ended before anything was written.
            (Node::File(key, _), None) if key.size == 0 => Ok(true),
            (Node::File(..), _) => copies.have(folder, own),
            // Only files are made: it was there before, and was moved.
            (_, Some(_)) => Ok(false),
            (_, None) => return Ok(()),
        };
        if is_known.as_ref().is_ok_and(|known| *known) {
            return Ok(unlinkat(folder, own, AtFlags::empty())?);
        }
        // Somebody else's, which was to be put back: it gets its name, or keeps this one where that is taken.
        match renameat_with(folder, own, folder, name, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(()),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        // That name is taken.
        is_known?;
        self.exchange_back(copies, folder, (own, name)).map(drop)
    }

    /// Ended between the two exchanges of a replacement, what was made has the name that is meant, and what somebody wrote
    /// there lies under the own one: it gets its name back. Tells whether that was so.
    fn exchange_back(
        &self,
        copies: Copies<'_>,
        folder: &File,
        (own, name): (&OsStr, &OsStr),
    ) -> io::Result<bool> {
        // What somebody wrote into it since is newer still: then both stay.
        let is_ours = |name: &OsStr| io::Result::Ok(self.is_made(folder, name) && copies.have(folder, name)?);
        if !is_ours(name)? {
            return Ok(false);
        }
        renameat_with(folder, own, folder, name, RenameFlags::EXCHANGE)?;
        // It is not removed before it was looked at again under a name that nobody else writes to.
        if is_ours(own)? {
            unlinkat(folder, own, AtFlags::empty())?;
        } else {
            renameat_with(folder, own, folder, name, RenameFlags::EXCHANGE)?;
        }
        Ok(true)
    }

    /// Whether the file that was made has this name.
    fn is_made(&self, folder: &File, name: &OsStr) -> bool {
        matches!(node_in(folder, name), Some(Node::File(key, _)) if self.file == Some(key.node()))
    }

    /// A file in which some is new and the rest old gets back what it held, and the mode that belongs to what it holds.
    fn write_to_the_end(
        &self,
        copies: Copies<'_>,
        folder: &File,
        name: &OsStr,
        (was, becomes): (KnownFile, KnownFile),
    ) -> io::Result<()> {
        let Some(file) = if_there(open_in(folder, name))? else { return Ok(()) };
        let info = file.metadata()?;
        if self.file != Some(FileKey::of(&info).node()) {
            return Ok(());
        }
        // Without its copies nothing can be told of it any more.
        let (Some(old), Some(new)) = (copies.get(was.sha256)?, copies.get(becomes.sha256)?) else {
            return Ok(());
        };
        let mut now = Vec::new();
        (&file).take(copies.most.saturating_add(1)).read_to_end(&mut now)?;
        let set_mode = |mode: u32| file.set_permissions(Permissions::from_mode(mode & 0o777));
        // A mode that somebody chose since stays.
        let is_open = info.mode() & 0o777 == was.open_mode();
        if now == old || now == new {
            let mode = if now == old { was.mode } else { becomes.mode };
            return if is_open { set_mode(mode) } else { Ok(()) };
        }
        if !is_between(&now, &old, &new) {
            return Ok(());
        }
        // Somebody may have made it look so: it is kept as it is before it goes.
        copies.objects.put(&now)?;
        copies.objects.sync();
        set_mode(was.open_mode())?;
        let written = open_to_write(folder, name, &file).and_then(|to| overwrite(&to, &old));
        set_mode(if is_open { was.mode } else { info.mode() })?;
        written
    }
}

impl Copies<'_> {
    /// A content; nothing where there is no copy any more.
    fn get(self, sha256: Sha256) -> io::Result<Option<Vec<u8>>> {
        if_there(self.objects.get(sha256, self.most))
    }

    /// Whether there is a copy of what this file holds, however large it is.
    fn have(self, folder: &File, name: &OsStr) -> io::Result<bool> {
        let Some(mut file) = if_there(open_in(folder, name))? else { return Ok(false) };
        let (sha256, bytes) = hash(&mut file, u64::MAX, |_| Ok(()))?;
        Ok(self.objects.holds(sha256, bytes))
    }
}

/// What is not there, or is a link by now, is nothing; each other failure may be over the next time.
fn if_there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether it is what overwriting one with the other leaves when it is ended somewhere, and what putting that right leaves when
/// it is ended, too: each byte is from one of them.
pub(super) fn is_between(now: &[u8], old: &[u8], new: &[u8]) -> bool {
    now.len() >= old.len().min(new.len())
        && now.iter().enumerate().all(|(at, byte)| [old, new].iter().any(|text| text.get(at) == Some(byte)))
}

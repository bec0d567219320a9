//! Redactions that were broken off: where their files lie meanwhile, and how whoever comes next ends them.

use crate::domain::Masker;
use crate::store::{Draft, StoreError, blobs_of, disk, index, search};
use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The ending of the folder of old files.
const REDACTED_EXTENSION: &str = "redacted";

pub(super) fn folders(blobs: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(blobs).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect()
}

/// Where the new file is written: no name of a session.
pub(super) fn new_file_path(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{stem}.redacting"))
}

/// Where the old files beside a session lie until the new session is in its place. All that is new was written by then.
pub(super) fn old_files_folder(path: &Path) -> PathBuf {
    blobs_of(path).with_extension(REDACTED_EXTENSION)
}

/// Removes what an earlier attempt left.
pub(super) fn forget(new: &Path) {
    std::fs::remove_file(new).ok();
    std::fs::remove_dir_all(blobs_of(new)).ok();
}

/// What is kept of a session to list and find it is made anew.
pub(super) fn forget_words(path: &Path) {
    let folder = path.parent().unwrap_or(Path::new(""));
    index::forget(folder, &[path]).ok();
    if let Err(error) = search::forget(folder, &[path]) {
        tracing::warn!(%error, "what was masked leaves the file of the search with the next search");
    }
}

/// Opens a session, and holds it; a redaction of it that was broken off is ended before.
///
/// # Errors
/// As [`disk::open_locked`], and when a redaction can't be ended: the outputs of the session are not in their place.
pub(in crate::store) fn open_locked(path: &Path) -> Result<File, StoreError> {
    let file = disk::open_locked(path)?;
    if !new_file_path(path).exists() && !old_files_folder(path).exists() {
        return Ok(file);
    }
    // It may be another file by then, also where not all of it could be done.
    finish(path).ok();
    drop(file);
    let file = disk::open_locked(path)?;
    if old_files_folder(path).exists() {
        let why = "a redaction of it was broken off and can't be ended: its outputs lie beside it".into();
        return Err(StoreError::NotASession { path: path.to_owned(), why });
    }
    Ok(file)
}

/// Ends redactions that were broken off, as these names in the folder of sessions, or of their outputs, tell: of each session
/// whose new files were all there, they take the place of the old ones; of any other nothing is left but what was there
/// before.
pub(in crate::store) fn sweep<'n>(sessions: &Path, names: impl Iterator<Item = &'n str>) {
    let begun: BTreeSet<&str> = names.filter_map(session_of).collect();
    for stem in begun.into_iter().filter(|stem| uuid::Uuid::parse_str(stem).is_ok()) {
        let path = sessions.join(format!("{stem}.jsonl"));
        // Whoever redacts it, or works in it, holds it.
        match disk::open_locked(&path) {
            Ok(_locked) => drop(finish(&path)),
            Err(_) if !path.exists() => {
                forget(&new_file_path(&path));
                std::fs::remove_dir_all(old_files_folder(&path)).ok();
            }
            Err(_) => {}
        }
    }
}

/// The session of which a redaction was begun, where a name tells that.
fn session_of(name: &str) -> Option<&str> {
    match name.strip_prefix('.') {
        Some(new) => Some(new.strip_suffix(".redacting").unwrap_or(new)),
        None => name.strip_suffix(REDACTED_EXTENSION)?.strip_suffix('.'),
    }
}

/// Ends a redaction of this session, where one was begun. The session is locked.
///
/// # Errors
/// When it can't be ended: then its folder of old outputs says so to whoever comes next.
pub(super) fn finish(path: &Path) -> io::Result<()> {
    let (new, gone, blobs) = (new_file_path(path), old_files_folder(path), blobs_of(path));
    let new_blobs = blobs_of(&new);
    if gone.exists() {
        let ended = put_in_place((&new, path), (&new_blobs, &blobs), &gone);
        return ended.inspect_err(|error| {
            tracing::warn!(%error, path = %path.display(), "a redaction can't be ended");
        });
    }
    // Folders of the session may lie among the new files already.
    for folder in folders(&new_blobs) {
        let there = blobs.join(folder.file_name().unwrap_or_default());
        if !there.exists() && disk::make_folder(&blobs).is_ok() {
            std::fs::rename(&folder, there).ok();
        }
    }
    if folders(&new_blobs).is_empty() {
        forget(&new);
    }
    Ok(())
}

/// Puts the new file and the new outputs in the place of the old ones, which are gone then. Where the new outputs are not
/// there, the old ones come back.
fn put_in_place(
    (new, path): (&Path, &Path),
    (new_blobs, blobs): (&Path, &Path),
    gone: &Path,
) -> io::Result<()> {
    if !blobs.exists() {
        if !new_blobs.exists() {
            return std::fs::rename(gone, blobs);
        }
        std::fs::rename(new_blobs, blobs)?;
    }
    if new.exists() {
        std::fs::rename(new, path)?;
        disk::sync_folder(path.parent().unwrap_or(Path::new("."))).map_err(io::Error::other)?;
    }
    // What was being typed is not part of the session yet.
    Draft::beside(path, Masker::default()).remove().map_err(io::Error::other)?;
    forget_words(path);
    std::fs::remove_dir_all(gone)
}

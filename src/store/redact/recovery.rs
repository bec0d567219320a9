//! Finishes redactions that were interrupted, and names the files that a redaction uses meanwhile.

use crate::domain::Masker;
use crate::store::{Draft, StoreError, blobs_of, disk, index, search};
use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The extension of the folder with the old files.
const REDACTED_EXTENSION: &str = "redacted";

pub(super) fn folders(blobs: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(blobs).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect()
}

/// The path of the new file while it is written. No list of sessions shows it.
pub(super) fn new_file_path(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{stem}.redacting"))
}

/// Where the old outputs of a session are moved until the new session has replaced it. This folder exists only after
/// everything new was written.
pub(super) fn old_files_folder(path: &Path) -> PathBuf {
    blobs_of(path).with_extension(REDACTED_EXTENSION)
}

/// Removes what an earlier attempt left.
pub(super) fn discard_attempt(new: &Path) {
    std::fs::remove_file(new).ok();
    std::fs::remove_dir_all(blobs_of(new)).ok();
}

/// Removes the session from the list's and the search's databases, which read it anew then.
pub(super) fn forget_derived(path: &Path) {
    let folder = path.parent().unwrap_or(Path::new(""));
    index::forget(folder, &[path]).ok();
    if let Err(error) = search::forget(folder, &[path]) {
        tracing::warn!(%error, "what was masked leaves the file of the search with the next search");
    }
}

/// Opens and locks a session. If its redaction was interrupted, that is finished first.
///
/// # Errors
/// As [`disk::open_locked`], and when a redaction can't be finished: the session's outputs are not in their folder
/// then.
pub(in crate::store) fn open_locked(path: &Path) -> Result<File, StoreError> {
    let file = disk::open_locked(path)?;
    if !new_file_path(path).exists() && !old_files_folder(path).exists() {
        return Ok(file);
    }
    // The file may be another one afterwards, even if not everything could be done.
    finish(path).ok();
    drop(file);
    let file = disk::open_locked(path)?;
    if old_files_folder(path).exists() {
        let why = "a redaction of it was broken off and can't be ended: its outputs lie beside it";
        return Err(StoreError::not_a_session(path, why));
    }
    Ok(file)
}

/// Finishes interrupted redactions, which it recognizes by these names in the folder of sessions or of their outputs.
/// If a session's new files were complete, they replace the old ones; otherwise the new ones are removed.
pub(in crate::store) fn sweep<'n>(sessions: &Path, names: impl Iterator<Item = &'n str>) {
    let begun: BTreeSet<&str> = names.filter_map(session_of).collect();
    for stem in begun.into_iter().filter(|stem| uuid::Uuid::parse_str(stem).is_ok()) {
        let path = sessions.join(format!("{stem}.jsonl"));
        // A process that redacts the session or works in it holds the lock.
        match disk::open_locked(&path) {
            Ok(_locked) => drop(finish(&path)),
            Err(_) if !path.exists() => {
                discard_attempt(&new_file_path(&path));
                std::fs::remove_dir_all(old_files_folder(&path)).ok();
            }
            Err(_) => {}
        }
    }
}

/// The session whose redaction this name belongs to.
fn session_of(name: &str) -> Option<&str> {
    match name.strip_prefix('.') {
        Some(new) => Some(new.strip_suffix(".redacting").unwrap_or(new)),
        None => name.strip_suffix(REDACTED_EXTENSION)?.strip_suffix('.'),
    }
}

/// Finishes a redaction of this session, if one was begun. The caller holds the lock on the session.
///
/// # Errors
/// When it can't be finished: the folder of old outputs then remains as a sign for the next process.
pub(super) fn finish(path: &Path) -> io::Result<()> {
    let (new, gone, blobs) = (new_file_path(path), old_files_folder(path), blobs_of(path));
    let new_blobs = blobs_of(&new);
    if gone.exists() {
        let ended = put_in_place((&new, path), (&new_blobs, &blobs), &gone);
        return ended.inspect_err(|error| {
            tracing::warn!(%error, path = %path.display(), "a redaction can't be ended");
        });
    }
    // Folders of the session may already have been moved to the new files.
    for folder in folders(&new_blobs) {
        let there = blobs.join(folder.file_name().unwrap_or_default());
        if !there.exists() && disk::make_folder(&blobs).is_ok() {
            std::fs::rename(&folder, there).ok();
        }
    }
    if folders(&new_blobs).is_empty() {
        discard_attempt(&new);
    }
    Ok(())
}

/// Replaces the old file and outputs by the new ones, and deletes the old ones. If the new outputs are missing, the
/// old ones are restored.
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
    // A draft is not part of the session yet, so it was not masked.
    Draft::beside(path, Masker::default()).remove().map_err(io::Error::other)?;
    forget_derived(path);
    std::fs::remove_dir_all(gone)
}

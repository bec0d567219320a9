//! What a list of sessions offers besides opening one: a preview of its end, renaming, adopting, deleting.

use super::chain;
use super::seal::{Mac, Seal, SealState};
use super::wire::{self, ChainLink};
use super::{ReadProgress, Store, StoreError, blobs_of, disk, index, reader, scratch, search};
use crate::domain::{Entry, Masker, Timestamp};
use crate::text::number::counted;
use std::io::Write as _;
use std::path::Path;

/// The most bytes of one line of a preview.
const MAX_PREVIEW_BYTES: usize = 400;

/// The last `most` events of a conversation as plain lines, oldest first: `you  …`, `model  …`. Empty if the file
/// can't be read. The text is unescaped: whoever shows it has to make it safe.
pub(crate) fn preview(path: &Path, most: usize) -> Vec<String> {
    let Ok(loaded) = reader::read(path) else { return Vec::new() };
    let mut lines: Vec<String> =
        loaded.entries.iter().rev().filter_map(|(_, entry)| line(entry)).take(most).collect();
    lines.reverse();
    lines
}

fn line(entry: &Entry) -> Option<String> {
    match entry {
        Entry::Prompt(prompt) => Some(format!("you    {}", first_line(&prompt.text))),
        Entry::Reply { text, .. } => {
            // The blocks of a reply have lines of their own.
            let said = first_line(&search::prose(text));
            (!said.is_empty()).then(|| format!("model  {said}"))
        }
        Entry::Block(block) => {
            // A block about files is labelled with its action.
            let language = block.current().language.as_ref().filter(|_| block.kind.is_code());
            let word = language.map_or(block.kind.as_str(), |language| language.as_str());
            let of = block.path().map_or_else(
                || counted(block.current().source.lines().count(), "line"),
                |path| first_line(&path),
            );
            Some(format!("block {}  {word}, {of}", block.id))
        }
        Entry::Rejected { block, .. } => Some(format!("block {block}  rejected")),
        Entry::Skipped { block, .. } => Some(format!("block {block}  skipped")),
        Entry::Ran { block, report, .. } => {
            Some(format!("block {block}  ended: {}", report.outcome.as_str().replace('_', " ")))
        }
        _ => None,
    }
}

/// The first line that is not blank, shortened.
fn first_line(text: &str) -> String {
    let line = text.lines().find(|l| !l.trim().is_empty()).unwrap_or_default().trim();
    match line.char_indices().find(|(at, _)| *at >= MAX_PREVIEW_BYTES) {
        Some((at, _)) => format!("{} …", line.get(..at).unwrap_or_default()),
        None => line.to_owned(),
    }
}

/// Gives a session another name.
///
/// # Errors
/// When another process writes to it, or it can't be written.
pub(crate) async fn rename(
    path: &Path,
    name: &str,
    (masker, seal): (&Masker, Option<&Seal>),
    at: Timestamp,
) -> Result<(), StoreError> {
    let (store, _) = Store::open_with(path, seal)?;
    let store = store.with_masker(masker.clone());
    store.append(Entry::Renamed(name.to_owned()), at);
    store.close().await
}

/// Makes a session this installation's own, as the person has decided: adds a sealed line that contains the hash of
/// everything before it. Nothing else is changed, except that an incomplete last line is cut off.
///
/// # Errors
/// When another process writes to the session, it is no session, or it can't be written.
pub(crate) fn adopt(path: &Path, seal: &Seal, at: Timestamp) -> Result<(), StoreError> {
    let failed = |error| StoreError::io(path, "written", error);
    let mut file = disk::open_locked(path)?;
    let opened = reader::read_file::<Vec<_>>(path, &file, Some(seal), &ReadProgress::default())?;
    if opened.loaded.foreign.is_none() {
        return Ok(());
    }
    let whole = super::opening::repair_end(&mut file, &opened).map_err(failed)?;
    let entry = Entry::Accepted { sha256: chain::hash(&file, whole).map_err(failed)? };
    let fields =
        wire::encode(&entry, Path::new(""), None).map_err(|error| StoreError::NotSaved(error.to_string()))?;
    let link = ChainLink { sealing: Some(SealState::begin(seal.clone(), Mac::ADOPTED)), ..opened.next };
    let (line, _) = wire::seal(link, at, &Masker::default().mask(fields), false);
    file.write_all(line.bytes()).and_then(|()| file.sync_data()).map_err(|error| {
        file.set_len(whole).ok();
        failed(error)
    })
}

/// The disk space of a session with its large outputs and images.
pub(crate) fn space(path: &Path) -> u64 {
    fn bytes_below(folder: &Path) -> u64 {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        // A link counts as itself: its target is not removed.
        let size = |entry: std::fs::DirEntry| match entry.metadata() {
            Ok(meta) if meta.is_dir() => bytes_below(&entry.path()),
            Ok(meta) => meta.len(),
            Err(_) => 0,
        };
        entries.map(size).sum()
    }
    std::fs::symlink_metadata(path).map_or(0, |meta| meta.len()) + bytes_below(&blobs_of(path))
}

/// Deletes a session with its large outputs and images, and what is derived from it.
///
/// # Errors
/// When another process writes to it, it is no session, or the system refuses.
pub(crate) fn delete(path: &Path) -> Result<(), StoreError> {
    let removed = delete_all(&[path], |_, _| {});
    removed.into_iter().next().unwrap_or(Ok(()))
}

/// Deletes several sessions of one folder. `told` is called for each; the derived files are changed once for all of
/// them.
pub(crate) fn delete_all(
    paths: &[&Path],
    mut told: impl FnMut(&Path, &Result<(), StoreError>),
) -> Vec<Result<(), StoreError>> {
    let mut done = Vec::new();
    for path in paths {
        let removed = remove_files(path);
        told(path, &removed);
        done.push(removed);
    }
    let gone: Vec<&Path> = paths.iter().copied().filter(|path| !path.exists()).collect();
    let Some(folder) = gone.first().and_then(|path| path.parent()) else { return done };
    scratch::sweep(folder);
    // The sessions are deleted, even if this fails.
    if let Err(error) = index::forget(folder, &gone) {
        tracing::warn!(%error, "removed sessions leave the file of the list with the next list");
    }
    if let Err(error) = search::forget(folder, &gone) {
        tracing::warn!(%error, "what removed sessions say leaves the file of the search with the next search");
    }
    done
}

fn remove_files(path: &Path) -> Result<(), StoreError> {
    // The lock is held until the file is deleted, so that nobody opens it in between.
    let _locked = disk::open_locked(path)?;
    std::fs::remove_file(path).map_err(|error| StoreError::io(path, "deleted", error))?;
    super::Draft::beside(path, Masker::default()).remove()?;
    let blobs = blobs_of(path);
    if let Err(error) = std::fs::remove_dir_all(&blobs)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return Err(StoreError::io(&blobs, "deleted", error));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{BlockKind, Header, samples};

    fn header() -> Header {
        Header { name: "one".into(), ..samples::header("one") }
    }

    #[test]
    fn an_edit_is_previewed_by_its_file_or_if_it_names_none_by_its_lines() {
        let told = |path: &str| {
            line(&Entry::Block(samples::block(1, BlockKind::Edit { paths: vec![path.into()] }, "a\nb\n")))
        };
        assert_eq!(told("a.py").as_deref(), Some("block 1  edit, a.py"));
        assert_eq!(told("").as_deref(), Some("block 1  edit, 2 lines"));
    }

    #[tokio::test]
    async fn a_session_is_seen_named_and_deleted() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::create(folder.path(), header());
        store.append(Entry::Prompt("\n  What is it?\nmore".into()), Timestamp(1));
        store.sync().await.expect("written");
        let path = store.path();
        assert!(matches!(delete(&path), Err(StoreError::Locked { .. })), "one that is open stays");
        assert!(matches!(
            rename(&path, "b", (&Masker::default(), None), Timestamp(2)).await,
            Err(StoreError::Locked { .. })
        ));
        store.close().await.expect("closed");
        assert_eq!(preview(&path, 5), ["you    What is it?"]);
        rename(&path, "better", (&Masker::default(), None), Timestamp(2)).await.expect("named");
        let loaded = reader::read(&path).expect("readable");
        assert!(loaded.entries.iter().any(|(_, e)| *e == Entry::Renamed("better".into())));
        let blobs = blobs_of(&path);
        std::fs::create_dir_all(blobs.join("packages")).expect("made");
        std::fs::write(blobs.join("run-1.out"), "much").expect("written");
        delete(&path).expect("deleted");
        assert!(!path.exists() && !blobs.exists());
        assert!(preview(&path, 5).is_empty());
    }
}

//! Writes a branch of a session: a new file that starts with the first entries of another one. The other file is only
//! read.

use super::redact::files_of;
use super::{LoadedSession, Seal, SessionPaths, Store, StoreError, blobs_of, disk, file_stem};
use crate::domain::{Entry, Header, Masker};
use std::path::{Path, PathBuf};

/// Writes a session with this header and the first `entries` of the loaded one, whose file is `from`. Its large
/// outputs and images come along; packages that were installed for the other session do not. The file gets its name
/// only once it is completely on disk: half of it would look like an interrupted session.
///
/// # Errors
/// When it can't be written; then nothing of it is left.
pub(crate) async fn write(
    (from, loaded): (&Path, &LoadedSession),
    entries: usize,
    (folder, header): (&Path, Header),
    (masker, seal): (&Masker, Option<Seal>),
) -> Result<PathBuf, StoreError> {
    let path = folder.join(format!("{}.jsonl", file_stem(&header.id.0)));
    let store = Store::create_in(SessionPaths::in_the_making(&path), header);
    let store = store.with_masker(masker.clone()).with_seal(seal);
    let written = write_into(&store, (from, loaded), entries).await;
    let closed = store.close().await;
    let part = store.path();
    let named = written.and(closed).and_then(|()| name(&part, &path));
    if let Err(error) = named {
        std::fs::remove_file(&part).ok();
        std::fs::remove_dir_all(store.blobs()).ok();
        return Err(error);
    }
    Ok(path)
}

async fn write_into(
    store: &Store,
    (from, loaded): (&Path, &LoadedSession),
    entries: usize,
) -> Result<(), StoreError> {
    let (old, new) = (blobs_of(from), store.blobs());
    let own = |entry: &Entry| !matches!(entry, Entry::Header(_) | Entry::Renamed(_) | Entry::Accepted { .. });
    for (at, entry) in loaded.entries.iter().take(entries).filter(|(_, entry)| own(entry)) {
        let mut entry = entry.clone();
        carry_files(&mut entry, &old, &new)?;
        store.append(entry, *at);
    }
    store.sync().await
}

fn name(part: &Path, path: &Path) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    std::fs::rename(part, path)
        .and_then(|()| disk::sync_folder(folder))
        .map_err(|error| StoreError::io(path, "written", error))
}

/// Links or copies the files that an entry names to the branch's folder, and changes their paths in the entry.
fn carry_files(entry: &mut Entry, old: &Path, new: &Path) -> Result<(), StoreError> {
    for path in files_of(entry) {
        let Some(name) = path.strip_prefix(old).ok().filter(|name| name.components().count() == 1) else {
            continue;
        };
        let there = new.join(name);
        if !there.exists() && path.exists() {
            disk::make_folder(new)?;
            disk::link_or_copy(path, &there)?;
        }
        *path = there;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{BranchOrigin, SessionId, Timestamp};
    use crate::store::{Damage, read, samples};

    #[tokio::test]
    async fn a_branch_holds_what_was_before_it_and_its_source_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let header = samples::header("one");
        let store = Store::create(folder.path(), header.clone());
        let all: Vec<Entry> = samples::each_kind();
        for (second, entry) in all.iter().enumerate() {
            store.append(entry.clone(), Timestamp(second as i64 * 1000));
        }
        store.close().await.unwrap();
        let from = store.path();
        let before = std::fs::read(&from).unwrap();
        let loaded = read(&from).unwrap();
        for entries in [1, loaded.entries.len() / 3, loaded.entries.len() / 2, loaded.entries.len()] {
            let origin = BranchOrigin { session: header.id.clone(), entries: entries as u64 - 1, at: None };
            let id = SessionId(format!("branch-{entries}"));
            let header = Header { id, branch_of: Some(origin), ..header.clone() };
            let masker = Masker::default();
            let written =
                write((&from, &loaded), entries, (folder.path(), header.clone()), (&masker, None)).await;
            let path = written.unwrap();
            let branch = read(&path).unwrap();
            let known = |damage: &Damage| loaded.damage.iter().any(|other| other.fault == damage.fault);
            assert!(branch.damage.iter().all(known), "{:?}", branch.damage);
            assert_eq!(branch.entries[0].1, Entry::Header(header));
            let kept = |(_, entry): &&(Timestamp, Entry)| {
                !matches!(entry, Entry::Header(_) | Entry::Renamed(_) | Entry::Accepted { .. })
            };
            let names = |session: &LoadedSession| -> Vec<String> {
                let told = session.entries.iter().take(entries).filter(kept);
                told.map(|entry| format!("{entry:?}").replace(&format!("branch-{entries}"), "one")).collect()
            };
            let (mut ours, theirs) = (names(&branch), names(&loaded));
            ours.truncate(theirs.len());
            assert_eq!(ours, theirs);
        }
        assert_eq!(std::fs::read(&from).unwrap(), before);
    }
}

//! A branch of a session: a new file that begins with the first entries of another one. The other one is only read.

use super::{LoadedSession, Seal, Store, StoreError, blobs_of, manage};
use crate::domain::{Entry, Header, Masker};
use std::path::{Path, PathBuf};

/// Writes a session with this header and the first `entries` of the loaded one, whose file is `from`. Large outputs and
/// images come with it; packages that were installed for the other one do not.
///
/// # Errors
/// When it can't be written; then nothing of it is left.
pub(crate) async fn write(
    (from, loaded): (&Path, &LoadedSession),
    entries: usize,
    (folder, header): (&Path, Header),
    (masker, seal): (&Masker, Option<Seal>),
) -> Result<PathBuf, StoreError> {
    let store = Store::create(folder, header).with_masker(masker.clone()).with_seal(seal);
    let (old, new) = (blobs_of(from), store.blobs());
    let path = store.path();
    let own = |entry: &Entry| !matches!(entry, Entry::Header(_) | Entry::Named(_) | Entry::Adopted { .. });
    for (at, entry) in loaded.entries.iter().take(entries).filter(|(_, entry)| own(entry)) {
        let mut entry = entry.clone();
        carry_files(&mut entry, &old, &new)?;
        store.append(entry, *at);
    }
    let written = store.sync().await;
    let closed = store.close().await;
    if let Err(error) = written.and(closed) {
        // What is half there would look like a session that was broken off.
        if path.exists() {
            manage::delete(&path).ok();
        }
        return Err(error);
    }
    Ok(path)
}

/// The files beside the session that an entry names lie beside the branch, too.
fn carry_files(entry: &mut Entry, old: &Path, new: &Path) -> Result<(), StoreError> {
    let Entry::Ran { report, .. } = entry else { return Ok(()) };
    let images = report.images.iter_mut().chain(&mut report.pictures).map(|image| &mut image.path);
    for path in images.chain(report.blob.as_mut()) {
        let Some(name) = path.strip_prefix(old).ok().filter(|name| name.components().count() == 1) else {
            continue;
        };
        let there = new.join(name);
        if !there.exists() && path.exists() {
            super::disk::make_folder(new)?;
            // Such a file is written once: the two may be one. Where they can't, it is copied.
            std::fs::hard_link(&*path, &there)
                .or_else(|_| std::fs::copy(&*path, &there).map(drop))
                .map_err(|error| StoreError::io(&there, "written", error))?;
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
        for entries in [loaded.entries.len() / 3, loaded.entries.len() / 2, loaded.entries.len()] {
            let origin = BranchOrigin { session: header.id.clone(), entries: entries as u64 - 1 };
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
                !matches!(entry, Entry::Header(_) | Entry::Named(_) | Entry::Adopted { .. })
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

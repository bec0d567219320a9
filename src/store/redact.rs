//! Masks words in an existing session: writes the file anew with masks, seals it as new, and replaces the old one in
//! one step. Large outputs are masked, too; pictures are not searched.

mod recovery;

pub(super) use recovery::{open_locked, sweep};

use super::reading::ReadProgress;
use super::seal::SealState;
use super::{Damage, Fault, LoadedSession, Seal, Store, StoreError, blobs_of, disk, news, reader, wire};
use crate::domain::{Entry, MaskStream, Masker};
use recovery::{discard_attempt, finish, folders, new_file_path, old_files_folder};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

const CHUNK_BYTES: usize = 256 << 10;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct RedactionPlan {
    /// What is masked and where, each once: `a GitHub token in the output of block 3`.
    pub(crate) places: Vec<String>,
    /// Pictures beside the session, which are not searched and stay as they are.
    pub(crate) pictures: Vec<PathBuf>,
    /// The number of lines that can't be read; they are left out of the new file.
    pub(crate) damaged: usize,
}

/// A session that is about to be masked. It is locked meanwhile.
#[derive(Debug)]
pub(crate) struct Redaction {
    path: PathBuf,
    loaded: LoadedSession,
    /// The end of its chain of seals.
    end: Option<SealState>,
    masker: Masker,
    /// The lock, held until all is done.
    _locked: File,
}

impl Redaction {
    /// Opens a session to mask it.
    ///
    /// # Errors
    /// When another process writes to it, it is no session or not this installation's own, or can't be read.
    pub(crate) fn open(path: &Path, masker: Masker, seal: Option<&Seal>) -> Result<Self, StoreError> {
        let locked = open_locked(path)?;
        let opened = reader::read_file(path, &locked, seal, &ReadProgress::default())?;
        let (loaded, end): (LoadedSession, _) = (opened.loaded, opened.next.sealing);
        if let Some(why) = &loaded.foreign {
            let why = format!("it is not this installation's own ({why}): adopt it first");
            return Err(StoreError::not_a_session(path, why));
        }
        let newer = |damage: &Damage| matches!(damage.fault, Fault::NewerLine(_) | Fault::UnknownKind(_));
        if let Some(damage) = loaded.damage.iter().find(|damage| newer(damage)) {
            return Err(StoreError::not_a_session(path, format!("not all of it is known here: {damage}")));
        }
        Ok(Self { path: path.to_owned(), loaded, end, masker, _locked: locked })
    }

    /// What would be masked.
    ///
    /// # Errors
    /// When a large output can't be read.
    pub(crate) fn plan(&self) -> Result<RedactionPlan, StoreError> {
        let lost = |damage: &&Damage| {
            matches!(damage.fault, Fault::Unreadable(_) | Fault::Checksum | Fault::Torn(_))
        };
        let damaged = self.loaded.damage.iter().filter(lost).count();
        let mut plan = RedactionPlan { damaged, ..RedactionPlan::default() };
        let mut tell = |kinds: BTreeSet<&'static str>, place: &str| {
            if !kinds.is_empty() {
                let kinds: Vec<&str> = kinds.into_iter().collect();
                let told = format!("{} in {place}", kinds.join(" and "));
                if !plan.places.contains(&told) {
                    plan.places.push(told);
                }
            }
        };
        for (_, entry) in &self.loaded.entries {
            tell(self.kinds(entry), &news::place_name(entry));
        }
        for file in self.files()? {
            let mut kinds = BTreeSet::new();
            self.mask_file(&file, |bytes, found| {
                kinds.extend(found);
                drop(bytes);
                Ok(())
            })?;
            tell(kinds, "a large output");
        }
        plan.pictures = self.pictures().into_iter().collect();
        Ok(plan)
    }

    /// The kinds of what would be masked in the texts of an entry.
    fn kinds(&self, entry: &Entry) -> BTreeSet<&'static str> {
        let entry = self.masker.mask(entry.clone());
        let mut kinds = entry.kinds().clone();
        if let Ok(fields) = wire::encode(&entry, &blobs_of(&self.path), None) {
            kinds.extend(self.masker.mask(fields).kinds());
        }
        kinds
    }

    /// Writes the masked session, and replaces the old one by it.
    ///
    /// # Errors
    /// When something can't be written; then the session is as it was.
    pub(crate) async fn perform(self, seal: Option<Seal>) -> Result<(), StoreError> {
        let new = new_file_path(&self.path);
        discard_attempt(&new);
        let unnoted = seal.as_ref().map(Seal::without_ends);
        let begun = self.write(&new, unnoted).await.and_then(|()| self.begin(&new));
        let finished = finish(&self.path).map_err(|error| StoreError::io(&self.path, "written", error));
        begun.and(finished)?;
        self.note_last_line(seal.as_ref());
        Ok(())
    }

    async fn write(&self, new: &Path, seal: Option<Seal>) -> Result<(), StoreError> {
        let Some((_, Entry::Header(header))) = self.loaded.entries.first() else {
            return Err(StoreError::not_a_session(&self.path, "its first line is missing"));
        };
        let store = Store::create_at(new, header.clone()).with_masker(self.masker.clone()).with_seal(seal);
        let (from, to) = (blobs_of(&self.path), store.blobs());
        let own = |entry: &Entry| !matches!(entry, Entry::Header(_) | Entry::Accepted { .. });
        for (at, entry) in self.loaded.entries.iter().filter(|(_, entry)| own(entry)) {
            let mut entry = entry.clone();
            for path in files_of(&mut entry) {
                if let Ok(name) = path.strip_prefix(&from) {
                    *path = to.join(name);
                }
            }
            store.append(entry, *at);
        }
        let written = store.sync().await;
        let closed = store.close().await;
        written.and(closed)?;
        disk::make_folder(&to)?;
        for file in self.files()? {
            self.write_masked(&file, &to)?;
        }
        for picture in self.pictures() {
            disk::link_or_copy(&picture, &to.join(picture.file_name().unwrap_or_default()))?;
        }
        Ok(())
    }

    fn write_masked(&self, file: &Path, to: &Path) -> Result<(), StoreError> {
        let there = to.join(file.file_name().unwrap_or_default());
        if there.exists() {
            // The store wrote it with its entry.
            return Ok(());
        }
        let failed = |error| StoreError::io(&there, "written", error);
        let mut out = disk::replace(&there)?;
        self.mask_file(file, |bytes, _| out.write_all(&bytes).map_err(failed))?;
        out.sync_data().map_err(failed)
    }

    /// Begins to replace the session by what was written. Once this has ended, another process finishes the
    /// replacement if this one does not.
    fn begin(&self, new: &Path) -> Result<(), StoreError> {
        let (old_blobs, new_blobs) = (blobs_of(&self.path), blobs_of(new));
        let failed = |error| StoreError::io(&self.path, "written", error);
        // Packages that were installed for the session are not masked: they are moved.
        for folder in folders(&old_blobs) {
            let there = new_blobs.join(folder.file_name().unwrap_or_default());
            std::fs::rename(&folder, there).map_err(failed)?;
        }
        self.end.iter().for_each(SealState::forget_end);
        // If there are no outputs, an empty folder marks this step.
        disk::make_folder(&old_blobs)?;
        std::fs::rename(&old_blobs, old_files_folder(&self.path)).map_err(failed)
    }

    /// Notes the end of the new file, like each sync of a session does. If this fails, the next sync does it.
    fn note_last_line(&self, seal: Option<&Seal>) {
        let file = disk::open_read(&self.path);
        let read = file
            .and_then(|file| reader::read_file::<Vec<_>>(&self.path, &file, seal, &ReadProgress::default()));
        match read {
            Ok(read) => read.next.sealing.iter().for_each(SealState::note_last_line),
            Err(error) => tracing::warn!(%error, "how far the masked session goes is not noted"),
        }
    }

    /// The large outputs beside the session.
    fn files(&self) -> Result<Vec<PathBuf>, StoreError> {
        let pictures = self.pictures();
        let mut files = Vec::new();
        for entry in std::fs::read_dir(blobs_of(&self.path)).into_iter().flatten().flatten() {
            let path = entry.path();
            let kind = entry.file_type().map_err(|error| StoreError::io(&path, "read", error))?;
            if kind.is_file() && !pictures.contains(&path) {
                files.push(path);
            }
        }
        Ok(files)
    }

    fn pictures(&self) -> BTreeSet<PathBuf> {
        let reports = self.loaded.entries.iter().filter_map(|(_, entry)| match entry {
            Entry::Ran { report, .. } => Some(report),
            _ => None,
        });
        let blobs = blobs_of(&self.path);
        let images = reports.flat_map(|report| report.all_images().map(|image| image.path.clone()));
        images.filter(|path| path.parent() == Some(&blobs) && path.is_file()).collect()
    }

    /// Passes on a file piece by piece with masks, and the kinds of what was masked.
    fn mask_file(
        &self,
        file: &Path,
        mut take: impl FnMut(Vec<u8>, BTreeSet<&'static str>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut from = disk::open_read(file)?;
        let mut stream = MaskStream::new(self.masker.clone());
        let mut piece = vec![0; CHUNK_BYTES];
        loop {
            let read = from.read(&mut piece).map_err(|error| StoreError::io(file, "read", error))?;
            let masked = match piece.get(..read) {
                Some(bytes) if read > 0 => stream.push(bytes),
                _ => stream.end(),
            };
            let kinds = masked.kinds().clone();
            take(masked.into_inner(), kinds)?;
            if read == 0 {
                return Ok(());
            }
        }
    }
}

/// The files beside a session that an entry names.
pub(super) fn files_of(entry: &mut Entry) -> Vec<&mut PathBuf> {
    let Entry::Ran { report, .. } = entry else { return Vec::new() };
    let report = &mut **report;
    let images = report.images.iter_mut().chain(&mut report.pictures).map(|image| &mut image.path);
    images.chain(report.blob.as_mut()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{BlockId, Outcome, OutputBuffer, RunId, RunReport, Stream, Timestamp};
    use crate::store::{read_with, samples, scratch};
    use proptest::prelude::*;
    use std::sync::Arc;

    const WORD: &str = "Miller & Söhne";

    /// A session with each kind of entry, and with the word in a prompt, a name, an output and a large output.
    async fn written(folder: &Path, seal: &Seal) -> PathBuf {
        let store = Store::create(folder, samples::header("one")).with_seal(Some(seal.clone()));
        let mut entries = samples::each_kind();
        entries.push(Entry::Renamed(format!("about {WORD}")));
        entries.push(Entry::Prompt(format!("What does {WORD} owe?").as_str().into()));
        let blobs = store.blobs();
        crate::test_folder::write(&blobs.join("packages/left.py"), WORD);
        std::fs::write(blobs.join("run-9.out"), format!("{}{WORD}\nend", "x".repeat(CHUNK_BYTES - 5)))
            .unwrap();
        std::fs::write(blobs.join("figure-1.png"), WORD).unwrap();
        let mut report = RunReport::bare(Outcome::Ok);
        report.output.push(Stream::Stdout, format!("{WORD}: 12\n").as_bytes());
        report.blob = Some(blobs.join("run-9.out"));
        report.images.push(crate::domain::samples::image(blobs.join("figure-1.png")));
        let (run, block) = (RunId(2), BlockId(2));
        entries.push(Entry::Ran { run, block, report: Box::new(report) });
        for (second, entry) in entries.into_iter().enumerate() {
            store.append(entry, Timestamp(second as i64 * 1000));
        }
        store.close().await.unwrap();
        store.path()
    }

    fn all_bytes(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let mut all = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                all.extend(all_bytes(&path));
            } else {
                all.push((path.clone(), std::fs::read(&path).unwrap()));
            }
        }
        all
    }

    fn holds(bytes: &[u8]) -> bool {
        let text = String::from_utf8_lossy(bytes);
        text.contains("Söhne") || text.contains("S\\u00f6hne")
    }

    fn masker() -> Masker {
        Masker::default().with_words([WORD.to_owned().into()])
    }

    /// Such a session in the folder `sessions` of an installation.
    async fn installed() -> (tempfile::TempDir, Seal, PathBuf) {
        let home = tempfile::tempdir().unwrap();
        let seal = Seal::make(home.path()).unwrap();
        let path = written(&home.path().join("sessions"), &seal).await;
        (home, seal, path)
    }

    #[tokio::test]
    async fn a_word_is_in_none_of_its_files_any_more_and_all_else_is_as_it_was() {
        let (folder, seal, path) = installed().await;
        let before = read_with(&path, Some(&seal)).unwrap();
        let redaction = Redaction::open(&path, masker(), Some(&seal)).unwrap();
        let plan = redaction.plan().unwrap();
        let places = plan.places.join("; ");
        for place in ["your prompt", "the name of the session", "the output of block", "a large output"] {
            assert!(places.contains(&format!("a word that you named in {place}")), "{place}: {places}");
        }
        assert_eq!(plan.pictures, [blobs_of(&path).join("figure-1.png")]);
        assert!(matches!(Store::open(&path), Err(StoreError::Locked { .. })));
        redaction.perform(Some(seal.clone())).await.unwrap();

        let after = read_with(&path, Some(&seal)).unwrap();
        let faults: Vec<_> = after.damage.iter().map(|damage| &damage.fault).collect();
        let known =
            |fault: &&Fault| **fault == Fault::Redacted || before.damage.iter().any(|d| d.fault == **fault);
        assert!(after.foreign.is_none() && faults.iter().all(known), "{faults:?}");
        assert_eq!(after.entries.len(), before.entries.len());
        for ((at, entry), (then, was)) in after.entries.iter().zip(&before.entries) {
            assert_eq!(at, then);
            let told = |entry: &Entry| match entry {
                Entry::Ran { report, .. } => {
                    let output = String::from_utf8_lossy(&report.output.bytes(Stream::Stdout)).into_owned();
                    format!("{output} {:?}", RunReport { output: OutputBuffer::default(), ..*report.clone() })
                }
                other => format!("{other:?}"),
            };
            assert_eq!(told(entry).replace("[redacted]*****", WORD), told(was));
        }
        for (file, bytes) in all_bytes(&folder.path().join("sessions")) {
            let stays = file.ends_with("left.py") || file.ends_with("figure-1.png");
            assert_eq!(holds(&bytes), stays, "{}", file.display());
        }
        assert!(all_bytes(&folder.path().join("sessions")).iter().any(|(file, _)| file.ends_with("left.py")));
        // Nothing is left to mask, and no files are left behind.
        let again = Redaction::open(&path, masker(), Some(&seal)).unwrap();
        assert!(again.plan().unwrap().places.is_empty());
        let names = std::fs::read_dir(folder.path().join("sessions")).unwrap().count();
        assert_eq!(names, 2, "{:?}", all_bytes(&folder.path().join("sessions")));
    }

    /// Performs this many steps of a redaction, as if it was interrupted then.
    async fn broken_off(redaction: &Redaction, steps: usize, seal: &Seal) {
        let (path, new) = (&redaction.path, new_file_path(&redaction.path));
        if steps == 0 {
            std::fs::write(&new, "half").unwrap();
            return;
        }
        redaction.write(&new, Some(seal.without_ends())).await.unwrap();
        if steps > 2 {
            redaction.end.iter().for_each(SealState::forget_end);
        }
        let (blobs, new_blobs) = (blobs_of(path), blobs_of(&new));
        let moves = [
            (blobs.join("packages"), new_blobs.join("packages")),
            (blobs.clone(), old_files_folder(path)),
            (new_blobs, blobs),
            (new, path.clone()),
        ];
        for (from, to) in moves.iter().take(steps - 1) {
            std::fs::rename(from, to).unwrap();
        }
    }

    #[tokio::test]
    async fn the_next_start_ends_what_was_broken_off_at_any_step() {
        for steps in 0..=5 {
            let home = tempfile::tempdir().unwrap();
            let (folder, id) = (home.path().join("sessions"), "0190f3a2-7c5e-7000-8000-000000000001");
            let seal = Seal::make(home.path()).unwrap();
            let first = written(&home.path().join("one"), &seal).await;
            // A name as real sessions have it: the sweep at a start only handles those.
            let path = folder.join(format!("{id}.jsonl"));
            std::fs::create_dir_all(folder.join("blobs")).unwrap();
            std::fs::rename(blobs_of(&first), blobs_of(&path)).unwrap();
            std::fs::rename(&first, &path).unwrap();
            let draft = path.with_extension("draft");
            std::fs::write(&draft, WORD).unwrap();
            let redaction = Redaction::open(&path, masker(), Some(&seal)).unwrap();
            broken_off(&redaction, steps, &seal).await;
            scratch::sweep(&folder);
            assert!(new_file_path(&path).exists() || steps == 5, "{steps}: whoever redacts it holds it");
            drop(redaction);
            scratch::sweep(&folder);
            let names: Vec<_> = [&folder, &folder.join("blobs")]
                .iter()
                .flat_map(|folder| std::fs::read_dir(folder).unwrap())
                .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
                .filter(|name| name != "blobs" && name != "index" && *name != format!("{id}.draft"))
                .collect();
            let are_own = names.iter().all(|name| name.trim_end_matches(".jsonl") == id);
            assert!(names.len() == 2 && are_own, "{steps}: {names:?}");
            let after = read_with(&path, Some(&seal)).unwrap();
            assert!(after.foreign.is_none() && after.entries.len() > 2, "{steps}");
            assert!(blobs_of(&path).join("packages/left.py").exists(), "{steps}");
            let masked = steps > 2;
            assert_eq!(draft.exists(), !masked, "{steps}: what was being typed holds the word, too");
            for (file, bytes) in all_bytes(&folder) {
                let stays = file.ends_with("left.py") || file.ends_with("figure-1.png");
                assert!(!holds(&bytes) || stays || !masked, "{steps}: {}", file.display());
            }
            let output = std::fs::read(blobs_of(&path).join("run-9.out")).unwrap();
            assert_eq!((holds(&output), output.len() > CHUNK_BYTES), (!masked, true), "{steps}");
        }
    }

    /// A session whose redaction was interrupted after everything new was written.
    async fn broken_off_late() -> (tempfile::TempDir, Seal, PathBuf) {
        let (home, seal, path) = installed().await;
        let redaction = Redaction::open(&path, masker(), Some(&seal)).unwrap();
        broken_off(&redaction, 3, &seal).await;
        (home, seal, path)
    }

    #[tokio::test]
    async fn of_a_session_without_outputs_it_is_known_how_far_it_is_too() {
        let home = tempfile::tempdir().unwrap();
        let seal = Seal::make(home.path()).unwrap();
        let store = Store::create(&home.path().join("sessions"), samples::header("one"));
        let store = store.with_seal(Some(seal.clone()));
        store.append(Entry::Prompt(format!("What does {WORD} owe?").as_str().into()), Timestamp(1));
        let path = store.path();
        store.close().await.unwrap();
        std::fs::remove_dir_all(blobs_of(&path)).ok();
        let draft = path.with_extension("draft");
        std::fs::write(&draft, WORD).unwrap();
        let redaction = Redaction::open(&path, masker(), Some(&seal)).unwrap();
        redaction.write(&new_file_path(&path), Some(seal.without_ends())).await.unwrap();
        redaction.begin(&new_file_path(&path)).unwrap();
        drop(redaction);
        let (store, loaded) = Store::open_with(&path, Some(&seal)).unwrap();
        assert!(loaded.foreign.is_none() && !holds(&std::fs::read(&path).unwrap()));
        assert!(!draft.exists() && !old_files_folder(&path).exists() && !new_file_path(&path).exists());
        store.close().await.unwrap();
    }

    #[tokio::test]
    async fn whoever_opens_what_was_broken_off_ends_it_first() {
        let (home, seal, path) = broken_off_late().await;
        let (store, _) = Store::open_with(&path, Some(&seal)).unwrap();
        store.append(Entry::Prompt("added since".into()), Timestamp(9));
        store.close().await.unwrap();
        scratch::sweep(&home.path().join("sessions"));
        let text = std::fs::read(&path).unwrap();
        assert!(!holds(&text) && String::from_utf8_lossy(&text).contains("added since"));
        assert!(read_with(&path, Some(&seal)).unwrap().foreign.is_none());
    }

    #[tokio::test]
    async fn where_the_new_outputs_are_lost_the_old_ones_come_back() {
        let (_home, seal, path) = broken_off_late().await;
        std::fs::remove_file(new_file_path(&path)).unwrap();
        std::fs::remove_dir_all(blobs_of(&new_file_path(&path))).unwrap();
        let (store, loaded) = Store::open_with(&path, Some(&seal)).unwrap();
        assert!(loaded.foreign.is_none() && blobs_of(&path).join("run-9.out").exists());
        assert!(!old_files_folder(&path).exists());
        store.close().await.unwrap();
    }

    #[tokio::test]
    async fn what_another_installation_wrote_or_somebody_writes_to_is_left_alone() {
        let (folder, seal, path) = installed().await;
        let before = std::fs::read(&path).unwrap();
        let other = Seal::make(&folder.path().join("other")).unwrap();
        let error = Redaction::open(&path, masker(), Some(&other)).unwrap_err().to_string();
        assert!(error.contains("adopt it first"), "{error}");
        let (store, _) = Store::open(&path).unwrap();
        assert!(matches!(Redaction::open(&path, masker(), Some(&seal)), Err(StoreError::Locked { .. })));
        store.close().await.unwrap();
        // If nothing can be written, the session is as it was.
        let redaction = Redaction::open(&path, masker(), Some(&seal)).unwrap();
        let blocked = new_file_path(&path);
        std::fs::create_dir(&blocked).unwrap();
        assert!(redaction.perform(Some(seal)).await.is_err());
        assert_eq!(std::fs::read(&path).unwrap(), before);
        assert!(blobs_of(&path).join("run-9.out").exists());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn whatever_the_word_is_no_line_holds_it(word in "[a-zß0-9 ]{3,12}", around in ".{0,40}") {
            prop_assume!(word.trim() == word);
            let folder = tempfile::tempdir().unwrap();
            let seal = Seal::make(folder.path()).unwrap();
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(async {
                let store = Store::create(&folder.path().join("s"), samples::header("one")).with_seal(Some(seal.clone()));
                store.append(Entry::Prompt(format!("{around}{word}{around}").as_str().into()), Timestamp(1));
                store.sync().await.unwrap();
                store.close().await.unwrap();
                let masker = Masker::default().with_words([word.clone().into()]);
                let redaction = Redaction::open(&store.path(), masker, Some(&seal)).unwrap();
                redaction.perform(Some(seal.clone())).await.unwrap();
                let loaded = read_with(&store.path(), Some(&seal)).unwrap();
                let texts: Vec<Arc<str>> = loaded.entries.iter().filter_map(|(_, entry)| match entry {
                    Entry::Prompt(prompt) => Some(Arc::from(prompt.text.as_str())),
                    _ => None,
                }).collect();
                assert!(texts.len() == 1 && !texts[0].contains(&word), "{texts:?}");
            });
        }
    }
}

//! The register of known instruction texts: one file among sayso's own, where no run can write.

use super::HeldFile;
use crate::domain::Instructions;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// More than the largest register takes, whose texts are 32 KiB each and escaped: a larger file is none of ours.
const MAX_BYTES: u64 = 128 << 20;
/// The most files that are recorded by looking. Where a run begins, the texts before it are recorded in any case.
pub(super) const MAX_ENTRIES: usize = 512;
/// The most folders that are recorded. If there are more, every folder counts as recorded.
const MAX_FOLDERS: usize = 4096;

/// For each register that could not be written: what this process knows that the file does not tell. So changes are
/// noticed here at least. The lock also lets only one thread change a register at a time.
static UNWRITTEN: Mutex<BTreeMap<PathBuf, Register>> = Mutex::new(BTreeMap::new());

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Register {
    /// The known text of each file, which the model may be told; empty for a file that did not exist.
    #[serde(default)]
    known: BTreeMap<PathBuf, String>,
    /// Folders in which a run began and may have changed something.
    #[serde(default)]
    suspect: BTreeSet<PathBuf>,
    /// Folders in which a run ever began: a file found there for the first time may be the work of a run.
    #[serde(default)]
    worked: BTreeSet<PathBuf>,
    /// Whether the file exists and can't be read now: it is not replaced then.
    #[serde(skip)]
    is_unread: bool,
}

/// Changes the register at a path and writes it if that made a difference.
///
/// The second value tells whether later processes will know of it.
pub(super) fn change<T>(path: &Path, act: impl FnOnce(&mut Register) -> T) -> (T, io::Result<()>) {
    let mut unwritten = UNWRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    let _others = lock_file(path, "lock").and_then(|file| file.lock().map(|()| file));
    let mut register = read(path);
    let written = register.clone();
    if let Some(kept) = unwritten.remove(path) {
        register.add(kept);
    }
    let done = act(&mut register);
    if register == written {
        return (done, Ok(()));
    }
    let result = register.write(path);
    if let Err(error) = &result {
        tracing::warn!(%error, "the known texts of instruction files can't be written");
        unwritten.insert(path.to_path_buf(), register);
    }
    (done, result)
}

/// A file beside the register that serves as a lock.
pub(super) fn lock_file(path: &Path, extension: &str) -> io::Result<File> {
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))?;
    File::options().create(true).append(true).open(path.with_extension(extension))
}

/// The register in a file. If the file can't be read or understood, every folder counts as one in which a run began.
fn read(path: &Path) -> Register {
    if std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return Register::default();
    }
    let everywhere = BTreeSet::from([PathBuf::from("/")]);
    let distrusting = Register { suspect: everywhere.clone(), worked: everywhere, ..Register::default() };
    match crate::workspace::read::bounded(path, MAX_BYTES) {
        Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or(distrusting),
        Err(_) => Register { is_unread: true, ..distrusting },
    }
}

impl Register {
    /// Adds what another register knows; its texts are the later ones.
    fn add(&mut self, later: Self) {
        self.known.extend(later.known);
        self.suspect.extend(later.suspect);
        self.worked.extend(later.worked);
    }

    /// Replaces the file in one step, so that a reader finds either the old or the new one.
    fn write(&self, path: &Path) -> io::Result<()> {
        if self.is_unread {
            return Err(io::Error::other("the file is there, but can't be read"));
        }
        let text = serde_json::to_string(self).map_err(io::Error::other)?;
        let folder = path.parent().unwrap_or(Path::new("/"));
        std::fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.persist(path)?;
        Ok(())
    }

    pub(super) fn is_suspect(&self, folder: &Path) -> bool {
        self.suspect.iter().any(|suspect| folder.starts_with(suspect) || suspect.starts_with(folder))
    }

    /// A run is about to begin that may write in these folders. `found` are the present instruction files, and `files`
    /// all paths at which one would be found; `text_of` gives the present text of a file, empty for none.
    pub(super) fn run_begins(
        &mut self,
        folders: &[&Path],
        (found, files): (Vec<Instructions>, Vec<PathBuf>),
        text_of: impl Fn(&Path) -> Option<String>,
    ) {
        // What changed below a folder in which no run can be active is the person's work.
        let unsuspected: Vec<&Path> =
            folders.iter().copied().filter(|folder| !self.is_suspect(folder)).collect();
        for (file, known) in &mut self.known {
            if unsuspected.iter().any(|folder| file.starts_with(folder)) {
                *known = text_of(file).unwrap_or_else(|| std::mem::take(known));
            }
        }
        if self.known.len() >= MAX_ENTRIES {
            // A file that comes back counts as changed or as new.
            self.known.retain(|file, _| file.parent().is_some_and(Path::exists));
        }
        self.hold_back_changes(found, usize::MAX);
        for file in files {
            self.known.entry(file).or_default();
        }
        for set in [&mut self.suspect, &mut self.worked] {
            set.extend(folders.iter().map(|folder| folder.to_path_buf()));
            if set.len() > MAX_FOLDERS {
                *set = BTreeSet::from(["/".into()]);
            }
        }
    }

    /// No run is active any more that may write in these folders. Those in which each known file is as it was are
    /// suspect no longer.
    pub(super) fn runs_are_over(&mut self, folders: &[&Path], text_of: impl Fn(&Path) -> Option<String>) {
        for folder in folders {
            let mut below = self.known.iter().filter(|(file, _)| file.starts_with(folder));
            if below.all(|(file, known)| text_of(file).as_ref() == Some(known)) {
                self.suspect.remove(*folder);
            }
        }
    }

    /// Records that the person accepts this text.
    pub(super) fn accept(&mut self, held: &HeldFile) {
        self.known.insert(held.path.clone(), held.now.clone());
    }

    /// Separates the texts to tell from those to hold back. Texts that no run can have changed are recorded while fewer
    /// than `max_entries` are known.
    pub(super) fn hold_back_changes(
        &mut self,
        found: Vec<Instructions>,
        max_entries: usize,
    ) -> (Vec<Instructions>, Vec<HeldFile>) {
        let (mut told, mut held) = (Vec::new(), Vec::new());
        // A file that is gone is not reported. A file that replaces it later counts as changed.
        for file in found {
            let known = self.known.get(&file.path).cloned();
            if known.as_deref() == Some(&*file.text) {
                told.push(file);
                continue;
            }
            let within = |folders: &BTreeSet<PathBuf>| folders.iter().any(|f| file.path.starts_with(f));
            let hold = within(&self.suspect) || known.is_none() && within(&self.worked);
            if !hold {
                if self.known.len() < max_entries {
                    self.known.insert(file.path.clone(), file.text.to_string());
                }
                told.push(file);
                continue;
            }
            let before = known.filter(|text| !text.is_empty());
            held.push(HeldFile {
                path: file.path.clone(),
                before: before.clone(),
                now: file.text.to_string(),
            });
            told.extend(before.map(|text| Instructions {
                bytes: text.len() as u64,
                text: text.into(),
                ..file
            }));
        }
        (told, held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> Instructions {
        Instructions { path: path.into(), text: text.into(), bytes: text.len() as u64, own: false }
    }

    fn no_text(_: &Path) -> Option<String> {
        None
    }

    #[test]
    fn of_too_many_folders_each_counts_as_recorded() {
        let mut register = Register::default();
        let full: BTreeSet<PathBuf> = (0..MAX_FOLDERS).map(|n| format!("/far/{n}").into()).collect();
        register.suspect.clone_from(&full);
        register.worked = full;
        register.run_begins(&[Path::new("/work")], (vec![file("/work/AGENTS.md", "tabs")], vec![]), no_text);
        assert_eq!((register.suspect.len(), register.worked.len()), (1, 1));
        let (told, held) = register.hold_back_changes(vec![file("/work/AGENTS.md", "keys")], MAX_ENTRIES);
        assert_eq!((&*told[0].text, held.len()), ("tabs", 1));
        register.runs_are_over(&[Path::new("/work")], no_text);
        let (told, held) = register.hold_back_changes(vec![file("/work/sub/AGENTS.md", "made")], MAX_ENTRIES);
        assert_eq!((told.len(), held.len()), (0, 1), "a new file is held back, too");
    }

    #[test]
    fn the_texts_before_a_run_are_recorded_however_many_are_known() {
        let known = (0..MAX_ENTRIES).map(|n| (format!("/{n}/AGENTS.md").into(), String::new())).collect();
        let mut register = Register { known, ..Register::default() };
        register.hold_back_changes(vec![file("/work/AGENTS.md", "tabs")], MAX_ENTRIES);
        assert_eq!(register.known.len(), MAX_ENTRIES, "looking adds no more");
        let found = vec![file("/work/AGENTS.md", "tabs")];
        register.run_begins(&[Path::new("/work")], (found.clone(), vec!["/work/AGENTS.md".into()]), no_text);
        assert_eq!(register.known.len(), 1, "folders that are gone are forgotten");
        assert_eq!(register.hold_back_changes(found, MAX_ENTRIES).1, []);
    }
}

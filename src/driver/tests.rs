//! Tests of everything that a session stores beside its own file, all in use at once: the index of the search and the
//! list, copies of files before runs, branches. They kill the process at any moment, and damage the files.

mod crash;
mod damage;

use crate::domain::{
    BranchOrigin, Entry, Header, Masker, Outcome, Receipt, RunReport, Sha256, Timestamp, UndoKind, UndoNote,
    samples,
};
use crate::store::search::{SearchControl, SearchQuery, SearchResults, SearchWords, search};
use crate::store::{LoadedSession, Seal, Store, branch, read_with};
use crate::workspace::undo::{UndoConfig, UndoLimits, UndoScope, UndoStore};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const AT: Timestamp = Timestamp(1_767_225_600_000);
/// Files that runs change.
const FILES: usize = 6;

fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// A folder in memory, if possible: synced data has to outlive a process here, not a power failure.
fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}

fn prompt(number: usize) -> String {
    format!("prompt unique{number}x about the turbine {}", "y".repeat(number * 37 % 3000))
}

struct Home {
    base: PathBuf,
}

/// The files that runs change: names and contents.
type Files = BTreeMap<String, String>;

impl Home {
    fn at(base: &Path) -> Self {
        let home = Self { base: fs::canonicalize(base).unwrap() };
        fs::create_dir_all(home.work()).unwrap();
        fs::create_dir_all(home.sessions()).unwrap();
        home
    }

    fn work(&self) -> PathBuf {
        self.base.join("work")
    }

    fn sessions(&self) -> PathBuf {
        self.base.join("sessions")
    }

    /// The session that most actions work on.
    fn main(&self) -> PathBuf {
        self.sessions().join(format!("{}.jsonl", uuid::Uuid::from_u128(1)))
    }

    fn seal(&self) -> Seal {
        Seal::make(&self.base.join("state")).unwrap()
    }

    fn undo(&self) -> UndoStore {
        UndoStore::new(UndoConfig {
            folder: self.base.join("undo"),
            own: Vec::new(),
            limits: UndoLimits::default(),
            is_secret: Arc::new(|_| false),
            working: self.work(),
        })
    }

    fn scope(&self) -> UndoScope {
        UndoScope::Folders(vec![self.work()])
    }

    fn header(&self, id: u128) -> Header {
        let header = samples::header(&uuid::Uuid::from_u128(id).to_string());
        Header { name: format!("session {id}"), created: AT, cwd: self.work(), ..header }
    }

    fn open(&self) -> (Store, LoadedSession) {
        if self.main().exists() {
            Store::open_with(&self.main(), Some(&self.seal())).unwrap()
        } else {
            let store = Store::create(&self.sessions(), self.header(1)).with_seal(Some(self.seal()));
            (store, LoadedSession::default())
        }
    }

    fn read(&self, path: &Path) -> LoadedSession {
        read_with(path, Some(&self.seal())).unwrap()
    }

    /// Makes a branch that begins with this many entries of the session.
    fn fork(&self, id: u128, entries: usize) -> PathBuf {
        let loaded = self.read(&self.main());
        let entries = entries.min(loaded.entries.len());
        let origin = BranchOrigin { session: self.header(1).id, entries: entries as u64 - 1, at: None };
        let header = Header { branch_of: Some(origin), ..self.header(id) };
        let masker = Masker::default();
        let (from, to) = ((self.main(), &loaded), (self.sessions(), header));
        wait(branch::write((&from.0, from.1), entries, (&to.0, to.1), (&masker, Some(self.seal())))).unwrap()
    }

    fn search(&self, words: &str) -> SearchResults {
        let wanted = SearchQuery { sought: SearchWords::read(words), limit: 1000, ..SearchQuery::default() };
        let waiting = SearchControl { goes_on: &|| true, on_progress: &|_, _| {} };
        search(&self.sessions(), &wanted, &Masker::default(), &waiting).unwrap()
    }

    /// The sessions found for some words, by sorted file names; and in how many sessions the words are. Of what
    /// branches have in common, only one of them is reported.
    fn finds(&self, words: &str) -> (Vec<String>, usize) {
        let hits = self.search(words).hits;
        let mut told: Vec<String> = hits.iter().map(|hit| name_of(&hit.session.path)).collect();
        told.sort();
        (told, hits.iter().map(|hit| 1 + hit.also).sum())
    }

    /// The sessions that contain a prompt, read without any index.
    fn holds(&self, number: usize) -> Vec<String> {
        let holds = |path: &PathBuf| prompts(&self.read(path)).contains(&prompt(number));
        let mut all: Vec<String> =
            self.session_files().into_iter().filter(holds).map(|path| name_of(&path)).collect();
        all.sort();
        all
    }

    fn session_files(&self) -> Vec<PathBuf> {
        let all = fs::read_dir(self.sessions()).unwrap().flatten().map(|entry| entry.path());
        all.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect()
    }

    /// The current files of runs.
    fn files(&self) -> Files {
        let all = fs::read_dir(self.work()).unwrap().flatten().filter(|entry| !is_left(&entry.path()));
        all.map(|entry| (name_of(&entry.path()), fs::read_to_string(entry.path()).unwrap())).collect()
    }

    /// Makes the files of runs equal to these, each in one step.
    fn bring(&self, wanted: &Files) {
        for name in self.files().keys().filter(|name| !wanted.contains_key(*name)) {
            fs::remove_file(self.work().join(name)).unwrap();
        }
        let now = self.files();
        for (name, text) in wanted.iter().filter(|(name, text)| now.get(*name) != Some(*text)) {
            let new = self.base.join("new");
            fs::write(&new, text).unwrap();
            fs::rename(new, self.work().join(name)).unwrap();
        }
    }

    /// Simulates the run of this number, with copies before it; returns its note.
    fn run(&self, undo: &mut UndoStore, number: usize) -> UndoNote {
        let snapshot = undo.remember(self.scope(), &[]).unwrap();
        self.bring(&after(number));
        undo.record(&snapshot, &[]).unwrap()
    }
}

/// The files before the run of this number.
fn before(number: usize) -> Files {
    let kept = (0..FILES).filter(|n| n % 3 != 2);
    kept.map(|n| (format!("f{n}"), text("before", number, n))).collect()
}

/// The files after it: some changed, some deleted, some new.
fn after(number: usize) -> Files {
    let kept = (0..FILES).filter(|n| n % 3 != 1);
    kept.map(|n| (format!("f{n}"), text("after", number, n))).collect()
}

/// A text with its origin in every line; some texts are larger than what is shared.
fn text(when: &str, number: usize, file: usize) -> String {
    format!("{when} {number} of {file}\n").repeat(20 + file * 900)
}

/// A process that was killed half-way leaves files under names of their own.
fn is_left(path: &Path) -> bool {
    name_of(path).starts_with(".sayso-")
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn prompts(loaded: &LoadedSession) -> Vec<String> {
    let prompts = loaded.entries.iter().filter_map(|(_, entry)| match entry {
        Entry::Prompt(prompt) => Some(prompt.text.clone()),
        _ => None,
    });
    prompts.collect()
}

/// The end of a run, with its note for undo.
fn ran(number: usize, undo: UndoNote) -> Entry {
    let receipt = Receipt { undo: Some(undo), ..Receipt::default() };
    samples::ran(number as u32, number as u32, RunReport { receipt, ..RunReport::bare(Outcome::Ok) })
}

/// The runs of a session that can be undone, in order.
fn records(loaded: &LoadedSession) -> Vec<(usize, Sha256)> {
    let records = loaded.entries.iter().filter_map(|(_, entry)| match entry {
        Entry::Ran { run, report, .. } => Some((run.0 as usize, report.receipt.undo.as_ref()?.record?)),
        _ => None,
    });
    records.collect()
}

/// The names of the files reported as restored, and the errors of the others.
type RestoredPaths = (Vec<String>, Vec<String>);

/// Undoes or redoes a record.
fn restore(undo: &mut UndoStore, record: Sha256, kind: UndoKind) -> Result<RestoredPaths, String> {
    let done = undo.restore(record, &[], kind).map_err(|error| error.to_string())?;
    let (did, refused): (Vec<_>, Vec<_>) = done.into_iter().partition(|file| file.result.is_ok());
    let told = |file: &crate::workspace::undo::RestoreResult| {
        format!("{}: {}", file.path, file.result.as_ref().err().unwrap())
    };
    Ok((did.into_iter().map(|file| file.path).collect(), refused.iter().map(told).collect()))
}

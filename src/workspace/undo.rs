//! Taking back what a run changed: the files that it may change are remembered before it, each content once, in a folder of
//! sayso's own that runs do not see; what it changed is recorded after it, and can be put back file by file.
//!
//! - `objects`: contents by their hashes, bounded - `index`: which content a file had, so that it is not read again - `walk`:
//!   names below folders - `plan`: what of them is remembered - `snapshot`: how they stood, and what is different - `record`:
//!   what a run changed - `put_back`: takes it back - `unfinished`: what it has under way, cleared after one that was
//!   ended in the middle
//!
//! Nothing here decides: a person does, and is told before what can be taken back and what not.

mod index;
mod objects;
mod opener;
mod plan;
mod put_back;
mod record;
mod snapshot;
#[cfg(test)]
mod tests;
mod unfinished;
mod walk;

pub(crate) use plan::UndoLimits;
pub(crate) use snapshot::UndoSnapshot;
pub(crate) use walk::UndoScope;

use crate::domain::sentences::undo::{DROPPED, WALK_TOO_LONG};
use crate::domain::{Sha256, UndoChange, UndoCover, UndoNote, UndoStanding, UndoWay};
use crate::workspace::FileError;
use index::Index;
use objects::Objects;
use opener::Opener;
use plan::CopyPlan;
use put_back::{PutBack, standing};
use record::{PathChange, Record, State};
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use unfinished::PutBackNotes;
use walk::WalkError;

/// How long the names below the folders of a run are walked before it is told that nothing can be taken back.
const WALK_TIMEOUT: Duration = Duration::from_secs(5);
/// The folder of what is under way.
const UNFINISHED: &str = "unfinished";
const MAX_RECORD_BYTES: u64 = 256 << 20;
/// After a run so many more names are walked than before one.
const AFTERWARDS_FACTOR: usize = 4;
const MAX_COMPARED_BYTES: u64 = 1 << 20;
/// Paths of which is known whether they are secret.
const MAX_KNOWN_PATHS: usize = 200_000;

/// Tells whether a path is one of a file with secrets, of which no copy is made.
pub(crate) type IsSecret = Arc<dyn Fn(&Path) -> bool + Send + Sync>;

/// Where and how much is remembered.
#[derive(Clone)]
pub struct UndoPlace {
    /// The folder of copies.
    pub(crate) folder: PathBuf,
    /// Folders of sayso itself, of which nothing is remembered.
    pub(crate) own: Vec<PathBuf>,
    /// How much is remembered.
    pub(crate) limits: UndoLimits,
    /// Which files hold secrets.
    pub(crate) is_secret: IsSecret,
    /// The folder that paths are told from.
    pub(crate) working: PathBuf,
}

/// The copies of this computer's person, and what is known of files.
pub(crate) struct UndoStore {
    place: UndoPlace,
    opened: Option<(Objects, Index)>,
    secrets: HashMap<PathBuf, bool>,
}

/// What became of one change that was to be taken back or made again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PutBackFile {
    /// Its path as it is told.
    pub(crate) path: String,
    /// Whether it stands as it was wanted, or why not.
    pub(crate) result: Result<(), FileError>,
}

/// The two texts of a change: before the run and after it. `None`: it is no text, or there is no copy.
pub(crate) type TextPair = (Option<String>, Option<String>);

impl UndoStore {
    /// Nothing is opened or made before it is needed.
    pub(crate) fn new(place: UndoPlace) -> Self {
        Self { place, opened: None, secrets: HashMap::new() }
    }

    fn open(&mut self) -> io::Result<(&Objects, &mut Index)> {
        if self.opened.is_none() {
            let objects = Objects::open(self.place.folder.join("objects"))?;
            self.opened = Some((objects, Index::open(self.place.folder.join("index"))));
        }
        let (objects, index) = self.opened.as_mut().ok_or_else(|| io::Error::other("it was not opened"))?;
        Ok((objects, index))
    }

    /// What would be remembered of it now. Nothing is copied.
    pub(crate) fn cover(&mut self, scope: &UndoScope) -> UndoCover {
        self.cover_within(scope, WALK_TIMEOUT)
    }

    fn cover_within(&mut self, scope: &UndoScope, patience: Duration) -> UndoCover {
        self.plan(scope, &[], patience).map_or_else(|why| why, |plan| plan.cover)
    }

    fn plan(
        &mut self,
        scope: &UndoScope,
        others: &[PathBuf],
        patience: Duration,
    ) -> Result<CopyPlan, UndoCover> {
        let UndoPlace { own, limits, is_secret, working, .. } = self.place.clone();
        if limits.total == 0 {
            return Err(UndoCover::none("switched off in the configuration"));
        }
        let walked = walk::walk(scope, &own, limits.files, Instant::now().checked_add(patience));
        let mut walked = walked.map_err(|error| match error {
            WalkError::TooMany => UndoCover::none(format!("more than {} files", limits.files)),
            WalkError::TooLong => UndoCover::none(WALK_TOO_LONG),
        })?;
        walked.add(others);
        if self.secrets.len() > MAX_KNOWN_PATHS {
            self.secrets.clear();
        }
        let secrets = &mut self.secrets;
        let mut is_secret = |path: &Path| *secrets.entry(path.to_owned()).or_insert_with(|| is_secret(path));
        let plan = CopyPlan::of(walked, &limits, &mut is_secret, |path| display_path(&working, path));
        let (objects, index) = self.open().map_err(|error| UndoCover::none(error.to_string()))?;
        let new: u64 = plan.kept().filter(|(_, key)| index.get(key).is_none()).map(|(_, key)| key.size).sum();
        if new > objects.free() {
            return Err(UndoCover::none("no room on the disk for copies"));
        }
        Ok(plan)
    }

    /// Remembers it as it stands now, and others: files of folders in which nothing else is.
    pub(crate) fn remember(
        &mut self,
        scope: UndoScope,
        others: &[PathBuf],
    ) -> Result<UndoSnapshot, UndoCover> {
        // What could be looked at when it was told can be by now, unless it takes much longer.
        let plan = self.plan(&scope, others, WALK_TIMEOUT * 2)?;
        self.take(scope, plan).map_err(|error| UndoCover::none(error.to_string()))
    }

    fn take(&mut self, scope: UndoScope, plan: CopyPlan) -> io::Result<UndoSnapshot> {
        let limits = self.place.limits;
        let (objects, index) = self.open()?;
        let taken = UndoSnapshot::take(scope, plan, objects, index, limits.file);
        // What was copied before something went wrong need not be read again.
        index.save();
        let snapshot = taken?;
        objects.keep_below(limits.total, &snapshot.needed());
        Ok(snapshot)
    }

    /// Records what is different now from how it was remembered; `others` are such files by now.
    ///
    /// # Errors
    /// What the system says: then nothing of the run can be taken back.
    pub(crate) fn record(&mut self, snapshot: &UndoSnapshot, others: &[PathBuf]) -> io::Result<UndoNote> {
        let most = self.place.limits.files.saturating_mul(AFTERWARDS_FACTOR);
        let mut walked = walk::walk(&snapshot.scope, &self.place.own, most, None).ok();
        if let Some(walked) = &mut walked {
            walked.add(others);
        }
        let (objects, index) = self.open()?;
        let record = snapshot.changes(walked, index);
        index.save();
        let told = (0..record.changes.len()).filter(|at| record.is_listed(*at)).count();
        let mut note = UndoNote { cover: snapshot.cover.clone(), ..UndoNote::default() };
        if told > 0 {
            // What is needed for it is the newest again.
            for change in &record.changes {
                if let State::File { sha256, bytes, .. } = change.before {
                    objects.has(sha256, bytes);
                }
            }
            snapshot.make_room();
            note.record = Some(objects.put(&serde_json::to_vec(&record)?)?);
            note.changes = u32::try_from(told).unwrap_or(u32::MAX);
        }
        Ok(note)
    }

    fn read(&mut self, record: Sha256) -> io::Result<Record> {
        let (objects, _) = self.open()?;
        let bytes = objects.get(record, MAX_RECORD_BYTES).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => io::Error::other(DROPPED),
            _ => error,
        })?;
        Ok(serde_json::from_slice(&bytes)?)
    }

    /// Clears what taking back left that was ended in the middle.
    fn clear(&mut self) -> io::Result<()> {
        let (folder, most) = (self.place.folder.join(UNFINISHED), self.place.limits.at_once());
        let (objects, _) = self.open()?;
        unfinished::clear(&folder, objects, most);
        Ok(())
    }

    /// The changes of a record, and how each stands by now.
    ///
    /// # Errors
    /// When the record is not here any more.
    pub(crate) fn changes(&mut self, record: Sha256) -> io::Result<Vec<UndoChange>> {
        self.clear()?;
        let (record, working) = (self.read(record)?, self.place.working.clone());
        let (objects, index) = self.open()?;
        let mut opener = Opener::default();
        let is_gone = is_in_gone(&working);
        let changes = record.changes.iter().enumerate().filter(|(at, _)| record.is_listed(*at));
        let changes = changes.map(|(at, change)| UndoChange {
            number: u32::try_from(at).unwrap_or(u32::MAX),
            path: display_path(&working, &change.path),
            change: change_word(change),
            bytes: if change.after == State::Nothing { change.before.bytes() } else { change.after.bytes() },
            standing: if is_gone(&change.path) {
                UndoStanding::FolderGone
            } else {
                standing(change, objects, index, &mut opener)
            },
        });
        let changes = changes.collect();
        index.save();
        Ok(changes)
    }

    /// The texts of one change.
    ///
    /// # Errors
    /// When the record is not here any more.
    pub(crate) fn texts(&mut self, record: Sha256, number: u32) -> io::Result<TextPair> {
        let record = self.read(record)?;
        let (objects, index) = self.open()?;
        let Some(change) = record.changes.get(number as usize) else { return Ok((None, None)) };
        let mut opener = Opener::default();
        let now = snapshot::state_of(&change.path, opener.node(&change.path).as_ref(), &mut opener, index);
        let mut text = |state: &State| -> Option<String> {
            let bytes = match state {
                State::Nothing => Vec::new(),
                State::Link { to } => format!("link to {}\n", to.display()).into_bytes(),
                State::Folder { .. } => b"folder\n".to_vec(),
                State::File { bytes, .. } if *bytes > MAX_COMPARED_BYTES => return None,
                State::File { sha256, bytes, .. } if objects.has(*sha256, *bytes) => {
                    objects.get(*sha256, MAX_COMPARED_BYTES).ok()?
                }
                // What the run left is not copied before it is taken back.
                State::File { .. } if now == *state => {
                    let mut bytes = Vec::new();
                    let file = opener.open(&change.path).ok()?;
                    io::Read::read_to_end(&mut io::Read::take(file, MAX_COMPARED_BYTES), &mut bytes).ok()?;
                    bytes
                }
                State::File { .. } | State::Unkept { .. } => return None,
            };
            String::from_utf8(bytes).ok()
        };
        Ok((text(&change.before), text(&change.after)))
    }

    /// What a file was before the run of this record, with its mode; `None`: it was no file, is larger, or there is no copy.
    pub(crate) fn before(&mut self, record: Sha256, path: &Path, most: u64) -> Option<(Vec<u8>, u32)> {
        let record = self.read(record).ok()?;
        let (objects, _) = self.open().ok()?;
        match record.changes.iter().find(|change| change.path == path)?.before {
            State::File { sha256, bytes, mode } if bytes <= most && objects.has(sha256, bytes) => {
                Some((objects.get(sha256, most).ok()?, mode))
            }
            _ => None,
        }
    }

    /// Takes these changes of a record back, or makes them again; empty: all of it that can be. Tells of each that was
    /// wanted by its number what became of it.
    ///
    /// # Errors
    /// When the record is not here any more.
    pub(crate) fn put_back(
        &mut self,
        record: Sha256,
        numbers: &[u32],
        way: UndoWay,
    ) -> io::Result<Vec<PutBackFile>> {
        self.clear()?;
        let (record, working) = (self.read(record)?, self.place.working.clone());
        let unfinished = PutBackNotes::begin(&self.place.folder.join(UNFINISHED))?;
        let most = self.place.limits.at_once();
        let wanted: BTreeSet<usize> = match numbers {
            [] => (0..record.changes.len()).collect(),
            some => some.iter().map(|number| *number as usize).collect(),
        };
        let is_gone = is_in_gone(&working);
        let (gone, wanted): (BTreeSet<usize>, BTreeSet<usize>) = wanted
            .into_iter()
            .partition(|at| record.changes.get(*at).is_some_and(|change| is_gone(&change.path)));
        let (objects, index) = self.open()?;
        let mut done =
            PutBack { objects, index: &mut *index, unfinished, record: &record, way, most, kept: false }
                .all(&wanted);
        index.save();
        done.extend(gone.into_iter().map(|at| (at, Err(FileError::FolderGone))));
        let files = done
            .into_iter()
            .filter(|(at, result)| record.is_listed(*at) || result.is_err())
            .filter_map(|(at, result)| {
                Some(PutBackFile { path: display_path(&working, &record.changes.get(at)?.path), result })
            });
        Ok(files.collect())
    }
}

/// Whether a path lies in the working folder, and that is not there any more: what was moved away is not made a second time.
fn is_in_gone(working: &Path) -> impl Fn(&Path) -> bool {
    let is_gone = walk::is_gone(working);
    move |path| is_gone && path.starts_with(working)
}

/// What a run did, in a word.
fn change_word(change: &PathChange) -> &'static str {
    match (&change.before, &change.after) {
        (State::Nothing, _) => "created",
        (_, State::Nothing) => "deleted",
        _ => "changed",
    }
}

/// A path as it is told: relative to the working folder where it lies in it.
fn display_path(working: &Path, path: &Path) -> String {
    path.strip_prefix(working).unwrap_or(path).to_string_lossy().into_owned()
}

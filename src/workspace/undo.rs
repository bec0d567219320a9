//! Takes back what runs changed. Before a run, the files that it may change are copied into a folder of sayso's own,
//! which runs do not see; each content is stored once. After the run, its changes are recorded, and each can be put
//! back.
//!
//! - `objects`: the contents by their hashes, within a limit
//! - `index`: which content a file had, so that it need not be read again
//! - `walk`: the names below folders
//! - `opener`: opens files by their paths without following links
//! - `plan`: which of them are copied
//! - `snapshot`: their state before a run, and what differs afterwards
//! - `record`: what a run changed
//! - `record_contents`: its changes, their texts, and their present states
//! - `present_state`: whether a change can be taken back or made again now
//! - `restore`: takes changes back, or makes them again
//! - `put_back_journal`: notes on a put-back in progress, to clean up after one that was interrupted
//!
//! Nothing is taken back without the person's decision, and before it they are shown what can be taken back and what
//! can't.

mod index;
mod objects;
mod opener;
mod plan;
mod present_state;
mod put_back_journal;
mod record;
mod record_contents;
mod restore;
mod snapshot;
#[cfg(test)]
mod tests;
mod walk;

pub(super) use objects::hash;
pub(crate) use plan::UndoLimits;
pub(crate) use snapshot::UndoSnapshot;
pub(crate) use walk::UndoScope;

use crate::domain::sentences::undo::{DROPPED, WALK_TOO_LONG};
use crate::domain::{Sha256, UndoCover, UndoKind, UndoNote};
use crate::workspace::FileError;
use crate::workspace::changes::display_path;
use index::{FileKey, Index};
use objects::Objects;
use opener::Opener;
use plan::CopyPlan;
use put_back_journal::RestoreNotes;
use record::{FileState, Record};
use restore::Restoration;
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use walk::WalkError;

/// How long the names below a run's folders are walked before the person is told that nothing can be taken back.
const WALK_TIMEOUT: Duration = Duration::from_secs(5);
/// The folder for notes on put-backs in progress.
const UNFINISHED: &str = "unfinished";
const MAX_RECORD_BYTES: u64 = 256 << 20;
/// After a run, the walk may meet this many times as many names as before it.
const AFTERWARDS_FACTOR: usize = 4;
/// The most paths for which it is cached whether they are secret.
const MAX_KNOWN_PATHS: usize = 200_000;

/// Returns whether a path is that of a file with secrets, of which no copy is made.
pub(crate) type IsSecret = Arc<dyn Fn(&Path) -> bool + Send + Sync>;

/// Where and how much is copied for undo.
#[derive(Clone)]
pub struct UndoConfig {
    /// The folder of the copies.
    pub(crate) folder: PathBuf,
    /// Folders of sayso itself, of which nothing is copied.
    pub(crate) own: Vec<PathBuf>,
    pub(crate) limits: UndoLimits,
    pub(crate) is_secret: IsSecret,
    /// The folder to which shown paths are relative.
    pub(crate) working: PathBuf,
}

/// The copies of this person's files on this computer, and what is known of the files.
pub(crate) struct UndoStore {
    config: UndoConfig,
    opened: Option<(Objects, Index)>,
    secrets: HashMap<PathBuf, bool>,
}

/// The result of taking one change back or making it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RestoreResult {
    /// The path as it is shown.
    pub(crate) path: String,
    /// Whether the file is now as it was wanted, or why not.
    pub(crate) result: Result<(), FileError>,
}

/// The two texts of a change, before and after the run; `None` if it is no text, or there is no copy.
pub(crate) type TextPair = (Option<String>, Option<String>);

impl UndoStore {
    /// Opens and creates nothing before it is needed.
    pub(crate) fn new(config: UndoConfig) -> Self {
        Self { config, opened: None, secrets: HashMap::new() }
    }

    fn open(&mut self) -> io::Result<(&Objects, &mut Index)> {
        if self.opened.is_none() {
            let objects = Objects::open(self.config.folder.join("objects"))?;
            self.opened = Some((objects, Index::open(self.config.folder.join("index"))));
        }
        let (objects, index) = self.opened.as_mut().ok_or_else(|| io::Error::other("it was not opened"))?;
        Ok((objects, index))
    }

    /// What would be copied of this scope now. Copies nothing.
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
        let UndoConfig { own, limits, is_secret, working, .. } = self.config.clone();
        if limits.total == 0 {
            return Err(UndoCover::none("switched off in the configuration"));
        }
        let until = Instant::now().checked_add(patience);
        let walked = walk::walk(scope, &own, limits.files, until);
        let mut walked = walked.map_err(|error| match error {
            WalkError::TooMany => UndoCover::none(format!("more than {} files", limits.files)),
            WalkError::TooLong => UndoCover::none(WALK_TOO_LONG),
        })?;
        walked.add(others);
        let mut secrets = std::mem::take(&mut self.secrets);
        if secrets.len() > MAX_KNOWN_PATHS {
            secrets.clear();
        }
        let mut is_secret = |path: &Path| *secrets.entry(path.to_owned()).or_insert_with(|| is_secret(path));
        let (objects, index) = self.open().map_err(|error| UndoCover::none(error.to_string()))?;
        let (mut opener, mut is_late) = (Opener::default(), false);
        // A known content was read since the file or its mode last changed. To open the others takes as long as to
        // walk to them, so the same limit holds.
        let mut is_readable = |path: &Path, key: &FileKey| {
            let is_known = index.get(key).is_some();
            is_late |= !is_known && until.is_some_and(|until| Instant::now() > until);
            is_known || is_late || opener.open(path).is_ok()
        };
        let named = |path: &Path| display_path(&working, path);
        let plan = CopyPlan::of(walked, &limits, &mut is_secret, &mut is_readable, named);
        let new: u64 = plan.kept().filter(|(_, key)| index.get(key).is_none()).map(|(_, key)| key.size).sum();
        let has_room = new <= objects.free();
        self.secrets = secrets;
        match () {
            () if is_late => Err(UndoCover::none(WALK_TOO_LONG)),
            () if has_room => Ok(plan),
            () => Err(UndoCover::none("no room on the disk for copies")),
        }
    }

    /// Copies the files of this scope as they are now, and `others`: single files in folders that the walk leaves
    /// out.
    pub(crate) fn remember(
        &mut self,
        scope: UndoScope,
        others: &[PathBuf],
    ) -> Result<UndoSnapshot, UndoCover> {
        // The walk worked when the cover was shown, so it works now, unless it takes much longer.
        let plan = self.plan(&scope, others, WALK_TIMEOUT * 2)?;
        self.take(scope, plan).map_err(|error| UndoCover::none(error.to_string()))
    }

    fn take(&mut self, scope: UndoScope, plan: CopyPlan) -> io::Result<UndoSnapshot> {
        let limits = self.config.limits;
        let (objects, index) = self.open()?;
        let taken = UndoSnapshot::take(scope, plan, objects, index, limits.file);
        // The index is saved even after an error, so that files that were copied need not be read again.
        index.save();
        let snapshot = taken?;
        objects.evict_to(limits.total, &snapshot.needed());
        Ok(snapshot)
    }

    /// Records the differences from the snapshot; `others` are single files as in `remember`, found after the run.
    ///
    /// # Errors
    /// The system's error: then nothing of the run can be taken back.
    pub(crate) fn record(&mut self, snapshot: &UndoSnapshot, others: &[PathBuf]) -> io::Result<UndoNote> {
        let most = self.config.limits.files.saturating_mul(AFTERWARDS_FACTOR);
        let mut walked = walk::walk(&snapshot.scope, &self.config.own, most, None).ok();
        if let Some(walked) = &mut walked {
            walked.add(others);
        }
        let working = self.config.working.clone();
        let (objects, index) = self.open()?;
        let (record, closed) = snapshot.changes(walked, index);
        index.save();
        let told = (0..record.changes.len()).filter(|at| record.is_listed(*at)).count();
        let mut note = UndoNote { cover: snapshot.cover.clone(), ..UndoNote::default() };
        note.cover.leave_out(closed.iter().map(|folder| display_path(&working, folder)).collect());
        if told > 0 {
            // Marks the copies that the record needs as just used, so that they are dropped last.
            for change in &record.changes {
                if let FileState::File { sha256, bytes, .. } = change.before {
                    objects.has_and_touch(sha256, bytes);
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

    /// Cleans up after a put-back that was interrupted.
    fn clear(&mut self) -> io::Result<()> {
        let (folder, most) = (self.config.folder.join(UNFINISHED), self.config.limits.snapshot_limit());
        let (objects, _) = self.open()?;
        put_back_journal::clear(&folder, objects, most);
        Ok(())
    }

    /// Takes changes of a record back, or makes them again: those with these numbers, or all if `numbers` is empty.
    /// Returns the results.
    ///
    /// # Errors
    /// When the record does not exist any more.
    pub(crate) fn restore(
        &mut self,
        record: Sha256,
        numbers: &[u32],
        kind: UndoKind,
    ) -> io::Result<Vec<RestoreResult>> {
        self.clear()?;
        let (record, working) = (self.read(record)?, self.config.working.clone());
        let unfinished = RestoreNotes::begin(&self.config.folder.join(UNFINISHED))?;
        let most = self.config.limits.snapshot_limit();
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
            Restoration { objects, index: &mut *index, unfinished, record: &record, kind, most, kept: false }
                .apply(&wanted);
        index.save();
        done.extend(gone.into_iter().map(|at| (at, Err(FileError::FolderGone))));
        let files = done
            .into_iter()
            .filter(|(at, result)| record.is_listed(*at) || result.is_err())
            .filter_map(|(at, result)| {
                Some(RestoreResult { path: record.changes.get(at)?.display_path(&working), result })
            });
        Ok(files.collect())
    }
}

/// Whether a path lies in the working folder while that folder does not exist: files of a folder that was moved away
/// are not created a second time.
fn is_in_gone(working: &Path) -> impl Fn(&Path) -> bool {
    let is_gone = walk::is_gone(working);
    move |path| is_gone && path.starts_with(working)
}

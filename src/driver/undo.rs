//! Remembering what a run may change before it, recording what it changed after it, and taking that back: on workers, one
//! at a time.

use crate::domain::sentences::undo::{NO_TEXT_AFTER, NO_TEXT_BEFORE, NO_TEXT_OF_PICTURE, NOT_SAVED};
use crate::domain::{Approval, BlockId, ExecutorKind, Grantor, Revision, Terms, UndoCover, UndoNote};
use crate::workspace::undo::{TextPair, UndoPlace, UndoScope, UndoSnapshot, UndoStore};
use similar::TextDiff;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How the names of pictures end.
const IMAGE_EXTENSIONS: [&str; 6] = ["png", "jpg", "jpeg", "gif", "webp", "bmp"];

/// How long lines are compared for the smallest difference.
const DIFF_TIMEOUT: Duration = Duration::from_millis(200);

/// The copies, and what was told of each block that waits.
pub(super) struct UndoRoom {
    store: Option<Mutex<UndoStore>>,
    own: Vec<PathBuf>,
    told: Mutex<HashMap<(BlockId, Revision), UndoCover>>,
}

/// Why a run may not start for what could be taken back of it.
#[derive(Debug, thiserror::Error)]
pub(super) enum RememberError {
    /// It is less than the person was told.
    #[error("less of it could be taken back than was told (undo: {told}, now {now}): nothing was started")]
    Less { told: String, now: String },
    /// The look at the folder did not come to its end.
    #[error("the look at the folder broke off ({0}): nothing was started")]
    BrokeOff(#[from] tokio::task::JoinError),
}

/// What is remembered of what a run may change; `None`: it may change nothing.
pub(super) type FolderCopies = Option<Result<UndoSnapshot, UndoCover>>;

impl UndoRoom {
    pub(super) fn new(place: Option<UndoPlace>) -> Self {
        let own = place.as_ref().map(|place| place.own.clone()).unwrap_or_default();
        Self { store: place.map(UndoStore::new).map(Mutex::new), own, told: Mutex::default() }
    }

    /// Does something with the copies, where there are any.
    pub(super) fn with<T>(&self, act: impl FnOnce(&mut UndoStore) -> T) -> Result<T, &'static str> {
        let store = self.store.as_ref().ok_or(NOT_SAVED)?;
        Ok(act(&mut store.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// What a run under these terms may change of the person's files.
    fn scope(&self, terms: &Terms, working: &Path) -> UndoScope {
        match terms.executor {
            ExecutorKind::Files => UndoScope::of_files(terms.rights.write.iter().cloned()),
            // What is pulled is the engine's.
            ExecutorKind::Engine => UndoScope::Folders(Vec::new()),
            _ => {
                let mut folders = writable_folders(terms, working);
                folders.sort();
                // One that lies in another is remembered with it; what is sayso's own is nobody's work.
                folders.dedup_by(|inner, outer| inner.starts_with(&*outer));
                folders.retain(|folder| !self.own.iter().any(|own| folder.starts_with(own)));
                UndoScope::Folders(folders)
            }
        }
    }

    /// What would be remembered before a run under these terms. It is told to the person: what is done then is compared
    /// with it.
    pub(super) fn cover(
        &self,
        block: (BlockId, Revision),
        terms: &Terms,
        working: &Path,
    ) -> Option<UndoCover> {
        let scope = self.scope(terms, working);
        if scope.is_empty() {
            return None;
        }
        let cover = self.with(|store| store.cover(&scope)).unwrap_or_else(UndoCover::none);
        self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(block, cover.clone());
        Some(cover)
    }

    /// Nobody waits for this block any more.
    pub(super) fn release(&self, block: BlockId) {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).retain(|(other, _), _| *other != block);
    }

    /// Remembers what an approved run may change, and `others`: names that are obeyed, wherever they are.
    ///
    /// # Errors
    /// When it is less than the person was told: then nothing may start.
    pub(super) fn remember(
        &self,
        approval: &Approval,
        working: &Path,
        others: &[PathBuf],
    ) -> Result<FolderCopies, RememberError> {
        let block = (approval.block(), approval.revision());
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner).remove(&block);
        let scope = self.scope(approval.terms(), working);
        if scope.is_empty() {
            return Ok(None);
        }
        let taken = self.with(|store| store.remember(scope, others));
        let taken = taken.unwrap_or_else(|why| Err(UndoCover::none(why)));
        let cover = taken.as_ref().map_or_else(|none| none, |picture| &picture.cover);
        match told.filter(|told| cover.is_less_than(told)) {
            Some(told) if matches!(approval.by(), Grantor::Person { .. }) => {
                Err(RememberError::Less { told: told.words(), now: cover.words() })
            }
            _ => Ok(Some(taken)),
        }
    }

    /// Records what is different now.
    pub(super) fn record(&self, remembered: FolderCopies, others: &[PathBuf]) -> Option<UndoNote> {
        let none = |cover| UndoNote { cover, ..UndoNote::default() };
        Some(match remembered? {
            Ok(picture) => match self.with(|store| store.record(&picture, others)) {
                Ok(Ok(note)) => note,
                Ok(Err(error)) => none(UndoCover::none(error.to_string())),
                Err(why) => none(UndoCover::none(why)),
            },
            Err(cover) => none(cover),
        })
    }
}

/// The texts of a change of this file, compared.
pub(super) fn diff_text(path: &str, (before, after): &TextPair) -> String {
    let ending = Path::new(path).extension().unwrap_or_default().to_ascii_lowercase();
    match (before, after) {
        (None, _) | (_, None) if IMAGE_EXTENSIONS.iter().any(|of| *of == ending) => NO_TEXT_OF_PICTURE.into(),
        (Some(before), Some(after)) => TextDiff::configure()
            .timeout(DIFF_TIMEOUT)
            .diff_lines(before.as_str(), after.as_str())
            .unified_diff()
            .header("before the run", "after the run")
            .to_string(),
        (None, _) => NO_TEXT_BEFORE.into(),
        (_, None) => NO_TEXT_AFTER.into(),
    }
}

/// The folders that a run under these terms may write, of a session that works in this one. A kernel may stand elsewhere.
pub(super) fn writable_folders(terms: &Terms, working: &Path) -> Vec<PathBuf> {
    if !terms.rights.sandbox.writes_confined {
        return vec![working.to_path_buf(), terms.cwd.clone()];
    }
    // What a confined run has for temporary files goes by a name that belongs to everybody on this computer.
    let is_private = |folder: &Path| folder == Path::new("/tmp") && folder != working;
    terms.rights.write.iter().filter(|folder| !is_private(folder)).cloned().collect()
}

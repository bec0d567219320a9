//! Copies what a run may change before it, records what it changed after it, and undoes that: on workers, one at a
//! time.

use crate::domain::sentences::undo::{NO_TEXT_AFTER, NO_TEXT_BEFORE, NO_TEXT_OF_PICTURE, NOT_SAVED};
use crate::domain::{Approval, BlockId, ExecutorKind, Grantor, Revision, Terms, UndoCover, UndoNote};
use crate::text::diff::LineComparison;
use crate::workspace::undo::{TextPair, UndoConfig, UndoScope, UndoSnapshot, UndoStore};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// File extensions of pictures.
const IMAGE_EXTENSIONS: [&str; 6] = ["png", "jpg", "jpeg", "gif", "webp", "bmp"];

/// The time limit for finding the smallest line difference.
const DIFF_TIMEOUT: Duration = Duration::from_millis(200);

/// The copies, and what the person was told about each waiting block.
pub(super) struct UndoRoom {
    store: Option<Mutex<UndoStore>>,
    own: Vec<PathBuf>,
    shown_covers: Mutex<HashMap<(BlockId, Revision), UndoCover>>,
}

/// Why a run may not start because of its undo.
#[derive(Debug, thiserror::Error)]
pub(super) enum RememberError {
    /// Less can be undone than the person was told.
    #[error("less of it could be taken back than was told (undo: {shown}, now {now}): nothing was started")]
    Less { shown: String, now: String },
    /// Scanning the folder failed.
    #[error("the look at the folder broke off ({0}): nothing was started")]
    BrokeOff(#[from] tokio::task::JoinError),
}

/// The copies of what a run may change; `None` if it may change nothing.
pub(super) type FolderCopies = Option<Result<UndoSnapshot, UndoCover>>;

impl UndoRoom {
    pub(super) fn new(config: Option<UndoConfig>) -> Self {
        let own = config.as_ref().map(|config| config.own.clone()).unwrap_or_default();
        Self { store: config.map(UndoStore::new).map(Mutex::new), own, shown_covers: Mutex::default() }
    }

    /// Uses the store of copies, if there is one.
    pub(super) fn with<T>(&self, act: impl FnOnce(&mut UndoStore) -> T) -> Result<T, &'static str> {
        let store = self.store.as_ref().ok_or(NOT_SAVED)?;
        Ok(act(&mut store.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// The person's files that a run under these terms may change.
    fn scope(&self, terms: &Terms, working: &Path) -> UndoScope {
        match terms.executor {
            ExecutorKind::Files => UndoScope::of_files(terms.rights.write.iter().cloned()),
            // A pulled image belongs to the engine.
            ExecutorKind::Engine => UndoScope::Folders(Vec::new()),
            _ => {
                let mut folders = writable_folders(terms, working);
                folders.sort();
                // A folder inside another one is covered by it; sayso's own folders are left out.
                folders.dedup_by(|inner, outer| inner.starts_with(&*outer));
                folders.retain(|folder| !self.own.iter().any(|own| folder.starts_with(own)));
                UndoScope::Folders(folders)
            }
        }
    }

    /// What would be copied before a run under these terms. The person is told this, and the later copy is compared
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
        self.shown_covers.lock().unwrap_or_else(PoisonError::into_inner).insert(block, cover.clone());
        Some(cover)
    }

    /// Forgets a block that no longer waits.
    pub(super) fn release(&self, block: BlockId) {
        self.shown_covers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|(other, _), _| *other != block);
    }

    /// Copies what an approved run may change, and `others`: auto-run names, wherever they are.
    ///
    /// # Errors
    /// When this covers less than the person was told: then nothing may start.
    pub(super) fn remember(
        &self,
        approval: &Approval,
        working: &Path,
        others: &[PathBuf],
    ) -> Result<FolderCopies, RememberError> {
        let block = (approval.block(), approval.revision());
        let shown = self.shown_covers.lock().unwrap_or_else(PoisonError::into_inner).remove(&block);
        let scope = self.scope(approval.terms(), working);
        if scope.is_empty() {
            return Ok(None);
        }
        let taken = self.with(|store| store.remember(scope, others));
        let taken = taken.unwrap_or_else(|why| Err(UndoCover::none(why)));
        let cover = taken.as_ref().map_or_else(|none| none, |picture| &picture.cover);
        match shown.filter(|shown| cover.is_less_than(shown)) {
            Some(shown) if matches!(approval.by(), Grantor::Person { .. }) => {
                Err(RememberError::Less { shown: shown.words(), now: cover.words() })
            }
            _ => Ok(Some(taken)),
        }
    }

    /// Records the differences after the run.
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

/// The comparison of the texts before and after a change of this file.
pub(super) fn diff_text(path: &str, (before, after): &TextPair) -> String {
    let ending = Path::new(path).extension().unwrap_or_default().to_ascii_lowercase();
    match (before, after) {
        (None, _) | (_, None) if IMAGE_EXTENSIONS.iter().any(|of| *of == ending) => NO_TEXT_OF_PICTURE.into(),
        (Some(before), Some(after)) => {
            let compared = LineComparison::new(before, after, Some(Instant::now() + DIFF_TIMEOUT));
            compared.unified(3, Some(("before the run", "after the run")))
        }
        (None, _) => NO_TEXT_BEFORE.into(),
        (_, None) => NO_TEXT_AFTER.into(),
    }
}

/// The folders that a run under these terms may write, for a session in this working folder. A kernel may be elsewhere.
pub(super) fn writable_folders(terms: &Terms, working: &Path) -> Vec<PathBuf> {
    if !terms.rights.sandbox.writes_confined {
        return vec![working.to_path_buf(), terms.cwd.clone()];
    }
    // A confined run has private temporary files under this name, which outside belongs to everybody.
    let is_private = |folder: &Path| folder == Path::new("/tmp") && folder != working;
    terms.rights.write.iter().filter(|folder| !is_private(folder)).cloned().collect()
}

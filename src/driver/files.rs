//! Carries out approved blocks that write, read or list.

use super::rooms::IoRooms;
use super::runs::{not_saved, not_started};
use super::sources::CHANNEL_CAPACITY;
use super::undo::RememberError;
use super::undo_runs::rescan_auto_run;
use crate::domain::sentences::running::{ACT_BROKE_OFF, STOPPED_BEFORE_START};
use crate::domain::{
    Block, BlockKind, BlockTextError, Chunk, FileAct, Outcome, Receipt, RunEvent, RunReport, RunRequest,
    Terms, UnscannedChanges, file_texts,
};
use crate::engine::State;
use crate::review::{self, Scope};
use crate::workspace::act::{self, ChangesTold};
use crate::workspace::held_path::HeldPath;
use crate::workspace::protected_files::ProtectedFiles;
use tokio::sync::mpsc;

/// Why an approved block was not carried out: nothing was read or written.
#[derive(Debug, thiserror::Error)]
enum NotCarriedOut {
    #[error("{STOPPED_BEFORE_START}")]
    Stopped,
    #[error(transparent)]
    Undo(#[from] RememberError),
    #[error("the block is not known")]
    Unknown,
    #[error("its approval names no file")]
    NoTarget,
    #[error(transparent)]
    Unclear(#[from] BlockTextError),
}

/// Carries out an approved block through the places that were held open for it. This reads and writes: for a worker.
fn carry_out(
    terms: &Terms,
    source: &str,
    kind: &BlockKind,
    tells: ChangesTold,
    places: &[HeldPath],
    scope: &Scope,
) -> Result<RunReport, NotCarriedOut> {
    if places.is_empty() {
        return Ok(RunReport::bare(Outcome::Refused("its place is not held open any more".into())));
    }
    let act = FileAct::parse(kind, source)?;
    let target = terms.target.as_ref().ok_or(NotCarriedOut::NoTarget)?;
    let contents = match kind {
        BlockKind::Edit { paths } => file_texts::split(paths, source)?,
        _ => vec![source],
    };
    let (contents, kept_bytes) = (contents.as_slice(), terms.limits.output_kept_bytes);
    let writable = terms.rights.write.as_slice();
    let order = act::ActOrder { act: &act, target, places, contents, writable, tells, kept_bytes };
    let mut report = act::carry_out(order, &terms.cwd, scope.home.as_deref());
    for file in &mut report.receipt.files {
        // The hash of a short text would reveal it.
        if review::is_secret(&file.path, scope) {
            file.sha256 = None;
        }
    }
    Ok(report)
}

/// What to report about an edit: its new line numbers, and the changes themselves if it did not match literally.
fn change_detail(block: &Block) -> ChangesTold {
    match block.placed.last() {
        None => ChangesTold::Nothing,
        Some(placed) if placed.note.is_empty() => ChangesTold::Lines,
        Some(_) => ChangesTold::Diff,
    }
}

/// Acts on a worker, unless it is stopped before the worker begins.
async fn unless_stopped(
    is_stopped: impl Fn() -> bool + Send + 'static,
    act: impl FnOnce() -> Result<RunReport, NotCarriedOut> + Send + 'static,
) -> RunReport {
    let work =
        tokio::task::spawn_blocking(move || if is_stopped() { Err(NotCarriedOut::Stopped) } else { act() });
    match work.await {
        Ok(done) => done.unwrap_or_else(|why| not_started(why.to_string())),
        Err(error) => {
            tracing::error!(%error, "an act on files broke off");
            let receipt = Receipt { not_looked_at: UnscannedChanges::everything(), ..Receipt::default() };
            RunReport { receipt, ..RunReport::bare(Outcome::Crashed(ACT_BROKE_OFF.into())) }
        }
    }
}

impl IoRooms {
    /// Starts a block about files. As with a program, the decision has to be on disk before anything is done.
    pub(super) fn start_files(&mut self, request: RunRequest, protected: Vec<String>, state: &State) {
        let (sender, events) = mpsc::channel(CHANNEL_CAPACITY);
        let run = request.approval().run();
        self.sources.listen_run(run, events);
        let item = state.transcript.blocks.get(&request.approval().block());
        let kind = item.map(|item| item.block.kind.clone());
        let tells = item.map_or_else(ChangesTold::default, |item| change_detail(&item.block));
        let (store, inbox, scope) = (self.store.clone(), self.inbox(), self.scope.clone());
        let places = self.block_paths.take(request.approval().block(), request.approval().revision());
        let (is_stopped, auto_run, undo) = (self.is_stopped(run), self.auto_run.clone(), self.undo.clone());
        tokio::spawn(async move {
            let report = match store.sync().await {
                // It may have been stopped while waiting for the disk.
                Ok(()) if is_stopped() => not_started(STOPPED_BEFORE_START.into()),
                Ok(()) => {
                    let _ = sender.send((run, RunEvent::Started)).await;
                    let act = move || {
                        let protected = ProtectedFiles::of(&scope.cwd, protected);
                        let kind = kind.ok_or(NotCarriedOut::Unknown)?;
                        let remembered = undo.remember(request.approval(), &scope.cwd, &[])?;
                        let terms = request.approval().terms();
                        let mut report = carry_out(terms, request.source(), &kind, tells, &places, &scope)?;
                        report.receipt.protected = protected.afterwards();
                        report.receipt.undo = undo.record(remembered, &[]);
                        rescan_auto_run(&auto_run);
                        Ok(report)
                    };
                    unless_stopped(is_stopped, act).await
                }
                Err(error) => not_saved(&error, &inbox).await,
            };
            for piece in report.output.pieces() {
                let chunk = Chunk::new(piece.stream, piece.bytes.clone());
                let _ = sender.send((run, RunEvent::Output(chunk))).await;
            }
            let _ = sender.send((run, RunEvent::Ended(Box::new(report)))).await;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ExecutorKind, Rights};
    use crate::test_folder::allowing_panics;
    use crate::workspace::target;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn an_act_goes_through_the_place_that_was_held_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let kind = BlockKind::Write { path: "a.txt".into() };
        let seen = target::examine(folder.path(), None, &FileAct::Write { path: "a.txt".into() }).unwrap();
        let rights = Rights { write: vec![seen.target.path.clone()], ..Rights::default() }.into();
        let (executor, cwd) = (ExecutorKind::Files, folder.path().to_owned());
        let target = Some(seen.target);
        let terms = Terms { executor, cwd, rights, target, ..crate::engine::dialogue::terms() };
        let scope = Scope::default();
        let write = |places: &[HeldPath]| {
            carry_out(&terms, "x", &kind, ChangesTold::Nothing, places, &scope).unwrap()
        };
        let report = write(&[]);
        assert!(matches!(report.outcome, Outcome::Refused(_)));
        // A place in another folder is not the one that was approved.
        let other = tempfile::tempdir().unwrap();
        let place = HeldPath::find(&other.path().join("a.txt")).unwrap();
        let report = write(&[place]);
        assert!(matches!(report.outcome, Outcome::Refused(_)), "{:?}", report.outcome);
        for folder in [&folder, &other] {
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
        let report = write(&[seen.place]);
        assert_eq!(report.outcome, Outcome::Ok);
    }

    #[tokio::test]
    async fn nothing_is_written_after_a_stop() {
        let acted = Arc::new(AtomicBool::new(false));
        let act = |acted: &Arc<AtomicBool>| {
            let acted = acted.clone();
            move || {
                acted.store(true, Ordering::SeqCst);
                Ok(not_started("the test's own report".into()))
            }
        };
        let report = unless_stopped(|| true, act(&acted)).await;
        assert_eq!(report.outcome, Outcome::NotStarted(STOPPED_BEFORE_START.into()));
        assert!(!acted.load(Ordering::SeqCst));
        unless_stopped(|| false, act(&acted)).await;
        assert!(acted.load(Ordering::SeqCst));
    }

    #[test]
    fn what_an_act_that_panics_had_written_is_not_known() {
        let report = allowing_panics(unless_stopped(|| false, || panic!("a fault in an act")));
        assert_eq!(report.outcome, Outcome::Crashed(ACT_BROKE_OFF.into()));
        assert!(report.receipt.not_looked_at.may_hide("any"));
    }
}

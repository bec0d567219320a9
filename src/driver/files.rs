//! Blocks that write, read or list: looking at what they are about, and carrying them out when they are approved.

use super::perform::{STOPPED, WAITING, look_again, not_started};
use super::rooms::Rooms;
use super::sources::Signal;
use crate::domain::{
    Block, BlockId, BlockKind, Chunk, ExecutorKind, FileAct, Finding, Language, Limits, Outcome, Place,
    Reach, Revision, Rights, RunEvent, RunReport, RunRequest, Severity, Terms,
};
use crate::engine::{Event, Inspection, State, StoreEvent};
use crate::review::{self, Scope};
use crate::workspace::place::Place as Held;
use crate::workspace::protected::ProtectedFiles;
use crate::workspace::{act, target};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;

/// Where blocks about files stand.
#[derive(Clone, Debug)]
pub(super) struct Ground {
    /// What the review has to know.
    pub(super) scope: Scope,
    /// The folder of sessions: sayso's own.
    pub(super) own: PathBuf,
}

/// Places that are held at most. More blocks about files are not looked at beforehand; who lost his is asked again.
const MOST_HELD: usize = 64;

/// The places of blocks that wait, held from the newest look at each until it is settled. They end with the process: a
/// session that is taken up is looked at anew.
#[derive(Clone, Debug, Default)]
pub(super) struct Places(Arc<Mutex<VecDeque<(BlockId, Revision, Held)>>>);

impl Places {
    pub(super) fn hold(&self, block: BlockId, revision: Revision, place: Held) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|(other, at, _)| (*other, *at) != (block, revision));
        while held.len() >= MOST_HELD {
            held.pop_front();
        }
        held.push_back((block, revision, place));
    }

    /// The place of a block that is approved; its others are let go.
    fn take(&self, block: BlockId, revision: Revision) -> Option<Held> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = held.iter().position(|(other, at, _)| (*other, *at) == (block, revision));
        let place = at.and_then(|at| held.remove(at)).map(|(_, _, place)| place);
        held.retain(|(other, ..)| *other != block);
        place
    }

    pub(super) fn let_go(&self, block: BlockId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|(other, ..)| *other != block);
    }
}

/// What is found out about one revision of a block, and the place that it is about. This reads files: for a worker.
pub(super) fn inspect(
    block: &Block,
    revision: Revision,
    limits: Option<Limits>,
    ground: &Ground,
) -> (Inspection, Option<Held>) {
    let act = match block.version(revision).map(|version| block.file_act(version)) {
        Some(Ok(act)) => act,
        Some(Err(why)) => return (impossible(why), None),
        None => return (impossible("this version is not known".into()), None),
    };
    let scope = &ground.scope;
    let seen = match target::look(&scope.cwd, scope.home.as_deref(), &act) {
        Ok(seen) => seen,
        Err(why) => return (impossible(why), None),
    };
    // The target is where links lead; places are judged by what they are there.
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let scope = &Scope { cwd: real(&scope.cwd), home: scope.home.as_deref().map(real), ..scope.clone() };
    let own = ground.own.canonicalize().unwrap_or_else(|_| ground.own.clone());
    let mut review = review::files::review(&act, &seen.target, scope, &[&own]);
    review.findings.extend(seen.remarks.into_iter().map(|message| Finding {
        rule: "file.remark".into(),
        severity: Severity::Info,
        place: Place { line: 1, column: 1, end_line: 1, end_column: 1 },
        message,
        forbidden: false,
    }));
    if let (FileAct::Write { .. }, Some(version)) = (&act, block.version(revision)) {
        // Nothing of it runs: only what hides in its characters matters here.
        let text = super::review_in_time(&version.source, None, scope);
        review.findings.extend(text.findings);
        review.findings.sort_by_key(|finding| finding.place.line);
    }
    scope.book.forbid().mark(&mut review);
    let terms = Terms {
        language: Language(block.kind.as_str().to_owned()),
        executor: ExecutorKind::Files,
        interpreter: PathBuf::new(),
        version: None,
        kernel: None,
        cwd: scope.cwd.clone(),
        rights: rights(&block.kind, &seen.target.path),
        limits: limits.unwrap_or_default(),
        shared: None,
        target: Some(seen.target),
    };
    let inspection = Inspection {
        review,
        terms: Ok(terms),
        reach: Reach::default(),
        refused: Vec::new(),
        before: seen.before,
        lacking: Vec::new(),
        image: None,
        venv: None,
    };
    (inspection, Some(seen.place))
}

/// The one place that is touched. An empty list would mean everything.
fn rights(kind: &BlockKind, path: &Path) -> Rights {
    let path = vec![path.to_path_buf()];
    match kind {
        BlockKind::Write { .. } => Rights { read: path.clone(), write: path, ..Rights::default() },
        _ => Rights { read: path, ..Rights::default() },
    }
}

fn impossible(why: String) -> Inspection {
    Inspection {
        review: crate::domain::Review::default(),
        terms: Err(why),
        reach: Reach::default(),
        refused: Vec::new(),
        before: None,
        lacking: Vec::new(),
        image: None,
        venv: None,
    }
}

/// Carries an approved block out, at the place that was held for it. This reads and writes: for a worker.
fn carry_out(
    (terms, source): (&Terms, &str),
    kind: &BlockKind,
    place: Option<Held>,
    scope: &Scope,
) -> Result<RunReport, String> {
    let Some(place) = place else {
        return Ok(RunReport::bare(Outcome::Refused("its place is not held open any more".into())));
    };
    let act = FileAct::parse(kind, source)?;
    let target = terms.target.as_ref().ok_or("its approval names no file")?;
    let order = act::Order { act: &act, target, place: &place, source, kept_bytes: terms.limits.kept_bytes };
    Ok(act::carry_out(order, &terms.cwd, scope.home.as_deref()))
}

/// Acts on a worker, unless it is stopped before the worker gets to it.
async fn unless_stopped(
    stop: impl Fn() -> bool + Send + 'static,
    act: impl FnOnce() -> Result<RunReport, String> + Send + 'static,
) -> RunReport {
    let work = tokio::task::spawn_blocking(move || if stop() { Err(STOPPED.into()) } else { act() });
    work.await.unwrap_or_else(|error| Err(error.to_string())).unwrap_or_else(not_started)
}

impl Rooms {
    /// As for a program, the decision has to be on disk before anything is done.
    pub(super) fn start_files(&mut self, request: RunRequest, protected: Vec<String>, state: &State) {
        let (sender, events) = mpsc::channel(WAITING);
        self.sources.listen_run(events);
        let run = request.approval().run();
        let kind = state.transcript.blocks.get(&request.approval().block()).map(|i| i.block.kind.clone());
        let (store, inbox, scope) = (self.store.clone(), self.inbox(), self.scope.clone());
        let place = self.places.take(request.approval().block(), request.approval().revision());
        let (stop, obeyed) = (self.is_stopped(run), self.obeyed.clone());
        tokio::spawn(async move {
            let report = match store.sync().await {
                // Who stops it while the disk is waited for has stopped it.
                Ok(()) if stop() => not_started(STOPPED.into()),
                Ok(()) => {
                    let _ = sender.send((run, RunEvent::Started)).await;
                    let act = move || {
                        let protected = ProtectedFiles::of(&scope.cwd, protected);
                        let kind = kind.ok_or("the block is not known")?;
                        let mut report =
                            carry_out((request.approval().terms(), request.source()), &kind, place, &scope)?;
                        report.receipt.protected = protected.afterwards();
                        look_again(&obeyed);
                        Ok(report)
                    };
                    unless_stopped(stop, act).await
                }
                Err(error) => {
                    let why = error.to_string();
                    let _ = inbox.send(Signal::Event(Event::Store(StoreEvent::Failed(why.clone())))).await;
                    not_started(why)
                }
            };
            for piece in report.output.pieces() {
                let chunk = Chunk { stream: piece.stream, bytes: piece.bytes.clone() };
                let _ = sender.send((run, RunEvent::Output(chunk))).await;
            }
            let _ = sender.send((run, RunEvent::Ended(Box::new(report)))).await;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn so_many_places_are_held_and_each_ends_with_its_block() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::default();
        let at = |n: usize| (BlockId(u32::try_from(n).unwrap()), Revision(1));
        let hold = |n: usize| {
            let place = Held::find(&folder.path().join(n.to_string())).unwrap();
            places.hold(at(n).0, at(n).1, place);
        };
        (0..=MOST_HELD).for_each(hold);
        hold(MOST_HELD);
        assert!(places.take(at(0).0, at(0).1).is_none(), "the oldest was let go");
        let of = |n: usize| places.take(at(n).0, at(n).1).map(|place| place.path());
        assert!(of(MOST_HELD).is_some_and(|path| path.ends_with(MOST_HELD.to_string())));
        assert!(of(MOST_HELD).is_none(), "it is taken once");
        places.let_go(at(1).0);
        assert!(of(1).is_none() && of(2).is_some());
    }

    #[test]
    fn an_act_goes_through_the_place_that_was_held_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let kind = BlockKind::Write { path: "a.txt".into() };
        let seen = target::look(folder.path(), None, &FileAct::Write { path: "a.txt".into() }).unwrap();
        let (cwd, target) = (folder.path().to_owned(), Some(seen.target));
        let terms = Terms { executor: ExecutorKind::Files, cwd, target, ..crate::engine::dialogue::terms() };
        let scope = Scope::default();
        let report = carry_out((&terms, "x"), &kind, None, &scope).unwrap();
        assert!(matches!(report.outcome, Outcome::Refused(_)));
        // One of another folder is not the one that was approved.
        let other = tempfile::tempdir().unwrap();
        let place = Held::find(&other.path().join("a.txt")).unwrap();
        let report = carry_out((&terms, "x"), &kind, Some(place), &scope).unwrap();
        assert!(matches!(report.outcome, Outcome::Refused(_)), "{:?}", report.outcome);
        for folder in [&folder, &other] {
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
        let report = carry_out((&terms, "x"), &kind, Some(seen.place), &scope).unwrap();
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
        assert_eq!(report.outcome, Outcome::NotStarted(STOPPED.into()));
        assert!(!acted.load(Ordering::SeqCst));
        unless_stopped(|| false, act(&acted)).await;
        assert!(acted.load(Ordering::SeqCst));
    }
}

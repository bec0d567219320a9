//! One effect, one act. What takes time is spawned and reports back with an event.

use super::Told;
use super::files::Ground;
use super::rooms::Rooms;
use super::sources::Signal;
use super::{images, inspect};
use crate::domain::{
    BlockId, Departure, Entry, ExecutorKind, FailureKind, ModelRequest, Outcome, ReplyEvent, ReplyFailure,
    RunEvent, RunId, RunReport, RunRequest, StepId, Terms, TimerId,
};
use crate::engine::event::TakenBack;
use crate::engine::provenance::{self, Earlier};
use crate::engine::transcript::Standing;
use crate::engine::{Effect, Event, State, StoreEvent};
use crate::workspace::changes;
use crate::workspace::obeyed::ObeyedFiles;
use crate::workspace::protected::ProtectedFiles;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;

/// Pieces of a reply, or of a run's output, that may wait in a channel.
pub(super) const WAITING: usize = 256;

impl Rooms {
    /// Performs effects in their order.
    pub(super) fn perform(&mut self, effects: Vec<Effect>, state: &State) {
        for effect in effects {
            self.perform_one(effect, state);
        }
    }

    fn perform_one(&mut self, effect: Effect, state: &State) {
        match effect {
            Effect::Record(entry) => self.record(entry),
            Effect::Ask(request) => self.ask(*request),
            Effect::CancelAsk(_) => self.sources.drop_reply(),
            Effect::Inspect { block, revision, limits, fresh, strict } => {
                let earlier = self.earlier(block.step, state);
                let mut scope = self.scope.clone();
                if strict {
                    scope.book = Arc::new(scope.book.strictly());
                }
                inspect::spawn(
                    *block,
                    revision,
                    (limits, fresh),
                    earlier,
                    Ground { scope, own: self.sessions.clone() },
                    self.executor.clone(),
                    (self.seen.clone(), self.places.clone(), self.inbox()),
                );
            }
            Effect::StartRun { request, protected }
                if request.approval().terms().executor == ExecutorKind::Files =>
            {
                self.start_files(*request, protected, state);
            }
            Effect::StartRun { request, protected } => {
                self.run_may_change_instructions();
                self.start_run(*request, protected);
            }
            Effect::InterruptRun(run) => {
                self.stopped.lock().unwrap_or_else(PoisonError::into_inner).replace(run);
                self.executor.interrupt(run);
            }
            Effect::KillRun(run) => {
                self.stopped.lock().unwrap_or_else(PoisonError::into_inner).replace(run);
                self.executor.kill(run);
            }
            Effect::TakeBack(run) => self.take_back(run),
            Effect::RestartKernel => self.executor.restart_kernel(),
            Effect::SwitchModel => self.switch_model(state),
            Effect::SetTimer(timer, ms) => self.set_timer(timer, ms),
            Effect::Foresee(language) => {
                self.executor.warm(&language);
                tokio::task::spawn_blocking(crate::review::warm);
            }
            Effect::RetryStore => self.retry_store(),
            // Of one that is approved they are taken with its start, whichever of the two is told first.
            Effect::Settled(block) if is_approved(state, block) => {}
            Effect::Settled(block) => {
                self.places.let_go(block);
                let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
                seen.retain(|(other, _), _| *other != block);
            }
            Effect::Consult { block, revision, model, request } => {
                self.consult(block, revision, model, *request);
            }
            Effect::Notify(notice) => self.update.told.push(Told::Notice(notice)),
        }
    }

    /// What was said, printed and read before a step. Gathered once for the blocks of a reply.
    fn earlier(&mut self, step: StepId, state: &State) -> Arc<Earlier> {
        // Instructions may have changed since the session noted them.
        let told = state.live.used_instructions().map(|file| file.noted()).collect();
        let stamp = (state.transcript.version, step, told);
        if let Some((known, earlier)) = &self.earlier
            && *known == stamp
        {
            return earlier.clone();
        }
        let earlier = Arc::new(provenance::earlier(state, step));
        self.earlier = Some((stamp, earlier.clone()));
        earlier
    }

    fn record(&mut self, entry: Entry) {
        self.update.told.push(Told::Recorded(Box::new(entry.clone())));
        self.store.append(entry, self.clock.now());
    }

    fn ask(&mut self, request: ModelRequest) {
        let step = request.step;
        let Some(provider) = self.provider.clone() else {
            self.fail_ask(step);
            return;
        };
        let (sender, events) = mpsc::channel(WAITING);
        let blobs = self.store.blobs();
        let task = tokio::spawn(async move {
            let request = with_images(request, blobs).await;
            provider.ask(&request, &sender).await;
        });
        self.sources.listen_reply(step, events, task.abort_handle());
    }

    fn fail_ask(&self, step: StepId) {
        let failure = ReplyFailure {
            kind: FailureKind::NoKey,
            status: None,
            message: "No model is chosen yet.".into(),
            hint: "Choose one with /model, or start with --model PROVIDER/MODEL or --demo.".into(),
            departure: Departure::Never,
        };
        let inbox = self.inbox();
        tokio::spawn(async move {
            let _ = inbox.send(Signal::Reply(step, ReplyEvent::Failed(failure))).await;
        });
    }

    /// The decision has to be on disk before the program gets the code.
    fn start_run(&mut self, request: RunRequest, protected: Vec<String>) {
        let (sender, events) = mpsc::channel(WAITING);
        self.sources.listen_run(events);
        let (store, executor, inbox) = (self.store.clone(), self.executor.clone(), self.inbox());
        let run = request.approval().run();
        let terms = request.approval().terms();
        let (working, start) = (self.scope.cwd.clone(), terms.cwd.clone());
        let (folder, written) = (working.clone(), written(terms, &working));
        let (looked, obeyed, stop) = (self.looked.clone(), self.obeyed.clone(), self.is_stopped(run));
        let block = (request.approval().block(), request.approval().revision());
        let outside = self.inbox();
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner).remove(&block);
        tokio::spawn(async move {
            // The look at the folder costs no time of its own: the disk is waited for anyway.
            let look = tokio::task::spawn_blocking(move || {
                let known = std::mem::take(&mut *obeyed.lock().unwrap_or_else(PoisonError::into_inner));
                let look = changes::look(&working, &start, written, &known);
                let meanwhile = look.changed_since(&known);
                if !meanwhile.is_empty() {
                    let _ = outside.blocking_send(Signal::Event(Event::ChangedMeanwhile(meanwhile)));
                }
                look
            });
            let (synced, look) = tokio::join!(store.sync(), look);
            // What was approved is where the paths led that were shown: looked at once more, last of all.
            let last = tokio::task::spawn_blocking(move || {
                (seen.and_then(|seen| seen.changed()), ProtectedFiles::of(&folder, protected))
            });
            let (changed, protected) =
                last.await.unwrap_or_else(|_| (Some("a path".to_owned()), ProtectedFiles::default()));
            match synced {
                // Who stops it while the disk is waited for has stopped it.
                Ok(()) if stop() => {
                    let report = Box::new(not_started(STOPPED.into()));
                    let _ = sender.send((run, RunEvent::Ended(report))).await;
                }
                Ok(()) if changed.is_some() => {
                    let name = changed.unwrap_or_default();
                    let why = format!("{name} leads elsewhere than when it was shown: nothing was started");
                    let report = RunReport::bare(Outcome::Refused(why));
                    let _ = sender.send((run, RunEvent::Ended(Box::new(report)))).await;
                }
                Ok(()) => {
                    *looked.lock().unwrap_or_else(PoisonError::into_inner) =
                        Some((run, look.ok(), protected));
                    executor.start(request, sender);
                    if stop() {
                        executor.interrupt(run);
                    }
                }
                Err(error) => {
                    let why = error.to_string();
                    let _ = inbox.send(Signal::Event(Event::Store(StoreEvent::Failed(why.clone())))).await;
                    let _ = sender.send((run, RunEvent::Ended(Box::new(not_started(why))))).await;
                }
            }
        });
    }

    /// Tells whether this run was to be stopped meanwhile: it may still wait for the disk.
    pub(super) fn is_stopped(&self, run: RunId) -> impl Fn() -> bool + Send + 'static {
        let stopped = self.stopped.clone();
        move || *stopped.lock().unwrap_or_else(PoisonError::into_inner) == Some(run)
    }

    /// Puts what a run did to obeyed names back to how it was, as far as it is still known and stands as the run left it.
    fn take_back(&self, run: RunId) {
        let (inbox, known, obeyed) = (self.inbox(), self.to_take_back.clone(), self.obeyed.clone());
        tokio::task::spawn_blocking(move || {
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            let at = known.iter().position(|(of, _)| *of == run);
            let changes = at.and_then(|at| known.remove(at)).map(|(_, changes)| changes);
            drop(known);
            // The look before the next run waits until all is as it was: what is put back is not that run's work.
            let mut looked = obeyed.lock().unwrap_or_else(PoisonError::into_inner);
            let answer = changes.ok_or(
                "no copy is there any more: it is of an earlier start, or of many runs ago".to_owned(),
            );
            let answer = answer.map(|changes| {
                let done = changes.into_iter().map(|change| TakenBack {
                    path: change.path.to_string_lossy().into_owned(),
                    result: change.take_back(),
                });
                done.collect()
            });
            again(&mut looked);
            drop(looked);
            let _ = inbox.blocking_send(Signal::Event(Event::TakenBack(run, answer)));
        });
    }

    fn switch_model(&mut self, state: &State) {
        let Some(name) = state.transcript.model.clone() else { return };
        if self.provider.as_ref().is_some_and(|p| *p.name() == name) {
            return;
        }
        match (self.connect)(&name) {
            Ok(provider) => {
                self.provider = Some(provider);
                self.learn_model(state);
            }
            Err(why) => self.update.told.push(Told::Notice(crate::domain::Notice::error(why))),
        }
    }

    fn set_timer(&self, timer: TimerId, ms: u64) {
        let inbox = self.inbox();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(ms)).await;
            let _ = inbox.send(Signal::Event(Event::Timer(timer))).await;
        });
    }

    fn retry_store(&mut self) {
        self.sources.store_recovered();
        let (store, inbox) = (self.store.clone(), self.inbox());
        tokio::spawn(async move {
            let event = match store.retry().await {
                Ok(()) => StoreEvent::Recovered,
                Err(error) => StoreEvent::Failed(error.to_string()),
            };
            let _ = inbox.send(Signal::Event(Event::Store(event))).await;
        });
    }
}

/// What sayso itself changed of obeyed names is nobody else's work.
pub(super) fn look_again(obeyed: &Mutex<ObeyedFiles>) {
    again(&mut obeyed.lock().unwrap_or_else(PoisonError::into_inner));
}

fn again(known: &mut ObeyedFiles) {
    if known.is_of_something() {
        *known = known.again();
    }
}

fn is_approved(state: &State, block: BlockId) -> bool {
    state.transcript.blocks.get(&block).is_some_and(|item| item.standing == Standing::Approved)
}

/// The request with the bytes of its images.
async fn with_images(request: ModelRequest, blobs: PathBuf) -> ModelRequest {
    if !images::wanted(&request) {
        return request;
    }
    let mut bare = request.clone();
    let read = tokio::task::spawn_blocking(move || images::read(request, &blobs)).await;
    read.unwrap_or_else(|error| {
        tracing::error!(%error, "reading images broke off");
        bare.messages.iter_mut().for_each(|message| message.images.clear());
        bare
    })
}

/// Why a run that was stopped early never began.
pub(super) const STOPPED: &str = "it was stopped before it started";

/// The folders that a run under these terms may write, of a session that works in this one. A kernel may stand elsewhere.
fn written(terms: &Terms, working: &Path) -> Vec<PathBuf> {
    if !terms.rights.sandbox.writes_confined {
        return vec![working.to_path_buf(), terms.cwd.clone()];
    }
    // What a confined run has for temporary files goes by a name that belongs to everybody on this computer.
    let is_private = |folder: &Path| folder == Path::new("/tmp") && folder != working;
    terms.rights.write.iter().filter(|folder| !is_private(folder)).cloned().collect()
}

/// The report of a run that never began.
pub(super) fn not_started(why: String) -> RunReport {
    RunReport::bare(Outcome::NotStarted(why))
}

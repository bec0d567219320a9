//! Performs each effect of the engine. Slow work is spawned and reports back with an event.

use super::Notification;
use super::images;
use super::inspect::Inspector;
use super::inspect_files::FileScope;
use super::inspect_text::{EarlierTexts, EntryReader};
use super::rooms::{IoRooms, TextsVersion};
use super::sources::{CHANNEL_CAPACITY, Signal};
use crate::domain::{
    Block, BlockId, Departure, Entry, ExecutorKind, FailureKind, ModelRequest, Notice, ReplyEvent,
    ReplyFailure, Revision, RunControl, RunId, RunRequest, StepId, TimerId,
};
use crate::engine::provenance;
use crate::engine::transcript::{BlockStatus, Body};
use crate::engine::{Effect, Event, LoadedBody, RunOptions, State, StoreEvent};
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;

impl IoRooms {
    /// Performs effects in order.
    pub(super) fn perform(&mut self, effects: Vec<Effect>, state: &State) {
        for effect in effects {
            self.perform_one(effect, state);
        }
    }

    fn perform_one(&mut self, effect: Effect, state: &State) {
        match effect {
            Effect::Record(entry) => self.record(entry),
            Effect::Ask(request) => self.request_reply(*request),
            Effect::CancelAsk(_) => self.sources.drop_reply(),
            Effect::Inspect { block, revision, options, strict } => {
                self.inspect(*block, revision, options, strict, state);
            }
            Effect::StartRun { request, protected } => self.begin_run(*request, protected, state),
            Effect::AfterPart { run, part, ends } => {
                self.executor.control(run, RunControl::AfterPart(part, ends));
            }
            Effect::InterruptRun(run) => self.stop_run(run, RunControl::Interrupt),
            Effect::KillRun(run) => self.stop_run(run, RunControl::Kill),
            Effect::UndoAutoRun(run) => self.undo_auto_run(run),
            Effect::Undo { run, record, changes, kind } => self.undo_changes(run, record, changes, kind),
            Effect::RestartKernel => self.executor.restart_kernel(),
            Effect::SwitchModel => self.switch_model(state),
            Effect::SetTimer(timer, ms) => self.set_timer(timer, ms),
            Effect::Prewarm(language) => {
                self.executor.warm(&language);
                tokio::task::spawn_blocking(crate::review::warm);
            }
            Effect::RetryStore => self.retry_store(),
            // An approved block takes its places when it starts, whichever of the two effects comes first.
            Effect::Settled(block) if is_approved(state, block) => {}
            Effect::Settled(block) => self.release(block),
            Effect::RequestOpinion { block, revision, model, request } => {
                self.request_opinion(block, revision, model, *request);
            }
            Effect::Load(entries) => self.load(entries),
            Effect::Notify(notice) => self.update.notifications.push(Notification::Notice(notice)),
        }
    }

    fn inspect(
        &mut self,
        block: Block,
        revision: Revision,
        options: RunOptions,
        strict: bool,
        state: &State,
    ) {
        let earlier = self.earlier_texts(block.step, state);
        let mut scope = self.scope.clone();
        if strict {
            scope.rules = Arc::new(scope.rules.with_strict_profile());
        }
        let inspector = Inspector {
            earlier,
            files: FileScope { scope, own: self.sessions.clone() },
            executor: self.executor.clone(),
            undo: self.undo.clone(),
            seen_paths: self.seen_paths.clone(),
            block_paths: self.block_paths.clone(),
        };
        inspector.spawn(block, revision, options, self.inbox());
    }

    /// Starts an approved run: of sayso itself, if the block is about files, or of the executor.
    fn begin_run(&mut self, request: RunRequest, protected: Vec<String>, state: &State) {
        if request.approval().terms().executor == ExecutorKind::Files {
            self.start_files(request, protected, state);
            return;
        }
        self.run_may_change_instructions();
        self.recipes.run_begins(&request.approval().terms().rights);
        self.start_run(request, protected);
    }

    fn stop_run(&self, run: RunId, control: RunControl) {
        self.note_stop(run);
        self.executor.control(run, control);
    }

    /// Lets go of what is held for a block that is settled.
    fn release(&self, block: BlockId) {
        self.block_paths.release(block);
        let mut seen = self.seen_paths.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|(other, _), _| *other != block);
        self.undo.release(block);
    }

    /// The texts that were said, printed and read before a step. Gathered once for all blocks of a reply.
    fn earlier_texts(&mut self, step: StepId, state: &State) -> Arc<EarlierTexts> {
        let instructions = state.live.used_instructions().map(|file| file.noted()).collect();
        let version = TextsVersion { transcript: state.transcript.version, step, instructions };
        if let Some((known, earlier)) = &self.earlier_texts
            && *known == version
        {
            return earlier.clone();
        }
        let store = self.store.clone();
        let read = move || {
            let mut read = store.rereader();
            Box::new(move |entry| read(entry).map_err(|why| why.to_string())) as EntryReader
        };
        let earlier = Arc::new(EarlierTexts::new(provenance::unread_texts(state, step), read));
        self.earlier_texts = Some((version, earlier.clone()));
        earlier
    }

    /// Reads messages and outputs back from the session file.
    fn load(&self, entries: Vec<(Body, u64)>) {
        let (store, inbox) = (self.store.clone(), self.inbox());
        tokio::spawn(async move {
            let bodies = read_again(entries, move || {
                let mut read = store.rereader();
                move |entry| read(entry).map_err(|why| why.to_string())
            });
            let _ = inbox.send(Signal::Event(Event::Loaded(bodies.await))).await;
        });
    }

    fn record(&mut self, entry: Entry) {
        self.update.notifications.push(Notification::Recorded(Box::new(entry.clone())));
        self.store.append(entry, self.clock.now());
    }

    fn request_reply(&mut self, request: ModelRequest) {
        let step = request.step;
        let Some(provider) = self.provider.clone() else {
            self.fail_request(step);
            return;
        };
        let (sender, events) = mpsc::channel(CHANNEL_CAPACITY);
        let (blobs, masker) = (self.store.blobs(), self.scope.masker.clone());
        let task = tokio::spawn(async move {
            let request = with_images(request, blobs).await;
            // A key that a run printed belongs to one server, which need not be this one.
            let request = masker.without_shapes().mask(request).into_inner();
            provider.ask(&request, &sender).await;
        });
        self.sources.listen_reply(step, events, task.abort_handle());
    }

    fn fail_request(&self, step: StepId) {
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

    fn switch_model(&mut self, state: &State) {
        let Some(name) = state.transcript.model.clone() else { return };
        if self.provider.as_ref().is_some_and(|p| *p.name() == name) {
            // The reason comes last, where it is seen.
            self.update.notifications.extend(self.not_switched.take().map(Notification::Notice));
            return;
        }
        match (self.connect)(&name) {
            Ok(provider) => {
                // With an address given for this start, a first part that is no provider belongs to the model's name.
                if *provider.name() != name {
                    self.queued_events.push_back(Event::ModelSwitched(provider.name().clone()));
                }
                self.provider = Some(provider);
                self.learn_model(state);
            }
            Err(why) => {
                let why = Notice::error(why.to_string());
                match &self.provider {
                    // The next message goes to the earlier model, and the session has to say so.
                    Some(earlier) => {
                        self.queued_events.push_back(Event::ModelSwitched(earlier.name().clone()));
                        self.not_switched = Some(why);
                    }
                    None => self.update.notifications.push(Notification::Notice(why)),
                }
            }
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

fn is_approved(state: &State, block: BlockId) -> bool {
    state.transcript.blocks.get(&block).is_some_and(|item| item.status == BlockStatus::Approved)
}

/// Reads these entries on a blocking thread. If that fails half-way, each remaining entry is reported as unreadable,
/// because the engine waits for it.
async fn read_again<R>(
    entries: Vec<(Body, u64)>,
    open: impl FnOnce() -> R + Send + 'static,
) -> Vec<LoadedBody>
where
    R: FnMut(u64) -> Result<Entry, String>,
{
    let bodies: Vec<Body> = entries.iter().map(|(body, _)| *body).collect();
    let read = tokio::task::spawn_blocking(move || {
        let mut read = open();
        entries.into_iter().map(|(body, entry)| LoadedBody { body, result: read(entry) }).collect()
    });
    read.await.unwrap_or_else(|error| {
        tracing::error!(%error, "reading entries again broke off");
        let broke_off = |body| LoadedBody { body, result: Err("reading it broke off".to_owned()) };
        bodies.into_iter().map(broke_off).collect()
    })
}

/// Adds the bytes of its images to a request.
async fn with_images(request: ModelRequest, blobs: PathBuf) -> ModelRequest {
    if !images::needs_bytes(&request) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::allowing_panics;

    #[test]
    fn what_was_asked_for_is_answered_whatever_becomes_of_the_thread() {
        let entries: Vec<_> = (0..3).map(|item| (Body::Message(item), 0)).collect();
        let read = allowing_panics(read_again(entries, || |_| panic!("a fault in reading")));
        let told: Vec<_> = read.iter().map(|loaded| (loaded.body, loaded.result.is_err())).collect();
        assert_eq!(told, [0, 1, 2].map(|item| (Body::Message(item), true)));
    }
}

//! Gathers what the engine has to know besides the session: the model's context and price, and instruction files.

use super::Notification;
use super::rooms::IoRooms;
use super::sources::Signal;
use crate::domain::{Instructions, KernelLanguages, Language, ModelInfo, Notice};
use crate::engine::{Event, State};
use crate::workspace::instructions::{self, HeldFile, InstructionReport};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

/// How long a prompt waits for the instruction files. An unresponsive folder must not hold it up; files that are found
/// later apply from the next request on.
pub(super) const INSTRUCTIONS_TIMEOUT: Duration = Duration::from_millis(150);

impl IoRooms {
    /// Asks the provider about the model in use. Requests wait for the answer, so there is one even if asking breaks
    /// off; the provider limits how long it takes.
    pub(super) fn learn_model(&mut self, state: &State) {
        self.model_queried = true;
        self.take_known(state);
        let Some(provider) = self.provider.clone() else { return };
        let (inbox, model_overrides) = (self.inbox(), self.model_overrides.clone());
        let name = provider.name().clone();
        self.queued_events.push_back(Event::AskingAboutModel(name.clone()));
        let asking = tokio::spawn(async move { provider.info().await });
        tokio::spawn(async move {
            let told = asking.await.unwrap_or_else(|_| ModelInfo::named(name.clone()));
            // Some servers answer with another name of the same model.
            let info = model_overrides(ModelInfo { name, ..told });
            let _ = inbox.send(Signal::Event(Event::ModelInfo(Box::new(info)))).await;
        });
    }

    /// Takes what the configuration says of the model in use, which needs no request.
    pub(super) fn take_known(&mut self, state: &State) {
        let Some(name) = self.provider.as_ref().map(|provider| provider.name().clone()) else { return };
        if state.live.model.as_ref().is_none_or(|known| known.name != name) {
            let info = (self.model_overrides)(ModelInfo::named(name));
            self.queued_events.push_back(Event::ModelInfo(Box::new(info)));
        }
    }

    /// Asks the Jupyter server for which languages it has kernels, if that is not known. If it does not answer, the
    /// next block that needs it reports that.
    pub(super) fn learn_kernels(&self, state: &State) {
        let kernels = state.live.conditions.as_ref().map(|conditions| &conditions.kernels);
        if kernels != Some(&KernelLanguages::Unknown) {
            return;
        }
        let (executor, inbox) = (self.executor.clone(), self.inbox());
        tokio::spawn(async move {
            let found: Vec<Language> =
                executor.interpreters().await.into_iter().map(|one| one.language).collect();
            if !found.is_empty() {
                let _ = inbox.send(Signal::Event(Event::KernelLanguages(found))).await;
            }
        });
    }

    /// Reads the instruction files while nobody waits for them.
    pub(super) fn find_instructions(&self) {
        let (search, inbox) = (self.instructions.clone(), self.inbox());
        tokio::task::spawn_blocking(move || {
            // Problems with them are reported with the first prompt.
            tell(instructions::survey(&search), &inbox);
        });
    }

    /// Looks whether the run that ended changed instruction files; `before` are those that are known as changed.
    pub(super) fn find_held_instructions(&self, before: Vec<PathBuf>) {
        let (search, inbox) = (self.instructions.clone(), self.inbox());
        tokio::task::spawn_blocking(move || {
            let held = paths(&instructions::survey(&search).held);
            if held != before {
                let _ = inbox.blocking_send(Signal::Event(Event::HeldInstructions(held)));
            }
        });
    }

    /// A run is about to begin: from now on, changes in instruction files may be its work.
    pub(super) fn run_may_change_instructions(&mut self) {
        if self.runs_lock.is_none() {
            let (mark, notice) = instructions::run_begins(&self.instructions);
            self.runs_lock = Some(mark);
            self.update.notifications.extend(notice.map(Notification::Notice));
        }
    }

    /// Reads the instruction files again, because they may have changed since the last prompt.
    pub(super) fn read_instructions(&mut self) {
        let (search, inbox) = (self.instructions.clone(), self.inbox());
        let (sender, found) = mpsc::sync_channel(0);
        tokio::task::spawn_blocking(move || {
            // The prompt no longer waits: the files came too late for it.
            if let Err(mpsc::SendError(looked)) = sender.send(instructions::survey(&search)) {
                tell(looked, &inbox);
            }
        });
        if let Ok(InstructionReport { told, held, notices }) = found.recv_timeout(self.instructions_timeout) {
            self.take_notices(notices);
            self.queued_events.extend(events(told, &held));
        }
    }

    /// Reports problems with instruction files, each only once.
    fn take_notices(&mut self, notices: Vec<Notice>) {
        let told: Vec<Notice> =
            notices.into_iter().filter(|notice| !self.reported_notices.contains(notice)).collect();
        self.reported_notices.extend(told.iter().cloned());
        self.update.notifications.extend(told.into_iter().map(Notification::Notice));
    }
}

/// Sends the engine what it learns from the instruction files.
pub(super) fn tell(found: InstructionReport, inbox: &tokio::sync::mpsc::Sender<Signal>) {
    for event in events(found.told, &found.held) {
        let _ = inbox.blocking_send(Signal::Event(event));
    }
}

/// What the engine learns from the instruction files.
fn events(told: Vec<Instructions>, held: &[HeldFile]) -> [Event; 2] {
    [Event::Instructions(told), Event::HeldInstructions(paths(held))]
}

fn paths(held: &[HeldFile]) -> Vec<PathBuf> {
    held.iter().map(|held| held.path.clone()).collect()
}

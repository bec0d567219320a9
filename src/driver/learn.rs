//! What the engine has to know beside the session: the model's context and price, and files of instructions.

use super::Notification;
use super::rooms::Rooms;
use super::sources::Signal;
use crate::domain::{Instructions, KernelLanguages, Language, ModelInfo, Notice};
use crate::engine::{Event, State};
use crate::provider::Provider;
use crate::workspace::instructions::{self, InstructionReport};
use std::sync::mpsc;
use std::time::Duration;

/// How long a prompt waits for the files of instructions. A folder that does not answer must not hold it up; what is
/// found later holds from the next request on.
pub(super) const INSTRUCTIONS_TIMEOUT: Duration = Duration::from_millis(150);

impl Rooms {
    /// Asks what is known of the model in use.
    pub(super) fn learn_model(&mut self, state: &State) {
        self.learned = true;
        self.take_known(state);
        let Some(provider) = self.provider.clone() else { return };
        let (inbox, informed) = (self.inbox(), self.informed.clone());
        tokio::spawn(async move {
            let info = informed(info(&provider).await);
            let _ = inbox.send(Signal::Event(Event::Model(Box::new(info)))).await;
        });
    }

    /// What the configuration says of the model in use is known without asking anyone.
    pub(super) fn take_known(&mut self, state: &State) {
        let Some(name) = self.provider.as_ref().map(|provider| provider.name().clone()) else { return };
        if state.live.model.as_ref().is_none_or(|known| known.name != name) {
            let info = (self.informed)(ModelInfo::named(name));
            self.waiting.push_back(Event::Model(Box::new(info)));
        }
    }

    /// Asks the Jupyter server for which languages it has a kernel, where that is not known. One that does not answer tells
    /// it with the block that needs it.
    pub(super) fn learn_kernels(&self, state: &State) {
        let kernels = state.live.conditions.as_ref().map(|conditions| &conditions.kernels);
        if kernels != Some(&KernelLanguages::Unknown) {
            return;
        }
        let (executor, inbox) = (self.executor.clone(), self.inbox());
        tokio::spawn(async move {
            let found: Vec<Language> = executor.found().await.into_iter().map(|one| one.language).collect();
            if !found.is_empty() {
                let _ = inbox.send(Signal::Event(Event::KernelLanguages(found))).await;
            }
        });
    }

    /// Reads the files of instructions while nobody waits for them.
    pub(super) fn look_for_instructions(&self) {
        let (search, inbox) = (self.instructions.clone(), self.inbox());
        tokio::task::spawn_blocking(move || {
            // What can't be used is told with the first prompt.
            let looked = instructions::look(&search);
            let _ = inbox.blocking_send(Signal::Event(Event::Instructions(looked.told)));
        });
    }

    /// A run is about to begin: from here on what changes in a file of instructions may be its work.
    pub(super) fn run_may_change_instructions(&mut self) {
        if !std::mem::replace(&mut self.ran, true) {
            instructions::run_begins(&self.instructions);
        }
    }

    /// Reads the files of instructions anew: they may have changed since the last prompt.
    pub(super) fn read_instructions(&mut self) {
        let (search, inbox) = (self.instructions.clone(), self.inbox());
        let (sender, found) = mpsc::sync_channel(0);
        tokio::task::spawn_blocking(move || {
            // Nobody waits for it any more: it came too late for this prompt.
            if let Err(mpsc::SendError(looked)) = sender.send(instructions::look(&search)) {
                let _ = inbox.blocking_send(Signal::Event(Event::Instructions(looked.told)));
            }
        });
        if let Ok(InstructionReport { told, notices, .. }) = found.recv_timeout(self.instructions_timeout) {
            self.take_instructions(told, notices);
        }
    }

    /// What can't be used is told when it is news.
    fn take_instructions(&mut self, files: Vec<Instructions>, notices: Vec<Notice>) {
        let told: Vec<Notice> = notices.into_iter().filter(|notice| !self.told.contains(notice)).collect();
        self.told.extend(told.iter().cloned());
        self.update.told.extend(told.into_iter().map(Notification::Notice));
        self.waiting.push_back(Event::Instructions(files));
    }
}

async fn info(provider: &Provider) -> ModelInfo {
    provider.info().await
}

//! Follows whether what was recorded is saved: the session's file fails, is tried again, or recovers.

use super::{Effect, Engine, StoreEvent, notices};
use crate::domain::Notice;
use crate::domain::sentences::saving;

impl Engine {
    /// Tries to save again. A session opened for reading only can't be written by this process: then the person is told
    /// what to do.
    pub(super) fn retry_store(&mut self) {
        match self.state.unsaved() {
            Some(told) if self.state.live.reads_only => self.notify(Notice::error(told)),
            Some(_) => self.effects.push(Effect::RetryStore),
            None => {}
        }
    }

    pub(super) fn store(&mut self, event: StoreEvent) {
        match event {
            StoreEvent::Failed(why) => {
                let why = saving::cause(&why).to_owned();
                self.state.live.store_failure = Some(why);
                self.state.unsaved().into_iter().for_each(|text| self.notify(Notice::error(text)));
            }
            StoreEvent::Recovered => {
                self.state.live.saved = self.state.live.recorded;
                if self.state.live.store_failure.take().is_some() {
                    self.notify(notices::store_recovered());
                    self.apply_policy();
                    self.apply_named();
                }
            }
            StoreEvent::Saved(entries) => {
                self.state.live.saved = self.state.live.saved.max(entries.min(self.state.live.recorded));
            }
        }
    }
}

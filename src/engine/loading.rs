//! Loads messages and outputs that are only in the session file: when a front end shows them, when something is
//! compared with them, or when a request contains them. Drops them from memory again when others are loaded.

use super::effect::Effect;
use super::event::LoadedBody;
use super::transcript::{Body, LoadState, OTHER_ENTRY};
use super::{Engine, Phase};
use crate::domain::{Notice, StepId};
use std::collections::{BTreeSet, VecDeque};

/// How many bytes of recently loaded texts stay in memory.
const MAX_RECENT_BYTES: usize = 16 << 20;
/// How often the texts of a request are loaded before it is given up.
const MAX_ROUNDS: u8 = 2;

/// The request that is sent as soon as all its texts are in memory, and it is known what the model can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AwaitedRequest {
    /// The request for the reply of this step.
    Answer(StepId),
    /// The request for a summary.
    Summary,
}

impl Engine {
    /// A front end shows these texts: loads those that are not in memory.
    pub(super) fn load(&mut self, bodies: &[Body]) {
        self.loads.shown = bodies.iter().copied().collect();
        self.ask_for(bodies);
    }

    /// Loads those of these texts that are not in memory.
    pub(super) fn ask_for(&mut self, bodies: &[Body]) {
        let mut asked = Vec::new();
        for &body in bodies {
            if let Some((entry, LoadState::Away)) = self.unloaded_entry(body) {
                self.note_load(body, LoadState::Loading);
                asked.push((body, entry));
            }
        }
        if !asked.is_empty() {
            self.effects.push(Effect::Load(asked));
        }
    }

    /// A new request replaces one that waits for texts.
    pub(super) fn drop_awaited_request(&mut self) {
        if self.loads.awaits_summary() {
            self.notify(Notice::warn("No summary is made: another request came first."));
        }
        self.loads.stop_waiting();
    }

    /// Lets messages that could not be read be loaded again.
    pub(super) fn reset_lost_messages(&mut self, items: &[usize]) {
        for item in items {
            let body = Body::Message(*item);
            if self.unloaded_entry(body).is_some_and(|(_, load)| load == LoadState::Lost) {
                self.note_load(body, LoadState::Away);
            }
        }
    }

    /// Loads the messages that a request needs. Returns `false` if none of them can be loaded, or it was tried often
    /// enough.
    pub(super) fn load_for_request(&mut self, items: &[usize], request: AwaitedRequest) -> bool {
        let comes = |item: &usize| {
            let away = self.state.transcript.message_away(*item);
            away.is_some_and(|(_, out)| out.load != LoadState::Lost).then_some(Body::Message(*item))
        };
        let bodies: Vec<Body> = items.iter().filter_map(comes).collect();
        if bodies.is_empty() || self.loads.rounds >= MAX_ROUNDS {
            return false;
        }
        self.loads.rounds += 1;
        self.ask_for(&bodies);
        self.loads.awaited = Some((request, bodies.into_iter().collect()));
        true
    }

    /// Goes on with a request once it is known what the model can do, and each of its texts is in memory or can't be
    /// read. A request that is no longer wanted is dropped.
    pub(super) fn go_on_with_request(&mut self) {
        let Some((request, bodies)) = self.loads.awaited.take() else { return };
        let is_to_come =
            |body: &Body| self.unloaded_entry(*body).is_some_and(|(_, load)| load != LoadState::Lost);
        let waits_for_model = bodies.is_empty();
        if waits_for_model && self.awaits_model() || bodies.iter().any(is_to_come) {
            self.loads.awaited = Some((request, bodies));
            return;
        }
        match request {
            // With the model's price, the session may have used up its budget.
            AwaitedRequest::Answer(step) if waits_for_model && self.state.phase == Phase::Replying(step) => {
                self.send_request();
            }
            AwaitedRequest::Answer(step) if self.state.phase == Phase::Replying(step) => {
                self.send_once_loaded();
            }
            AwaitedRequest::Answer(_) => {}
            AwaitedRequest::Summary => self.sum_up_once_read(),
        }
    }

    /// Takes texts that were loaded, or the reasons why they can't be read.
    pub(super) fn take_loaded(&mut self, bodies: Vec<LoadedBody>) {
        let mut lost = None;
        if self.state.transcript.told_away().next().is_some() {
            // The length of the conversation can be measured better now.
            self.meter.measured_size = None;
        }
        for LoadedBody { body, result } in bodies {
            let taken = result.and_then(|entry| {
                let taken = self.state.transcript.page_in(body, entry);
                taken.ok_or_else(|| OTHER_ENTRY.to_owned())
            });
            match taken {
                Ok(bytes) => {
                    self.loads.recent.push_back((body, bytes));
                    self.loads.bytes += bytes;
                }
                Err(why) => {
                    self.note_load(body, LoadState::Lost);
                    lost = Some((body, why));
                }
            }
        }
        match lost {
            Some((Body::Message(_), why)) => {
                self.notify(Notice::warn(format!("A message further up can't be read again: {why}.")));
            }
            Some((Body::Output(_), why)) => {
                self.notify(Notice::warn(format!("An earlier output can't be read again: {why}.")));
            }
            None => {}
        }
        self.go_on_with_request();
        self.drop_oldest_loaded();
    }

    /// Drops the texts that were loaded longest ago, if they take too much memory.
    fn drop_oldest_loaded(&mut self) {
        if self.loads.awaited.is_some() {
            // They may all be part of that request, whether they were loaded now or before.
            return;
        }
        while self.loads.bytes > MAX_RECENT_BYTES {
            // What is shown now stays, however much it is: it would be loaded again at once.
            let Loads { recent, shown, .. } = &mut self.loads;
            let is_needed = |body: &Body| shown.contains(body) || self.rebuild.compares(*body);
            let oldest = recent.iter().position(|(body, _)| !is_needed(body));
            let Some((body, bytes)) = oldest.and_then(|at| recent.remove(at)) else { return };
            self.loads.bytes = self.loads.bytes.saturating_sub(bytes);
            match body {
                Body::Message(item) => self.state.transcript.page_out(item),
                Body::Output(run) => {
                    if let Some(run) = self.state.transcript.run_mut(run) {
                        run.unload_output();
                    }
                }
            }
        }
    }

    /// The number of the entry in the file that has the text, and its load state; `None`: it is in memory.
    fn unloaded_entry(&self, body: Body) -> Option<(u64, LoadState)> {
        match body {
            Body::Message(item) => {
                let (entry, out) = self.state.transcript.message_away(item)?;
                Some((entry, out.load))
            }
            Body::Output(run) => {
                let (entry, away) = self.state.transcript.run(run)?.1.unloaded_output()?;
                Some((entry, away.load))
            }
        }
    }

    fn note_load(&mut self, body: Body, load: LoadState) {
        match body {
            Body::Message(item) => self.state.transcript.note_load(item, load),
            Body::Output(run) => {
                if let Some(run) = self.state.transcript.run_mut(run) {
                    run.note_load(load);
                }
            }
        }
    }
}

/// Which texts were loaded, and what waits for them.
#[derive(Debug, Default)]
pub(super) struct Loads {
    /// The texts that a front end shows now.
    shown: BTreeSet<Body>,
    /// The loaded texts with their sizes in bytes, the oldest first; and the sum of the sizes.
    recent: VecDeque<(Body, usize)>,
    bytes: usize,
    /// The request that waits, and the texts it waits for; none: it waits for the answer about the model.
    awaited: Option<(AwaitedRequest, BTreeSet<Body>)>,
    /// How often texts were loaded for it.
    rounds: u8,
}

impl Loads {
    /// Whether a summary waits for texts.
    pub(super) fn awaits_summary(&self) -> bool {
        matches!(self.awaited, Some((AwaitedRequest::Summary, _)))
    }

    /// Holds a request back until it is known what the model can do.
    pub(super) fn wait_for_model(&mut self, request: AwaitedRequest) {
        self.awaited = Some((request, BTreeSet::new()));
    }

    /// Forgets the request that waits.
    pub(super) fn stop_waiting(&mut self) {
        (self.awaited, self.rounds) = (None, 0);
    }
}

#[cfg(test)]
mod tests;

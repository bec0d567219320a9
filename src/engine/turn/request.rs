//! The request of a step: what is asked first, what has to be loaded for it, and what it offers the model.

use crate::domain::sentences::running;
use crate::domain::{Dialect, ModelRequest, Purpose, Tool};
use crate::engine::functions::description;
use crate::engine::loading::AwaitedRequest;
use crate::engine::reply::call;
use crate::engine::resume::{CLOSED_BEFORE_REPLY, unanswered};
use crate::engine::spending::HeldRequest;
use crate::engine::state::LiveReply;
use crate::engine::{Effect, Engine, Phase};

impl Engine {
    /// Sends the failed request again, or ends the wait for its retry; it counts as the same step of the turn.
    pub(in crate::engine) fn retry(&mut self) {
        match self.state.phase {
            Phase::Stuck(_) => {
                if !self.propose_function_files() {
                    self.send_request();
                }
            }
            Phase::Replying(step) if self.state.live.reply.as_ref().is_some_and(|r| r.retry.is_some()) => {
                self.effects.push(Effect::CancelAsk(step));
                self.send_request();
            }
            _ => {}
        }
    }

    /// Sends the conversation to the model, unless the person has to be asked first or it does not fit.
    pub(in crate::engine) fn send_request(&mut self) {
        self.turn.active = true;
        self.drop_reply();
        if self.state.live.leaves {
            self.state.phase = unanswered(CLOSED_BEFORE_REPLY);
            return;
        }
        if self.hold_for_budget(HeldRequest::Request) {
            return;
        }
        self.note_instructions();
        self.drop_awaited_request();
        let messages = self.messages_to_load();
        self.reset_lost_messages(&messages);
        self.send_once_loaded();
    }

    /// Sends the request once it is known what the model can do, and all its messages are in memory.
    pub(in crate::engine) fn send_once_loaded(&mut self) {
        let step = self.last_ids.step.next();
        let waits = if self.awaits_model() {
            self.loads.wait_for_model(AwaitedRequest::Answer(step));
            running::ASKING_ABOUT_MODEL
        } else {
            let messages = self.messages_to_load();
            if !self.load_for_request(&messages, AwaitedRequest::Answer(step)) {
                return self.send_composed();
            }
            running::READING
        };
        // The wait looks like the wait for the reply itself, and can be stopped like it.
        self.open_reply(LiveReply { step, since: self.now, waits: Some(waits), ..LiveReply::default() });
        self.state.phase = Phase::Replying(step);
    }

    /// Sends the request, if it is not too long and all of it could be loaded.
    fn send_composed(&mut self) {
        self.drop_reply();
        self.loads.stop_waiting();
        let composed = self.compose();
        if let Some(failure) = self.unsendable(&composed) {
            return self.fail_turn(failure);
        }
        self.tell_unknown_price();
        let step = self.last_ids.step.next();
        self.last_ids.step = step;
        self.turn.unreported_results = false;
        self.turn.run_was_stopped = false;
        self.open_reply(LiveReply { step, since: self.now, ..LiveReply::default() });
        self.state.phase = Phase::Replying(step);
        let mut request = ModelRequest::new(step, Purpose::Answer, composed.messages);
        request.tools = self.tools();
        self.effects.push(Effect::Ask(Box::new(request)));
    }

    /// The tools offered to the model.
    pub(in crate::engine) fn tools(&self) -> Vec<Tool> {
        if self.dialect() != Dialect::Tools {
            return Vec::new();
        }
        let mut tools = call::definitions::definitions(&self.offered_languages());
        tools.extend(description::tools(&self.state.live.functions));
        tools
    }
}

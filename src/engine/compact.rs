//! Makes the summary that replaces the oldest items of the conversation; `length` tells how much room there is.
//!
//! The model writes the summary when the person asks for it. Until the whole summary has arrived, nothing changes.

pub(super) mod length;
mod request;

use super::loading::AwaitedRequest;
use super::spending::HeldRequest;
use super::state::{LiveSummary, Retry};
use super::{Effect, Engine, Phase};
use crate::domain::{Entry, Finish, ModelRequest, Notice, Purpose, ReplyEvent, ReplyFailure, StepId};
use crate::text::line::one_line;
use crate::text::number::grouped;

const STOPPED_MESSAGE: &str = "Stopped. The chat is as it was.";
/// A summary that grows longer than this is given up.
const MAX_SUMMARY_BYTES: usize = 64 << 10;
/// The context size assumed for a summary where the real size is not known.
const ASSUMED_CONTEXT_TOKENS: u64 = 32_768;

impl Engine {
    /// The person asks for a summary of the older items.
    pub(super) fn compact(&mut self) {
        if matches!(self.state.phase, Phase::Idle | Phase::Stuck(_)) {
            self.loads.stop_waiting();
            let all: Vec<usize> = self.state.transcript.paged_out(0).collect();
            self.reset_lost_messages(&all);
        }
        self.sum_up_once_read();
    }

    /// Sends the request for a summary once it is known what the model can do, and everything in it is in memory.
    pub(super) fn sum_up_once_read(&mut self) {
        match &self.state.phase {
            Phase::Idle => self.begin_summary(None),
            Phase::Stuck(failure) => self.begin_summary(Some(failure.clone())),
            _ => self.notify(Notice::info("A summary can be made when this turn is over.")),
        }
    }

    /// Requests a summary; `stuck`: the failure in which the turn is stuck.
    pub(super) fn begin_summary(&mut self, stuck: Option<ReplyFailure>) {
        // Its context decides what is summed up, and its price whether the budget is used up.
        if self.awaits_model() {
            self.loads.wait_for_model(AwaitedRequest::Summary);
            self.notify(Notice::info("Asking what the model can do before the summary is made."));
            self.state.phase = stuck.map_or(Phase::Idle, Phase::Stuck);
            return;
        }
        let size = self.request_size().unwrap_or(ASSUMED_CONTEXT_TOKENS);
        let room = self.meter.estimate_for(size);
        let Some(upto) = request::boundary(&self.state.transcript, stuck.is_some(), room / 4) else {
            self.leave_summary(stuck);
            return self.notify(Notice::info("There is nothing older to be summed up."));
        };
        // The budget question comes before loading: what was loaded would be dropped again while it waits.
        if self.hold_for_budget(HeldRequest::Summary(stuck.clone())) {
            return;
        }
        let away = request::bodies_to_load(&self.state.transcript, upto);
        if self.load_for_request(&away, AwaitedRequest::Summary) {
            self.notify(Notice::info("Reading earlier messages for the summary."));
            // Queued prompts wait for the summary: a prompt started now would take its place.
            self.state.phase = stuck.map_or(Phase::Idle, Phase::Stuck);
            return;
        }
        if !away.is_empty() {
            self.leave_summary(stuck);
            return self.notify(Notice::error("No summary: a part of this chat can't be read again."));
        }
        let Some(messages) = request::messages(&self.state.transcript, &self.settings, upto, room) else {
            self.leave_summary(stuck);
            return self.notify(too_small_notice(size));
        };
        let step = self.last_ids.step.next();
        self.last_ids.step = step;
        self.state.live.summary = Some(LiveSummary {
            step,
            upto,
            text: String::new(),
            since: self.now,
            usage: None,
            retry: None,
            stuck,
        });
        self.state.phase = Phase::Compacting(step);
        self.effects.push(Effect::Ask(Box::new(ModelRequest::new(step, Purpose::Summary, messages))));
    }

    /// Handles an event of the reply that is the summary.
    pub(super) fn take_summary_event(&mut self, event: ReplyEvent) {
        let Some(summary) = &mut self.state.live.summary else { return };
        match event {
            ReplyEvent::Delta(text) => {
                summary.retry = None;
                summary.text.push_str(&text);
                if summary.text.len() > MAX_SUMMARY_BYTES {
                    let step = summary.step;
                    self.effects.push(Effect::CancelAsk(step));
                    self.no_summary("it grew too long");
                }
            }
            ReplyEvent::Usage(usage) => summary.usage = Some(usage),
            ReplyEvent::Retrying { attempt, of, wait_ms, failure } => {
                summary.retry = Some(Retry { attempt, of, due: self.now.plus(wait_ms), failure });
            }
            ReplyEvent::Remark(text) => self.notify(Notice::warn(text)),
            ReplyEvent::Finished(finish) => self.summary_finished(&finish),
            ReplyEvent::Failed(failure) => self.no_summary(&failure.message),
            ReplyEvent::Sent | ReplyEvent::Reasoning(_) | ReplyEvent::ToolCall(_) | ReplyEvent::Kept(_) => {}
        }
    }

    fn summary_finished(&mut self, finish: &Finish) {
        let Some(summary) = &self.state.live.summary else { return };
        if summary.text.trim().is_empty() {
            return self.no_summary("the model wrote nothing");
        }
        if !finish.reason.complete() {
            return self.no_summary("it broke off");
        }
        let upto = u32::try_from(summary.upto).unwrap_or(u32::MAX);
        let (text, usage) = (summary.text.trim().to_owned(), summary.usage.unwrap_or_default());
        let model = self.state.transcript.model.clone();
        let before = self.state.live.context.used;
        self.record(Entry::Summary { upto, text, model, usage });
        self.compose();
        let after = self.state.live.context.used;
        self.notify(done_notice(before, after));
        let stuck = self.state.live.summary.take().and_then(|summary| summary.stuck);
        if stuck.is_some() {
            return self.send_request();
        }
        self.leave_summary(None);
    }

    /// The summary failed: everything stays as it was.
    fn no_summary(&mut self, why: &str) {
        let why = one_line(why.trim_end_matches('.'));
        let stuck = self.state.live.summary.take().and_then(|summary| summary.stuck);
        self.notify(Notice::error(format!("No summary: {why}. The chat is as it was.")));
        self.leave_summary(stuck);
    }

    /// The person stops the summary while the model writes it.
    pub(super) fn stop_summary(&mut self, step: StepId) {
        self.effects.push(Effect::CancelAsk(step));
        let stuck = self.state.live.summary.take().and_then(|summary| summary.stuck);
        self.notify(Notice::info(STOPPED_MESSAGE));
        self.leave_summary(stuck);
    }

    /// The person stops the summary while its messages are being loaded.
    pub(super) fn drop_summary(&mut self) {
        self.loads.stop_waiting();
        self.notify(Notice::info(STOPPED_MESSAGE));
        if self.state.phase == Phase::Idle {
            self.begin_queued();
        }
    }

    /// Returns to the phase before the summary.
    pub(super) fn leave_summary(&mut self, stuck: Option<ReplyFailure>) {
        match stuck {
            Some(failure) => self.state.phase = Phase::Stuck(failure),
            None => {
                self.state.phase = Phase::Idle;
                self.begin_queued();
            }
        }
    }
}

fn too_small_notice(size: u64) -> Notice {
    Notice::error(format!(
        "No summary: the request for it does not fit the model's {} tokens. Use a model with a longer context, or start a new chat.",
        grouped(size)
    ))
}

fn done_notice(before: u64, after: u64) -> Notice {
    Notice::info(format!(
        "Summed up: {} tokens became {}. The whole chat stays in the session.",
        grouped(before),
        grouped(after)
    ))
}

#[cfg(test)]
mod tests;

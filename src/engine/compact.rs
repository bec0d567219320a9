//! Watches the length of the conversation (how much of the context it takes, and when it no longer fits) and makes the
//! summary that replaces its oldest items.
//!
//! The model writes the summary when the person asks for it. Until the whole summary has arrived, nothing changes.

mod request;

use super::context::{Composer, Composition, OFFER, kept_free, left_out};
use super::instructions;
use super::loading::AwaitedRequest;
use super::spending::HeldRequest;
use super::state::{ContextShare, LiveSummary, Retry};
use super::{Effect, Engine, Phase};
use crate::domain::sentences::sending;
use crate::domain::{
    Departure, Entry, FailureKind, Finish, ModelInfo, ModelName, ModelRequest, Notice, Purpose, ReplyEvent,
    ReplyFailure, StepId,
};
use crate::text::line::one_line;
use crate::text::number::grouped;

const STOPPED_MESSAGE: &str = "Stopped. The chat is as it was.";
/// A summary that grows longer than this is given up.
const MAX_SUMMARY_BYTES: usize = 64 << 10;
/// The context size assumed for a summary where the real size is not known.
const ASSUMED_CONTEXT_TOKENS: u64 = 32_768;
/// The longest request where the size of the context is not known: most of today's models take that much. A longer one
/// is not composed at all.
pub(crate) const MAX_TOKENS_OF_UNKNOWN: u64 = 131_072;

impl Engine {
    /// Stores what became known of a model.
    pub(super) fn learn_model(&mut self, info: ModelInfo) {
        self.meter.infos.insert(info.name.clone(), info.clone());
        if self.state.transcript.model.as_ref().is_none_or(|model| *model == info.name) {
            self.state.live.model = Some(info);
        }
        self.meter.mark_stale();
    }

    /// Another model is used from now on: forgets what was measured with the old one.
    pub(super) fn forget_model(&mut self, next: &ModelName) {
        if self.state.transcript.model.as_ref() != Some(next) {
            self.meter.forget();
            self.state.live.model = self.meter.infos.get(next).cloned();
        }
    }

    /// How many tokens a conversation may have, its reply included.
    pub(super) fn context_size(&self) -> Option<u64> {
        self.settings.context_tokens.or_else(|| self.state.live.model.as_ref()?.context)
    }

    /// How many tokens a request may have, where the size of the context is known.
    fn request_size(&self) -> Option<u64> {
        let of = self.context_size()?;
        Some(of.saturating_sub(kept_free(of, self.state.live.model.as_ref())))
    }

    /// The least length of the conversation, if it is longer than `room` even without any results of blocks, so that
    /// only a summary makes it fit.
    fn least_excess(&mut self, room: u64) -> Option<u64> {
        self.meter.minimum.count(&self.state.transcript);
        self.meter.minimum.excess(room)
    }

    /// The messages of the next request that are not in memory and have to be loaded for it; none if the request is too
    /// long anyway.
    pub(super) fn messages_to_load(&mut self) -> Vec<usize> {
        let room = self.meter.estimate_for(self.request_size().unwrap_or(MAX_TOKENS_OF_UNKNOWN));
        if self.least_excess(room).is_some() {
            return Vec::new();
        }
        self.state.transcript.told_away().collect()
    }

    /// Composes the next request within the budget, and measures its share of the context.
    ///
    /// Returns no messages if the request can't fit whatever is left out, or if a part of it is not in memory;
    /// [`Self::unsendable`] then says why.
    pub(super) fn compose(&mut self) -> Composition {
        let room = self.meter.estimate_for(self.request_size().unwrap_or(MAX_TOKENS_OF_UNKNOWN));
        let least = self.least_excess(room);
        let composed = match least {
            Some(estimate) => Composition { messages: Vec::new(), estimate, shortened: 0 },
            None => self.compose_known(room),
        };
        let (used, estimated) = self.meter.used_tokens(composed.estimate);
        let estimated = estimated || composed.messages.is_empty();
        self.state.live.context = ContextShare {
            used,
            of: self.context_size(),
            estimated,
            at_least: least.is_some(),
            shortened: composed.shortened,
            summarised_upto: self.state.transcript.summary().map_or(0, |summary| summary.upto),
        };
        self.meter.measured_size = Some(self.conversation_size());
        composed
    }

    /// The next request. If a part of it is not in memory, only its length is computed.
    fn compose_known(&self, room: u64) -> Composition {
        let Some(away) = self.state.transcript.tokens_away() else { return self.compose_within(room) };
        let here = self.compose_within(room.saturating_sub(away));
        let estimate = here.estimate.saturating_add(away);
        Composition { messages: Vec::new(), estimate, shortened: here.shortened }
    }

    fn compose_within(&self, room: u64) -> Composition {
        let instructions = instructions::compose(&self.settings.own_instructions, &self.used_instructions());
        let instructions = [instructions, self.conditions()].join("\n\n");
        let instructions = instructions.trim();
        let sees = self.state.live.model.as_ref().is_some_and(|model| model.images == Some(true));
        let tools = self.tools();
        let composer = Composer::new(&self.state.transcript, &self.settings, self.dialect())
            .instructed(instructions)
            .offering(&tools)
            .seeing(self.settings.images && sees);
        composer.within(room)
    }

    /// Why a request can't be sent: it is too long, or a part of it can't be loaded.
    pub(super) fn unsendable(&self, composed: &Composition) -> Option<ReplyFailure> {
        let size = self.request_size().unwrap_or(MAX_TOKENS_OF_UNKNOWN);
        let of = self.context_size();
        let (used, _) = self.meter.used_tokens(composed.estimate);
        let is_whole = !composed.messages.is_empty();
        if is_whole && used <= size {
            return None;
        }
        if !is_whole && self.meter.minimum.excess(self.meter.estimate_for(size)).is_none() {
            let hint = "Try again, or start a new chat.";
            return Some(too_long_failure(
                FailureKind::SessionUnreadable,
                "A part of this chat can't be read again.",
                hint,
            ));
        }
        // The reply needs room too.
        let needs = used.saturating_add(of.unwrap_or(size).saturating_sub(size));
        let needs = format!("{}{}", self.state.live.context.about(), grouped(needs));
        let (needs, hint) = match of {
            Some(of) => (
                format!("This chat needs {needs} of {} tokens.", grouped(of)),
                "Shorten it, use a model with a longer context, or start a new chat.",
            ),
            None => (
                format!(
                    "This chat needs {needs} tokens, and how many the model takes is not known: {} are assumed.",
                    grouped(MAX_TOKENS_OF_UNKNOWN)
                ),
                "Shorten it with /compact, or set tokens under [context] in the configuration.",
            ),
        };
        Some(too_long_failure(FailureKind::Overflow, &needs, hint))
    }

    /// How many items and settled blocks there are: when the numbers change, the request has to be composed again.
    fn conversation_size(&self) -> (usize, usize) {
        (self.state.transcript.items.len(), self.state.transcript.settled.len())
    }

    /// Updates the length and cost of the conversation in the state.
    pub(super) fn update_measures(&mut self) {
        let version = self.state.transcript.version;
        if self.meter.costed_version != Some(version) {
            self.meter.costed_version = Some(version);
            self.add_up();
        }
        if self.meter.measured_size == Some(self.conversation_size()) {
            return;
        }
        self.compose();
        let share = self.state.live.context;
        match share.percent() {
            Some(percent) if percent >= OFFER && !self.meter.offered => {
                self.meter.offered = true;
                if !matches!(self.state.phase, Phase::Stuck(_)) {
                    self.notify(offer_notice(&share, percent));
                }
            }
            Some(percent) if percent >= OFFER => {}
            _ => self.meter.offered = false,
        }
    }

    /// A reply was recorded: calibrates the estimated length by the provider's token count.
    pub(super) fn measure(&mut self) {
        let Some(reply) = self.state.transcript.last_reply() else { return };
        let usage = reply.usage;
        let told = !left_out(reply, &self.state.transcript);
        // The estimate is unknown while a part of the conversation is not in memory.
        let is_known = self.state.transcript.told_away().next().is_none();
        if usage.input.is_some() && is_known {
            let estimate = self.compose().estimate;
            self.meter.count(estimate, &usage, told);
            self.meter.measured_size = None;
        }
    }

    /// The person asks for a summary of the older items.
    pub(super) fn compact(&mut self) {
        if matches!(self.state.phase, Phase::Idle | Phase::Stuck(_)) {
            self.loads.stop_waiting();
            let all: Vec<usize> = self.state.transcript.paged_out(0).collect();
            self.reset_lost_messages(&all);
        }
        self.sum_up_once_read();
    }

    /// Sends the request for a summary once everything in it is in memory.
    pub(super) fn sum_up_once_read(&mut self) {
        match &self.state.phase {
            Phase::Idle => self.begin_summary(None),
            Phase::Stuck(failure) => self.begin_summary(Some(failure.clone())),
            _ => self.notify(Notice::info("A summary can be made when this turn is over.")),
        }
    }

    /// Requests a summary; `stuck`: the failure in which the turn is stuck.
    pub(super) fn begin_summary(&mut self, stuck: Option<ReplyFailure>) {
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
        let step = self.counted.step.next();
        self.counted.step = step;
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
    pub(super) fn summed_up(&mut self, event: ReplyEvent) {
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

/// A failure for a request that was never sent, and why.
fn too_long_failure(kind: FailureKind, why: &str, hint: &str) -> ReplyFailure {
    ReplyFailure {
        kind,
        status: None,
        message: format!("{why} {}", sending::NOTHING),
        hint: hint.into(),
        departure: Departure::Never,
    }
}

fn offer_notice(share: &ContextShare, percent: u64) -> Notice {
    let of = share.of.unwrap_or_default();
    Notice::warn(format!(
        "By now {}{percent}% of the context is used ({} of {} tokens). /compact sums up what is older.",
        share.about(),
        grouped(share.used),
        grouped(of)
    ))
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

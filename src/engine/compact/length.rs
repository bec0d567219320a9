//! Watches the length of the conversation: composes the next request within what the model takes, and says how much of
//! the context it takes and why it can't be sent.

use crate::domain::sentences::sending;
use crate::domain::{Departure, FailureKind, ModelInfo, ModelName, Notice, ReplyFailure};
use crate::engine::context::{Composer, Composition, ContextShare, OFFER, kept_free, left_out};
use crate::engine::{Engine, Phase, instructions};
use crate::text::number::grouped;

/// The longest request where the size of the context is not known: most of today's models take that much. A longer one
/// is not composed at all.
pub(crate) const MAX_TOKENS_OF_UNKNOWN: u64 = 131_072;

impl Engine {
    /// Stores what became known of a model. The request that waits for it goes on.
    pub(in crate::engine) fn learn_model(&mut self, info: ModelInfo) {
        if self.meter.asked.as_ref() == Some(&info.name) {
            self.meter.asked = None;
        }
        self.meter.infos.insert(info.name.clone(), info.clone());
        if self.state.transcript.model.as_ref().is_none_or(|model| *model == info.name) {
            self.state.live.model = Some(info);
        }
        self.meter.mark_stale();
        self.go_on_with_request();
    }

    /// Whether the server is being asked about the model, and its answer decides what a request looks like: where
    /// nobody knows yet whether the model takes tools, its context and its price are mostly unknown, too.
    pub(in crate::engine) fn awaits_model(&self) -> bool {
        let known = self.state.live.model.as_ref();
        self.meter.asked.is_some() && known.is_none_or(|model| model.tools.is_none())
    }

    /// Another model is used from now on: forgets what was measured with the old one.
    pub(in crate::engine) fn forget_model(&mut self, next: &ModelName) {
        if self.state.transcript.model.as_ref() != Some(next) {
            self.meter.forget();
            self.state.live.model = self.meter.infos.get(next).cloned();
        }
    }

    /// How many tokens a conversation may have, its reply included.
    pub(in crate::engine) fn context_size(&self) -> Option<u64> {
        self.settings.context_tokens.or_else(|| self.state.live.model.as_ref()?.context)
    }

    /// How many tokens a request may have, where the size of the context is known.
    pub(super) fn request_size(&self) -> Option<u64> {
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
    pub(in crate::engine) fn messages_to_load(&mut self) -> Vec<usize> {
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
    pub(in crate::engine) fn compose(&mut self) -> Composition {
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
        let files: Vec<_> = self.state.live.used_instructions().collect();
        let instructions = instructions::compose(&self.settings.own_instructions, &files);
        let instructions = [instructions, self.conditions()].join("\n\n");
        let sees = self.state.live.model.as_ref().is_some_and(|model| model.images == Some(true));
        let mut composer = Composer::new(&self.state.transcript, &self.settings, self.dialect());
        composer.instructions = instructions.trim();
        composer.images = self.settings.images && sees;
        composer.offering(&self.tools()).within(room)
    }

    /// Why a request can't be sent: it is too long, or a part of it can't be loaded.
    pub(in crate::engine) fn unsendable(&self, composed: &Composition) -> Option<ReplyFailure> {
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
                "Shorten it, or set tokens under [context] in the configuration.",
            ),
        };
        Some(too_long_failure(FailureKind::Overflow, &needs, hint))
    }

    /// How many items and settled blocks there are: when the numbers change, the request has to be composed again.
    fn conversation_size(&self) -> (usize, usize) {
        (self.state.transcript.items.len(), self.state.transcript.settled.len())
    }

    /// Updates the length and cost of the conversation in the state.
    pub(in crate::engine) fn update_measures(&mut self) {
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
    pub(in crate::engine) fn measure(&mut self) {
        let Some(reply) = self.state.transcript.last_reply() else { return };
        let usage = reply.usage;
        let is_told = !left_out(reply, &self.state.transcript);
        // The estimate is unknown while a part of the conversation is not in memory.
        let is_known = self.state.transcript.told_away().next().is_none();
        if usage.input.is_some() && is_known {
            let estimate = self.compose().estimate;
            self.meter.count(estimate, &usage, is_told);
            self.meter.measured_size = None;
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
    let told = format!(
        "By now {}{percent}% of the context is used ({} of {} tokens).",
        share.about(),
        grouped(share.used),
        grouped(of)
    );
    Notice::warn(format!("{told} /compact sums up what is older.")).headless(told)
}

//! Compares what a session spends with its budget: sums up all requests, and asks the person before more is spent.

use super::cost::{self, Cost};
use super::state::Question;
use super::transcript::{Item, Transcript};
use super::{Engine, State};
use crate::domain::{ModelName, Notice, ReplyFailure, StepId, Usage};
use crate::text::line::one_line;
use std::collections::BTreeMap;

/// The request that waits until the person answers the question about the session budget.
#[derive(Clone, Debug, Default)]
pub(super) enum HeldRequest {
    /// The next request of the turn.
    #[default]
    Request,
    /// A request for a summary; the failure in which the turn was stuck.
    Summary(Option<ReplyFailure>),
}

/// A request that was answered, as far as its cost depends on it.
struct AnsweredRequest<'a> {
    /// The model that answered, where known.
    model: Option<&'a ModelName>,
    usage: &'a Usage,
    /// The step, if it was the request of one.
    step: Option<StepId>,
}

/// Every request of a session.
fn requests(transcript: &Transcript) -> impl Iterator<Item = AnsweredRequest<'_>> {
    let mut model = transcript.header.as_ref().and_then(|header| header.model.as_ref());
    let conversation = transcript.items.iter().filter_map(move |item| match item {
        Item::Model { model: next, .. } => {
            model = Some(next);
            None
        }
        Item::Reply(reply) => Some(AnsweredRequest { model, usage: &reply.usage, step: Some(reply.step) }),
        Item::Summary(summary) => {
            Some(AnsweredRequest { model: summary.model.as_ref(), usage: &summary.usage, step: None })
        }
        _ => None,
    });
    let opinions = transcript.blocks.values().flat_map(|item| &item.opinions);
    conversation.chain(opinions.map(|opinion| AnsweredRequest {
        model: Some(&opinion.model),
        usage: &opinion.usage,
        step: None,
    }))
}

impl Engine {
    /// Sums up the cost of all requests of the session.
    pub(super) fn add_up(&mut self) {
        let State { transcript, live, .. } = &mut self.state;
        let price = |model: &ModelName| self.settings.prices.of(model, self.meter.infos.get(model));
        let (mut nanos, mut unknown, mut last) = (0u64, 0u32, None);
        let mut of_steps = BTreeMap::new();
        for AnsweredRequest { model, usage, step } in requests(transcript) {
            let one = cost::of(model.and_then(price).map(|(price, _)| price), usage);
            match one {
                Some(one) => nanos = nanos.saturating_add(one),
                None => unknown = unknown.saturating_add(1),
            }
            if let Some(step) = step {
                last = one;
                of_steps.extend(one.map(|one| (step, one)));
            }
        }
        let source = transcript.model.as_ref().and_then(price).map(|(_, source)| source);
        live.cost = Cost { nanos, unknown, last, of_steps, price: source, budget: live.cost.budget };
    }

    /// The question to ask if the session has used up its budget.
    pub(super) fn budget_reached(&self) -> Option<Question> {
        let cost = &self.state.live.cost;
        let limit = cost.budget.filter(|limit| cost.nanos >= *limit)?;
        Some(Question::Budget { spent: cost.nanos, limit })
    }

    /// If the budget is used up, asks the person before more is spent; returns whether it was.
    pub(super) fn hold_for_budget(&mut self, held: HeldRequest) -> bool {
        self.add_up();
        let Some(question) = self.budget_reached() else { return false };
        self.request_on_hold = held;
        self.ask_person(question);
        true
    }

    /// The person allows more: the budget grows by its own size, as often as needed.
    pub(super) fn raise_budget(&mut self) {
        let cost = &mut self.state.live.cost;
        let (Some(limit), Some(size)) = (cost.budget, self.settings.session_budget) else { return };
        let more = (cost.nanos.saturating_sub(limit) / size.max(1)).saturating_add(1);
        cost.budget = Some(limit.saturating_add(size.saturating_mul(more)));
        match std::mem::take(&mut self.request_on_hold) {
            HeldRequest::Request => self.send_request(),
            HeldRequest::Summary(stuck) => {
                // The texts loaded for it may have been dropped again, so it starts over.
                self.loads.stop_waiting();
                self.begin_summary(stuck);
            }
        }
    }

    /// Warns, once for each model, that the budget can't be kept because the model's price is unknown.
    pub(super) fn tell_unknown_price(&mut self) {
        let (Some(_), Some(model)) = (self.state.live.cost.budget, &self.state.transcript.model) else {
            return;
        };
        let known = self.settings.prices.of(model, self.meter.infos.get(model)).is_some();
        if known || self.meter.warned_price_of.as_ref() == Some(model) {
            return;
        }
        let text = format!(
            "The price of {} is not known: what it costs does not count towards the session budget.",
            one_line(&model.to_string())
        );
        self.meter.warned_price_of = Some(model.clone());
        self.notify(Notice::warn(text));
    }
}

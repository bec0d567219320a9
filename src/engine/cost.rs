//! What a session costs: prices of models, the sum of all requests, and the session budget.
//!
//! What is not known is said to be unknown; it never counts as nothing.

use super::state::Question;
use super::transcript::{Item, Transcript};
use super::{Engine, Phase, State, notices};
use crate::domain::{ModelInfo, ModelName, Notice, Price, ReplyFailure, StepId, Usage};
use std::collections::BTreeMap;

/// What a session has cost.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Cost {
    /// Billionths of a US dollar, as far as they are known.
    pub nanos: u64,
    /// Of how many requests the cost is not known: the provider told no tokens, or there is no price for the model.
    pub unknown: u32,
    /// What the newest reply cost; `None`: not known.
    pub last: Option<u64>,
    /// What the reply of each step cost, in billionths of a US dollar, where that is known.
    pub of_steps: BTreeMap<StepId, u64>,
    /// Where the price of the model in use comes from; `None`: there is none.
    pub price: Option<PriceSource>,
    /// What the session may cost before it asks, in billionths of a US dollar.
    pub budget: Option<u64>,
}

/// Where a price comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PriceSource {
    /// The model runs on this computer: it costs nothing.
    Local,
    /// The provider says so.
    Provider,
    /// The configuration; the date is that of the table that came with the program, where it stands in it.
    Table(Option<String>),
}

/// Prices by `PROVIDER/MODEL`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Prices {
    /// The person's own; they win over all others.
    pub own: BTreeMap<String, Price>,
    /// Those that came with the program.
    pub shipped: BTreeMap<String, Price>,
    /// The date of the shipped ones.
    pub as_of: String,
}

impl Prices {
    /// The price of a model, and where it comes from; `None`: not known. `info` is what its provider told.
    pub fn of(&self, model: &ModelName, info: Option<&ModelInfo>) -> Option<(Price, PriceSource)> {
        let name = model.to_string();
        if let Some(price) = find(&self.own, &name) {
            return Some((price, PriceSource::Table(None)));
        }
        let info = info.filter(|info| info.name == *model);
        if let Some(price) = info.and_then(|info| info.price) {
            return Some((price, PriceSource::Provider));
        }
        if info.is_some_and(|info| info.local) {
            return Some((Price::default(), PriceSource::Local));
        }
        find(&self.shipped, &name).map(|price| (price, PriceSource::Table(Some(self.as_of.clone()))))
    }
}

/// The price under this name, or under the name without its date: `gpt-5-2025-08-07` is a `gpt-5`.
fn find(table: &BTreeMap<String, Price>, name: &str) -> Option<Price> {
    table.get(name).or_else(|| table.get(undated(name)?)).copied()
}

/// A name without the date, or the word `latest`, at its end.
fn undated(name: &str) -> Option<&str> {
    if let Some(name) = name.strip_suffix("-latest") {
        return Some(name);
    }
    let is_date = |date: &str| {
        date.chars().filter(char::is_ascii_digit).count() == 8
            && date.chars().all(|c| c.is_ascii_digit() || c == '-')
    };
    [9, 11].into_iter().find_map(|length| {
        let (name, date) = name.split_at_checked(name.len().checked_sub(length)?)?;
        date.strip_prefix('-').filter(|date| is_date(date) && !date.starts_with('-')).map(|_| name)
    })
}

/// What one request cost; `None`: not known.
pub fn of(price: Option<Price>, usage: &Usage) -> Option<u64> {
    // A request of which only one side was told would look cheaper than it was.
    (usage.input.is_some() && usage.output.is_some()).then_some(price?.of(usage))
}

/// An amount as it is shown: `$2.00`; small ones with four decimals.
pub fn dollars(nanos: u64) -> String {
    let amount = nanos as f64 / 1e9;
    if nanos > 0 && nanos < 100_000_000 { format!("${amount:.4}") } else { format!("${amount:.2}") }
}

/// What waits for the person's word about the session budget.
#[derive(Clone, Debug, Default)]
pub(super) enum Held {
    /// The next request of the turn.
    #[default]
    Request,
    /// A summary; the failure in which the turn was stuck.
    Summary(Option<ReplyFailure>),
}

/// Every request of a session: which model answered, what it used, and of which step it was.
fn requests(transcript: &Transcript) -> impl Iterator<Item = (Option<&ModelName>, &Usage, Option<StepId>)> {
    let mut model = transcript.header.as_ref().and_then(|header| header.model.as_ref());
    let conversation = transcript.items.iter().filter_map(move |item| match item {
        Item::Model { model: next, .. } => {
            model = Some(next);
            None
        }
        Item::Reply(reply) => Some((model, &reply.usage, Some(reply.step))),
        Item::Summary(summary) => Some((summary.model.as_ref(), &summary.usage, None)),
        _ => None,
    });
    let opinions = transcript.blocks.values().flat_map(|item| &item.opinions);
    conversation.chain(opinions.map(|opinion| (Some(&opinion.model), &opinion.usage, None)))
}

impl Engine {
    /// Adds up what all requests of the session cost.
    pub(super) fn add_up(&mut self) {
        let State { transcript, live, .. } = &mut self.state;
        let price = |model: &ModelName| self.settings.prices.of(model, self.meter.infos.get(model));
        let (mut nanos, mut unknown, mut last) = (0u64, 0u32, None);
        let mut of_steps = BTreeMap::new();
        for (model, usage, step) in requests(transcript) {
            let one = of(model.and_then(price).map(|(price, _)| price), usage);
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

    /// Whether the session has cost what it may.
    pub(super) fn budget_reached(&self) -> Option<Question> {
        let cost = &self.state.live.cost;
        let limit = cost.budget.filter(|limit| cost.nanos >= *limit)?;
        Some(Question::Budget { spent: cost.nanos, limit })
    }

    /// Asks for the person's word before anything more is spent. Tells whether it had to.
    pub(super) fn hold_for_budget(&mut self, held: Held) -> bool {
        self.add_up();
        let Some(question) = self.budget_reached() else { return false };
        self.held = held;
        self.notify(notices::question(&question));
        self.state.phase = Phase::Asking(question);
        true
    }

    /// The person spends more: the budget grows by its own size, as often as it takes.
    pub(super) fn raise_budget(&mut self) {
        let cost = &mut self.state.live.cost;
        let (Some(limit), Some(size)) = (cost.budget, self.settings.session_budget) else { return };
        let more = (cost.nanos.saturating_sub(limit) / size.max(1)).saturating_add(1);
        cost.budget = Some(limit.saturating_add(size.saturating_mul(more)));
        match std::mem::take(&mut self.held) {
            Held::Request => self.send_request(),
            Held::Summary(stuck) => self.begin_summary(stuck),
        }
    }

    /// A budget that can't be kept is told, once for each model.
    pub(super) fn tell_unknown_price(&mut self) {
        let (Some(_), Some(model)) = (self.state.live.cost.budget, &self.state.transcript.model) else {
            return;
        };
        let known = self.settings.prices.of(model, self.meter.infos.get(model)).is_some();
        if known || self.meter.priceless.as_ref() == Some(model) {
            return;
        }
        let text = format!(
            "The price of {} is not known: what it costs does not count towards the session budget.",
            notices::one_line(&model.to_string())
        );
        self.meter.priceless = Some(model.clone());
        self.notify(Notice::warn(text));
    }
}

//! Computes what a session costs: prices of models, and the sum over all requests.
//!
//! An unknown cost is reported as unknown; it is never counted as zero.

use crate::domain::{ModelInfo, ModelName, Price, StepId, Usage};
use std::collections::BTreeMap;

/// What a session has cost.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Cost {
    /// The known costs, in billionths of a US dollar.
    pub(crate) nanos: u64,
    /// How many requests have an unknown cost: the provider reported no tokens, or the model has no known price.
    pub(crate) unknown: u32,
    /// What the newest reply cost; `None`: not known.
    pub(crate) last: Option<u64>,
    /// What the reply of each step cost, in billionths of a US dollar, where that is known.
    pub(crate) of_steps: BTreeMap<StepId, u64>,
    /// Where the price of the model in use comes from; `None`: there is none.
    pub(crate) price: Option<PriceSource>,
    /// What the session may cost before the person is asked whether to go on, in billionths of a US dollar.
    pub(crate) budget: Option<u64>,
}

/// Where a price comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PriceSource {
    /// The model's server is on this computer; sayso knows of no price.
    Local,
    /// The provider reports it.
    Provider,
    /// The configuration (`None`), or the price table shipped with the program, of this date.
    Table(Option<String>),
}

/// Prices by `PROVIDER/MODEL`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Prices {
    /// The person's own prices; they override all others.
    pub own: BTreeMap<String, Price>,
    /// The prices shipped with the program.
    pub shipped: BTreeMap<String, Price>,
    /// The date of the shipped prices.
    pub as_of: String,
}

impl Prices {
    /// The price of a model and where it comes from; `None`: not known. `info` is what its provider reported.
    pub(crate) fn of(&self, model: &ModelName, info: Option<&ModelInfo>) -> Option<(Price, PriceSource)> {
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

/// A name without the date or `latest` at its end.
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
    let price = price?;
    // A model that costs nothing is free for any number of tokens. For others, both token counts have to be known: with
    // only one, the request would look cheaper than it was.
    let is_known = price == Price::default() || usage.input.is_some() && usage.output.is_some();
    is_known.then(|| price.of(usage))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_costs_nothing_is_known_to_cost_nothing_whatever_is_told() {
        let model = ModelName { provider: "ollama".into(), model: "m".into() };
        let here = ModelInfo { local: true, ..ModelInfo::named(model.clone()) };
        let (price, source) = Prices::default().of(&model, Some(&here)).unwrap();
        assert_eq!((of(Some(price), &Usage::default()), source), (Some(0), PriceSource::Local));
        let one_side = Usage { input: Some(7), ..Usage::default() };
        assert_eq!(of(Some(price), &one_side), Some(0));
        let priced = Price { output: 1, ..Price::default() };
        assert_eq!((of(Some(priced), &one_side), of(None, &one_side)), (None, None));
    }
}

//! Settings for what a conversation carries and costs: instructions, the size of the context, prices, the session
//! budget.

use crate::domain::{LongPrice, Price};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The prices that come with the program.
const SHIPPED_PRICES: &str = include_str!("../../assets/prices.toml");

/// Which parts of a conversation are sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Context {
    /// The most tokens of a conversation including its reply, whatever the model allows.
    pub(crate) tokens: Option<u64>,
    /// Whether images of results are sent to models that can see.
    pub(crate) images: bool,
}

/// Instructions before every conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Instructions {
    /// The person's own words.
    pub(crate) text: Option<String>,
    /// Files with the person's own words.
    pub(crate) files: Vec<PathBuf>,
    /// Whether the model gets the project's `AGENTS.md`.
    pub(crate) project: bool,
}

impl Default for Instructions {
    fn default() -> Self {
        Self { text: None, files: Vec::new(), project: true }
    }
}

/// What may be spent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Budget {
    /// What a session may cost before it asks.
    pub(crate) session: Option<Dollars>,
}

/// An amount of US dollars, in billionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Dollars(pub(crate) u64);

impl Serialize for Dollars {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0 as f64 / 1e9)
    }
}

impl<'de> Deserialize<'de> for Dollars {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let amount = f64::deserialize(deserializer)?;
        // The cast turns a negative amount and NaN into 0, and a too large one into the maximum.
        Ok(Self((amount * 1e9).round() as u64))
    }
}

/// What a model costs, in dollars for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct PriceChoice {
    /// Tokens of requests.
    pub(crate) input: Dollars,
    /// Tokens of replies.
    pub(crate) output: Dollars,
    /// Tokens of requests that came from a cache; by default the price of `input`.
    pub(crate) cached: Option<Dollars>,
    /// Tokens of requests that were written to a cache; by default the price of `input`.
    pub(crate) cache_written: Option<Dollars>,
    /// Other prices for long requests.
    pub(crate) long: Option<LongPriceChoice>,
}

/// Prices for requests of more than `above` tokens; they hold for the whole request and for its reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct LongPriceChoice {
    /// Tokens of the request, cached or not.
    pub(crate) above: u64,
    /// Tokens of requests.
    pub(crate) input: Dollars,
    /// Tokens of replies.
    pub(crate) output: Dollars,
    /// Tokens of requests that came from a cache; by default the price of `input`.
    pub(crate) cached: Option<Dollars>,
    /// Tokens of requests that were written to a cache; by default the price of `input`.
    pub(crate) cache_written: Option<Dollars>,
}

impl PriceChoice {
    /// The price of one token.
    pub(crate) fn price(&self) -> Price {
        // Converts billionths of a dollar per million tokens to billionths per token, rounded.
        let one = |dollars: Dollars| dollars.0.saturating_add(500_000) / 1_000_000;
        Price {
            input: one(self.input),
            output: one(self.output),
            cached: one(self.cached.unwrap_or(self.input)),
            cache_written: one(self.cache_written.unwrap_or(self.input)),
            long: self.long.map(|long| LongPrice {
                above: long.above,
                input: one(long.input),
                output: one(long.output),
                cached: one(long.cached.unwrap_or(long.input)),
                cache_written: one(long.cache_written.unwrap_or(long.input)),
            }),
        }
    }
}

#[derive(Deserialize)]
struct ShippedPrices {
    as_of: String,
    prices: BTreeMap<String, PriceChoice>,
}

/// The shipped prices by `PROVIDER/MODEL`, and their date. Empty if the table is broken, which a test rules out.
pub(crate) fn shipped_prices() -> (String, BTreeMap<String, Price>) {
    let table: Option<ShippedPrices> = toml::from_str(SHIPPED_PRICES).ok();
    let table = table.unwrap_or_else(|| ShippedPrices { as_of: String::new(), prices: BTreeMap::new() });
    (table.as_of, prices(&table.prices))
}

/// The prices of one token, by model.
pub(crate) fn prices(choices: &BTreeMap<String, PriceChoice>) -> BTreeMap<String, Price> {
    choices.iter().map(|(model, choice)| (model.clone(), choice.price())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Usage;

    #[test]
    fn the_shipped_prices_are_whole_and_have_a_date() {
        let (as_of, prices) = shipped_prices();
        assert_eq!(as_of.len(), "2025-01-01".len());
        assert!(prices.len() > 5);
        for (model, price) in &prices {
            assert!(
                model.contains('/') && price.input > 0 && price.output >= price.input,
                "{model}: {price:?}"
            );
            assert!(price.cached <= price.input && price.cache_written >= price.input, "{model}: {price:?}");
        }
    }

    #[test]
    fn dollars_for_a_million_become_billionths_for_one() {
        let choice: PriceChoice = toml::from_str("input = 2.5\noutput = 10\ncached = 0.0375").unwrap();
        let price = Price { input: 2_500, output: 10_000, cached: 38, cache_written: 2_500, long: None };
        assert_eq!(choice.price(), price);
        let long = "input = 1\noutput = 2\nlong = { above = 1000, input = 3, output = 4, cached = 0.5 }";
        let price = toml::from_str::<PriceChoice>(long).unwrap().price();
        let usage = |input, cached| Usage {
            input: Some(input),
            output: Some(10),
            cached: Some(cached),
            ..Usage::default()
        };
        assert_eq!(price.of(&usage(1_000, 0)), 1_000 * 1_000 + 10 * 2_000);
        assert_eq!(price.of(&usage(1_001, 1_000)), 3_000 + 1_000 * 500 + 10 * 4_000);
        let strange: PriceChoice = toml::from_str("input = -1.0\noutput = nan\ncached = 1e300").unwrap();
        assert_eq!(
            (strange.input, strange.output, strange.cached),
            (Dollars(0), Dollars(0), Some(Dollars(u64::MAX)))
        );
    }
}

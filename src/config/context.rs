//! What a conversation carries and costs: instructions, the size of the context, prices, the session budget.

use crate::domain::Price;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The prices that come with the program.
const SHIPPED: &str = include_str!("../../assets/prices.toml");

/// What of a conversation is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Context {
    /// Tokens that a conversation may have, its reply included, whatever is known of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Whether models that can see images are sent those of results.
    pub images: bool,
}

/// Words that stand before every conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Instructions {
    /// The person's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Files with the person's own words.
    pub files: Vec<PathBuf>,
    /// Whether the project's `AGENTS.md` is told.
    pub project: bool,
}

impl Default for Instructions {
    fn default() -> Self {
        Self { text: None, files: Vec::new(), project: true }
    }
}

/// What may be spent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    /// What a session may cost before it asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<Dollars>,
}

/// An amount of US dollars, in billionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dollars(pub u64);

impl Serialize for Dollars {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0 as f64 / 1e9)
    }
}

impl<'de> Deserialize<'de> for Dollars {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let amount = f64::deserialize(deserializer)?;
        // A float that is negative or no number becomes 0, one that is too large the largest.
        Ok(Self((amount * 1e9).round() as u64))
    }
}

/// What a model costs, in dollars for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PriceChoice {
    /// Tokens of requests.
    pub input: Dollars,
    /// Tokens of replies.
    pub output: Dollars,
    /// Tokens of requests that came from a cache; as `input`, where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<Dollars>,
    /// Tokens of requests that were written to a cache; as `input`, where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_written: Option<Dollars>,
}

impl PriceChoice {
    /// The price of one token.
    pub fn price(&self) -> Price {
        // Billionths of a dollar for a million tokens; half a billionth counts as one.
        let one = |dollars: Dollars| dollars.0.saturating_add(500_000) / 1_000_000;
        Price {
            input: one(self.input),
            output: one(self.output),
            cached: one(self.cached.unwrap_or(self.input)),
            cache_written: one(self.cache_written.unwrap_or(self.input)),
        }
    }
}

#[derive(Deserialize)]
struct Shipped {
    as_of: String,
    prices: BTreeMap<String, PriceChoice>,
}

/// The prices that come with the program, by `PROVIDER/MODEL`, and their date. Empty where the table is broken, which a
/// test rules out.
pub fn shipped_prices() -> (String, BTreeMap<String, Price>) {
    let table: Option<Shipped> = toml::from_str(SHIPPED).ok();
    let table = table.unwrap_or_else(|| Shipped { as_of: String::new(), prices: BTreeMap::new() });
    (table.as_of, prices(&table.prices))
}

/// Prices of one token each.
pub fn prices(choices: &BTreeMap<String, PriceChoice>) -> BTreeMap<String, Price> {
    choices.iter().map(|(model, choice)| (model.clone(), choice.price())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let price = Price { input: 2_500, output: 10_000, cached: 38, cache_written: 2_500 };
        assert_eq!(choice.price(), price);
        let strange: PriceChoice = toml::from_str("input = -1.0\noutput = nan\ncached = 1e300").unwrap();
        assert_eq!(
            (strange.input, strange.output, strange.cached),
            (Dollars(0), Dollars(0), Some(Dollars(u64::MAX)))
        );
    }
}

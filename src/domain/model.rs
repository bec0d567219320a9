//! Models: their names, capabilities and prices.

use super::Usage;
use serde::{Deserialize, Serialize};

/// The name of a model: the provider's name in the configuration, and the model's name there.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ModelName {
    /// The provider: a kind (`openai`, `scripted`) or a name from the configuration.
    pub provider: String,
    /// The model, as the provider calls it; may hold slashes.
    pub model: String,
}

/// The provider of stories, which are replies written beforehand.
pub(crate) const SCRIPTED: &str = "scripted";

impl ModelName {
    /// Whether it names a story, under the provider that needs no configuration.
    pub(crate) fn is_story(&self) -> bool {
        self.provider == SCRIPTED
    }
}

impl std::fmt::Display for ModelName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

/// What one token costs, in billionths of a US dollar: 3,000 is $3 for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Price {
    /// A token of the request.
    pub input: u64,
    /// A token of the reply, reasoning included.
    pub output: u64,
    /// A token of the request that came from a cache.
    pub cached: u64,
    /// A token of the request that was written to a cache.
    pub cache_written: u64,
    /// Other prices for long requests.
    pub long: Option<LongPrice>,
}

/// Prices per token for requests above a length; they apply to all tokens of the request and of its reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongPrice {
    /// Requests of more tokens than this, those from a cache included.
    pub(crate) above: u64,
    pub(crate) input: u64,
    pub(crate) output: u64,
    pub(crate) cached: u64,
    pub(crate) cache_written: u64,
}

impl Price {
    /// What this use costs, in billionths of a US dollar. Numbers that the provider did not report are not counted.
    pub(crate) fn of(&self, usage: &Usage) -> u64 {
        if let Some(long) = self.long.filter(|long| usage.input.is_some_and(|input| input > long.above)) {
            let LongPrice { input, output, cached, cache_written, .. } = long;
            return Price { input, output, cached, cache_written, long: None }.of(usage);
        }
        let cached = usage.cached.unwrap_or(0);
        let written = usage.cache_written.unwrap_or(0);
        let plain = usage.input.unwrap_or(0).saturating_sub(cached).saturating_sub(written);
        let output = usage.output.unwrap_or(0);
        [(plain, self.input), (cached, self.cached), (written, self.cache_written), (output, self.output)]
            .into_iter()
            .fold(0u64, |sum, (tokens, price)| sum.saturating_add(tokens.saturating_mul(price)))
    }
}

/// A model that can be chosen, with its capabilities. `None`: not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelInfo {
    /// The name that requests carry.
    pub name: ModelName,
    /// How many tokens a conversation may have, reply included.
    pub context: Option<u64>,
    /// How many tokens a reply may have.
    pub output: Option<u64>,
    /// The price of its tokens.
    pub price: Option<Price>,
    /// Whether it can call tools.
    pub tools: Option<bool>,
    /// Whether it can see images.
    pub images: Option<bool>,
    /// Whether it runs on this computer.
    pub local: bool,
}

impl ModelInfo {
    /// A model of which only the name is known.
    pub fn named(name: ModelName) -> Self {
        Self { name, context: None, output: None, price: None, tools: None, images: None, local: false }
    }
}

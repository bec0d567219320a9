//! Lists the models that can be chosen: asks all providers at once, each with its own time limit.
//!
//! The composition root supplies the [`ModelSource`]s, because it knows which providers exist and their keys. Nothing
//! here chooses a model.

use super::ModelInfoOverride;
use crate::domain::sentences::sending;
use crate::domain::{ModelInfo, ModelName, Price, ReplyFailure};
use crate::provider::{ConnectError, Provider};
use std::sync::Arc;
use std::time::Duration;

/// How long a provider may take to list its models.
const LIST_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a server on this computer may take. A missing one is noticed at once; one that is loading a model is slow.
const LOCAL_LIST_TIMEOUT: Duration = Duration::from_secs(4);
/// The most models of one provider that are kept; nobody reads more.
const MAX_MODELS: usize = 2_000;

/// Returns the providers that can list their models; may read files.
pub(crate) type Catalogue = Arc<dyn Fn() -> Vec<ModelSource> + Send + Sync>;

/// A provider that can list its models.
#[derive(Clone)]
pub struct ModelSource {
    /// What is known about it before it is asked.
    pub(crate) offer: Offer,
    /// The connection to ask, or why it is not asked.
    pub(crate) provider: Result<Provider, NotAsked>,
    /// Models that the configuration names; offered even if the server does not list them.
    pub(crate) known: Vec<ModelName>,
    /// Overrides what a server reports about a model with what the configuration says.
    pub(crate) model_overrides: ModelInfoOverride,
}

/// Why a provider is not asked for its models.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum NotAsked {
    /// Its key comes from a program, which is not run just for this.
    #[error("its key_command is run when it is chosen")]
    RunsProgram,
    /// It is a story, which is data.
    #[error("a story")]
    Story,
    /// Connecting to it failed.
    #[error(transparent)]
    Unready(#[from] ConnectError),
}

/// What is known about a provider's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// It needs none, as far as is known.
    Needless,
    /// There is one, kept in this place.
    Kept(String),
    /// There is none; it would be read from this place: `ANTHROPIC_API_KEY`.
    Missing(String),
}

/// What a provider offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Its name in the configuration.
    pub name: String,
    /// Its kind, as the configuration calls it.
    pub kind: &'static str,
    /// Its address, without parts that may be secret; `None` for a story.
    pub address: Option<String>,
    /// Whether it is on this computer.
    pub local: bool,
    /// What is known about its key.
    pub key: KeyState,
    /// Its answer.
    pub answer: CatalogueAnswer,
}

/// A provider's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CatalogueAnswer {
    /// It is being asked.
    Asking,
    /// Its models.
    Models(Vec<ModelInfo>),
    /// It has no key and is not asked.
    NoKey,
    /// It can't be asked, or nothing came; the reason in one line.
    Failed(String),
    /// It answered, but with no list; the reason in one line.
    Refused(String),
    /// Nothing answers at its address on this computer; the reason in one line.
    NotRunning(String),
}

impl Offer {
    /// Its models, as far as known.
    pub(crate) fn models(&self) -> &[ModelInfo] {
        match &self.answer {
            CatalogueAnswer::Models(models) => models,
            _ => &[],
        }
    }
}

impl ModelSource {
    /// The offer before the provider is asked.
    pub(crate) fn offer(&self) -> Offer {
        let answer = match (&self.offer.key, &self.provider) {
            // A story is data: there is nobody to ask.
            _ if self.offer.address.is_none() => CatalogueAnswer::Models(self.configured_models(&self.known)),
            (KeyState::Missing(_), _) => CatalogueAnswer::NoKey,
            (_, Err(why)) => CatalogueAnswer::Failed(why.to_string()),
            (_, Ok(_)) => CatalogueAnswer::Asking,
        };
        Offer { answer, ..self.offer.clone() }
    }

    /// Asks the provider. One that needs a key but has none is not asked: nothing is sent.
    pub(crate) async fn ask(self) -> Offer {
        let offer = self.offer();
        let Ok(provider) = &self.provider else { return offer };
        if offer.answer != CatalogueAnswer::Asking {
            return offer;
        }
        let timeout = if offer.local { LOCAL_LIST_TIMEOUT } else { LIST_TIMEOUT };
        let answer = match tokio::time::timeout(timeout, provider.models()).await {
            Ok(Ok(listed)) => CatalogueAnswer::Models(self.with_known(listed)),
            Ok(Err(failure)) => self.failed(&failure),
            Err(_) => CatalogueAnswer::Failed(format!("no answer within {:.1} s", timeout.as_secs_f64())),
        };
        Offer { answer, ..offer }
    }

    /// A server without a list of models, like some gateways, still offers those that the configuration names.
    fn failed(&self, failure: &ReplyFailure) -> CatalogueAnswer {
        use crate::domain::FailureKind::{
            BadRequest, NameNotFound, NoKey, NotAModel, NotFound, TimedOut, Tls, Unreachable,
        };
        if matches!(failure.kind, NotFound | BadRequest | NotAModel) && !self.known.is_empty() {
            return CatalogueAnswer::Models(self.configured_models(&self.known));
        }
        let answer = match failure.kind {
            NameNotFound | Unreachable if self.offer.local => CatalogueAnswer::NotRunning,
            NameNotFound | Unreachable | Tls | TimedOut | NoKey => CatalogueAnswer::Failed,
            _ => CatalogueAnswer::Refused,
        };
        // Without the remark on a message: none was being sent.
        answer(sending::without_message(&failure.message))
    }

    /// The listed models, followed by those that only the configuration names.
    fn with_known(&self, listed: Vec<ModelInfo>) -> Vec<ModelInfo> {
        let mut models: Vec<ModelInfo> =
            listed.into_iter().take(MAX_MODELS).map(|model| (self.model_overrides)(model)).collect();
        let mut unlisted = self.known.clone();
        unlisted.retain(|name| models.iter().all(|model| model.name != *name));
        models.extend(self.configured_models(&unlisted));
        models
    }

    /// Models that only the configuration knows.
    fn configured_models(&self, names: &[ModelName]) -> Vec<ModelInfo> {
        let named =
            |name: &ModelName| ModelInfo { local: self.offer.local, ..ModelInfo::named(name.clone()) };
        names.iter().map(|name| (self.model_overrides)(named(name))).collect()
    }
}

/// All offers, in the order of the sources.
pub(crate) async fn ask_all(sources: Vec<ModelSource>) -> Vec<Offer> {
    futures_util::future::join_all(sources.into_iter().map(ModelSource::ask)).await
}

/// Asks the servers on this computer and returns those that list models; no other computer is asked.
pub async fn local_servers(catalogue: &Catalogue) -> Vec<Offer> {
    let catalogue = catalogue.clone();
    // Reading which providers can be asked takes disk access.
    let sources = tokio::task::spawn_blocking(move || catalogue()).await.unwrap_or_default();
    let local = sources.into_iter().filter(|source| source.offer.local).collect();
    let offers = ask_all(local).await;
    offers.into_iter().filter(|offer| matches!(offer.answer, CatalogueAnswer::Models(_))).collect()
}

/// Why a tested model is not usable.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// This provider gave no answer in time.
    #[error("{0}: no answer within {within} s.", within = LIST_TIMEOUT.as_secs())]
    Silent(String),
    /// The provider's error.
    #[error("{0}")]
    Failed(String),
    /// This provider answers after so many milliseconds, but does not list the model.
    #[error("{0} answers after {1} ms: the model is not among those that it lists.")]
    NotListed(String, u128),
}

/// Tests whether a model is available; returns a line for the person. Only asks for the provider's list, and sends
/// nothing to the model.
///
/// # Errors
/// When it is not available.
pub async fn test_model(provider: &Provider) -> Result<String, TrialError> {
    let ModelName { provider: name, model } = provider.name();
    let start = std::time::Instant::now();
    match tokio::time::timeout(LIST_TIMEOUT, provider.models()).await {
        Err(_) => Err(TrialError::Silent(name.clone())),
        Ok(Err(failure)) => Err(TrialError::Failed(sending::without_message(&failure.message))),
        Ok(Ok(models)) => {
            let ms = start.elapsed().as_millis();
            let has = models.iter().any(|told| told.name.model == *model);
            match (models.len(), has) {
                (0, _) => Ok(format!("{name} answers after {ms} ms: it lists no models.")),
                (_, true) => Ok(format!("{name} answers after {ms} ms: the model is there.")),
                (_, false) => Err(TrialError::NotListed(name.clone(), ms)),
            }
        }
    }
}

/// Formats a number of tokens: `8k`, `128k`, `1M`. Recognizes powers of two and of ten, as makers use both.
pub fn tokens(number: u64) -> String {
    let scaled = |by: u64, unit: &str| {
        let tenths = number.saturating_mul(10).saturating_add(by / 2) / by;
        match (tenths / 10, tenths % 10) {
            (whole, tenth) if whole < 10 && tenth > 0 => format!("{whole}.{tenth}{unit}"),
            (whole, _) => format!("{whole}{unit}"),
        }
    };
    let binary = number.is_multiple_of(1024) && !number.is_multiple_of(1000);
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 if binary => scaled(1024, "k"),
        1_000..1_000_000 => scaled(1000, "k"),
        _ if binary => scaled(1 << 20, "M"),
        _ => scaled(1_000_000, "M"),
    }
}

/// `$2.50/$10`: dollars for a million tokens of requests and of replies; `free` if both cost nothing.
pub fn price(price: &Price) -> String {
    // Billionths of a dollar a token are thousandths of a dollar a million.
    let dollars = |thousandths: u64| match (thousandths / 1000, thousandths % 1000) {
        (whole, 0) => format!("${whole}"),
        (whole, rest) if rest.is_multiple_of(10) => format!("${whole}.{:02}", rest / 10),
        (whole, rest) => format!("${whole}.{rest:03}"),
    };
    match (price.input, price.output) {
        (0, 0) => "free".into(),
        (input, output) => format!("{}/{}", dollars(input), dollars(output)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_prices_are_short() {
        for (number, text) in [
            (512, "512"),
            (4096, "4k"),
            (8192, "8k"),
            (32_768, "32k"),
            (128_000, "128k"),
            (131_072, "128k"),
            (200_000, "200k"),
            (16_385, "16k"),
            (1_500, "1.5k"),
            (1_000_000, "1M"),
            (1_048_576, "1M"),
            (1_047_576, "1M"),
            (2_500_000, "2.5M"),
        ] {
            assert_eq!(tokens(number), text);
        }
        let of = |input, output| price(&Price { input, output, cached: 0, cache_written: 0, long: None });
        assert_eq!(of(2_500, 10_000), "$2.50/$10");
        assert_eq!(of(75, 300), "$0.075/$0.30");
        assert_eq!(of(0, 0), "free");
    }

    #[test]
    fn what_the_configuration_says_counts_more_and_what_it_adds_is_offered() {
        let name = |model: &str| ModelName { provider: "p".into(), model: model.into() };
        let info = |model: &str, context| ModelInfo { context, ..ModelInfo::named(name(model)) };
        let (address, key, answer) = (None, KeyState::Needless, CatalogueAnswer::Asking);
        let source = ModelSource {
            offer: Offer { name: "p".into(), kind: "openai", address, local: false, key, answer },
            provider: Err(NotAsked::Story),
            known: vec![name("a"), name("c")],
            model_overrides: Arc::new(|told| {
                if told.name.model == "a" { ModelInfo { context: Some(1), ..told } } else { told }
            }),
        };
        let models = source.with_known(vec![info("b", Some(9)), info("a", Some(9))]);
        assert_eq!(models, [info("b", Some(9)), info("a", Some(1)), info("c", None)]);
    }
}

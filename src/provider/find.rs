//! Looks for model servers on this computer, at the addresses where they listen by default. Loopback only, no keys, all at
//! once and with a short time limit: a port where nobody listens costs nothing, one that is silent costs [`PATIENCE`].

use super::server::{Kind, Server};
use super::{Choice, Provider, Timeouts, address};
use crate::domain::{ModelInfo, ModelName};
use futures_util::future::join_all;
use std::time::Duration;

/// How long each server may take to answer.
const PATIENCE: Duration = Duration::from_millis(800);

/// A place where a server may listen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The provider's name in the configuration: `ollama`.
    pub provider: String,
    /// How it is spoken to.
    pub kind: Kind,
    /// Where: `http://127.0.0.1:11434`.
    pub base_url: String,
}

/// A model server that answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where it is.
    pub place: Place,
    /// The models that it offers.
    pub models: Vec<ModelInfo>,
}

/// Where model servers listen by default: Ollama, LM Studio, llama.cpp, vLLM.
pub fn usual() -> Vec<Place> {
    [
        ("ollama", Kind::Ollama, "http://127.0.0.1:11434"),
        ("lmstudio", Kind::OpenAi, "http://127.0.0.1:1234/v1"),
        ("llamacpp", Kind::OpenAi, "http://127.0.0.1:8080/v1"),
        ("vllm", Kind::OpenAi, "http://127.0.0.1:8000/v1"),
    ]
    .map(|(provider, kind, base_url)| Place { provider: provider.into(), kind, base_url: base_url.into() })
    .into()
}

/// The servers that answer now at their usual places.
pub async fn local() -> Vec<Found> {
    local_at(&usual()).await
}

/// The servers that answer now at these places. A place that is not on this computer is not asked.
pub async fn local_at(places: &[Place]) -> Vec<Found> {
    join_all(places.iter().map(look)).await.into_iter().flatten().collect()
}

async fn look(place: &Place) -> Option<Found> {
    let url = address::parse(&place.base_url).ok()?;
    if !address::is_loopback(&url) {
        return None;
    }
    let name = ModelName { provider: place.provider.clone(), model: "-".into() };
    let timeouts = Timeouts { connect: PATIENCE, first: PATIENCE, silence: PATIENCE };
    let server = Server { timeouts, ..Server::new(place.kind, name, place.base_url.clone()) };
    let provider = Provider::new(Choice::Server(server)).ok()?;
    let models = tokio::time::timeout(PATIENCE, provider.models()).await.ok()?.ok()?;
    Some(Found { place: place.clone(), models })
}

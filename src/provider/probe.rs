//! Looks for model servers on this computer, at the addresses where they listen by default. Loopback only, no keys.

use reqwest::{Client, Url, redirect};
use serde_json::Value;
use std::time::Duration;

/// Where model servers listen by default.
const KNOWN: [(&str, &str); 4] = [
    ("Ollama", "http://127.0.0.1:11434"),
    ("LM Studio", "http://127.0.0.1:1234"),
    ("llama.cpp", "http://127.0.0.1:8080"),
    ("vLLM", "http://127.0.0.1:8000"),
];
/// How long each may take to answer.
const PATIENCE: Duration = Duration::from_millis(800);
/// Bytes of an answer that are read.
const LARGEST: usize = 4 << 20;

/// A model server that answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// What listens there by default: `Ollama`.
    pub name: &'static str,
    /// Where it speaks the chat-completions protocol: `http://127.0.0.1:11434/v1`.
    pub base_url: String,
    /// The models that it offers.
    pub models: Vec<String>,
}

/// The servers that answer now.
pub async fn servers() -> Vec<Server> {
    let found = KNOWN.map(|(name, base)| async move {
        let models = tokio::time::timeout(PATIENCE, models(base)).await.ok().flatten()?;
        Some(Server { name, base_url: format!("{base}/v1"), models })
    });
    futures_util::future::join_all(found).await.into_iter().flatten().collect()
}

/// The names of the models that a server on this computer offers; `None`: it is no model server, or does not answer.
pub async fn models(base: &str) -> Option<Vec<String>> {
    let mut url: Url = base.parse().ok()?;
    if !super::address::is_loopback(&url) {
        return None;
    }
    let path = format!("{}/v1/models", url.path().trim_end_matches('/').trim_end_matches("/v1"));
    url.set_path(&path);
    super::http::install_crypto();
    let client = Client::builder().no_proxy().redirect(redirect::Policy::none()).build().ok()?;
    let mut response = client.get(url).send().await.ok()?.error_for_status().ok()?;
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.ok()? {
        body.extend_from_slice(&bytes);
        if body.len() > LARGEST {
            return None;
        }
    }
    let list: Value = serde_json::from_slice(&body).ok()?;
    let name = |model: &Value| model.get("id").and_then(Value::as_str).map(str::to_owned);
    Some(list.get("data")?.as_array()?.iter().filter_map(name).collect())
}

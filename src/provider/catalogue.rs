//! Asks a server which models it offers and what it knows of them. Most servers need one request; Ollama, llama.cpp
//! and LM Studio keep some facts elsewhere and need more. Bounded in time and size; a fact that a server does not
//! give stays unknown.

pub(super) mod model_list;

use super::http::Connection;
use crate::domain::{FailureKind, ModelInfo, ModelName, ModelRequest, ReplyEvent, ReplyFailure};
use futures_util::future::join_all;
use model_list::{Listing, ModelPage};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::sync::mpsc::Sender;

/// How long questions about one model may take: a request for a reply may be waiting for the answer.
const INFO_TIMEOUT: Duration = Duration::from_secs(4);
/// The most pages of a list that are read.
const MAX_PAGES: usize = 10;
/// The most models of Ollama whose details are asked for; each needs a request.
const MAX_MODELS: usize = 64;

/// A server, and its answer about the chosen model once it was asked.
#[derive(Debug)]
pub(super) struct CatalogueServer {
    connection: Connection,
    info: OnceCell<ModelInfo>,
}

impl CatalogueServer {
    pub(super) fn new(connection: Connection) -> Self {
        connection.learn_context(connection.access().context);
        Self { connection, info: OnceCell::new() }
    }

    /// Asks for a reply. A request to Ollama has to state the size of the context, so the model's own size is asked
    /// for first.
    pub(super) async fn ask(&self, request: &ModelRequest, out: &Sender<ReplyEvent>) {
        let wants_context = matches!(self.listing(), Listing::Names);
        if wants_context && self.connection.access().context.is_none() {
            tokio::select! {
                _ = self.info() => {}
                () = out.closed() => return,
            }
        }
        self.connection.ask(request, out).await;
    }

    pub(super) async fn models(&self) -> Result<Vec<ModelInfo>, ReplyFailure> {
        let mut models = match self.listing() {
            Listing::Names => self.ollama_models().await?,
            Listing::All => self.fetch_pages(None, model_list::page).await?,
            Listing::Paged { size, page, .. } => self.fetch_pages(Some(*size), *page).await?,
        };
        let local = self.connection.access().is_local();
        for model in &mut models {
            model.local = local;
        }
        models.sort_by(|a, b| a.name.model.cmp(&b.name.model));
        models.dedup_by(|a, b| a.name == b.name);
        Ok(models)
    }

    /// Facts about the chosen model; asks the server once.
    pub(super) async fn info(&self) -> ModelInfo {
        let asked = self.info.get_or_try_init(|| async {
            let told = tokio::time::timeout(INFO_TIMEOUT, self.ask_info()).await.ok().and_then(Result::ok);
            let told = told.ok_or(())?;
            self.connection.learn_context(self.connection.access().context.or(told.context));
            Ok::<_, ()>(told)
        });
        let access = self.connection.access();
        let mut info = asked.await.cloned().unwrap_or_else(|()| ModelInfo::named(access.name.clone()));
        info.local = access.is_local();
        info.context = access.context.or(info.context);
        info.output = access.max_output.or(info.output);
        info
    }

    async fn ask_info(&self) -> Result<ModelInfo, ReplyFailure> {
        let name = self.connection.access().name.clone();
        match self.listing() {
            Listing::Names => self.ollama_model(name).await,
            Listing::Paged { model: read, .. } => {
                let model = name.model.strip_prefix("models/").unwrap_or(&name.model);
                let value = self.get(&format!("/models/{model}")).await?;
                Ok(read(&value, &name.provider).unwrap_or_else(|| ModelInfo::named(name)))
            }
            Listing::All => {
                let listed = self.fetch_pages(None, model_list::page).await?;
                let found = listed.into_iter().find(|model| model.name == name);
                let mut info = found.unwrap_or_else(|| ModelInfo::named(name));
                if info.context.is_none() || info.tools.is_none() {
                    self.ask_elsewhere(&mut info).await;
                }
                Ok(info)
            }
        }
    }

    /// Asks self-hosted servers for facts that the list lacks: LM Studio has a second list, llama.cpp properties that
    /// include the context it was started with.
    async fn ask_elsewhere(&self, info: &mut ModelInfo) {
        // Self-hosted servers usually speak plain HTTP; servers of companies never do.
        if self.connection.access().url.scheme() != "http" {
            return;
        }
        if let Ok(value) = self.get("/../api/v0/models").await {
            let (all, _) = model_list::read_list(&value, &info.name.provider);
            if let Some(found) = all.into_iter().find(|model| model.name == info.name) {
                model_list::fill_missing(info, &found);
                return;
            }
        }
        if let Ok(value) = self.get("/../props").await {
            model_list::read_properties(&value, info);
        }
    }

    async fn fetch_pages(
        &self,
        size: Option<(&str, &str)>,
        read: fn(&Value, &str) -> Option<ModelPage>,
    ) -> Result<Vec<ModelInfo>, ReplyFailure> {
        let provider = &self.connection.access().name.provider;
        let mut all = Vec::new();
        let mut next: Option<(&str, String)> = None;
        for _ in 0..MAX_PAGES {
            let mut url = self.connection.access().sibling_url("/models");
            let next_page = next.as_ref().map(|(name, value)| (*name, value.as_str()));
            for (name, value) in size.into_iter().chain(next_page) {
                url.query_pairs_mut().append_pair(name, value);
            }
            let value = self.connection.fetch(self.connection.access().get(url)).await?;
            let page = read(&value, provider).ok_or_else(|| self.connection.access().identity.no_list())?;
            all.extend(page.models);
            next = page.next;
            if next.is_none() {
                break;
            }
        }
        Ok(all)
    }

    async fn ollama_models(&self) -> Result<Vec<ModelInfo>, ReplyFailure> {
        let value = self.get("/api/tags").await?;
        let provider = &self.connection.access().name.provider;
        let models = value["models"].as_array();
        let models = models.ok_or_else(|| self.connection.access().identity.no_list())?;
        let name =
            |model: &Value| model.get("name").or_else(|| model.get("model"))?.as_str().map(str::to_owned);
        let names =
            models.iter().filter_map(name).map(|model| ModelName { provider: provider.clone(), model });
        let asked = names.enumerate().map(|(place, name)| async move {
            let shown = if place < MAX_MODELS { self.ollama_model(name.clone()).await.ok() } else { None };
            shown.unwrap_or_else(|| ModelInfo::named(name))
        });
        Ok(join_all(asked).await)
    }

    /// Asks Ollama about one model.
    async fn ollama_model(&self, name: ModelName) -> Result<ModelInfo, ReplyFailure> {
        let access = self.connection.access();
        let request = access.post_to(access.sibling_url("/api/show"), &json!({ "model": name.model }));
        match self.connection.fetch(request).await {
            Ok(value) => Ok(model_list::read_model(&value, name)),
            // A server without this endpoint will not have it later either, so this answer is final.
            Err(failure) if matches!(failure.kind, FailureKind::NotFound | FailureKind::BadRequest) => {
                Ok(ModelInfo::named(name))
            }
            Err(failure) => Err(failure),
        }
    }

    async fn get(&self, path: &str) -> Result<Value, ReplyFailure> {
        let access = self.connection.access();
        self.connection.fetch(access.get(access.sibling_url(path))).await
    }

    fn listing(&self) -> &'static Listing {
        &self.connection.server.format.listing
    }
}

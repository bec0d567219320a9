//! Asks models for replies: a request goes in, [`ReplyEvent`]s come out through a bounded channel.
//!
//! Each language that servers speak is a format: a pure encoder and a pure decoder ([`format`]), and how its requests
//! are addressed and signed ([`protocol`]). There are five, each in a file of its own: `openai`, `responses`,
//! `anthropic`, `gemini` and `ollama`. They share `conversation` and `opaque_items` for what is sent; `framing`,
//! `accumulator` and `piece_decoder` for what arrives; `failure` for what goes wrong. `http` sends the requests of
//! all formats; `catalogue` asks which models there are; `script` and `scripted` play replies without a network. This
//! room does not decide what is asked and does not interpret replies.

mod accumulator;
mod address;
mod anthropic;
mod catalogue;
mod conversation;
mod failure;
#[cfg(test)]
mod faults;
mod format;
mod framing;
mod gemini;
mod http;
mod lazy;
mod ledger;
mod ollama;
mod opaque_items;
mod openai;
mod piece_decoder;
mod protocol;
mod quirks;
#[cfg(test)]
mod recordings;
#[cfg(test)]
mod requests;
mod responses;
mod retry;
pub mod script;
mod scripted;
mod server;
mod sse;

use crate::config::FormatKind;
use crate::domain::{ModelInfo, ModelName, ModelRequest, ReplyEvent, ReplyFailure};
use format::{Format, FormattedServer};
use script::Script;
use server::CheckedServer;
use std::sync::Arc;
use tokio::sync::mpsc::Sender;

pub(crate) use address::AddressError;
pub use lazy::{ConnectError, MakeProvider};
pub use ledger::requests_sent;
pub use server::Server;

/// Which source of replies is wanted.
#[derive(Clone, Debug)]
pub enum ProviderSetup {
    /// Scripted replies, no network.
    Scripted {
        /// The name shown for it.
        name: ModelName,
        /// The replies.
        story: Script,
    },
    /// A server of models.
    Server(Server),
}

/// Why a provider can't be created.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ProviderError {
    /// The address can't be used.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// A header can't be sent. The value is left out: it may be a secret.
    #[error("{}", crate::domain::sentences::sending::bad_header(.name, .provider, .why))]
    Header {
        /// The provider's name.
        provider: String,
        /// The header's name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The provider is a story (scripted replies): it has no server.
    #[error("{provider} is a story, and is asked at no address")]
    NoServer {
        /// The provider's name.
        provider: String,
    },
    /// The key holds something that no header can carry.
    #[error(
        "the key for {provider} holds a line break, a control or a letter outside of ASCII; paste it again"
    )]
    Key {
        /// The provider's name.
        provider: String,
    },
}

impl ProviderError {
    /// What to do about it, one line.
    pub fn hint(&self) -> String {
        match self {
            ProviderError::Address(e) => e.hint(),
            ProviderError::NoServer { .. } => "A story is named as scripted/NAME.".into(),
            ProviderError::Header { .. } => "Correct it under [providers.NAME] headers.".into(),
            ProviderError::Key { .. } => "A key is one line without blanks.".into(),
        }
    }
}

/// A source of replies. Cheap to make and to clone: no network and no TLS before the first request.
#[derive(Clone, Debug)]
pub struct Provider {
    name: ModelName,
    source: Arc<Transport>,
}

#[derive(Debug)]
enum Transport {
    Scripted(scripted::ScriptedProvider),
    Http(Box<catalogue::CatalogueServer>),
    Later(lazy::LazyProvider),
}

impl Provider {
    /// Makes a provider.
    pub fn new(choice: ProviderSetup) -> Result<Self, ProviderError> {
        match choice {
            ProviderSetup::Scripted { name, story } => {
                let source = Transport::Scripted(scripted::ScriptedProvider::new(name.clone(), story));
                Ok(Self { name, source: Arc::new(source) })
            }
            ProviderSetup::Server(server) => {
                let (name, timeouts) = (server.name.clone(), server.timeouts);
                let no_server = || ProviderError::NoServer { provider: name.provider.clone() };
                let format = format_of(server.kind).ok_or_else(no_server)?;
                let server =
                    FormattedServer { format, access: CheckedServer::new(server, &format.protocol)? };
                let connection = http::Connection::new(server, timeouts);
                let source = Transport::Http(Box::new(catalogue::CatalogueServer::new(connection)));
                Ok(Self { name, source: Arc::new(source) })
            }
        }
    }

    /// A provider that `make` creates on first use.
    pub(crate) fn later(name: ModelName, make: MakeProvider) -> Self {
        Self { name, source: Arc::new(Transport::Later(lazy::LazyProvider::new(make))) }
    }

    /// The opening text of a story, in Markdown, and the prompts that it suggests; `None` for a model, and for a
    /// story without one.
    pub(crate) fn opening(&self) -> Option<(&str, Vec<String>)> {
        match &*self.source {
            Transport::Scripted(player) => player.opening(),
            Transport::Http(_) | Transport::Later(_) => None,
        }
    }

    /// Whether a story answers instead of a model.
    pub(crate) fn is_story(&self) -> bool {
        matches!(&*self.source, Transport::Scripted(_))
    }

    pub(crate) fn name(&self) -> &ModelName {
        &self.name
    }

    /// Asks for a reply and sends its events to `out`: exactly one `Finished` or `Failed`, as the last. Dropping the
    /// future cancels: it closes the connection. Returns early when the receiver is dropped.
    pub async fn ask(&self, request: &ModelRequest, out: &Sender<ReplyEvent>) {
        match &*self.source {
            Transport::Scripted(player) => player.play(request, out).await,
            Transport::Http(server) => server.ask(request, out).await,
            Transport::Later(later) => match later.get_for_reply().await {
                Ok(provider) => Box::pin(provider.ask(request, out)).await,
                // An error only means that the receiver was dropped.
                Err(failure) => drop(out.send(ReplyEvent::Failed(failure)).await),
            },
        }
    }

    /// The models that the server offers, with what it says about each; a scripted provider has one. Returns within
    /// some seconds.
    pub async fn models(&self) -> Result<Vec<ModelInfo>, ReplyFailure> {
        match &*self.source {
            Transport::Scripted(player) => Ok(vec![player.info()]),
            Transport::Http(server) => server.models().await,
            Transport::Later(later) => Box::pin(later.get().await?.models()).await,
        }
    }

    /// What is known of the model: its context, tools, images, price. Asks the server within some seconds if it can
    /// answer, and remembers the answer. An unknown fact is `None`, also when the server does not answer.
    pub async fn info(&self) -> ModelInfo {
        match &*self.source {
            Transport::Scripted(player) => player.info(),
            Transport::Http(server) => server.info().await,
            Transport::Later(later) => match later.get_for_info().await {
                Some(provider) => Box::pin(provider.info()).await,
                None => ModelInfo::named(self.name.clone()),
            },
        }
    }
}

/// The formats that servers speak.
const FORMATS: [&Format; 5] =
    [&openai::FORMAT, &responses::FORMAT, &anthropic::FORMAT, &gemini::FORMAT, &ollama::FORMAT];

/// The format of a kind; `None` for a story, which has no server.
fn format_of(kind: FormatKind) -> Option<&'static Format> {
    FORMATS.into_iter().find(|format| format.kind == kind)
}

/// A server for tests.
#[cfg(test)]
fn fixture(kind: FormatKind, model: &str) -> FormattedServer {
    let format = format_of(kind).unwrap();
    FormattedServer { format, access: CheckedServer::fixture(kind, &format.protocol, model) }
}

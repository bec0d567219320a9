//! Models: where replies come from. A request goes in, [`ReplyEvent`]s come out through a bounded channel.
//!
//! What a server speaks is a [`wire`]: a pure encoder and a pure decoder. One file, `http`, carries every wire; `story`
//! and `scripted` need no network at all. This room does not decide what is asked and does not read what is answered.

mod address;
mod failure;
mod http;
mod openai;
pub mod probe;
mod redact;
mod retry;
mod scripted;
mod sse;
pub mod story;
mod wire;

use crate::domain::{ModelInfo, ModelName, ModelRequest, ReplyEvent, ReplyFailure};
use secrecy::SecretString;
use std::sync::Arc;
use std::time::Duration;
use story::Story;
use tokio::sync::mpsc::Sender;

pub use address::AddressError;

/// How long a model may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the connection stands.
    pub connect: Duration,
    /// Until the first piece of the reply, and between two pieces while the server only shows that it lives.
    pub first: Duration,
    /// Silence inside a reply: not one byte.
    pub silence: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            // A local model reads a long conversation for minutes before its first word.
            first: Duration::from_mins(5),
            silence: Duration::from_mins(2),
        }
    }
}

/// Which source of replies is wanted.
#[derive(Clone, Debug)]
pub enum Choice {
    /// Scripted replies, no network.
    Scripted {
        /// The name shown for it.
        name: ModelName,
        /// The replies.
        story: Story,
    },
    /// A server that speaks OpenAI's chat completions.
    OpenAi {
        /// The provider's name and the model's name there.
        name: ModelName,
        /// The address, with or without `/v1`.
        base_url: String,
        /// The key; local servers need none.
        key: Option<SecretString>,
        /// More headers; their values are held to be secrets too.
        headers: Vec<(String, String)>,
        /// How long it may take.
        timeouts: Timeouts,
    },
}

/// Why a provider can't be made from what was given.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ProviderError {
    /// The address can't be used.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// A header can't be sent. The value is left out: it may be a secret.
    #[error("the header `{name}` of {provider} can't be sent: {why}")]
    Header {
        /// The provider's name.
        provider: String,
        /// The header's name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
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
            ProviderError::Header { .. } => "Correct it under [providers.NAME] headers.".into(),
            ProviderError::Key { .. } => "A key is one line without blanks.".into(),
        }
    }
}

/// A source of replies. Cheap to make and to clone: no network and no TLS before the first request.
#[derive(Clone, Debug)]
pub struct Provider {
    name: ModelName,
    source: Arc<Source>,
}

#[derive(Debug)]
enum Source {
    Scripted(scripted::Player),
    Http(http::Connection),
}

impl Provider {
    /// Makes a provider.
    ///
    /// # Errors
    /// When the address, a header or the key can't be used.
    pub fn new(choice: Choice) -> Result<Self, ProviderError> {
        match choice {
            Choice::Scripted { name, story } => {
                let source = Source::Scripted(scripted::Player::new(name.clone(), story));
                Ok(Self { name, source: Arc::new(source) })
            }
            Choice::OpenAi { name, base_url, key, headers, timeouts } => {
                let wire = openai::OpenAi::new(&name, &base_url, key, headers)?;
                let source = Source::Http(http::Connection::new(Box::new(wire), timeouts));
                Ok(Self { name, source: Arc::new(source) })
            }
        }
    }

    /// Which model this is.
    pub fn name(&self) -> &ModelName {
        &self.name
    }

    /// Asks; what arrives is sent to `out`, `Finished` or `Failed` exactly once and last. Dropping the future cancels:
    /// the connection is closed. Returns early when nobody listens any more.
    pub async fn ask(&self, request: &ModelRequest, out: &Sender<ReplyEvent>) {
        match &*self.source {
            Source::Scripted(player) => player.play(request, out).await,
            Source::Http(connection) => connection.ask(request, out).await,
        }
    }

    /// The models that it offers.
    ///
    /// # Errors
    /// Why it could not be asked.
    pub async fn models(&self) -> Result<Vec<ModelInfo>, ReplyFailure> {
        std::future::ready(Ok(Vec::new())).await
    }

    /// Does what the first request would have to wait for (certificates are read from disk); no network. May block
    /// for some milliseconds: for a worker, after the first frame.
    pub fn warm(&self) {
        if let Source::Http(connection) = &*self.source {
            connection.warm();
        }
    }
}

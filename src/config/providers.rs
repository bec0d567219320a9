//! Defines the settings of providers, and the providers that are known without any file.

use crate::domain::word::words;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;
use strum::{IntoStaticStr, VariantNames};

/// A source of replies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Provider {
    /// The format that its server speaks.
    pub(crate) kind: FormatKind,
    /// Its own address. See [`Provider::address`] for the one in use.
    pub(crate) base_url: Option<String>,
    /// The address that the environment or an option gave for this start, instead of its own.
    #[serde(skip)]
    pub(crate) address_override: Option<String>,
    /// The environment variables that may hold its key; the first that is set counts. `None`: it needs no key.
    pub(crate) key_env: Option<OneOrMore>,
    /// A program that writes its key to standard output: a list is run as it is, a line by the shell.
    pub(crate) key_command: Option<OneOrMore>,
    /// Whether its key is in the system's keyring, which a program reads (see `keys`).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) keyring: bool,
    /// The model to use if none is named.
    pub(crate) model: Option<String>,
    /// Headers that are sent with every request.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) headers: BTreeMap<String, String>,
    /// Query parameters of every request, such as Azure's `api-version`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) query: BTreeMap<String, String>,
    /// Tokens of a conversation including the reply, for models about which nothing else is known.
    pub(crate) context: Option<u64>,
    /// The most tokens of a reply.
    pub(crate) max_output: Option<u64>,
    /// How much its models should think, if they can; `None`: the server's default.
    pub(crate) effort: Option<Effort>,
    /// Its time limits.
    pub(crate) timeouts: Timeouts,
    /// Models by name: they are offered even if the server does not list them, and these values override those of the
    /// server.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) models: BTreeMap<String, ModelChoice>,
}

/// Configured facts about a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ModelChoice {
    /// Tokens of a conversation including the reply.
    pub(crate) context: Option<u64>,
    /// The most tokens of a reply.
    pub(crate) max_output: Option<u64>,
    /// How much it should think.
    pub(crate) effort: Option<Effort>,
    /// Whether it can see images.
    pub(crate) images: Option<bool>,
}

/// How much a model should think before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantNames)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Effort {
    /// Little.
    Low,
    /// As much as usual.
    Medium,
    /// Much.
    High,
}

words!(Effort);

/// One text, or several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum OneOrMore {
    /// One.
    One(String),
    /// Several, in their order.
    Several(Vec<String>),
}

impl OneOrMore {
    pub(crate) fn all(&self) -> &[String] {
        match self {
            OneOrMore::One(text) => std::slice::from_ref(text),
            OneOrMore::Several(texts) => texts,
        }
    }
}

/// The format that a provider's server speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantNames)]
#[serde(rename = "ProviderKind", rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum FormatKind {
    /// Chat completions, which OpenAI and many others speak.
    #[default]
    Openai,
    /// OpenAI's Responses.
    OpenaiResponses,
    /// Anthropic's Messages.
    Anthropic,
    /// Gemini's `streamGenerateContent`.
    Gemini,
    /// Ollama's own API.
    Ollama,
    /// A story: scripted replies, no network.
    Scripted,
}

impl FormatKind {
    /// The kinds that have a server.
    pub const OF_SERVERS: [Self; 5] =
        [Self::Openai, Self::OpenaiResponses, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// The word in configuration and session files.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The address of its vendor's own server. Many servers speak as OpenAI's does, so a provider of that kind has to
    /// name its address: a forgotten line must not send a conversation to OpenAI.
    pub(crate) fn address(self) -> Option<&'static str> {
        match self {
            FormatKind::Openai | FormatKind::Scripted => None,
            FormatKind::OpenaiResponses => Some("https://api.openai.com/v1"),
            FormatKind::Anthropic => Some("https://api.anthropic.com"),
            FormatKind::Gemini => Some("https://generativelanguage.googleapis.com"),
            FormatKind::Ollama => Some("http://127.0.0.1:11434"),
        }
    }
}

impl Provider {
    /// The address in use: the one of the environment or of an option, else its own.
    pub(crate) fn address(&self) -> Option<&str> {
        self.address_override.as_deref().or_else(|| self.own_address())
    }

    /// Its own address: the configured one, else that of its kind. Stored keys belong to it.
    pub(crate) fn own_address(&self) -> Option<&str> {
        self.base_url.as_deref().or_else(|| self.kind.address())
    }
}

/// Cloud providers that speak as OpenAI does and whose models call tools; a model that refuses tools is asked again
/// without them.
const TOOL_CALLING_PROVIDERS: [&str; 4] =
    ["https://api.openai.com", "https://api.groq.com", "https://api.mistral.ai", "https://api.deepseek.com"];

impl Provider {
    /// Whether its models call tools, if that is known without asking: the formats of Anthropic and Gemini and the
    /// Responses include tools; chat completions are spoken by servers of all sorts.
    pub(crate) fn calls_tools(&self) -> Option<bool> {
        match self.kind {
            FormatKind::OpenaiResponses | FormatKind::Anthropic | FormatKind::Gemini => Some(true),
            FormatKind::Openai => {
                let place = self.address().and_then(super::origin)?;
                TOOL_CALLING_PROVIDERS.contains(&place.as_str()).then_some(true)
            }
            FormatKind::Ollama | FormatKind::Scripted => None,
        }
    }
}

/// Time limits of a provider; files give whole seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Timeouts {
    /// Until the connection is made.
    #[serde(with = "seconds")]
    pub connect: Duration,
    /// Until the first piece of the reply, and between two pieces even if keep-alive bytes arrive.
    #[serde(with = "seconds")]
    pub first_token: Duration,
    /// The longest time within a reply without a single byte.
    #[serde(with = "seconds")]
    pub silence: Duration,
}

mod seconds {
    use serde::{Deserialize as _, Deserializer, Serializer};
    use std::time::Duration;

    pub(super) fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(time.as_secs())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_secs)
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            // A local model may read a long conversation for minutes before its first word.
            first_token: Duration::from_mins(5),
            silence: Duration::from_mins(2),
        }
    }
}

/// The providers that are known without any file of the person. None if theirs is broken, which a test rules out.
pub(super) fn shipped() -> BTreeMap<String, Provider> {
    let mut known: BTreeMap<String, Provider> =
        toml::from_str(include_str!("../../assets/providers.toml")).unwrap_or_default();
    for provider in known.values_mut() {
        provider.base_url = provider.own_address().map(str::to_owned);
    }
    known
}

/// The order in which keys are searched if no model is chosen.
pub(crate) const KEY_SEARCH_ORDER: [&str; 7] =
    ["openai", "anthropic", "gemini", "openrouter", "groq", "deepseek", "mistral"];

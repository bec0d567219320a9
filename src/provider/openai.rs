//! The wire of OpenAI's chat completions, which OpenRouter, Groq, Ollama, llama.cpp, vLLM, LM Studio and many others
//! speak too. Here: the request. The reply is read by `decoder`.

mod calls;
mod chunk;
mod decoder;

pub(super) use decoder::OpenAiDecoder;

use super::ProviderError;
use super::address;
use super::failure::Asked;
use super::redact::Secrets;
use super::wire::{Decoder, HttpRequest, LeftOut, Wire};
use crate::domain::{ModelName, ModelRequest, Role};
use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;

/// A server that speaks chat completions.
#[derive(Debug)]
pub(super) struct OpenAi {
    asked: Asked,
    url: Url,
    secret_headers: Vec<(String, SecretString)>,
    secrets: Secrets,
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Said<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
}

#[derive(Serialize)]
struct Said<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

impl OpenAi {
    /// Checks what it is given, so that no request can fail for it later.
    pub(super) fn new(
        name: &ModelName,
        base_url: &str,
        key: Option<SecretString>,
        headers: Vec<(String, String)>,
    ) -> Result<Self, ProviderError> {
        let url = address::endpoint(base_url, "/chat/completions")?;
        let key = key.filter(|key| !key.expose_secret().trim().is_empty());
        let mut secret_headers = Vec::new();
        if let Some(key) = &key {
            let key = key.expose_secret().trim();
            if !key.bytes().all(|b| b.is_ascii_graphic()) {
                return Err(ProviderError::Key { provider: name.provider.clone() });
            }
            secret_headers.push(("authorization".to_owned(), SecretString::from(format!("Bearer {key}"))));
        }
        for (header, value) in headers {
            let wrong =
                |why| ProviderError::Header { provider: name.provider.clone(), name: header.clone(), why };
            HeaderName::from_bytes(header.as_bytes()).map_err(|_| wrong("that is no name of a header"))?;
            HeaderValue::from_str(&value).map_err(|_| wrong("its value holds a line break or a control"))?;
            let header = header.to_ascii_lowercase();
            secret_headers.retain(|(other, _)| *other != header);
            secret_headers.push((header, SecretString::from(value)));
        }
        let secrets = Secrets::new(secret_headers.iter().map(|(_, value)| value.clone()));
        let asked = Asked {
            provider: name.provider.clone(),
            model: name.model.clone(),
            host: address::host(&url),
            address: url.to_string(),
            has_key: !secret_headers.is_empty(),
        };
        Ok(Self { asked, url, secret_headers, secrets })
    }
}

impl Wire for OpenAi {
    fn asked(&self) -> &Asked {
        &self.asked
    }

    fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    fn url(&self) -> &Url {
        &self.url
    }

    fn encode(&self, request: &ModelRequest, left_out: LeftOut) -> HttpRequest {
        let messages = request
            .messages
            .iter()
            .map(|message| Said {
                role: match message.role {
                    Role::System => "system",
                    Role::Assistant => "assistant",
                    // Without an id of a call a server refuses the role `tool`; results are told by the user then.
                    Role::User | Role::Tool => "user",
                },
                content: &message.text,
            })
            .collect();
        let body = Body {
            model: &self.asked.model,
            messages,
            stream: true,
            stream_options: (!left_out.usage).then_some(StreamOptions { include_usage: true }),
        };
        HttpRequest {
            url: self.url.clone(),
            headers: vec![
                ("content-type", "application/json".into()),
                ("accept", "text/event-stream, application/json".into()),
            ],
            secret_headers: self.secret_headers.clone(),
            // Strings and flags only: this can't fail, and an empty body would be refused by every server.
            body: serde_json::to_vec(&body).unwrap_or_default(),
        }
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(OpenAiDecoder::new(self.asked.clone(), self.secrets.clone()))
    }
}

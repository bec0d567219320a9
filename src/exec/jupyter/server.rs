//! Client of a Jupyter Server, JupyterHub or Enterprise Gateway: manages kernels over REST; `web_socket` connects to one
//! over its WebSocket. The token is sent in a header, never in an address.

pub(super) mod web_socket;

use super::error::JupyterError;
use super::specs::Spec;
use super::token::ServerToken;
use crate::config::{JupyterExecutor, without_secrets};
use crate::exec::ledger;
use crate::launch::Launcher;
use crate::text::system_error::words;
use futures_util::StreamExt as _;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Client, Method, Response, StatusCode, Url};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::timeout;

const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);
/// The largest response of the server.
const MAX_ANSWER_BYTES: usize = 4 << 20;

#[derive(Clone)]
pub(super) struct JupyterServer {
    client: Client,
    base: Url,
    token: ServerToken,
}

impl JupyterServer {
    /// The configured server.
    ///
    /// # Errors
    /// When its address or its token can't be used.
    pub(super) async fn new(
        config: &JupyterExecutor,
        url: &str,
        programs: &Launcher,
    ) -> Result<Self, JupyterError> {
        let token = ServerToken::find(config, programs).await?;
        let server = |why: &str| JupyterError::Server { url: redacted(url), why: why.into() };
        let mut base = Url::parse(url).map_err(|_| server("has no address that can be used"))?;
        if base.query().is_some() || !base.username().is_empty() || base.password().is_some() {
            return Err(server(
                "must not have a token or password in its address: use token_env or token_command in \
                 [executors.jupyter]",
            ));
        }
        let local = matches!(base.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
        if base.scheme() == "http" && !local && token.expose().is_some() {
            return Err(server("would get the token over http, readable on the way: use https"));
        }
        let path = base.path().trim_end_matches('/').to_owned() + "/";
        base.set_path(&path);
        let mut headers = HeaderMap::new();
        if let Some(token) = token.expose() {
            let value = HeaderValue::from_str(&format!("token {token}"));
            let mut value =
                value.map_err(|_| JupyterError::Token("it holds characters that no token has".into()))?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        // An error means that a provider is already installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .user_agent(concat!("sayso/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers)
            .connect_timeout(Duration::from_secs(10))
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|_| server("can't be asked: no TLS on this machine"))?;
        Ok(Self { client, base, token })
    }

    /// The token that is sent with each request.
    pub(super) fn token(&self) -> &ServerToken {
        &self.token
    }

    /// Its address, for messages.
    pub(super) fn redacted(&self) -> String {
        redacted(self.base.as_str())
    }

    /// The kernels that it can start.
    ///
    /// # Errors
    /// When it does not answer as expected.
    pub(super) async fn specs(&self) -> Result<Vec<Spec>, JupyterError> {
        let answer = self.ask(Method::GET, &["api", "kernelspecs"], None).await?;
        let specs = answer.get("kernelspecs").and_then(Value::as_object).cloned().unwrap_or_default();
        let read = |(name, value): (String, Value)| Spec::read(&name, value.get("spec")?);
        Ok(specs.into_iter().filter_map(read).collect())
    }

    /// Starts a kernel and returns its id.
    ///
    /// # Errors
    /// As [`JupyterServer::specs`].
    pub(super) async fn start(&self, name: &str) -> Result<String, JupyterError> {
        let answer = self.ask(Method::POST, &["api", "kernels"], Some(json!({ "name": name }))).await?;
        let id = answer.get("id").and_then(Value::as_str);
        let plain = |id: &&str| {
            !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        };
        id.filter(plain)
            .map(str::to_owned)
            .ok_or_else(|| self.protocol_error("started a kernel without an id"))
    }

    /// Whether a kernel is busy; `None` if it no longer exists.
    ///
    /// # Errors
    /// As [`JupyterServer::specs`].
    pub(super) async fn busy(&self, id: &str) -> Result<Option<bool>, JupyterError> {
        let url = self.url(&["api", "kernels", id]);
        let answer = self.send(self.client.get(url)).await?;
        if answer.status() == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        let answer = self.body(answer).await?;
        Ok(Some(answer.get("execution_state").and_then(Value::as_str) == Some("busy")))
    }

    pub(super) async fn interrupt(&self, id: &str) {
        let _ = self.ask(Method::POST, &["api", "kernels", id, "interrupt"], Some(json!({}))).await;
    }

    /// Ends a kernel. Repeats the request, because a server that is just restarting a dead kernel refuses for a while.
    pub(super) async fn end(&self, id: &str) {
        for pause in [0, 200, 500, 1000, 2000, 4000] {
            tokio::time::sleep(Duration::from_millis(pause)).await;
            let _ = self.ask(Method::DELETE, &["api", "kernels", id], None).await;
            if matches!(self.busy(id).await, Ok(None)) {
                return;
            }
        }
    }

    /// Its host, with the port if one is set.
    fn host(&self) -> String {
        let host = self.base.host_str().unwrap_or_default();
        self.base.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    fn url(&self, parts: &[&str]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(parts);
        }
        url
    }

    async fn ask(&self, method: Method, parts: &[&str], body: Option<Value>) -> Result<Value, JupyterError> {
        let mut request = self.client.request(method, self.url(parts));
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = self.send(request).await?;
        self.body(answer).await
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> Result<Response, JupyterError> {
        let sent = timeout(ANSWER_TIMEOUT, request.send()).await;
        if !matches!(&sent, Ok(Err(error)) if error.is_connect() || error.is_builder()) {
            ledger::count_request(&self.host());
        }
        match sent {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => {
                Err(self.protocol_error(&format!("can't be reached: {}", innermost(&error.without_url()))))
            }
            Err(_) => Err(self.timeout_error()),
        }
    }

    async fn body(&self, answer: Response) -> Result<Value, JupyterError> {
        if !answer.status().is_success() {
            return Err(self.refused(answer.status()));
        }
        let read = async {
            let mut bytes = Vec::new();
            let mut pieces = answer.bytes_stream();
            while let Some(piece) = pieces.next().await {
                bytes.extend_from_slice(&piece.map_err(|_| self.protocol_error("broke off its answer"))?);
                if bytes.len() > MAX_ANSWER_BYTES {
                    return Err(self.protocol_error("answers without end"));
                }
            }
            Ok(bytes)
        };
        let bytes = timeout(ANSWER_TIMEOUT, read).await.map_err(|_| self.timeout_error())??;
        let bytes = self.token.mask(bytes);
        if bytes.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&bytes).map_err(|_| {
            self.protocol_error("answers with something that is no JSON: is it a Jupyter server?")
        })
    }

    fn protocol_error(&self, why: &str) -> JupyterError {
        JupyterError::Server { url: self.redacted(), why: self.token.masked(why.to_owned()) }
    }

    fn timeout_error(&self) -> JupyterError {
        self.protocol_error(&format!("did not answer within {} s", ANSWER_TIMEOUT.as_secs()))
    }

    fn refused(&self, status: StatusCode) -> JupyterError {
        self.protocol_error(&match status.as_u16() {
            401 | 403 | 300..=399 => {
                "refuses the token: set token_env or token_command in [executors.jupyter]".to_owned()
            }
            404 => "does not know what was asked for: is the address that of a Jupyter server?".to_owned(),
            code => format!("answers with status {code}"),
        })
    }
}

/// An address for messages, without parts that could be secret.
fn redacted(url: &str) -> String {
    without_secrets(url).trim_end_matches('/').chars().filter(|c| !c.is_control()).collect()
}

/// What the innermost cause of an error says.
fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    causes.last().map(words).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(token_command: Option<&str>) -> JupyterExecutor {
        JupyterExecutor { token_command: token_command.map(Into::into), ..JupyterExecutor::default() }
    }

    #[test]
    fn addresses_are_shown_without_secrets() {
        let expected = "https://hub.example.org/user/me";
        assert_eq!(redacted("https://me:pw@hub.example.org/user/me/?token=abc#x"), expected);
    }

    #[tokio::test]
    async fn tokens_go_nowhere_but_into_the_header() {
        let refused = |url: &'static str| async move {
            let made = JupyterServer::new(&config(Some("echo secret")), url, &Launcher::default()).await;
            made.map(drop).unwrap_err().to_string()
        };
        assert!(refused("https://hub.example.org/?token=abc").await.contains("must not have a token"));
        assert!(refused("https://me:pw@hub.example.org/").await.contains("must not have a token"));
        assert!(refused("http://hub.example.org/").await.contains("use https"));
        let (secret, programs) = (config(Some("echo secret")), Launcher::default());
        let server = JupyterServer::new(&secret, "https://hub.example.org/user/me", &programs).await.unwrap();
        let url = server.url(&["api", "kernels", "../x", "channels"]);
        assert_eq!(url.as_str(), "https://hub.example.org/user/me/api/kernels/..%2Fx/channels");
        for (command, why) in [("exit 3", "failed"), ("true", "prints nothing"), ("/nowhere/x", "failed")] {
            let made = JupyterServer::new(&config(Some(command)), "http://localhost:1", &programs).await;
            let error = made.map(drop).unwrap_err();
            assert!(error.to_string().contains(why), "{command}: {error}");
        }
    }
}

//! Builds the HTTP client (certificates, time limits) and its requests, and says why a request could not be sent.

use crate::config::Timeouts;
use crate::config::is_loopback;
use crate::domain::{Departure, FailureKind};
use crate::provider::failure::{ServerIdentity, ServerRefusal};
use crate::provider::retry::RetryAdvice;
use crate::provider::server::HttpRequest;
use crate::text::line::short_line;
use crate::text::system_error::words;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Url, redirect};
use secrecy::ExposeSecret;
use std::error::Error;
use std::sync::Once;
use std::time::Duration;

/// Installs the cryptography that TLS uses; without it building a client fails, even for http://.
fn install_crypto() {
    static RING: Once = Once::new();
    RING.call_once(|| {
        // An error means that one is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

/// Builds a client for this address. Certificates are read here, not before.
pub(super) fn client(connect: Duration, url: &Url) -> reqwest::Result<Client> {
    install_crypto();
    let mut builder = Client::builder()
        .user_agent(concat!("sayso/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect)
        .tcp_nodelay(true)
        .pool_idle_timeout(Duration::from_secs(90))
        .redirect(redirect::Policy::custom(follow));
    if is_loopback(url.as_str()) {
        // A proxy of the network can't reach this computer.
        builder = builder.no_proxy();
        if url.scheme() == "http" {
            // No TLS is needed (redirects stay in their origin), so reading all certificates would be wasted.
            builder = builder.tls_certs_only([]);
        }
    }
    builder.build()
}

/// Follows only redirects that keep the method (307, 308) within the same origin.
fn follow(attempt: redirect::Attempt) -> redirect::Action {
    let keeps_method = matches!(attempt.status().as_u16(), 307 | 308);
    let same = attempt.previous().last().is_some_and(|from| from.origin() == attempt.url().origin());
    if keeps_method && same && attempt.previous().len() <= 3 { attempt.follow() } else { attempt.stop() }
}

pub(super) fn build(client: &Client, request: HttpRequest) -> reqwest::RequestBuilder {
    let mut headers = HeaderMap::new();
    for (name, value) in request.headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(name, value);
        }
    }
    for (name, value) in request.secret_headers {
        if let (Ok(name), Ok(mut value)) =
            (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value.expose_secret()))
        {
            value.set_sensitive(true);
            headers.insert(name, value);
        }
    }
    match request.body {
        Some(body) => client.post(request.url).headers(headers).body(body),
        None => client.get(request.url).headers(headers),
    }
}

/// Why a request could not be sent, or got no answer.
pub(super) fn not_sent(asked: &ServerIdentity, error: &reqwest::Error, timeouts: Timeouts) -> ServerRefusal {
    let why = causes(error);
    let lower = why.to_lowercase();
    if error.is_connect() && error.is_timeout() {
        let why = format!("no connection within {:.0} s", timeouts.connect.as_secs_f64());
        asked.unreachable(FailureKind::TimedOut, &why).into()
    } else if error.is_dns() || lower.contains("dns error") || lower.contains("failed to lookup") {
        asked.unreachable(FailureKind::NameNotFound, "name not found").into()
    } else if lower.contains("certificate") || lower.contains("tls") || lower.contains("invalidmessage") {
        let what =
            if lower.contains("certificate") { "its certificate is not trusted" } else { "TLS failed" };
        let mut failure = asked.unreachable(FailureKind::Tls, what);
        failure.hint = format!("{} ({})", failure.hint, short_line(&root_cause(error)));
        failure.into()
    } else if lower.contains("connection refused") {
        asked.unreachable(FailureKind::Unreachable, "connection refused").into()
    } else if error.is_connect() {
        asked.unreachable(FailureKind::Unreachable, &root_cause(error)).into()
    } else {
        // The connection was made and broke before any answer, as with a restarting server.
        let mut failure =
            asked.unreachable(FailureKind::Unreachable, "the connection broke before any answer");
        failure.departure = Departure::Sent;
        ServerRefusal { failure, retry: RetryAdvice::Backoff }
    }
}

/// An error and its causes, the innermost last.
fn chain(error: &(dyn Error + 'static)) -> impl Iterator<Item = String> {
    std::iter::successors(Some(error), |&error| error.source()).map(ToString::to_string)
}

pub(super) fn causes(error: &(dyn Error + 'static)) -> String {
    chain(error).collect::<Vec<_>>().join(": ")
}

/// The innermost cause of an error.
fn root_cause(error: &(dyn Error + 'static)) -> String {
    words(&chain(error).last().unwrap_or_default())
}

//! The one file that touches the network: a client that is built once, requests with time limits, repetitions.
//!
//! It knows no wire: bytes go out and come in as a [`Wire`] says. Keys go to their own origin only, redirects to another
//! are not followed. Dropping the future of [`Connection::ask`] closes the connection.

use super::failure::{Answer, Asked, Refusal, one_line};
use super::retry::{self, Again, REPETITIONS};
use super::wire::{self, End, HttpRequest, LeftOut, Wire};
use super::{Timeouts, address};
use crate::domain::{FailureKind, ModelRequest, ReplyEvent, ReplyFailure};
use jiff::Timestamp;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, Url, redirect};
use secrecy::ExposeSecret;
use std::error::Error;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Once, OnceLock};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::Sender;
use tokio::time::timeout;

/// Bytes of an error's body that are read.
const ERROR_BODY: usize = 64 << 10;
/// How long counts are waited for when the model has said that it is done.
const COUNTS: Duration = Duration::from_secs(2);
/// How long the end of the body is waited for, so that the connection can be used again.
const LAST_BYTES: Duration = Duration::from_millis(50);

/// A server, and the client that speaks to it.
#[derive(Debug)]
pub(super) struct Connection {
    wire: Box<dyn Wire>,
    timeouts: Timeouts,
    client: OnceLock<Result<Client, String>>,
    /// The server refused to be asked for counts.
    no_usage: AtomicBool,
}

/// How a try ended. `None` in its place: nobody listens any more.
enum Tried {
    /// `Finished` or `Failed` was told.
    Over,
    /// It failed before any of the reply came.
    Refused(Refusal),
}

impl Connection {
    pub(super) fn new(wire: Box<dyn Wire>, timeouts: Timeouts) -> Self {
        Self { wire, timeouts, client: OnceLock::new(), no_usage: AtomicBool::new(false) }
    }

    /// Builds the client if that was not done yet.
    pub(super) fn warm(&self) {
        let _ = self.client();
    }

    fn client(&self) -> Result<&Client, ReplyFailure> {
        let built = self.client.get_or_init(|| client(self.timeouts.connect, self.wire.url()));
        built.as_ref().map_err(|why| self.wire.asked().unreachable(FailureKind::Tls, why))
    }

    /// Asks until there is a reply, a failure that stays, or nobody who listens.
    pub(super) async fn ask(&self, request: &ModelRequest, out: &Sender<ReplyEvent>) {
        let mut attempt = 0;
        loop {
            let left_out = LeftOut { usage: self.no_usage.load(Ordering::Relaxed) };
            let Some(Tried::Refused(refusal)) = self.once(request, left_out, out).await else { return };
            let Refusal { mut failure, again } = refusal;
            failure.message = self.wire.secrets().redact(&failure.message);
            failure.hint = self.wire.secrets().redact(&failure.hint);
            if again == Again::WithoutUsage && !left_out.usage {
                self.no_usage.store(true, Ordering::Relaxed);
                continue;
            }
            attempt += 1;
            let wait = if again == Again::WithoutUsage { None } else { again.wait(attempt, chance()) };
            let Some(wait) = wait else {
                let failure = given_up(failure, attempt - 1, again);
                let _ = out.send(ReplyEvent::Failed(failure)).await;
                return;
            };
            tracing::debug!(
                status = failure.status,
                attempt,
                wait_ms = wait.as_millis() as u64,
                "asking again"
            );
            let wait_ms = wait.as_millis() as u64;
            let told = ReplyEvent::Retrying { attempt, of: REPETITIONS, wait_ms, failure };
            if out.send(told).await.is_err() {
                return;
            }
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = out.closed() => return,
            }
        }
    }

    /// One request.
    async fn once(
        &self,
        request: &ModelRequest,
        left_out: LeftOut,
        out: &Sender<ReplyEvent>,
    ) -> Option<Tried> {
        let asked = self.wire.asked();
        let refused = |failure, again| Some(Tried::Refused(Refusal { failure, again }));
        let client = match self.client() {
            Ok(client) => client,
            Err(failure) => return refused(failure, Again::Never),
        };
        let began = Instant::now();
        let sending = build(client, self.wire.encode(request, left_out)).send();
        let sent = tokio::select! {
            sent = timeout(self.timeouts.first, sending) => sent,
            () = out.closed() => return None,
        };
        let response = match sent {
            Err(_) => return refused(asked.silent(self.timeouts.first, false), Again::Never),
            Ok(Err(error)) => return Some(Tried::Refused(not_sent(asked, &error, self.timeouts))),
            Ok(Ok(response)) => response,
        };
        tracing::debug!(
            status = response.status().as_u16(),
            ms = began.elapsed().as_millis() as u64,
            "answered"
        );
        if !response.status().is_success() {
            let answer = self.read_refusal(response).await;
            return Some(Tried::Refused(asked.refusal(&answer)));
        }
        out.send(ReplyEvent::Sent).await.ok()?;
        self.read_reply(response, began, out).await
    }

    /// Reads the reply and tells what comes.
    async fn read_reply(
        &self,
        mut response: Response,
        began: Instant,
        out: &Sender<ReplyEvent>,
    ) -> Option<Tried> {
        let mut decoder = self.wire.decoder();
        let mut events = Vec::new();
        let (mut begun, mut last_piece) = (false, began);
        loop {
            let rest = self.timeouts.first.saturating_sub(last_piece.elapsed());
            let patience = match (begun, decoder.settled()) {
                (_, true) => COUNTS,
                (true, false) => self.timeouts.silence.min(rest),
                (false, false) => rest,
            };
            let read = tokio::select! {
                read = timeout(patience, response.chunk()) => read,
                () = out.closed() => return None,
            };
            match read {
                Ok(Ok(Some(bytes))) => decoder.feed(&bytes, &mut events),
                Ok(Ok(None)) => decoder.end(End::Closed, &mut events),
                Ok(Err(_)) => decoder.end(End::Cut, &mut events),
                Err(_) if decoder.settled() => decoder.end(End::Closed, &mut events),
                Err(_) => events.push(ReplyEvent::Failed(self.wire.asked().silent(patience, begun))),
            }
            for event in events.drain(..) {
                if wire::is_reply(&event) {
                    (begun, last_piece) = (true, Instant::now());
                }
                if let ReplyEvent::Failed(failure) = &event
                    && !begun
                    && may_pass(failure.kind)
                {
                    return Some(Tried::Refused(Refusal { failure: failure.clone(), again: Again::Backoff }));
                }
                let is_last = wire::is_last(&event);
                let is_good = matches!(event, ReplyEvent::Finished(_));
                out.send(event).await.ok()?;
                if is_last {
                    if is_good {
                        let _ = timeout(LAST_BYTES, response.chunk()).await;
                    }
                    return Some(Tried::Over);
                }
            }
        }
    }

    /// Reads what an answer that is no success says, bounded in time and size.
    async fn read_refusal(&self, mut response: Response) -> Answer {
        let headers = response.headers();
        let header = |name: &str| headers.get(name).and_then(|v| v.to_str().ok());
        let now = header("date").and_then(retry::http_date).unwrap_or_else(Timestamp::now);
        let mut answer = Answer {
            status: response.status().as_u16(),
            retry_after: retry::retry_after(header("retry-after-ms"), header("retry-after"), now),
            should_retry: header("x-should-retry").and_then(|v| v.trim().parse().ok()),
            location: header("location").map(str::to_owned),
            body: String::new(),
        };
        let mut body = Vec::new();
        let patience = self.timeouts.silence.min(Duration::from_secs(10));
        while let Ok(Ok(Some(bytes))) = timeout(patience, response.chunk()).await {
            let room = ERROR_BODY.saturating_sub(body.len()).min(bytes.len());
            body.extend_from_slice(bytes.get(..room).unwrap_or_default());
            if room < bytes.len() {
                break;
            }
        }
        answer.body = self.wire.secrets().redact(&String::from_utf8_lossy(&body));
        answer
    }
}

/// Names the cryptography that TLS uses; building a client without it fails, for http:// too.
pub(super) fn install_crypto() {
    static RING: Once = Once::new();
    RING.call_once(|| {
        // An error says that one is installed already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

/// A client for this address. Certificates are read here, not before.
fn client(connect: Duration, url: &Url) -> Result<Client, String> {
    install_crypto();
    let mut builder = Client::builder()
        .user_agent(concat!("sayso/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect)
        .tcp_nodelay(true)
        .pool_idle_timeout(Duration::from_secs(90))
        .redirect(redirect::Policy::custom(follow));
    if address::is_loopback(url) {
        // A proxy of the network has no way to this computer.
        builder = builder.no_proxy();
    }
    builder.build().map_err(|e| causes(&e))
}

/// Follows a redirect that keeps the method (307, 308) inside of the same origin, and no other.
fn follow(attempt: redirect::Attempt) -> redirect::Action {
    let keeps_method = matches!(attempt.status().as_u16(), 307 | 308);
    let same = attempt.previous().last().is_some_and(|from| from.origin() == attempt.url().origin());
    if keeps_method && same && attempt.previous().len() <= 3 { attempt.follow() } else { attempt.stop() }
}

fn build(client: &Client, request: HttpRequest) -> reqwest::RequestBuilder {
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
    client.post(request.url).headers(headers).body(request.body)
}

/// Why a request could not be sent, or got no answer.
fn not_sent(asked: &Asked, error: &reqwest::Error, timeouts: Timeouts) -> Refusal {
    let why = causes(error);
    let lower = why.to_lowercase();
    let never = |failure| Refusal { failure, again: Again::Never };
    if error.is_connect() && error.is_timeout() {
        let why = format!("no connection within {:.0} s", timeouts.connect.as_secs_f64());
        never(asked.unreachable(FailureKind::TimedOut, &why))
    } else if error.is_dns() || lower.contains("dns error") || lower.contains("failed to lookup") {
        never(asked.unreachable(FailureKind::NameNotFound, "name not found"))
    } else if lower.contains("certificate") || lower.contains("tls") || lower.contains("invalidmessage") {
        let what =
            if lower.contains("certificate") { "its certificate is not trusted" } else { "TLS failed" };
        let mut failure = asked.unreachable(FailureKind::Tls, what);
        failure.hint = format!("{} ({})", failure.hint, one_line(&root(error)));
        never(failure)
    } else if lower.contains("connection refused") {
        never(asked.unreachable(FailureKind::Unreachable, "connection refused"))
    } else if error.is_connect() {
        never(asked.unreachable(FailureKind::Unreachable, &root(error)))
    } else {
        // The connection stood and broke before any answer: servers that restart do this.
        let failure = asked.unreachable(FailureKind::Unreachable, "the connection broke before any answer");
        Refusal { failure, again: Again::Backoff }
    }
}

/// An error with all its causes.
fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

/// The innermost cause of an error.
fn root(error: &dyn Error) -> String {
    let mut error = error;
    while let Some(cause) = error.source() {
        error = cause;
    }
    error.to_string()
}

/// Whether a failure that a stream begins with may be gone the next time.
fn may_pass(kind: FailureKind) -> bool {
    matches!(kind, FailureKind::RateLimit | FailureKind::Server)
}

/// What is told when nothing is asked again any more.
fn given_up(mut failure: ReplyFailure, repetitions: u32, again: Again) -> ReplyFailure {
    match again {
        Again::After(wait) if wait > retry::LONGEST_WAIT => {
            let seconds = wait.as_secs();
            failure.message = format!("{} The server asks to wait {seconds} s.", failure.message);
        }
        _ if repetitions > 0 => {
            let times = if repetitions == 1 { "once" } else { "times" };
            let count = if repetitions == 1 { String::new() } else { format!("{repetitions} ") };
            failure.message = format!("{} Asked again {count}{times} without success.", failure.message);
        }
        _ => {}
    }
    failure
}

/// Any number, another each time.
fn chance() -> u64 {
    RandomState::new().hash_one(0u8)
}

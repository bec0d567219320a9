//! The one place that touches the network: requests with time limits, repetitions, replies as they come. The client
//! itself is made in `client`, once, with the first request.
//!
//! It knows no wire: bytes go out and come in as a [`Wire`] says. Keys go to their own origin only, redirects to another
//! are not followed. Dropping the future of [`Connection::ask`] closes the connection.

mod client;

pub(super) use client::install_crypto;

use super::Timeouts;
use super::failure::{Answer, Refusal};
use super::retry::{self, Again, REPETITIONS};
use super::wire::{self, End, LeftOut, Wire};
use crate::domain::{FailureKind, ModelRequest, ReplyEvent, ReplyFailure};
use jiff::Timestamp;
use reqwest::{Client, Response};
use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
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
        let built = self.client.get_or_init(|| client::client(self.timeouts.connect, self.wire.url()));
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
        let sending = client::build(client, self.wire.encode(request, left_out)).send();
        let sent = tokio::select! {
            sent = timeout(self.timeouts.first, sending) => sent,
            () = out.closed() => return None,
        };
        let response = match sent {
            Err(_) => return refused(asked.silent(self.timeouts.first, false), Again::Never),
            Ok(Err(error)) => return Some(Tried::Refused(client::not_sent(asked, &error, self.timeouts))),
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

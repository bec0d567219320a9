//! Sends requests and reads replies as they arrive, with time limits and retries: the only code of this room that
//! uses the network. `client` builds the client once, for the first request.
//!
//! It knows no format: a [`FormattedServer`] encodes requests and decodes replies. Keys are sent only to their own
//! origin: redirects to another are not followed. Dropping the future of [`Connection::ask`] closes the connection.

mod client;
mod refusal;
mod reply;

use super::address;
use super::failure::{ServerIdentity, ServerRefusal};
use super::format::FormattedServer;
use super::ledger::RequestCount;
use super::quirks::{OptionalPart, RefusedParts, ServerQuirks};
use super::retry::{self, MAX_RETRIES, RetryAdvice};
use super::server::{CheckedServer, HttpRequest};
use crate::config::Timeouts;
use crate::domain::sentences::sending;
use crate::domain::{Departure, FailureKind, ModelRequest, ReplyEvent, ReplyFailure};
use crate::text::number::duration;
use reqwest::{Client, Response};
use serde_json::Value;
use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::Sender;
use tokio::time::timeout;

/// The most bytes of a list of models that are read.
const MAX_LIST_BYTES: usize = 16 << 20;

/// How long one request for a list may take.
const LIST_TIMEOUT: Duration = Duration::from_secs(15);

/// A server, and the client that sends requests to it.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) server: FormattedServer,
    timeouts: Timeouts,
    client: OnceLock<reqwest::Result<Client>>,
    /// Parts of requests that the server refused, as [`RefusedParts`].
    left_out: AtomicU8,
    /// The model's context in tokens; 0: not known.
    context: AtomicU64,
}

impl Connection {
    pub(super) fn new(server: FormattedServer, timeouts: Timeouts) -> Self {
        Self {
            server,
            timeouts,
            client: OnceLock::new(),
            left_out: AtomicU8::new(0),
            context: AtomicU64::new(0),
        }
    }

    pub(super) fn access(&self) -> &CheckedServer {
        &self.server.access
    }

    /// Stores the model's context in tokens.
    pub(super) fn learn_context(&self, tokens: Option<u64>) {
        self.context.store(tokens.unwrap_or(0), Ordering::Relaxed);
    }

    fn quirks(&self) -> ServerQuirks {
        let context = Some(self.context.load(Ordering::Relaxed)).filter(|tokens| *tokens > 0);
        ServerQuirks { refused: RefusedParts(self.left_out.load(Ordering::Relaxed)), context }
    }

    fn client(&self) -> Result<&Client, ReplyFailure> {
        let built = self.client.get_or_init(|| client::client(self.timeouts.connect, &self.access().url));
        built
            .as_ref()
            .map_err(|why| self.access().identity.unreachable(FailureKind::Tls, &client::causes(why)))
    }

    /// Repeats attempts until a reply ends, a failure is final, or the receiver is dropped.
    pub(super) async fn ask(&self, request: &ModelRequest, out: &Sender<ReplyEvent>) {
        let mut attempt = 0;
        loop {
            let known = self.quirks();
            let Some(refusal) = self.try_once(request, &known, out).await else { return };
            let ServerRefusal { failure, retry } = self.mask_keys(refusal);
            if let RetryAdvice::Without(part) = retry
                && self.leave_out(part, request, &known)
            {
                continue;
            }
            attempt += 1;
            let Some(wait) = retry.wait(attempt, random_number()) else {
                let failure = final_failure(failure, attempt - 1, retry);
                let _ = out.send(ReplyEvent::Failed(failure)).await;
                return;
            };
            let wait_ms = wait.as_millis() as u64;
            tracing::debug!(status = failure.status, attempt, wait_ms, "asking again");
            let told = ReplyEvent::Retrying { attempt, of: MAX_RETRIES, wait_ms, failure };
            if out.send(told).await.is_err() {
                return;
            }
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = out.closed() => return,
            }
        }
    }

    /// Leaves out a part from now on; returns false if that changes nothing in this request.
    fn leave_out(&self, part: OptionalPart, request: &ModelRequest, known: &ServerQuirks) -> bool {
        let without = ServerQuirks { refused: known.refused.with(part), ..*known };
        let changes = self.server.encode(request, known) != self.server.encode(request, &without);
        if changes {
            self.left_out.fetch_or(without.refused.0, Ordering::Relaxed);
        }
        changes
    }

    fn mask_keys(&self, mut refusal: ServerRefusal) -> ServerRefusal {
        let secrets = &self.access().secrets;
        refusal.failure.message = secrets.mask_message(&refusal.failure.message);
        refusal.failure.hint = secrets.mask_message(&refusal.failure.hint);
        refusal
    }

    /// Asks for JSON that is not a reply, such as a list of models: once, within [`LIST_TIMEOUT`].
    pub(super) async fn fetch(&self, request: HttpRequest) -> Result<Value, ReplyFailure> {
        let address = address::display_url(&request.url);
        let refusal = match timeout(LIST_TIMEOUT, self.fetch_whole(request)).await {
            Ok(Ok(body)) => match serde_json::from_slice(&body) {
                Ok(value) => return Ok(value),
                Err(_) => ServerIdentity { address, ..self.access().identity.clone() }.no_list().into(),
            },
            Ok(Err(refusal)) => refusal,
            Err(_) => self.access().identity.timed_out(LIST_TIMEOUT, false, false).into(),
        };
        Err(self.mask_keys(refusal).failure)
    }

    async fn fetch_whole(&self, request: HttpRequest) -> Result<Vec<u8>, ServerRefusal> {
        let asked =
            ServerIdentity { address: address::display_url(&request.url), ..self.access().identity.clone() };
        let client = self.client()?;
        let mut response = self.send(client, request, &asked).await?;
        if !response.status().is_success() {
            let answer = self.read_refusal(response).await;
            return Err(asked.refusal(&answer));
        }
        let mut body = Vec::new();
        while let Some(bytes) = response.chunk().await.map_err(|_| asked.cut(false))? {
            body.extend_from_slice(&bytes);
            if body.len() > MAX_LIST_BYTES {
                return Err(asked.not_a_model(None, "a list without end").into());
            }
        }
        Ok(body)
    }

    /// Sends a request and waits for its answer. Counts it unless it is known that nothing was sent, even if this is
    /// dropped before the answer.
    async fn send(
        &self,
        client: &Client,
        request: HttpRequest,
        asked: &ServerIdentity,
    ) -> Result<Response, ServerRefusal> {
        let count = RequestCount::new(self.access());
        let sent = client::build(client, request).send().await;
        let sent = sent.map_err(|error| client::not_sent(asked, &error, self.timeouts));
        if sent.as_ref().is_err_and(|refusal| refusal.failure.departure == Departure::Never) {
            count.never_sent();
        }
        sent
    }

    /// Asks once. `None`: the end of the reply was sent, or the receiver was dropped; else it failed before any of the
    /// reply arrived.
    async fn try_once(
        &self,
        request: &ModelRequest,
        known: &ServerQuirks,
        out: &Sender<ReplyEvent>,
    ) -> Option<ServerRefusal> {
        let asked = &self.access().identity;
        let client = match self.client() {
            Ok(client) => client,
            Err(failure) => return Some(failure.into()),
        };
        let began = Instant::now();
        let body = self.server.encode(request, known);
        let sending = self.send(client, self.access().post(&body), asked);
        let sent = tokio::select! {
            sent = timeout(self.timeouts.first_token, sending) => sent,
            () = out.closed() => return None,
        };
        let response = match sent {
            Err(_) => return Some(asked.timed_out(self.timeouts.first_token, false, false).into()),
            Ok(Err(refusal)) => return Some(refusal),
            Ok(Ok(response)) => response,
        };
        tracing::debug!(
            status = response.status().as_u16(),
            ms = began.elapsed().as_millis() as u64,
            "answered"
        );
        if !response.status().is_success() {
            let answer = self.read_refusal(response).await;
            return Some(asked.refusal(&answer));
        }
        out.send(ReplyEvent::Sent).await.ok()?;
        self.read_reply(response, self.server.decoder(&body), began, out).await
    }
}

/// The failure to report when no retry follows.
fn final_failure(mut failure: ReplyFailure, repetitions: u32, retry: RetryAdvice) -> ReplyFailure {
    match retry {
        RetryAdvice::After(wait) if wait > retry::MAX_RETRY_WAIT => {
            let wait = duration(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
            failure.message = format!("{} The server asks to wait {wait}.", failure.message);
        }
        _ if repetitions > 0 => {
            failure.message = sending::repeated(&failure.message, repetitions);
        }
        _ => {}
    }
    failure
}

fn random_number() -> u64 {
    RandomState::new().hash_one(0u8)
}

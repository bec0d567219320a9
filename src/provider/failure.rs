//! Turns what went wrong into a message for the person, and decides whether asking again can help. Pure: values in,
//! values out.
//!
//! Texts of servers are hostile: they are cut to one short line without control characters. The caller masks keys.

mod body;

pub(super) use body::ErrorBody;

use super::quirks::OptionalPart;
use super::retry::RetryAdvice;
use crate::domain::sentences::sending::{self, NOT_AGAIN};
use crate::domain::{Departure, FailureKind, ReplyFailure};
use crate::text::line::short_line;
pub(super) use crate::text::number::grouped;
use reqwest::Url;
use std::time::Duration;

/// The server that is asked, as messages name it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ServerIdentity {
    /// The provider's name as configured.
    pub(super) provider: String,
    pub(super) model: String,
    /// The host, with its port if the address has one.
    pub(super) host: String,
    /// The address to which requests are sent.
    pub(super) address: String,
    /// Whether a key is sent.
    pub(super) has_key: bool,
}

/// A failure, and whether to ask again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ServerRefusal {
    pub(super) failure: ReplyFailure,
    pub(super) retry: RetryAdvice,
}

/// A failure that asking again does not help.
impl From<ReplyFailure> for ServerRefusal {
    fn from(failure: ReplyFailure) -> Self {
        Self { failure, retry: RetryAdvice::Never }
    }
}

/// An answer that is not a reply: its status, some of its headers, its body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ServerAnswer {
    pub(super) status: u16,
    /// How long the server asks to wait.
    pub(super) retry_after: Option<Duration>,
    /// The server itself says whether asking again can help (`x-should-retry`).
    pub(super) should_retry: Option<bool>,
    /// The address that it redirects to.
    pub(super) location: Option<String>,
    /// The start of its body, without keys.
    pub(super) body: String,
}

impl ServerIdentity {
    /// The connection could not be made.
    pub(super) fn unreachable(&self, kind: FailureKind, why: &str) -> ReplyFailure {
        let why = short_line(why);
        let host = match kind {
            FailureKind::NameNotFound => self.host.split(':').next().unwrap_or(&self.host),
            _ => &self.host,
        };
        let hint = match kind {
            FailureKind::NameNotFound => sending::CHECK_NETWORK.to_owned(),
            FailureKind::Tls => "Check the address: http:// or https://, and the certificate.".to_owned(),
            _ => format!("Is the server running? It is asked at {}.", self.address),
        };
        ReplyFailure {
            departure: Departure::Never,
            ..failure(kind, None, format!("Cannot reach {host}: {why}."), hint)
        }
    }

    /// Nothing arrived in time. `begun`: some of the reply had arrived; `kept`: of it some text or reasoning.
    pub(super) fn timed_out(&self, after: Duration, begun: bool, kept: bool) -> ReplyFailure {
        let seconds = after.as_secs_f64();
        let time = if seconds < 10.0 { format!("{seconds:.1} s") } else { format!("{seconds:.0} s") };
        if begun {
            let what = format!("{} went silent for {time} inside the reply.", self.host);
            broken_off(FailureKind::TimedOut, &what, kept, NOT_COMPLETE)
        } else {
            let message = format!("No reply from {} within {time}.", self.host);
            let hint = "A large model may need longer: raise the time limit of the provider.";
            failure(FailureKind::TimedOut, None, message, hint)
        }
    }

    /// The connection broke. `kept`: some text or reasoning had arrived.
    pub(super) fn cut(&self, kept: bool) -> ReplyFailure {
        let what = format!("The connection to {} broke inside the reply.", self.host);
        broken_off(FailureKind::Cut, &what, kept, NOT_COMPLETE)
    }

    /// The reply is longer than sayso accepts. `kept`: some text or reasoning of it had arrived.
    pub(super) fn too_long(limit: usize, kept: bool) -> ReplyFailure {
        let what = format!("The reply is longer than {} MiB: the rest was not read.", limit >> 20);
        broken_off(FailureKind::Cut, &what, kept, "Ask for less at a time.")
    }

    /// Something in the stream can't be read.
    pub(super) fn malformed(&self, why: &str, kept: bool) -> ReplyFailure {
        let what = format!("{} answered with what can't be read.", self.host);
        broken_off(FailureKind::Malformed, &what, kept, &short_line(why))
    }

    /// The answer is not a reply at all.
    pub(super) fn not_a_model(&self, status: Option<u16>, what: &str) -> ReplyFailure {
        let message = format!("{} answered with {what}, not as a model.", self.host);
        let hint = format!("Check the address: {} was asked.", self.address);
        ReplyFailure { departure: Departure::Sent, ..failure(FailureKind::NotAModel, status, message, hint) }
    }

    /// The answer to the request for a list of models is none.
    pub(super) fn no_list(&self) -> ReplyFailure {
        self.not_a_model(None, "something that is no list")
    }

    /// The conversation is too long. `status`: with which the server said so; `None`: this was known before sending.
    pub(super) fn overflow(&self, tokens: Option<(u64, u64)>, status: Option<u16>) -> ReplyFailure {
        let departure = if status.is_some() { Departure::Sent } else { Departure::Never };
        let end = sending::too_long(departure);
        let message = match tokens {
            Some((needs, limit)) => {
                format!("This chat needs {} of {} tokens. {end}", grouped(needs), grouped(limit))
            }
            None => format!("This chat is longer than {} can read. {end}", self.model),
        };
        let hint = "Start a new chat, or use a model with a longer context.";
        ReplyFailure { departure, ..failure(FailureKind::Overflow, status, message, hint) }
    }

    /// Classifies an answer other than success.
    pub(super) fn refusal(&self, answer: &ServerAnswer) -> ServerRefusal {
        let body = ErrorBody::read(&answer.body);
        let mut refusal = self.classify_status(answer, &body);
        refusal.failure.departure = Departure::Sent;
        match (refusal.retry, answer.should_retry) {
            (RetryAdvice::Backoff | RetryAdvice::Loading | RetryAdvice::After(_), Some(false)) => {
                ServerRefusal { retry: RetryAdvice::Never, ..refusal }
            }
            _ => refusal,
        }
    }

    fn classify_status(&self, answer: &ServerAnswer, body: &ErrorBody) -> ServerRefusal {
        let (status, provider) = (answer.status, &self.provider);
        let said = self.error_message(body);
        if status != 429 && body.is_overflow() && (400..=500).contains(&status) {
            // The tokens reserved for the reply count here: a smaller reservation may fit.
            let retry = if body.blames_limit() {
                RetryAdvice::Without(OptionalPart::Limit)
            } else {
                RetryAdvice::Never
            };
            return ServerRefusal { failure: self.overflow(body.tokens(), Some(status)), retry };
        }
        if status != 429 && body.refuses_tools() && (400..=501).contains(&status) {
            return self.no_tools(status, said).into();
        }
        let retry = answer.retry_after.or(body.retry_after).map_or(RetryAdvice::Backoff, RetryAdvice::After);
        match status {
            300..=399 => self.redirected(status, answer.location.as_deref()).into(),
            401 | 403 => self.key_refused(status, said).into(),
            400 if body.is_wrong_key() => self.key_refused(status, said).into(),
            404 | 405 => self.not_found(status, body, said).into(),
            402 => self.unpaid(status, said).into(),
            400 if body.is_unpaid() => self.unpaid(status, said).into(),
            429 if body.is_quota() => {
                let message = format!("The quota of the key for {provider} is used up (429). {NOT_AGAIN}");
                failure(FailureKind::RateLimit, Some(status), message, said).into()
            }
            429 if body.is_too_large() => {
                let what = format!("The request alone is larger than {provider} allows in a minute (429).");
                failure(FailureKind::RateLimit, Some(status), format!("{what} {NOT_AGAIN}"), said).into()
            }
            429 => ServerRefusal {
                failure: failure(FailureKind::RateLimit, Some(status), "Rate limit.", said),
                retry,
            },
            408 | 409 | 425 => {
                let message = format!("{provider} could not take the request ({status}).");
                ServerRefusal { failure: failure(FailureKind::Server, Some(status), message, said), retry }
            }
            500..=599 => self.failed(status, body, said, retry),
            _ if body.is_page => self.not_a_model(Some(status), "a web page").into(),
            _ if body.is_unknown_model() => self.not_found(status, body, said).into(),
            _ => {
                let retry = body.refused_part().map_or(RetryAdvice::Never, RetryAdvice::Without);
                ServerRefusal { failure: self.bad_request(status, said), retry }
            }
        }
    }

    /// Classifies an error inside a stream whose status was 200.
    pub(super) fn refused_inside(&self, body: &ErrorBody, kept: bool) -> ServerRefusal {
        let status = body.status.unwrap_or(if body.is_overload() { 503 } else { 500 });
        let mut refusal = self.classify_status(&ServerAnswer { status, ..ServerAnswer::default() }, body);
        let failure = &mut refusal.failure;
        failure.status = body.status;
        failure.departure = Departure::Sent;
        if body.status.is_none() {
            // Only assumed: the server named no status.
            failure.message = failure.message.replace(&format!(" ({status})"), "");
        }
        if kept && matches!(failure.kind, FailureKind::Server | FailureKind::BadRequest) {
            failure.message = format!("{} failed inside the reply. {}", self.provider, sending::of_cut(true));
        }
        refusal
    }

    fn error_message(&self, body: &ErrorBody) -> String {
        if body.message.is_empty() {
            format!("{} gave no reason.", self.host)
        } else {
            format!("{} says: {}", self.host, short_line(&body.message))
        }
    }

    fn redirected(&self, status: u16, location: Option<&str>) -> ReplyFailure {
        let to = location.map_or("another address".into(), short_line);
        let host = &self.host;
        let message = match (location.is_some_and(|to| self.is_own(to)), status) {
            (false, _) => format!("{host} sends on to {to} ({status}). {}", sending::NO_KEYS_THERE),
            // These two are followed, but not without end.
            (true, 307 | 308) => format!("{host} keeps sending on, at last to {to} ({status})."),
            (true, _) => format!("{host} sends on to {to} ({status}). {}", sending::NOTHING_THERE),
        };
        let hint = "If that is right, set it as the base address.";
        failure(FailureKind::BadRequest, Some(status), message, hint)
    }

    /// Whether an address, which may be relative, is of the origin that was asked.
    fn is_own(&self, address: &str) -> bool {
        let Ok(asked) = Url::parse(&self.address) else { return false };
        asked.join(address).is_ok_and(|to| to.origin() == asked.origin())
    }

    fn key_refused(&self, status: u16, said: String) -> ReplyFailure {
        if self.has_key {
            let message = sending::key_refused(&self.provider, status);
            failure(FailureKind::Refused, Some(status), message, said)
        } else {
            let message = format!("{} wants a key ({status}) and none is set. {NOT_AGAIN}", self.provider);
            let hint =
                format!("Set the key for {} in the environment or in credentials.toml.", self.provider);
            failure(FailureKind::NoKey, Some(status), message, hint)
        }
    }

    fn not_found(&self, status: u16, body: &ErrorBody, said: String) -> ReplyFailure {
        let (message, hint) = if body.names_the_model() {
            (format!("{} does not know the model {} ({status}).", self.provider, self.model), said)
        } else if body.is_structured && status != 405 {
            (format!("{} found nothing for the model {} ({status}).", self.provider, self.model), said)
        } else {
            let hint = format!("Is /v1 missing? Or is the model {} not there?", self.model);
            (format!("No model answers at {} ({status}).", self.address), hint)
        };
        failure(FailureKind::NotFound, Some(status), message, hint)
    }

    fn failed(&self, status: u16, body: &ErrorBody, said: String, retry: RetryAdvice) -> ServerRefusal {
        let (message, retry) = if body.is_loading() {
            let retry = if retry == RetryAdvice::Backoff { RetryAdvice::Loading } else { retry };
            (format!("{} is still loading the model ({status}).", self.host), retry)
        } else if matches!(status, 503 | 529) || body.is_overload() {
            (format!("{} is overloaded ({status}).", self.provider), retry)
        } else {
            (format!("{} failed ({status}).", self.provider), retry)
        };
        // Not implemented, or an unsupported version of HTTP: waiting does not help.
        let retry = if matches!(status, 501 | 505) { RetryAdvice::Never } else { retry };
        ServerRefusal { failure: failure(FailureKind::Server, Some(status), message, said), retry }
    }

    fn unpaid(&self, status: u16, said: String) -> ReplyFailure {
        let message = format!("{} asks to be paid ({status}). {NOT_AGAIN}", self.provider);
        failure(FailureKind::Refused, Some(status), message, said)
    }

    fn no_tools(&self, status: u16, said: String) -> ReplyFailure {
        let message =
            format!("{} can't be given tools for the model {} ({status}).", self.provider, self.model);
        failure(FailureKind::NoTools, Some(status), message, said)
    }

    fn bad_request(&self, status: u16, said: String) -> ReplyFailure {
        let message = format!("{} did not accept the request ({status}). {NOT_AGAIN}", self.provider);
        failure(FailureKind::BadRequest, Some(status), message, said)
    }
}

/// A failure with its message and hint; whether the request left is unknown.
pub(super) fn failure(
    kind: FailureKind,
    status: Option<u16>,
    message: impl Into<String>,
    hint: impl Into<String>,
) -> ReplyFailure {
    ReplyFailure { kind, status, message: message.into(), hint: hint.into(), departure: Departure::Unknown }
}

/// What to do about a reply that broke off.
const NOT_COMPLETE: &str = "The reply is not complete: ask again.";

/// The failure of a reply that broke off. `kept`: some text or reasoning of it had arrived.
fn broken_off(kind: FailureKind, what: &str, kept: bool, hint: &str) -> ReplyFailure {
    let message = format!("{what} {}", sending::of_cut(kept));
    ReplyFailure { departure: Departure::Sent, ..failure(kind, None, message.trim_end(), hint) }
}

#[cfg(test)]
mod tests;

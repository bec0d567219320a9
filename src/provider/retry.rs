//! Decides whether to retry a request, and how long to wait. Pure: time and random numbers arrive as arguments.

use super::quirks::OptionalPart;
use jiff::Timestamp;
use std::time::Duration;

/// The most retries of a request.
pub(super) const MAX_RETRIES: u32 = 5;
/// The longest wait that a server may ask for; for a longer one the person decides.
pub(super) const MAX_RETRY_WAIT: Duration = Duration::from_mins(5);

/// What to do after a request that failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RetryAdvice {
    /// Don't retry: it would fail again.
    #[default]
    Never,
    /// Retry; wait longer each time.
    Backoff,
    /// The model is being loaded: retry; wait longer each time, from a larger start.
    Loading,
    /// Retry after the time that the server named.
    After(Duration),
    /// Retry at once, without this part of the request.
    Without(OptionalPart),
}

impl RetryAdvice {
    /// How long to wait before retry `attempt` (from 1); `None`: don't retry. `chance` is a random number.
    pub(super) fn wait(self, attempt: u32, chance: u64) -> Option<Duration> {
        if attempt > MAX_RETRIES {
            return None;
        }
        // Between 75 % and 125 %, so that many clients that failed together don't retry together.
        let spread = |ms: u64| Duration::from_millis(ms * 3 / 4 + chance % (ms / 2).max(1));
        let doubled = 1u64 << (attempt.saturating_sub(1)).min(16);
        match self {
            // `Without` arrives here only if the part was already left out.
            RetryAdvice::Never | RetryAdvice::Without(_) => None,
            RetryAdvice::Backoff => Some(spread((500 * doubled).min(30_000))),
            RetryAdvice::Loading => Some(spread((2_000 * doubled).min(30_000))),
            // Never earlier than asked for.
            RetryAdvice::After(wait) if wait <= MAX_RETRY_WAIT => {
                Some(wait + Duration::from_millis(chance % 250))
            }
            RetryAdvice::After(_) => None,
        }
    }
}

/// Parses when a server wants the retry: `retry-after-ms`, or `retry-after` in seconds or as a date. `now` is the
/// server's own `date` if it sent one, so that a wrong clock here does no harm.
pub(super) fn retry_after(ms: Option<&str>, after: Option<&str>, now: Timestamp) -> Option<Duration> {
    let seconds = |text: &str, unit: f64| {
        let value: f64 = text.trim().parse().ok()?;
        (value.is_finite() && value >= 0.0).then(|| Duration::from_millis((value * unit).min(1e12) as u64))
    };
    if let Some(wait) = ms.and_then(|text| seconds(text, 1.0)) {
        return Some(wait);
    }
    let after = after?;
    seconds(after, 1000.0).or_else(|| {
        let wait = http_date(after)?.duration_since(now);
        Some(Duration::try_from(wait).unwrap_or(Duration::ZERO))
    })
}

/// Parses an HTTP date: `Wed, 21 Oct 2015 07:28:00 GMT`.
pub(super) fn http_date(text: &str) -> Option<Timestamp> {
    let zoned = jiff::fmt::rfc2822::DateTimeParser::new().parse_zoned(text.trim()).ok()?;
    Some(zoned.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(ms: Option<&str>, after: Option<&str>) -> Option<f64> {
        let now = http_date("Wed, 21 Oct 2015 07:28:00 GMT").unwrap();
        retry_after(ms, after, now).map(|d| d.as_secs_f64())
    }

    #[test]
    fn every_form_of_retry_after() {
        assert_eq!(seconds(None, Some("18")), Some(18.0));
        assert_eq!(seconds(None, Some(" 0.5 ")), Some(0.5));
        assert_eq!(seconds(Some("250"), Some("18")), Some(0.25));
        assert_eq!(seconds(None, Some("Wed, 21 Oct 2015 07:28:30 GMT")), Some(30.0));
        assert_eq!(seconds(None, Some("Wed, 21 Oct 2015 07:00:00 GMT")), Some(0.0));
        for broken in ["", "soon", "-3", "NaN", "inf", "Wed, 99 Oct"] {
            assert_eq!(seconds(None, Some(broken)), None, "{broken}");
        }
        assert!(seconds(None, Some("1e300")).unwrap() > 1e6);
        assert_eq!(seconds(None, None), None);
    }

    #[test]
    fn waits_grow_and_end() {
        let waits: Vec<_> = (1..=MAX_RETRIES).map(|n| RetryAdvice::Backoff.wait(n, 7).unwrap()).collect();
        assert!(waits.windows(2).all(|w| w[0] < w[1]), "{waits:?}");
        assert_eq!(RetryAdvice::Backoff.wait(MAX_RETRIES + 1, 7), None);
        assert_eq!(RetryAdvice::Never.wait(1, 7), None);
    }

    #[test]
    fn chance_keeps_the_order_of_waits_and_never_comes_too_early() {
        for chance in [0, 1, 499, u64::MAX] {
            let first = RetryAdvice::Backoff.wait(1, chance).unwrap();
            let second = RetryAdvice::Backoff.wait(2, u64::MAX - chance).unwrap();
            assert!(first >= Duration::from_millis(375) && first <= second, "{first:?} {second:?}");
            assert!(
                RetryAdvice::After(Duration::from_secs(2)).wait(1, chance).unwrap() >= Duration::from_secs(2)
            );
        }
        assert_eq!(RetryAdvice::After(Duration::from_secs(301)).wait(1, 0), None);
    }
}

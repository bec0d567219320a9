//! Reviews in bounded time, such that the same text gets the same findings however busy the machine is.

use crate::domain::{Language, Review, TextOrigin, Trace};
use crate::engine::provenance::TracedTexts;
use crate::review::{self, Scope};
use std::time::Duration;

/// The most processor time that a worker may use for one text. What a review finds depends on counted steps, which take
/// a second or two at most. This limit is far above them, and a busy machine does not bring it nearer, because only the
/// worker's own processor time counts.
const REVIEW_TIMEOUT: Duration = Duration::from_secs(30);

/// Reviews a text. The same text gets the same review, however busy the machine is.
pub(crate) fn review_in_time(source: &str, language: Option<&Language>, scope: &Scope) -> Review {
    review::review_while(source, language, scope, &time_budget(REVIEW_TIMEOUT))
}

/// Finds which words of a text came from an output or a file.
pub(super) fn traces_in_time(source: &str, language: Option<&Language>, earlier: &TracedTexts) -> Vec<Trace> {
    let texts: Vec<(&str, TextOrigin)> = earlier.iter().map(|(text, from)| (&**text, *from)).collect();
    review::provenance::trace(source, language, &texts, &time_budget(REVIEW_TIMEOUT))
}

/// A check that is true until this thread has used this much more processor time.
fn time_budget(longest: Duration) -> impl Fn() -> bool {
    let end = thread_time() + longest;
    move || thread_time() < end
}

/// The processor time of this thread.
fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(seconds.unwrap_or_default(), nanos.unwrap_or_default())
}

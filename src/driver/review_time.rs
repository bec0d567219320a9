//! Reviews in bounded time: the same text gets the same findings, however busy the machine is.

use crate::domain::{Language, Review, TextOrigin, Trace};
use crate::engine::provenance::TracedTexts;
use crate::review::{self, Scope};
use std::time::Duration;

/// A worker that looks at one text is ended after so much time of its own. What a review finds depends on counted steps,
/// which take a second or two at the most; this is far above them, and no busy machine brings it nearer, because only the
/// time counts in which the worker itself was running.
const REVIEW_TIMEOUT: Duration = Duration::from_secs(30);

/// The review of a text. The same text gets the same one, however busy the machine is.
pub(crate) fn review_in_time(source: &str, language: Option<&Language>, scope: &Scope) -> Review {
    review::review_while(source, language, scope, &time_budget(REVIEW_TIMEOUT))
}

/// Which words of a text came from an output or a file.
pub(super) fn traces_in_time(source: &str, language: Option<&Language>, earlier: &TracedTexts) -> Vec<Trace> {
    let texts: Vec<(&str, TextOrigin)> = earlier.iter().map(|(text, from)| (&**text, *from)).collect();
    review::provenance::trace(source, language, &texts, &time_budget(REVIEW_TIMEOUT))
}

/// Whether this thread has still worked for less than so much from now on.
fn time_budget(longest: Duration) -> impl Fn() -> bool {
    let end = thread_time() + longest;
    move || thread_time() < end
}

/// How long this thread has been running on a processor.
fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(seconds.unwrap_or_default(), nanos.unwrap_or_default())
}

//! Creates a provider on first use: the program that writes its key may be slow and must not delay the first frame.

use super::{Provider, ProviderError};
use crate::domain::sentences::sending;
use crate::domain::{Departure, FailureKind, ReplyFailure};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::OnceCell;

/// How old a failure of the question about the model is at most to be that of the request that waited for its answer.
const JUST_NOW: Duration = Duration::from_secs(1);

/// Why a provider can't be created.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}. {hint}")]
pub struct ConnectError {
    /// What is wrong, without a full stop.
    pub(crate) what: String,
    /// What to do about it.
    pub(crate) hint: String,
}

impl ConnectError {
    /// From what is wrong, and what to do about it.
    pub fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { what: what.into(), hint: hint.into() }
    }
}

impl From<ProviderError> for ConnectError {
    fn from(error: ProviderError) -> Self {
        Self::new(error.to_string(), error.hint())
    }
}

/// Creates the provider; may block.
pub type MakeProvider = Arc<dyn Fn() -> Result<Provider, ConnectError> + Send + Sync>;

/// A provider that is created on first use.
pub(super) struct LazyProvider {
    make: MakeProvider,
    made: OnceCell<Provider>,
    failures: Mutex<Failures>,
}

/// How often the provider could not be created, and why the last time.
#[derive(Default)]
struct Failures {
    count: u64,
    last: Option<ReplyFailure>,
    /// The failure of the question about the model, which nobody was told.
    untold: Option<(Instant, ReplyFailure)>,
}

impl fmt::Debug for LazyProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Later").field("made", &self.made).finish_non_exhaustive()
    }
}

impl LazyProvider {
    pub(super) fn new(make: MakeProvider) -> Self {
        Self { make, made: OnceCell::new(), failures: Mutex::default() }
    }

    /// The provider, created if necessary. After a failure the next request tries again; one that waited meanwhile fails
    /// with it, as it would otherwise ask the person for the same password once more.
    pub(super) async fn get(&self) -> Result<&Provider, ReplyFailure> {
        let before = self.failures().count;
        let make = || async {
            if let Some(failure) = self.failure_since(before) {
                return Err(failure);
            }
            let make = self.make.clone();
            let made = match tokio::task::spawn_blocking(move || make()).await {
                Ok(made) => made.map_err(|error| {
                    cannot_connect(format!("{}. {}", error.what, sending::NOTHING), error.hint)
                }),
                Err(error) => Err(cannot_connect(error.to_string(), String::new())),
            };
            made.inspect_err(|failure| self.note(failure))
        };
        self.made.get_or_try_init(make).await
    }

    /// The provider, to ask it about the model.
    pub(super) async fn get_for_info(&self) -> Option<&Provider> {
        let got = self.get().await;
        got.inspect_err(|failure| self.failures().untold = Some((Instant::now(), failure.clone()))).ok()
    }

    /// The provider, to ask it for a reply. A request that waited until the model was asked about fails with that.
    pub(super) async fn get_for_reply(&self) -> Result<&Provider, ReplyFailure> {
        let untold = self.failures().untold.take();
        match untold.filter(|(at, _)| at.elapsed() < JUST_NOW) {
            Some((_, failure)) => Err(failure),
            None => self.get().await,
        }
    }

    fn failure_since(&self, before: u64) -> Option<ReplyFailure> {
        let failures = self.failures();
        failures.last.clone().filter(|_| failures.count > before)
    }

    fn note(&self, failure: &ReplyFailure) {
        let mut failures = self.failures();
        failures.count += 1;
        failures.last = Some(failure.clone());
    }

    fn failures(&self) -> MutexGuard<'_, Failures> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn cannot_connect(message: String, hint: String) -> ReplyFailure {
    ReplyFailure { kind: FailureKind::NoKey, status: None, message, hint, departure: Departure::Never }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ModelName, ModelRequest, Purpose, ReplyEvent, StepId};
    use crate::provider::ProviderSetup;
    use crate::provider::script::Script;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[tokio::test]
    async fn it_is_made_once_when_it_is_needed_and_tried_again_after_a_failure() {
        let name = ModelName { provider: "scripted".into(), model: "x".into() };
        let calls = Arc::new(AtomicU32::new(0));
        let (count, of) = (calls.clone(), name.clone());
        let provider = Provider::later(
            name,
            Arc::new(move || {
                if count.fetch_add(1, Ordering::SeqCst) == 0 {
                    return Err(ConnectError::new("the key_command of x wrote nothing", "Correct it."));
                }
                let story = Script::parse("[[reply]]\ntext = \"hello\"", "x").unwrap();
                Ok(Provider::new(ProviderSetup::Scripted { name: of.clone(), story }).unwrap())
            }),
        );
        assert_eq!(calls.load(Ordering::SeqCst), 0, "nothing runs before it is needed");
        let ask = async || {
            let (sender, mut events) = tokio::sync::mpsc::channel(64);
            provider.ask(&ModelRequest::new(StepId(1), Purpose::Answer, Vec::new()), &sender).await;
            drop(sender);
            let mut all = Vec::new();
            while let Some(event) = events.recv().await {
                all.push(event);
            }
            all
        };
        let first = ask().await;
        let [ReplyEvent::Failed(failure)] = first.as_slice() else { panic!("{first:?}") };
        assert_eq!(failure.message, "the key_command of x wrote nothing. Nothing was sent.");
        assert!(ask().await.iter().any(|e| matches!(e, ReplyEvent::Finished(_))));
        assert!(provider.models().await.is_ok());
        assert_eq!(calls.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn a_request_behind_the_question_about_the_model_fails_with_it() {
        let calls = Arc::new(AtomicU32::new(0));
        let count = calls.clone();
        let lazy = LazyProvider::new(Arc::new(move || {
            count.fetch_add(1, Ordering::SeqCst);
            Err(ConnectError::new("the key_command of x ended with exit code 3", "Correct it."))
        }));
        assert!(lazy.get_for_info().await.is_none());
        let failure = lazy.get_for_reply().await.unwrap_err();
        assert_eq!(failure.message, "the key_command of x ended with exit code 3. Nothing was sent.");
        assert_eq!(calls.load(Ordering::SeqCst), 1, "it asked the person only once");
        assert!(lazy.get_for_reply().await.is_err());
        assert_eq!(calls.load(Ordering::SeqCst), 2, "the next one tries again");
    }

    #[tokio::test]
    async fn requests_that_wait_for_the_same_attempt_fail_together() {
        let calls = Arc::new(AtomicU32::new(0));
        let count = calls.clone();
        let lazy = LazyProvider::new(Arc::new(move || {
            count.fetch_add(1, Ordering::SeqCst);
            Err(ConnectError::new("the key_command of x gave no key within 30 s", "Correct it."))
        }));
        let (first, second) = tokio::join!(lazy.get(), lazy.get());
        assert_eq!(first.unwrap_err(), second.unwrap_err());
        assert_eq!(calls.load(Ordering::SeqCst), 1);
        assert!(lazy.get().await.is_err());
        assert_eq!(calls.load(Ordering::SeqCst), 2);
    }
}

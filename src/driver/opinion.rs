//! The second opinion: sends a request beside the turn and collects its whole answer, in bounded time and size.

use super::rooms::IoRooms;
use super::sources::Signal;
use crate::domain::{BlockId, ModelName, ModelRequest, OpinionReply, ReplyEvent, Revision, Usage};
use crate::engine::{Event, does_not_fit};
use crate::provider::Provider;
use std::time::Duration;
use tokio::sync::mpsc;

/// Later answers are discarded.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
/// Longer answers are discarded.
const MAX_ANSWER_BYTES: usize = 64 << 10;
const MAX_REMARKS: usize = 4;
const CHANNEL_CAPACITY: usize = 64;

/// Why there is no answer, in words that follow the name of the model.
#[derive(Debug, thiserror::Error)]
enum NoAnswer {
    #[error("it grew too long")]
    TooLong,
    #[error("it broke off")]
    BrokenOff,
    #[error("it did not come within {} s", .0.as_secs())]
    TooLate(Duration),
    /// The request has more tokens than the model's context.
    #[error("{0}")]
    NoRoom(String),
    /// The provider's error.
    #[error("{0}")]
    Failed(String),
}

impl IoRooms {
    /// Asks a model about a block. The answer comes as an event, exactly once.
    pub(super) fn request_opinion(
        &self,
        block: BlockId,
        revision: Revision,
        wanted: Option<ModelName>,
        request: ModelRequest,
    ) {
        let provider = match &wanted {
            Some(name) => (self.connect)(name).map_err(|error| error.to_string()),
            None => self.provider.clone().ok_or_else(|| "no model is chosen yet".into()),
        };
        let inbox = self.inbox();
        let masker = self.scope.masker.clone();
        let model = provider.as_ref().ok().map(|provider| provider.name().clone()).or(wanted);
        let asking = async move {
            let request = masker.without_shapes().mask(request).into_inner();
            match provider {
                Ok(provider) => Ok(gather(&provider, &request, ANSWER_TIMEOUT).await),
                Err(why) => Err(why),
            }
        };
        tokio::spawn(async move {
            let answer = answered(asking).await.unwrap_or_else(|why| {
                let model = model.unwrap_or(ModelName { provider: String::new(), model: String::new() });
                OpinionReply { model, text: Err(why), usage: Usage::default(), remarks: Vec::new() }
            });
            let _ = inbox.send(Signal::Event(Event::OpinionArrived(block, revision, Box::new(answer)))).await;
        });
    }
}

/// The answer, or why there is none: also if asking panics, because the screen waits for it.
async fn answered(
    asking: impl Future<Output = Result<OpinionReply, String>> + Send + 'static,
) -> Result<OpinionReply, String> {
    tokio::spawn(asking).await.unwrap_or_else(|error| {
        tracing::error!(%error, "asking for a second opinion broke off");
        Err(NoAnswer::BrokenOff.to_string())
    })
}

async fn gather(provider: &Provider, request: &ModelRequest, timeout: Duration) -> OpinionReply {
    let (mut usage, mut remarks) = (Usage::default(), Vec::new());
    let asking = async {
        // The judge may have a smaller context than the model in use. (The provider remembers this answer.)
        match does_not_fit(request, &provider.info().await) {
            Some(why) => Err(NoAnswer::NoRoom(why)),
            None => listen(provider, request, &mut usage, &mut remarks).await,
        }
    };
    let text = tokio::time::timeout(timeout, asking).await;
    let text = text.unwrap_or(Err(NoAnswer::TooLate(timeout))).map_err(|why| why.to_string());
    OpinionReply { model: provider.name().clone(), text, usage, remarks }
}

/// Reads the reply to its end. Dropping the future closes the connection.
async fn listen(
    provider: &Provider,
    request: &ModelRequest,
    usage: &mut Usage,
    remarks: &mut Vec<String>,
) -> Result<String, NoAnswer> {
    let (sender, mut events) = mpsc::channel(CHANNEL_CAPACITY);
    let asking = async {
        provider.ask(request, &sender).await;
        // The end of the reply may still be in the channel; it is read below.
        std::future::pending::<()>().await;
    };
    let mut text = String::new();
    let hearing = async {
        while let Some(event) = events.recv().await {
            match event {
                ReplyEvent::Delta(more) => {
                    text.push_str(&more);
                    if text.len() > MAX_ANSWER_BYTES {
                        return Err(NoAnswer::TooLong);
                    }
                }
                ReplyEvent::Usage(told) => *usage = told,
                ReplyEvent::Remark(remark) if remarks.len() < MAX_REMARKS => remarks.push(remark),
                ReplyEvent::Failed(failure) => return Err(NoAnswer::Failed(failure.message)),
                ReplyEvent::Finished(finish) if !finish.reason.complete() => {
                    return Err(NoAnswer::BrokenOff);
                }
                ReplyEvent::Finished(_) => return Ok(std::mem::take(&mut text)),
                _ => {}
            }
        }
        Err(NoAnswer::BrokenOff)
    };
    tokio::select! {
        heard = hearing => heard,
        () = asking => Err(NoAnswer::BrokenOff),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Message, Purpose, Role, StepId};
    use crate::provider::ProviderSetup;
    use crate::provider::script::Script;
    use crate::test_folder::allowing_panics;

    #[test]
    fn an_opinion_that_panics_is_an_answer_too() {
        let answer = allowing_panics(answered(async { panic!("a fault in asking") }));
        assert_eq!(answer, Err("it broke off".to_owned()));
    }

    /// The reply that results from a story's answer.
    async fn gathered(reply: &str, timeout: Duration) -> OpinionReply {
        let name = ModelName { provider: "scripted".into(), model: "judge".into() };
        let story = Script::parse(&format!("[[reply]]\npurpose = \"judge\"\n{reply}\n"), "test").unwrap();
        let provider = Provider::new(ProviderSetup::Scripted { name, story }).unwrap();
        let messages = vec![Message::new(Role::User, "x")];
        gather(&provider, &ModelRequest::new(StepId(1), Purpose::Opinion, messages), timeout).await
    }

    #[tokio::test]
    async fn an_answer_is_gathered_whole() {
        let story = "text = \"all of it\"\npace = 300\nusage = { input = 7, output = 2 }";
        let got = gathered(story, ANSWER_TIMEOUT).await;
        assert_eq!(got.text.as_deref(), Ok("all of it"));
        assert_eq!(got.usage.input, Some(7));
        assert_eq!(got.model.to_string(), "scripted/judge");
    }

    #[tokio::test]
    async fn a_request_that_does_not_fit_is_not_sent() {
        let name = ModelName { provider: "scripted".into(), model: "judge".into() };
        let story = "context = 100\n[[reply]]\npurpose = \"judge\"\ntext = \"x\"\n";
        let provider =
            Provider::new(ProviderSetup::Scripted { name, story: Script::parse(story, "test").unwrap() })
                .unwrap();
        let asked = |words: &str| {
            ModelRequest::new(StepId(1), Purpose::Opinion, vec![Message::new(Role::User, words.repeat(100))])
        };
        let got = gather(&provider, &asked("many words "), ANSWER_TIMEOUT).await;
        assert!(got.text.unwrap_err().contains("the model's context has 100"));
        assert_eq!(gather(&provider, &asked("x"), ANSWER_TIMEOUT).await.text.as_deref(), Ok("x"));
    }

    #[tokio::test]
    async fn a_late_one_is_none() {
        let story = "text = \"all of it\"\nstall_ms = 600000\nstall_after = 3";
        let got = gathered(story, Duration::from_millis(50)).await;
        assert_eq!(got.text, Err("it did not come within 0 s".to_owned()));
    }

    #[tokio::test]
    async fn a_long_one_a_cut_one_and_a_failed_one_are_none() {
        let long = gathered("text = \"0123456789abcdef\"\nrepeat = 5000", ANSWER_TIMEOUT).await;
        assert_eq!(long.text, Err("it grew too long".to_owned()));
        let cut = gathered("text = \"half\"\nfinish = \"length\"", ANSWER_TIMEOUT).await;
        assert_eq!(cut.text, Err("it broke off".to_owned()));
        let failed = gathered("error = { status = 401 }", ANSWER_TIMEOUT).await;
        assert!(failed.text.unwrap_err().contains("refused"), "the provider's words");
    }
}

//! Plays a story: sends the replies of a pretended model, at its pace and with its failures. No network.

use super::failure::{ServerAnswer, ServerIdentity, ServerRefusal, failure};
use super::retry::MAX_RETRIES;
use super::script::{Cause, Script, ScriptChoice, ScriptedError, ScriptedReply, StoryPosition};
use crate::domain::{
    FailureKind, Finish, FinishReason, ModelInfo, ModelName, ModelRequest, ReplyEvent, ToolCall,
};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::Sender;
use tokio::time::Instant;

/// The shortest time between two pieces of text: a screen can't show more anyway.
const SEND_INTERVAL: Duration = Duration::from_millis(5);
/// Tokens in one piece if the story has no pace.
const BURST_TOKENS: usize = 16;

/// Plays a story and remembers the position in it.
#[derive(Debug)]
pub(super) struct ScriptedProvider {
    name: ModelName,
    story: Script,
    position: Mutex<StoryPosition>,
}

/// The receiver of the events was dropped.
struct ReceiverGone;

impl ScriptedProvider {
    pub(super) fn new(name: ModelName, story: Script) -> Self {
        Self { name, story, position: Mutex::default() }
    }

    /// The opening text of the story and its prompts.
    pub(super) fn opening(&self) -> Option<(&str, Vec<String>)> {
        let text = self.story.opening();
        (!text.is_empty()).then(|| (text, self.story.prompts()))
    }

    /// Facts about the pretended model.
    pub(super) fn info(&self) -> ModelInfo {
        ModelInfo {
            context: self.story.context(),
            tools: Some(true),
            local: true,
            ..ModelInfo::named(self.name.clone())
        }
    }

    pub(super) async fn play(&self, request: &ModelRequest, out: &Sender<ReplyEvent>) {
        // The lock is released at the end of this block, before any await.
        let chosen = {
            let mut position = self.position.lock().unwrap_or_else(PoisonError::into_inner);
            position.choose(&self.story, request)
        };
        let _ = match chosen {
            ScriptChoice::Reply(reply) => self.reply(reply, out).await,
            ScriptChoice::Prompts(text) => self.list_prompts(&text, out).await,
            ScriptChoice::Nothing => {
                let message = "This story has no further reply.";
                let hint = "Start it anew, or choose a model.";
                send(out, ReplyEvent::Failed(failure(FailureKind::NoReply, None, message, hint))).await
            }
        };
    }

    async fn list_prompts(&self, text: &str, out: &Sender<ReplyEvent>) -> Result<(), ReceiverGone> {
        send(out, ReplyEvent::Sent).await?;
        stream(out, text, 0..text.len(), 0, ReplyEvent::Delta).await?;
        send(out, ReplyEvent::Finished(Finish { reason: FinishReason::Stop, word: Some("stop".into()) }))
            .await
    }

    async fn reply(&self, reply: &ScriptedReply, out: &Sender<ReplyEvent>) -> Result<(), ReceiverGone> {
        if let Some(fault) = &reply.fault
            && !self.fail(fault, out).await?
        {
            return Ok(());
        }
        send(out, ReplyEvent::Sent).await?;
        let reasoning = &reply.reasoning;
        stream(out, reasoning, 0..reasoning.len(), reply.pace, ReplyEvent::Reasoning).await?;
        let end = reply.cut_after.map_or(reply.text.len(), |at| reply.text.floor_char_boundary(at));
        let mut from = 0;
        if let Some((ms, before)) = reply.stall {
            from = reply.text.floor_char_boundary(before).min(end);
            stream(out, &reply.text, 0..from, reply.pace, ReplyEvent::Delta).await?;
            pause(out, Duration::from_millis(ms)).await?;
        }
        stream(out, &reply.text, from..end, reply.pace, ReplyEvent::Delta).await?;
        if reply.cut_after.is_some() {
            return send(out, ReplyEvent::Failed(self.server("api.example.com", None).cut(end > 0))).await;
        }
        for (count, (name, arguments)) in reply.tool_calls.iter().enumerate() {
            let id = format!("call_{}", count + 1);
            let call = ToolCall { id, name: name.clone(), arguments: arguments.clone(), signature: None };
            send(out, ReplyEvent::ToolCall(call)).await?;
        }
        if let Some(usage) = reply.usage {
            send(out, ReplyEvent::Usage(usage)).await?;
        }
        let word = (reply.finish != FinishReason::Incomplete).then(|| reply.finish.as_str().to_owned());
        send(out, ReplyEvent::Finished(Finish { reason: reply.finish, word })).await
    }

    fn server(&self, host: &str, provider: Option<&str>) -> ServerIdentity {
        ServerIdentity {
            provider: provider.unwrap_or(&self.name.provider).to_owned(),
            model: self.name.model.clone(),
            host: host.to_owned(),
            address: format!("https://{host}/v1/chat/completions"),
            has_key: true,
        }
    }

    /// Fails as a server would; returns whether the reply follows after all.
    async fn fail(&self, fault: &ScriptedError, out: &Sender<ReplyEvent>) -> Result<bool, ReceiverGone> {
        let mut failed = 0;
        loop {
            if fault.times.is_some_and(|times| failed >= times) {
                return Ok(true);
            }
            let ServerRefusal { failure, retry } = self.refusal(fault);
            failed += 1;
            // No random wait: a story is the same each time.
            let Some(wait) = retry.wait(failed, 0) else {
                send(out, ReplyEvent::Failed(failure)).await?;
                return Ok(false);
            };
            let wait_ms = wait.as_millis() as u64;
            send(out, ReplyEvent::Retrying { attempt: failed, of: MAX_RETRIES, wait_ms, failure }).await?;
            pause(out, wait).await?;
        }
    }

    fn refusal(&self, fault: &ScriptedError) -> ServerRefusal {
        let asked = self.server(&fault.host, fault.provider.as_deref());
        match fault.cause {
            Cause::Status(status) => {
                let body = serde_json::json!({ "error": { "message": fault.message } }).to_string();
                let retry_after = fault.retry_after_ms.map(Duration::from_millis);
                asked.refusal(&ServerAnswer { status, retry_after, body, ..ServerAnswer::default() })
            }
            Cause::NameNotFound => asked.unreachable(FailureKind::NameNotFound, "name not found").into(),
            Cause::Unreachable => asked.unreachable(FailureKind::Unreachable, "connection refused").into(),
            Cause::Tls => asked.unreachable(FailureKind::Tls, "its certificate is not trusted").into(),
            Cause::TimedOut => asked.timed_out(Duration::from_mins(5), false, false).into(),
            Cause::Overflow(needs, limit) => asked.overflow(Some((needs, limit)), None).into(),
            Cause::NotAModel => asked.not_a_model(Some(200), "a web page").into(),
            Cause::Malformed => asked.malformed(&fault.message, false).into(),
        }
    }
}

async fn send(out: &Sender<ReplyEvent>, event: ReplyEvent) -> Result<(), ReceiverGone> {
    out.send(event).await.map_err(|_| ReceiverGone)
}

async fn pause(out: &Sender<ReplyEvent>, time: Duration) -> Result<(), ReceiverGone> {
    tokio::select! {
        () = tokio::time::sleep(time) => Ok(()),
        () = out.closed() => Err(ReceiverGone),
    }
}

/// Sends a range of the text in small pieces: `pace` tokens a second, or all at once.
async fn stream(
    out: &Sender<ReplyEvent>,
    text: &str,
    range: std::ops::Range<usize>,
    pace: u32,
    kind: fn(String) -> ReplyEvent,
) -> Result<(), ReceiverGone> {
    let mut rest = text.get(range).unwrap_or_default();
    let begin = Instant::now();
    let mut sent: u64 = 0;
    while !rest.is_empty() {
        let due = if pace == 0 {
            sent + BURST_TOKENS as u64
        } else {
            // The first token is due at once.
            1 + (begin.elapsed().as_millis() as u64).saturating_mul(u64::from(pace)) / 1000
        };
        let mut end = 0;
        while sent < due && end < rest.len() {
            end += token(rest.get(end..).unwrap_or_default());
            sent += 1;
        }
        if end > 0 {
            let (piece, left) = rest.split_at(end);
            send(out, kind(piece.to_owned())).await?;
            rest = left;
        }
        if pace > 0 && !rest.is_empty() {
            let next = begin + Duration::from_micros(sent.saturating_mul(1_000_000) / u64::from(pace));
            tokio::time::sleep_until(
                next.max(Instant::now() + SEND_INTERVAL.min(Duration::from_secs(1) / pace)),
            )
            .await;
        }
    }
    Ok(())
}

/// The length of the first token: spaces and line breaks, then up to six letters or digits, or one other character.
fn token(text: &str) -> usize {
    let blanks = text.len() - text.trim_start_matches([' ', '\n']).len();
    for (count, (at, c)) in text.get(blanks..).unwrap_or_default().char_indices().enumerate() {
        match c.is_alphanumeric() {
            true if count < 6 => {}
            false if count == 0 => return blanks + c.len_utf8(),
            _ => return blanks + at,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests;

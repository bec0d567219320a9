//! Reads a reply as it arrives, with its time limits, and sends its events.

use super::Connection;
use crate::config::Timeouts;
use crate::domain::{FailureKind, ReplyEvent, ReplyFailure};
use crate::provider::failure::ServerRefusal;
use crate::provider::framing::End;
use crate::provider::piece_decoder::ReplyDecoder;
use crate::provider::retry::RetryAdvice;
use reqwest::Response;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::Sender;
use tokio::time::timeout;

/// How long to wait for token counts after the model gave its reason for ending.
const COUNTS_TIMEOUT: Duration = Duration::from_secs(2);
/// How long to wait for the end of the body, so that the connection can be reused.
const BODY_END_TIMEOUT: Duration = Duration::from_millis(50);

/// How far a reply has come.
struct ReplyProgress {
    /// How many bytes of content came.
    content: usize,
    /// When the last of them came, or else when the request began.
    last_piece: Instant,
    /// Since when only token counts are waited for.
    settled: Option<Instant>,
    /// Whether not a single byte came.
    silent: bool,
    /// Whether text or reasoning was sent on, which is kept however the reply ends.
    kept: bool,
}

impl ReplyProgress {
    fn begun_at(began: Instant) -> Self {
        Self { content: 0, last_piece: began, settled: None, silent: true, kept: false }
    }

    fn has_begun(&self) -> bool {
        self.content > 0
    }

    /// How long to wait for the next bytes. The wait for counts begins with the first call once only they can follow: the
    /// time until the receiver took what came before does not count.
    fn patience(&mut self, timeouts: &Timeouts, decoder: &ReplyDecoder) -> Duration {
        if decoder.only_counts_follow() {
            self.settled.get_or_insert_with(Instant::now);
        }
        let rest = timeouts.first_token.saturating_sub(self.last_piece.elapsed());
        match self.settled {
            // Keep-alive bytes don't extend the wait for counts.
            Some(since) => COUNTS_TIMEOUT.saturating_sub(since.elapsed()),
            None if self.has_begun() => timeouts.silence.min(rest),
            None => rest,
        }
    }

    /// Notes what was decoded since.
    fn note(&mut self, decoder: &ReplyDecoder) {
        if decoder.content_bytes() > self.content {
            (self.content, self.last_piece) = (decoder.content_bytes(), Instant::now());
        }
    }
}

/// A failure before any of the reply, if the request may be repeated.
fn repeatable(failure: &ReplyFailure, decoder: &ReplyDecoder) -> Option<ServerRefusal> {
    let retry = match failure.kind {
        // A connection lost before any of the reply is like one that could not be made.
        FailureKind::Cut => RetryAdvice::Backoff,
        _ => decoder.retry_advice(),
    };
    (retry != RetryAdvice::Never).then(|| ServerRefusal { failure: failure.clone(), retry })
}

impl Connection {
    /// Reads the reply and sends its events; returns a failure before any of the reply that may be asked again.
    pub(super) async fn read_reply(
        &self,
        mut response: Response,
        mut decoder: ReplyDecoder,
        began: Instant,
        out: &Sender<ReplyEvent>,
    ) -> Option<ServerRefusal> {
        let mut events = Vec::new();
        let mut progress = ReplyProgress::begun_at(began);
        loop {
            let read = tokio::select! {
                read = timeout(progress.patience(&self.timeouts, &decoder), response.chunk()) => read,
                () = out.closed() => return None,
            };
            match read {
                Ok(Ok(Some(bytes))) => {
                    progress.silent &= bytes.is_empty();
                    decoder.feed(&bytes, &mut events);
                }
                // A connection closed without one byte means a restarting server, not an answer.
                Ok(Ok(None)) if progress.silent => decoder.end(End::Cut, &mut events),
                Ok(Ok(None)) => decoder.end(End::Closed, &mut events),
                Ok(Err(_)) => decoder.end(End::Cut, &mut events),
                Err(_) if decoder.only_counts_follow() => decoder.end(End::Closed, &mut events),
                Err(_) => {
                    let (waited, begun) = (progress.last_piece.elapsed(), progress.has_begun());
                    let failure = self.access().identity.timed_out(waited, begun, progress.kept);
                    events.push(ReplyEvent::Failed(failure));
                }
            }
            progress.note(&decoder);
            for event in events.drain(..) {
                progress.kept |= matches!(event, ReplyEvent::Delta(_) | ReplyEvent::Reasoning(_));
                if let ReplyEvent::Failed(failure) = &event
                    && !progress.has_begun()
                    && let Some(refusal) = repeatable(failure, &decoder)
                {
                    return Some(refusal);
                }
                let is_good = matches!(event, ReplyEvent::Finished(_));
                let is_last = is_good || matches!(event, ReplyEvent::Failed(_));
                out.send(event).await.ok()?;
                if is_good {
                    let _ = timeout(BODY_END_TIMEOUT, response.chunk()).await;
                }
                if is_last {
                    return None;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::FormatKind;
    use crate::provider::recordings::decoder;

    #[test]
    fn the_wait_for_counts_begins_when_they_are_waited_for() {
        let (mut decoder, timeouts) = (decoder(FormatKind::Openai), Timeouts::default());
        let mut progress = ReplyProgress::begun_at(Instant::now());
        for choice in [r#"{"content": "a"}"#, r#"{}, "finish_reason": "stop""#] {
            let piece = format!("data: {{\"choices\": [{{\"index\": 0, \"delta\": {choice}}}]}}\n\n");
            decoder.feed(piece.as_bytes(), &mut Vec::new());
        }
        progress.note(&decoder);
        assert!(decoder.only_counts_follow());
        assert_eq!(progress.settled, None, "the receiver has not taken the text");
        assert!(progress.patience(&timeouts, &decoder) <= COUNTS_TIMEOUT);
        let since = progress.settled;
        assert!(since.is_some() && progress.patience(&timeouts, &decoder) <= COUNTS_TIMEOUT);
        assert_eq!(progress.settled, since, "it begins once");
    }
}

//! Reads a reply as it arrives, with its time limits, and sends its events.

use super::Connection;
use crate::domain::{FailureKind, ReplyEvent};
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

impl Connection {
    /// How long to wait for the next bytes of a reply. `settled`: since when only token counts follow.
    fn patience(&self, begun: bool, last_piece: Instant, settled: Option<Instant>) -> Duration {
        let rest = self.timeouts.first_token.saturating_sub(last_piece.elapsed());
        match (begun, settled) {
            // Keep-alive bytes don't extend the wait for counts.
            (_, Some(since)) => COUNTS_TIMEOUT.saturating_sub(since.elapsed()),
            (true, None) => self.timeouts.silence.min(rest),
            (false, None) => rest,
        }
    }

    /// Reads the reply and sends its events; returns a failure before any of the reply that may be asked again.
    pub(super) async fn read_reply(
        &self,
        mut response: Response,
        mut decoder: ReplyDecoder,
        began: Instant,
        out: &Sender<ReplyEvent>,
    ) -> Option<ServerRefusal> {
        let mut events = Vec::new();
        let (mut came, mut kept, mut last_piece, mut silent) = (0, false, began, true);
        let mut settled: Option<Instant> = None;
        loop {
            if decoder.only_counts_follow() {
                settled.get_or_insert_with(Instant::now);
            }
            let patience = self.patience(came > 0, last_piece, settled);
            let read = tokio::select! {
                read = timeout(patience, response.chunk()) => read,
                () = out.closed() => return None,
            };
            match read {
                Ok(Ok(Some(bytes))) => {
                    silent &= bytes.is_empty();
                    decoder.feed(&bytes, &mut events);
                }
                // A connection closed without one byte means a restarting server, not an answer.
                Ok(Ok(None)) if silent => decoder.end(End::Cut, &mut events),
                Ok(Ok(None)) => decoder.end(End::Closed, &mut events),
                Ok(Err(_)) => decoder.end(End::Cut, &mut events),
                Err(_) if decoder.only_counts_follow() => decoder.end(End::Closed, &mut events),
                Err(_) => {
                    let failure = self.access().identity.timed_out(last_piece.elapsed(), came > 0, kept);
                    events.push(ReplyEvent::Failed(failure));
                }
            }
            if decoder.content_bytes() > came {
                (came, last_piece) = (decoder.content_bytes(), Instant::now());
            }
            for event in events.drain(..) {
                kept |= matches!(event, ReplyEvent::Delta(_) | ReplyEvent::Reasoning(_));
                if let ReplyEvent::Failed(failure) = &event
                    && came == 0
                {
                    let retry = match failure.kind {
                        // A connection lost before any of the reply is like one that could not be made.
                        FailureKind::Cut => RetryAdvice::Backoff,
                        _ => decoder.retry_advice(),
                    };
                    if retry != RetryAdvice::Never {
                        return Some(ServerRefusal { failure: failure.clone(), retry });
                    }
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

//! Reads an answer other than success: its body, and the headers that say when to ask again. Bounded in time and
//! size. `failure` interprets it.

use super::Connection;
use crate::provider::failure::ServerAnswer;
use crate::provider::retry;
use jiff::Timestamp;
use reqwest::Response;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// The most bytes of an error's body that are read.
const MAX_ERROR_BYTES: usize = 64 << 10;
/// How long to wait for one piece of the body.
const PIECE_TIMEOUT: Duration = Duration::from_secs(10);

impl Connection {
    /// Reads an answer other than success, bounded in time and size.
    pub(super) async fn read_refusal(&self, mut response: Response) -> ServerAnswer {
        let headers = response.headers();
        let header = |name: &str| headers.get(name).and_then(|v| v.to_str().ok());
        let now = header("date").and_then(retry::http_date).unwrap_or_else(Timestamp::now);
        let mut answer = ServerAnswer {
            status: response.status().as_u16(),
            retry_after: retry::retry_after(header("retry-after-ms"), header("retry-after"), now),
            should_retry: header("x-should-retry").and_then(|v| v.trim().parse().ok()),
            location: header("location").map(str::to_owned),
            body: String::new(),
        };
        let mut body = Vec::new();
        // A body that arrives too slowly is not read to its end.
        let began = Instant::now();
        let patience = || {
            let rest = self.timeouts.silence.saturating_sub(began.elapsed());
            rest.min(PIECE_TIMEOUT)
        };
        while let Ok(Ok(Some(bytes))) = timeout(patience(), response.chunk()).await {
            let room = MAX_ERROR_BYTES.saturating_sub(body.len()).min(bytes.len());
            body.extend_from_slice(bytes.get(..room).unwrap_or_default());
            if room < bytes.len() {
                break;
            }
        }
        answer.body = self.access().secrets.mask_message(&String::from_utf8_lossy(&body));
        answer
    }
}

//! Makes sure that only one picture is decoded at a time.

use crate::domain::{Pixels, UndrawnReason};
use std::sync::Arc;
use tokio::sync::Semaphore;

#[derive(Debug)]
pub(in crate::exec) struct Decoder {
    turn: Arc<Semaphore>,
}

impl Default for Decoder {
    fn default() -> Self {
        Self { turn: Arc::new(Semaphore::new(1)) }
    }
}

impl Decoder {
    /// Waits for its turn and decodes.
    pub(in crate::exec) async fn pixels(
        &self,
        decode: impl FnOnce() -> Result<Pixels, UndrawnReason> + Send + 'static,
    ) -> Result<Pixels, UndrawnReason> {
        let turn = self.turn.clone().acquire_owned().await.map_err(|_| UndrawnReason::Unknown)?;
        let work = move || {
            // The permit is held until the process ends, even if the caller stops waiting, so that no second one starts
            // beside it.
            let _turn = turn;
            decode()
        };
        tokio::task::spawn_blocking(work).await.unwrap_or(Err(UndrawnReason::Unknown))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::join_all;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::time::{Duration, Instant};

    /// Whether a second decoding begins while this one is running.
    fn is_joined(began: &AtomicUsize) -> bool {
        let mine = began.fetch_add(1, SeqCst) + 1;
        let until = Instant::now() + Duration::from_millis(50);
        while began.load(SeqCst) == mine && Instant::now() < until {
            std::thread::yield_now();
        }
        began.load(SeqCst) != mine
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn one_is_decoded_at_a_time() {
        let (decoder, began) = (Decoder::default(), Arc::new(AtomicUsize::new(0)));
        let ask = |file: u8| {
            let began = began.clone();
            decoder.pixels(move || {
                assert!(!is_joined(&began), "two at once");
                Pixels::new(1, 1, vec![file; 4]).ok_or(UndrawnReason::Unknown)
            })
        };
        let made = join_all((0..6).map(ask)).await;
        for (file, pixels) in (0..).zip(made) {
            assert_eq!(pixels.ok().and_then(|pixels| pixels.at(0, 0)), Some([file; 4]));
        }
        assert_eq!(began.load(SeqCst), 6);
    }
}

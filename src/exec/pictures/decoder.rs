//! Whose turn it is: one picture is decoded at a time, whoever asks and however often, and a file that could not be decoded
//! is not tried again in another size.

use crate::domain::{Pixels, Sha256, UndrawnReason};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;

/// Files of which it is remembered that they can't be decoded; beyond, all are forgotten.
const FAILED: usize = 256;

#[derive(Debug)]
pub(in crate::exec) struct Decoder {
    turn: Arc<Semaphore>,
    /// By what is in it: a file has the same bytes in every size that is asked for.
    failed: Arc<Mutex<HashMap<Sha256, UndrawnReason>>>,
}

impl Default for Decoder {
    fn default() -> Self {
        Self { turn: Arc::new(Semaphore::new(1)), failed: Arc::default() }
    }
}

impl Decoder {
    /// Waits for its turn and decodes; what failed once fails at once.
    pub(in crate::exec) async fn pixels(
        &self,
        bytes: Vec<u8>,
        decode: impl FnOnce(&[u8]) -> Result<Pixels, UndrawnReason> + Send + 'static,
    ) -> Result<Pixels, UndrawnReason> {
        let turn = self.turn.clone().acquire_owned().await.map_err(|_| UndrawnReason::Unknown)?;
        let failed = self.failed.clone();
        let work = move || {
            // The turn lasts as long as the process: who stops waiting for one does not start another beside it.
            let _turn = turn;
            let file = Sha256::of(&bytes);
            if let Some(reason) = failed.lock().unwrap_or_else(PoisonError::into_inner).get(&file) {
                return Err(*reason);
            }
            let pixels = decode(&bytes);
            if let Err(reason) = pixels {
                let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                if failed.len() >= FAILED {
                    failed.clear();
                }
                failed.insert(file, reason);
            }
            pixels
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

    /// Whether another one begins while this one is at work.
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
            decoder.pixels(vec![file], move |_| {
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

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_file_that_failed_is_not_tried_in_another_size() {
        let (decoder, began) = (Decoder::default(), Arc::new(AtomicUsize::new(0)));
        let ask = |file: u8| {
            let began = began.clone();
            decoder.pixels(vec![file], move |_| {
                began.fetch_add(1, SeqCst);
                Err(UndrawnReason::TooSlow)
            })
        };
        assert_eq!(join_all((0..16).map(|_| ask(7))).await, vec![Err(UndrawnReason::TooSlow); 16]);
        assert_eq!(began.load(SeqCst), 1);
        assert!(ask(8).await.is_err());
        assert_eq!(began.load(SeqCst), 2, "another file is");
    }
}

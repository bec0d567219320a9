//! Syntax highlighting: classifies the parts of code on one thread of its own, never while a frame is drawn.
//!
//! The thread starts with the first request and ends when there was none for a while; it drops the grammars
//! then. The theme decides what a class looks like.

mod scopes;
#[cfg(test)]
mod tests;
mod work;

use crate::tui::theme::Syntax;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use work::Work;

/// The thread ends after so long without a request.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// The prefix of threads whose panics are handled: those leave the terminal alone, where others restore it. After a panic
/// of this one, code stays plain until the next request starts another.
pub(crate) const WORKER_PREFIX: &str = "paint-";

/// A line of code with the classes of its parts: byte ranges, ordered and not overlapping; text between them is
/// plain.
pub(crate) type Classes = (String, Vec<(Range<usize>, Syntax)>);

/// Colours for some lines of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HighlightResult {
    pub(crate) key: u64,
    /// The number of the first line, from 0. All lines before it are unchanged since the last result.
    pub(crate) first_line: usize,
    /// The lines, without their ends.
    pub(crate) lines: Vec<Classes>,
    /// The old line that directly follows these lines: from there on the earlier result still holds. `None`:
    /// there is no earlier result for what follows, or more results will come.
    pub(crate) resumes_at_old_line: Option<usize>,
}

pub(crate) struct Highlighter {
    shared: Arc<HighlightQueue>,
    patience: Duration,
}

/// A text to highlight.
#[derive(Clone, Debug)]
struct Request {
    key: u64,
    language: String,
    text: Arc<str>,
}

struct HighlightQueue {
    state: Mutex<HighlightState>,
    called: Condvar,
    waker: Mutex<Box<dyn Fn() + Send>>,
}

#[derive(Default)]
struct HighlightState {
    waiting: VecDeque<Request>,
    forgotten: Vec<u64>,
    done: Vec<HighlightResult>,
    /// Whether the thread runs.
    works: bool,
    closed: bool,
}

impl HighlightQueue {
    fn state(&self) -> MutexGuard<'_, HighlightState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Highlighter {
    /// Starts no thread and loads nothing yet. `waker` is called on the other thread when results are ready.
    pub(crate) fn start(waker: impl Fn() + Send + 'static) -> Self {
        Self::with_patience(waker, IDLE_TIMEOUT)
    }

    fn with_patience(waker: impl Fn() + Send + 'static, patience: Duration) -> Self {
        let shared = HighlightQueue {
            state: Mutex::default(),
            called: Condvar::new(),
            waker: Mutex::new(Box::new(waker)),
        };
        Self { shared: Arc::new(shared), patience }
    }

    /// Requests the colours of a text. Replaces a request for the same key that still waits; lines at the start
    /// of the text that did not change under this key are not sent again. While a text grows, pass whole lines
    /// only: the colours of half a line are wasted work.
    pub(crate) fn request(&self, key: u64, language: &str, text: Arc<str>) {
        let mut state = self.shared.state();
        let request = Request { key, language: language.to_owned(), text };
        match state.waiting.iter_mut().find(|r| r.key == key) {
            Some(waiting) => *waiting = request,
            None => state.waiting.push_back(request),
        }
        if state.works {
            self.shared.called.notify_one();
            return;
        }
        let (shared, patience) = (self.shared.clone(), self.patience);
        let thread = std::thread::Builder::new().name(format!("{WORKER_PREFIX}highlight"));
        // If the thread can't be started, code stays plain; the next request tries again.
        state.works = thread.spawn(move || work(&shared, patience)).is_ok();
    }

    /// Forgets the colours of a key: the next request for it is answered from line 0 on.
    pub(crate) fn forget(&self, key: u64) {
        let mut state = self.shared.state();
        state.waiting.retain(|r| r.key != key);
        state.done.retain(|p| p.key != key);
        if state.works {
            state.forgotten.push(key);
        }
    }

    /// Takes the results since the last call, in order.
    pub(crate) fn take(&self) -> Vec<HighlightResult> {
        std::mem::take(&mut self.shared.state().done)
    }
}

impl Drop for Highlighter {
    fn drop(&mut self) {
        self.shared.state().closed = true;
        self.shared.called.notify_one();
    }
}

/// Marks the thread as gone when a grammar panics: the next request starts another thread.
struct PanicMark<'a>(&'a HighlightQueue);

impl Drop for PanicMark<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.state().works = false;
        }
    }
}

/// The thread's main loop.
fn work(shared: &HighlightQueue, patience: Duration) {
    let _mark = PanicMark(shared);
    let mut work = Work::new();
    while let Some(request) = next(shared, &mut work, patience) {
        let key = request.key;
        work.paint(request, &mut |painted| {
            let mut state = shared.state();
            if state.closed || state.forgotten.contains(&key) {
                return false;
            }
            state.done.push(painted);
            let goes_on = !state.waiting.iter().any(|r| r.key == key);
            drop(state);
            (shared.waker.lock().unwrap_or_else(PoisonError::into_inner))();
            goes_on
        });
    }
}

/// Waits for the next request; `None`: there was none for so long that the thread ends.
fn next(shared: &HighlightQueue, work: &mut Work, patience: Duration) -> Option<Request> {
    let mut state = shared.state();
    loop {
        for key in std::mem::take(&mut state.forgotten) {
            work.forget(key);
        }
        if state.closed {
            return None;
        }
        if let Some(request) = state.waiting.pop_front() {
            return Some(request);
        }
        let (woken, timeout) =
            shared.called.wait_timeout(state, patience).unwrap_or_else(PoisonError::into_inner);
        state = woken;
        if timeout.timed_out() && state.waiting.is_empty() {
            state.works = false;
            return None;
        }
    }
}

//! Highlighting: code → classes of syntax by line, on a worker thread, never while drawing.
//!
//! The thread starts with the first request and loads its grammars then, so that a session without code pays nothing;
//! after a minute without work it lets them go. While a text grows only its new lines are read. Until the worker
//! answers code is plain. The result names classes, not colours: another theme needs no new reading.

mod document;
mod scopes;
#[cfg(test)]
mod tests;
mod worker;

use super::super::terminal::WORKER;
use crate::tui::theme::Syntax;
use std::collections::HashMap;
use std::sync::mpsc as std_mpsc;
use tokio::sync::mpsc;

/// Larger texts stay plain, bytes.
pub const LARGEST: usize = 512 << 10;

/// One line with its classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    /// The line that was read, without its line end: what was read and what is drawn can be compared.
    pub text: String,
    /// Runs as (end byte, class), in order; what lies behind the last is plain.
    pub runs: Vec<(usize, Syntax)>,
}

/// Lines that the worker has read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Highlighted {
    /// Which text.
    pub key: u64,
    /// The number of the first of the lines, counted from 0.
    pub first: usize,
    /// The lines.
    pub lines: Vec<Classes>,
}

/// What the worker is told.
#[derive(Debug)]
enum Order {
    /// This is the whole text.
    Set { key: u64, language: String, text: String },
    /// The text goes on.
    Grow { key: u64, text: String },
    /// The text is gone.
    Forget { key: u64 },
}

/// What has been sent of a text.
#[derive(Debug)]
struct Sent {
    language: String,
    length: usize,
}

/// The hold on the worker.
#[derive(Debug)]
pub struct Highlighter {
    orders: Option<std_mpsc::Sender<Order>>,
    sender: mpsc::Sender<Highlighted>,
    results: mpsc::Receiver<Highlighted>,
    sent: HashMap<u64, Sent>,
}

/// Results under way at most: a worker that is faster than the screen waits.
const CHANNEL: usize = 64;

impl Default for Highlighter {
    fn default() -> Self {
        Self::new()
    }
}

impl Highlighter {
    /// Starts nothing yet.
    pub fn new() -> Self {
        let (sender, results) = mpsc::channel(CHANNEL);
        Self { orders: None, sender, results, sent: HashMap::new() }
    }

    /// Reads a text in a language (a name such as `python`, or an extension). Lines that are as they were the last
    /// time are not read again. A language that nobody knows stays plain.
    pub fn request(&mut self, key: u64, language: &str, text: &str) {
        if text.len() > LARGEST {
            self.forget(key);
            return;
        }
        self.sent.insert(key, Sent { language: language.to_string(), length: text.len() });
        self.order(Order::Set { key, language: language.to_string(), text: text.to_string() });
    }

    /// Reads a text that grows: what was there the last time has not changed. Costs what is new.
    pub fn grow(&mut self, key: u64, language: &str, text: &str) {
        let known = self.sent.get_mut(&key).filter(|s| s.language == language && s.length <= text.len());
        let Some(sent) = known else { return self.request(key, language, text) };
        let new = text.get(sent.length..).unwrap_or_default();
        if new.is_empty() || text.len() > LARGEST {
            return;
        }
        sent.length = text.len();
        self.order(Order::Grow { key, text: new.to_string() });
    }

    /// The text is not needed any more.
    pub fn forget(&mut self, key: u64) {
        if self.sent.remove(&key).is_some() {
            self.order(Order::Forget { key });
        }
    }

    /// The next lines; cancel-safe. Waits for ever while nothing is asked.
    pub async fn next(&mut self) -> Highlighted {
        match self.results.recv().await {
            Some(result) => result,
            // This side holds a sender: the channel is never closed.
            None => std::future::pending().await,
        }
    }

    /// Lines that are there already.
    pub fn try_next(&mut self) -> Option<Highlighted> {
        self.results.try_recv().ok()
    }

    fn order(&mut self, order: Order) {
        if self.orders.is_none() {
            let (orders, taken) = std_mpsc::channel();
            let to = self.sender.clone();
            let started = std::thread::Builder::new()
                .name(format!("{WORKER}highlight"))
                .spawn(move || worker::run(&taken, &to));
            // Without a thread code stays plain.
            self.orders = started.is_ok().then_some(orders);
        }
        if let Some(orders) = &self.orders {
            // A worker that ended has told its reason; code stays plain.
            let _ = orders.send(order);
        }
    }
}

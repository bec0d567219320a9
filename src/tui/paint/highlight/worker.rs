//! The worker: takes orders, reads, sends lines. Grammars are loaded with the first order and let go after a while.

use super::document::{Document, Reader};
use super::scopes::Scopes;
use super::{Highlighted, Order};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;
use syntect::parsing::SyntaxSet;
use tokio::sync::mpsc::Sender;

/// Grammars are let go after so long without an order.
const KEPT: Duration = Duration::from_secs(60);
/// Texts remembered at most; beyond, all are forgotten and read anew when they are asked for.
const TEXTS: usize = 64;

/// What is loaded while there is work.
struct Loaded {
    syntaxes: SyntaxSet,
    scopes: Scopes,
    texts: HashMap<u64, (String, Document)>,
}

/// Runs until nobody gives orders or listens any more.
pub fn run(orders: &Receiver<Order>, to: &Sender<Highlighted>) {
    let mut loaded: Option<Loaded> = None;
    while let Some(batch) = next_batch(orders, &mut loaded) {
        for order in batch {
            // A grammar that makes the reader panic costs its colours, nothing else.
            let result = catch_unwind(AssertUnwindSafe(|| carry_out(order, loaded.get_or_insert_with(load))));
            match result {
                Ok(Some(result)) => {
                    if to.blocking_send(result).is_err() {
                        return;
                    }
                }
                Ok(None) => {}
                Err(_) => loaded = None,
            }
        }
    }
}

fn load() -> Loaded {
    Loaded { syntaxes: two_face::syntax::extra_newlines(), scopes: Scopes::default(), texts: HashMap::new() }
}

/// All orders that are there, without those that a later one makes needless. `None`: nobody gives any more.
fn next_batch(orders: &Receiver<Order>, loaded: &mut Option<Loaded>) -> Option<Vec<Order>> {
    let first = if loaded.is_some() {
        match orders.recv_timeout(KEPT) {
            Ok(order) => order,
            Err(RecvTimeoutError::Timeout) => {
                *loaded = None;
                orders.recv().ok()?
            }
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    } else {
        orders.recv().ok()?
    };
    let mut batch = vec![first];
    loop {
        match orders.try_recv() {
            Ok(Order::Set { key, language, text }) => {
                batch.retain(|old| old.key() != key);
                batch.push(Order::Set { key, language, text });
            }
            Ok(Order::Grow { key, text }) => match batch.iter_mut().rev().find(|old| old.key() == key) {
                Some(Order::Set { text: before, .. } | Order::Grow { text: before, .. }) => {
                    before.push_str(&text)
                }
                _ => batch.push(Order::Grow { key, text }),
            },
            Ok(order) => batch.push(order),
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => return Some(batch),
        }
    }
}

impl Order {
    fn key(&self) -> u64 {
        match self {
            Order::Set { key, .. } | Order::Grow { key, .. } | Order::Forget { key } => *key,
        }
    }
}

fn carry_out(order: Order, loaded: &mut Loaded) -> Option<Highlighted> {
    let Loaded { syntaxes, scopes, texts } = loaded;
    let (key, first, lines) = match order {
        Order::Forget { key } => {
            texts.remove(&key);
            return None;
        }
        Order::Set { key, language, text } => {
            if texts.len() >= TEXTS && !texts.contains_key(&key) {
                texts.clear();
            }
            if texts.get(&key).is_none_or(|(known, _)| *known != language) {
                let syntax = syntaxes.find_syntax_by_token(&language)?;
                texts.insert(key, (language, Document::new(syntax)));
            }
            let (_, document) = texts.get_mut(&key)?;
            let (first, lines) = document.set(&text, &mut Reader { syntaxes, scopes });
            (key, first, lines)
        }
        Order::Grow { key, text } => {
            let (_, document) = texts.get_mut(&key)?;
            let (first, lines) = document.grow(&text, &mut Reader { syntaxes, scopes });
            (key, first, lines)
        }
    };
    (!lines.is_empty()).then_some(Highlighted { key, first, lines })
}

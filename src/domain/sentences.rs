//! The sentences that tell the person about rights, effects, sending and saving. Each takes the value that enforces or
//! records what it says, so that it can't describe anything else; no other room contains such sentences.
//!
//! This module makes texts. It decides and measures nothing, and does not know where they are shown.

pub(crate) mod branches;
pub(crate) mod conditions;
pub(crate) mod links;
pub mod network;
pub(crate) mod replay;
pub(crate) mod rights;
pub(crate) mod running;
pub(crate) mod sandbox;
pub(crate) mod saving;
pub(crate) mod secrets;
pub(crate) mod sending;
pub(crate) mod undo;

/// `1 block`, `2 blocks`.
pub(super) fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// `1,234,567`. The domain imports no other room, so not the one that formats the numbers of the others.
fn grouped(number: u64) -> String {
    match number / 1000 {
        0 => number.to_string(),
        more => format!("{},{:03}", grouped(more), number % 1000),
    }
}

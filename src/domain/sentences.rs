//! The sentences that tell the person of rights, effects, sending and saving. Each takes the value that enforces or
//! records what it says, so that none can be said of something else; no other room spells these words.
//!
//! What it does: words, for whoever shows them. What it does not do: decide, measure, or know where it is shown.

pub(crate) mod branches;
pub(crate) mod conditions;
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
fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

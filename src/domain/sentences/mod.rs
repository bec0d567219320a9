//! The sentences that tell the person of rights, effects, sending and saving. Each takes the value that enforces or
//! records what it says, so that none can be said of something else; no other room spells these words.
//!
//! What it does: words, for whoever shows them. What it does not do: decide, measure, or know where it is shown.

pub mod sandbox;

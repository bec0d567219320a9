//! Runs that did not come about, and what runs were refused.

use crate::domain::BlockId;

/// The executor refused a block that was approved: its terms no longer held.
pub fn refused(block: BlockId, why: &str) -> String {
    format!("Block {block} was refused: {why}. Nothing ran. R puts it back for review.")
}

/// The executor refused a block that was approved, as it is no longer what was shown; the person is asked again.
pub fn asked_again(block: BlockId, why: &str) -> String {
    format!("Block {block} was refused: {why}. Nothing ran. It waits again.")
}

/// In front of what a run's own errors say was refused.
pub const REFUSED_LABEL: &str = "refused  ";

/// The network, among what was refused.
pub fn refused_network(host: Option<&str>) -> String {
    host.map_or_else(|| "the network".into(), |host| format!("the network: {host}"))
}

/// Why a rule does not cover a block: nothing confines it.
pub const NO_SANDBOX: &str = "would run without a working sandbox";

/// Why a rule does not cover a block: it could send.
pub const REACHES_NETWORK: &str = "can reach the network";

/// Why a rule does not cover a block: it may write there.
pub fn may_write(place: &str) -> String {
    format!("may write {place}: use --sandbox read-only")
}

/// What a rule for clean blocks covers.
pub fn clean_rule(language: &str) -> String {
    format!("{language}, no findings, same rights, no network")
}

/// What a rule for reading covers.
pub const READING_RULE: &str = "any language that only reads (sandbox enforces it)";

//! Sentences about runs that go on, that did not start, or that were refused something.

use crate::domain::{Block, BlockId, BlockKind, Language, PackageList, Receipt, SharedState};

/// The executor refused an approved block because its terms no longer held.
pub(crate) fn refused(block: BlockId, why: &str) -> String {
    format!("Block {block} was refused: {why}. Nothing ran. It can be put back for review.")
}

/// The executor refused an approved block because it differs from what was shown; the person is asked again.
pub(crate) fn asked_again(block: BlockId, why: &str) -> String {
    format!("Block {block} was refused: {why}. Nothing ran. It waits again.")
}

/// Where the panes show why a run failed. Others leave this out.
pub(crate) const ERROR_IN_OUTPUT: &str = " The error is in Output.";

/// Why a run never began: it was stopped too early.
pub(crate) const STOPPED_BEFORE_START: &str = "it was stopped before it started";

/// A run was stopped before its Python was ready.
pub(crate) const STOPPED_WHILE_STARTING: &str = "Python was still starting: nothing of the block ran";

/// Why a run has an end although nothing reported it.
pub(crate) const EXECUTOR_BROKE_OFF: &str = "its executor broke off inside sayso: whether the block goes on, and \
     how, is not known; the log tells more";

/// Why a block about files has no result.
pub(crate) const ACT_BROKE_OFF: &str =
    "it broke off inside sayso: what it had written by then is not known; the log tells more";

/// Why a kernel is gone although nothing ran in it.
pub(crate) const KERNELS_BROKE_OFF: &str = "the executor broke off inside sayso; the log tells more";

pub(crate) const ANSWERING: &str = "Answering";

/// A request waits for messages that are being read from the session file.
pub(crate) const READING: &str = "Reading earlier messages";

/// A request waits for what the server says of the model.
pub(crate) const ASKING_ABOUT_MODEL: &str = "Asking what the model can do";

/// A summary is being written.
pub(crate) const SUMMING_UP: &str = "Summing up what is older";

const MAX_NAMES_SHOWN: usize = 3;

/// What goes on while a block runs: `Running block 3`, `Installing numpy, pandas`.
pub(crate) fn activity(block: &Block) -> String {
    let version = block.current();
    match &block.kind {
        BlockKind::Install { .. } => {
            let language = version.language.as_ref().map_or("", Language::as_str);
            let packages = PackageList::parse(language, &version.source).unwrap_or_default().packages;
            let named: Vec<&str> = packages.iter().take(MAX_NAMES_SHOWN).map(String::as_str).collect();
            match packages.len().saturating_sub(MAX_NAMES_SHOWN) {
                0 => format!("Installing {}", named.join(", ")),
                more => format!("Installing {} and {more} more", named.join(", ")),
            }
        }
        BlockKind::Pull { .. } => format!("Pulling the image {}", version.source.trim_end()),
        _ => format!("Running block {}", block.id),
    }
}

/// Something that takes a while begins; for the plain lines.
pub(crate) fn stoppable(what: &str) -> String {
    format!("{what}. Ctrl-C stops it.")
}

/// Something goes on without output; for the plain lines: `Installing numpy: 30 s of 600 s. Ctrl-C stops it.`
pub(crate) fn still(what: &str, time: &str) -> String {
    format!("{what}: {time}. Ctrl-C stops it.")
}

/// Threads that are stopped in the kernel after a run: `2 threads paused`.
pub(crate) fn paused(receipt: &Receipt) -> Option<String> {
    (receipt.threads > 0).then(|| format!("{} paused", super::count(receipt.threads.into(), "thread")))
}

/// A part of a run could not be stopped, or its helper ended before it could end all of it.
pub(crate) const MOVING: &str =
    "something of this block may still act: not all of it is known to be paused or ended";

/// Follows output that may be incomplete because the connection to the kernel was lost meanwhile.
pub(crate) fn output_missing(receipt: &Receipt) -> Option<String> {
    let times = match receipt.connection_losses {
        0 => return None,
        1 => String::new(),
        times => format!(" {times} times"),
    };
    Some(format!("Output may be missing: the connection to the kernel was lost{times} while the block ran."))
}

/// Follows the name of a kernel that sayso can't stop between runs.
pub(crate) const GOES_ON: &str = "goes on between runs";

/// What a block shares with earlier ones: `interpreter shared with blocks 1-3, 5`.
pub(crate) fn shared(what: &str, shared: &SharedState) -> String {
    format!("{what} shared with {}", blocks(shared))
}

/// The blocks whose state a block would find: `blocks 1-3, 5`.
pub(crate) fn blocks(shared: &SharedState) -> String {
    let ranges = shared.blocks.ranges();
    let name = |(first, last): &(BlockId, BlockId)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    let names: Vec<String> = ranges.iter().map(name).collect();
    let word = if matches!(ranges, [(first, last)] if first == last) { "block" } else { "blocks" };
    format!("{word} {}", names.join(", "))
}

/// Label of what was refused, according to the run's own error messages.
pub(crate) const REFUSED_LABEL: &str = "refused  ";

/// The network, in the list of what was refused.
pub(crate) fn refused_network(host: Option<&str>) -> String {
    host.map_or_else(|| "the network".into(), |host| format!("the network: {host}"))
}

/// Why a rule does not cover a block: nothing confines it.
pub(crate) const NO_SANDBOX: &str = "would run without a working sandbox";

/// Why a rule does not cover a block: it could send data.
pub(crate) const REACHES_NETWORK: &str = "can reach the network";

/// Why a rule for reading does not cover a block: it may write.
pub(crate) fn may_write(place: &str) -> String {
    format!("may write {place}: use --sandbox read-only")
}

/// When a program may run here.
pub(crate) const ONLY_APPROVED: &str = "sayso runs code on this computer only after you approve it.";

/// There is no run that could be ended by force. What blocks left in a kernel that can't be stopped may still run.
pub(crate) const NO_BLOCK_RUNS: &str = "No block runs. /restart begins a new kernel.";

/// The session has no rules. A later kernel loads functions again that were approved under the same terms.
pub(crate) const NO_RULES: &str =
    "No rules. Every block asks; only functions that you approved are loaded again by themselves.";

/// What a rule for clean blocks covers.
pub(crate) fn clean_rule(language: &str) -> String {
    format!("{language}, no findings, nothing unknown, same rights, no network")
}

/// What a rule for reading covers.
pub(crate) const READING_RULE: &str = "any language that only reads (sandbox enforces it)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_follow_each_other_are_told_as_one_run() {
        let told = |blocks: &[u32]| {
            let blocks = blocks.iter().map(|block| BlockId(*block)).collect();
            shared("shell", &SharedState { blocks, changed: Vec::new() })
        };
        assert_eq!(told(&[4]), "shell shared with block 4");
        assert_eq!(told(&[1, 2, 3, 5, 7, 8]), "shell shared with blocks 1-3, 5, 7-8");
    }
}

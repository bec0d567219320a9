//! What a replay may do and what it leaves unchanged, told before it starts.

use crate::domain::{BlockId, ExecutorKind, SandboxReport};

/// The network line: what is enforced now, and what the session had.
pub(crate) fn network(report: &SandboxReport, wanted: bool, was_open: bool) -> &'static str {
    match (report.network_blocked, wanted, was_open) {
        (false, _, _) => "the network is open to it",
        (true, false, true) => "the network is closed: it was open then; --allow-network opens it",
        (true, true, false) => "the network is closed, as it was then",
        (true, _, _) => "the network is closed",
    }
}

/// Where a run was carried out.
pub(crate) fn place(executor: Option<ExecutorKind>) -> &'static str {
    match executor {
        Some(ExecutorKind::Container) => "in a container",
        Some(ExecutorKind::Jupyter) => "in a Jupyter kernel",
        _ => "on this machine",
    }
}

/// Where the replay runs, and whether it is confined there.
pub(crate) fn folder(report: &SandboxReport) -> &'static str {
    if report.writes_confined {
        "a fresh folder, gone at the end; the session and its folder stay as they are"
    } else {
        "a fresh folder, gone at the end; nothing holds runs to it: they can change anything that you can"
    }
}

/// A file was copied in its current state: a run of the session changed it, and no earlier copy is kept.
pub(crate) fn as_now(path: &str) -> String {
    format!("copied as it is now, after a run of the session changed it: {path}")
}

/// A file was restored from the copies that are kept for undo.
pub(crate) fn as_then(path: &str) -> String {
    format!("as it was before the session changed it: {path}")
}

/// Changes of a block were undone in the session.
pub(crate) fn taken_back(block: BlockId) -> String {
    format!("changes of block {block} were taken back in the session: that is not repeated")
}

/// Why nothing is replayed: nothing would confine it.
pub(crate) const UNCONFINED: &str = "nothing was run: no sandbox would hold it to its folder";

/// The session was not written by this installation.
pub(crate) fn foreign(why: &str) -> String {
    format!("the session is foreign: {why}: nothing that it tells of is run")
}

/// How to make it one's own.
pub(crate) fn adopt(id: &str) -> String {
    format!("Look at it (sayso sessions show {id}); sayso sessions adopt {id} --yes makes it yours.")
}

/// How to replay all the same.
pub(crate) const UNCONFINED_HINT: &str =
    "--sandbox off runs it all the same; sayso doctor tells what is missing for a sandbox.";

/// What a replayed installation may do.
pub(crate) const FETCHED: &str = "packages are fetched again: the network is open for that alone";

/// Label of the files in a copied folder that are left out.
pub(crate) const LEFT_OUT: &str = "not copied";

/// Blocks name files that were not copied.
pub(crate) const NOT_COPIED: &str = "its blocks name these files of the working folder, which stay behind";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_network_is_told_as_it_is_enforced() {
        let report = |network_blocked| SandboxReport { network_blocked, ..SandboxReport::default() };
        assert!(network(&report(false), false, false).contains("is open"));
        assert!(network(&report(true), false, true).contains("--allow-network"));
        assert!(!network(&report(true), true, false).contains("--allow-network"));
        assert!(folder(&SandboxReport::default()).contains("nothing holds"));
        assert!(!folder(&SandboxReport { writes_confined: true, ..report(true) }).contains("nothing"));
    }
}

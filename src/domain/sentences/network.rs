//! Whether runs reach the network.

use crate::domain::{ExecutorKind, SandboxLevel, Terms};

/// What the rights say of the network: `off`, `open`, `OPEN, as you allowed`.
pub fn of_terms(terms: &Terms) -> &'static str {
    let (rights, report) = (&terms.rights, &terms.rights.sandbox);
    match (rights.network, report.network_blocked) {
        (false, true) => "off",
        (false, false) => "open",
        (true, _) if report.level == SandboxLevel::Off => "open",
        // An installation has it for itself, whatever other runs have, and nothing was allowed before it is approved.
        (true, _) if terms.executor == ExecutorKind::Installer => "OPEN for this alone, once you approve it",
        (true, _) => "OPEN, as you allowed",
    }
}

/// What an installation does; `stays` tells where what it fetches stays.
pub(crate) fn of_installation(packages: &str, stays: &str) -> String {
    format!(
        "fetches {packages} and what they need from the network{stays}; code of a package runs when it is imported, and \
         may when it is built"
    )
}

/// The pull of an image reaches it by the engine.
pub(crate) const OF_ENGINE: &str = "the engine's own, for this only";

/// The name of a failure to reach a provider.
pub(crate) const UNREACHED: &str = "no network";

pub(crate) const OF_DEMO: &str = "no network, no key, scripted answers";

/// Why a container installs nothing.
pub(crate) fn none_in_container(language: &str) -> String {
    format!(
        "a container has no network and its image stays as it is: name an image for {language} that has the packages, \
         in [executors.container.images] or with --executor container:IMAGE"
    )
}

/// The name of the measure that closes it in a container.
pub(crate) const CLOSED_IN_CONTAINER: &str = "no network";

/// What a wall around TCP leaves open.
pub(crate) const TCP_ONLY: &str = "without bwrap and seccomp: the network is closed for TCP only";

/// What a test from inside found.
pub(crate) fn tested(is_blocked: bool) -> &'static str {
    if is_blocked { "network off (tested)" } else { "network open" }
}

/// The word in JSON.
pub(crate) fn word(rights: &crate::domain::Rights) -> &'static str {
    if rights.sandbox.network_blocked && !rights.network { "blocked" } else { "open" }
}

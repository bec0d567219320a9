//! Sentences about the network access of runs.

use crate::domain::{ExecutorKind, PackageList, SandboxLevel, Terms};

/// The network line of the rights: `off`, `open`, `OPEN, as you allowed`.
pub fn of_terms(terms: &Terms) -> &'static str {
    let (rights, report) = (&terms.rights, &terms.rights.sandbox);
    match (rights.network, report.network_blocked) {
        (false, true) => "off",
        (false, false) => "open",
        (true, _) if report.level == SandboxLevel::Off => "open",
        // An installation alone gets the network, whatever other runs have, and only once it is approved.
        (true, _) if terms.executor == ExecutorKind::Installer => "OPEN for this alone, once you approve it",
        (true, _) => "OPEN, as you allowed",
    }
}

/// What an installation does; `stays` says where the downloads stay.
pub(crate) fn of_installation(packages: &PackageList, stays: &str) -> String {
    let need = if packages.packages.len() == 1 { "it needs" } else { "they need" };
    format!(
        "fetches {} and what {need} from the network{stays}; code of a package runs when it is imported, and may when it \
         is built",
        packages.words()
    )
}

/// Where the packages of the project's environment stay, and whose Python works for the installation. Blocks can write
/// to that environment, and so to its Python and its pip.
pub(crate) const INTO_VENV: &str =
    " into the project's .venv, where they stay; that .venv, which blocks can change, takes part in it";

/// The variables of the person's environment that say where packages come from, with their values.
pub(crate) fn of_sources(variables: &[String]) -> String {
    format!("your environment says where packages come from: {}", variables.join(", "))
}

/// The network line for the pull of an image, which the container engine carries out.
pub(crate) const ENGINE_PULL: &str = "the engine's own, for this only";

/// What a failure to reach a provider is called.
pub(crate) const NO_NETWORK: &str = "no network";

pub(crate) const OF_DEMO: &str = "no network, no key, scripted answers";

/// Why a container installs nothing.
pub(crate) fn none_in_container(language: &str) -> String {
    format!(
        "a container has no network and its image stays as it is: name an image for {language} that has the packages, \
         in [executors.container.images] or with --executor container:IMAGE"
    )
}

/// The name of the measure that closes the network in a container.
pub(crate) const CLOSED_IN_CONTAINER: &str = "no network";

/// What is left open when only TCP is blocked.
pub(crate) const TCP_ONLY: &str = "without bwrap and seccomp: the network is closed for TCP only";

/// The result of a test from inside the sandbox.
pub(crate) fn tested(is_blocked: bool) -> &'static str {
    if is_blocked { "network off (tested)" } else { "network open" }
}

/// The name in JSON.
pub(crate) fn word(rights: &crate::domain::Rights) -> &'static str {
    if rights.sandbox.network_blocked && !rights.network { "blocked" } else { "open" }
}

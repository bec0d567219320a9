//! Lists the kernels on this machine or on the configured server. Starts none.

use super::error::JupyterError;
use super::server::JupyterServer;
use super::specs::{self, Spec};
use crate::config::JupyterExecutor;
use crate::domain::{Language, Languages};
use crate::exec::discovery::Kernels;
use crate::launch::Launcher;
use std::path::Path;

/// The kernels that are installed on this machine.
pub(super) fn here(python: Option<&Path>) -> Vec<Spec> {
    let env = |name: &str| std::env::var(name).ok();
    specs::installed(&specs::folders(&env, &specs::prefixes(&env, python)))
}

/// Which of these languages a kernel of this machine runs, or the `wanted` kernel if one is named.
pub(in crate::exec) fn languages_here(
    languages: &Languages,
    python: Option<&Path>,
    wanted: Option<&str>,
) -> Vec<Language> {
    let specs = here(python);
    let runs = |language: &&Language| specs::choose(&specs, wanted, language.as_str(), "").is_ok();
    languages.0.iter().map(|entry| &entry.name).filter(runs).cloned().collect()
}

/// The kernels that could be started.
///
/// # Errors
/// When a server is configured and does not list its kernels.
pub(crate) async fn discover(
    config: &JupyterExecutor,
    python: Option<&Path>,
    programs: &Launcher,
) -> Result<Kernels, JupyterError> {
    let named = |specs: Vec<Spec>| specs.into_iter().map(|spec| (spec.name, spec.language)).collect();
    let Some(url) = &config.url else {
        return Ok(Kernels { place: "on this machine".into(), names: named(here(python)) });
    };
    let server = JupyterServer::new(config, url, programs).await?;
    let names = named(server.specs().await?);
    Ok(Kernels { place: format!("at {}", server.redacted()), names })
}

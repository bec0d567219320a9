//! Which kernels there are, here or on the server that is configured. Looks, starts nothing.

use super::error::JupyterError;
use super::server::JupyterServer;
use super::specs::{self, Spec};
use crate::config::JupyterExecutor;
use crate::exec::found::Kernels;
use crate::launch::Launcher;
use std::path::Path;

/// The kernels that could be started; nothing is.
///
/// # Errors
/// When a server is configured that does not tell them.
pub(crate) async fn found(
    config: &JupyterExecutor,
    python: Option<&Path>,
    programs: &Launcher,
) -> Result<Kernels, JupyterError> {
    let named = |specs: Vec<Spec>| specs.into_iter().map(|spec| (spec.name, spec.language)).collect();
    let Some(url) = &config.url else {
        let env = |name: &str| std::env::var(name).ok();
        let specs = specs::installed(&specs::folders(&env, &specs::prefixes(&env, python)));
        return Ok(Kernels { place: "on this machine".into(), names: named(specs) });
    };
    let server = JupyterServer::new(config, url, programs).await?;
    let names = named(server.specs().await?);
    Ok(Kernels { place: format!("at {}", server.shown()), names })
}

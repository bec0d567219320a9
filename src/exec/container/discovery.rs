//! Finds the container engine, and which of the configured images it has. Starts nothing.

use super::engine::ContainerEngine;
use super::error::ContainerError;
use crate::config::ContainerExecutor;
use crate::exec::discovery::{FoundEngine, FoundImage};
use crate::launch::Launcher;

/// The engine, and which of the configured images it has.
///
/// # Errors
/// When there is no engine, or it does not answer.
pub(crate) async fn discover(
    config: &ContainerExecutor,
    programs: &Launcher,
) -> Result<FoundEngine, ContainerError> {
    let engine = ContainerEngine::reach(config.host.as_deref(), programs).await?;
    let mut images: Vec<FoundImage> = Vec::new();
    for (language, name) in &config.images {
        if let Some(known) = images.iter_mut().find(|known| known.name == *name) {
            known.languages.push(language.clone());
            continue;
        }
        let there = match engine.image(name).await {
            Ok(image) => Ok(image.short_id()),
            Err(ContainerError::Missing { .. }) => Err(format!("{name} is not on the engine")),
            Err(error) => Err(error.to_string()),
        };
        images.push(FoundImage { name: name.clone(), languages: vec![language.clone()], there });
    }
    Ok(FoundEngine { address: engine.address, version: engine.version, images })
}

//! What can go wrong with containers. Each text says what to do next.

use crate::domain::Language;
use std::path::PathBuf;

/// Why a block can't run in a container.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContainerError {
    /// No socket of an engine was found.
    #[error(
        "no container engine was found: start Docker (systemctl start docker) or Podman (systemctl --user start \
         podman.socket), or name one with DOCKER_HOST or [executors.container] host"
    )]
    NoEngine,
    /// The engine does not answer.
    #[error("the container engine at {address} does not answer: {why}")]
    Unreachable { address: String, why: String },
    /// The configured address can't be used.
    #[error("{address} is no address of a container engine that can be used: {why}")]
    Address { address: String, why: String },
    /// No image is configured for the language.
    #[error(
        "no image is set for {0}: name one in [executors.container.images], or use --executor container:IMAGE"
    )]
    NoImageFor(String),
    /// The language is not in the configuration.
    #[error("{0} is not set up: see [languages] in the configuration")]
    NotSetUp(Language),
    /// The container of a kernel can't have these limits.
    #[error(
        "the container of a kernel keeps the limits that it was made with: for a block in it only time and output can be \
         changed, the others with [limits] in the configuration"
    )]
    Limits,
    /// Packages for the language can't be installed in a container.
    #[error("{}", crate::domain::sentences::network::none_in_container(.0.as_str()))]
    NoPackages(Language),
    /// The engine does not have the image. The person is asked before it is pulled.
    #[error(
        "the image {image} is not on the container engine. It is pulled only when you say so: by the block that asks for \
         it, by sayso exec --pull, or by docker pull {image}"
    )]
    Missing { image: String },
    /// The image could not be pulled.
    #[error("the image {image} could not be fetched: {why}")]
    NotFetched {
        image: String,
        /// What the engine said.
        why: String,
    },
    /// The working folder can't be mounted in a container.
    #[error(
        "the working folder {} is not given to a container: {why}; name another one with --cwd, or set folder = \
         \"none\" in [executors.container]", path.display()
    )]
    Folder { path: PathBuf, why: &'static str },
    /// A folder that the person opened can't be mounted in a container.
    #[error("the folder {} that runs may use can't be given to a container: {why}", path.display())]
    Granted { path: PathBuf, why: String },
    #[error("the container could not be started: {0}")]
    Refused(String),
    /// The container allows more than it should.
    #[error("the container is not as closed as it was asked to be: {0}; nothing was run in it")]
    Open(String),
    /// The container was not ready in time.
    #[error("the container was not ready after {0} s")]
    Slow(u64),
}

//! Connects to the container engine, finds out what it supports, inspects and pulls images, and removes leftover
//! containers.

use super::address::{self, Address};
use super::error::ContainerError;
use super::owner;
use super::plan::Abilities;
use super::pull_progress::PullProgress;
use super::tunnel::Tunnel;
use crate::domain::ImageName;
use crate::exec::ledger;
use crate::launch::Launcher;
use crate::text::line::one_line;
use bollard::Docker;
use bollard::models::{SystemInfo, SystemInfoCgroupDriverEnum};
use bollard::query_parameters::{CreateImageOptions, ListContainersOptions, RemoveContainerOptions};
use futures_util::StreamExt as _;
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// How long the engine may take to answer a simple request.
const QUERY_TIMEOUT: Duration = Duration::from_secs(10);

/// An engine that has answered.
pub(super) struct ContainerEngine {
    pub(crate) docker: Docker,
    /// Its address, for messages.
    pub(crate) address: String,
    /// The host, if the engine is reached over the network.
    host: Option<String>,
    /// What it calls itself, with its version.
    pub(crate) version: String,
    pub(crate) able: Abilities,
    /// Its socket, if it is on this machine.
    pub(crate) socket: Option<PathBuf>,
    _tunnel: Option<Tunnel>,
}

/// An image that is on the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Image {
    /// Its name, as configured.
    pub(crate) name: String,
    /// Its id, `sha256:…`.
    pub(crate) id: String,
    /// The variables that it sets.
    pub(crate) env: Vec<(String, String)>,
}

impl Image {
    /// Its name with the first digits of its id, so that an approval covers exactly this image.
    pub(super) fn display_name(&self) -> String {
        format!("{}@{}", self.name, self.short_id())
    }

    /// The first digits of its id.
    pub(super) fn short_id(&self) -> String {
        self.id.trim_start_matches("sha256:").chars().take(12).collect()
    }
}

impl ContainerEngine {
    /// Connects to the engine and finds out what it supports.
    ///
    /// # Errors
    /// When there is none, or it does not answer.
    pub(super) async fn reach(host: Option<&str>, programs: &Launcher) -> Result<Self, ContainerError> {
        let env = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let address = address::find(host, &env, &|path| path.exists())?;
        let shown = address.to_string();
        let unreachable = |why: String| ContainerError::Unreachable { address: shown.clone(), why };
        let tunnel = match &address {
            Address::Ssh { .. } => {
                Some(Tunnel::open(&address, programs).await.map_err(|why| unreachable(why.to_string()))?)
            }
            _ => None,
        };
        let socket = match (&address, &tunnel) {
            (_, Some(tunnel)) => Some(tunnel.socket().to_owned()),
            (Address::Unix(path), None) => Some(path.clone()),
            _ => None,
        };
        let docker = connect(&address, socket.as_deref()).map_err(|error| unreachable(error_text(&error)))?;
        let late = |_| unreachable(format!("no answer within {} s", QUERY_TIMEOUT.as_secs()));
        let docker = timeout(QUERY_TIMEOUT, docker.negotiate_version()).await.map_err(late)?;
        let docker = docker.map_err(|error| unreachable(error_text(&error)))?;
        let info = timeout(QUERY_TIMEOUT, docker.info()).await.map_err(late)?;
        let info = info.map_err(|error| unreachable(error_text(&error)))?;
        let version =
            timeout(QUERY_TIMEOUT, docker.version()).await.ok().and_then(Result::ok).unwrap_or_default();
        let podman = version
            .components
            .as_deref()
            .unwrap_or_default()
            .iter()
            .any(|component| component.name.starts_with("Podman"));
        let number = version.version.unwrap_or_else(|| "of an unknown version".into());
        let version = format!("{} {number}", if podman { "Podman" } else { "Docker" });
        let able = abilities(&info, podman, !matches!(address, Address::Unix(_)));
        let socket = socket.filter(|_| !able.remote);
        let host = address.host();
        let engine = Self { docker, address: shown, host, version, able, socket, _tunnel: tunnel };
        engine.count();
        Ok(engine)
    }

    /// Counts one request, if the engine is reached over the network.
    pub(super) fn count(&self) {
        if let Some(host) = &self.host {
            ledger::count_request(host);
        }
    }

    /// Whether the engine answers now.
    ///
    /// # Errors
    /// Why it does not.
    pub(super) async fn check_alive(&self) -> Result<(), ContainerError> {
        let why = match timeout(Duration::from_secs(2), self.docker.ping()).await {
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(error)) => error_text(&error),
            Err(_) => "no answer within 2 s".into(),
        };
        Err(ContainerError::Unreachable { address: self.address.clone(), why })
    }

    /// Inspects the image of this name.
    ///
    /// # Errors
    /// [`ContainerError::Missing`] when the engine does not have it.
    pub(super) async fn image(&self, name: &str) -> Result<Image, ContainerError> {
        let unreachable = |why| ContainerError::Unreachable { address: self.address.clone(), why };
        match timeout(QUERY_TIMEOUT, self.docker.inspect_image(name)).await {
            Ok(Ok(found)) => match found.id {
                Some(id) => {
                    let lines = found.config.and_then(|config| config.env).unwrap_or_default();
                    let pair =
                        |line: &String| line.split_once('=').map(|(a, b)| (a.to_owned(), b.to_owned()));
                    Ok(Image { name: name.into(), id, env: lines.iter().filter_map(pair).collect() })
                }
                None => Err(ContainerError::Missing { image: name.into() }),
            },
            Ok(Err(error)) if status(&error) == Some(404) => {
                Err(ContainerError::Missing { image: name.into() })
            }
            Ok(Err(error)) => Err(unreachable(error_text(&error))),
            Err(_) => Err(unreachable(format!("no answer within {} s", QUERY_TIMEOUT.as_secs()))),
        }
    }

    /// Removes containers of sayso processes that have ended. Returns how many it removed.
    pub(super) async fn sweep(&self) -> usize {
        let filters = HashMap::from([("label".to_owned(), vec![owner::SESSION.to_owned()])]);
        let options = ListContainersOptions { all: true, filters: Some(filters), ..Default::default() };
        let Ok(Ok(found)) = timeout(QUERY_TIMEOUT, self.docker.list_containers(Some(options))).await else {
            return 0;
        };
        let mut removed = 0;
        for container in found {
            let gone =
                container.labels.and_then(|labels| labels.get(owner::OWNER).map(|o| owner::is_gone(o)));
            if let (Some(id), Some(true)) = (container.id, gone)
                && self.remove(&id).await
            {
                removed += 1;
            }
        }
        removed
    }

    /// Removes a container by force. Returns true if it is removed or being removed, false if it does not exist or the
    /// engine fails.
    pub(super) async fn remove(&self, name: &str) -> bool {
        let options = RemoveContainerOptions { force: true, v: true, ..Default::default() };
        let removed = timeout(QUERY_TIMEOUT, self.docker.remove_container(name, Some(options))).await;
        match removed {
            Ok(Ok(())) => true,
            // The engine is already removing it.
            Ok(Err(error)) => status(&error) == Some(409),
            Err(_) => false,
        }
    }
}

/// Pulls an image and sends lines of progress.
///
/// # Errors
/// When the image can't be pulled.
pub(super) async fn fetch(
    docker: Docker,
    image: String,
    progress: mpsc::Sender<String>,
) -> Result<(), ContainerError> {
    let failed = |why: String| ContainerError::NotFetched { image: image.clone(), why };
    let name = ImageName::parse(&image).map_err(|why| failed(why.to_string()))?;
    let tag = name.tag_to_add().map(ToOwned::to_owned);
    let options = CreateImageOptions { from_image: Some(image.clone()), tag, ..Default::default() };
    let mut steps = docker.create_image(Some(options), None, None);
    let mut told = PullProgress::default();
    while let Some(step) = steps.next().await {
        let step = step.map_err(|error| failed(error_text(&error)))?;
        if let Some(message) = step.error_detail.and_then(|error| error.message) {
            return Err(failed(message));
        }
        let part = step.progress_detail.and_then(|p| Some((p.current?, p.total?)));
        let (id, status) = (step.id.unwrap_or_default(), step.status.unwrap_or_default());
        if let Some(text) = told.step(&id, &status, part) {
            // If the receiver does not keep up, this line of progress is dropped.
            let _ = progress.try_send(text);
        }
    }
    Ok(())
}

fn connect(address: &Address, socket: Option<&std::path::Path>) -> Result<Docker, bollard::errors::Error> {
    // An error means that a provider is already installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    match (address, socket) {
        (_, Some(socket)) => Docker::connect_with_host(&format!("unix://{}", socket.display())),
        (Address::Tcp { url, tls: Some(certificates) }, None) => Docker::connect_with_ssl(
            url,
            &certificates.join("key.pem"),
            &certificates.join("cert.pem"),
            &certificates.join("ca.pem"),
            120,
            bollard::API_DEFAULT_VERSION,
        ),
        (other, None) => Docker::connect_with_host(&other.to_string()),
    }
}

fn abilities(info: &SystemInfo, podman: bool, remote: bool) -> Abilities {
    let security = info.security_options.clone().unwrap_or_default();
    let rootless = security.iter().any(|option| option.contains("name=rootless"));
    let all = info.ncpu.and_then(|n| u32::try_from(n).ok());
    Abilities {
        remote,
        rootless: rootless && !podman,
        keeps_id: rootless && podman,
        memory: info.memory_limit.unwrap_or(podman),
        processes: info.pids_limit.unwrap_or(podman),
        processors: all.filter(|_| info.cpu_cfs_quota.unwrap_or(podman)),
        // The engine freezes containers through their control groups.
        pauses: !matches!(info.cgroup_driver, None | Some(SystemInfoCgroupDriverEnum::NONE)),
    }
}

/// The HTTP status with which the engine answered.
pub(super) fn status(error: &bollard::errors::Error) -> Option<u16> {
    match error {
        bollard::errors::Error::DockerResponseServerError { status_code, .. } => Some(*status_code),
        _ => None,
    }
}

/// The error with its causes, on one line.
pub(super) fn error_text(error: &bollard::errors::Error) -> String {
    let mut text = match error {
        bollard::errors::Error::DockerResponseServerError { message, .. } => message.clone(),
        other => other.to_string(),
    };
    let causes = std::iter::successors(std::error::Error::source(error), |&cause| cause.source());
    for cause in causes.map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    one_line(&text).chars().take(400).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_shown_with_its_id() {
        let image = Image { name: "python:3".into(), id: "sha256:0123456789abcdef".into(), env: Vec::new() };
        assert_eq!(image.display_name(), "python:3@0123456789ab");
    }
}

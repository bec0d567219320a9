//! A running container: its standard streams, and how it ended. The caller chooses its name, so that the container can
//! be removed whatever happens while it is made.

use super::engine::{ContainerEngine, error_text};
use super::error::ContainerError;
use bollard::container::LogOutput;
use bollard::models::ContainerCreateBody;
use bollard::query_parameters::{
    AttachContainerOptions, CreateContainerOptions, EventsOptions, WaitContainerOptions,
};
use futures_util::{Stream, StreamExt as _};
use std::collections::HashMap;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

pub(super) const START_TIMEOUT: Duration = Duration::from_secs(60);

/// How long the engine may take to pause or resume a container.
const PAUSE_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) struct ContainerHandle {
    engine: Rc<ContainerEngine>,
    pub(super) id: String,
    output: Pin<Box<dyn Stream<Item = Result<LogOutput, bollard::errors::Error>> + Send>>,
    input: mpsc::UnboundedSender<Vec<u8>>,
    exit: oneshot::Receiver<Option<i64>>,
}

impl ContainerHandle {
    /// Creates and starts a container.
    ///
    /// # Errors
    /// When the engine refuses, or takes too long.
    pub(super) async fn start(
        engine: Rc<ContainerEngine>,
        name: &str,
        body: ContainerCreateBody,
    ) -> Result<Self, ContainerError> {
        let work = Self::start_now(engine, name, body);
        timeout(START_TIMEOUT, work).await.unwrap_or(Err(ContainerError::Slow(START_TIMEOUT.as_secs())))
    }

    async fn start_now(
        engine: Rc<ContainerEngine>,
        name: &str,
        body: ContainerCreateBody,
    ) -> Result<Self, ContainerError> {
        let refused = |error: bollard::errors::Error| ContainerError::Refused(error_text(&error));
        let docker = &engine.docker;
        let options = CreateContainerOptions { name: Some(name.into()), ..Default::default() };
        let id = docker.create_container(Some(options), body).await.map_err(refused)?.id;
        let options = AttachContainerOptions {
            stream: true,
            stdin: true,
            stdout: true,
            stderr: true,
            ..Default::default()
        };
        let streams = docker.attach_container(&id, Some(options)).await.map_err(refused)?;
        let (told, exit) = oneshot::channel();
        let options = WaitContainerOptions { condition: "next-exit".into() };
        let mut wait = Box::pin(docker.wait_container(&id, Some(options)));
        tokio::task::spawn_local(async move {
            let code = match wait.next().await {
                Some(Ok(end)) => Some(end.status_code),
                Some(Err(bollard::errors::Error::DockerContainerWaitError { code, .. })) => Some(code),
                _ => None,
            };
            let _ = told.send(code);
        });
        docker.start_container(&id, None).await.map_err(refused)?;
        let (input, mut pieces) = mpsc::unbounded_channel::<Vec<u8>>();
        let mut writer = streams.input;
        tokio::task::spawn_local(async move {
            while let Some(piece) = pieces.recv().await {
                if writer.write_all(&piece).await.is_err() || writer.flush().await.is_err() {
                    return;
                }
            }
        });
        let output = streams.output;
        Ok(Self { engine: engine.clone(), id, output, input, exit })
    }

    /// Writes to its standard input.
    pub(super) fn write(&self, bytes: Vec<u8>) {
        let _ = self.input.send(bytes);
    }

    /// The next piece of its output; `None` at the end, or when the connection to the engine is lost. Safe to cancel.
    pub(super) async fn next(&mut self) -> Option<LogOutput> {
        self.output.next().await.and_then(Result::ok)
    }

    /// The exit status of the container. Called once its output has ended.
    ///
    /// # Errors
    /// When the engine can't be reached, or does not report the status.
    pub(super) async fn exit(&mut self) -> Result<i64, ContainerError> {
        let told = timeout(Duration::from_secs(10), &mut self.exit).await;
        if let Ok(Ok(Some(code))) = told {
            return Ok(code);
        }
        self.engine.check_alive().await?;
        Err(ContainerError::Refused("the engine does not tell how the container ended".into()))
    }

    /// Whether the engine saw memory run out in it, according to the engine's events, which outlive the container.
    pub(super) async fn ran_out_of_memory(&self) -> bool {
        let filter = |value: &str| vec![value.to_owned()];
        let filters = HashMap::from([
            ("container".to_owned(), vec![self.id.clone()]),
            ("event".to_owned(), filter("oom")),
        ]);
        let until = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let until = until.map_or(0, |since| since.as_secs()) + 1;
        let options =
            EventsOptions { since: Some("1".into()), until: Some(until.to_string()), filters: Some(filters) };
        let mut events = Box::pin(self.engine.docker.events(Some(options)));
        // The stream of events ends by itself if the clocks of both machines agree.
        matches!(timeout(Duration::from_secs(2), events.next()).await, Ok(Some(Ok(_))))
    }

    /// Pauses all its processes. Returns whether that worked.
    pub(super) async fn pause(&self) -> bool {
        matches!(timeout(PAUSE_TIMEOUT, self.engine.docker.pause_container(&self.id)).await, Ok(Ok(())))
    }

    /// Resumes all its processes. Returns whether that worked.
    pub(super) async fn unpause(&self) -> bool {
        matches!(timeout(PAUSE_TIMEOUT, self.engine.docker.unpause_container(&self.id)).await, Ok(Ok(())))
    }
}

/// Removes a container by its name. Tries several times, because the engine may still be about to create it.
pub(super) async fn remove(engine: &ContainerEngine, name: &str) {
    for pause in [0u64, 100, 300, 1000] {
        tokio::time::sleep(Duration::from_millis(pause)).await;
        if engine.remove(name).await {
            return;
        }
    }
}

//! Runs the program of one block in a container of its own: hands over the exact bytes, follows the program to its end,
//! and removes the container.

use super::engine::ContainerEngine;
use super::error::ContainerError;
use super::plan::ContainerFrame;
use super::running_container::{ContainerHandle, START_TIMEOUT, remove};
use super::shell::StateInOutput;
use crate::domain::{BlockId, Chunk, RunEvent, Stream};
use crate::exec::backend::{BackendEvent, BackendRun, EndCause, RunEnd};
use crate::exec::blob;
use crate::exec::helper_wire::ResourceUse;
use crate::exec::own_names::OwnNames;
use crate::exec::receipt::ExitKind;
use crate::text::line::one_line;
use crate::text::number::{hex, memory};
use bollard::container::LogOutput;
use bollard::query_parameters::{KillContainerOptions, StatsOptions};
use futures_util::StreamExt as _;
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

/// The shell script that receives the bytes and starts the program.
const WRAPPER: &str = include_str!("../../../assets/program.sh");
/// Where the script stores them.
const FOLDER: &str = "/tmp/.sayso";
/// How often to ask the engine what a program uses.
const USAGE_INTERVAL: Duration = Duration::from_millis(700);

pub(super) struct ProgramStart<'a> {
    /// The id of the image.
    pub(crate) image: &'a str,
    /// The name of the container.
    pub(crate) name: String,
    /// The command that gets the path of the source file as its last argument.
    pub(crate) command: &'a [String],
    /// For a shell: the folder it starts in, and all its variables in the form that the engine expects.
    pub(crate) shell: Option<(PathBuf, Vec<String>)>,
}

/// The state that a shell wrote; filled when it has arrived.
type WrittenState = Rc<RefCell<Option<Vec<u8>>>>;

/// The block of a shell, and the state that it left if it wrote one.
pub(super) type ShellLeft = (BlockId, Option<Vec<u8>>);

pub(super) struct ContainerProgram {
    events: mpsc::Receiver<BackendEvent>,
    stop: Rc<Notify>,
    engine: Rc<ContainerEngine>,
    name: String,
    work: JoinHandle<()>,
    /// For a shell: its block, and the state that it writes.
    shell: Option<(BlockId, WrittenState)>,
}

impl ContainerProgram {
    pub(super) fn start(
        engine: Rc<ContainerEngine>,
        frame: &ContainerFrame,
        start: ProgramStart<'_>,
        job: &BackendRun,
    ) -> Self {
        let ProgramStart { image, name, command, shell } = start;
        let network = if frame.granted.network { "open" } else { "closed" };
        // The file lies in one folder, so the label is reduced to its last part.
        let file = job.label.rsplit('/').next().unwrap_or(&job.label);
        let mut names = OwnNames::default().with(&format!("{FOLDER}/{file}"), &job.label);
        let mark = shell.as_ref().and_then(|_| state_mark()).unwrap_or_default();
        let mut arguments =
            vec![job.source.len().to_string(), file.to_owned(), network.to_owned(), mark.clone()];
        arguments.extend(command.iter().cloned());
        let mut body = frame.body(image, &["/bin/sh", "-c", WRAPPER, "sayso"], arguments);
        let left = Rc::new(RefCell::new(None));
        let mut cwd = frame.cwd();
        let mut state = None;
        if let Some((folder, variables)) = &shell {
            body.working_dir = Some(folder.to_string_lossy().into_owned());
            body.env = Some(variables.clone());
            cwd.clone_from(folder);
            state = (!mark.is_empty()).then(|| StateInOutput::new(&mark));
        }
        let shell = shell.map(|_| (job.block, left.clone()));
        let (sender, events) = mpsc::channel(64);
        let stop = Rc::new(Notify::new());
        let memory = memory(frame.config.memory);
        let (work_engine, work_name, work_stop) = (engine.clone(), name.clone(), stop.clone());
        let source = job.source.as_bytes().to_vec();
        let work = tokio::task::spawn_local(async move {
            let work = async {
                let mut held = ContainerHandle::start(work_engine.clone(), &work_name, body).await?;
                let mut printed = ContainerOutput { names: &mut names, state: &mut state };
                follow(&mut held, (&work_engine, &memory), source, &sender, &mut printed).await
            };
            let end = tokio::select! {
                end = work => end,
                () = work_stop.notified() => Ok((EndCause::Died("it was ended by force".into()), ResourceUse::default())),
            };
            let mut printed = Vec::new();
            if let Some(state) = state {
                let (rest, written) = state.end();
                *left.borrow_mut() = written;
                printed = names.pass(Chunk::new(Stream::Stdout, rest));
            }
            printed.extend(names.rest());
            for chunk in printed {
                let _ = sender.send(RunEvent::Output(chunk).into()).await;
            }
            let (end, used) = end.unwrap_or_else(|error| (start_failure(error), ResourceUse::default()));
            let ended = RunEnd { used, cwd: Some(cwd), ..RunEnd::of(end) };
            let _ = sender.send(ended.into()).await;
            // The engine may take a while.
            remove(&work_engine, &work_name).await;
        });
        Self { events, stop, engine, name, work, shell }
    }

    /// The next event. Safe to cancel.
    pub(super) async fn next_event(&mut self) -> BackendEvent {
        let lost = || RunEnd::of(EndCause::Died("it was lost sight of".into())).into();
        self.events.recv().await.unwrap_or_else(lost)
    }

    /// Sends SIGINT to all its processes.
    pub(super) fn interrupt(&self) {
        let (engine, name) = (self.engine.clone(), self.name.clone());
        tokio::task::spawn_local(async move {
            if interrupt_inside(&engine, &name).await.is_err() {
                // Process 1 does not pass the signal on, but may end.
                let options = KillContainerOptions { signal: "INT".into() };
                let _ = engine.docker.kill_container(&name, Some(options)).await;
            }
        });
    }

    /// What a shell left, once its end was reported; `None` for any other program.
    pub(super) fn shell_left(&self) -> Option<ShellLeft> {
        self.shell.as_ref().map(|(block, written)| (*block, written.borrow_mut().take()))
    }

    /// The task that ends when the container is removed. Called once the end of the program was reported.
    pub(super) fn close(self) -> JoinHandle<()> {
        self.work
    }

    /// Kills it, with its container.
    pub(super) fn kill(&self) {
        self.stop.notify_one();
    }
}

/// Sends SIGINT to every process in the container except process 1.
async fn interrupt_inside(engine: &ContainerEngine, name: &str) -> Result<(), bollard::errors::Error> {
    let words = ["/bin/sh", "-c", "kill -INT -1"].map(str::to_owned);
    let config = bollard::models::ExecConfig { cmd: Some(words.to_vec()), ..Default::default() };
    let exec = engine.docker.create_exec(name, config).await?;
    let options = bollard::exec::StartExecOptions { detach: true, ..Default::default() };
    engine.docker.start_exec(&exec.id, Some(options)).await.map(drop)
}

fn start_failure(error: ContainerError) -> EndCause {
    match error {
        ContainerError::Unreachable { .. } => EndCause::Died(error.to_string()),
        other => EndCause::NotStarted(other.to_string()),
    }
}

/// Filters the output of a container: removes the state of a shell, and replaces the path of the source file by its
/// label.
struct ContainerOutput<'a> {
    names: &'a mut OwnNames,
    state: &'a mut Option<StateInOutput>,
}

impl ContainerOutput<'_> {
    fn pass(&mut self, stream: Stream, bytes: Vec<u8>) -> Vec<Chunk> {
        let bytes = match (stream, &mut self.state) {
            (Stream::Stdout, Some(state)) => state.push(&bytes),
            _ => bytes,
        };
        if bytes.is_empty() { Vec::new() } else { self.names.pass(Chunk::new(stream, bytes)) }
    }
}

/// A random mark between a shell's output and its state, which nobody can know beforehand.
fn state_mark() -> Option<String> {
    Some(format!("sayso-state-{}", hex(&blob::random::<16>().ok()?)))
}

async fn follow(
    held: &mut ContainerHandle,
    (engine, memory): (&ContainerEngine, &str),
    source: Vec<u8>,
    out: &mpsc::Sender<BackendEvent>,
    printed: &mut ContainerOutput<'_>,
) -> Result<(EndCause, ResourceUse), ContainerError> {
    let rest = timeout(START_TIMEOUT, ready(held))
        .await
        .unwrap_or(Err(ContainerError::Slow(START_TIMEOUT.as_secs())))?;
    held.write(source);
    let _ = out.send(RunEvent::Started.into()).await;
    let mut used = ResourceUse { processes: 1, ..ResourceUse::default() };
    for chunk in printed.pass(Stream::Stdout, rest) {
        let _ = out.send(RunEvent::Output(chunk).into()).await;
    }
    let id = held.id.clone();
    let mut look_at = Instant::now() + USAGE_INTERVAL;
    'heard: loop {
        let piece = tokio::select! {
            piece = held.next() => piece,
            () = tokio::time::sleep_until(look_at) => {
                look_at = Instant::now() + USAGE_INTERVAL;
                if let Some((rss_bytes, cpu_us)) = sample_usage(engine, &id, &mut used).await {
                    let _ = out.try_send(RunEvent::Usage { rss_bytes, cpu_ms: cpu_us / 1000 }.into());
                }
                continue;
            }
        };
        let Some(piece) = piece else { break };
        let stream = if matches!(piece, LogOutput::StdErr { .. }) { Stream::Stderr } else { Stream::Stdout };
        for chunk in printed.pass(stream, piece.into_bytes().to_vec()) {
            if out.send(RunEvent::Output(chunk).into()).await.is_err() {
                break 'heard;
            }
        }
    }
    let code = i32::try_from(held.exit().await?).unwrap_or(-1);
    if code == 137 && held.ran_out_of_memory().await {
        return Ok((EndCause::Limit(format!("memory, {memory}")), used));
    }
    Ok((EndCause::Program(ending(code)), used))
}

/// Waits until the script has verified the container's restrictions and accepts the bytes. Returns the output after
/// that, which belongs to the program.
async fn ready(held: &mut ContainerHandle) -> Result<Vec<u8>, ContainerError> {
    let (mut said, mut errors) = (Vec::new(), Vec::new());
    while let Some(piece) = held.next().await {
        match piece {
            LogOutput::StdErr { message } => errors.extend_from_slice(&message),
            other => said.extend_from_slice(&other.into_bytes()),
        }
        if let Some(rest) = said.strip_prefix(b"ready\n") {
            return Ok(rest.to_vec());
        }
        if said.len() + errors.len() > 1 << 16 {
            break;
        }
    }
    let text = |bytes: &[u8]| one_line(&String::from_utf8_lossy(bytes));
    match held.exit().await? {
        99 => Err(ContainerError::Open(text(&said))),
        code => Err(ContainerError::Refused(format!("it ended with {code}: {}", text(&errors)))),
    }
}

/// How a program ended, from the exit status that a shell reports.
fn ending(code: i32) -> ExitKind {
    let signal = code - 128;
    match signal {
        4 | 5 | 6 | 7 | 8 | 9 | 11 | 13 | 14 | 15 | 24 | 25 => ExitKind { code: None, signal: Some(signal) },
        _ => ExitKind { code: Some(code), signal: None },
    }
}

async fn sample_usage(engine: &ContainerEngine, id: &str, used: &mut ResourceUse) -> Option<(u64, u64)> {
    let options = StatsOptions { stream: false, one_shot: true };
    let mut stats = Box::pin(engine.docker.stats(id, Some(options)));
    let stats = timeout(Duration::from_secs(1), stats.next()).await.ok()??.ok()?;
    let rss = stats.memory_stats.and_then(|memory| memory.usage).unwrap_or(0);
    let cpu_ns = stats.cpu_stats.and_then(|cpu| cpu.cpu_usage?.total_usage);
    let cpu_us = cpu_ns.unwrap_or(0) / 1000;
    let processes = stats.pids_stats.and_then(|processes| processes.current).unwrap_or(1);
    let processes = u32::try_from(processes).unwrap_or(u32::MAX);
    used.cpu_us = used.cpu_us.max(cpu_us);
    used.peak_rss_bytes = used.peak_rss_bytes.max(rss);
    // The shell around the program and its watcher are not counted.
    used.processes = used.processes.max(processes.saturating_sub(3));
    Some((rss, cpu_us))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_of_programs() {
        let code = |code| ExitKind { code: Some(code), signal: None };
        assert_eq!(ending(0), code(0));
        assert_eq!(ending(3), code(3));
        assert_eq!(ending(130), code(130));
        assert_eq!(ending(200), code(200));
        assert_eq!(ending(139), ExitKind { code: None, signal: Some(11) });
    }
}

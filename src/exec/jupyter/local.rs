//! Runs a kernel on this machine: its process under a helper, like every run, and the messages over its sockets, signed
//! with a key that only the kernel gets.

use super::error::JupyterError;
use super::message::{Channel, JupyterMessage};
use super::ready::KernelReadiness;
use super::send_queue::HeldMessages;
use super::sockets::{Addresses, SocketMessage, connect, free_ports};
use super::specs::Spec;
use super::talk::{KernelNews, KernelOrder, MessageIds, NewsSender};
use crate::domain::sentences::running::STOPPED_BEFORE_START;
use crate::domain::{Chunk, Limits, Stream};
use crate::exec::environment::{self, Environment};
use crate::exec::error::ExecError;
use crate::exec::helper_file::HelperFile;
use crate::exec::helper_wire::{HelperMessage, HelperOrder as ToHelper};
use crate::exec::own_names::OwnNames;
use crate::exec::plan::Invocation;
use crate::exec::process::Process;
use crate::exec::receipt::{ExitKind, cause_of_death};
use crate::exec::sandbox::Enclosure;
use crate::exec::watch::{self, WatchedDescriptor};
use crate::exec::{blob, process};
use crate::launch::{self, PrivateFolder};
use crate::text::line::last_line;
use crate::text::number::hex;
use crate::text::system_error::words;
use serde_json::json;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// What a kernel needs to be started.
pub(super) struct LocalStart {
    pub(crate) helper: HelperFile,
    pub(crate) limits: Limits,
    pub(crate) spec: Spec,
    pub(crate) cwd: PathBuf,
    /// Its environment, without the variables of its description.
    pub(crate) env: Environment,
    /// How long it may take to be ready.
    pub(crate) patience: Duration,
}

/// The process of a kernel. Dropping it kills the process.
struct KernelProcess {
    process: Process,
    key: String,
    addresses: Addresses,
    _folder: PrivateFolder,
}

/// What of the process to wait for.
#[derive(Clone, Copy)]
enum ProcessSource {
    Output(Stream),
    Helper,
}

/// Starts a kernel and passes orders and messages until it ends.
pub(super) async fn drive_kernel(
    start: LocalStart,
    ids: Rc<MessageIds>,
    mut orders: mpsc::UnboundedReceiver<KernelOrder>,
    news_sender: NewsSender,
) {
    let held = match spawn(&start) {
        Ok(held) => held,
        Err(error) => {
            let (name, why) = (start.spec.name.clone(), error.to_string());
            news_sender.send(KernelNews::Gone(JupyterError::NotStarted { name, why }.to_string())).await;
            return;
        }
    };
    let (sender, mut messages) = mpsc::channel(256);
    let connect = connect(held.addresses.clone(), ids.session.clone(), held.key.clone(), sender);
    let mut connect = Box::pin(connect);
    let ready = KernelReadiness::new(ids.clone());
    let until = Instant::now() + start.patience;
    let mut kernel = LocalKernel {
        start,
        ids,
        held,
        ready,
        send: None,
        waiting: HeldMessages::default(),
        errors: ErrorTail::default(),
    };
    let mut nudge = Instant::now();
    loop {
        let news = tokio::select! {
            send = &mut connect, if kernel.send.is_none() => {
                kernel.send = Some(send);
                nudge = Instant::now();
                None
            }
            Some(message) = messages.recv() => kernel.on_message(message),
            Some(order) = orders.recv() => kernel.obey(order),
            // Only after all orders are handled: a block that was already stopped must not be sent.
            () = std::future::ready(()), if kernel.may_send() && orders.is_empty() => kernel.send_next(),
            ready = kernel.held.ready() => ready.first().and_then(|source| kernel.on_ready(*source)),
            () = tokio::time::sleep_until(nudge), if kernel.send.is_some() && !kernel.ready.is_ready() => {
                let question = kernel.ready.ask();
                kernel.send(question);
                nudge = Instant::now() + Duration::from_millis(700);
                None
            }
            () = tokio::time::sleep_until(until), if !kernel.ready.is_ready() => {
                Some(kernel.failed(format!("it was not ready after {} s", kernel.start.patience.as_secs())))
            }
        };
        let Some(news) = news else { continue };
        let over = matches!(news, KernelNews::Gone(_));
        if !news_sender.send(news).await || over {
            return close(kernel.held).await;
        }
    }
}

struct LocalKernel {
    start: LocalStart,
    ids: Rc<MessageIds>,
    held: KernelProcess,
    ready: KernelReadiness,
    /// Where to send messages, once the sockets are connected.
    send: Option<mpsc::UnboundedSender<JupyterMessage>>,
    /// Messages to send when the kernel is ready.
    waiting: HeldMessages,
    errors: ErrorTail,
}

impl LocalKernel {
    fn send(&self, message: JupyterMessage) {
        if let Some(send) = &self.send {
            // If the sockets are closed, the end of the process tells the reason.
            drop(send.send(message));
        }
    }

    fn on_message(&mut self, message: SocketMessage) -> Option<KernelNews> {
        match message {
            Ok(message) => self.ready.news(message),
            Err(why) => Some(KernelNews::Gone(why.to_string())),
        }
    }

    fn may_send(&self) -> bool {
        self.ready.is_ready() && !self.waiting.is_empty()
    }

    /// Sends the next of the waiting messages.
    fn send_next(&mut self) -> Option<KernelNews> {
        self.held.process.link.order(&ToHelper::GoOnAll);
        self.send(self.waiting.first()?.clone());
        self.waiting.remove_sent().then_some(KernelNews::Sent)
    }

    fn obey(&mut self, order: KernelOrder) -> Option<KernelNews> {
        match order {
            KernelOrder::Send(message) => self.waiting.add(*message),
            KernelOrder::Run(block) => self.waiting.hold(*block),
            KernelOrder::Rest => self.held.process.link.order(&ToHelper::PauseAll),
            // The kernel was started for this block alone, and can't be paused while it starts.
            KernelOrder::Interrupt if !self.ready.is_ready() => {
                return Some(KernelNews::Gone(STOPPED_BEFORE_START.into()));
            }
            KernelOrder::Interrupt if self.waiting.stop() => return Some(KernelNews::NotSent),
            KernelOrder::Interrupt if self.start.spec.by_message => {
                self.send(self.ids.message(Channel::Control, "interrupt_request", json!({})));
            }
            KernelOrder::Interrupt => self.held.process.link.order(&ToHelper::Interrupt),
            KernelOrder::End => return Some(KernelNews::Gone("it was ended by force".into())),
        }
        None
    }

    fn on_ready(&mut self, source: ProcessSource) -> Option<KernelNews> {
        match source {
            ProcessSource::Output(stream) => {
                let Chunk { bytes, .. } = self.held.process.pipes.take(stream)?;
                self.errors.add(&bytes);
                // Output of the kernel's own start is not shown with the block.
                self.ready.is_ready().then_some(KernelNews::Printed(stream, bytes))
            }
            ProcessSource::Helper => self.on_helper_messages(),
        }
    }

    fn on_helper_messages(&mut self) -> Option<KernelNews> {
        // If the process ended, that is the last message, and more important than an earlier state.
        let Ok(told) = self.held.process.link.receive() else { return Some(self.ended(ExitKind::default())) };
        told.into_iter().rev().find_map(|told| match told {
            HelperMessage::Exited { code, signal, .. } => Some(self.ended(ExitKind { code, signal })),
            HelperMessage::NotSpawned(_) => Some(self.ended(ExitKind { code: Some(127), signal: None })),
            HelperMessage::Paused(state) => Some(KernelNews::Paused(state.still)),
            _ => None,
        })
    }

    fn ended(&mut self, ending: ExitKind) -> KernelNews {
        if self.ready.is_ready() {
            return KernelNews::Gone(cause_of_death(ending));
        }
        for Chunk { bytes, .. } in self.held.process.pipes.drain() {
            self.errors.add(&bytes);
        }
        self.failed(self.errors.last_line().unwrap_or_else(|| cause_of_death(ending)))
    }

    fn failed(&self, why: String) -> KernelNews {
        KernelNews::Gone(JupyterError::NotStarted { name: self.start.spec.name.clone(), why }.to_string())
    }
}

impl KernelProcess {
    /// Waits until something arrives from it, and returns what; output before the end. Safe to cancel.
    async fn ready(&self) -> Vec<ProcessSource> {
        let output = self.process.pipes.open().map(|(stream, fd)| (ProcessSource::Output(stream), fd));
        let helper = self.process.link.socket().map(|fd| (ProcessSource::Helper, fd));
        let watched = output.chain(helper).map(|(what, fd)| WatchedDescriptor { what, fd, writes: false });
        watch::ready(&watched.collect::<Vec<_>>()).await
    }
}

/// Kills the process. The helper may take a while if a process does not end.
async fn close(held: KernelProcess) {
    held.process.link.order(&ToHelper::Kill);
    let _ = tokio::task::spawn_blocking(move || drop(held)).await;
}

/// Why the process of a kernel was not started.
#[derive(Debug, thiserror::Error)]
enum KernelStartError {
    #[error("{}", words(.0))]
    Io(#[from] io::Error),
    #[error(transparent)]
    Exec(#[from] ExecError),
    #[error("no free ports: {}", words(.0))]
    Ports(io::Error),
    #[error("its description names no program")]
    NoProgram,
    #[error("{0} is not there; install the kernel again")]
    NotThere(String),
}

fn spawn(start: &LocalStart) -> Result<KernelProcess, KernelStartError> {
    let folder = PrivateFolder::make()?;
    let key = hex(&blob::random::<32>()?);
    // Kernels based on IPython support sockets as files; of others that is not known.
    let program =
        start.spec.argv.first().map_or("", |program| program.rsplit('/').next().unwrap_or_default());
    let addresses = if program.starts_with("python") {
        Addresses::Files(folder.path().join("socket"))
    } else {
        Addresses::Ports(free_ports().map_err(KernelStartError::Ports)?)
    };
    let file = folder.path().join("connection.json");
    let (transport, ip, [shell, control, stdin, iopub, hb]) = match &addresses {
        Addresses::Files(base) => ("ipc", base.to_string_lossy().into_owned(), [1, 2, 3, 4, 5]),
        Addresses::Ports(ports) => ("tcp", "127.0.0.1".to_owned(), *ports),
    };
    let text = json!({
        "transport": transport, "ip": ip, "key": key, "signature_scheme": "hmac-sha256",
        "shell_port": shell, "control_port": control, "stdin_port": stdin, "iopub_port": iopub, "hb_port": hb,
        "kernel_name": start.spec.name,
    });
    blob::make_file(&file)?.write_all(text.to_string().as_bytes())?;
    let enclosure = Enclosure::open(&start.helper);
    let given = |_| Err(ExecError::Ended);
    let process = process::start(&enclosure, &start.limits, invocation(start, &file)?, given)?;
    Ok(KernelProcess { process, key, addresses, _folder: folder })
}

fn invocation(start: &LocalStart, file: &Path) -> Result<Invocation, KernelStartError> {
    let mut words = start.spec.argv.iter().map(|word| {
        let word = word.replace("{connection_file}", &file.to_string_lossy());
        OsString::from(word)
    });
    let program = words.next().ok_or(KernelStartError::NoProgram)?;
    let path = environment::value(&start.env, "PATH").map(OsString::as_os_str);
    let executable = launch::which(Path::new(&program), path.unwrap_or_default())
        .ok_or_else(|| KernelStartError::NotThere(program.to_string_lossy().into_owned()))?;
    let mut env = start.env.clone();
    for (name, value) in &start.spec.env {
        crate::exec::plan::set(&mut env, name, value);
    }
    let given = (Vec::new(), OwnNames::default());
    Ok(Invocation::new(&executable, words.collect(), given, &start.cwd, env))
}

/// The last part of its output, for messages about kernels that could not start.
#[derive(Default)]
struct ErrorTail(Vec<u8>);

impl ErrorTail {
    fn add(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
        let over = self.0.len().saturating_sub(8 << 10);
        self.0.drain(..over);
    }

    fn last_line(&self) -> Option<String> {
        let text = String::from_utf8_lossy(&self.0).into_owned();
        Some(last_line(&text)?.chars().take(300).collect())
    }
}

//! A kernel of this machine: its process under a helper, like every run, and the talk over its sockets, signed with a
//! key that only the kernel is told.

use super::message::{Channel, Message};
use super::ready::Ready;
use super::specs::Spec;
use super::talk::{Ids, News, Order, Outlet};
use super::zmtp::{self, Decoder};
use crate::domain::{Limits, Stream};
use crate::exec::environment::Environment;
use crate::exec::helper_wire::{Order as ToHelper, Program, Told};
use crate::exec::link::Link;
use crate::exec::plan::Invocation;
use crate::exec::receipt::{Ending, cause_of_death};
use crate::exec::sandbox::Cell;
use crate::exec::{blob, process};
use serde_json::json;
use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, Interest};
use tokio::net::unix::pipe;
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

/// What a kernel needs to be started.
pub struct Start {
    /// The program that answers to `__run`.
    pub helper: PathBuf,
    /// The limits of its process.
    pub limits: Limits,
    /// Its description.
    pub spec: Spec,
    /// The folder in which it starts.
    pub cwd: PathBuf,
    /// Its environment, without what its description adds.
    pub env: Environment,
    /// How long it may take to be ready.
    pub patience: Duration,
}

/// The sockets of a kernel, by channel.
const SOCKETS: [(Channel, &str); 4] = [
    (Channel::Shell, "DEALER"),
    (Channel::Control, "DEALER"),
    (Channel::Stdin, "DEALER"),
    (Channel::Iopub, "SUB"),
];

/// A kernel's process, ended when this is dropped; and what is heard of it.
struct Held {
    // The copy of the socket goes first: as long as it is there, the helper would not see that the other is gone.
    told: UnixStream,
    link: Link,
    output: Vec<(Stream, pipe::Receiver)>,
    key: String,
    addresses: Addresses,
    folder: tempfile::TempDir,
}

/// Where the kernel listens, socket by socket.
#[derive(Clone, Debug)]
enum Addresses {
    /// Sockets in a folder that only this account can enter. Kernels put a `-` or a `:` in front of the number.
    Files(PathBuf),
    /// Ports on loopback: who can connect there can listen to what is published.
    Ports([u16; 5]),
}

/// Starts a kernel and carries its talk until it is gone.
pub async fn carry(start: Start, ids: Rc<Ids>, mut orders: mpsc::UnboundedReceiver<Order>, outlet: Outlet) {
    let name = start.spec.name.clone();
    let failed = |why: String| super::error::JupyterError::NotStarted { name: name.clone(), why }.to_string();
    let mut held = match spawn(&start) {
        Ok(held) => held,
        Err(why) => {
            outlet.tell(News::NotStarted(failed(why))).await;
            return;
        }
    };
    let mut errors = Tail::default();
    let mut ready = Ready::new(ids.clone());
    let (sender, mut messages) = mpsc::channel(256);
    let connect = connect(held.addresses.clone(), ids.session.clone(), held.key.clone(), sender);
    let mut connect = Box::pin(connect);
    let mut send: Option<mpsc::UnboundedSender<Message>> = None;
    let until = Instant::now() + start.patience;
    let mut nudge = Instant::now();
    let mut waiting: Vec<Message> = Vec::new();
    loop {
        let news = tokio::select! {
            connected = &mut connect, if send.is_none() => {
                send = Some(connected);
                nudge = Instant::now();
                continue;
            }
            Some(message) = messages.recv() => match message {
                Ok(message) if ready.is() => News::Message(Box::new(message)),
                Ok(message) => match ready.take(&message) {
                    Some(version) => {
                        for message in waiting.drain(..) {
                            let _ = send.as_ref().map(|send| send.send(message));
                        }
                        News::Ready(version)
                    }
                    None => continue,
                },
                Err(why) => News::Gone(why),
            },
            Some(order) = orders.recv() => {
                match order {
                    Order::Send(message) if ready.is() => drop(send.as_ref().map(|send| send.send(*message))),
                    Order::Send(message) => waiting.push(*message),
                    Order::Interrupt if start.spec.by_message => {
                        let message = ids.message(Channel::Control, "interrupt_request", json!({}));
                        let _ = send.as_ref().map(|send| send.send(message));
                    }
                    Order::Interrupt => held.link.order(&ToHelper::Interrupt),
                    Order::End => return end(held, &outlet, "it was ended by force".into()).await,
                }
                continue;
            }
            told = told(&held.told, &mut held.link) => match told {
                Some(ending) if ready.is() => News::Gone(cause_of_death(ending)),
                Some(ending) => {
                    held.drain(&mut errors);
                    let said = errors.last_line().unwrap_or_else(|| cause_of_death(ending));
                    News::NotStarted(failed(said))
                }
                None => continue,
            },
            (stream, bytes) = printed(&held.output) => {
                if bytes.is_empty() {
                    held.output.retain(|(own, _)| *own != stream);
                    continue;
                }
                errors.add(&bytes);
                // What it says about itself on its start is not the block's.
                if !ready.is() {
                    continue;
                }
                News::Printed(stream, bytes)
            }
            () = tokio::time::sleep_until(nudge), if send.is_some() && !ready.is() => {
                let _ = send.as_ref().map(|send| send.send(ready.ask()));
                nudge = Instant::now() + Duration::from_millis(700);
                continue;
            }
            () = tokio::time::sleep_until(until), if !ready.is() => {
                News::NotStarted(failed(format!("it was not ready after {} s", start.patience.as_secs())))
            }
        };
        let over = matches!(news, News::Gone(_) | News::NotStarted(_));
        if !outlet.tell(news).await || over {
            return close(held).await;
        }
    }
}

async fn end(held: Held, outlet: &Outlet, why: String) {
    close(held).await;
    outlet.tell(News::Gone(why)).await;
}

/// Ends the process. The helper may need a while for what does not want to end.
async fn close(held: Held) {
    let Held { told, link, folder, .. } = held;
    drop(told);
    link.order(&ToHelper::Kill);
    let _ = tokio::task::spawn_blocking(move || drop((link, folder))).await;
}

fn spawn(start: &Start) -> Result<Held, String> {
    let folder = tempfile::Builder::new().prefix("sayso-kernel-").tempdir().map_err(|e| e.to_string())?;
    let key = blob::random::<32>().map_err(|e| e.to_string())?;
    let key = key.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    // Kernels that are built on IPython's know sockets as files; of others it is not known.
    let program =
        start.spec.argv.first().map_or("", |program| program.rsplit('/').next().unwrap_or_default());
    let addresses = if program.starts_with("python") {
        Addresses::Files(folder.path().join("socket"))
    } else {
        Addresses::Ports(free_ports().map_err(|e| format!("no free ports: {e}"))?)
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
    std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&file)
        .and_then(|mut file| file.write_all(text.to_string().as_bytes()))
        .map_err(|e| e.to_string())?;
    let cell = Cell::open(&start.helper);
    let given = |_| Err(crate::exec::error::ExecError::Ended);
    let process =
        process::start(&cell, &start.limits, invocation(start, &file)?, given).map_err(|e| e.to_string())?;
    let process::Process { link, pipes } = process;
    let told = link.socket().ok_or("its helper is gone")?.try_clone_to_owned().map_err(|e| e.to_string())?;
    let mut output = Vec::new();
    for (stream, fd) in [(Stream::Stdout, pipes.stdout), (Stream::Stderr, pipes.stderr)] {
        let Some(fd) = fd else { continue };
        output.push((stream, pipe::Receiver::from_owned_fd(fd).map_err(|e| e.to_string())?));
    }
    let told = std::os::unix::net::UnixStream::from(told);
    let told =
        told.set_nonblocking(true).and_then(|()| UnixStream::from_std(told)).map_err(|e| e.to_string())?;
    Ok(Held { told, link, output, key, addresses, folder })
}

fn invocation(start: &Start, file: &Path) -> Result<Invocation, String> {
    let mut words = start.spec.argv.iter().map(|word| {
        let word = word.replace("{connection_file}", &file.to_string_lossy());
        OsString::from(word)
    });
    let program = words.next().ok_or("its description names no program")?;
    let executable = which(Path::new(&program), &start.env)
        .ok_or_else(|| format!("{} is not there; install the kernel again", program.to_string_lossy()))?;
    let mut env = start.env.clone();
    for (name, value) in &start.spec.env {
        crate::exec::plan::set(&mut env, name, value);
    }
    let program =
        Program { executable, args: words.collect(), env, cwd: start.cwd.clone(), ..Program::default() };
    Ok(Invocation { program, given: Vec::new() })
}

fn which(program: &Path, env: &Environment) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return program.is_file().then(|| program.to_owned());
    }
    let path = env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone())?;
    let found = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    found.map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// Ports that nobody uses at this moment. Somebody may take one before the kernel does; then it does not start, and says so.
fn free_ports() -> std::io::Result<[u16; 5]> {
    let mut listeners = Vec::new();
    let mut ports = [0; 5];
    for port in &mut ports {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
        *port = listener.local_addr()?.port();
        listeners.push(listener);
    }
    Ok(ports)
}

/// How the process ended, once it has; what else its helper tells is of no interest.
async fn told(socket: &UnixStream, link: &mut Link) -> Option<Ending> {
    if socket.readable().await.is_err() {
        return Some(Ending::default());
    }
    // The link reads all there is: what is ready now is not any more then.
    let received = link.receive();
    let _ = socket.try_io(Interest::READABLE, || Err::<(), _>(std::io::ErrorKind::WouldBlock.into()));
    match received {
        Ok(told) => told.into_iter().find_map(|told| match told {
            Told::Exited { code, signal, .. } => Some(Ending { code, signal }),
            Told::NotSpawned(_) => Some(Ending { code: Some(127), signal: None }),
            _ => None,
        }),
        Err(_) => Some(Ending::default()),
    }
}

impl Held {
    /// What it said on its way out.
    fn drain(&mut self, errors: &mut Tail) {
        let mut buffer = vec![0u8; 64 << 10];
        for (_, pipe) in &self.output {
            while let Ok(count @ 1..) = pipe.try_read(&mut buffer) {
                errors.add(buffer.get(..count).unwrap_or_default());
            }
        }
    }
}

/// The next thing that its process printed; nothing is the end of that stream. Safe to cancel.
async fn printed(output: &[(Stream, pipe::Receiver)]) -> (Stream, Vec<u8>) {
    if output.is_empty() {
        return std::future::pending().await;
    }
    let reads = output.iter().map(|(stream, pipe)| Box::pin(read(*stream, pipe)));
    futures_util::future::select_all(reads).await.0
}

async fn read(stream: Stream, pipe: &pipe::Receiver) -> (Stream, Vec<u8>) {
    let mut buffer = vec![0u8; 64 << 10];
    loop {
        let ready = pipe.readable().await;
        match ready.and_then(|()| pipe.try_read(&mut buffer)) {
            Ok(count) => {
                buffer.truncate(count);
                return (stream, buffer);
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => return (stream, Vec::new()),
        }
    }
}

/// The end of what it printed, for messages about kernels that could not start.
#[derive(Default)]
struct Tail(Vec<u8>);

impl Tail {
    fn add(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
        let over = self.0.len().saturating_sub(8 << 10);
        self.0.drain(..over);
    }

    fn last_line(&self) -> Option<String> {
        let text = String::from_utf8_lossy(&self.0).into_owned();
        let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
        Some(line.trim().chars().take(300).collect())
    }
}

type Received = Result<Message, String>;

/// A connection of either kind.
trait Connection: AsyncRead + AsyncWrite + Unpin {}
impl<T: AsyncRead + AsyncWrite + Unpin> Connection for T {}

impl Addresses {
    /// Connects one of the [`SOCKETS`] by its number from 0, when the kernel listens there.
    async fn connect(&self, number: usize) -> Option<Box<dyn Connection>> {
        match self {
            Addresses::Files(base) => {
                for mark in ['-', ':'] {
                    let path = format!("{}{mark}{}", base.display(), number + 1);
                    if let Ok(stream) = UnixStream::connect(path).await {
                        return Some(Box::new(stream));
                    }
                }
                None
            }
            Addresses::Ports(ports) => {
                let stream = TcpStream::connect(("127.0.0.1", *ports.get(number)?)).await.ok()?;
                let _ = stream.set_nodelay(true);
                // On loopback, a port that nobody listens on yet can be connected with itself.
                let other = stream.local_addr().ok() != stream.peer_addr().ok();
                other.then(|| Box::new(stream) as Box<dyn Connection>)
            }
        }
    }
}

/// Connects all sockets, as soon as the kernel listens; where messages are sent then.
async fn connect(
    addresses: Addresses,
    session: String,
    key: String,
    out: mpsc::Sender<Received>,
) -> mpsc::UnboundedSender<Message> {
    let (send, mut messages) = mpsc::unbounded_channel::<Message>();
    let mut writers = Vec::new();
    for (number, (channel, kind)) in SOCKETS.into_iter().enumerate() {
        let stream = loop {
            match addresses.connect(number).await {
                Some(stream) => break stream,
                None => sleep(Duration::from_millis(30)).await,
            }
        };
        let (mut reader, mut writer) = tokio::io::split(stream);
        let decoder = match shake_hands((&mut reader, &mut writer), kind, session.as_bytes()).await {
            Ok(decoder) => decoder,
            Err(why) => {
                let _ = out.send(Err(why)).await;
                continue;
            }
        };
        if channel == Channel::Iopub {
            let _ = writer.write_all(&zmtp::subscribe()).await;
        }
        writers.push((channel, writer));
        tokio::task::spawn_local(receive(channel, reader, decoder, key.clone(), out.clone()));
    }
    tokio::task::spawn_local(async move {
        while let Some(message) = messages.recv().await {
            let bytes = zmtp::message(&message.to_parts(key.as_bytes()));
            let own = writers.iter_mut().find(|(channel, _)| *channel == message.channel);
            if let Some((_, writer)) = own
                && writer.write_all(&bytes).await.is_err()
            {
                return;
            }
        }
    });
    send
}

type Reader = tokio::io::ReadHalf<Box<dyn Connection>>;
type Writer = tokio::io::WriteHalf<Box<dyn Connection>>;

/// Greets, and waits until the other side is ready for messages.
async fn shake_hands(
    (reader, writer): (&mut Reader, &mut Writer),
    kind: &str,
    identity: &[u8],
) -> Result<Decoder, String> {
    let mut decoder = Decoder::default();
    let mut buffer = [0u8; 512];
    writer.write_all(&zmtp::greeting()).await.map_err(|error| error.to_string())?;
    let mut told = false;
    while !decoder.is_ready() {
        let count = reader.read(&mut buffer).await.map_err(|error| error.to_string())?;
        if count == 0 {
            return Err("the kernel hung up".into());
        }
        decoder.push(buffer.get(..count).unwrap_or_default());
        // Nothing is published before somebody subscribed, nothing answered before it was asked.
        let _ = decoder.next_message().map_err(|error| error.to_string())?;
        if decoder.is_greeted() && !told {
            told = true;
            writer.write_all(&zmtp::ready(kind, identity)).await.map_err(|error| error.to_string())?;
        }
    }
    Ok(decoder)
}

async fn receive(
    channel: Channel,
    mut reader: Reader,
    mut decoder: Decoder,
    key: String,
    out: mpsc::Sender<Received>,
) {
    let mut buffer = vec![0u8; 64 << 10];
    loop {
        // Its process tells how it ended: a socket that closes is no news.
        let Ok(count @ 1..) = reader.read(&mut buffer).await else { return };
        decoder.push(buffer.get(..count).unwrap_or_default());
        loop {
            let message = match decoder.next_message() {
                Ok(None) => break,
                Ok(Some(parts)) => Message::from_parts(channel, &parts, key.as_bytes()),
                Err(error) => return drop(out.send(Err(error.to_string())).await),
            };
            // What can't be read, or somebody else made, is left out.
            if let Ok(message) = message
                && out.send(Ok(message)).await.is_err()
            {
                return;
            }
        }
    }
}

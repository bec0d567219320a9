//! Connects to the sockets of a local kernel: files in a private folder, or ports on loopback.

use super::message::{Channel, JupyterMessage};
use super::zmtp::{self, ZmtpDecoder, ZmtpError};
use crate::text::system_error::words;
use std::path::PathBuf;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::mpsc;
use tokio::time::sleep;

/// The sockets of a kernel, by channel.
const SOCKETS: [(Channel, &str); 4] = [
    (Channel::Shell, "DEALER"),
    (Channel::Control, "DEALER"),
    (Channel::Stdin, "DEALER"),
    (Channel::Iopub, "SUB"),
];

/// Where the kernel listens.
#[derive(Clone, Debug)]
pub(super) enum Addresses {
    /// Files in a folder that only this account can enter. Kernels append `-` or `:` and a number to the path.
    Files(PathBuf),
    /// Ports on loopback. Anybody who can connect to them can read the published output.
    Ports([u16; 5]),
}

/// Ports that are free now. If somebody else takes one before the kernel does, the kernel fails to start and says so.
pub(super) fn free_ports() -> std::io::Result<[u16; 5]> {
    let mut listeners = Vec::new();
    let mut ports = [0; 5];
    for port in &mut ports {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
        *port = listener.local_addr()?.port();
        listeners.push(listener);
    }
    Ok(ports)
}

/// A message, or why a socket can't be used any more.
pub(super) type SocketMessage = Result<JupyterMessage, SocketError>;

/// Why a socket of a kernel can't be used any more.
#[derive(Debug, thiserror::Error)]
pub(super) enum SocketError {
    #[error("the kernel hung up")]
    HungUp,
    #[error(transparent)]
    Zmtp(#[from] ZmtpError),
    #[error("{}", words(.0))]
    System(#[from] std::io::Error),
}

/// A connection of either kind.
trait Connection: AsyncRead + AsyncWrite + Unpin {}
impl<T: AsyncRead + AsyncWrite + Unpin> Connection for T {}

impl Addresses {
    /// Connects to one of the [`SOCKETS`] by its index; `None` if the kernel does not listen yet.
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
                // On loopback, connecting to a port on which nobody listens yet can connect the socket to itself.
                let other = stream.local_addr().ok() != stream.peer_addr().ok();
                other.then(|| Box::new(stream) as Box<dyn Connection>)
            }
        }
    }
}

/// Connects to all sockets as soon as the kernel listens. Returns the channel for messages to send.
pub(super) async fn connect(
    addresses: Addresses,
    session: String,
    key: String,
    out: mpsc::Sender<SocketMessage>,
) -> mpsc::UnboundedSender<JupyterMessage> {
    let (send, mut messages) = mpsc::unbounded_channel::<JupyterMessage>();
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

type FrameReader = tokio::io::ReadHalf<Box<dyn Connection>>;
type Writer = tokio::io::WriteHalf<Box<dyn Connection>>;

/// Exchanges greetings, and waits until the other end is ready for messages.
async fn shake_hands(
    (reader, writer): (&mut FrameReader, &mut Writer),
    kind: &str,
    identity: &[u8],
) -> Result<ZmtpDecoder, SocketError> {
    let mut decoder = ZmtpDecoder::default();
    let mut buffer = [0u8; 512];
    writer.write_all(&zmtp::greeting()).await?;
    let mut told = false;
    while !decoder.is_ready() {
        let count = reader.read(&mut buffer).await?;
        if count == 0 {
            return Err(SocketError::HungUp);
        }
        decoder.push(buffer.get(..count).unwrap_or_default());
        // No message can arrive yet: nothing is published before a subscription, or answered before a request.
        let _ = decoder.next_message()?;
        if decoder.is_greeted() && !told {
            told = true;
            writer.write_all(&zmtp::ready(kind, identity)).await?;
        }
    }
    Ok(decoder)
}

async fn receive(
    channel: Channel,
    mut reader: FrameReader,
    mut decoder: ZmtpDecoder,
    key: String,
    out: mpsc::Sender<SocketMessage>,
) {
    let mut buffer = vec![0u8; 64 << 10];
    loop {
        // How the kernel ended is reported through its process, so a closed socket is not reported.
        let Ok(count @ 1..) = reader.read(&mut buffer).await else { return };
        decoder.push(buffer.get(..count).unwrap_or_default());
        loop {
            let message = match decoder.next_message() {
                Ok(None) => break,
                Ok(Some(parts)) => JupyterMessage::from_parts(channel, &parts, key.as_bytes()),
                Err(error) => return drop(out.send(Err(error.into())).await),
            };
            // A message that can't be decoded or has a wrong signature is dropped.
            if let Ok(message) = message
                && out.send(Ok(message)).await.is_err()
            {
                return;
            }
        }
    }
}

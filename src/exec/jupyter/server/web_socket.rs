//! The WebSocket of a kernel on a server: opens it, sends messages over it, and decodes what arrives, with the token
//! masked.

use super::{ANSWER_TIMEOUT, JupyterServer};
use crate::exec::jupyter::error::JupyterError;
use crate::exec::jupyter::message::JupyterMessage;
use crate::exec::jupyter::token::ServerToken;
use crate::exec::ledger;
use futures_util::{SinkExt as _, StreamExt as _};
use reqwest::StatusCode;
use std::cell::Cell;
use std::rc::Rc;
use tokio::time::{Instant, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{self, Bytes, Message as Frame};
use tokio_util::io::InspectReader;

/// The name under which the binary form of messages is requested.
const SUBPROTOCOL: &str = "v1.kernel.websocket.jupyter.org";
/// The largest message from a kernel.
const MAX_MESSAGE_BYTES: usize = 128 << 20;

/// The WebSocket of a kernel.
pub(in crate::exec::jupyter) struct Socket {
    stream: WebSocketStream<InspectReader<reqwest::Upgraded, OnBytes>>,
    /// When the last bytes arrived: a large message shows that the server is alive long before it is complete.
    last_message_at: Rc<Cell<Instant>>,
    v1: bool,
    token: ServerToken,
    host: String,
}

/// A callback for bytes as they arrive.
type OnBytes = Box<dyn FnMut(&[u8])>;

pub(in crate::exec::jupyter) enum SocketEvent {
    Message(JupyterMessage),
    /// A sign of life, or a message that can't be decoded.
    Nothing,
    /// The connection is closed; the reason.
    Closed(String),
}

impl JupyterServer {
    /// Opens the WebSocket of a kernel. With the same session as before, the server sends again what it kept meanwhile.
    ///
    /// # Errors
    /// When the server refuses.
    pub(in crate::exec::jupyter) async fn open(
        &self,
        id: &str,
        session: &str,
    ) -> Result<Socket, JupyterError> {
        let mut url = self.url(&["api", "kernels", id, "channels"]);
        url.query_pairs_mut().append_pair("session_id", session);
        let key =
            crate::exec::blob::random::<16>().map_err(|error| self.protocol_error(&error.to_string()))?;
        let key = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, key);
        let request = self
            .client
            .get(url)
            .header("connection", "Upgrade")
            .header("upgrade", "websocket")
            .header("sec-websocket-version", "13")
            .header("sec-websocket-key", &key)
            .header("sec-websocket-protocol", SUBPROTOCOL);
        let answer = self.send(request).await?;
        if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
            return Err(self.refused(answer.status()));
        }
        let header = |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok());
        if header("sec-websocket-accept") != Some(&derive_accept_key(key.as_bytes())) {
            return Err(self.protocol_error("does not speak WebSocket"));
        }
        let v1 = header("sec-websocket-protocol") == Some(SUBPROTOCOL);
        let upgraded = timeout(ANSWER_TIMEOUT, answer.upgrade()).await.map_err(|_| self.timeout_error())?;
        let upgraded = upgraded.map_err(|_| self.protocol_error("closed the connection"))?;
        let config = WebSocketConfig::default()
            .max_message_size(Some(MAX_MESSAGE_BYTES))
            .max_frame_size(Some(MAX_MESSAGE_BYTES));
        let last_message_at = Rc::new(Cell::new(Instant::now()));
        let noted = last_message_at.clone();
        let watched: OnBytes = Box::new(move |_| noted.set(Instant::now()));
        let upgraded = InspectReader::new(upgraded, watched);
        let stream = WebSocketStream::from_raw_socket(upgraded, Role::Client, Some(config)).await;
        Ok(Socket { stream, last_message_at, v1, token: self.token.clone(), host: self.host() })
    }
}

impl Socket {
    /// Sends a message.
    ///
    /// # Errors
    /// When the connection is lost.
    pub(in crate::exec::jupyter) async fn send(
        &mut self,
        message: &JupyterMessage,
    ) -> Result<(), tungstenite::Error> {
        let frame = if self.v1 {
            Frame::Binary(Bytes::from(message.to_v1()))
        } else {
            Frame::Text(message.to_text().into())
        };
        ledger::count_request(&self.host);
        self.stream.send(frame).await
    }

    /// Sends a ping.
    ///
    /// # Errors
    /// When the connection is lost.
    pub(in crate::exec::jupyter) async fn ping(&mut self) -> Result<(), tungstenite::Error> {
        self.stream.send(Frame::Ping(Bytes::new())).await
    }

    /// When the last bytes of the server arrived.
    pub(in crate::exec::jupyter) fn last_heard(&self) -> Instant {
        self.last_message_at.get()
    }

    fn without_token(&self, bytes: &[u8]) -> Vec<u8> {
        self.token.mask(bytes.to_vec())
    }

    /// The next event. Safe to cancel.
    pub(in crate::exec::jupyter) async fn next(&mut self) -> SocketEvent {
        let read = match self.stream.next().await {
            Some(Ok(Frame::Binary(bytes))) if self.v1 => JupyterMessage::from_v1(&self.without_token(&bytes)),
            Some(Ok(Frame::Binary(bytes))) => JupyterMessage::from_text(&self.without_token(&bytes)),
            Some(Ok(Frame::Text(text))) => JupyterMessage::from_text(&self.without_token(text.as_bytes())),
            Some(Ok(Frame::Close(reason))) => {
                let reason = reason.map_or_else(|| "closed".into(), |reason| reason.to_string());
                return SocketEvent::Closed(self.token.masked(reason));
            }
            Some(Ok(_)) => return SocketEvent::Nothing,
            Some(Err(error)) => return SocketEvent::Closed(error.to_string()),
            None => return SocketEvent::Closed("closed".into()),
        };
        read.map_or(SocketEvent::Nothing, SocketEvent::Message)
    }
}

//! Runs a kernel on a server: starts it there, exchanges messages over its WebSocket, reconnects after a lost
//! connection, and ends it with the session.

use super::error::JupyterError;
use super::message::{Channel, JupyterMessage};
use super::ready::KernelReadiness;
use super::send_queue::HeldMessages;
use super::server::JupyterServer;
use super::server::web_socket::{Socket, SocketEvent};
use super::talk::{KernelNews, KernelOrder, MessageIds, NewsSender};
use serde_json::json;
use std::future::ready;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

const PING_INTERVAL: Duration = Duration::from_secs(1);
/// How long the answer to a ping may take. It is checked at each ping, so a hanging server is noticed at the third ping
/// after the first unanswered one: at most 4 s after it started to hang.
const PONG_TIMEOUT: Duration = Duration::from_millis(2900);

/// What a kernel needs to be started.
pub(super) struct ServerStart {
    pub(crate) server: JupyterServer,
    pub(crate) name: String,
    /// How long it may take to be ready.
    pub(crate) patience: Duration,
    /// For how long to try to reconnect.
    pub(crate) reconnect: Duration,
}

/// Why a connection is no longer used.
enum DisconnectReason {
    Lost,
    /// The kernel is not needed any more, or has ended.
    Over(Option<KernelNews>),
}

struct ServerKernel {
    start: ServerStart,
    id: String,
    ids: Rc<MessageIds>,
    ready: KernelReadiness,
    /// Messages to send when the kernel is ready and connected.
    held: HeldMessages,
    news_sender: NewsSender,
    /// When the connection was lost, if nothing has arrived since.
    lost: Option<Instant>,
    /// Whether an interrupt was requested while there was no connection.
    interrupt_due: bool,
}

/// Starts a kernel and passes orders and messages until it ends.
pub(super) async fn drive_kernel(
    start: ServerStart,
    ids: Rc<MessageIds>,
    mut orders: mpsc::UnboundedReceiver<KernelOrder>,
    news_sender: NewsSender,
) {
    let (server, name) = (start.server.clone(), start.name.clone());
    let mut starts = std::pin::pin!(server.start(&name));
    let ready = KernelReadiness::new(ids.clone());
    let mut kernel = ServerKernel {
        start,
        id: String::new(),
        ids,
        ready,
        held: HeldMessages::default(),
        news_sender,
        lost: None,
        interrupt_due: false,
    };
    let started = kernel.beside_orders(&mut orders, starts.as_mut()).await;
    let was_ended = started.is_err();
    let last = match started {
        Ok(Ok(id)) => {
            kernel.id = id;
            kernel.serve(&mut orders).await
        }
        Ok(Err(error)) => Some(KernelNews::Gone(error.to_string())),
        Err(news) => Some(news),
    };
    // The end is reported first, because the server may take a while.
    if let Some(news) = last {
        kernel.news_sender.send(news).await;
    }
    // A kernel that the server is still starting has to be ended too.
    let id = if was_ended { starts.await.unwrap_or_default() } else { kernel.id };
    if !id.is_empty() {
        server.end(&id).await;
    }
}

impl ServerKernel {
    async fn serve(&mut self, orders: &mut mpsc::UnboundedReceiver<KernelOrder>) -> Option<KernelNews> {
        let begun = Instant::now();
        let (server, id, session) = (self.start.server.clone(), self.id.clone(), self.ids.session.clone());
        let opens = async move { server.open(&id, &session).await };
        let mut socket = match self.beside_orders(orders, opens).await {
            Ok(Ok(socket)) => socket,
            Ok(Err(error)) => return Some(KernelNews::Gone(error.to_string())),
            Err(news) => return Some(news),
        };
        loop {
            match self.serve_connection(&mut socket, orders, begun).await {
                DisconnectReason::Over(news) => return news,
                DisconnectReason::Lost => {}
            }
            if !self.news_sender.send(KernelNews::Reconnecting).await {
                return None;
            }
            socket = match self.reconnect(orders).await {
                Ok(socket) => socket,
                Err(news) => return Some(news),
            };
        }
    }

    async fn serve_connection(
        &mut self,
        socket: &mut Socket,
        orders: &mut mpsc::UnboundedReceiver<KernelOrder>,
        begun: Instant,
    ) -> DisconnectReason {
        let (mut ping, mut asked) = (Instant::now() + PING_INTERVAL, None);
        let mut whole = Instant::now();
        let mut nudge = Instant::now();
        loop {
            tokio::select! {
                // Received data is handled before silence counts: sayso itself may have been suspended.
                biased;
                came = socket.next() => {
                    whole = Instant::now();
                    if let Err(left) = self.on_event(came).await {
                        return left;
                    }
                }
                Some(order) = orders.recv() => match self.obey(order).await {
                    Ok(true) => self.interrupt(),
                    Ok(false) => {}
                    Err(end) => return DisconnectReason::Over(Some(end)),
                },
                // Only after all orders are handled: a block that was already stopped must not be sent.
                () = ready(()), if self.ready.is_ready() && !self.held.is_empty() => {
                    if let Err(left) = self.send_next(socket).await {
                        return left;
                    }
                }
                () = sleep_until(nudge), if !self.ready.is_ready() => {
                    if begun.elapsed() > self.start.patience {
                        let why = format!("it was not ready after {} s", self.start.patience.as_secs());
                        return DisconnectReason::Over(Some(KernelNews::Gone(self.failed(why))));
                    }
                    if socket.send(&self.ready.ask()).await.is_err() {
                        return DisconnectReason::Lost;
                    }
                    nudge = Instant::now() + Duration::from_secs(1);
                }
                () = sleep_until(ping) => {
                    if socket.last_heard() > whole && !self.news_sender.send(KernelNews::Receiving).await {
                        return DisconnectReason::Over(None);
                    }
                    let unanswered = asked.filter(|at| socket.last_heard() <= *at);
                    if unanswered.is_some_and(|at| at.elapsed() > PONG_TIMEOUT) || socket.ping().await.is_err() {
                        return DisconnectReason::Lost;
                    }
                    asked = unanswered.or(Some(Instant::now()));
                    ping = Instant::now() + PING_INTERVAL;
                }
            }
        }
    }

    async fn on_event(&mut self, event: SocketEvent) -> Result<(), DisconnectReason> {
        if let SocketEvent::Closed(why) = event {
            tracing::debug!(why, "the connection to the kernel was closed");
            return Err(DisconnectReason::Lost);
        }
        self.lost = None;
        if let SocketEvent::Message(message) = event { self.message(message).await } else { Ok(()) }
    }

    /// Carries out an order. Returns whether the kernel is to be interrupted; fails with its end.
    async fn obey(&mut self, order: KernelOrder) -> Result<bool, KernelNews> {
        match order {
            KernelOrder::Send(message) => self.held.add(*message),
            KernelOrder::Run(block) => {
                // A pending interrupt was meant for an earlier block.
                self.interrupt_due = false;
                self.held.hold(*block);
            }
            KernelOrder::Interrupt if !self.held.stop() => return Ok(true),
            KernelOrder::Interrupt => {
                self.news_sender.send(KernelNews::NotSent).await;
            }
            // A kernel on a server can't be stopped; its terms say so.
            KernelOrder::Rest => {}
            KernelOrder::End => return Err(KernelNews::Gone("it was ended by force".into())),
        }
        Ok(false)
    }

    /// Sends the next waiting message. If the connection breaks, it is sent over the next one.
    async fn send_next(&mut self, socket: &mut Socket) -> Result<(), DisconnectReason> {
        let Some(message) = self.held.first() else { return Ok(()) };
        socket.send(message).await.map_err(|_| DisconnectReason::Lost)?;
        if self.held.remove_sent() && !self.news_sender.send(KernelNews::Sent).await {
            return Err(DisconnectReason::Over(None));
        }
        Ok(())
    }

    async fn message(&mut self, message: JupyterMessage) -> Result<(), DisconnectReason> {
        let is_status = message.channel == Channel::Iopub && message.kind() == "status";
        let state = message.text("execution_state");
        if is_status && matches!(state, "restarting" | "autorestarting" | "dead") {
            // The server starts an empty kernel under the same id, which is not ours.
            let why = "the kernel died; the server tells no more (often: memory ran out)".to_owned();
            let news = KernelNews::Gone(if self.ready.is_ready() { why } else { self.failed(why) });
            return Err(DisconnectReason::Over(Some(news)));
        }
        let Some(news) = self.ready.news(message) else { return Ok(()) };
        if self.news_sender.send(news).await { Ok(()) } else { Err(DisconnectReason::Over(None)) }
    }

    /// Connects again, with growing pauses. Fails if the kernel no longer exists or the time is up.
    async fn reconnect(
        &mut self,
        orders: &mut mpsc::UnboundedReceiver<KernelOrder>,
    ) -> Result<Socket, KernelNews> {
        // A server that only accepts connections but says nothing does not count as reconnected, so the time goes on.
        let until = *self.lost.get_or_insert_with(Instant::now) + self.start.reconnect;
        let mut pause = Duration::from_millis(200);
        loop {
            let (server, id, session) =
                (self.start.server.clone(), self.id.clone(), self.ids.session.clone());
            let attempt = timeout_at(until, async move {
                let Some(busy) = server.busy(&id).await? else { return Ok(None) };
                Ok(Some((server.open(&id, &session).await?, busy)))
            });
            let why = match self.beside_orders(orders, attempt).await? {
                Ok(Ok(Some((socket, busy)))) => {
                    if std::mem::take(&mut self.interrupt_due) && busy {
                        self.interrupt();
                    }
                    self.news_sender.send(KernelNews::Reconnected { busy }).await;
                    return Ok(socket);
                }
                Ok(Ok(None)) => {
                    return Err(KernelNews::Gone("the kernel is not on the server any more".into()));
                }
                Ok(Err(why)) => JupyterError::to_string(&why),
                Err(_) => "it did not answer".to_owned(),
            };
            if Instant::now() + pause > until {
                let seconds = self.start.reconnect.as_secs();
                return Err(KernelNews::Gone(format!(
                    "the connection was lost and not found again within {seconds} s: {why}"
                )));
            }
            self.beside_orders(orders, sleep(pause)).await?;
            pause = (pause * 2).min(Duration::from_secs(5));
        }
    }

    /// Awaits `work` while there is no connection. Orders that arrive meanwhile are carried out or kept.
    async fn beside_orders<T>(
        &mut self,
        orders: &mut mpsc::UnboundedReceiver<KernelOrder>,
        work: impl Future<Output = T>,
    ) -> Result<T, KernelNews> {
        let mut work = std::pin::pin!(work);
        loop {
            tokio::select! {
                biased;
                Some(order) = orders.recv() => self.interrupt_due |= self.obey(order).await?,
                done = &mut work => return Ok(done),
            }
        }
    }

    fn interrupt(&self) {
        let (server, id) = (self.start.server.clone(), self.id.clone());
        // Sent only once: a second one could hit the next block.
        tokio::task::spawn_local(async move { server.interrupt(&id).await });
    }

    fn failed(&self, why: String) -> String {
        JupyterError::NotStarted { name: self.start.name.clone(), why }.to_string()
    }
}

/// The answer to a kernel that asks for input: a block can't ask the person.
pub(super) fn no_input(ids: &MessageIds, question: &JupyterMessage) -> JupyterMessage {
    let mut message = ids.message(Channel::Stdin, "input_reply", json!({ "status": "error", "value": "" }));
    message.parent = question.header.clone();
    message
}

//! A kernel of a server: started there, talked with over its WebSocket, found again when the connection was lost, and
//! ended with the session.

use super::error::JupyterError;
use super::message::{Channel, JupyterMessage};
use super::ready::KernelReadiness;
use super::server::{JupyterServer, Socket, SocketEvent};
use super::talk::{Ids, KernelNews, KernelOrder, Outlet};
use serde_json::json;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

/// Between two questions for a sign of life.
const PING: Duration = Duration::from_secs(1);
/// How long an answer may take. It is looked for with each question, so what hangs is told at the third one after the
/// first that was not answered: 4 s after it hung at the latest.
const SILENCE: Duration = Duration::from_millis(2900);

/// What a kernel needs to be started.
pub(super) struct ServerStart {
    pub server: JupyterServer,
    pub name: String,
    /// How long it may take to be ready.
    pub patience: Duration,
    /// For how long a lost connection is made again.
    pub reconnect: Duration,
}

/// Why a connection is left.
enum Departure {
    Lost,
    /// The kernel is not needed any more, or gone.
    Over(Option<KernelNews>),
}

struct ServerKernel {
    start: ServerStart,
    id: String,
    ids: Rc<Ids>,
    ready: KernelReadiness,
    waiting: Vec<JupyterMessage>,
    outlet: Outlet,
    /// When it was lost, where nothing was heard since.
    lost: Option<Instant>,
    /// An interrupt was wanted while there was no connection.
    interrupt_due: bool,
    /// The request that is interrupted as soon as the kernel is at it.
    interrupt_at: Option<String>,
}

/// Starts a kernel and carries its talk until it is gone.
pub(super) async fn carry(
    start: ServerStart,
    ids: Rc<Ids>,
    mut orders: mpsc::UnboundedReceiver<KernelOrder>,
    outlet: Outlet,
) {
    let id = match start.server.start(&start.name).await {
        Ok(id) => id,
        Err(error) => {
            outlet.tell(KernelNews::NotStarted(error.to_string())).await;
            return;
        }
    };
    let ready = KernelReadiness::new(ids.clone());
    let mut kernel = ServerKernel {
        start,
        id,
        ids,
        ready,
        waiting: Vec::new(),
        outlet,
        lost: None,
        interrupt_due: false,
        interrupt_at: None,
    };
    let last = kernel.live(&mut orders).await;
    // What is known is told first: the server may need a while.
    if let Some(news) = last {
        kernel.outlet.tell(news).await;
    }
    kernel.start.server.end(&kernel.id).await;
}

impl ServerKernel {
    async fn live(&mut self, orders: &mut mpsc::UnboundedReceiver<KernelOrder>) -> Option<KernelNews> {
        let begun = Instant::now();
        let mut socket = match self.start.server.open(&self.id, &self.ids.session).await {
            Ok(socket) => socket,
            Err(error) => return Some(KernelNews::NotStarted(error.to_string())),
        };
        loop {
            match self.connected(&mut socket, orders, begun).await {
                Departure::Over(news) => return news,
                Departure::Lost => {}
            }
            if !self.outlet.tell(KernelNews::Reconnecting).await {
                return None;
            }
            socket = match self.again(orders).await {
                Ok(socket) => socket,
                Err(news) => return Some(news),
            };
        }
    }

    async fn connected(
        &mut self,
        socket: &mut Socket,
        orders: &mut mpsc::UnboundedReceiver<KernelOrder>,
        begun: Instant,
    ) -> Departure {
        let (mut ping, mut asked) = (Instant::now() + PING, None);
        let mut whole = Instant::now();
        let mut nudge = Instant::now();
        loop {
            tokio::select! {
                // What came is read before anything is concluded from silence: sayso may have been held up itself.
                biased;
                came = socket.next() => {
                    whole = Instant::now();
                    match came {
                        SocketEvent::Message(message) => {
                            self.lost = None;
                            if let Err(left) = self.message(message, socket).await {
                                return left;
                            }
                        }
                        SocketEvent::Nothing => self.lost = None,
                        SocketEvent::Closed(why) => {
                            tracing::debug!(why, "the connection to the kernel was closed");
                            return Departure::Lost;
                        }
                    }
                }
                Some(order) = orders.recv() => match order {
                    KernelOrder::Send(message) if self.ready.is() => {
                        if socket.send(&message).await.is_err() {
                            self.waiting.push(*message);
                            return Departure::Lost;
                        }
                    }
                    KernelOrder::Send(message) => self.waiting.push(*message),
                    // Before it runs an interrupt would be lost.
                    KernelOrder::Interrupt => match self.unsent_run() {
                        Some(run) => self.interrupt_at = Some(run),
                        None => self.interrupt(),
                    },
                    // Nobody here can stop it: that is told with its rights.
                    KernelOrder::Rest => {}
                    KernelOrder::End => return Departure::Over(Some(KernelNews::Gone("it was ended by force".into()))),
                },
                () = sleep_until(nudge), if !self.ready.is() => {
                    if begun.elapsed() > self.start.patience {
                        let why = format!("it was not ready after {} s", self.start.patience.as_secs());
                        return Departure::Over(Some(KernelNews::NotStarted(self.failed(why))));
                    }
                    if socket.send(&self.ready.ask()).await.is_err() {
                        return Departure::Lost;
                    }
                    nudge = Instant::now() + Duration::from_secs(1);
                }
                () = sleep_until(ping) => {
                    if socket.heard() > whole && !self.outlet.tell(KernelNews::Receiving).await {
                        return Departure::Over(None);
                    }
                    let unanswered = asked.filter(|at| socket.heard() <= *at);
                    if unanswered.is_some_and(|at| at.elapsed() > SILENCE) || socket.ping().await.is_err() {
                        return Departure::Lost;
                    }
                    asked = unanswered.or(Some(Instant::now()));
                    ping = Instant::now() + PING;
                }
            }
        }
    }

    async fn message(&mut self, message: JupyterMessage, socket: &mut Socket) -> Result<(), Departure> {
        let is_status = message.channel == Channel::Iopub && message.kind() == "status";
        let state = message.text("execution_state");
        if is_status && state == "busy" && self.interrupt_at.as_deref() == Some(message.about()) {
            self.interrupt_at = None;
            self.interrupt();
        }
        if is_status && matches!(state, "restarting" | "autorestarting" | "dead") {
            // The server starts an empty one under the same id: it is not ours.
            let why = "the kernel died; the server tells no more (often: memory ran out)".to_owned();
            let news = if self.ready.is() {
                KernelNews::Gone(why)
            } else {
                KernelNews::NotStarted(self.failed(why))
            };
            return Err(Departure::Over(Some(news)));
        }
        let news = if self.ready.is() {
            KernelNews::Message(Box::new(message))
        } else if self.ready.take(&message) {
            for message in std::mem::take(&mut self.waiting) {
                socket.send(&message).await.map_err(|_| Departure::Lost)?;
            }
            KernelNews::Ready(self.ready.version())
        } else {
            return Ok(());
        };
        if self.outlet.tell(news).await { Ok(()) } else { Err(Departure::Over(None)) }
    }

    /// Connects again, with growing pauses; the kernel and its state are still there, or told to be gone.
    async fn again(
        &mut self,
        orders: &mut mpsc::UnboundedReceiver<KernelOrder>,
    ) -> Result<Socket, KernelNews> {
        // A server that only takes connections, and says nothing, is not there again.
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
                Ok(Ok(Some((mut socket, busy)))) => {
                    let is_due =
                        std::mem::take(&mut self.interrupt_due) || self.interrupt_at.take().is_some();
                    let unsent = self.unsent_run();
                    for message in std::mem::take(&mut self.waiting) {
                        let _ = socket.send(&message).await;
                    }
                    match unsent {
                        // What is only sent now is not run yet: an interrupt would go before it, and be lost.
                        Some(run) if is_due => self.interrupt_at = Some(run),
                        None if is_due && busy => self.interrupt(),
                        _ => {}
                    }
                    self.outlet.tell(KernelNews::Reconnected { busy }).await;
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

    /// What comes of this while there is no connection; what is ordered meanwhile is done, or kept.
    async fn beside_orders<T>(
        &mut self,
        orders: &mut mpsc::UnboundedReceiver<KernelOrder>,
        work: impl Future<Output = T>,
    ) -> Result<T, KernelNews> {
        let mut work = std::pin::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return Ok(done),
                Some(order) = orders.recv() => match order {
                    KernelOrder::Send(message) => self.waiting.push(*message),
                    KernelOrder::Interrupt => self.interrupt_due = true,
                    KernelOrder::Rest => {}
                    KernelOrder::End => return Err(KernelNews::Gone("it was ended by force".into())),
                },
            }
        }
    }

    /// The run that is not sent yet: to a kernel that starts, or while there is no connection.
    fn unsent_run(&self) -> Option<String> {
        // The last: a question for variables that nobody waits for any more may stand before it.
        let is_run = |message: &&JupyterMessage| message.kind() == "execute_request";
        self.waiting.iter().rfind(is_run).map(|run| run.id().to_owned())
    }

    fn interrupt(&self) {
        let (server, id) = (self.start.server.clone(), self.id.clone());
        // Once only: a second one could meet the next block.
        tokio::task::spawn_local(async move { server.interrupt(&id).await });
    }

    fn failed(&self, why: String) -> String {
        JupyterError::NotStarted { name: self.start.name.clone(), why }.to_string()
    }
}

/// The answer to a kernel that asks for input: there is nobody to ask.
pub(super) fn no_input(ids: &Ids, question: &JupyterMessage) -> JupyterMessage {
    let mut message = ids.message(Channel::Stdin, "input_reply", json!({ "status": "error", "value": "" }));
    message.parent = question.header.clone();
    message
}

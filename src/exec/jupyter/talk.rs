//! What goes between a kernel's own task and the executor.

use super::message::JupyterMessage;
use crate::domain::Stream;
use std::cell::Cell;
use tokio::sync::mpsc;

/// An order to the task of a kernel.
#[derive(Debug)]
pub(super) enum KernelOrder {
    Send(Box<JupyterMessage>),
    /// Send this block: what is held until the kernel is there for it.
    Run(Box<JupyterMessage>),
    /// Bring it to a stand, with all that it started: the block is over. What is sent next lets it go on.
    Rest,
    /// Interrupt it in the way that it knows; a block that is held is not sent any more.
    Interrupt,
    End,
}

/// What the task of a kernel tells.
#[derive(Debug)]
pub(super) enum KernelNews {
    /// It answers: the version of its language.
    Ready(Option<String>),
    /// The block has gone to it.
    Sent,
    /// The block was stopped while it was held, and never goes to it.
    NotSent,
    /// A message of the kernel.
    Message(Box<JupyterMessage>),
    /// Its process printed something that did not come as a message.
    Printed(Stream, Vec<u8>),
    /// A part of a message came that is not whole yet.
    Receiving,
    /// The connection is lost, and made again.
    Reconnecting,
    /// The connection is there again; whether the kernel is at work.
    Reconnected { busy: bool },
    /// It stands still; whether all of it does.
    Resting(bool),
    /// It is gone, or never was ready, and of what.
    Gone(String),
}

/// Where a kernel's task tells its news; the number says whose they are. Bounded: a kernel that floods is held up, and so
/// is its socket.
#[derive(Clone, Debug)]
pub(super) struct NewsSender {
    pub(crate) number: u32,
    pub(crate) news: mpsc::Sender<(u32, KernelNews)>,
}

impl NewsSender {
    /// Tells something; false when nobody listens any more.
    pub(super) async fn send(&self, news: KernelNews) -> bool {
        self.news.send((self.number, news)).await.is_ok()
    }
}

/// Makes ids of messages.
#[derive(Debug)]
pub(super) struct MessageIds {
    pub(crate) session: String,
    next: Cell<u64>,
}

impl MessageIds {
    /// Ids of a new client.
    pub(super) fn new() -> Self {
        Self { session: uuid::Uuid::now_v7().simple().to_string(), next: Cell::new(1) }
    }

    /// A new message with an id of its own.
    pub(super) fn message(
        &self,
        channel: super::message::Channel,
        kind: &str,
        content: serde_json::Value,
    ) -> JupyterMessage {
        let number = self.next.replace(self.next.get() + 1);
        let id = format!("{}_{number}", self.session);
        let date = jiff::Timestamp::now().to_string();
        JupyterMessage::new(channel, kind, (&id, &self.session, &date), content)
    }
}

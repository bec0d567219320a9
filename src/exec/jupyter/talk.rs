//! The orders and news between a kernel's task and the executor.

use super::message::JupyterMessage;
use crate::domain::Stream;
use std::cell::Cell;
use tokio::sync::mpsc;

/// An order to the task of a kernel.
#[derive(Debug)]
pub(super) enum KernelOrder {
    Send(Box<JupyterMessage>),
    /// Send this block. It is held until the kernel is ready.
    Run(Box<JupyterMessage>),
    /// The block has ended: stop the kernel and all processes that it started. The next message resumes it.
    Rest,
    /// Interrupt the kernel in the way it supports. A block that is still held is dropped.
    Interrupt,
    End,
}

/// News from the task of a kernel.
#[derive(Debug)]
pub(super) enum KernelNews {
    /// The kernel is ready; the version of its language.
    Ready(Option<String>),
    /// The block was sent to the kernel.
    Sent,
    /// The block was stopped while it was held, and will never be sent.
    NotSent,
    Message(Box<JupyterMessage>),
    /// Its process printed something outside of messages.
    Printed(Stream, Vec<u8>),
    /// A part of a message arrived, but not all of it yet.
    Receiving,
    /// The connection is lost, and being made again.
    Reconnecting,
    /// The connection is made again; whether the kernel is busy.
    Reconnected {
        busy: bool,
    },
    /// The kernel was to be stopped; whether all of it stands still.
    Paused(bool),
    /// The kernel has ended, or never was ready; the reason.
    Gone(String),
}

/// Sends the news of one kernel's task; the number identifies the kernel. Bounded, so that a kernel that floods is
/// slowed down through its socket.
#[derive(Clone, Debug)]
pub(super) struct NewsSender {
    pub(crate) number: u32,
    pub(crate) news: mpsc::Sender<(u32, KernelNews)>,
}

impl NewsSender {
    /// Sends news. Returns false if nobody listens any more.
    pub(super) async fn send(&self, news: KernelNews) -> bool {
        self.news.send((self.number, news)).await.is_ok()
    }
}

/// Makes messages with unique ids.
#[derive(Debug)]
pub(super) struct MessageIds {
    pub(crate) session: String,
    next: Cell<u64>,
}

impl MessageIds {
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

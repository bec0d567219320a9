//! Decides when a kernel is ready: it has answered a request, and a message arrived on the channel for output. Before
//! that, output could be lost. Pure, except for the ids.

use super::message::{Channel, JupyterMessage};
use super::talk::{KernelNews, MessageIds};
use crate::exec::kernel_wire;
use serde_json::{Value, json};
use std::rc::Rc;

#[derive(Debug)]
pub(super) struct KernelReadiness {
    ids: Rc<MessageIds>,
    asked: Vec<String>,
    answered: bool,
    version: Option<String>,
    heard: bool,
}

impl KernelReadiness {
    pub(super) fn new(ids: Rc<MessageIds>) -> Self {
        Self { ids, asked: Vec::new(), answered: false, version: None, heard: false }
    }

    pub(super) fn is_ready(&self) -> bool {
        self.heard && self.answered
    }

    /// The request. It is repeated until messages have arrived on both channels.
    pub(super) fn ask(&mut self) -> JupyterMessage {
        let message = self.ids.message(Channel::Shell, "kernel_info_request", json!({}));
        self.asked.push(message.id().to_owned());
        message
    }

    /// The news that a message brings: that the kernel is ready, and from then on the message itself.
    pub(super) fn news(&mut self, message: JupyterMessage) -> Option<KernelNews> {
        if self.is_ready() {
            return Some(KernelNews::Message(Box::new(message)));
        }
        self.take(&message).then(|| KernelNews::Ready(self.version.clone()))
    }

    /// Takes a message. Returns whether the kernel is ready.
    fn take(&mut self, message: &JupyterMessage) -> bool {
        if !self.asked.iter().any(|id| id == message.parent_id()) {
            return false;
        }
        match (message.channel, message.kind()) {
            (Channel::Iopub, _) => self.heard = true,
            (Channel::Shell, "kernel_info_reply") => {
                let version = message.content.pointer("/language_info/version").and_then(Value::as_str);
                self.version = version.map(kernel_wire::version);
                self.answered = true;
            }
            _ => {}
        }
        self.is_ready()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_channels_have_to_answer() {
        let mut ready = KernelReadiness::new(Rc::new(MessageIds::new()));
        let question = ready.ask();
        let about = |channel, kind: &str, content: Value| {
            let mut message = JupyterMessage::new(channel, kind, ("1", "s", ""), content);
            message.parent = question.header.clone();
            message
        };
        let reply =
            about(Channel::Shell, "kernel_info_reply", json!({ "language_info": { "version": "3.11.2" } }));
        let idle = about(Channel::Iopub, "status", json!({ "execution_state": "idle" }));
        let mut other = idle.clone();
        other.parent = json!({ "msg_id": "another" });
        assert!(!ready.take(&other));
        assert!(!ready.take(&reply));
        assert!(!ready.is_ready());
        assert!(ready.take(&idle));
        assert_eq!(ready.version.as_deref(), Some("3.11.2"));
        assert!(ready.is_ready());
    }
}

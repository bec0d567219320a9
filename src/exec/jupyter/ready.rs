//! Whether a kernel is there for us: it has answered a question, and we have heard it on the channel on which output
//! comes. Before that, output could be lost. Pure but for the ids.

use super::message::{Channel, Message};
use super::talk::Ids;
use serde_json::{Value, json};
use std::rc::Rc;

/// What is known so far.
#[derive(Debug)]
pub struct Ready {
    ids: Rc<Ids>,
    asked: Vec<String>,
    answered: Option<Option<String>>,
    heard: bool,
}

impl Ready {
    /// Nothing is known.
    pub fn new(ids: Rc<Ids>) -> Self {
        Self { ids, asked: Vec::new(), answered: None, heard: false }
    }

    /// Whether it is there.
    pub fn is(&self) -> bool {
        self.heard && self.answered.is_some()
    }

    /// The question; it may be asked again, as long as it is not answered on both channels.
    pub fn ask(&mut self) -> Message {
        let message = self.ids.message(Channel::Shell, "kernel_info_request", json!({}));
        self.asked.push(message.id().to_owned());
        message
    }

    /// Takes a message; when it makes the kernel ready, the version of its language.
    pub fn take(&mut self, message: &Message) -> Option<Option<String>> {
        if !self.asked.iter().any(|id| id == message.about()) {
            return None;
        }
        match (message.channel, message.kind()) {
            (Channel::Iopub, _) => self.heard = true,
            (Channel::Shell, "kernel_info_reply") => {
                let version = message.content.pointer("/language_info/version").and_then(Value::as_str);
                self.answered = Some(version.map(|text| text.chars().take(40).collect()));
            }
            _ => {}
        }
        self.answered.clone().filter(|_| self.heard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_channels_have_to_answer() {
        let mut ready = Ready::new(Rc::new(Ids::new()));
        let question = ready.ask();
        let about = |channel, kind: &str, content: Value| {
            let mut message = Message::new(channel, kind, ("1", "s", ""), content);
            message.parent = question.header.clone();
            message
        };
        let reply =
            about(Channel::Shell, "kernel_info_reply", json!({ "language_info": { "version": "3.11.2" } }));
        let idle = about(Channel::Iopub, "status", json!({ "execution_state": "idle" }));
        let mut other = idle.clone();
        other.parent = json!({ "msg_id": "another" });
        assert_eq!(ready.take(&other), None);
        assert_eq!(ready.take(&reply), None);
        assert!(!ready.is());
        assert_eq!(ready.take(&idle), Some(Some("3.11.2".into())));
        assert!(ready.is());
    }
}

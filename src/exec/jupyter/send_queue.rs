//! Holds messages until they can be sent, while the kernel starts or its server is unreachable. The block is sent last,
//! and not at all if it is stopped before. Pure.

use super::message::JupyterMessage;
use std::collections::VecDeque;

/// Messages that wait for their kernel; one of them may be the block.
#[derive(Debug, Default)]
pub(super) struct HeldMessages {
    /// Messages to send before the block, oldest first.
    before: VecDeque<JupyterMessage>,
    run: Option<JupyterMessage>,
}

impl HeldMessages {
    pub(super) fn is_empty(&self) -> bool {
        self.first().is_none()
    }

    /// Adds a message other than the block.
    pub(super) fn add(&mut self, message: JupyterMessage) {
        self.before.push_back(message);
    }

    /// Holds the block. There is one at a time.
    pub(super) fn hold(&mut self, run: JupyterMessage) {
        self.run = Some(run);
    }

    /// The next message to send. It stays until [`HeldMessages::remove_sent`] is called, in case the connection breaks
    /// meanwhile.
    pub(super) fn first(&self) -> Option<&JupyterMessage> {
        self.before.front().or(self.run.as_ref())
    }

    /// Removes the first message because it was sent. Returns whether it was the block.
    pub(super) fn remove_sent(&mut self) -> bool {
        self.before.pop_front().is_none() && self.stop()
    }

    /// Removes the block. Returns whether it was still here.
    pub(super) fn stop(&mut self) -> bool {
        self.run.take().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::jupyter::message::Channel;
    use serde_json::json;

    fn message(id: &str) -> JupyterMessage {
        JupyterMessage::new(Channel::Shell, "execute_request", (id, "s", ""), json!({}))
    }

    fn first(held: &HeldMessages) -> Option<&str> {
        held.first().map(JupyterMessage::id)
    }

    #[test]
    fn each_goes_once_and_the_block_last() {
        let mut held = HeldMessages::default();
        held.add(message("question"));
        held.hold(message("block"));
        held.add(message("answer"));
        for (id, is_block) in [("question", false), ("answer", false), ("block", true)] {
            // It was not sent, so the next connection gets the same message.
            assert_eq!((first(&held), first(&held)), (Some(id), Some(id)));
            assert_eq!(held.remove_sent(), is_block, "{id}");
        }
        assert!(held.is_empty() && !held.remove_sent() && !held.stop());
    }

    #[test]
    fn a_block_that_is_stopped_goes_nowhere() {
        let mut held = HeldMessages::default();
        held.add(message("question"));
        assert!(!held.stop(), "a question is no block");
        held.hold(message("block"));
        assert!(held.stop());
        assert_eq!(first(&held), Some("question"));
        assert!(!held.remove_sent() && held.is_empty());
    }
}

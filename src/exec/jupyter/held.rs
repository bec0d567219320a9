//! What is to go to a kernel and has not gone yet: the kernel starts, or its server is away. The block goes last, and
//! nowhere any more once it is stopped. Pure.

use super::message::JupyterMessage;
use std::collections::VecDeque;

/// Messages that wait for their kernel, with the block among them.
#[derive(Debug, Default)]
pub(super) struct HeldMessages {
    /// What goes before the block, oldest first.
    before: VecDeque<JupyterMessage>,
    run: Option<JupyterMessage>,
}

impl HeldMessages {
    pub(super) fn is_empty(&self) -> bool {
        self.first().is_none()
    }

    /// Adds one that is no block.
    pub(super) fn add(&mut self, message: JupyterMessage) {
        self.before.push_back(message);
    }

    /// Holds the block. There is one at a time.
    pub(super) fn hold(&mut self, run: JupyterMessage) {
        self.run = Some(run);
    }

    /// What goes next. It stays until [`HeldMessages::went`]: a connection that breaks has not taken it.
    pub(super) fn first(&self) -> Option<&JupyterMessage> {
        self.before.front().or(self.run.as_ref())
    }

    /// The first has gone; whether it was the block.
    pub(super) fn went(&mut self) -> bool {
        self.before.pop_front().is_none() && self.stop()
    }

    /// The block is stopped; whether it was still here.
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
            // It did not go: the next connection is given the same.
            assert_eq!((first(&held), first(&held)), (Some(id), Some(id)));
            assert_eq!(held.went(), is_block, "{id}");
        }
        assert!(held.is_empty() && !held.went() && !held.stop());
    }

    #[test]
    fn a_block_that_is_stopped_goes_nowhere() {
        let mut held = HeldMessages::default();
        held.add(message("question"));
        assert!(!held.stop(), "a question is no block");
        held.hold(message("block"));
        assert!(held.stop());
        assert_eq!(first(&held), Some("question"));
        assert!(!held.went() && held.is_empty());
    }
}

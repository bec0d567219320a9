//! The state of the block that runs in a Jupyter kernel.

use super::reading::{AwaitedReply, ReplyReader};
use crate::domain::BlockId;
use std::time::Duration;
use tokio::time::Instant;

/// How long output of a kernel may be in transit. Output that arrives sooner after an interrupt can be from before it.
const OUTPUT_DELAY: Duration = Duration::from_millis(400);

/// A block that runs, or waits for its kernel to be ready.
#[derive(Default)]
pub(super) struct JupyterBlock {
    pub(crate) block: BlockId,
    pub(crate) kernel: String,
    /// Whether it was sent to its kernel. Before that, nothing of it ran.
    pub(crate) sent: bool,
    pub(crate) reading: ReplyReader,
    /// When to stop waiting for the missing part of its end.
    pub(crate) until: Option<Instant>,
    /// How often the connection was lost during the run.
    pub(crate) losses: u32,
    pub(crate) of_python: bool,
    /// The id of the request for its variables, which is sent when the block has ended.
    pub(crate) asked: Option<String>,
    /// When it was last interrupted.
    interrupted: Option<Instant>,
    /// Whether anything arrived from it since then.
    answered: bool,
}

impl JupyterBlock {
    /// A block that is about to run in this kernel.
    pub(super) fn new(block: BlockId, kernel: String, reading: ReplyReader, of_python: bool) -> Self {
        Self { block, kernel, reading, of_python, ..Self::default() }
    }

    /// Notes an interrupt. Returns whether it is the first, for a block that was already sent.
    pub(super) fn interrupt(&mut self, now: Instant) -> bool {
        let before = self.interrupted.replace(now);
        self.answered = false;
        self.reading.interrupt();
        before.is_none() && self.sent
    }

    /// Notes that a message of the block arrived.
    pub(super) fn note_message(&mut self, now: Instant) {
        self.answered |= self.interrupted.is_some_and(|at| now >= at + OUTPUT_DELAY);
    }

    /// Whether the interrupt reached the kernel, or came after the code had ended.
    pub(super) fn has_answered(&self) -> bool {
        self.answered || self.asked.is_some() || self.reading.missing() != AwaitedReply::Both
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_after_an_interrupt_is_an_answer_and_what_was_under_way_is_not() {
        let reading = ReplyReader::new("1".into());
        let mut block = JupyterBlock::new(BlockId(1), "python3".into(), reading, true);
        let start = Instant::now();
        block.note_message(start);
        assert!(!block.has_answered(), "nothing was asked");
        block.interrupt(start);
        block.note_message(start + OUTPUT_DELAY / 2);
        assert!(!block.has_answered());
        block.note_message(start + OUTPUT_DELAY);
        assert!(block.has_answered());
        block.interrupt(start + OUTPUT_DELAY * 2);
        assert!(!block.has_answered(), "the person wants it once more");
        block.asked = Some("2".into());
        assert!(block.has_answered(), "its code is over");
    }
}

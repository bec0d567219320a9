//! The block that runs in a Jupyter kernel: what was heard of it, and what is waited for.

use super::reading::{AwaitedReply, ReplyReader};
use crate::domain::BlockId;
use std::time::Duration;
use tokio::time::Instant;

/// Output of a kernel may be this long under way: what comes sooner after an interrupt can be from before it.
const OUTPUT_DELAY: Duration = Duration::from_millis(400);

/// The block that runs, or is held until its kernel is there for it.
pub(super) struct JupyterBlock {
    pub(crate) block: BlockId,
    pub(crate) kernel: String,
    /// It has gone to its kernel. Before that nothing of it ran.
    pub(crate) sent: bool,
    pub(crate) reading: ReplyReader,
    /// What is missing is given up then.
    pub(crate) until: Option<Instant>,
    /// How often the connection was lost while it ran.
    pub(crate) losses: u32,
    /// The kernel runs Python.
    pub(crate) of_python: bool,
    /// The question for its variables, once the block is over.
    pub(crate) asked: Option<String>,
    /// When it was interrupted last.
    interrupted: Option<Instant>,
    /// It was heard of after that.
    answered: bool,
}

impl JupyterBlock {
    /// A block that begins in this kernel.
    pub(super) fn new(block: BlockId, kernel: String, reading: ReplyReader, of_python: bool) -> Self {
        Self {
            block,
            kernel,
            sent: false,
            reading,
            until: None,
            losses: 0,
            of_python,
            asked: None,
            interrupted: None,
            answered: false,
        }
    }

    /// It is being interrupted; whether for the first time since its kernel has it.
    pub(super) fn interrupt(&mut self, now: Instant) -> bool {
        let before = self.interrupted.replace(now);
        self.answered = false;
        self.reading.interrupt();
        before.is_none() && self.sent
    }

    /// A message of it came, or the end of it.
    pub(super) fn hear(&mut self, now: Instant) {
        self.answered |= self.interrupted.is_some_and(|at| now >= at + OUTPUT_DELAY);
    }

    /// Whether the interrupt has reached it, or came when its code was over.
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
        block.hear(start);
        assert!(!block.has_answered(), "nothing was asked");
        block.interrupt(start);
        block.hear(start + OUTPUT_DELAY / 2);
        assert!(!block.has_answered());
        block.hear(start + OUTPUT_DELAY);
        assert!(block.has_answered());
        block.interrupt(start + OUTPUT_DELAY * 2);
        assert!(!block.has_answered(), "the person wants it once more");
        block.asked = Some("2".into());
        assert!(block.has_answered(), "its code is over");
    }
}

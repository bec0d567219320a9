//! The end of a block: what of it is still missing, how long that is waited for, and what is told then.

use super::Jupyter;
use super::reading::{AwaitedReply, ReplyReader};
use super::talk::KernelOrder;
use crate::domain::KernelFate;
use crate::exec::backend::{EndCause, RunEnd};
use crate::exec::helper_wire::RestState;
use std::time::Duration;
use tokio::time::Instant;

/// How much longer is waited for what is missing of an end: for the last output, and for the reply.
const IDLE_TIMEOUT: Duration = Duration::from_secs(2);
const REPLY_TIMEOUT: Duration = Duration::from_secs(10);

/// What is told of a block whose end fell into a lost connection.
const UNHEARD: &str = "the connection was lost while the block ran; the kernel is idle and keeps its state, but how the \
                       block ended was not heard";

impl Jupyter {
    pub(super) fn end_block(&mut self, end: impl FnOnce(ReplyReader) -> EndCause, kernel: KernelFate) {
        let Some(block) = self.block.take() else { return };
        let cwd = self.available.server.is_none().then(|| self.available.setup.cwd.clone());
        let connection_losses = block.losses;
        let ended = RunEnd { cwd, connection_losses, ..RunEnd::of(end(block.reading)) };
        let stays = self.kernels.get(&block.kernel).filter(|_| matches!(kernel, KernelFate::Kept(_)));
        let stops = stays.filter(|_| self.available.server.is_none());
        match stops.map(|kernel| kernel.orders.send(KernelOrder::Rest)) {
            Some(Ok(())) => self.resting = Some(RunEnd { kernel, ..ended }),
            _ => self.queue.push_back(RunEnd { kernel, ..ended }.into()),
        }
    }

    /// The kernel of the block that ended stands still, or is not there any more.
    pub(super) fn on_resting(&mut self, still: bool) {
        if let Some(ended) = self.resting.take() {
            self.queue.push_back(RunEnd { rest: Some(RestState { still, threads: 0 }), ..ended }.into());
        }
    }

    /// Whether the block is over, or what is missing of its end may take a while longer.
    pub(super) fn look_at_end(&mut self) {
        let Some(block) = &mut self.block else { return };
        let patience = match block.reading.missing() {
            AwaitedReply::Both => return,
            AwaitedReply::Idle => IDLE_TIMEOUT,
            // Behind an interrupt it may never come.
            AwaitedReply::Reply if block.reading.is_interrupted() => IDLE_TIMEOUT,
            AwaitedReply::Reply => REPLY_TIMEOUT,
            AwaitedReply::Nothing if self.ask_variables() => return,
            AwaitedReply::Nothing if self.waits_for_variables() => return,
            AwaitedReply::Nothing => return self.end_of_block(),
        };
        block.until.get_or_insert_with(|| Instant::now() + patience);
    }

    /// The block ends as it told.
    pub(super) fn end_of_block(&mut self) {
        let fate = self.block.as_ref().map_or(KernelFate::None, |block| self.fate(&block.kernel));
        self.end_block(|reading| EndCause::Block(reading.done()), fate);
    }

    /// What was missing did not come.
    pub(super) fn give_up_waiting(&mut self) {
        let Some(block) = &self.block else { return };
        let fate = self.fate(&block.kernel);
        let nothing = block.reading.missing() == AwaitedReply::Both;
        self.end_block(
            |reading| if nothing { EndCause::Died(UNHEARD.into()) } else { EndCause::Block(reading.done()) },
            fate,
        );
    }
}

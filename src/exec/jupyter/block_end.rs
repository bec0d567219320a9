//! Handles the end of a block: which part of it is missing, how long to wait for that, and what is reported.

use super::Jupyter;
use super::reading::{AwaitedReply, ReplyReader};
use super::talk::KernelOrder;
use crate::domain::KernelFate;
use crate::exec::backend::{EndCause, RunEnd};
use crate::exec::helper_wire::PauseState;
use std::time::Duration;
use tokio::time::Instant;

/// How much longer to wait for the missing part of an end: for the last output, and for the reply.
const IDLE_TIMEOUT: Duration = Duration::from_secs(2);
const REPLY_TIMEOUT: Duration = Duration::from_secs(10);

/// The cause that is reported for a block that ended while the connection was lost.
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
            Some(Ok(())) => self.pausing = Some((block.kernel, RunEnd { kernel, ..ended })),
            _ => self.queue.push_back(RunEnd { kernel, ..ended }.into()),
        }
    }

    /// A kernel stands still, or no longer exists: sends the end of the block that ended in it.
    pub(super) fn on_paused(&mut self, name: &str, still: bool) {
        if let Some((_, ended)) = self.pausing.take_if(|(kernel, _)| kernel == name) {
            self.queue.push_back(RunEnd { pause: Some(PauseState { still, threads: 0 }), ..ended }.into());
        }
    }

    /// Ends the block if everything has arrived; else sets the time to stop waiting.
    pub(super) fn check_end(&mut self) {
        let Some(block) = &mut self.block else { return };
        let patience = match block.reading.missing() {
            AwaitedReply::Both => return,
            AwaitedReply::Idle => IDLE_TIMEOUT,
            // After an interrupt the reply may never come.
            AwaitedReply::Reply if block.reading.is_interrupted() => IDLE_TIMEOUT,
            AwaitedReply::Reply => REPLY_TIMEOUT,
            // Only the list of its variables is missing.
            AwaitedReply::Nothing if block.asked.is_some() => return,
            AwaitedReply::Nothing if self.ask_variables() => return,
            AwaitedReply::Nothing => return self.end_of_block(),
        };
        block.until.get_or_insert_with(|| Instant::now() + patience);
    }

    /// Ends the block as its messages say.
    pub(super) fn end_of_block(&mut self) {
        let fate = self.block.as_ref().map_or(KernelFate::None, |block| self.fate(&block.kernel));
        self.end_block(|reading| EndCause::Block(reading.done()), fate);
    }

    /// Ends the block although a part of its end did not arrive in time.
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

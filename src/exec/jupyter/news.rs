//! Handles the news from the tasks of kernels.

use super::message::JupyterMessage;
use super::reading::AwaitedReply;
use super::talk::{KernelNews, KernelOrder};
use super::{Jupyter, remote};
use crate::domain::sentences::running::STOPPED_BEFORE_START;
use crate::domain::{DeadKernel, KernelFate, RunEvent, Stream};
use crate::exec::KernelNotice;
use crate::exec::backend::{BackendEvent, EndCause};
use std::time::Duration;
use tokio::time::Instant;

/// How long to wait for the end of a block after a reconnection: messages sent meanwhile may be lost.
const AFTER_LOSS_TIMEOUT: Duration = Duration::from_secs(5);

/// Shown to the person when a kernel asks for input.
const NO_INPUT: &str = "The kernel asked for input. A block can't ask for anything while it runs: put the value into \
                        the code, or ask for it in the conversation.\n";

impl Jupyter {
    pub(super) fn on_news(&mut self, number: u32, news: KernelNews) {
        let found = self.kernels.iter().find(|(_, kernel)| kernel.number == number);
        let Some(name) = found.map(|(name, _)| name.clone()) else { return };
        let running = self.block.as_ref().is_some_and(|block| block.kernel == name);
        match news {
            KernelNews::Ready(version) => {
                if let Some(kernel) = self.kernels.get_mut(&name) {
                    kernel.ready = true;
                    kernel.version = version;
                }
            }
            KernelNews::Sent => self.on_sent(&name),
            KernelNews::NotSent if running => {
                let fate = self.fate(&name);
                self.end_block(|_| EndCause::NotSent(STOPPED_BEFORE_START.into()), fate);
            }
            KernelNews::Message(message) if running => self.on_message(&name, &message),
            KernelNews::Receiving => {
                // The reply may arrive before a large output, so the wait for the missing part starts anew.
                if let Some(block) = self.block.as_mut().filter(|_| running)
                    && block.reading.missing() == AwaitedReply::Idle
                {
                    block.until = None;
                    self.check_end();
                }
            }
            KernelNews::Printed(stream, bytes) if running => {
                self.queue.push_back(BackendEvent::printed(stream, bytes));
            }
            // No block is in the kernel that it could be about.
            KernelNews::NotSent | KernelNews::Message(_) | KernelNews::Printed(..) => {}
            KernelNews::Reconnecting => {
                if let Some(kernel) = self.kernels.get_mut(&name) {
                    kernel.lost = true;
                }
                self.report_lost(running);
                if let Some(block) = self.block.as_mut().filter(|block| running && block.sent) {
                    block.losses = block.losses.saturating_add(1);
                    block.until = None;
                }
            }
            KernelNews::Reconnected { busy } => {
                if let Some(kernel) = self.kernels.get_mut(&name) {
                    kernel.lost = false;
                }
                self.report_reconnected(running);
                if let Some(block) = self.block.as_mut().filter(|block| running && block.losses > 0 && !busy)
                {
                    block.until = Some(Instant::now() + AFTER_LOSS_TIMEOUT);
                }
            }
            KernelNews::Paused(still) => self.on_paused(&name, still),
            KernelNews::Gone(why) => self.kernel_gone(&name, running, why),
        }
    }

    /// Handles a message from the kernel of the current block.
    fn on_message(&mut self, name: &str, message: &JupyterMessage) {
        if message.kind() == "input_request" {
            if let Some(kernel) = self.kernels.get(name) {
                let answer = remote::no_input(&self.ids, message);
                let _ = kernel.orders.send(KernelOrder::Send(Box::new(answer)));
            }
            self.queue.push_back(BackendEvent::printed(Stream::Stderr, NO_INPUT.into()));
        } else if !self.take_variables(message)
            && let Some(block) = &mut self.block
        {
            let heard = block.reading.take(message);
            if !heard.is_empty() {
                block.until = None;
                block.note_message(Instant::now());
            }
            self.queue.extend(heard);
            self.check_end();
        }
    }

    /// The block was sent to its kernel: the run starts, and so does its clock.
    pub(super) fn on_sent(&mut self, name: &str) {
        if let Some(block) = self.block.as_mut().filter(|block| block.kernel == name)
            && let Some(kernel) = self.kernels.get_mut(name)
        {
            block.sent = true;
            kernel.shared.add(block.block);
            self.queue.push_back(RunEvent::Started.into());
        }
    }

    /// Warns that the server can't be reached, and says what the person can do.
    pub(super) fn report_lost(&mut self, running: bool) {
        let words = format!(
            "The Jupyter server {} does not answer. The connection is tried again for {} s: see whether the server runs",
            self.available.place(),
            self.available.config.reconnect
        );
        self.warn(words + if running { ", or stop the block." } else { "." });
    }

    /// Reports that the server answers again. Output that the block printed meanwhile may be lost: a server that was
    /// blocked sends it into the abandoned connection, and no later message shows that something is missing.
    pub(super) fn report_reconnected(&mut self, running: bool) {
        let words = format!("The Jupyter server {} answers again.", self.available.place());
        if self.block.as_ref().is_some_and(|block| running && block.losses > 0) {
            self.warn(words + " What the block printed meanwhile may be missing.");
        } else {
            let _ = self.notices.try_send(KernelNotice::Back(words));
        }
    }

    pub(super) fn warn(&self, words: String) {
        let _ = self.notices.try_send(KernelNotice::Warning(words));
    }

    pub(super) fn kernel_gone(&mut self, name: &str, running: bool, why: String) {
        let Some(kernel) = self.kernels.remove(name) else { return };
        let known = kernel.ready.then(|| self.reference(&kernel));
        self.leaving.push(kernel.work);
        self.on_paused(name, true);
        if running {
            let was_sent = self.block.as_ref().is_some_and(|block| block.sent);
            let end = if was_sent { EndCause::Died } else { EndCause::NotSent };
            self.end_block(|_| end(why), known.map_or(KernelFate::None, KernelFate::Lost));
        } else {
            let dead = DeadKernel { language: kernel.language, cause: why };
            let _ = self.notices.try_send(KernelNotice::Died(dead));
        }
    }
}

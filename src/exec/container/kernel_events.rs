//! Takes the events of the kernel: what it reports of the block that runs in it, and its end.

use super::bridge_wire::BridgeMessage;
use super::kernel::{KernelEnd, KernelEvent};
use super::{Containers, KernelBlock};
use crate::domain::{DeadKernel, KernelFate, RunEvent};
use crate::exec::KernelNotice;
use crate::exec::backend::{BackendEvent, EndCause, RunEnd, note_summary};
use crate::exec::helper_wire::{PauseState, ResourceUse};
use crate::exec::kernel_wire::KernelMessage;
use crate::text::number::memory;

impl Containers {
    fn end_in_kernel(&mut self, end: EndCause, used: ResourceUse) {
        if self.job.take().is_none() {
            return;
        }
        let pause = self.kernel.as_ref().and_then(|kernel| kernel.pause);
        let (kernel, cwd) = match &self.kernel {
            Some(kernel) => (KernelFate::Kept(kernel.state), Some(kernel.cwd.clone())),
            None => (KernelFate::None, None),
        };
        self.queue.push_back(RunEnd { used, pause, kernel, cwd, ..RunEnd::of(end) }.into());
    }

    pub(super) fn on_kernel(&mut self, heard: KernelEvent) {
        match heard {
            KernelEvent::Said(_, KernelMessage::Hello { .. }) => {
                // A later one comes from a block.
                if let Some(kernel) = self.kernel.as_mut().filter(|kernel| !kernel.ready) {
                    kernel.ready = true;
                    self.tell_started();
                }
            }
            KernelEvent::Said(token, said) => {
                // A message with another token comes from an earlier run, or from somebody else.
                let Some(job) = self.job.as_mut().filter(|j| j.job.token == token && j.done.is_none()) else {
                    return;
                };
                let KernelMessage::Done(done) = said else {
                    return self.queue.extend(BackendEvent::of_kernel(said));
                };
                if let Some(kernel) = &mut self.kernel {
                    let (state, shared, cwd) = (&mut kernel.state, &mut kernel.shared, &mut kernel.cwd);
                    note_summary(&done, &kernel.reach, state, shared, cwd);
                    kernel.end_run();
                }
                job.done = Some(*done);
            }
            KernelEvent::Told(told) => self.on_bridge_message(told),
            KernelEvent::Resting(still) => {
                if let Some(kernel) = &mut self.kernel {
                    kernel.pause = Some(PauseState { still, threads: 0 });
                    kernel.state.keeps_running |= !still;
                }
            }
            KernelEvent::Gone(gone) => self.on_kernel_end(gone),
        }
    }

    fn on_bridge_message(&mut self, told: BridgeMessage) {
        match told {
            BridgeMessage::Output(stream, bytes) if self.job.is_some() => {
                self.queue.push_back(BackendEvent::printed(stream, bytes));
            }
            BridgeMessage::Usage { rss_bytes, cpu_us } => {
                self.queue.push_back(RunEvent::Usage { rss_bytes, cpu_ms: cpu_us / 1000 }.into());
            }
            BridgeMessage::Finished(used) => {
                if let Some(done) = self.job.as_mut().and_then(|job| job.done.take()) {
                    self.end_in_kernel(EndCause::Block(done), used);
                }
            }
            _ => {}
        }
    }

    fn on_kernel_end(&mut self, gone: KernelEnd) {
        let Some(kernel) = self.kernel.take() else { return };
        let lost = KernelFate::Lost(kernel.state);
        self.track_removal(kernel.close());
        let job = self.job.take();
        let (end, used, fate) = match gone {
            KernelEnd::NotStarted(why) => {
                (EndCause::NotStarted(why), ResourceUse::default(), KernelFate::None)
            }
            KernelEnd::OutOfMemory(used) => (
                EndCause::Limit(format!(
                    "memory, {}",
                    memory(match self.access.setup.limits.memory_bytes {
                        0 => self.access.config.memory,
                        limit => self.access.config.memory.min(limit),
                    })
                )),
                used,
                lost,
            ),
            KernelEnd::Died(why, used) => (EndCause::Died(why), used, lost),
        };
        let end = match (job, end) {
            // The block had already finished; what ended the kernel came after it.
            (Some(KernelBlock { done: Some(done), .. }), _) => EndCause::Block(done),
            (Some(_), end) => end,
            (None, EndCause::Limit(what)) => return self.died(format!("over its limit: {what}")),
            (None, EndCause::Died(why) | EndCause::NotStarted(why)) => return self.died(why),
            (None, _) => return self.died(String::new()),
        };
        self.queue.push_back(RunEnd { used, kernel: fate, ..RunEnd::of(end) }.into());
    }

    fn died(&self, cause: String) {
        let _ = self.notices.try_send(KernelNotice::Died(DeadKernel::of_python(cause)));
    }
}

//! Handles messages about a run: from the kernel about its block, from the helpers about their processes.

use super::{Local, LocalRun, RunHost};
use crate::domain::{Language, RunEvent};
use crate::exec::backend::{BackendEvent, EndCause, note_summary};
use crate::exec::error::ExecError;
use crate::exec::helper_wire::{HelperMessage, HelperOrder, ResourceUse};
use crate::exec::kernel_wire::{FrameToken, KernelMessage};
use crate::exec::receipt::{ExitKind, cause_of_death};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::time::{Duration, Instant};

/// Why a kernel was killed that did not stand still between two runs.
const WOKEN: &str = "it moved between two runs, as by a timer that a block had set, and was ended at once";

impl Local {
    pub(super) fn on_kernel_messages(&mut self) {
        let Some(kernel) = &mut self.kernel else { return };
        kernel.send();
        match kernel.receive() {
            Ok(said) => said.into_iter().for_each(|(token, said)| self.on_kernel_message(token, said)),
            Err(error) => {
                // The helper reports how the kernel ended. A kernel that lives on without this socket is of no use.
                let why = match error {
                    ExecError::Ended => "the kernel's control channel was closed".to_string(),
                    other => other.to_string(),
                };
                if let Some(run) = self.run.as_mut().filter(|run| run.is_in_kernel()) {
                    run.broken.get_or_insert(why);
                }
                self.kernel_is_cut_off();
            }
        }
    }

    /// Handles the loss of the control socket. Usually the process has died, and its helper is about to report how. A
    /// kernel that lives on is killed.
    pub(super) fn kernel_is_cut_off(&mut self) {
        let cut_off = self.kernel.as_ref().is_some_and(|kernel| kernel.cut_off);
        if self.end_is_told_within(Duration::from_millis(100), !cut_off) || cut_off {
            return;
        }
        if let Some(kernel) = &mut self.kernel {
            kernel.cut_off = true;
            kernel.process.link.order(&HelperOrder::Kill);
        }
        self.end_is_told_within(Duration::from_secs(2), false);
    }

    /// Handles messages of the kernel's helper until it reports the end of the kernel. Returns whether it did in that
    /// time. If the kernel ended by itself, or not in the way that was ordered, its end counts as the cause, not the
    /// loss of the socket.
    fn end_is_told_within(&mut self, patience: Duration, by_itself: bool) -> bool {
        let until = Instant::now() + patience;
        while self.helper_speaks_within(until.saturating_duration_since(Instant::now())) {
            let Some(kernel) = &mut self.kernel else { return true };
            let told = kernel.process.link.receive();
            let is_end = told.as_ref().map_or(true, |told| told.iter().any(HelperMessage::is_end));
            let is_killed = told.as_ref().map_or(true, |told| told.iter().any(HelperMessage::is_end_by_kill));
            if let Some(run) = self.run.as_mut().filter(|_| is_end && (by_itself || !is_killed)) {
                run.broken = None;
            }
            self.on_helper_messages(told);
            if is_end {
                return true;
            }
        }
        false
    }

    /// Waits until the kernel's helper sends something. Returns whether it did in that time.
    pub(super) fn helper_speaks_within(&self, patience: Duration) -> bool {
        let Some(socket) = self.kernel.as_ref().and_then(|kernel| kernel.process.link.socket()) else {
            return true;
        };
        let timeout = Timespec::try_from(patience).ok();
        poll(&mut [PollFd::from_borrowed_fd(socket, PollFlags::IN)], timeout.as_ref())
            .is_ok_and(|count| count > 0)
    }

    pub(super) fn on_kernel_message(&mut self, token: FrameToken, said: KernelMessage) {
        if let KernelMessage::Hello { version } = said {
            // The kernel says it once, before it runs anything; what comes later is a block's.
            let Some(kernel) = self.kernel.as_mut().filter(|kernel| !kernel.ready) else { return };
            kernel.ready = true;
            self.never_ready = 0;
            self.finder.learn(&Language::python(), version);
            if self.runs_in_kernel() {
                self.queue.push_back(RunEvent::Started.into());
            }
            return;
        }
        match said {
            KernelMessage::Waiting => return self.pause_unused(),
            KernelMessage::Lacking(lacking) => {
                self.on_lacking(token, &lacking);
                return self.pause_unused();
            }
            _ => {}
        }
        if matches!(said, KernelMessage::Done(_)) {
            // The helper reports an exceeded limit before the interrupt that ends the block, but on another socket. So
            // that socket is read first.
            self.on_kernel_helper();
        }
        // A message with another token comes from an earlier run, or from somebody else.
        let Some(run) = self.run.as_mut().filter(|run| run.token == token && run.done.is_none()) else {
            return;
        };
        let KernelMessage::Done(done) = said else {
            if matches!(said, KernelMessage::Image { .. } | KernelMessage::PartEnded(_)) {
                // What was printed so far precedes it.
                let printed = self.process_mut().map(|process| process.pipes.drain());
                self.print(printed.unwrap_or_default());
            }
            return self.queue.extend(BackendEvent::of_kernel(said));
        };
        if let Some(kernel) = &mut self.kernel {
            kernel.module_path.clone_from(&done.module_path);
            let (state, shared, cwd) = (&mut kernel.state, &mut kernel.shared, &mut kernel.cwd);
            note_summary(&done, &kernel.process.reach, state, shared, cwd);
        }
        run.over = Some(Instant::now());
        run.done = Some(*done);
        self.order(&HelperOrder::End);
    }

    /// Stops an unused kernel once it has answered. Ignores a used kernel, whose message its code may have faked.
    fn pause_unused(&self) {
        if let Some(kernel) = self.kernel.as_ref().filter(|kernel| !kernel.used && !self.is_asking()) {
            kernel.process.link.order(&HelperOrder::Pause);
        }
    }

    pub(super) fn on_kernel_helper(&mut self) {
        let Some(kernel) = &mut self.kernel else { return };
        let told = kernel.process.link.receive();
        self.on_helper_messages(told);
    }

    fn on_helper_messages(&mut self, told: Result<Vec<HelperMessage>, ExecError>) {
        match told {
            Ok(told) => told.into_iter().for_each(|told| self.on_helper_message(told, true)),
            Err(error) => {
                let why = error.to_string();
                self.kernel_ended(EndCause::Died(why.clone()), ResourceUse::default(), why);
            }
        }
    }

    pub(super) fn on_program_helper(&mut self) {
        let Some(LocalRun { host: RunHost::Program(process, _), .. }) = &mut self.run else { return };
        match process.link.receive() {
            Ok(told) => told.into_iter().for_each(|told| self.on_helper_message(told, false)),
            Err(error) => self.finish(EndCause::Died(error.to_string()), ResourceUse::default()),
        }
    }

    pub(super) fn on_helper_message(&mut self, told: HelperMessage, by_kernel: bool) {
        if let (HelperMessage::Begun | HelperMessage::NotBegun(_), true, Some(kernel)) =
            (&told, by_kernel, &mut self.kernel)
        {
            kernel.beginning = kernel.beginning.saturating_sub(1);
            kernel.fitted = kernel.fitted.filter(|_| told == HelperMessage::Begun);
        }
        let run = self.run.as_mut().filter(|run| run.is_in_kernel() == by_kernel);
        match (told, run) {
            (HelperMessage::Woken, run) if by_kernel => {
                // A run that was just handed to the kernel ends with it.
                run.map(|run| run.broken.get_or_insert_with(|| WOKEN.into()));
                self.kernel.iter_mut().for_each(|kernel| kernel.woken = true);
            }
            (HelperMessage::Spawned { .. }, Some(_)) if !by_kernel => {
                self.queue.push_back(RunEvent::Started.into());
            }
            (HelperMessage::Usage { rss_bytes, cpu_us }, Some(_)) => {
                self.queue.push_back(RunEvent::Usage { rss_bytes, cpu_ms: cpu_us / 1000 }.into());
            }
            (HelperMessage::Asks(asks), Some(_)) => self.queue.push_back(RunEvent::Asks(asks).into()),
            (HelperMessage::Counts(what), Some(_)) => self.queue.push_back(RunEvent::Counts(what).into()),
            (HelperMessage::OutOfTime, Some(run)) if run.done.is_none() => run.out_of_time = true,
            (HelperMessage::OverLimit(what), Some(run)) if run.done.is_none() => run.limit = Some(what),
            // The code may have started already, although one of its limits does not hold.
            (HelperMessage::NotBegun(why), Some(run)) => {
                run.limit.get_or_insert(format!("one could not be set: {why}"));
                self.order(&HelperOrder::Kill);
            }
            (HelperMessage::Finished(used, pause), Some(run)) => {
                run.pause = Some(pause);
                if let Some(done) = run.done.take() {
                    self.finish(EndCause::Block(done), used);
                }
            }
            (HelperMessage::NotSpawned(why), _) if by_kernel => {
                self.kernel_ended(EndCause::NotStarted(why.clone()), ResourceUse::default(), why);
            }
            (HelperMessage::NotSpawned(why), Some(_)) => {
                self.finish(EndCause::NotStarted(why), ResourceUse::default());
            }
            (HelperMessage::Exited { code, signal, used }, _) => {
                let ending = ExitKind { code, signal };
                if by_kernel {
                    let woken = self.kernel.as_ref().is_some_and(|kernel| kernel.woken);
                    let cause = if woken { WOKEN.into() } else { cause_of_death(ending) };
                    self.kernel_ended(EndCause::Kernel(ending, None), used, cause);
                } else {
                    self.finish(EndCause::Program(ending), used);
                }
            }
            _ => {}
        }
    }
}

//! Handles the end of a run and of the kernel.

use super::kernel_start::MAX_ATTEMPTS;
use super::{Local, RunHost};
use crate::domain::{Chunk, DeadKernel, KernelFate, Language, RunEvent, Stream};
use crate::exec::KernelNotice;
use crate::exec::backend::{EndCause, RunEnd, may_start_in};
use crate::exec::helper_wire::{PauseState, ResourceUse};
use crate::exec::julia;
use crate::exec::kernel::Kernel;
use crate::exec::languages;
use crate::exec::shell_state::MAX_STATE_BYTES;
use crate::text::line::last_line;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How much output is read of a kernel that never was ready.
const MAX_MESSAGE_BYTES: usize = 8 << 10;

impl Local {
    /// Handles the end of the kernel's process, during a run or outside of one.
    pub(super) fn kernel_ended(&mut self, end: EndCause, used: ResourceUse, cause: String) {
        let ready = self.kernel.as_ref().is_some_and(|kernel| kernel.ready);
        if !ready {
            self.never_ready = self.never_ready.saturating_add(1);
        }
        if !self.runs_in_kernel() {
            let cause = match self.kernel.take() {
                Some(kernel) if !ready => self.why_never_ready(&kernel, &cause),
                _ => cause,
            };
            // Open questions to it end without an answer.
            self.asking.question = None;
            let _ = self.notices.try_send(KernelNotice::Died(DeadKernel::of_python(cause)));
            return;
        }
        match end {
            EndCause::Kernel(..) if !ready => self.finish(EndCause::NotReady(cause), ResourceUse::default()),
            end => self.finish(end, used),
        }
    }

    /// Why an unused kernel never became ready, and whether it will be started again.
    fn why_never_ready(&self, kernel: &Kernel, cause: &str) -> String {
        let mut said = vec![0u8; MAX_MESSAGE_BYTES];
        let count = kernel
            .process
            .pipes
            .stderr
            .as_ref()
            .map_or(0, |pipe| rustix::io::read(pipe, &mut said[..]).unwrap_or(0));
        let said = String::from_utf8_lossy(said.get(..count).unwrap_or_default()).into_owned();
        let why = last_line(&said).map_or_else(|| cause.to_owned(), |line| line.chars().take(300).collect());
        let again = if self.never_ready >= MAX_ATTEMPTS {
            format!("; after {MAX_ATTEMPTS} attempts it is started again only for a block that you approve")
        } else {
            String::new()
        };
        format!("Python could not be started as a kernel: {why}{again}")
    }

    /// Ends the run: passes on the last output, takes over the state that stays, and reports the end.
    pub(super) fn finish(&mut self, end: EndCause, used: ResourceUse) {
        let over = Instant::now();
        if !matches!(end, EndCause::Block(_) | EndCause::NotStarted(_) | EndCause::NotReady(_)) {
            let group = self.process().and_then(|process| process.group.as_ref());
            // The supervisor may have been killed together with the last process. Then only the group shows that memory
            // ran out.
            let limit = self.run.as_ref().and_then(|run| group?.out_of_memory(run.memory_bytes));
            if let Some(run) = &mut self.run {
                run.limit = run.limit.take().or(limit);
            }
        }
        let printed = self.process_mut().map(|process| process.pipes.drain());
        self.print(printed.unwrap_or_default());
        let held = self.process_mut().and_then(|process| process.names.rest());
        if let Some(chunk) = held {
            self.show(chunk);
        }
        let painted = self.process_mut().and_then(|process| Some(process.screen.as_mut()?.end()));
        let painted = painted.filter(|bytes| !bytes.is_empty());
        let painted = painted.map(|bytes| Chunk::new(Stream::Stdout, bytes));
        self.queue.extend(painted.map(|chunk| RunEvent::Output(chunk).into()));
        // A helper that ended without a report did not end the rest, and what is looked for from here may be missed.
        let is_unfollowed = matches!(end, EndCause::Died(_))
            && self.process().is_some_and(|process| process.link.shares_namespace());
        let Some(mut run) = self.run.take() else { return };
        let mut ended = RunEnd { used, ..RunEnd::of(end) };
        match &mut run.host {
            RunHost::Kernel => (ended.kernel, ended.cwd) = self.after_block(&ended.end),
            RunHost::Program(process, state) => {
                let limit =
                    if run.language == "julia" { julia::MAX_TOTAL_IMAGE_BYTES } else { MAX_STATE_BYTES };
                if let Some(written) = state.take().and_then(|file| read_state(&file, limit)) {
                    if run.language == "bash" {
                        let may_start = |cwd: &Path| may_start_in(&process.reach, cwd);
                        self.shell.update(&written, run.block, may_start);
                    } else if run.language == "julia" {
                        self.queue.extend(julia::pictures(&written));
                    } else if let Some((way, _)) = self.finder.run_method(&Language(run.language.clone())) {
                        ended.unbuilt = languages::stopped_building(&way, &written);
                    }
                }
                let cwd = if run.language == "bash" { &self.shell.cwd } else { &self.setup.cwd };
                ended.cwd = Some(cwd.clone());
            }
        }
        ended.end = match (ended.end, run.done) {
            (EndCause::NotStarted(why), _) => EndCause::NotStarted(why),
            // The block had already finished; what ended the process came after it.
            (_, Some(done)) => EndCause::Block(done),
            (EndCause::Kernel(ending, None), None) => EndCause::Kernel(ending, run.broken),
            (end, None) => end,
        };
        (ended.over, ended.limit) = (run.over.or(Some(over)), run.limit);
        (ended.out_of_time, ended.closed) = (run.out_of_time, run.closed);
        ended.pause = if is_unfollowed { Some(PauseState::default()) } else { run.pause };
        self.queue.push_back(ended.into());
        // The helper may take a while to end stubborn processes, so the report is sent first.
        self.leaving = Some(run.host);
    }

    /// What becomes of the kernel at the end of a run in it, and where the next block would start.
    fn after_block(&mut self, end: &EndCause) -> (KernelFate, Option<PathBuf>) {
        if matches!(end, EndCause::Block(_)) {
            return match &self.kernel {
                Some(kernel) => (KernelFate::Kept(kernel.state), Some(kernel.cwd.clone())),
                None => (KernelFate::None, None),
            };
        }
        let fate = match (end, self.kernel.take()) {
            (EndCause::NotStarted(_) | EndCause::NotReady(_), _) | (_, None) => KernelFate::None,
            (_, Some(kernel)) => KernelFate::Lost(kernel.state),
        };
        (fate, Some(self.setup.cwd.clone()))
    }

    /// Ends the kernel. Its code does not run any further: exit handlers do not run, since nobody would watch them.
    pub(super) fn end_kernel(&mut self) {
        self.kernel = None;
        self.end_asked();
        // No process is left to answer an open question.
        self.asking.question = None;
    }
}

/// What a program wrote to its state file, from the start of the file.
fn read_state(file: &std::fs::File, limit: usize) -> Option<Vec<u8>> {
    let size = usize::try_from(file.metadata().ok()?.len()).ok()?.min(limit);
    let mut written = vec![0; size];
    file.read_exact_at(&mut written, 0).ok()?;
    Some(written)
}

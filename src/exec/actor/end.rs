//! Ends: of a run, of the kernel, of everything.

use super::begin::ATTEMPTS;
use super::{Actor, Command, Source};
use crate::domain::{KernelFate, Language, Outcome};
use crate::exec::cgroup::Group;
use crate::exec::helper_wire::{Order, Told};
use crate::exec::kernel::Kernel;
use crate::exec::outbox::Outbox;
use crate::exec::run::{Carrier, End, nothing};
use crate::exec::{languages, packages};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::Read as _;
use std::os::unix::fs::FileExt as _;
use std::time::{Duration, Instant};

/// How long a kernel may take to leave in good order.
const FAREWELL: Duration = Duration::from_millis(1000);
/// So much is read of what a kernel said that never was ready.
const SAID: usize = 8 << 10;
/// The most that a shell may write about its state.
const STATE_LIMIT: usize = 4 << 20;

impl Actor {
    /// The kernel's process is gone: under a run, or while nothing ran.
    pub(super) fn kernel_ended(&mut self, end: End, cause: String) {
        let in_run = self.run.as_ref().is_some_and(|run| matches!(run.carrier, Carrier::Kernel));
        let ready = self.kernel.as_ref().is_some_and(|kernel| kernel.ready);
        if !ready {
            self.never_ready = self.never_ready.saturating_add(1);
        }
        if !in_run {
            let cause = match self.kernel.take() {
                Some(kernel) if !ready => self.why_never_ready(&kernel, &cause),
                _ => cause,
            };
            // Who asked it something is told that there is no answer.
            self.asked = None;
            let _ = self.deaths.try_send(cause);
            return;
        }
        let end = match end {
            End::Process(..) if !ready => {
                if let (Some(run), Some(kernel)) = (&mut self.run, &mut self.kernel) {
                    run.capture.drain(&mut kernel.process.pipes, &mut run.outbox);
                }
                let said = self.run.as_ref().and_then(|run| {
                    let limit = run.pressed.over.as_ref().map(|what| format!("of its limits, {what}"));
                    limit.or_else(|| run.capture.last_error_line())
                });
                End::NotStarted(format!("Python could not be started as a kernel: {}", said.unwrap_or(cause)))
            }
            end => end,
        };
        self.finish(end);
    }

    /// Why a kernel that nobody used was never ready, and whether it is tried again.
    fn why_never_ready(&self, kernel: &Kernel, cause: &str) -> String {
        let mut said = vec![0u8; SAID];
        let count = kernel
            .process
            .pipes
            .stderr
            .as_ref()
            .map_or(0, |pipe| rustix::io::read(pipe, &mut said[..]).unwrap_or(0));
        let said = String::from_utf8_lossy(said.get(..count).unwrap_or_default()).into_owned();
        let line = said.lines().rev().map(str::trim).find(|line| !line.is_empty());
        let why = line.map_or_else(|| cause.to_owned(), |line| line.chars().take(300).collect());
        let again = if self.never_ready >= ATTEMPTS {
            format!("; after {ATTEMPTS} attempts it is started again only for a block that you approve")
        } else {
            String::new()
        };
        format!("Python could not be started as a kernel: {why}{again}")
    }

    /// Ends the run: the last output, the state that stays, the report.
    pub(super) fn finish(&mut self, end: End) {
        let Some(mut run) = self.run.take() else { return };
        run.stop_clock();
        let process = match (&run.carrier, &self.kernel) {
            (Carrier::Program(process, _), _) => Some(&**process),
            (Carrier::Kernel, kernel) => kernel.as_ref().map(|kernel| &kernel.process),
        };
        let group =
            process.and_then(|process| process.group.as_ref()).filter(|_| !matches!(end, End::Block(_)));
        if let Some(what) = group.and_then(Group::out_of_memory) {
            // With the last process its supervisor went too: what is left to tell of it is in the group.
            run.pressed.over.get_or_insert(what);
        }
        match &mut run.carrier {
            Carrier::Kernel => {
                if let Some(kernel) = &mut self.kernel {
                    run.capture.drain(&mut kernel.process.pipes, &mut run.outbox);
                }
                if matches!(end, End::Block(_)) {
                    let (fate, cwd) = match &self.kernel {
                        Some(kernel) => (KernelFate::Kept(kernel.state), Some(kernel.cwd.clone())),
                        None => (KernelFate::None, None),
                    };
                    run.finish(end, fate, cwd);
                } else {
                    let kernel = self.kernel.take();
                    let fate = match (&end, kernel.as_ref()) {
                        (End::NotStarted(_), _) | (_, None) => KernelFate::None,
                        (_, Some(kernel)) => KernelFate::Lost(kernel.state),
                    };
                    drop(kernel);
                    run.finish(end, fate, Some(self.setup.cwd.clone()));
                }
            }
            Carrier::Program(process, state) => {
                run.capture.drain(&mut process.pipes, &mut run.outbox);
                if let Some(written) = state.take().and_then(read_state) {
                    if run.language == "bash" {
                        self.shell.update(&written);
                    } else if let Some((way, _)) = self.finder.way(&Language(run.language.clone())) {
                        run.unbuilt = languages::stopped_building(&way, &written);
                    }
                }
                let cwd = if run.language == "bash" { &self.shell.cwd } else { &self.setup.cwd };
                let cwd = Some(cwd.clone());
                if matches!(end, End::Lost(_)) {
                    // The helper may need a while to end what does not want to: the report comes first.
                    let carrier = std::mem::replace(&mut run.carrier, Carrier::Kernel);
                    run.finish(end, KernelFate::None, cwd);
                    drop(carrier);
                } else {
                    run.finish(end, KernelFate::None, cwd);
                }
            }
        }
    }

    /// Asks the kernel to leave, waits a little, then makes it.
    pub(super) fn end_kernel(&mut self) {
        let Some(mut kernel) = self.kernel.take() else { return };
        // Nobody answers it any more.
        self.asked = None;
        kernel.quit();
        let until = Instant::now() + FAREWELL;
        loop {
            let rest = until.saturating_duration_since(Instant::now());
            let Some(socket) = kernel.process.link.socket().filter(|_| !rest.is_zero()) else { return };
            let timeout = Timespec { tv_sec: rest.as_secs() as i64, tv_nsec: i64::from(rest.subsec_nanos()) };
            let _ = poll(&mut [PollFd::from_borrowed_fd(socket, PollFlags::IN)], Some(&timeout));
            match kernel.process.link.receive() {
                Ok(told) if told.iter().any(|t| matches!(t, Told::Exited { .. } | Told::NotSpawned(_))) => {
                    return;
                }
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }

    pub(super) fn end_everything(&mut self) {
        if let Some(run) = &mut self.run {
            run.pressed_kill();
            self.order(&Order::Kill);
        }
        while self.run.is_some() {
            for source in self.wait() {
                match source {
                    Source::Pipe(stream) => self.read(stream),
                    Source::Control => self.kernel_said(),
                    Source::KernelHelper => self.kernel_told(),
                    Source::ProgramHelper => self.program_told(),
                    Source::Bell => {
                        // Orders that come now find nobody.
                        let _ = self.bell.read(&mut [0u8; 64]);
                    }
                }
            }
            self.on_time();
        }
        self.end_kernel();
        packages::clear(&self.setup.blobs);
        // With it goes the private folder of the session.
        self.sandbox = None;
        while let Ok(command) = self.commands.try_recv() {
            if let Command::Start(request, out) = command {
                let limits = request.approval().terms().limits;
                let outbox = Outbox::new(request.approval().run(), out);
                outbox.finish(nothing(Outcome::NotStarted("sayso is ending".into()), limits));
            }
        }
    }
}

/// What a shell wrote about its state, from the start of the file.
fn read_state(file: std::fs::File) -> Option<Vec<u8>> {
    let size = usize::try_from(file.metadata().ok()?.len()).ok()?.min(STATE_LIMIT);
    let mut written = vec![0; size];
    file.read_exact_at(&mut written, 0).ok()?;
    Some(written)
}
